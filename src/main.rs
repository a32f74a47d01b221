use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    // Parts of this program that it starts itself; they are no commands for users.
    match first.as_ref().and_then(|first| first.to_str()) {
        Some(bench_bot::host::guardian::ARGUMENT) => bench_bot::host::guardian::main(args),
        Some(bench_bot::host::helper::ARGUMENT) => bench_bot::host::helper::main(args),
        Some(bench_bot::measure::sandbox::launcher::SUBCOMMAND) => bench_bot::measure::sandbox::launcher::main(args),
        Some(bench_bot::selftest::synthetic::ARGUMENT) => bench_bot::selftest::synthetic::main(args),
        _ => bench_bot::cli::main(),
    }
}
