//! gungraun, its predecessor iai-callgrind, and iai: counts of Valgrind's tools, exact by nature.

use super::BenchmarkId;
use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit;

mod json;
mod text;

/// Reads gungraun's text and JSON.
pub(super) struct Gungraun;

impl Tool for Gungraun {
    fn format(&self) -> Format {
        Format::Gungraun
    }

    fn about(&self) -> About {
        About {
            title: "gungraun, iai-callgrind, iai",
            command: "cargo bench --bench NAME",
            output: None,
            raw: Raw::Exact,
            value: "the new count, left of `|`",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.has(&["module_path", "benchmark_exe"])
            && (shape.has(&["profiles"]) || shape.has(&["callgrind_summary"]) || shape.has(&["tool_summaries"]))
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        json::read(source, document, out)
    }

    fn signs(&self, source: &Source) -> usize {
        text::signs(source)
    }

    fn text(&self, source: &Source, out: &mut Collector) -> Result<(), FormatError> {
        text::read(source, out);
        Ok(())
    }
}

/// `crate::group::function id`: the crate is the package. What a benchmark was called with is shown by the tool after
/// the id and is no part of the name: the same id with other arguments is the same benchmark to the tool.
fn identity(path: &str, id: Option<&str>) -> BenchmarkId {
    let (package, function) = path.split_once("::").unwrap_or(("", path));
    match id.filter(|id| !id.is_empty()) {
        Some(id) => in_package(package, format!("{function} {id}")),
        None => in_package(package, function),
    }
}

/// Adds a count of one of Valgrind's tools. Where Cachegrind ran beside Callgrind the two count the same events, and
/// error detectors have the same names: those say whose they are.
fn add(id: &BenchmarkId, tool: &str, event: &str, value: f64, line: usize, out: &mut Collector) {
    let plain = unit::normalise(event);
    let unit = match tool.to_ascii_lowercase().as_str() {
        "" | "callgrind" | "dhat" => plain.unit,
        tool => format!("{tool}-{}", plain.unit),
    };
    // Time in system calls is measured, everything else is counted.
    let exact = !matches!(event, "SysTime" | "SysCpuTime");
    out.add(Value::new(id, unit, vec![value], line).better(plain.better).exact(Some(exact)));
}

#[cfg(test)]
mod tests;
