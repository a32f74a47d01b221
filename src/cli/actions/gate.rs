//! `bench-bot gate`: from an event to `request.json`.

use super::{client, decide, event, give_to_owner, workspace};
use crate::actions::Runner;
use crate::cli::args::GateArgs;
use crate::cli::output;
use crate::gate::{Decision, Form, Gate, Inputs};
use anyhow::Result;
use jiff::Timestamp;

/// Decides, tells the pull request, and hands the request on.
///
/// # Errors
/// When GitHub does not answer, the configuration is wrong, or the event is one that must not start benchmarks.
pub(crate) fn gate(args: &GateArgs) -> Result<u8> {
    let runner = Runner::from_env();
    let client = client(&runner)?;
    let (event, repository) = event(&runner, &client)?;
    let inputs = Inputs::from_runner(&runner)?;
    let gate = Gate { repository: &repository, runner: &runner, inputs, form: Form::Gate, now: Timestamp::now() };
    match &decide(&gate, &event, &runner)? {
        Decision::Run(allowed) => {
            output::write(&args.output, &serde_json::to_vec(&allowed.request)?)?;
            if let Some(folder) = args.output.parent() {
                give_to_owner(folder, &workspace(&runner)?);
            }
            let commits = &allowed.request.commits;
            crate::cli::say::out!("bench-bot: {} against {}", commits.head.sha, commits.base.sha);
        }
        Decision::Nothing(nothing) => crate::cli::say::out!("bench-bot: nothing to do, because {}", nothing.because),
    }
    Ok(0)
}
