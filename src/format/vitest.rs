//! `vitest bench --outputJson`.

use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number::{Num, Samples};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Reads vitest's benchmark report.
pub(super) struct Vitest;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(default)]
    files: Vec<File>,
    /// Of `--reporter=json` before version 2: tasks by the name of their suite.
    #[serde(default)]
    test_results: BTreeMap<String, Vec<Task>>,
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
    samples: Samples,
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
        let old = |suites: &Shape| {
            suites
                .members()
                .first()
                .and_then(|(_, tasks)| tasks.at(0))
                .is_some_and(|task| task.has(&["name", "hz", "rme"]))
        };
        if shape.has(&["numTotalTests"]) && shape.get("testResults").is_some_and(old) {
            return true;
        }
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
                add(package, path, task, document.line, out);
            }
        }
        for (suite, tasks) in report.test_results {
            for task in tasks {
                add("", &suite, task, document.line, out);
            }
        }
        Ok(())
    }
}

fn add(package: &str, path: &str, task: Task, line: usize, out: &mut Collector) {
    let id = in_package(package, if path.is_empty() { task.name } else { format!("{path} > {}", task.name) });
    let samples = task.samples.0.unwrap_or_default();
    let summary = task.median.or(task.mean).map(|value| value.0);
    // A benchmark that threw has neither; some versions wrote zeros.
    let ran = task.sample_count != Some(0);
    let values = if samples.is_empty() { summary.filter(|_| ran).into_iter().collect() } else { samples };
    if values.is_empty() {
        out.failed(&id, "vitest has no result for it: it failed, or was not run");
    }
    out.add(Value::new(&id, "ms/op", values, line));
}

#[cfg(test)]
mod tests;
