//! Whole runs with exact times.

use super::exec::{Step, StepKind};
use super::progress::Silent;
use super::script::{Reply, ScriptedExec};
use super::*;
use crate::config::{Config, Isolation, Narrow, Rounds, Suite, SuiteSide};
use crate::format::{BenchmarkId, Failure, FailureKind, Measurement, ParseWarning};
use crate::request::{Commit, ConfigSource, SCHEMA};
use crate::results::{Block, RoundWitness, Stage, StepStatus};
use crate::side::Side;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

mod budget;
mod counted;
mod narrowing;
mod second_stage;
mod stories;

pub(crate) fn suite(name: &str) -> Suite {
    let side = SuiteSide { setup: Some("build".to_owned()), ..SuiteSide::new("bench".to_owned()) };
    Suite::new(name.to_owned(), PerSide { base: side.clone(), head: side })
}

pub(crate) fn request(suites: Vec<Suite>) -> Request {
    let commit = |digit: &str| Commit {
        sha: digit.repeat(40),
        label: "x".to_owned(),
        subject: String::new(),
        uncommitted: false,
    };
    Request {
        schema: SCHEMA,
        commits: PerSide { base: commit("a"), head: commit("b") },
        base_behind: None,
        base_explicit: false,
        origin: None,
        config: Config {
            suites,
            rounds: Rounds::default(),
            budget: Duration::from_secs(600),
            max_time: Duration::from_secs(3600),
            isolation: Isolation::Auto,
            host: Default::default(),
            compare: Default::default(),
            report: Default::default(),
            command: Default::default(),
        },
        config_source: ConfigSource::Detected(String::new()),
        suites: Vec::new(),
        filter: String::new(),
        shard: None,
        seed: Some("00112233445566778899aabbccddeeff".to_owned()),
        calibration: false,
        notes: Vec::new(),
    }
}

/// Reads lines `NAME VALUE UNIT`; `FAIL NAME` is a failure, anything else is unparsed.
pub(super) fn parse(
    _format: &str,
    stdout: &[u8],
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<(String, Parsed), String> {
    let text = files.values().next().map_or(stdout, Vec::as_slice);
    let mut parsed = Parsed::default();
    for (line, text) in String::from_utf8_lossy(text).lines().enumerate() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let id = |name: &str| BenchmarkId { package: String::new(), name: name.to_owned(), procs: None };
        match words[..] {
            ["FAIL", name] => {
                parsed.failures.push(Failure { id: id(name), kind: FailureKind::Failed, message: "failed".to_owned() });
            }
            [name, value, unit] if value.parse::<f64>().is_ok() => parsed.measurements.push(Measurement {
                id: id(name),
                unit: unit.to_owned(),
                values: vec![value.parse().expect("checked")],
                iterations: Some(10),
                config: Arc::default(),
                line: line + 1,
            }),
            _ => parsed.warnings.push(ParseWarning { line: line + 1, message: format!("not a result: {text}") }),
        }
    }
    Ok(("lines".to_owned(), parsed))
}

pub(super) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A run whose rounds print one row and take `round` seconds.
pub(super) fn steady(round: u64) -> impl FnMut(&Step) -> Reply {
    move |step| match step.kind {
        StepKind::Warmup | StepKind::Round => Reply::prints("A 1 sec/op\n", seconds(round)),
        _ => Reply::silent(),
    }
}

pub(super) fn none_chosen(suites: &[SuiteResults]) -> Vec<Choice> {
    suites.iter().map(|_| Choice::default()).collect()
}

/// Every row of every suite is a suspect.
pub(super) fn all_suspects(suites: &[SuiteResults]) -> Vec<Choice> {
    suites
        .iter()
        .map(|suite| Choice { suspects: (0..suite.rows.len() as u32).collect(), equivalence: Vec::new() })
        .collect()
}

pub(super) fn valid(_rounds: &[Round]) -> Option<String> {
    None
}

pub(super) fn measured(
    request: &Request,
    exec: &mut ScriptedExec<'_>,
    choose: &dyn Fn(&[SuiteResults]) -> Vec<Choice>,
) -> Results {
    let tools = Tools { parse: &parse, choose, invalid: &valid };
    run(request, exec, &tools, &Options::default(), &mut Silent).expect("measured")
}

/// What a watcher was told.
#[derive(Default)]
pub(super) struct Told {
    pub(super) notes: Vec<String>,
    /// What was said to be left, after each block.
    pub(super) left: Vec<Duration>,
}

impl progress::Progress for Told {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Note(note) => self.notes.push((*note).to_owned()),
            Event::Block { left, .. } => self.left.push(*left),
            _ => {}
        }
    }
}

pub(super) fn watched(request: &Request, exec: &mut ScriptedExec<'_>, told: &mut Told) -> Results {
    let tools = Tools { parse: &parse, choose: &none_chosen, invalid: &valid };
    run(request, exec, &tools, &Options::default(), told).expect("measured")
}

pub(super) fn stage(results: &Results, suite: usize, kind: StageKind) -> Option<&Stage> {
    results.suites[suite].stages.iter().find(|stage| stage.kind == kind)
}

/// Blocks of a stage that were run.
pub(super) fn blocks(results: &Results, suite: usize, kind: StageKind) -> usize {
    stage(results, suite, kind).map_or(0, |stage| stage.blocks.len())
}
