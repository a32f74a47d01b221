//! The command line: one subcommand a file, each reads as its flow.

pub mod args;
mod check_config;
mod failure;
mod host;
mod output;
mod overrides;
mod render;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Runs the command that the arguments, or inside GitHub Actions the input `mode`, name.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap prints help to standard output and mistakes to standard error; mistakes exit with 2.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { failure::USAGE } else { 0 });
        }
    };
    log_to_stderr(cli.verbose);
    match dispatch(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => ExitCode::from(Failure::report(&error)),
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<u8> {
    match cli.command {
        Some(Command::CheckConfig(args)) => check_config::run(&args),
        Some(Command::Host(args)) => host::run(&args),
        Some(Command::Render(args)) => render::run(&args),
        _ => Ok(0),
    }
}

/// Our own messages go to standard error; standard output is the report's.
fn log_to_stderr(verbose: u8) {
    let level = match verbose {
        0 => tracing::Level::WARN,
        1 => tracing::Level::INFO,
        _ => tracing::Level::DEBUG,
    };
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .try_init();
}
