//! The three stages in one process, for `demo`.

use crate::actions::Runner;
use crate::cli::actions;
use crate::cli::args::{MeasureArgs, OutputArgs};
use crate::gate::{Decision, Form, Gate, Inputs};
use crate::github::Client;
use crate::request::Request;
use anyhow::Result;
use jiff::Timestamp;
use std::path::PathBuf;

/// Stage 1. `None`: there is nothing to do.
///
/// # Errors
/// As `bench-bot gate`.
pub(crate) fn gate(runner: &Runner, client: &Client) -> Result<Option<Request>> {
    let (event, repository) = actions::event(runner, client)?;
    let inputs = Inputs::from_runner(runner)?;
    let gate = Gate { repository: &repository, runner, inputs, form: Form::Gate, now: Timestamp::now() };
    let decision = gate.decide(&event)?;
    crate::gate::announce(runner, &decision)?;
    Ok(match decision {
        Decision::Run(allowed) => Some(allowed.request),
        Decision::Nothing(_) => None,
    })
}

/// Stage 2, without a token.
///
/// # Errors
/// As `bench-bot measure`.
pub(crate) fn measure(request: Request, args: &MeasureArgs, runner: &Runner) -> Result<()> {
    actions::carry_out(request, args, runner).map(drop)
}

/// Stage 3.
///
/// # Errors
/// As `bench-bot report`.
pub(crate) fn report(
    runner: &Runner,
    client: &Client,
    request: &Request,
    results: &[PathBuf],
    args: &OutputArgs,
) -> Result<u8> {
    actions::report_on(runner, client, request, results, args)
}
