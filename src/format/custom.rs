//! github-action-benchmark's custom JSON: a list, or lines, of `{"name", "unit", "value", "range"?, "extra"?}`.
//! The direction is the file's (the format's name says it), or a row's own `biggerIsBetter`.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number::Num;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::Direction;
use serde::Deserialize;

/// Reads custom JSON.
pub(super) struct Custom {
    format: Format,
    /// Of rows that do not say.
    better: Option<Direction>,
}

/// The direction follows from the unit.
pub(super) const CUSTOM: Custom = Custom { format: Format::Custom, better: None };
/// Smaller is better.
pub(super) const SMALLER: Custom = Custom { format: Format::CustomSmaller, better: Some(Direction::Lower) };
/// Bigger is better.
pub(super) const BIGGER: Custom = Custom { format: Format::CustomBigger, better: Some(Direction::Higher) };

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    #[serde(default)]
    unit: String,
    value: Option<Num>,
    bigger_is_better: Option<bool>,
}

impl Tool for Custom {
    fn format(&self) -> Format {
        self.format
    }

    fn about(&self) -> About {
        let title = match self.better {
            None => "custom JSON of github-action-benchmark",
            Some(Direction::Lower) => "customSmallerIsBetter",
            Some(Direction::Higher) => "customBiggerIsBetter",
        };
        About {
            title,
            command: "./bench # [{\"name\": …, \"unit\": …, \"value\": …, \"biggerIsBetter\"?: …}]",
            output: None,
            raw: Raw::Summary,
            value: "value; the median if a name repeats",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        let is_row = |shape: &Shape| shape.has(&["name", "value", "unit"]);
        match shape {
            Shape::Array(_) => shape.at(0).is_some_and(is_row),
            // A line of our own format has none of these.
            _ => is_row(shape) && ["biggerIsBetter", "range", "extra"].iter().any(|key| shape.has(&[key])),
        }
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let rows: Vec<Row> = match document.shape {
            Shape::Array(_) => source.decode(self.format, document)?,
            _ => vec![source.decode(self.format, document)?],
        };
        for row in rows {
            let id = id(row.name);
            let Some(value) = row.value else {
                out.failed(&id, "its value is null");
                continue;
            };
            let stated = row.bigger_is_better.map(|bigger| if bigger { Direction::Higher } else { Direction::Lower });
            out.add(Value::new(&id, row.unit, vec![value.0], document.line).better(stated.or(self.better)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
