//! JMH's JSON: every iteration of every fork.

use super::BenchmarkId;
use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number::{self, Num};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Reads `-rf json`.
pub(super) struct Jmh;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    benchmark: String,
    mode: String,
    threads: Option<u64>,
    #[serde(default)]
    params: BTreeMap<String, String>,
    primary_metric: Metric,
    #[serde(default)]
    secondary_metrics: BTreeMap<String, Metric>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metric {
    score: Option<Num>,
    score_unit: String,
    /// By fork and iteration.
    raw_data: Option<Vec<Vec<Option<Num>>>>,
    /// By fork and iteration, in mode `sample`.
    raw_data_histogram: Option<Vec<Vec<Histogram>>>,
}

/// Pairs of value and count.
type Histogram = Vec<(Num, u64)>;

impl Metric {
    fn values(&self) -> Vec<f64> {
        let raw: Vec<f64> = self.raw_data.iter().flatten().flat_map(|fork| number::present(fork)).collect();
        if !raw.is_empty() {
            return raw;
        }
        let counted = self.raw_data_histogram.iter().flatten().flatten().flatten();
        let expanded = number::expand(counted.map(|(value, count)| (value.0, *count)).collect());
        if expanded.is_empty() { self.score.iter().map(|score| score.0).collect() } else { expanded }
    }
}

impl Tool for Jmh {
    fn format(&self) -> Format {
        Format::Jmh
    }

    fn about(&self) -> About {
        About {
            title: "JMH",
            command: "java -jar target/benchmarks.jar -rf json -rff bench.json",
            output: Some("bench.json"),
            raw: Raw::Samples,
            value: "the median of rawData over forks and iterations; in mode sample, of the histogram",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.at(0).is_some_and(|run| run.has(&["benchmark", "mode", "primaryMetric"]))
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let runs: Vec<Run> = source.decode(self.format(), document)?;
        let suffixes = suffixes(&runs);
        for (run, suffix) in runs.iter().zip(suffixes) {
            let id = identity(run, &suffix);
            let values = run.primary_metric.values();
            if values.is_empty() {
                out.failed(&id, "JMH gives no score for it");
            }
            out.add(Value::new(&id, &run.primary_metric.score_unit, values, document.line));
            for (name, metric) in &run.secondary_metrics {
                secondary(&id, run, name, metric, document.line, out);
            }
        }
        Ok(())
    }
}

/// What tells apart runs of one benchmark: its mode where several have one unit, and its number of threads.
fn suffixes(runs: &[Run]) -> Vec<String> {
    let key = |run: &Run| {
        let unit = crate::unit::normalise(&run.primary_metric.score_unit).unit;
        (run.benchmark.clone(), run.params.clone(), unit)
    };
    let mut alike: HashMap<_, (HashSet<&str>, HashSet<Option<u64>>)> = HashMap::new();
    for run in runs {
        let (modes, threads) = alike.entry(key(run)).or_default();
        modes.insert(&run.mode);
        threads.insert(run.threads);
    }
    let suffix = |run: &Run| {
        let (modes, threads) = &alike[&key(run)];
        let mut suffix = String::new();
        if modes.len() > 1 {
            suffix.push_str(&format!("/mode={}", run.mode));
        }
        if let Some(count) = run.threads.filter(|_| threads.len() > 1) {
            suffix.push_str(&format!("/threads={count}"));
        }
        suffix
    };
    runs.iter().map(suffix).collect()
}

/// `com.example.codec.EncodeBench.encode`: the package, and the class with the method.
fn identity(run: &Run, suffix: &str) -> BenchmarkId {
    let (class, method) = run.benchmark.rsplit_once('.').unwrap_or(("", &run.benchmark));
    let (package, class) = class.rsplit_once('.').unwrap_or(("", class));
    let parameters: String = run.params.iter().map(|(key, value)| format!("/{key}={value}")).collect();
    let dot = if class.is_empty() { "" } else { "." };
    in_package(package, format!("{class}{dot}{method}{parameters}{suffix}"))
}

/// Profilers, members of a group, and counters beside the score.
fn secondary(id: &BenchmarkId, run: &Run, name: &str, metric: &Metric, line: usize, out: &mut Collector) {
    // Old versions mark profilers with a dot or plus sign.
    let name = name.trim_start_matches(['\u{b7}', '+', '\u{2219}']);
    let percentile = name.strip_prefix('p').is_some_and(|rest| rest.parse::<f64>().is_ok());
    // Percentiles of mode `sample` are summaries of the histogram.
    if percentile || name.contains(":p0.") || name.contains(":p1.") {
        return;
    }
    let values = metric.values();
    match name {
        "gc.alloc.rate.norm" => out.add(Value::new(id, "B/op", values, line)),
        _ if name.contains('.') || name.contains(':') && metric.score_unit != run.primary_metric.score_unit => {
            out.add(Value::new(id, profiler_unit(name, &metric.score_unit), values, line));
        }
        // A method of the group, or an auxiliary counter: a result of its own.
        _ if metric.score_unit == run.primary_metric.score_unit => {
            let member = in_package(&id.package, format!("{}:{name}", id.name));
            out.add(Value::new(&member, &metric.score_unit, values, line));
        }
        _ => out.add(Value::new(id, profiler_unit(name, &metric.score_unit), values, line)),
    }
}

/// The metric's name before its unit: `gc.alloc.rate-MB/sec`, `instructions/op`, `gc.count`.
fn profiler_unit(name: &str, unit: &str) -> String {
    match unit {
        "#/op" => format!("{name}/op"),
        "counts" | "#" | "---" | "" => name.to_owned(),
        unit => format!("{name}-{unit}"),
    }
}

#[cfg(test)]
mod tests;
