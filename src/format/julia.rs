//! BenchmarkTools.jl: `BenchmarkTools.save("bench.json", run(suite))`, trials or estimates.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// Reads BenchmarkTools' JSON.
pub(super) struct BenchmarkTools;

/// Deepest nesting of groups.
const DEPTH: usize = 100;

/// Times of one evaluation in nanoseconds, and what an evaluation allocates.
#[derive(Deserialize)]
struct Trial {
    #[serde(default)]
    times: Vec<Option<Num>>,
    /// Of an estimate.
    time: Option<Num>,
    memory: Option<Num>,
    allocs: Option<Num>,
    params: Option<Json>,
}

impl Tool for BenchmarkTools {
    fn format(&self) -> Format {
        Format::BenchmarkTools
    }

    fn about(&self) -> About {
        About {
            title: "BenchmarkTools.jl",
            command: "julia bench.jl # BenchmarkTools.save(\"bench.json\", run(suite))",
            output: Some("bench.json"),
            raw: Raw::Samples,
            value: "the median of a Trial's times (ns); of a TrialEstimate its time",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.at(0).is_some_and(|versions| versions.has(&["Julia", "BenchmarkTools"])) && shape.at(1).is_some()
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let (_, objects): (Json, Vec<Json>) = source.decode(self.format(), document)?;
        for object in &objects {
            value(object, &mut Vec::new(), document.line, out);
        }
        Ok(())
    }
}

/// A pair of type and content.
fn value(pair: &Json, path: &mut Vec<String>, line: usize, out: &mut Collector) {
    let name = path.join("/");
    let (Some(kind), content) = (pair[0].as_str(), &pair[1]) else {
        out.warn(line, format!("{name}: expected a pair of type and content"));
        return;
    };
    // Old versions write the module before the type.
    match kind.rsplit('.').next().unwrap_or(kind) {
        "BenchmarkGroup" if path.len() < DEPTH => {
            let none = Map::new();
            for (key, member) in content["data"].as_object().unwrap_or(&none) {
                path.push(key.clone());
                value(member, path, line, out);
                path.pop();
            }
        }
        "Trial" | "TrialEstimate" => match serde_json::from_value::<Trial>(content.clone()) {
            Ok(trial) => add(&name, &trial, line, out),
            Err(error) => out.warn(line, format!("{name}: {error}")),
        },
        other => out.warn(line, format!("{name}: a {other} is no measurement; save the result of run(suite)")),
    }
}

fn add(name: &str, trial: &Trial, line: usize, out: &mut Collector) {
    let id = id(name);
    let times = present(&trial.times);
    let values = if times.is_empty() { trial.time.iter().map(|time| time.0).collect() } else { times };
    if values.is_empty() {
        out.failed(&id, "BenchmarkTools has no time for it");
        return;
    }
    let evals = trial.params.as_ref().and_then(|params| params[1]["evals"].as_u64());
    out.add(Value::new(&id, "ns/op", values, line).iterations(evals));
    for (unit, value) in [("B/op", trial.memory), ("allocs/op", trial.allocs)] {
        out.add(Value::new(&id, unit, value.iter().map(|value| value.0).collect(), line));
    }
}

#[cfg(test)]
mod tests;
