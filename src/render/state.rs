//! Comments that are not a report: a run has begun, or has ended without one.

use super::RenderError;
use super::escape;
use super::ink::{Ink, Outside};
use super::layout::{Output, Templates};
use super::number;
use super::settle;
use super::view::revision::{self, RevisionView, RunView};
use crate::report::{Revision, RunInfo};
use crate::side::PerSide;
use serde::Serialize;
use tera::Context;

/// What a run is doing, or why it gave no report. Texts are unescaped.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// It waits for a runner.
    Queued,
    /// It measures: how long it will take, in seconds, as far as an earlier run tells.
    Running {
        /// Estimate in seconds.
        estimate: Option<f64>,
    },
    /// It failed: what, and the last lines of output.
    Failed {
        /// What failed, in words.
        what: String,
        /// The last lines of output, or empty.
        tail: String,
    },
    /// Somebody stopped it.
    Cancelled,
    /// The job's time ended.
    TimedOut {
        /// After so many seconds, where known.
        after: Option<f64>,
    },
    /// It ended, and there is nothing to compare.
    NothingMeasured {
        /// Why.
        why: String,
    },
    /// The measuring job was skipped.
    Skipped,
}

/// What a state is about.
#[derive(Debug, Clone, Default)]
pub struct StateFrame {
    /// The commits.
    pub revisions: PerSide<Revision>,
    /// The run on GitHub.
    pub run: Option<RunInfo>,
    /// The suites that are measured, by name. Unescaped.
    pub suites: Vec<String>,
    /// The commit that the previous report of this comment was about, if there was one.
    pub replaced: Option<String>,
}

#[derive(Serialize)]
struct StateView {
    icon: &'static str,
    headline: String,
    base: RevisionView,
    head: RevisionView,
    sentences: Vec<String>,
    tail: Option<Outside>,
    fence: String,
    run: Option<RunView>,
    tool: String,
}

/// The Markdown of a state.
///
/// # Errors
/// If the built-in template is broken, which the tests exclude.
pub fn state(state: &State, frame: &StateFrame) -> Result<String, RenderError> {
    let ink = Ink::tokens();
    let (icon, headline, mut sentences) = words(state, &ink);
    if matches!(state, State::Queued | State::Running { .. }) && !frame.suites.is_empty() {
        let names: Vec<String> = frame.suites.iter().take(10).map(|name| ink.outside(name).to_string()).collect();
        let more = frame.suites.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        sentences.insert(0, format!("Suites: {}{more}.", names.join(", ")));
    }
    if let Some(sha) = &frame.replaced {
        let short: String = sha.chars().take(7).collect();
        sentences.push(format!("The earlier report here was about {}; it is no longer shown.", ink.outside(&short)));
    }
    let tail = match state {
        State::Failed { tail, .. } => escape::visible_lines(tail, 3000),
        _ => String::new(),
    };
    let view = StateView {
        icon,
        headline,
        base: revision::revision(&frame.revisions.base, frame.run.as_ref(), &ink),
        head: revision::revision(&frame.revisions.head, frame.run.as_ref(), &ink),
        sentences,
        fence: escape::fence_for(&tail),
        tail: (!tail.trim().is_empty()).then(|| ink.lines(tail)),
        run: revision::run(frame.run.as_ref(), None, &ink),
        tool: ink.outside(concat!("bench-bot ", env!("CARGO_PKG_VERSION"))).to_string(),
    };
    let context = Context::from_serialize(&view).map_err(|error| RenderError::Internal(error.to_string()))?;
    match Templates::built_in("state.md.tera")?.render(&context, super::COMMENT_LIMIT)? {
        Output::Text(text) => Ok(settle::settle(&text, &ink.into_pieces())),
        Output::TooLong => Err(RenderError::TooLong { limit: super::COMMENT_LIMIT }),
    }
}

/// Picture, headline and sentences of a state.
fn words(state: &State, ink: &Ink) -> (&'static str, String, Vec<String>) {
    let replaced = "The result will take the place of this comment.".to_owned();
    match state {
        State::Queued => ("⏳", "Waiting for a runner".to_owned(), vec![replaced]),
        State::Running { estimate } => {
            let about = estimate.map(|seconds| format!("An earlier run took about {}.", number::duration(seconds)));
            ("⏳", "Measuring base and head".to_owned(), about.into_iter().chain([replaced]).collect())
        }
        State::Failed { what, .. } => ("❌", format!("No result: {}", ink.prose(what)), Vec::new()),
        State::Cancelled => {
            let why = "The run was cancelled before it had a result. Nothing was compared.";
            ("⛔", "No result: cancelled".to_owned(), vec![why.to_owned()])
        }
        State::TimedOut { after } => {
            let after = after.map_or_else(String::new, |seconds| format!(" after {}", number::duration(seconds)));
            let advice =
                "A smaller budget, a filter, or shards make the run shorter; the job's own limit can be raised.";
            ("⌛", format!("No result: the job's time ended{after}"), vec![advice.to_owned()])
        }
        State::NothingMeasured { why } => ("❌", format!("Nothing was measured: {}", ink.prose(why)), Vec::new()),
        State::Skipped => ("⏭️", "No result: the measuring job was skipped".to_owned(), Vec::new()),
    }
}
