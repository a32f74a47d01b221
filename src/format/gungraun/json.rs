//! The JSON summaries, of every schema version: the shapes differ, the events do not.

use super::{add, identity};
use crate::format::collect::Collector;
use crate::format::error::FormatError;
use crate::format::number;
use crate::format::source::{Document, Source};
use crate::format::tool::Format;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;

/// The events that the text shows by default. JSON has all of them always: those that only repeat these are left out,
/// unless a benchmark has none of these.
const DEFAULT: &[&str] = &["Ir", "L1hits", "LLhits", "RamHits", "TotalRW", "EstimatedCycles"];

#[derive(Deserialize)]
struct Summary {
    module_path: String,
    #[serde(default)]
    function_name: Option<String>,
    id: Option<String>,
    /// Version 4 and later.
    #[serde(default)]
    profiles: Vec<Json>,
    /// Versions 1 to 3.
    callgrind_summary: Option<Json>,
    #[serde(default)]
    tool_summaries: Vec<Json>,
}

/// Reads one summary.
pub(super) fn read(source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
    let summary: Summary = source.decode(Format::Gungraun, document)?;
    let path = match &summary.function_name {
        // The first versions have the module alone.
        Some(function) if !summary.module_path.ends_with(&format!("::{function}")) => {
            format!("{}::{function}", summary.module_path)
        }
        _ => summary.module_path.clone(),
    };
    let id = identity(&path, summary.id.as_deref());
    let mut found = Vec::new();
    for profile in &summary.profiles {
        let tool = profile["tool"].as_str().unwrap_or_default();
        let old = &profile["summaries"]["total"]["summary"];
        found.extend(tools(old, tool));
        found.extend(events(&profile["data"]["total"]["metrics"], tool));
    }
    if let Some(callgrind) = &summary.callgrind_summary {
        found.extend(events(&callgrind["callgrind_run"]["total"]["summary"], "Callgrind"));
        // The first versions have one entry for each process: their sum is the benchmark's.
        let runs = callgrind["summaries"].as_array().map_or(&[][..], Vec::as_slice);
        found.extend(sum(runs.iter().map(|run| events(&run["events"], "Callgrind"))));
    }
    for tool in &summary.tool_summaries {
        found.extend(tools(&tool["summaries"]["total"], tool["tool"].as_str().unwrap_or_default()));
    }
    if found.is_empty() {
        out.warn(document.line, format!("{}: its tools count nothing", id.name));
    } else if found.iter().all(|event| event.new.is_none()) {
        out.failed(&id, "its summary holds no new count");
    }
    let defaults = found.iter().any(|event| event.is_callgrind() && DEFAULT.contains(&event.name.as_str()));
    for event in found {
        if defaults && event.is_callgrind() && !DEFAULT.contains(&event.name.as_str()) {
            continue;
        }
        if let Some(value) = event.new {
            add(&id, &event.tool, &event.name, value, document.line, out);
        }
    }
    Ok(())
}

/// One event of one tool.
struct Event {
    tool: String,
    name: String,
    /// `None`: only the old run has it.
    new: Option<f64>,
}

impl Event {
    fn is_callgrind(&self) -> bool {
        self.tool.eq_ignore_ascii_case("callgrind")
    }
}

/// `{"Callgrind": {events}}`; tools without events are the string "None".
fn tools(summary: &Json, tool: &str) -> Vec<Event> {
    summary.as_object().map_or_else(Vec::new, |kinds| kinds.values().flat_map(|of| events(of, tool)).collect())
}

fn events(metrics: &Json, tool: &str) -> Vec<Event> {
    let none = Map::new();
    let metrics = metrics.as_object().unwrap_or(&none);
    metrics.iter().map(|(name, metric)| Event { tool: tool.to_owned(), name: name.clone(), new: new(metric) }).collect()
}

/// The new value, in the shape of any version: `{"values": {"new": 1}}`, `{"metrics": {"Left": {"Int": 1}}}` or
/// `{"Both": [new, old]}`, `{"new": 1}`.
fn new(metric: &Json) -> Option<f64> {
    let metrics = &metric["metrics"];
    let candidates = [&metric["values"]["new"], &metrics["Left"], &metrics["Both"][0], &metric["new"]];
    candidates
        .into_iter()
        .find_map(|value| scalar(value).or_else(|| scalar(&value["Int"])).or_else(|| scalar(&value["Float"])))
}

fn scalar(value: &Json) -> Option<f64> {
    value.as_f64().or_else(|| number::parse(value.as_str()?))
}

/// Adds up events of the same name.
fn sum(runs: impl Iterator<Item = Vec<Event>>) -> Vec<Event> {
    let mut total: Vec<Event> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for event in runs.flatten() {
        match known.get(&event.name) {
            Some(&at) => total[at].new = total[at].new.zip(event.new).map(|(left, right)| left + right),
            None => {
                known.insert(event.name.clone(), total.len());
                total.push(event);
            }
        }
    }
    total
}
