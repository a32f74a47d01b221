//! The stages as `run`, `measure`, `report` and `demo` share them.

use crate::cli::contained::measure_in_containers;
use crate::cli::failure::Failure;
pub(crate) use crate::cli::place::Place;
use crate::cli::reproduce;
use crate::cli::site::Site;
use crate::cli::sources::differing;
use crate::compare::{self, Context};
use crate::config::{Compare, Config, ReportConfig};
use crate::format;
use crate::git::GitError;
use crate::host::{self, JournalPlace, Observer, Roots, Session};
use crate::measure::exec::Exec;
use crate::measure::process::HostExec;
use crate::measure::progress::{Event, Lines, Progress, Silent, Terminal};
use crate::measure::{self, Choice, MeasureError, Options, Tools};
use crate::report::{Report, Revision, RunInfo};
use crate::request::Request;
use crate::results::{Asked, Machine, Results, SourceDifference, SuiteResults};
use crate::side::{PerSide, Side};
use anyhow::Result;
use std::cell::RefCell;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// The program, as files and reports name it.
pub(crate) const TOOL: &str = concat!("bench-bot ", env!("CARGO_PKG_VERSION"));

/// What measuring is told beside its request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// Where the results so far are kept.
    pub(crate) journal: Option<PathBuf>,
    /// Where raw output is kept.
    pub(crate) raw: Option<PathBuf>,
    /// Time that the job has used already.
    pub(crate) spent: Duration,
    /// The folder whose owner runs the commands in a container.
    pub(crate) owner: Option<PathBuf>,
}

/// Measures where `place` says.
///
/// # Errors
/// As the place's own way.
pub(crate) fn measure(
    request: &Request,
    site: &Site,
    place: Place,
    settings: Settings,
    progress: &mut dyn Progress,
) -> Result<Results> {
    match place {
        Place::Host => measure_on_host(request, site, settings, progress),
        Place::Container => measure_in_containers(request, site, settings, progress),
    }
}

/// Measures on this host.
///
/// # Errors
/// When a setting is required and refused, a signal arrives, or this program itself breaks.
pub(crate) fn measure_on_host(
    request: &Request,
    site: &Site,
    settings: Settings,
    progress: &mut dyn Progress,
) -> Result<Results> {
    let roots = Roots::live();
    let machine = host::machine(&roots);
    let session = Rc::new(RefCell::new(Session::begin(&request.config.host, roots.clone(), JournalPlace::standard())?));
    let mut observer = Observer::new(Rc::clone(&session), &request.config, &roots, machine.steal_observable);
    observer.require()?;
    let mut exec = HostExec::new(site.checkouts.folders.clone())?;
    let placement = observer.placement();
    exec.place(PerSide { base: placement.clone(), head: placement });
    exec.hook(Box::new(observer));
    let warnings = session.borrow().notes().to_vec();
    let hidden = HostExec::hidden_tokens();
    if !hidden.is_empty() {
        progress.event(&Event::Note(&format!("bench commands do not see these variables: {}", hidden.join(", "))));
    }
    let measured = carry_out(request, site, settings, &mut exec, machine, warnings, progress);
    // The observer's share of the session goes with the executor.
    drop(exec);
    let notes = session.borrow().notes().to_vec();
    let tuning = Rc::try_unwrap(session).map(|session| session.into_inner().finish()).unwrap_or_default();
    let mut results = measured?;
    results.tuning = tuning;
    // Of a side's settings there is news only after its first round.
    let news: Vec<String> = notes.into_iter().filter(|note| !results.warnings.contains(note)).collect();
    results.warnings.extend(news);
    results.warnings.extend(host::rules::warnings(&results));
    Ok(results)
}

/// Measures with an executor that is ready.
///
/// # Errors
/// As [`measure::run`].
pub(crate) fn carry_out(
    request: &Request,
    site: &Site,
    settings: Settings,
    exec: &mut dyn Exec,
    machine: Machine,
    warnings: Vec<String>,
    progress: &mut dyn Progress,
) -> Result<Results> {
    let options = Options {
        machine,
        journal: settings.journal,
        raw: settings.raw,
        disk: Some(site.folder().to_owned()),
        spent: settings.spent,
        warnings,
        config_hash: Some(site.config_hash.clone()),
    };
    Ok(with_tools(request, exec, &options, progress)?)
}

/// Measures with an executor: how outputs are read, rows chosen and blocks judged is the same everywhere.
pub(crate) fn with_tools(
    request: &Request,
    exec: &mut dyn Exec,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Results, MeasureError> {
    let tools = Tools {
        parse: &|format, stdout, files| {
            let input = format::Input { stdout, files };
            let parsed = format::parse(format, &input);
            parsed.map(|(found, parsed)| (found.name().to_owned(), parsed)).map_err(|error| error.to_string())
        },
        choose: &|suites| choose(suites, &request.config),
        invalid: &host::rules::invalid,
    };
    measure::run(request, exec, &tools, options, progress)
}

fn choose(suites: &[SuiteResults], config: &Config) -> Vec<Choice> {
    let selections = compare::select(suites, config);
    selections.into_iter().map(|it| Choice { suspects: it.suspects, equivalence: it.equivalence }).collect()
}

/// What a report is made of beside samples; where there is a site, the differing sources too.
pub(crate) fn asked(request: &Request, site: Option<&Site>) -> Asked {
    let mut request = request.clone();
    let sources = site.map_or_else(|| Ok(Vec::new()), |site| sources(&request, site)).unwrap_or_else(|error| {
        request.notes.push(format!("whether sources of the benchmarks differ could not be looked up: {error}"));
        Vec::new()
    });
    Asked { request, sources }
}

/// The run that a request of GitHub's belongs to.
pub(crate) fn run_info(request: &Request, head_moved_to: Option<String>) -> Option<RunInfo> {
    request.origin.as_ref().map(|origin| RunInfo {
        repository: origin.repository.clone(),
        server: origin.server.clone(),
        id: origin.run,
        attempt: origin.attempt,
        pull_request: origin.pull_request,
        head_moved_to,
    })
}

/// Makes the report from raw samples.
pub(crate) fn judge(results: &[Results], asked: &Asked, run: Option<RunInfo>) -> Report {
    let Asked { request, sources } = asked;
    let commits = &request.commits;
    let revision = |side: Side| {
        let commit = commits.get(side);
        Revision { sha: commit.sha.clone(), label: commit.label.clone(), subject: commit.subject.clone() }
    };
    let context = Context {
        tool: TOOL.to_owned(),
        revisions: PerSide::from_fn(revision),
        base_behind: request.base_behind,
        notes: request.notes.clone(),
        sources: sources.clone(),
        reproduce: Some(reproduce::command(request, results)),
        run,
    };
    compare::report(results, &request.config, &context)
}

/// Makes the report of results again, by the policy that they record and what `change` makes of it: a report like the
/// one that was made when they were measured, and how its comment looks.
pub(crate) fn judge_again(results: &[Results], change: impl Fn(&mut Compare)) -> (Report, ReportConfig) {
    if let Some(mut asked) = results.iter().find_map(|one| one.asked.as_deref().cloned()) {
        change(&mut asked.request.config.compare);
        let run = run_info(&asked.request, None);
        let report = judge(results, &asked, run);
        return (report, asked.request.config.report);
    }
    // Left by a run that was ended, or written by something else.
    let mut config = Config::default();
    change(&mut config.compare);
    let context = Context { tool: TOOL.to_owned(), ..Context::default() };
    (compare::report(results, &config, &context), config.report)
}

/// Benchmark sources that differ between the sides.
fn sources(request: &Request, site: &Site) -> Result<Vec<SourceDifference>, GitError> {
    let commits = &request.commits;
    let paths = site.repository.changed_paths(&commits.base.sha, &commits.head.sha)?;
    Ok(differing(&paths, &request.config))
}

/// Who is told how it goes: a moving line on a terminal, a line a block elsewhere, nobody if `quiet`.
pub(crate) fn progress(quiet: bool) -> Box<dyn Progress> {
    if quiet {
        return Box::new(Silent);
    }
    if std::io::stderr().is_terminal() && std::env::var_os("GITHUB_ACTIONS").is_none() {
        return Box::new(Terminal::new());
    }
    let in_actions = crate::actions::Runner::from_env().in_actions();
    let stop = if in_actions { crate::actions::command::random_word().ok() } else { None };
    Box::new(Lines::new(std::io::stderr(), stop))
}

/// 0, 1 if `fail-on` trips, or the error that nothing could be compared.
///
/// # Errors
/// With exit code 3, when a suite has no row that both sides gave.
pub(crate) fn conclude(report: &Report, config: &Config) -> Result<u8> {
    let empty: Vec<&str> = report.uncompared().map(|suite| suite.name.as_str()).collect();
    if report.suites.is_empty() || !empty.is_empty() {
        let gave = "no benchmark that gave values on both sides; the report says why";
        let failure = match empty[..] {
            [] => "nothing measured: there is no suite".to_owned(),
            [suite] => format!("nothing measured: suite {suite} has {gave}"),
            _ => format!("nothing measured: suites {} have {gave}", empty.join(", ")),
        };
        return Err(Failure::nothing_measured(failure).into());
    }
    Ok(u8::from(compare::trips(report, &config.report.fail_on)) * crate::cli::failure::TRIPPED)
}
