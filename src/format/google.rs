//! Google Benchmark's JSON: repetitions are samples, aggregates are not.

use super::BenchmarkId;
use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::normal::{CPU_TIME, WALL_TIME};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Reads `--benchmark_format=json` and `--benchmark_out`.
pub(super) struct GoogleBenchmark;

#[derive(Deserialize)]
struct Export {
    #[serde(default)]
    context: Map<String, Json>,
    benchmarks: Vec<Map<String, Json>>,
}

/// Members of a row that are not counters.
const FIELDS: &[&str] = &[
    "name",
    "family_index",
    "per_family_instance_index",
    "run_name",
    "run_type",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "time_unit",
    "label",
    "error_occurred",
    "error_message",
    "skipped",
    "skip_message",
    "aggregate_name",
    "aggregate_unit",
    "big_o",
    "rms",
    "cpu_coefficient",
    "real_coefficient",
    "max_bytes_used",
    "total_allocated_bytes",
    "net_heap_growth",
];

/// Counters that the library defines, and their units.
const COUNTERS: &[(&str, &str)] =
    &[("bytes_per_second", "B/s"), ("items_per_second", "items/s"), ("allocs_per_iter", "allocs/op")];

/// What the context says that stays equal between runs on one machine.
const CONTEXT: &[&str] = &["num_cpus", "cpu_scaling_enabled", "aslr_enabled", "library_build_type"];

/// Names of aggregates, for versions that do not mark them.
const AGGREGATES: &[&str] = &["_mean", "_median", "_stddev", "_cv", "_min", "_max", "_BigO", "_RMS"];

impl Tool for GoogleBenchmark {
    fn format(&self) -> Format {
        Format::GoogleBenchmark
    }

    fn about(&self) -> About {
        About {
            title: "Google Benchmark",
            command: "./bench --benchmark_out=bench.json --benchmark_out_format=json",
            output: Some("bench.json"),
            raw: Raw::Samples,
            value: "real_time and cpu_time; the median of repetitions",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        match shape.first("benchmarks") {
            Some(first) => {
                first.has(&["name"])
                    && (first.has(&["real_time"])
                        || first.has(&["run_type"])
                        || first.has(&["error_occurred"])
                        || first.has(&["big_o"]))
            }
            None => {
                shape.is_empty_array("benchmarks")
                    && shape.get("context").is_some_and(|context| context.has(&["num_cpus"]))
            }
        }
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let export: Export = source.decode(self.format(), document)?;
        out.config(context(&export.context));
        if text(&export.context, "library_build_type") == Some("debug") {
            out.warn(
                document.line,
                "Google Benchmark itself was built without optimisation (library_build_type: debug)",
            );
        }
        let rows: Vec<Row<'_>> = export.benchmarks.iter().map(|fields| Row { fields }).collect();
        let names: HashSet<&str> = rows.iter().map(Row::name).collect();
        let families = families(&rows, &names, out);
        let mut measured = HashSet::new();
        for row in rows.iter().filter(|row| !row.is_aggregate(&names)) {
            measured.insert(row.run_name(&names));
            row.add(&families.identity(row, &names), document.line, out);
        }
        summaries(&rows, &names, &measured, document.line, out);
        Ok(())
    }
}

fn context(fields: &Map<String, Json>) -> BTreeMap<String, String> {
    let known = CONTEXT.iter().filter_map(|key| Some((key, fields.get(*key)?)));
    known.map(|(key, value)| ((*key).to_owned(), plain(value))).collect()
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn text<'json>(fields: &'json Map<String, Json>, key: &str) -> Option<&'json str> {
    fields.get(key)?.as_str()
}

fn numeric(value: &Json) -> Option<f64> {
    value.as_f64().or_else(|| number::parse(value.as_str()?))
}

/// One element of `benchmarks`.
struct Row<'json> {
    fields: &'json Map<String, Json>,
}

impl Row<'_> {
    fn name(&self) -> &str {
        text(self.fields, "name").unwrap_or_default()
    }

    fn aggregate(&self) -> Option<&str> {
        text(self.fields, "aggregate_name")
    }

    /// Old versions do not mark aggregates: then the name says it, if the name without suffix is there too or the row
    /// has no time.
    fn is_aggregate(&self, names: &HashSet<&str>) -> bool {
        match text(self.fields, "run_type") {
            Some(kind) => kind == "aggregate",
            None => {
                let base = AGGREGATES.iter().find_map(|suffix| self.name().strip_suffix(suffix));
                base.is_some_and(|base| names.contains(base) || names.contains(format!("{base}_stddev").as_str()))
                    || self.fields.contains_key("big_o")
                    || self.fields.contains_key("rms")
            }
        }
    }

    /// The name without an aggregate's suffix.
    fn run_name(&self, names: &HashSet<&str>) -> String {
        if let Some(name) = text(self.fields, "run_name") {
            return name.to_owned();
        }
        let suffix = if self.is_aggregate(names) {
            AGGREGATES.iter().find(|suffix| self.name().ends_with(**suffix)).map_or(0, |suffix| suffix.len())
        } else {
            0
        };
        self.name()[..self.name().len() - suffix].to_owned()
    }

    fn family(&self) -> Option<u64> {
        self.fields.get("family_index")?.as_u64()
    }

    fn add(&self, id: &BenchmarkId, line: usize, out: &mut Collector) {
        let flag = |key| self.fields.get(key).and_then(Json::as_bool) == Some(true);
        if flag("error_occurred") {
            return out.failed(id, text(self.fields, "error_message").unwrap_or_default());
        }
        if flag("skipped") {
            return out.skipped(id, text(self.fields, "skip_message").unwrap_or_default());
        }
        let iterations = self.fields.get("iterations").and_then(Json::as_u64);
        let unit = text(self.fields, "time_unit").unwrap_or("ns");
        for (key, normal) in [("real_time", WALL_TIME), ("cpu_time", CPU_TIME)] {
            if let Some(time) = self.fields.get(key).and_then(numeric) {
                let metric = normal.trim_end_matches("sec/op");
                out.add(Value::new(id, format!("{metric}{unit}/op"), vec![time], line).iterations(iterations));
            }
        }
        for (key, value) in self.fields {
            let Some(value) = numeric(value).filter(|_| !FIELDS.contains(&key.as_str())) else { continue };
            // A counter's own name is its unit: the library does not tell what it counts.
            let unit = COUNTERS.iter().find(|(name, _)| name == key).map_or(key.as_str(), |(_, unit)| unit);
            out.add(Value::new(id, unit, vec![value], line).iterations(iterations));
        }
    }
}

/// Tells apart benchmarks that were registered twice under one name.
struct Families(HashMap<(String, u64), usize>);

fn families(rows: &[Row<'_>], names: &HashSet<&str>, out: &mut Collector) -> Families {
    let mut by_name: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut known = HashSet::new();
    for row in rows {
        let (name, family) = (row.run_name(names), row.family());
        if let Some(family) = family.filter(|family| known.insert((name.clone(), *family))) {
            by_name.entry(name).or_default().push(family);
        }
    }
    let mut numbers = HashMap::new();
    for (name, families) in by_name.into_iter().filter(|(_, families)| families.len() > 1) {
        out.warn(
            0,
            format!("{name} is registered {} times; the later ones are named \" #2\" and so on", families.len()),
        );
        numbers.extend(families.into_iter().enumerate().map(|(at, family)| ((name.clone(), family), at)));
    }
    Families(numbers)
}

impl Families {
    fn identity(&self, row: &Row<'_>, names: &HashSet<&str>) -> BenchmarkId {
        let name = row.run_name(names);
        let number = row.family().and_then(|family| self.0.get(&(name.clone(), family)).copied());
        match number {
            Some(at) if at > 0 => id(format!("{name} #{}", at + 1)),
            _ => id(name),
        }
    }
}

/// Benchmarks of which only aggregates were printed: the median, else the mean, is their one value.
fn summaries(rows: &[Row<'_>], names: &HashSet<&str>, measured: &HashSet<String>, line: usize, out: &mut Collector) {
    let mut chosen: BTreeMap<String, (bool, &Row<'_>)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_aggregate(names)) {
        let is = |kind: &str| row.aggregate() == Some(kind) || row.name().ends_with(&format!("_{kind}"));
        let name = row.run_name(names);
        let failed = row.fields.get("error_occurred").and_then(Json::as_bool) == Some(true);
        if measured.contains(&name) || !(is("median") || is("mean") || failed) {
            continue;
        }
        let entry = chosen.entry(name).or_insert((is("median"), row));
        if is("median") && !entry.0 {
            *entry = (true, row);
        }
    }
    if chosen.is_empty() {
        return;
    }
    out.warn(
        line,
        format!(
            "{} benchmarks have only aggregates; drop --benchmark_report_aggregates_only or \
             --benchmark_display_aggregates_only",
            chosen.len()
        ),
    );
    for (name, (_, row)) in chosen {
        row.add(&id(name), line, out);
    }
}

#[cfg(test)]
mod tests;
