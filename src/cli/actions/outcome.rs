//! What a run came to, and how the pull request is told.

use crate::actions::Runner;
use crate::cli::output;
use crate::compare;
use crate::github::Repository;
use crate::github::check::Check;
use crate::github::comment::{Meta, State};
use crate::publish::{self, News, Notice, Outputs, Policy, Publication, Published};
use crate::render::{self, Rendered};
use crate::report::{Counts, Overall, Report};
use crate::request::Request;
use anyhow::Result;
use std::path::Path;

/// What a run came to.
pub(crate) enum Outcome<'a> {
    /// A report. Its state is done, failed if something is missing, or "nothing measured" if no row could be compared.
    Report {
        /// The report.
        report: &'a Report,
        /// Where `report.json` is, as later steps see it.
        json: &'a Path,
    },
    /// No report: the state, and why.
    State {
        /// What became of the run.
        state: State,
        /// Why, in words or as output. Unescaped.
        reason: String,
    },
}

/// Publishes: summary, comment, check run, outputs. Gives the exit code that publishing asks for.
///
/// # Errors
/// When the runner's files cannot be written or a built-in template is broken; GitHub's refusals are no error.
pub(crate) fn publish(
    runner: &Runner,
    repository: Option<&Repository<'_>>,
    request: &Request,
    outcome: &Outcome<'_>,
    fail_on_comment_error: bool,
    locked: bool,
) -> Result<Published> {
    let config = &request.config.report;
    let mut options = output::comment_options(config);
    options.artifact = runner.input("artifact").map(str::to_owned);
    let (state, news, mut forms, summary, outputs, verdict) = match outcome {
        Outcome::Report { report, json } => {
            let state = match report.verdict {
                _ if report.is_incomplete() => State::Failed,
                Overall::Failed => State::NothingMeasured,
                _ => State::Done,
            };
            let rendered = render::comment(report, &options)?;
            if let Some(problem) = &rendered.problem {
                runner.warn(format!("the template was not used: {problem}"));
            }
            let summary = render::summary(report, &options)?.body;
            let mut news = News::of_report(report.verdict, &report.counts);
            news.failed |= report.has_gaps();
            let outputs = Outputs { verdict: report.verdict, counts: report.counts, report_json: json };
            (state, news, Forms::Report(Some(rendered)), summary, Some(outputs), Some(*report))
        }
        Outcome::State { state, reason } => {
            let url = runner.run_url();
            let text = publish::notice(&Notice {
                state: *state,
                base: &request.commits.base.sha,
                head: &request.commits.head.sha,
                run_url: url.as_deref(),
                reason: Some(reason),
            });
            let outputs = Outputs { verdict: Overall::Failed, counts: Counts::default(), report_json: Path::new("") };
            (*state, News::of_state(*state), Forms::Text(text.clone()), text, Some(outputs), None)
        }
    };
    let tripped = verdict.is_some_and(|report| compare::trips(report, &config.fail_on));
    let origin = request.origin.as_ref();
    let (run, attempt) = origin.map_or((0, 1), |origin| (origin.run, origin.attempt));
    let check = origin.map(|_| Check {
        name: format!("bench-bot ({})", config.name),
        head_sha: request.commits.head.sha.clone(),
        conclusion: publish::conclusion(state, tripped, news),
        title: title(state, verdict),
        summary: summary.clone(),
        details_url: runner.run_url(),
    });
    let published = publish::publish(
        runner,
        repository,
        Publication {
            pull_request: origin.and_then(|origin| origin.pull_request),
            locked,
            name: &config.name,
            meta: Meta::new(run, attempt, &request.commits.base.sha, &request.commits.head.sha, state),
            bodies: &mut |level| forms.at(level),
            summary: &summary,
            outputs,
            check,
            news,
            policy: Policy {
                comment_on: config.comment_on,
                comment_mode: config.comment_mode,
                fail_on_comment_error,
                bot_login: runner.input("bot-login"),
            },
        },
    )?;
    let comment = origin.and_then(|origin| origin.comment);
    if let (Some(repository), Some(comment)) = (repository, comment) {
        let content = if matches!(state, State::Done) && published.refused.is_none() { "rocket" } else { "confused" };
        // Whoever asked sees the end beside the question. A courtesy: a failure is a warning.
        if let Err(error) = repository.react(comment, content) {
            runner.warn(format!("{error}. {}", error.hint()));
        }
    }
    Ok(published)
}

fn title(state: State, report: Option<&Report>) -> String {
    match report {
        Some(report) if state == State::Done => {
            let counts = &report.counts;
            format!(
                "{} slower, {} faster, {} unchanged, {} undecided",
                counts.regressions, counts.improvements, counts.unchanged, counts.inconclusive
            )
        }
        _ => match state {
            State::Running => "running",
            State::Done => "done",
            State::Failed => "the run failed",
            State::Cancelled => "cancelled",
            State::TimedOut => "timed out",
            State::NothingMeasured => "nothing measured",
        }
        .to_owned(),
    }
}

/// The comment's text in ever smaller forms.
enum Forms {
    Report(Option<Rendered>),
    Text(String),
}

impl Forms {
    /// The form at `level`; asked for in rising order.
    fn at(&mut self, level: usize) -> Option<String> {
        match self {
            Self::Text(text) => (level == 0).then(|| text.clone()),
            Self::Report(current) => {
                if level > 0 {
                    *current = current.take().and_then(|rendered| rendered.smaller());
                }
                current.as_ref().map(|rendered| rendered.body.clone())
            }
        }
    }
}
