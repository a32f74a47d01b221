//! pyperf's JSON: runs of several processes, each with its values.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::normal::WALL_TIME;
use serde::Deserialize;

/// Reads pyperf's `-o FILE`.
pub(super) struct Pyperf;

#[derive(Deserialize)]
struct Suite {
    benchmarks: Vec<Benchmark>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    metadata: Metadata,
    runs: Vec<Run>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    name: Option<String>,
    unit: Option<String>,
    loops: Option<u64>,
    inner_loops: Option<u64>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    metadata: Metadata,
    /// Absent in the runs that only calibrate or warm up.
    #[serde(default)]
    values: Vec<Option<Num>>,
}

impl Tool for Pyperf {
    fn format(&self) -> Format {
        Format::Pyperf
    }

    fn about(&self) -> About {
        About {
            title: "pyperf",
            command: "python bench.py -o bench.json",
            output: Some("bench.json"),
            raw: Raw::Samples,
            value: "the median of the values of all runs, without warm-ups",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        // mitata has `benchmarks[].runs` too, of another make.
        shape.first("benchmarks").is_some_and(|first| {
            first.has(&["runs"])
                && !first.has(&["alias"])
                && first
                    .first("runs")
                    .is_none_or(|run| run.has(&["values"]) || run.has(&["warmups"]) || run.has(&["metadata"]))
        }) && shape.has(&["version"])
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let suite: Suite = source.decode(self.format(), document)?;
        for benchmark in suite.benchmarks {
            let all = [&benchmark.metadata, &suite.metadata];
            let text =
                |field: fn(&Metadata) -> Option<&String>| all.iter().find_map(|metadata| field(metadata).cloned());
            let number = |field: fn(&Metadata) -> Option<u64>, run: &Run| {
                field(&run.metadata).or_else(|| all.iter().find_map(|metadata| field(metadata)))
            };
            let id = id(text(|metadata| metadata.name.as_ref()).unwrap_or_default());
            let unit = match text(|metadata| metadata.unit.as_ref()).as_deref() {
                None | Some("second") => WALL_TIME,
                Some("byte") => "peak-B",
                Some("integer") => "count",
                Some(other) => {
                    out.warn(document.line, format!("{}: unknown unit {other}", id.name));
                    continue;
                }
            };
            let values: Vec<f64> = benchmark.runs.iter().flat_map(|run| present(&run.values)).collect();
            if values.is_empty() {
                out.failed(&id, "pyperf has no values of it");
                continue;
            }
            let counted = benchmark.runs.iter().filter(|run| !run.values.is_empty());
            let loops = counted.filter_map(|run| {
                let loops = number(|metadata| metadata.loops, run)?;
                Some(loops.saturating_mul(number(|metadata| metadata.inner_loops, run).unwrap_or(1)))
            });
            out.add(Value::new(&id, unit, values, document.line).iterations(loops.min()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
