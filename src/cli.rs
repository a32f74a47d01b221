//! The command line: one subcommand a file, each reads as its flow.

mod actions;
pub mod args;
mod calibrate;
mod check_config;
mod compare;
mod contained;
mod failure;
mod flags;
mod host;
mod init;
mod local;
mod memory;
mod output;
pub(crate) mod pipeline;
mod place;
mod render;
mod reproduce;
mod run;
pub(crate) mod say;
mod selftest;
mod shard;
mod site;
mod sources;
pub(crate) mod stage;

pub(crate) use shard::shard;

use crate::actions::Runner;
use args::{Cli, Command};
use clap::{CommandFactory, Parser};
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
    if let Err(error) = crate::measure::signal::install() {
        crate::cli::say::err!("bench-bot: signals are not handled: {error}");
    }
    match dispatch(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => ExitCode::from(Failure::report(&error)),
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<u8> {
    let in_actions = Runner::from_env().in_actions();
    match cli.command {
        None if in_actions => actions::by_mode(),
        None => {
            Cli::command().print_help()?;
            Ok(failure::USAGE)
        }
        Some(Command::Run(args)) if in_actions => actions::run(&args.output, args.plan.isolation),
        Some(Command::Run(args)) => run::locally(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Gate(args)) => actions::gate(&args),
        Some(Command::Measure(args)) => actions::measure(&args),
        Some(Command::Report(args)) => actions::report(&args),
        Some(Command::CheckConfig(args)) => check_config::run(&args),
        Some(Command::Host(args)) => host::run(&args),
        Some(Command::Render(args)) => render::run(&args),
        Some(Command::Demo(args)) => crate::demo::run(&args),
        Some(Command::Calibrate(args)) => calibrate::run(&args),
        Some(Command::Selftest(args)) => selftest::run(&args),
        Some(Command::Init(args)) => init::run(&args),
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
        .with_writer(|| say::Log)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .try_init();
}
