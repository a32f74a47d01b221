//! BenchmarkDotNet's JSON, full and brief.

use super::BenchmarkId;
use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::Direction;
use serde::Deserialize;
use std::collections::HashMap;

/// Reads `--exporters json`.
pub(super) struct BenchmarkDotNet;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Export {
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Benchmark {
    display_info: Option<String>,
    namespace: Option<String>,
    r#type: Option<String>,
    method: Option<String>,
    parameters: Option<String>,
    full_name: Option<String>,
    /// `null` where the benchmark failed.
    statistics: Option<Statistics>,
    memory: Option<Memory>,
    #[serde(default)]
    measurements: Option<Vec<Measurement>>,
    #[serde(default)]
    metrics: Option<Vec<Metric>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Statistics {
    original_values: Option<Vec<Option<Num>>>,
    median: Option<Num>,
    mean: Option<Num>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Memory {
    bytes_allocated_per_operation: Option<Num>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Measurement {
    iteration_mode: Option<String>,
    iteration_stage: Option<String>,
    operations: Option<Num>,
    nanoseconds: Option<Num>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Metric {
    value: Option<Num>,
    descriptor: Descriptor,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Descriptor {
    id: String,
    #[serde(default)]
    unit: String,
    the_greater_the_better: Option<bool>,
}

impl Tool for BenchmarkDotNet {
    fn format(&self) -> Format {
        Format::BenchmarkDotNet
    }

    fn about(&self) -> About {
        About {
            title: "BenchmarkDotNet",
            command: "dotnet run -c Release -- --filter '*' --exporters json",
            output: Some("BenchmarkDotNet.Artifacts/results"),
            raw: Raw::Samples,
            value: "the median of Statistics.OriginalValues",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        match shape.first("Benchmarks") {
            Some(first) => first.has(&["Method"]) || first.has(&["FullName"]),
            None => shape.is_empty_array("Benchmarks") && shape.has(&["HostEnvironmentInfo"]),
        }
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let export: Export = source.decode(self.format(), document)?;
        let mut names: HashMap<BenchmarkId, usize> = HashMap::new();
        for benchmark in &export.benchmarks {
            *names.entry(identity(benchmark)).or_default() += 1;
        }
        for benchmark in &export.benchmarks {
            let mut id = identity(benchmark);
            // One case under several jobs (runtimes, settings) has one name.
            if names.get(&id).is_some_and(|count| *count > 1)
                && let Some(job) = benchmark.display_info.as_deref().and_then(job)
            {
                id.name.push_str(&format!(" [{job}]"));
            }
            add(benchmark, &id, document.line, out);
        }
        Ok(())
    }
}

/// The name without its namespace, which is the package.
fn identity(benchmark: &Benchmark) -> BenchmarkId {
    let package = benchmark.namespace.clone().unwrap_or_default();
    let short = benchmark.full_name.as_deref().map(|full| {
        let rest = full.strip_prefix(package.as_str()).and_then(|rest| rest.strip_prefix('.'));
        rest.filter(|_| !package.is_empty()).unwrap_or(full).to_owned()
    });
    let name = short.unwrap_or_else(|| {
        let parts = [benchmark.r#type.as_deref(), benchmark.method.as_deref()];
        let name = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        match benchmark.parameters.as_deref() {
            Some(parameters) if !parameters.is_empty() => format!("{name}({parameters})"),
            _ => name,
        }
    });
    in_package(package, name)
}

/// The job in `Type.Method: Job-ABCDEF(Runtime=.NET 8.0) [n=10]`.
fn job(display: &str) -> Option<&str> {
    let (_, rest) = display.split_once(": ")?;
    let job = rest.split(" [").next().unwrap_or(rest).trim();
    (!job.is_empty()).then_some(job)
}

fn add(benchmark: &Benchmark, id: &BenchmarkId, line: usize, out: &mut Collector) {
    let Some(statistics) = &benchmark.statistics else {
        out.failed(id, "BenchmarkDotNet has no statistics: the benchmark did not run to its end");
        return;
    };
    let original = statistics.original_values.as_deref().map(present).unwrap_or_default();
    let measured: Vec<f64> = benchmark.measurements.iter().flatten().filter_map(Measurement::per_operation).collect();
    let summary = || statistics.median.or(statistics.mean).iter().map(|value| value.0).collect();
    let values = [original, measured].into_iter().find(|values| !values.is_empty()).unwrap_or_else(summary);
    if values.is_empty() {
        out.failed(id, "BenchmarkDotNet gives no time for it");
    }
    out.add(Value::new(id, "ns/op", values, line));
    let allocated = benchmark.memory.as_ref().and_then(|memory| memory.bytes_allocated_per_operation);
    out.add(Value::new(id, "B/op", allocated.iter().map(|bytes| bytes.0).collect(), line));
    for metric in benchmark.metrics.iter().flatten() {
        // The allocated bytes are there twice; collections a thousand operations follow from them.
        let repeated = allocated.is_some() && metric.descriptor.id == "Allocated Memory";
        let (false, Some(value)) = (repeated, metric.value) else { continue };
        let better = metric.descriptor.the_greater_the_better;
        let better = better.map(|greater| if greater { Direction::Higher } else { Direction::Lower });
        let unit = match metric.descriptor.unit.as_str() {
            "" | "#" | "Count" | "-" => metric.descriptor.id.clone(),
            unit => format!("{}-{unit}", metric.descriptor.id),
        };
        out.add(Value::new(id, unit, vec![value.0], line).better(better));
    }
}

impl Measurement {
    /// Nanoseconds of one operation, of the iterations that count.
    fn per_operation(&self) -> Option<f64> {
        let counts = self.iteration_mode.as_deref().is_none_or(|mode| mode == "Workload")
            && self.iteration_stage.as_deref().is_none_or(|stage| stage == "Result");
        let (nanoseconds, operations) = (self.nanoseconds?.0, self.operations?.0);
        (counts && operations > 0.0).then(|| nanoseconds / operations)
    }
}

#[cfg(test)]
mod tests;
