//! `compare` by itself.
use bench_bot::benchstat::MeasuredFile;
use bench_bot::benchstat::cli::{CompareArgs, Others, Streams, run};
use clap::Parser;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: CompareArgs,
}

fn main() -> std::process::ExitCode {
    let args = Command::parse().args;
    let mut streams = Streams {
        stdin: &mut std::io::stdin().lock(),
        out: &mut std::io::stdout().lock(),
        err: &mut std::io::stderr().lock(),
    };
    let render =
        |report: &bench_bot::report::Report, _| serde_json::to_string_pretty(report).map_err(|e| e.to_string());
    let measured = |_: &[MeasuredFile]| Err("not connected".to_owned());
    match run(&args, &mut streams, &Others { render: &render, measured: &measured }) {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code().into()
        }
    }
}
