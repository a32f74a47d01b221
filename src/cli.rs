//! The command line: one subcommand a file, each reads as its flow.

use std::process::ExitCode;

/// Runs the command that the arguments name.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
