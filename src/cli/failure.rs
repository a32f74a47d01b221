//! Exit codes, and how an error is told.

use crate::actions::{Annotation, Level, Runner};
use crate::config::ConfigError;
use crate::measure::exec::ExecError;

/// `fail-on` tripped.
pub(crate) const TRIPPED: u8 = 1;
/// Usage, configuration, or a refusal to run.
pub(crate) const USAGE: u8 = 2;
/// A suite has no comparable row.
pub(crate) const NOTHING_MEASURED: u8 = 3;

/// An error with the exit code that it is to have; any other error exits with 2.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: u8,
    /// What failed and what to do.
    pub(crate) message: String,
}

impl Failure {
    /// Nothing could be compared.
    pub(crate) fn nothing_measured(message: impl Into<String>) -> Self {
        Self { code: NOTHING_MEASURED, message: message.into() }
    }

    /// Tells what went wrong, on standard error and inside Actions as an annotation, and gives the exit code.
    pub(crate) fn report(error: &anyhow::Error) -> u8 {
        if let Some(signal) = interrupted(error) {
            crate::cli::say::err!("bench-bot: stopped by signal {signal}; checkouts and processes are gone");
            return 128 + u8::try_from(signal).unwrap_or(0);
        }
        let text = format!("{error:#}");
        crate::cli::say::err!("bench-bot: {text}");
        let runner = Runner::from_env();
        if runner.in_actions() {
            let annotation = Annotation::new(Level::Error, text).titled("bench-bot");
            let at = error.downcast_ref::<ConfigError>();
            runner.annotate(&match at {
                Some(at) => annotation.at(at.file.clone(), Some(at.line as u64), Some(at.column as u64)),
                None => annotation,
            });
        }
        error.downcast_ref::<Self>().map_or(USAGE, |failure| failure.code)
    }
}

/// The signal that stopped us, if one did, however deep the error tells it.
pub(crate) fn interrupted(error: &anyhow::Error) -> Option<i32> {
    let told = error.chain().find_map(|cause| match cause.downcast_ref::<ExecError>() {
        Some(ExecError::Interrupted(signal)) => Some(*signal),
        _ => match cause.downcast_ref::<crate::git::GitError>() {
            Some(crate::git::GitError::Interrupted(signal)) => Some(*signal),
            _ => None,
        },
    });
    told.or_else(crate::measure::signal::received)
}
