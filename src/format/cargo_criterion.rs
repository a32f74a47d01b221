//! `cargo criterion --message-format=json`: a message for each benchmark, with its samples.

use super::collect::{Collector, Value, id};
use super::criterion::tree::{fewest, per_iteration, rates};
use super::error::FormatError;
use super::number::Num;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit;
use serde::Deserialize;

/// Reads cargo-criterion's messages.
pub(super) struct CargoCriterion;

#[derive(Deserialize)]
struct Message {
    id: String,
    iteration_count: Vec<Num>,
    measured_values: Vec<Num>,
    unit: String,
    throughput: Option<Vec<Throughput>>,
}

#[derive(Deserialize)]
struct Throughput {
    per_iteration: Num,
    unit: String,
}

impl Tool for CargoCriterion {
    fn format(&self) -> Format {
        Format::CargoCriterion
    }

    fn about(&self) -> About {
        About {
            title: "cargo-criterion",
            command: "cargo criterion --message-format=json",
            output: None,
            raw: Raw::Samples,
            value: "the median of measured_values[i] / iteration_count[i]",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        matches!(shape.text("reason"), Some("benchmark-complete" | "group-complete"))
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        if document.shape.text("reason") == Some("group-complete") {
            return Ok(());
        }
        let message: Message = source.decode(self.format(), document)?;
        let times = per_iteration(&message.iteration_count, &message.measured_values).map_err(|expected| {
            FormatError::Syntax { format: Some(self.format()), place: source.place(document.line), expected }
        })?;
        let id = id(&message.id);
        let unit = format!("{}/iter", message.unit);
        let normal = unit::normalise(&unit);
        let iterations = fewest(&message.iteration_count);
        if normal.unit == unit::normal::WALL_TIME {
            for work in message.throughput.iter().flatten() {
                let rate = rates(&times, work.per_iteration.0, normal.factor);
                out.add(Value::new(&id, format!("{}/s", work.unit), rate, document.line).iterations(iterations));
            }
        }
        out.add(Value::new(&id, unit, times, document.line).iterations(iterations));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
