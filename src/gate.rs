//! Stage 1: from an event to a [`Request`], or to the reason why there is nothing to do.
//!
//! Everything that needs trust is decided here, once, from what GitHub says and from the target branch's configuration:
//! who asked, what is measured, by which policy. No code of a pull request is on disk, and none runs.

pub mod access;
mod arguments;
mod busy;
pub mod command;
mod comment;
mod inputs;
mod markdown;
mod other;
pub mod pin;
mod policy;
mod pull;
mod quote;
mod refusal;
mod reply;

pub use arguments::{apply_inputs, resolve_suites};
pub use inputs::Inputs;
pub use policy::Policy;
pub use refusal::Refusal;

use crate::actions::{ActionsError, Event, Runner};
use crate::config::ConfigError;
use crate::github::{GitHubError, Repository};
use crate::request::Request;
use jiff::Timestamp;

/// The longest `request.json` that is handed on as an output, in bytes: a step gets it as one variable, and the system
/// gives a variable 128 KiB.
pub const MAX_REQUEST: usize = 120_000;

/// Everything that deciding takes.
#[derive(Debug)]
pub struct Gate<'a> {
    /// The repository of the event.
    pub repository: &'a Repository<'a>,
    /// The runner, for its run and server.
    pub runner: &'a Runner,
    /// What the workflow file says.
    pub inputs: Inputs,
    /// In which form bench-bot runs.
    pub form: Form,
    /// The time, for cool-downs.
    pub now: Timestamp,
}

/// In which form bench-bot runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A job of its own: another one measures.
    Gate,
    /// One job gates, measures and reports.
    OneJob,
    /// Another workflow has measured, and this one only reports: nothing is acknowledged.
    Report,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Measure.
    Run(Box<Allowed>),
    /// There is nothing to do.
    Nothing(Nothing),
}

/// A run that was allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// What to do.
    pub request: Request,
    /// What went wrong on the way without stopping it: no comment, no reaction.
    pub warnings: Vec<String>,
}

/// Why there is nothing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nothing {
    /// The reason, the end of a sentence. Foreign text is inside code spans.
    pub because: String,
    /// What went wrong on the way without stopping it.
    pub warnings: Vec<String>,
}

/// Why nothing could be decided. The exit code is 2.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// GitHub does not answer.
    #[error(transparent)]
    GitHub(#[from] Box<GitHubError>),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What is asked for is refused, and there is no comment to answer to.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The event lacks something, or is one that must not start benchmarks.
    #[error("{0}")]
    Event(String),
    /// An input has a value that it cannot have.
    #[error("input `{name}`: {value:?}: {reason}")]
    Input {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is possible.
        reason: String,
    },
    /// The request is too long to be handed on.
    #[error(
        "the configuration and its template make a request of {0} bytes; at most {MAX_REQUEST} can be handed to the next job: shorten the template"
    )]
    TooLong(usize),
    /// The runner's files cannot be written.
    #[error(transparent)]
    Actions(#[from] ActionsError),
}

impl Gate<'_> {
    /// Decides what `event` asks for, and tells the pull request: reactions, an answer, or the comment that says that a
    /// run is on its way.
    ///
    /// # Errors
    /// When GitHub does not answer, the configuration is wrong, or what is asked for is refused and nobody can be told
    /// but the log.
    pub fn decide(&self, event: &Event) -> Result<Decision, GateError> {
        match event {
            Event::PullRequest(event) => self.pull_request(event),
            Event::IssueComment(event) => self.issue_comment(event),
            Event::WorkflowDispatch(event) => self.workflow_dispatch(event),
            Event::WorkflowRun(event) => self.workflow_run(event),
            Event::MergeGroup(event) => self.merge_group(event),
            Event::Push(event) => self.push(event),
            Event::Other(name) if name == "pull_request_target" => Err(GateError::Event(
                "on `pull_request_target` a job has a token that can write and secrets, and is easily made to run the \
                 pull request's code: use `pull_request`, with docs/examples/fork-measure.yml and fork-report.yml for forks"
                    .to_owned(),
            )),
            Event::Other(name) => Ok(nothing(format!("the event {} is none that bench-bot answers", quote::code(name)))),
        }
    }

    /// Number and attempt of this run, and its web address.
    fn this_run(&self) -> (u64, u64, Option<String>) {
        (self.runner.run_id().unwrap_or(0), self.runner.run_attempt(), self.runner.run_url())
    }

    /// The web address of a run of this repository.
    fn run_url(&self, run: u64) -> Option<String> {
        Some(format!("{}/{}/actions/runs/{run}", self.runner.server_url(), self.repository.name()))
    }

    /// Whether this machine outlives the job.
    fn is_self_hosted(&self) -> bool {
        self.runner.variable("RUNNER_ENVIRONMENT") == Some("self-hosted")
    }
}

/// There is nothing to do.
fn nothing(because: impl Into<String>) -> Decision {
    Decision::Nothing(Nothing { because: because.into(), warnings: Vec::new() })
}

/// Writes the outputs `run`, `request`, `head-sha` and `base-sha`, and says in log and summary why there is nothing to do.
///
/// # Errors
/// When the runner's files cannot be written, or the request is too long to be handed on.
pub fn announce(runner: &Runner, decision: &Decision) -> Result<(), GateError> {
    let (warnings, request) = match decision {
        Decision::Run(allowed) => (&allowed.warnings, Some(&allowed.request)),
        Decision::Nothing(nothing) => (&nothing.warnings, None),
    };
    for warning in warnings {
        runner.warn(warning.as_str());
    }
    if let Decision::Nothing(nothing) = decision {
        tracing::info!("nothing to do, because {}", nothing.because);
        runner.add_summary(&format!("**Nothing was measured**, because {}.\n", nothing.because))?;
    }
    let json = match request {
        Some(request) => serde_json::to_string(request).map_err(|error| GateError::Event(error.to_string()))?,
        None => String::new(),
    };
    if json.len() > MAX_REQUEST {
        return Err(GateError::TooLong(json.len()));
    }
    runner.set_output("run", if request.is_some() { "true" } else { "false" })?;
    runner.set_output("request", &json)?;
    runner.set_output("head-sha", request.map_or("", |request| &request.commits.head.sha))?;
    runner.set_output("base-sha", request.map_or("", |request| &request.commits.base.sha))?;
    Ok(())
}
