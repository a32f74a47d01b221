//! pytest-benchmark's JSON.

use super::BenchmarkId;
use super::collect::{Collector, Value, id, in_package};
use super::error::FormatError;
use super::number::{Num, Samples};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::normal::WALL_TIME;
use serde::Deserialize;

/// Reads `--benchmark-json`.
pub(super) struct PytestBenchmark;

#[derive(Deserialize)]
struct Export {
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    name: String,
    fullname: Option<String>,
    stats: Option<Stats>,
    #[serde(default)]
    has_error: bool,
}

#[derive(Deserialize)]
struct Stats {
    median: Option<Num>,
    mean: Option<Num>,
    iterations: Option<u64>,
    #[serde(default)]
    data: Samples,
    #[serde(default)]
    has_error: bool,
}

impl Tool for PytestBenchmark {
    fn format(&self) -> Format {
        Format::PytestBenchmark
    }

    fn about(&self) -> About {
        About {
            title: "pytest-benchmark",
            command: "pytest --benchmark-only --benchmark-json=bench.json",
            output: Some("bench.json"),
            raw: Raw::Samples,
            value: "the median of stats.data",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        match shape.first("benchmarks") {
            Some(first) => first.has(&["name", "stats"]) && (first.has(&["fullname"]) || first.has(&["options"])),
            None => shape.is_empty_array("benchmarks") && shape.has(&["machine_info", "commit_info"]),
        }
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let export: Export = source.decode(self.format(), document)?;
        let mut summaries = 0_usize;
        for benchmark in export.benchmarks {
            let id = identity(&benchmark);
            let Some(stats) = benchmark.stats.filter(|stats| !stats.has_error && !benchmark.has_error) else {
                out.failed(&id, "pytest-benchmark says that it had an error");
                continue;
            };
            let data = stats.data.0.unwrap_or_default();
            let summary = stats.median.or(stats.mean);
            if data.is_empty() {
                summaries += 1;
            }
            let values = if data.is_empty() { summary.iter().map(|value| value.0).collect() } else { data };
            if values.is_empty() {
                out.failed(&id, "pytest-benchmark gives no time for it");
            }
            out.add(Value::new(&id, WALL_TIME, values, document.line).iterations(stats.iterations));
        }
        if summaries > 0 {
            out.warn(
                document.line,
                format!("{summaries} benchmarks have only summaries; use --benchmark-json, or --benchmark-save-data"),
            );
        }
        Ok(())
    }
}

/// `tests/test_b.py::TestX::test_y[1]`: the file is the package.
fn identity(benchmark: &Benchmark) -> BenchmarkId {
    let full = benchmark.fullname.as_deref().unwrap_or(&benchmark.name);
    // A parameter may hold `::` too, the file's path not.
    match full.split_once("::") {
        Some((file, name)) if !file.contains('[') => in_package(file, name),
        _ => id(full),
    }
}

#[cfg(test)]
mod tests;
