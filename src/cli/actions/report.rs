//! `bench-bot report`: from results to comment, check run, summary and outputs. Nothing in the results is believed but
//! raw samples.

use super::{FOLDER, Outcome, client, decide, event, give_to_owner, publish, read_file, request, workspace};
use crate::actions::{Event, Runner};
use crate::cli::args::{OutputArgs, ReportArgs};
use crate::cli::failure::Failure;
use crate::cli::site::Site;
use crate::cli::{output, stage};
use crate::gate::{Decision, Form, Gate, Inputs};
use crate::github::artifact::RESULTS;
use crate::github::comment::State;
use crate::github::{Client, Repository};
use crate::publish as publisher;
use crate::render;
use crate::report::{Report, Warning, WarningLevel};
use crate::request::Request;
use crate::results::{self, Results};
use anyhow::{Context, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// What there is to tell.
pub(crate) enum Told<'a> {
    /// Results, and the checkouts where they were measured here.
    Results(&'a [Results], Option<&'a Site>),
    /// Results of a job that did not end well: they may be incomplete. And how it ended.
    Broken(&'a [Results], String),
    /// None, and why.
    Failure(State, String),
}

/// Reads, checks, judges, publishes.
///
/// # Errors
/// When there is no request, results are of another request, or nothing could be compared.
pub(crate) fn report(args: &ReportArgs) -> Result<u8> {
    let runner = Runner::from_env();
    let client = client(&runner)?;
    let given = args.request.as_deref().or_else(|| runner.input("request"));
    let (request, measuring_run) = match given {
        Some(given) => (request(Some(given), &runner)?, runner.run_id()),
        None => match from_event(&runner, &client)? {
            Some(found) => found,
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
    let found = find(args, &runner, repository.as_ref(), measuring_run);
    let read = found.and_then(|files| read_all(files, &request));
    let told = told(ended, &read);
    let code = tell(&runner, repository.as_ref(), &request, &told, &args.output);
    let top = workspace(&runner)?;
    give_to_owner(&top.join(FOLDER), &top);
    match (ended, read) {
        (Some("cancelled" | "skipped" | "timed_out"), _) => code,
        (_, Err(error)) => Err(error),
        (_, Ok(_)) => code,
    }
}

/// What there is to tell, from how the measuring job ended and what it left. A job that did not succeed never makes a
/// green report: what lies there may be an earlier attempt's, or half of it.
fn told<'a>(ended: Option<&str>, read: &'a Result<Vec<Results>>) -> Told<'a> {
    let failure = |state, reason: &str| Told::Failure(state, reason.to_owned());
    match (ended, read) {
        (Some("cancelled"), _) => failure(State::Cancelled, "the measuring job was cancelled"),
        (Some("skipped"), _) => failure(State::NothingMeasured, "the measuring job was skipped"),
        (Some("timed_out"), _) => failure(State::TimedOut, "the measuring job took longer than it may"),
        (None | Some("success"), Ok(results)) => Told::Results(results, None),
        (Some(ended), Ok(results)) => Told::Broken(results, format!("the measuring job ended with `{ended}`")),
        (None | Some("success"), Err(error)) => {
            let nothing = error.downcast_ref::<Failure>().is_some();
            Told::Failure(if nothing { State::NothingMeasured } else { State::Failed }, format!("{error:#}"))
        }
        (Some(ended), Err(error)) => Told::Failure(
            State::Failed,
            format!("the measuring job ended with `{ended}`, and left no usable results: {error:#}"),
        ),
    }
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
    let read = read_all(from_paths(results)?, request)?;
    tell(runner, repository.as_ref(), request, &Told::Results(&read, None), args)
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
    let (results, site, broken) = match told {
        Told::Results(results, site) => (*results, *site, None),
        Told::Broken(results, how) => (*results, None, Some(how)),
        Told::Failure(state, reason) => {
            let outcome = Outcome::State { state: *state, reason: reason.clone() };
            let published = publish(runner, repository, request, &outcome, fail_on_comment_error, locked)?;
            return Ok(published.exit);
        }
    };
    let info = stage::run_info(request, now.and_then(|now| now.head_moved_to));
    let mut report = stage::judge(results, &stage::asked(request, site), info);
    if let Some(how) = broken {
        let message = format!("{how}: what is here may be incomplete, or an earlier attempt's");
        let (code, place) = ("measuring-failed".to_owned(), String::new());
        report.warnings.insert(0, Warning { level: WarningLevel::Headline, code, message, place });
    }
    let folder = if runner.in_actions() { workspace(runner)?.join(FOLDER) } else { PathBuf::from(FOLDER) };
    let written = write(&report, request, &folder, args);
    let json = Path::new(FOLDER).join("report.json");
    let outcome = Outcome::Report { report: &report, json: &json, broken: broken.is_some() };
    // A disk that is full must not keep the report from the summary and the comment.
    let published = publish(runner, repository, request, &outcome, fail_on_comment_error, locked)?;
    written?;
    if let Some(url) = published.comment.as_ref().and_then(|comment| comment.url.as_deref()) {
        crate::cli::say::err!("bench-bot: {url}");
    }
    let code = stage::conclude(&report, &request.config)?;
    Ok(if code == 0 { published.exit } else { code })
}

/// The report as files, and on standard output.
fn write(report: &Report, request: &Request, folder: &Path, args: &OutputArgs) -> Result<()> {
    output::write(&folder.join("report.json"), output::json(report)?.as_bytes())?;
    let options = output::comment_options(&request.config.report);
    output::write(&folder.join("report.html"), render::html(report, &options)?.as_bytes())?;
    output::deliver(report, &options, args)
}

/// On `workflow_run` the gate is run here, from the event alone; the results must match what it decides.
fn from_event(runner: &Runner, client: &Client) -> Result<Option<(Request, Option<u64>)>> {
    let (event, repository) = event(runner, client)?;
    let Event::WorkflowRun(run) = &event else {
        bail!("no request: pass the output `request` of the gate job as the input `request`");
    };
    let measuring_run = run.workflow_run.id;
    if run.workflow_run.conclusion.as_deref() == Some("action_required") {
        crate::cli::say::out!("bench-bot: nothing to report, because the other workflow waits for an approval");
        return Ok(None);
    }
    let inputs = Inputs::from_runner(runner)?;
    let gate = Gate { repository: &repository, runner, inputs, form: Form::Report, now: Timestamp::now() };
    match decide(&gate, &event, runner)? {
        Decision::Run(allowed) => Ok(Some((allowed.request, Some(measuring_run)))),
        Decision::Nothing(nothing) => {
            crate::cli::say::out!("bench-bot: nothing to report, because {}", nothing.because);
            Ok(None)
        }
    }
}

/// A results file and where it came from.
struct Found {
    place: String,
    bytes: Vec<u8>,
}

/// Results by path, or from the artifacts of the measuring run.
fn find(
    args: &ReportArgs,
    runner: &Runner,
    repository: Option<&Repository<'_>>,
    run: Option<u64>,
) -> Result<Vec<Found>> {
    let mut paths = args.results.clone();
    if paths.is_empty() {
        paths.extend(runner.input("results").map(PathBuf::from));
    }
    let artifact = args.artifact.as_deref().or_else(|| runner.input("artifact"));
    match (paths.is_empty(), artifact) {
        (false, _) => from_paths(&paths),
        (true, Some(name)) => {
            let repository = repository.context("artifacts are kept by GitHub, and the request names no repository")?;
            let run = run.context("GITHUB_RUN_ID is not set: which run's artifacts?")?;
            from_artifacts(repository, run, name)
        }
        (true, None) => bail!("no results: name files with `results`, or an artifact with `artifact`"),
    }
}

fn from_paths(paths: &[PathBuf]) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for path in paths {
        let metadata = match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(nothing(format!("{} is not there: the measuring job left nothing", path.display())));
            }
            metadata => metadata.with_context(|| format!("reading {}", path.display()))?,
        };
        if metadata.is_dir() {
            let mut inside = Vec::new();
            collect(path, 0, &mut inside)?;
            inside.sort();
            if inside.is_empty() {
                return Err(nothing(format!("no {RESULTS} in {}: the measuring job left nothing", path.display())));
            }
            for file in inside {
                found.push(from_file(&file)?);
            }
        } else {
            found.push(from_file(path)?);
        }
    }
    Ok(found)
}

/// The measuring job left nothing: no fault of the report's.
fn nothing(message: String) -> anyhow::Error {
    Failure::nothing_measured(message).into()
}

fn collect(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) -> Result<()> {
    ensure!(depth < 4 && into.len() < 256, "too many results in {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), depth + 1, into)?;
        } else if kind.is_file() && entry.file_name() == RESULTS {
            into.push(entry.path());
        }
    }
    Ok(())
}

fn from_file(path: &Path) -> Result<Found> {
    Ok(Found { place: path.display().to_string(), bytes: read_file(path, results::SIZE_LIMIT)? })
}

fn from_artifacts(repository: &Repository<'_>, run: u64, name: &str) -> Result<Vec<Found>> {
    let (exact, prefix) = match name.strip_suffix('*') {
        Some(prefix) => (None, prefix),
        None => (Some(name), name),
    };
    let artifacts = Repository::newest(repository.artifacts(run, exact)?, prefix);
    if artifacts.is_empty() {
        return Err(nothing(format!("run {run} has no artifact `{name}`: the measuring job left nothing")));
    }
    ensure!(artifacts.len() <= 256, "run {run} has {} artifacts `{name}`: too many", artifacts.len());
    let mut found = Vec::new();
    for artifact in &artifacts {
        let bytes =
            repository.artifact_file(artifact, RESULTS).with_context(|| format!("artifact {}", artifact.name))?;
        found.push(Found { place: format!("artifact {}", artifact.name), bytes });
    }
    Ok(found)
}

/// Reads all files; refuses those of other commits or another policy, and two of one shard.
fn read_all(files: Vec<Found>, request: &Request) -> Result<Vec<Results>> {
    let mut all: Vec<Results> = Vec::new();
    let policy = request.config_hash();
    for Found { place, bytes } in files {
        let read = results::read(&bytes).with_context(|| place.clone())?;
        for side in crate::side::Side::BOTH {
            let (measured, wanted) = (read.commits.get(side), &request.commits.get(side).sha);
            ensure!(
                measured == wanted,
                "{place} is of another commit: {side} is {measured}, and {wanted} was asked for"
            );
        }
        ensure!(read.config_hash == policy, "{place} was measured under another configuration than the one in force");
        let count = |results: &Results| results.shard.map_or(1, |shard| shard.count);
        if let Some(other) = all.iter().find(|other| count(other) != count(&read)) {
            bail!("{place} is of {} shards, and the results before it of {}", count(&read), count(other));
        }
        if all.iter().any(|other| other.shard == read.shard) {
            return Err(match read.shard {
                Some(shard) => anyhow!("{place} is shard {}/{} once more", shard.index, shard.count),
                None => anyhow!("{place} is a second results file of a run without shards"),
            });
        }
        all.push(read);
    }
    Ok(all)
}
