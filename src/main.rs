use std::process::ExitCode;

fn main() -> ExitCode {
    bench_bot::cli::main()
}
