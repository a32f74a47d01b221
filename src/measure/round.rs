//! One round: the suite's command, or commands, on one side.

use super::exec::{Execution, Step, StepKind};
use super::metrics::measurement;
use super::narrow::VARIABLE;
use super::progress::Event;
use super::rows::{Given, NOTES_LIMIT, ROWS_LIMIT, notes, shortened, warn};
use super::runner::{Runner, Work};
use super::{MeasureError, tail};
use crate::format::{BenchmarkId, FailureKind, ParseWarning, Parsed};
use crate::results::{Clocks, Round, RoundWitness, StepOutcome, StepStatus};
use crate::side::Side;
use crate::unit::normal;
use std::time::Duration;

/// The variable that moves the stack of each process by another length.
const PADDING: &str = "BENCH_BOT_PAD";

/// Most characters of a line that a warning quotes.
const QUOTED: usize = 120;

/// The tag of a round that runs no benchmark.
pub(super) const ALONE: &str = "alone";

/// Which round is run, for the raw output's name and the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) kind: StepKind,
    /// Such as `screen-03-1`.
    pub(super) tag: &'p str,
    /// 0 to 3 in its block.
    pub(super) position: u8,
}

impl Runner<'_> {
    /// Runs one round and keeps what it gave. The cost of each command goes to `costs`.
    pub(super) fn round(
        &mut self,
        work: &Work,
        side: Side,
        place: Place<'_>,
        costs: &mut Vec<Duration>,
    ) -> Result<Round, MeasureError> {
        let mut round = Round {
            side,
            at: 0.0,
            outcome: StepOutcome::default(),
            values: Vec::new(),
            failures: Vec::new(),
            unparsed: Vec::new(),
            witness: RoundWitness::default(),
        };
        let mut given = Given::default();
        let mut wall = Duration::ZERO;
        let mut failed = Vec::new();
        for (nth, command) in work.commands.iter().enumerate() {
            let before = self.exec.elapsed();
            let step = self.round_step(work, side, place, *command);
            let execution = self.exec.run(&step)?;
            self.keep_raw(&step, place.tag, *command, &execution);
            if nth == 0 {
                round.at = execution.started.saturating_sub(self.began).as_secs_f64();
            }
            self.read(work.suite, side, *command, &execution, &mut given);
            merge(&mut round.witness, &execution.witness, wall, execution.wall);
            wall += execution.wall;
            if !execution.status.ok() {
                failed.push(*command);
                if round.outcome.status.ok() {
                    round.outcome = outcome(&execution);
                }
            }
            costs.push(self.exec.elapsed().saturating_sub(before));
        }
        round.outcome.seconds = wall.as_secs_f64();
        if place.kind == StepKind::Round || place.tag != ALONE {
            self.metrics(work, side, &failed, &mut given)?;
        }
        (round.values, round.failures, round.unparsed) = (given.values, given.failures, given.unparsed);
        Ok(round)
    }

    fn round_step(&mut self, work: &Work, side: Side, place: Place<'_>, command: usize) -> Step {
        let suite = &self.suites[work.suite];
        let filter = work.filter.clone().or_else(|| suite.part_filter.clone());
        let run = suite.plan.commands[command].1.get(side).clone();
        let mut step = self.step(work.suite, side, place.kind, run);
        step.position = place.position;
        let plan = self.suites[work.suite].plan.suite.sides.get(side);
        step.timeout = plan.timeout;
        step.remove.extend(plan.output.clone());
        step.collect.extend(plan.output.clone());
        step.env.extend(filter.map(|filter| (VARIABLE.to_owned(), filter)));
        self.processes += 1;
        step.env.insert(PADDING.to_owned(), "x".repeat(self.seed.padding(self.processes)));
        step
    }

    /// Parses what a command gave.
    fn read(&mut self, suite: usize, side: Side, command: usize, execution: &Execution, given: &mut Given) {
        self.make_room(suite);
        let results = &mut self.results.suites[suite];
        let state = &mut self.suites[suite];
        for note in notes(execution) {
            warn(results, format!("{side}: {note}"));
        }
        let plan = state.plan.suite.sides.get(side);
        let suffix = state.plan.commands[command].0.clone();
        if plan.format == "process" {
            let parsed = process(&state.plan.suite.name, execution);
            results.format = Some("process".to_owned());
            return state.rows.take(results, parsed, &suffix, given, true);
        }
        if let Some(output) = &plan.output
            && execution.files.is_empty()
        {
            given.unparsed.push((0, format!("the command did not write {output}")));
            return;
        }
        // Found anew in each round: what holds several formats would lose all but one.
        match (self.tools.parse)(&plan.format, &execution.stdout, &execution.files) {
            Ok((format, mut parsed)) => {
                if plan.output.is_none() {
                    quote(&mut parsed.warnings, &execution.stdout);
                }
                if !parsed.measurements.is_empty() {
                    results.format.get_or_insert_with(|| format.clone());
                    let said = Side::BOTH.into_iter().any(|side| state.format.get(side).as_ref() == Some(&format));
                    if plan.format == "auto" && !said {
                        let note = format!("{}: the output of {side} is read as {format}", state.plan.suite.name);
                        self.progress.event(&Event::Note(&note));
                    }
                    *state.format.get_mut(side) = Some(format);
                }
                state.rows.take(results, parsed, &suffix, given, true);
            }
            Err(reason) => given.unparsed.push((0, shortened(&tail::clean(reason.as_bytes()), 1000))),
        }
    }
}

impl Runner<'_> {
    /// Tells a suite how many rows the others leave it.
    fn make_room(&mut self, suite: usize) {
        let rows: usize = self.results.suites.iter().map(|suite| suite.rows.len()).sum();
        self.suites[suite].rows.room = ROWS_LIMIT.saturating_sub(rows);
    }

    /// Adds what was parsed; `filtered` says whether the suite's filters apply.
    pub(super) fn take(&mut self, suite: usize, parsed: Parsed, suffix: &str, given: &mut Given, filtered: bool) {
        self.make_room(suite);
        self.suites[suite].rows.take(&mut self.results.suites[suite], parsed, suffix, given, filtered);
    }
}

/// Adds the words of the line that a warning is about, where it does not name them itself.
fn quote(warnings: &mut [ParseWarning], stdout: &[u8]) {
    for warning in warnings.iter_mut().take(NOTES_LIMIT).filter(|warning| warning.line > 0) {
        let line = stdout.split(|byte| *byte == b'\n').nth(warning.line - 1).unwrap_or_default();
        let words = shortened(tail::clean(&line[..line.len().min(1000)]).trim(), QUOTED);
        let known = words.split_whitespace().next().is_none_or(|first| warning.message.contains(first));
        if !known || (!words.is_empty() && !warning.message.contains(&words) && words.len() < QUOTED) {
            warning.message.push_str(&format!(", in `{words}`"));
        }
    }
}

/// The process itself as the benchmark; a command that failed measured nothing.
fn process(name: &str, execution: &Execution) -> Parsed {
    let id = BenchmarkId { package: String::new(), name: name.to_owned(), procs: None };
    let mut parsed = Parsed::default();
    if !execution.status.ok() {
        let failure = crate::format::Failure {
            id,
            kind: match execution.status {
                StepStatus::TimedOut(_) => FailureKind::TimedOut,
                _ => FailureKind::Failed,
            },
            message: super::progress::ended(&outcome(execution)),
        };
        parsed.failures.push(failure);
        return parsed;
    }
    let witness = &execution.witness;
    let values = [
        (normal::WALL_TIME, Some(execution.wall.as_secs_f64())),
        (normal::USER_TIME, witness.user),
        (normal::SYSTEM_TIME, witness.system),
        (normal::MAX_RSS, witness.max_rss.map(|bytes| bytes as f64)),
    ];
    for (unit, value) in values {
        parsed.measurements.extend(value.map(|value| measurement(id.clone(), unit, value)));
    }
    parsed
}

/// How a command ended, with the end of its output if it failed.
pub(super) fn outcome(execution: &Execution) -> StepOutcome {
    let failed = !matches!(execution.status, StepStatus::Ok | StepStatus::NotRun);
    let status = match execution.status.clone() {
        StepStatus::NotStarted(reason) => StepStatus::NotStarted(shortened(&tail::clean(reason.as_bytes()), 1000)),
        StepStatus::Missing(path) => StepStatus::Missing(shortened(&tail::clean(path.as_bytes()), 1000)),
        other => other,
    };
    StepOutcome {
        status,
        seconds: execution.wall.as_secs_f64(),
        tail: if failed { tail::tail(&execution.stdout, &execution.stderr) } else { String::new() },
    }
}

/// Adds the witness of a further command of the same round; `before` and `wall` are the times to weigh by.
fn merge(into: &mut RoundWitness, other: &RoundWitness, before: Duration, wall: Duration) {
    if before.is_zero() {
        *into = other.clone();
        return;
    }
    let weigh = |a: Option<f64>, b: Option<f64>| {
        let (old, new) = (before.as_secs_f64(), wall.as_secs_f64());
        a.zip(b).map(|(a, b)| (a * old + b * new) / (old + new))
    };
    let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a + b);
    into.user = into.user.zip(other.user).map(|(a, b)| a + b);
    into.system = into.system.zip(other.system).map(|(a, b)| a + b);
    into.max_rss = into.max_rss.max(other.max_rss);
    into.involuntary_switches = sum(into.involuntary_switches, other.involuntary_switches);
    into.major_faults = sum(into.major_faults, other.major_faults);
    into.minor_faults = sum(into.minor_faults, other.minor_faults);
    into.mhz = into.mhz.zip(other.mhz).map(|(a, b)| [a[0], a[1].max(b[1]), b[2]]);
    into.all_mhz = into.all_mhz.zip(other.all_mhz).map(|(a, b)| Clocks { before: a.before, ..b });
    into.steal = weigh(into.steal, other.steal);
    into.throttled = sum(into.throttled, other.throttled);
    into.quota_throttled = sum(into.quota_throttled, other.quota_throttled);
    into.swapped_in = sum(into.swapped_in, other.swapped_in);
    into.load = other.load;
    into.pressure = other.pressure;
    into.cpu = other.cpu;
}
