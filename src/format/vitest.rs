//! `vitest bench --outputJson`.

use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use serde::Deserialize;

/// Reads vitest's benchmark report.
pub(super) struct Vitest;

#[derive(Deserialize)]
struct Report {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    /// `dir/a.bench.ts > suite > inner`; relative, while the file's own path is absolute and differs between trees.
    full_name: String,
    benchmarks: Vec<Task>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    name: String,
    #[serde(default)]
    samples: Vec<Option<Num>>,
    median: Option<Num>,
    mean: Option<Num>,
    sample_count: Option<u64>,
}

impl Tool for Vitest {
    fn format(&self) -> Format {
        Format::Vitest
    }

    fn about(&self) -> About {
        About {
            title: "vitest bench",
            command: "npx vitest bench --run --outputJson bench.json",
            output: Some("bench.json"),
            raw: Raw::Summary,
            value: "the median (ms); the median of samples with benchmark.includeSamples",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        match shape.first("files") {
            Some(file) => file.has(&["filepath", "groups"]),
            None => shape.is_empty_array("files") && shape.members().len() == 1,
        }
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let report: Report = source.decode(self.format(), document)?;
        for group in report.files.into_iter().flat_map(|file| file.groups) {
            let (package, path) = group.full_name.split_once(" > ").unwrap_or((&group.full_name, ""));
            for task in group.benchmarks {
                let name = if path.is_empty() { task.name.clone() } else { format!("{path} > {}", task.name) };
                let id = in_package(package, name);
                let samples = present(&task.samples);
                let summary = task.median.or(task.mean).map(|value| value.0);
                // A benchmark that threw has neither; versions before 2 wrote zeros.
                let ran = task.sample_count != Some(0);
                let values = if samples.is_empty() { summary.filter(|_| ran).into_iter().collect() } else { samples };
                if values.is_empty() {
                    out.failed(&id, "vitest has no result for it: it failed, or was not run");
                }
                out.add(Value::new(&id, "ms/op", values, document.line));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
