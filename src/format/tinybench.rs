//! tinybench. It writes no file itself: programs print `JSON.stringify` of its tasks, of their results, or of its
//! table, in the shapes of its major versions.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number::{self, Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::normal::WALL_TIME;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// Reads tinybench's tasks as JSON.
pub(super) struct Tinybench;

/// A task: with its result inside, or with the result's members beside its name.
#[derive(Deserialize)]
struct Task {
    name: String,
    result: Option<Outcome>,
    latency: Option<Statistics>,
    samples: Option<Vec<Option<Num>>>,
    mean: Option<Num>,
    hz: Option<Num>,
    error: Option<Json>,
    state: Option<String>,
}

#[derive(Deserialize)]
struct Outcome {
    /// Since version 3.
    latency: Option<Statistics>,
    /// Until version 2.
    samples: Option<Vec<Option<Num>>>,
    mean: Option<Num>,
    hz: Option<Num>,
    error: Option<Json>,
    state: Option<String>,
}

#[derive(Deserialize)]
struct Statistics {
    /// Only with `retainSamples`.
    samples: Option<Vec<Option<Num>>>,
    p50: Option<Num>,
    mean: Option<Num>,
}

impl Tool for Tinybench {
    fn format(&self) -> Format {
        Format::Tinybench
    }

    fn about(&self) -> About {
        About {
            title: "tinybench",
            command: "node bench.mjs # console.log(JSON.stringify(bench.tasks.map(({ name, result }) => ({ name, result }))))",
            output: None,
            raw: Raw::Samples,
            value: "the median of latency.samples (ms; new Bench({ retainSamples: true })), else latency.p50",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        list(shape).is_some_and(|list| {
            list.at(0).is_some_and(|first| is_task(first) || is_table(first))
                || list.at(1).is_some_and(|second| is_task(second) || is_table(second))
        })
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let list = list(&document.shape);
        if list.is_some_and(|list| list.at(0).is_some_and(is_table) || list.at(1).is_some_and(is_table)) {
            return table(&rows(source, document)?, document.line, out);
        }
        let tasks: Vec<Task> = rows(source, document)?;
        for task in tasks {
            let id = id(&task.name);
            let outcome = task.result.unwrap_or(Outcome {
                latency: task.latency,
                samples: task.samples,
                mean: task.mean,
                hz: task.hz,
                error: task.error,
                state: task.state,
            });
            add(&id, &outcome, document.line, out);
        }
        Ok(())
    }
}

/// The list itself, or the list in `tasks` or `results`.
fn list(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::Array(_) => Some(shape),
        _ => LISTS.iter().find_map(|key| shape.get(key)),
    }
}

const LISTS: [&str; 3] = ["tasks", "results", "benchmarks"];

fn is_task(shape: &Shape) -> bool {
    let result = shape.get("result").unwrap_or(shape);
    let statistics = result.get("latency").is_some_and(|latency| latency.has(&["mean"]));
    let flat = result.has(&["hz", "mean"]) || result.has(&["hz", "samples"]);
    let failed = shape.get("result").is_some_and(|result| result.has(&["error"]) || result.has(&["state"]));
    shape.has(&["name"]) && (statistics || flat || failed)
}

fn is_table(shape: &Shape) -> bool {
    (shape.has(&["Task name"]) || shape.has(&["Task Name"]))
        && shape.members().iter().any(|(key, _)| key.starts_with("Latency") || key == "ops/sec" || key == "Error")
}

/// The elements of the list. Whatever wraps it may have members of any kind.
fn rows<T: serde::de::DeserializeOwned>(source: &Source, document: &Document) -> Result<Vec<T>, FormatError> {
    if matches!(document.shape, Shape::Array(_)) {
        return source.decode(Format::Tinybench, document);
    }
    #[derive(Deserialize)]
    #[serde(bound = "T: serde::de::DeserializeOwned")]
    struct Wrapped<T> {
        #[serde(alias = "results", alias = "benchmarks")]
        tasks: Vec<T>,
    }
    source.decode::<Wrapped<T>>(Format::Tinybench, document).map(|wrapped| wrapped.tasks)
}

fn add(id: &super::BenchmarkId, outcome: &Outcome, line: usize, out: &mut Collector) {
    if let Some(error) = &outcome.error {
        let message = error.get("message").and_then(Json::as_str).or_else(|| error.as_str());
        // An error serialises to {}: JavaScript keeps its message out of JSON.
        out.failed(id, message.unwrap_or("it threw (print result.error.message to see what)"));
        return;
    }
    let latency = outcome.latency.as_ref();
    let samples = latency.and_then(|latency| latency.samples.as_deref()).or(outcome.samples.as_deref());
    let samples = samples.map(present).unwrap_or_default();
    let summary = latency.and_then(|latency| latency.p50.or(latency.mean)).or(outcome.mean);
    let values = if samples.is_empty() { summary.iter().map(|value| value.0).collect() } else { samples };
    match (values.is_empty(), outcome.hz) {
        (false, _) => out.add(Value::new(id, "ms/op", values, line)),
        (true, Some(rate)) => out.add(Value::new(id, "ops/s", vec![rate.0], line)),
        (true, None) => {
            let state = outcome.state.as_deref().unwrap_or("no result");
            out.failed(id, format!("tinybench has no time for it ({state})"));
        }
    }
}

/// `bench.table()`: numbers as text, such as `297.00 ± 64.00`.
fn table(rows: &[Map<String, Json>], line: usize, out: &mut Collector) -> Result<(), FormatError> {
    for row in rows {
        let text =
            |key: &str| row.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let id = id(text("Task name").or_else(|| text("Task Name")).unwrap_or_default());
        if let Some(error) = text("Error") {
            out.failed(&id, error);
            continue;
        }
        let first = |key: &str| number::parse(text(key)?.split(['±', ' ']).next()?);
        let times = [
            "Latency med (ns)",
            "Latency median (ns)",
            "Latency avg (ns)",
            "Latency average (ns)",
            "Average Time (ns)",
        ];
        match times.into_iter().find_map(first) {
            Some(time) => {
                let unit = format!("n{WALL_TIME}").replace("nsec", "ns");
                out.add(Value::new(&id, unit, vec![time], line));
            }
            None => match first("ops/sec") {
                Some(rate) => out.add(Value::new(&id, "ops/s", vec![rate], line)),
                None => out.failed(&id, "the table has no latency for it"),
            },
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
