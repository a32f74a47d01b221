//! Bencher Metric Format: `{"benchmark": {"measure": {"value": 1, "lower_value"?, "upper_value"?}}}`, and its later
//! form with parameters: `{"benchmark": [{"parameters"?: {…}, "measures": {…}}]}`.

use super::BenchmarkId;
use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::Direction;
use crate::unit::normal::FILE_SIZE;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// Reads Bencher Metric Format.
pub(super) struct Bmf;

/// Measures that Bencher defines, with their units there.
const MEASURES: &[(&str, &str)] = &[
    ("latency", "ns/op"),
    ("throughput", "ops/s"),
    ("build-time", "build-s"),
    ("file-size", FILE_SIZE),
    ("Build Time", "build-s"),
    ("File Size", FILE_SIZE),
    ("Latency", "ns/op"),
    ("Throughput", "ops/s"),
];

/// Bounds of a value, which are no values.
const BOUNDS: [&str; 2] = ["lower_value", "upper_value"];

impl Tool for Bmf {
    fn format(&self) -> Format {
        Format::Bmf
    }

    fn about(&self) -> About {
        About {
            title: "Bencher Metric Format",
            command: "./bench # {\"benchmark\": {\"latency\": {\"value\": …}}}",
            output: None,
            raw: Raw::Summary,
            value: "each measure's value",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        let is_metric = |shape: &Shape| {
            !shape.members().is_empty()
                && shape.members().iter().all(|(_, value)| matches!(value, Shape::Number | Shape::Other))
                && shape.members().iter().any(|(_, value)| *value == Shape::Number)
                && (shape.has(&["value"]) || !shape.has(&["name"]))
        };
        let are_measures =
            |shape: &Shape| !shape.members().is_empty() && shape.members().iter().all(|(_, metric)| is_metric(metric));
        let is_benchmark = |shape: &Shape| match shape {
            Shape::Array(_) => shape.at(0).is_some_and(|set| set.get("measures").is_some_and(are_measures)),
            _ => are_measures(shape) && shape.members().iter().any(|(_, metric)| metric.has(&["value"])),
        };
        !shape.members().is_empty() && shape.members().iter().all(|(_, benchmark)| is_benchmark(benchmark))
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let benchmarks: Map<String, Json> = source.decode(self.format(), document)?;
        for (name, benchmark) in &benchmarks {
            match benchmark {
                Json::Array(sets) => {
                    for set in sets {
                        measures(&parametrised(name, &set["parameters"]), &set["measures"], document.line, out);
                    }
                }
                flat => measures(&id(name), flat, document.line, out),
            }
        }
        Ok(())
    }
}

/// The name with its parameters in the order of their keys: 16, 16.0 and 1.6e1 are one number.
fn parametrised(name: &str, parameters: &Json) -> BenchmarkId {
    let none = Map::new();
    let sorted: BTreeMap<&String, &Json> = parameters.as_object().unwrap_or(&none).iter().collect();
    let shown = sorted.into_iter().map(|(key, value)| {
        let value = match (value.as_str(), value.as_f64()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(number)) => number.to_string(),
            (None, None) => value.to_string(),
        };
        format!("/{key}={value}")
    });
    id(format!("{name}{}", shown.collect::<String>()))
}

fn measures(id: &BenchmarkId, measures: &Json, line: usize, out: &mut Collector) {
    let none = Map::new();
    for (measure, metric) in measures.as_object().unwrap_or(&none) {
        let unit = MEASURES.iter().find(|(name, _)| name == measure).map_or(measure.as_str(), |(_, unit)| unit);
        for (statistic, value) in metric.as_object().unwrap_or(&none) {
            if BOUNDS.contains(&statistic.as_str()) {
                continue;
            }
            if value.is_null() && statistic != "value" {
                continue;
            }
            let Some(value) = value.as_f64().or_else(|| number::parse(value.as_str()?)) else {
                out.warn(line, format!("{}: {measure}: expected a number as {statistic}", id.name));
                continue;
            };
            // Percentiles and the like stand beside the value.
            let unit = if statistic == "value" { unit.to_owned() } else { format!("{statistic}-{unit}") };
            let better = (measure.eq_ignore_ascii_case("throughput")).then_some(Direction::Higher);
            out.add(Value::new(id, unit, vec![value], line).better(better));
        }
    }
}

#[cfg(test)]
mod tests;
