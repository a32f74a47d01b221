//! hyperfine's JSON: every run of every command.

use super::BenchmarkId;
use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::normal::{MAX_RSS, SYSTEM_TIME, USER_TIME, WALL_TIME};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Reads hyperfine's `--export-json`.
pub(super) struct Hyperfine;

#[derive(Deserialize)]
struct Export {
    results: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    command: String,
    mean: Option<Num>,
    median: Option<Num>,
    user: Option<Num>,
    system: Option<Num>,
    times: Option<Vec<Option<Num>>>,
    memory_usage_byte: Option<Vec<Option<Num>>>,
    #[serde(default)]
    exit_codes: Vec<Option<i64>>,
    #[serde(default)]
    parameters: BTreeMap<String, serde_json::Value>,
}

impl Tool for Hyperfine {
    fn format(&self) -> Format {
        Format::Hyperfine
    }

    fn about(&self) -> About {
        About {
            title: "hyperfine",
            command: "hyperfine --export-json bench.json COMMAND...",
            output: Some("bench.json"),
            raw: Raw::Samples,
            value: "the median of times",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.first("results").is_some_and(|run| run.has(&["command"]) && (run.has(&["times"]) || run.has(&["mean"])))
            || (shape.is_empty_array("results") && shape.members().len() == 1)
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let export: Export = source.decode(self.format(), document)?;
        for run in export.results {
            add(&run, document.line, out);
        }
        Ok(())
    }
}

fn add(run: &Run, line: usize, out: &mut Collector) {
    let id = name(run);
    let bad = run.exit_codes.iter().filter(|code| **code != Some(0)).count();
    if bad > 0 {
        // With --ignore-failure hyperfine times a command that failed: faster, and wrong.
        let code = run.exit_codes.iter().find(|code| **code != Some(0)).copied().flatten();
        let how = code.map_or_else(|| "was ended by a signal".to_owned(), |code| format!("exited with {code}"));
        let of = run.exit_codes.len();
        out.failed(&id, format!("the command {how} in {bad} of {of} runs (expected to? append `|| true`)"));
        return;
    }
    let times = run.times.as_deref().map(present).unwrap_or_default();
    let zeros = times.iter().filter(|time| **time == 0.0).count();
    if zeros > 0 {
        out.warn(
            line,
            format!(
                "{}: {zeros} of {} runs took less time than the shell itself; use -N (--shell=none)",
                id.name,
                times.len()
            ),
        );
    }
    if times.is_empty() {
        let summary = run.median.or(run.mean);
        out.add(Value::new(&id, WALL_TIME, summary.iter().map(|value| value.0).collect(), line));
    } else {
        out.add(Value::new(&id, WALL_TIME, times, line));
    }
    for (unit, value) in [(USER_TIME, run.user), (SYSTEM_TIME, run.system)] {
        out.add(Value::new(&id, unit, value.iter().map(|value| value.0).collect(), line));
    }
    let memory = run.memory_usage_byte.as_deref().map(present).unwrap_or_default();
    out.add(Value::new(&id, MAX_RSS, memory, line));
}

/// The command, and the parameters that it does not show.
fn name(run: &Run) -> BenchmarkId {
    let words: Vec<&str> = run.command.split(|c: char| c.is_whitespace() || "=,:/\"'".contains(c)).collect();
    let mut name = run.command.clone();
    for (key, value) in &run.parameters {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !words.contains(&value.as_str()) {
            name.push_str(&format!("/{key}={value}"));
        }
    }
    id(name)
}

#[cfg(test)]
mod tests;
