//! airspeed velocity: a result file for each commit and environment, and `benchmarks.json` with the units.

use super::BenchmarkId;
use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::Document;
use super::tool::{About, Format, Raw, Sources, Tool};
use crate::unit::normal::WALL_TIME;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Reads asv's results folder.
pub(super) struct Asv;

/// `results/MACHINE/COMMIT-ENVIRONMENT.json`.
#[derive(Deserialize)]
struct Results {
    /// Version 2: what the columns of each result are.
    #[serde(default)]
    result_columns: Vec<String>,
    results: serde_json::Map<String, Json>,
}

/// A member of `benchmarks.json`.
#[derive(Deserialize)]
struct Description {
    unit: Option<String>,
    #[serde(default)]
    param_names: Vec<String>,
}

impl Tool for Asv {
    fn format(&self) -> Format {
        Format::Asv
    }

    fn about(&self) -> About {
        About {
            title: "airspeed velocity",
            command: "asv run --python=same --record-samples --set-commit-hash=$(git rev-parse HEAD)",
            output: Some("results"),
            raw: Raw::Samples,
            value: "the median of samples, else result",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.has(&["results", "commit_hash"]) && shape.has(&["params"]) && !shape.has(&["benchmarks"])
    }

    fn read(&self, sources: &Sources, out: &mut Collector) -> Result<(), FormatError> {
        let descriptions = descriptions(sources);
        for source in &sources.output {
            for document in source.documents.iter().filter(|document| document.owner == Some(self.format())) {
                let results: Results = source.decode(self.format(), document)?;
                for (name, result) in &results.results {
                    let result = Columns { columns: &results.result_columns, result };
                    add(name, &result, descriptions.get(name), document, out);
                }
            }
        }
        Ok(())
    }
}

/// The units and parameter names of every benchmark, where the folder has them.
fn descriptions(sources: &Sources) -> BTreeMap<String, Description> {
    let file = sources.output.iter().find(|source| {
        source.name.as_deref().is_some_and(|name| name.rsplit(['/', '\\']).next() == Some("benchmarks.json"))
    });
    let document = file.and_then(|source| Some((source, source.documents.first()?)));
    let members: Option<serde_json::Map<String, Json>> =
        document.and_then(|(source, document)| source.decode(Format::Asv, document).ok());
    members
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)))
        .collect()
}

/// The result of one benchmark: a list by columns (version 2), an object, or a bare number (version 1).
struct Columns<'json> {
    columns: &'json [String],
    result: &'json Json,
}

impl<'json> Columns<'json> {
    fn get(&self, column: &str) -> Option<&'json Json> {
        match self.result {
            Json::Array(cells) => cells.get(self.columns.iter().position(|name| name == column)?),
            Json::Object(members) => members.get(column),
            _ => None,
        }
    }

    /// The value of each combination of parameters: absent if the benchmark failed as a whole.
    fn values(&self) -> Option<Vec<&'json Json>> {
        match (self.get("result"), self.result) {
            (Some(Json::Array(values)), _) => Some(values.iter().collect()),
            (Some(Json::Null), _) => None,
            (Some(value), _) => Some(vec![value]),
            (None, Json::Number(_)) => Some(vec![self.result]),
            (None, _) => None,
        }
    }

    fn samples(&self, at: usize) -> Vec<f64> {
        let samples = self.get("samples").and_then(|samples| samples.get(at)).cloned().unwrap_or_default();
        serde_json::from_value::<Vec<Option<Num>>>(samples).map(|samples| present(&samples)).unwrap_or_default()
    }

    /// Every combination of parameters, the last varying fastest.
    fn parameters(&self) -> Vec<Vec<String>> {
        let mut rows = vec![Vec::new()];
        let lists = self.get("params").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        for list in lists.iter().filter_map(Json::as_array) {
            if rows.len().saturating_mul(list.len()) > COMBINATIONS {
                break;
            }
            let texts: Vec<String> =
                list.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
            rows = rows
                .iter()
                .flat_map(|row| texts.iter().map(|text| [&row[..], std::slice::from_ref(text)].concat()))
                .collect();
        }
        rows
    }
}

/// Most combinations of parameters of one benchmark.
const COMBINATIONS: usize = 100_000;

fn add(name: &str, result: &Columns<'_>, description: Option<&Description>, document: &Document, out: &mut Collector) {
    let combinations = result.parameters();
    let Some(values) = result.values() else {
        for parameters in &combinations {
            out.failed(&identity(name, parameters, description), "asv has no result: it failed");
        }
        return;
    };
    for (at, value) in values.iter().enumerate() {
        let none = Vec::new();
        let id = identity(name, combinations.get(at).unwrap_or(&none), description);
        let number: Option<Num> = serde_json::from_value((*value).clone()).unwrap_or_default();
        match number {
            None => out.failed(&id, "asv has no result: it failed"),
            // Written for combinations whose setup raised NotImplementedError.
            Some(number) if number.0.is_nan() => out.skipped(&id, "not measured (n/a)"),
            Some(number) => {
                let samples = result.samples(at);
                let values = if samples.is_empty() { vec![number.0] } else { samples };
                out.add(Value::new(&id, unit(name, description), values, document.line));
            }
        }
    }
}

/// `module.Class.time_x(10, 'a')`, as asv shows it.
fn identity(name: &str, parameters: &[String], description: Option<&Description>) -> BenchmarkId {
    if parameters.is_empty() {
        return id(name);
    }
    let names = description.map_or(&[][..], |description| &description.param_names);
    let shown = parameters.iter().enumerate().map(|(at, value)| match names.get(at) {
        Some(key) if !key.is_empty() => format!("{key}={value}"),
        _ => value.clone(),
    });
    id(format!("{name}({})", shown.collect::<Vec<_>>().join(", ")))
}

/// From the description, else from the name's prefix, which is what asv goes by.
fn unit(name: &str, description: Option<&Description>) -> String {
    let stated = description.and_then(|description| description.unit.as_deref());
    let method = name.rsplit('.').next().unwrap_or(name);
    match stated {
        Some("seconds") => WALL_TIME.to_owned(),
        Some("bytes") => memory(method).to_owned(),
        Some(other) => other.to_owned(),
        None if method.starts_with("time") => WALL_TIME.to_owned(),
        None if method.starts_with("mem") || method.starts_with("peakmem") => memory(method).to_owned(),
        None => "unit".to_owned(),
    }
}

fn memory(method: &str) -> &'static str {
    if method.starts_with("peakmem") { "peak-B" } else { "B" }
}

#[cfg(test)]
mod tests;
