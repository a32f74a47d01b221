//! Stage 2: a request is carried out, raw samples come out.
//!
//! ```text
//! setup of both sides → warm-up round a side → first stage → choice → Confirm → results
//! ```
//!
//! Nothing here knows what a verdict is, which tool printed what, or how a command is executed: reading outputs,
//! choosing rows and judging the machine are [`Tools`], executing is [`exec::Exec`].

pub mod exec;
mod metrics;
pub mod narrow;
pub mod plan;
pub mod process;
pub mod progress;
mod round;
mod rows;
mod runner;
pub mod sandbox;
pub mod script;
pub mod seed;
mod setup;
pub mod signal;
mod stage;
pub(crate) mod supervise;
pub(crate) mod tail;
#[cfg(test)]
pub(crate) mod tests;

pub use rows::{NAME_LIMIT, ROWS_LIMIT};

use crate::format::Parsed;
use crate::request::Request;
use crate::results::{Machine, Results, Round, StageKind, Stopped, SuiteResults};
use crate::side::PerSide;
use exec::{Exec, ExecError};
use plan::PlanError;
use progress::{Event, Progress};
use runner::{Runner, SuiteState};
use seed::Seed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// Why measuring could not go on. A command that fails is data, not an error.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The request cannot be carried out.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The executor gave up, or a signal arrived.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// The disk is nearly full.
    #[error("only {free} MiB are free in {}: at least 2048 are needed; make room, or name a folder on a larger disk with `TMPDIR`", folder.display())]
    Disk {
        /// Where.
        folder: PathBuf,
        /// What is left, in MiB.
        free: u64,
    },
    /// The results so far could not be written.
    #[error("writing {}", path.display())]
    Save {
        /// Where to.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The operating system has no random numbers.
    #[error("drawing a seed")]
    Seed(#[source] std::io::Error),
}

/// Rows that are measured again, as indices into [`SuiteResults::rows`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// Suspects: set S.
    pub suspects: Vec<u32>,
    /// Rows whose equivalence is undecided: set E.
    pub equivalence: Vec<u32>,
}

/// Reads an output: the format asked for (or `auto`), standard output, collected files. Returns the format's name and
/// what it holds.
pub type Parse<'t> = &'t dyn Fn(&str, &[u8], &BTreeMap<String, Vec<u8>>) -> Result<(String, Parsed), String>;

/// What measuring asks others.
pub struct Tools<'t> {
    /// How outputs are read.
    pub parse: Parse<'t>,
    /// Which rows of each suite are measured again, after the screen.
    pub choose: &'t dyn Fn(&[SuiteResults]) -> Vec<Choice>,
    /// Why a block does not count, if so: a rule on the machine's state that knows no side and no measured value.
    pub invalid: &'t dyn Fn(&[Round]) -> Option<String>,
}

/// What a run is told beside its request.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The machine, for the results.
    pub machine: Machine,
    /// Where the results so far are written after every block; `None`: nowhere.
    pub journal: Option<PathBuf>,
    /// Folder for the raw output of every command, which only people read; `None`: it is not kept.
    pub raw: Option<PathBuf>,
    /// Folder whose disk must have room.
    pub disk: Option<PathBuf>,
    /// Time that the job had used up when the executor was made.
    pub spent: Duration,
    /// What a reader of the report must know already, in words.
    pub warnings: Vec<String>,
    /// Hash of the policy that was asked for, where detection has completed it since; `None`: the request's.
    pub config_hash: Option<String>,
}

/// Carries out a request.
///
/// # Errors
/// When it cannot be carried out, a signal arrived, or this program itself broke. What was measured until then is in
/// the journal.
pub fn run(
    request: &Request,
    exec: &mut dyn Exec,
    tools: &Tools<'_>,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Results, MeasureError> {
    let mut plan = plan::plan(request)?;
    let seed = plan.seed.map_or_else(Seed::fresh, Ok).map_err(MeasureError::Seed)?;
    let suites: Vec<SuiteState> = std::mem::take(&mut plan.suites).into_iter().map(SuiteState::new).collect();
    let began = exec.elapsed();
    let mut runner = Runner {
        results: empty(request, seed, options, &suites),
        exec,
        tools,
        options,
        progress,
        plan,
        seed,
        suites,
        began,
        rounds_began: began,
        processes: 0,
        raw_bytes: 0,
        told: std::collections::BTreeSet::new(),
    };
    runner.check_disk()?;
    runner.set_up()?;
    runner.warm_up()?;
    let mut stopped = runner.first_stage()?;
    if runner.plan.first == StageKind::Screen && stopped != Stopped::MaxTime {
        stopped = match runner.confirm()? {
            // A screen that was cut stays cut, whatever Confirm had room for.
            Stopped::Completed => stopped,
            cut => cut,
        };
    }
    runner.results.stopped = stopped;
    runner.results.finished = jiff::Timestamp::now().to_string();
    runner.save()?;
    runner.progress.event(&Event::Done { elapsed: runner.exec.elapsed() });
    Ok(runner.results)
}

/// Results before anything ran.
fn empty(request: &Request, seed: Seed, options: &Options, suites: &[SuiteState]) -> Results {
    let now = jiff::Timestamp::now().to_string();
    Results {
        schema: crate::results::SCHEMA,
        tool: concat!("bench-bot ", env!("CARGO_PKG_VERSION")).to_owned(),
        commits: request.commits.as_ref().map(|commit| commit.sha.clone()),
        config_hash: options.config_hash.clone().unwrap_or_else(|| request.config_hash()),
        seed: seed.to_string(),
        shard: request.shard,
        started: now.clone(),
        finished: now,
        stopped: Stopped::Interrupted,
        machine: options.machine.clone(),
        tuning: Vec::new(),
        suites: suites.iter().map(empty_suite).collect(),
        warnings: options.warnings.iter().map(|warning| rows::shortened(warning, 1000)).collect(),
        asked: None,
    }
}

fn empty_suite(state: &SuiteState) -> SuiteResults {
    let suite = &state.plan.suite;
    SuiteResults {
        name: suite.name.clone(),
        run: PerSide::from_fn(|side| suite.sides.get(side).run.clone()),
        format: None,
        setup: PerSide::from_fn(|_| Runner::not_run()),
        warmup: PerSide::default(),
        rows: Vec::new(),
        metric_rows: BTreeSet::new(),
        units: BTreeMap::new(),
        stages: Vec::new(),
        tools: BTreeMap::new(),
        filtered_out: 0,
        inspected: PerSide::default(),
        warnings: state.plan.warnings.clone(),
    }
}
