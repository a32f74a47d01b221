//! The last stage: comment, check run, step summary, outputs. GitHub may refuse; the report is never lost for it.

mod notice;

pub use notice::{Notice, notice};

use crate::actions::{ActionsError, Annotation, Level, Runner};
use crate::config::{CommentMode, CommentOn};
use crate::github::check::{Check, Conclusion};
use crate::github::comment::{self, Action, Marker, Meta, Outcome, State, Sticky};
use crate::github::{ErrorKind, GitHubError, PullRequest, Repository, Result};
use crate::report::{Counts, Overall};
use std::path::Path;

/// Exit code when GitHub refused the comment and that was to fail the job, or refused it for a fault of ours.
pub const EXIT_COMMENT_REFUSED: u8 = 4;

/// What is to be published.
pub struct Publication<'a> {
    /// The pull request to comment on; `None` for events without one.
    pub pull_request: Option<u64>,
    /// Whether its conversation is known to be locked.
    pub locked: bool,
    /// Name of the report: one comment for each.
    pub name: &'a str,
    /// What the comment shows.
    pub meta: Meta,
    /// The comment's text without marker: `bodies(0)` the full one, then ever smaller ones, `None` at the end.
    pub bodies: &'a mut dyn FnMut(usize) -> Option<String>,
    /// The full report for the step summary; empty for none.
    pub summary: &'a str,
    /// Outputs of the step; `None` while the run is on its way.
    pub outputs: Option<Outputs<'a>>,
    /// The check run to make, if any.
    pub check: Option<Check>,
    /// What there is to tell.
    pub news: News,
    /// How to comment.
    pub policy: Policy<'a>,
}

/// Outputs of the step, beside `comment-url`.
#[derive(Debug, Clone, Copy)]
pub struct Outputs<'a> {
    /// The verdict over all rows.
    pub verdict: Overall,
    /// How many rows have which verdict.
    pub counts: Counts,
    /// Where `report.json` is.
    pub report_json: &'a Path,
}

/// How to comment.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    /// When there is a comment at all.
    pub comment_on: CommentOn,
    /// Edit, or post anew.
    pub comment_mode: CommentMode,
    /// Whether a refused comment fails the job.
    pub fail_on_comment_error: bool,
    /// The login that we comment as, if it is not the job's own.
    pub bot_login: Option<&'a str>,
}

/// What there is to tell, for `comment-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct News {
    /// Something became slower or larger.
    pub regressed: bool,
    /// Something changed.
    pub changed: bool,
    /// Something failed.
    pub failed: bool,
}

impl News {
    /// What a finished report tells.
    #[must_use]
    pub const fn of_report(verdict: Overall, counts: &Counts) -> Self {
        let regressed = counts.regressions > 0;
        let failed = counts.failed > 0 || matches!(verdict, Overall::Failed);
        Self { regressed, changed: regressed || counts.improvements > 0, failed }
    }

    /// What a run without a report tells.
    #[must_use]
    pub const fn of_state(state: State) -> Self {
        let failed = matches!(state, State::Failed | State::TimedOut | State::NothingMeasured);
        Self { regressed: false, changed: false, failed }
    }

    /// Whether that is worth a comment where there is none yet.
    #[must_use]
    pub const fn wants_comment(self, on: CommentOn) -> bool {
        match on {
            CommentOn::Always => true,
            CommentOn::Change => self.changed || self.failed,
            CommentOn::Regression => self.regressed || self.failed,
        }
    }
}

/// What became of it.
#[derive(Debug)]
pub struct Published {
    /// The comment, unless it was refused or there is no pull request.
    pub comment: Option<Outcome>,
    /// Why there is no comment.
    pub refused: Option<Box<GitHubError>>,
    /// Web address of the check run, if there is one.
    pub check: Option<String>,
    /// 0, or [`EXIT_COMMENT_REFUSED`].
    pub exit: u8,
}

/// The pull request as it is now, for the sentence "measured abc1234; head is now def5678".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    /// The head, if it is no longer the measured one.
    pub head_moved_to: Option<String>,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// Whether it is still open.
    pub open: bool,
}

/// Reads the pull request again before the report is written.
///
/// # Errors
/// When GitHub refuses or cannot be reached; the report can be written without knowing.
pub fn look(repository: &Repository<'_>, number: u64, measured: &str) -> Result<Now> {
    let pull_request: PullRequest = repository.pull_request(number)?;
    let moved = pull_request.head.sha != measured;
    let (locked, open) = (pull_request.locked, pull_request.is_open());
    Ok(Now { head_moved_to: moved.then_some(pull_request.head.sha), locked, open })
}

/// Publishes. The summary comes first, so that nothing that GitHub does can lose the report; a refused comment becomes
/// a warning that names the missing permission.
///
/// # Errors
/// When the outputs cannot be written. GitHub's refusals are part of the answer.
pub fn publish(
    runner: &Runner,
    repository: Option<&Repository<'_>>,
    publication: Publication<'_>,
) -> std::result::Result<Published, ActionsError> {
    summarise(runner, publication.summary);
    let mut published = Published { comment: None, refused: None, check: None, exit: 0 };
    if let Some(repository) = repository {
        published.check = conclude(runner, repository, publication.check.as_ref());
        if let Some(number) = publication.pull_request {
            let Publication { name, meta, bodies, news, policy, locked, .. } = publication;
            let sticky = Sticky {
                pull_request: number,
                marker: Marker::report(name),
                meta,
                mode: policy.comment_mode,
                create: news.wants_comment(policy.comment_on),
                bot_login: policy.bot_login,
            };
            let upserted = if locked {
                Err(GitHubError::locked(format!("comment on {}#{number}", repository.name())))
            } else {
                comment::upsert(repository, &sticky, bodies)
            };
            match upserted {
                Ok(outcome) => published.comment = Some(accept(runner, outcome)),
                Err(error) => {
                    published.exit = refuse(runner, &error, policy.fail_on_comment_error);
                    published.refused = Some(error);
                }
            }
        }
    }
    if let Some(outputs) = publication.outputs {
        set_outputs(runner, &outputs, published.comment.as_ref().and_then(|comment| comment.url.as_deref()))?;
    }
    Ok(published)
}

/// Appends to the step's summary. What cannot be written there does not stop the comment.
fn summarise(runner: &Runner, markdown: &str) {
    if markdown.is_empty() {
        return;
    }
    match runner.add_summary(markdown) {
        Ok(true) => {}
        Ok(false) => runner.warn("The report is longer than a step summary can be; report.json has all of it."),
        Err(error) => runner.warn(error.to_string()),
    }
}

fn accept(runner: &Runner, outcome: Outcome) -> Outcome {
    for warning in &outcome.warnings {
        runner.warn(warning.as_str());
    }
    let place = outcome.url.as_deref().unwrap_or("nowhere");
    match outcome.action {
        Action::LeftNewer => tracing::info!("{place} shows a newer run and stays as it is"),
        action => tracing::info!("comment {action:?}: {place}"),
    }
    outcome
}

/// Tells why there is no comment, in the log and in the summary, and what the job's exit code is.
fn refuse(runner: &Runner, error: &GitHubError, fail: bool) -> u8 {
    let fails = fail || error.kind == ErrorKind::Invalid;
    let level = if fails { Level::Error } else { Level::Warning };
    let message = format!("{error}. {} The report is in the step summary.", error.hint());
    runner.annotate(&Annotation::new(level, message).titled("bench-bot could not comment"));
    let quoted = error.to_string().replace('`', "'");
    let hint = error.hint();
    summarise(runner, &format!("\n> **There is no comment on the pull request**: `{quoted}`\n>\n> {hint}\n"));
    if fails { EXIT_COMMENT_REFUSED } else { 0 }
}

/// Makes the check run where the token may. A job without `checks: write` is no fault and no warning.
fn conclude(runner: &Runner, repository: &Repository<'_>, check: Option<&Check>) -> Option<String> {
    let check = check?;
    match repository.conclude(check) {
        Ok(run) => run.and_then(|run| run.html_url),
        Err(error) => {
            runner.warn(format!("{error}. {}", error.hint()));
            None
        }
    }
}

/// Sets every output of a report where there is none: a later step finds them all, and empty.
///
/// # Errors
/// When the outputs cannot be written.
pub fn no_outputs(runner: &Runner) -> std::result::Result<(), ActionsError> {
    for (name, value) in
        [("verdict", ""), ("regressions", "0"), ("improvements", "0"), ("comment-url", ""), ("report-json", "")]
    {
        runner.set_output(name, value)?;
    }
    Ok(())
}

fn set_outputs(runner: &Runner, outputs: &Outputs<'_>, comment: Option<&str>) -> std::result::Result<(), ActionsError> {
    runner.set_output("verdict", word(outputs.verdict))?;
    runner.set_output("regressions", &outputs.counts.regressions.to_string())?;
    runner.set_output("improvements", &outputs.counts.improvements.to_string())?;
    runner.set_output("comment-url", comment.unwrap_or_default())?;
    runner.set_output("report-json", &outputs.report_json.display().to_string())
}

/// The word of the output `verdict`, the same as in `report.json`.
#[must_use]
pub const fn word(verdict: Overall) -> &'static str {
    match verdict {
        Overall::Regression => "regression",
        Overall::Improvement => "improvement",
        Overall::Mixed => "mixed",
        Overall::Unchanged => "unchanged",
        Overall::Inconclusive => "inconclusive",
        Overall::Failed => "failed",
    }
}

/// What a check says in the end: `tripped` is whether `fail-on` names something that happened.
#[must_use]
pub const fn conclusion(state: State, tripped: bool, news: News) -> Conclusion {
    match state {
        State::Cancelled => Conclusion::Cancelled,
        State::TimedOut => Conclusion::TimedOut,
        _ if tripped => Conclusion::Failure,
        State::Done if !news.regressed && !news.failed => Conclusion::Success,
        _ => Conclusion::Neutral,
    }
}
