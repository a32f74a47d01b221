//! `compare` by itself.
use bench_bot::benchstat::cli::{CompareArgs, run};
use clap::Parser;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: CompareArgs,
}

fn main() -> std::process::ExitCode {
    let args = Command::parse().args;
    match run(&args, &mut std::io::stdin().lock(), &mut std::io::stdout().lock(), &mut std::io::stderr().lock()) {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code().into()
        }
    }
}
