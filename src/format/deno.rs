//! `deno bench --json`.

use super::BenchmarkId;
use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number::Num;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use serde::Deserialize;
use serde_json::Value as Json;

/// Reads Deno's JSON reporter.
pub(super) struct Deno;

#[derive(Deserialize)]
struct Report {
    benches: Vec<Bench>,
}

#[derive(Deserialize)]
struct Bench {
    /// A `file:` URL: absolute, so that it differs between trees.
    origin: String,
    group: Option<String>,
    name: String,
    #[serde(default)]
    results: Vec<Outcome>,
    /// Before Deno 1.32.
    result: Option<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    ok: Option<Stats>,
    failed: Option<Json>,
}

#[derive(Deserialize)]
struct Stats {
    n: Option<u64>,
    avg: Num,
}

impl Tool for Deno {
    fn format(&self) -> Format {
        Format::Deno
    }

    fn about(&self) -> About {
        About { title: "deno bench", command: "deno bench --json", output: None, raw: Raw::Summary, value: "avg (ns)" }
    }

    fn owns(&self, shape: &Shape) -> bool {
        match shape.first("benches") {
            Some(first) => first.has(&["origin", "name"]),
            None => shape.is_empty_array("benches") && shape.has(&["runtime"]),
        }
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let report: Report = source.decode(self.format(), document)?;
        let common = common(&report.benches);
        for bench in report.benches {
            let id = identity(&bench, common);
            for outcome in bench.results.into_iter().chain(bench.result) {
                match (outcome.ok, outcome.failed) {
                    (Some(stats), _) => {
                        out.add(Value::new(&id, "ns/iter", vec![stats.avg.0], document.line).iterations(stats.n));
                    }
                    (None, error) => out.failed(&id, error.as_ref().map(message).unwrap_or_default()),
                }
            }
        }
        Ok(())
    }
}

/// How much of all origins is the same, up to a slash: the folder of the files, or of the only one.
fn common(benches: &[Bench]) -> usize {
    let folder = |origin: &[u8]| origin.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let Some(first) = benches.first().map(|bench| bench.origin.as_bytes()) else { return 0 };
    benches.iter().fold(folder(first), |common, bench| {
        let same =
            first.iter().zip(bench.origin.as_bytes()).take(common).take_while(|(left, right)| left == right).count();
        if same == common { common } else { folder(&first[..same]) }
    })
}

/// The file's path behind what all files have in common, and the name in its group.
fn identity(bench: &Bench, common: usize) -> BenchmarkId {
    let name = match bench.group.as_deref() {
        Some(group) if !group.is_empty() => format!("{group} > {}", bench.name),
        _ => bench.name.clone(),
    };
    // The cut is behind a slash, hence between characters.
    in_package(bench.origin.get(common..).unwrap_or(&bench.origin), name)
}

fn message(error: &Json) -> String {
    let fields = ["exceptionMessage", "message"];
    let text = fields.into_iter().find_map(|field| error.get(field)).unwrap_or(error);
    text.as_str().map_or_else(|| text.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
