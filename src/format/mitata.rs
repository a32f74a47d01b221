//! mitata's JSON. Its `context`, by far its largest part, is passed over without being held.

use super::collect::{Collector, Value, id, in_package};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use serde::Deserialize;

/// Reads `run({format: 'json'})`.
pub(super) struct Mitata;

#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    layout: Vec<Collection>,
    benchmarks: Vec<Trial>,
}

#[derive(Deserialize)]
struct Collection {
    name: Option<String>,
}

/// A benchmark with its runs; before version 1 the run itself.
#[derive(Deserialize)]
struct Trial {
    #[serde(default)]
    alias: String,
    #[serde(default)]
    group: Group,
    runs: Option<Vec<Run>>,
    name: Option<String>,
    stats: Option<Stats>,
    error: Option<serde_json::Value>,
}

/// The number of a collection in `layout`; before version 1 its name.
#[derive(Default)]
enum Group {
    #[default]
    None,
    Index(u64),
    Name(String),
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(name) => Self::Name(name),
            serde_json::Value::Number(index) => index.as_u64().map_or(Self::None, Self::Index),
            _ => Self::None,
        })
    }
}

#[derive(Deserialize)]
struct Run {
    name: Option<String>,
    stats: Option<Stats>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Stats {
    samples: Option<Vec<Option<Num>>>,
    p50: Option<Num>,
    avg: Option<Num>,
    ticks: Option<u64>,
}

impl Tool for Mitata {
    fn format(&self) -> Format {
        Format::Mitata
    }

    fn about(&self) -> About {
        About {
            title: "mitata",
            command: "node bench.mjs # await run({ format: 'json' })",
            output: None,
            raw: Raw::Samples,
            value: "the median of stats.samples (ns), else p50",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        let statistics = |first: &Shape| first.get("stats").is_some_and(|stats| stats.has(&["avg", "p75"]));
        let flat =
            |first: &Shape| first.has(&["name", "group", "warmup"]) && (statistics(first) || first.has(&["error"]));
        shape.first("benchmarks").is_some_and(|first| first.has(&["alias", "runs"]) || flat(first))
            || (shape.is_empty_array("benchmarks") && shape.has(&["layout", "context"]))
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let report: Report = source.decode(self.format(), document)?;
        for trial in report.benchmarks {
            let group = match &trial.group {
                Group::None => None,
                Group::Name(name) => Some(name.as_str()),
                Group::Index(index) => {
                    usize::try_from(*index).ok().and_then(|index| report.layout.get(index)?.name.as_deref())
                }
            };
            let itself = Run { name: trial.name, stats: trial.stats, error: trial.error };
            for run in trial.runs.unwrap_or_else(|| vec![itself]) {
                let name = run.name.as_deref().unwrap_or(&trial.alias);
                let id = group.map_or_else(|| id(name), |group| in_package(group, name));
                match (run.error, run.stats) {
                    (Some(error), _) => out.failed(&id, message(&error)),
                    (None, Some(stats)) => add(&id, &stats, document.line, out),
                    (None, None) => out.failed(&id, "mitata has no result for it"),
                }
            }
        }
        Ok(())
    }
}

fn add(id: &super::BenchmarkId, stats: &Stats, line: usize, out: &mut Collector) {
    let samples = stats.samples.as_deref().map(present).unwrap_or_default();
    let summary = stats.p50.or(stats.avg);
    let values = if samples.is_empty() { summary.iter().map(|value| value.0).collect() } else { samples };
    if values.is_empty() {
        out.failed(id, "mitata gives no time for it");
    }
    let each = stats.ticks.map(|ticks| ticks / u64::try_from(values.len().max(1)).unwrap_or(1));
    out.add(Value::new(id, "ns/iter", values, line).iterations(each.filter(|ticks| *ticks > 0)));
}

/// The message of an error that was thrown: an object with one, or whatever was thrown.
fn message(error: &serde_json::Value) -> String {
    let text = error.get("message").unwrap_or(error);
    text.as_str().map_or_else(|| text.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
