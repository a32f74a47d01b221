//! `bench-bot report`: from results to comment, check run, summary and outputs. Nothing in the results is believed but
//! raw samples.

use super::gather::{self, Gathered};
use super::{FOLDER, Outcome, client, decide, event, give_to_owner, publish, request, workspace};
use crate::actions::{Event, Runner};
use crate::cli::args::{OutputArgs, ReportArgs};
use crate::cli::failure::Failure;
use crate::cli::site::Site;
use crate::cli::{output, stage};
use crate::gate::{Decision, Form, Gate, Inputs};
use crate::github::comment::State;
use crate::github::{Client, Repository};
use crate::publish as publisher;
use crate::render;
use crate::report::{Report, Warning, WarningLevel};
use crate::request::Request;
use crate::results::Results;
use anyhow::{Result, bail};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// What there is to tell.
pub(crate) enum Told<'a> {
    /// Results.
    Results(Measured<'a>),
    /// None, and why.
    Failure(State, String),
}

/// Results, and what is known of them.
pub(crate) struct Measured<'a> {
    /// One entry for each measuring job.
    pub(crate) results: &'a [Results],
    /// The checkouts, where they were measured here.
    pub(crate) site: Option<&'a Site>,
    /// What the report must say before anything else.
    pub(crate) warnings: Vec<Warning>,
}

impl<'a> Measured<'a> {
    /// Results with nothing to say of them.
    pub(crate) const fn of(results: &'a [Results], site: Option<&'a Site>) -> Self {
        Self { results, site, warnings: Vec::new() }
    }
}

/// A workflow that has ended and whose results are reported: its run, how it ended, when this attempt of it began.
struct Other {
    run: u64,
    conclusion: Option<String>,
    started: Option<Timestamp>,
}

/// Reads, checks, judges, publishes.
///
/// # Errors
/// When there is no request, results are of another request, or nothing could be compared.
pub(crate) fn report(args: &ReportArgs) -> Result<u8> {
    let runner = Runner::from_env();
    let client = client(&runner)?;
    let given = args.request.as_deref().or_else(|| runner.input("request"));
    let (request, other) = match given {
        Some(given) => (request(Some(given), &runner)?, None),
        None => match from_event(&runner, &client)? {
            Some((request, other)) => (request, Some(other)),
            None => {
                publisher::no_outputs(&runner)?;
                return Ok(0);
            }
        },
    };
    let repository = match &request.origin {
        Some(origin) => Some(client.repository(&origin.repository)?),
        None => None,
    };
    let ended = args.measure_result.as_deref().or_else(|| runner.input("measure-result"));
    let ended = ended.or_else(|| other.as_ref().and_then(|other| other.conclusion.as_deref()));
    let run = other.as_ref().map_or_else(|| runner.run_id(), |other| Some(other.run));
    let read = gather::gather(args, &runner, repository.as_ref(), run, &request);
    let told = told(ended, other.as_ref(), &read);
    let code = tell(&runner, repository.as_ref(), &request, &told, &args.output);
    let top = workspace(&runner)?;
    give_to_owner(&top.join(FOLDER), &top);
    let expected = ended == Some("skipped") || matches!(told, Told::Failure(State::Cancelled | State::TimedOut, _));
    match read {
        Err(error) if !expected => Err(error),
        _ => code,
    }
}

/// What there is to tell, from how the measuring ended and what it left. A job that did not succeed never makes a green
/// report: what lies there may be an earlier attempt's, or half of it.
///
/// The conclusion of a whole workflow is not that of its measuring: a step after it may have failed. So the results of
/// another workflow that are whole and of its last attempt count as what they are.
fn told<'a>(ended: Option<&str>, other: Option<&Other>, read: &'a Result<Gathered>) -> Told<'a> {
    let failure = |state, reason: &str| Told::Failure(state, reason.to_owned());
    let good = matches!(ended, None | Some("success"));
    let whole = |other: &Other| read.as_ref().is_ok_and(|read| read.is_whole(other.started));
    let in_spite = !good && other.is_some_and(whole);
    match (ended, read) {
        (Some("cancelled"), _) if !in_spite => failure(State::Cancelled, "the measuring job was cancelled"),
        (Some("skipped"), _) if !in_spite => failure(State::NothingMeasured, "the measuring job was skipped"),
        (Some("timed_out"), _) if !in_spite => failure(State::TimedOut, "the measuring job took longer than it may"),
        (Some(ended), Err(error)) if !good => Told::Failure(
            State::Failed,
            format!("the measuring job ended with `{ended}`, and left no usable results: {error:#}"),
        ),
        (_, Err(error)) => {
            let nothing = error.downcast_ref::<Failure>().is_some();
            Told::Failure(if nothing { State::NothingMeasured } else { State::Failed }, format!("{error:#}"))
        }
        (_, Ok(read)) => {
            let mut warnings: Vec<Warning> = read.unusable.iter().take(5).map(|reason| unusable(reason)).collect();
            if read.unusable.len() > warnings.len() {
                let message = format!("{} more results cannot be used", read.unusable.len() - warnings.len());
                warnings.push(warning(WarningLevel::Headline, Report::UNUSABLE_RESULTS, message));
            }
            match ended {
                Some(ended) if in_spite => {
                    let message =
                        format!("The workflow ended with `{ended}`; its measuring had come to its end before");
                    warnings.push(warning(WarningLevel::Note, "workflow-failed", message));
                }
                Some(ended) if !good => {
                    let message = format!(
                        "The measuring job ended with `{ended}`: what is here may be incomplete, or an earlier attempt's"
                    );
                    warnings.insert(0, warning(WarningLevel::Headline, Report::MEASURING_FAILED, message));
                }
                _ => {}
            }
            Told::Results(Measured { results: &read.results, site: None, warnings })
        }
    }
}

fn unusable(reason: &str) -> Warning {
    let message = format!("Results cannot be used, and their benchmarks are missing here: {reason}");
    warning(WarningLevel::Headline, Report::UNUSABLE_RESULTS, message)
}

fn warning(level: WarningLevel, code: &str, message: String) -> Warning {
    Warning { level, code: code.to_owned(), message, place: String::new() }
}

/// Reports on results files, with a request that is known.
///
/// # Errors
/// As [`report`].
pub(crate) fn report_on(
    runner: &Runner,
    client: &Client,
    request: &Request,
    results: &[PathBuf],
    args: &OutputArgs,
) -> Result<u8> {
    let repository = match &request.origin {
        Some(origin) => Some(client.repository(&origin.repository)?),
        None => None,
    };
    let read = gather::from_paths(results, request);
    let told = told(None, None, &read);
    let code = tell(runner, repository.as_ref(), request, &told, args);
    read?;
    code
}

/// Makes the report and publishes it; or tells that there is none. Gives the exit code.
///
/// # Errors
/// When files cannot be written, or nothing could be compared.
pub(crate) fn tell(
    runner: &Runner,
    repository: Option<&Repository<'_>>,
    request: &Request,
    told: &Told<'_>,
    args: &OutputArgs,
) -> Result<u8> {
    let fail_on_comment_error = runner.flag("fail-on-comment-error")?.unwrap_or(false);
    let number = request.origin.as_ref().and_then(|origin| origin.pull_request);
    let now = match (repository, number) {
        (Some(repository), Some(number)) => publisher::look(repository, number, &request.commits.head.sha)
            .inspect_err(|error| tracing::warn!("cannot tell whether the head has moved: {error}"))
            .ok(),
        _ => None,
    };
    let locked = now.as_ref().is_some_and(|now| now.locked);
    let measured = match told {
        Told::Results(measured) => measured,
        Told::Failure(state, reason) => {
            let outcome = Outcome::State { state: *state, reason: reason.clone() };
            let published = publish(runner, repository, request, &outcome, fail_on_comment_error, locked)?;
            return Ok(published.exit);
        }
    };
    let info = stage::run_info(request, now.and_then(|now| now.head_moved_to));
    let mut asked = stage::asked(request, measured.site);
    if measured.site.is_none() {
        // Whoever measured has looked.
        for source in measured.results.iter().filter_map(|one| one.asked.as_deref()).flat_map(|asked| &asked.sources) {
            if !asked.sources.contains(source) {
                asked.sources.push(source.clone());
            }
        }
    }
    let mut report = stage::judge(measured.results, &asked, info);
    report.warnings.splice(0..0, measured.warnings.iter().cloned());
    report.hold_back();
    let folder = if runner.in_actions() { workspace(runner)?.join(FOLDER) } else { PathBuf::from(FOLDER) };
    let written = write(&report, request, &folder, args);
    let json = Path::new(FOLDER).join("report.json");
    let outcome = Outcome::Report { report: &report, json: &json };
    // A disk that is full must not keep the report from the summary and the comment.
    let published = publish(runner, repository, request, &outcome, fail_on_comment_error, locked)?;
    written?;
    if let Some(url) = published.comment.as_ref().and_then(|comment| comment.url.as_deref()) {
        crate::cli::say::err!("bench-bot: {url}");
    }
    let absent = absent(&report, request);
    if !absent.is_empty() {
        let failure = format!("nothing measured: suite {} is in none of the results", absent.join(", "));
        return Err(Failure::nothing_measured(failure).into());
    }
    let code = stage::conclude(&report, &request.config)?;
    Ok(if code == 0 { published.exit } else { code })
}

/// Suites that were asked for and that no results have, where results are missing.
fn absent<'a>(report: &Report, request: &'a Request) -> Vec<&'a str> {
    let asked = |name: &String| request.suites.is_empty() || request.suites.contains(name);
    let names = request.config.suites.iter().map(|suite| &suite.name).filter(|name| asked(name));
    let there = |name: &String| report.suites.iter().any(|suite| suite.name == *name);
    if !report.is_incomplete() {
        return Vec::new();
    }
    names.filter(|name| !there(name)).map(String::as_str).collect()
}

/// The report as files, and on standard output.
fn write(report: &Report, request: &Request, folder: &Path, args: &OutputArgs) -> Result<()> {
    output::write(&folder.join("report.json"), output::json(report)?.as_bytes())?;
    let options = output::comment_options(&request.config.report);
    output::write(&folder.join("report.html"), render::html(report, &options)?.as_bytes())?;
    output::deliver(report, &options, args)
}

/// On `workflow_run` the gate is run here, from the event alone; the results must match what it decides.
fn from_event(runner: &Runner, client: &Client) -> Result<Option<(Request, Other)>> {
    let (event, repository) = event(runner, client)?;
    let Event::WorkflowRun(run) = &event else {
        bail!("no request: pass the output `request` of the gate job as the input `request`");
    };
    let other = Other {
        run: run.workflow_run.id,
        conclusion: run.workflow_run.conclusion.clone(),
        started: run.workflow_run.run_started_at.as_deref().and_then(|at| at.parse().ok()),
    };
    if run.workflow_run.conclusion.as_deref() == Some("action_required") {
        crate::cli::say::out!("bench-bot: nothing to report, because the other workflow waits for an approval");
        return Ok(None);
    }
    let inputs = Inputs::from_runner(runner)?;
    let gate = Gate { repository: &repository, runner, inputs, form: Form::Report, now: Timestamp::now() };
    match decide(&gate, &event, runner)? {
        Decision::Run(allowed) => Ok(Some((allowed.request, other))),
        Decision::Nothing(nothing) => {
            crate::cli::say::out!("bench-bot: nothing to report, because {}", nothing.because);
            Ok(None)
        }
    }
}
