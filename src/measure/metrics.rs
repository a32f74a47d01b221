//! What `metrics` asks for beside the benchmarks: sizes of files, and instruction counts where a counter is there.
//!
//! Everything is asked for by a command of its own after the round, as the suite's own user, so that the round's times
//! are not touched and no file of a tree is opened by us.

use super::exec::StepKind;
use super::rows::{Given, warn};
use super::runner::{Runner, Work};
use super::{MeasureError, tail};
use crate::format::{BenchmarkId, Failure, FailureKind, Measurement, Parsed};
use crate::results::{RowFailure, StepStatus};
use crate::side::Side;
use crate::unit::normal;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// The unit of instruction counts.
const INSTRUCTIONS: &str = "instructions/op";

/// How much longer than a round a counted run may take: a simulated processor is some fifty times slower.
const SLOWER: u32 = 50;

/// How instructions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counter {
    /// `perf:instructions`: the processor's own counter, nearly exact.
    Perf,
    /// `valgrind:instructions`: a simulated processor, exact and some fifty times slower.
    Valgrind,
}

impl Counter {
    fn of(value: &str) -> Option<Self> {
        match value {
            "perf:instructions" => Some(Self::Perf),
            "valgrind:instructions" => Some(Self::Valgrind),
            _ => None,
        }
    }

    /// The command under the counter, whose report comes out where the command's own output would. What both complain of
    /// stays where it is.
    fn command(self, command: &str) -> String {
        let counter = match self {
            Self::Perf => "perf stat -x, -e instructions:u --log-fd 3 --",
            Self::Valgrind => {
                "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --trace-children=yes --log-fd=3"
            }
        };
        format!("{counter} /bin/sh -c {} 3>&1 >/dev/null", shell_words::quote(command))
    }

    /// The count in a report; several processes add up.
    fn count(self, report: &str) -> Option<u64> {
        let number = |text: &str| text.replace(',', "").trim().parse::<u64>().ok();
        match self {
            Self::Perf => report.lines().filter(|line| line.contains("instructions")).find_map(|line| {
                let first = line.split(',').next()?;
                number(first)
            }),
            Self::Valgrind => {
                let counts: Vec<u64> = REFS.captures_iter(report).filter_map(|found| number(&found[1])).collect();
                (!counts.is_empty()).then(|| counts.iter().sum())
            }
        }
    }
}

static REFS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"I\s+refs:\s+([0-9,]+)").expect("a constant pattern"));

impl Runner<'_> {
    /// Takes every metric of a suite once. What of its commands `failed` would fail again under a counter.
    pub(super) fn metrics(
        &mut self,
        work: &Work,
        side: Side,
        failed: &[usize],
        given: &mut Given,
    ) -> Result<(), MeasureError> {
        let metrics = self.suites[work.suite].plan.suite.metrics.clone();
        let (counts, sizes): (Vec<_>, Vec<_>) =
            metrics.into_iter().partition(|(_, value)| Counter::of(value).is_some());
        if !sizes.is_empty() && work.metrics {
            self.sizes(work.suite, side, &sizes, given)?;
        }
        // Each of several commands is counted; a suite that is run in groups as a whole, with its first group.
        let several = self.suites[work.suite].plan.commands.len() > 1;
        for (name, value) in counts.into_iter().filter(|_| work.metrics || several) {
            if let Some(counter) = Counter::of(&value) {
                let commands: Vec<usize> = work.commands.iter().copied().filter(|it| !failed.contains(it)).collect();
                self.instructions((work.suite, side), &commands, (&name, counter), given)?;
            }
        }
        Ok(())
    }

    fn sizes(
        &mut self,
        suite: usize,
        side: Side,
        files: &[(String, String)],
        given: &mut Given,
    ) -> Result<(), MeasureError> {
        let command: Vec<String> = files
            .iter()
            .map(|(_, path)| format!("[ -f {0} ] && wc -c < {0} || echo missing", shell_words::quote(path)))
            .collect();
        let execution = self.exec.run(&self.step(suite, side, StepKind::Probe, command.join("\n")))?;
        let text = String::from_utf8_lossy(&execution.stdout).into_owned();
        let mut parsed = Parsed::default();
        for ((name, path), size) in files.iter().zip(text.lines().map(str::trim).chain(std::iter::repeat("missing"))) {
            match size.parse::<u64>() {
                Ok(size) => parsed.measurements.push(measurement(id(name), normal::FILE_SIZE, size as f64)),
                Err(_) => given.failures.push(failure(id(name), format!("{path} is no file after the round"))),
            }
        }
        // A filter is about benchmarks: what `metrics` names was asked for.
        let before = given.values.len();
        self.take(suite, parsed, "", given, false);
        self.results.suites[suite].metric_rows.extend(given.values[before..].iter().map(|value| value.row));
        Ok(())
    }

    fn instructions(
        &mut self,
        (suite, side): (usize, Side),
        commands: &[usize],
        (name, counter): (&str, Counter),
        given: &mut Given,
    ) -> Result<(), MeasureError> {
        for command in commands {
            let state = &self.suites[suite];
            if state.counters.get(name) == Some(&false) {
                return Ok(());
            }
            let (suffix, runs) = state.plan.commands[*command].clone();
            let plan = state.plan.suite.sides.get(side);
            // Beside the times of the process, or a row of its own.
            let of = if plan.format == "process" { state.plan.suite.name.clone() } else { name.to_owned() };
            let mut step = self.step(suite, side, StepKind::Probe, counter.command(runs.get(side)));
            let left = self.plan.max_time.saturating_sub(self.options.spent + self.exec.elapsed());
            step.timeout = (plan.timeout * SLOWER).min(left).max(plan.timeout);
            step.remove.extend(plan.output.clone());
            let execution = self.exec.run(&step)?;
            let report = String::from_utf8_lossy(&execution.stdout).into_owned();
            let mut parsed = Parsed::default();
            let count = counter.count(&report);
            // Without a report the counter is not there, unless it was before or something ended it.
            let works = self.suites[suite].counters.get(name) == Some(&true);
            let absent = count.is_none() && !works && matches!(execution.status, StepStatus::Ok | StepStatus::Exit(_));
            let results = &mut self.results.suites[suite];
            if absent {
                // What the counter says stands on its own output, and what a shell or the counter complains of beside it.
                let why =
                    [&execution.stderr, &execution.stdout].into_iter().find_map(|text| last_line(&tail::clean(text)));
                let why = why.unwrap_or_else(|| "the counter said nothing".to_owned());
                warn(results, format!("{name}: instructions cannot be counted here: {why}"));
            } else if let (Some(count), StepStatus::Ok) = (count, &execution.status) {
                parsed.measurements.push(measurement(id(&of), INSTRUCTIONS, count as f64));
            } else {
                let outcome = super::round::outcome(&execution);
                let ended = match outcome.status {
                    StepStatus::Ok => "gave no count".to_owned(),
                    _ => super::progress::ended(&outcome),
                };
                // Another unit of the same benchmark may have values: the row alone would not tell.
                warn(results, format!("{name}: the counted run of {side} {ended}"));
                let last = last_line(&outcome.tail).map(|line| format!(": {line}")).unwrap_or_default();
                let message = format!("the counted run {ended}{last}");
                parsed.failures.push(Failure { id: id(&of), kind: FailureKind::Failed, message });
            }
            if absent || count.is_some() {
                self.suites[suite].counters.insert(name.to_owned(), !absent);
            }
            let before = given.values.len();
            self.take(suite, parsed, &suffix, given, false);
            // With parameters a count belongs to one of the commands, as its times do.
            if self.suites[suite].plan.commands.len() == 1 {
                let rows = given.values[before..].iter().map(|value| value.row);
                self.results.suites[suite].metric_rows.extend(rows);
            }
        }
        Ok(())
    }
}

/// The last line that says something, not too long.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(super::rows::shortened(line, 300))
}

fn id(name: &str) -> BenchmarkId {
    BenchmarkId { package: String::new(), name: name.to_owned(), procs: None }
}

fn failure(benchmark: BenchmarkId, message: String) -> RowFailure {
    RowFailure { benchmark, kind: FailureKind::Failed, message }
}

/// One value of a benchmark that no tool printed.
pub(super) fn measurement(id: BenchmarkId, unit: &str, value: f64) -> Measurement {
    Measurement {
        id,
        unit: unit.to_owned(),
        values: vec![value],
        iterations: None,
        config: Arc::new(BTreeMap::new()),
        line: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports of perf 6.1 and valgrind 3.19.
    #[test]
    fn counts_are_read_from_the_reports() {
        let perf = "1173406,,instructions:u,528321,100.00,0.52,insn per cycle\n";
        assert_eq!(Counter::Perf.count(perf), Some(1_173_406));
        assert_eq!(Counter::Perf.count("<not supported>,,instructions:u,0,100.00,,\n"), None);
        let valgrind = "==7== Cachegrind, a cache profiler\n==7== \n==7== I   refs:      1,234,567\n==8== I refs: 33\n";
        assert_eq!(Counter::Valgrind.count(valgrind), Some(1_234_600));
        assert_eq!(Counter::Valgrind.count("sh: 1: valgrind: not found"), None);
    }
}
