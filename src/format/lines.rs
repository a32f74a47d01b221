//! Our own format, for everything else: a JSON object on each line, documented in `docs/formats.md`.

use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number::Num;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::Direction;
use serde::Deserialize;

/// Reads JSON lines.
pub(super) struct JsonLines;

/// One line: a value, several values, an error, or that the benchmark was skipped.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    /// The benchmark's name, with its parameters.
    name: String,
    /// What holds the benchmark: a module, file or package.
    #[serde(default)]
    package: String,
    /// The unit of the values, such as `ns/op`, `MiB/s`, `B` or a word of your own.
    unit: Option<String>,
    /// One value, per operation.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    value: Option<Num>,
    /// Several samples, per operation.
    #[cfg_attr(test, schemars(with = "Option<Vec<f64>>"))]
    values: Option<Vec<Num>>,
    /// Which way is better; by default what is known of the unit.
    better: Option<Direction>,
    /// Whether the value is a count that never varies by chance.
    exact: Option<bool>,
    /// Operations behind one value.
    iterations: Option<u64>,
    /// The benchmark failed, and why.
    error: Option<String>,
    /// The benchmark was skipped, and why.
    skipped: Option<String>,
}

impl Tool for JsonLines {
    fn format(&self) -> Format {
        Format::JsonLines
    }

    fn about(&self) -> About {
        About {
            title: "JSON lines",
            command: "./bench # {\"name\": …, \"unit\": …, \"value\" or \"values\": …} on each line",
            output: None,
            raw: Raw::Samples,
            value: "value, or the median of values; the median if a name and unit repeat",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.has(&["name"])
            && ((shape.has(&["unit"]) && (shape.has(&["value"]) || shape.has(&["values"])))
                || matches!(shape.get("error"), Some(Shape::Text(_))) && shape.members().len() <= 3
                || matches!(shape.get("skipped"), Some(Shape::Text(_))) && shape.members().len() <= 3)
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let line: Line = source.decode(self.format(), document)?;
        let syntax = |expected: &str| FormatError::Syntax {
            format: Some(self.format()),
            place: source.place(document.line),
            expected: format!("{}: {expected}", line.name),
        };
        let id = in_package(&line.package, &line.name);
        if let Some(error) = &line.error {
            out.failed(&id, error);
        }
        if let Some(reason) = &line.skipped {
            out.skipped(&id, reason);
        }
        let values: Vec<f64> = match (line.value, &line.values) {
            (Some(_), Some(_)) => return Err(syntax("expected `value` or `values`, found both")),
            (Some(value), None) => vec![value.0],
            (None, Some(values)) if values.is_empty() => {
                return Err(syntax("expected at least one number in `values`"));
            }
            (None, Some(values)) => values.iter().map(|value| value.0).collect(),
            (None, None) if line.error.is_some() || line.skipped.is_some() => return Ok(()),
            (None, None) => return Err(syntax("expected `value`, `values`, `error` or `skipped`")),
        };
        let Some(unit) = &line.unit else { return Err(syntax("expected `unit` beside the value")) };
        out.add(
            Value::new(&id, unit, values, document.line)
                .better(line.better)
                .exact(line.exact)
                .iterations(line.iterations),
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests;
