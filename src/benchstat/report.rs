//! The layouts of the old tools from a report's raw samples.

use super::benchcmp;
use super::builder::{Builder, Expressions, Origin};
use super::load::{lines, printed_unit};
use super::projection::Observation;
use super::table::{Options, Tables, tables};
use super::v1::{self, Collection};
use crate::config::Layout;
use crate::format::{BenchmarkId, Measurement};
use crate::report::{Design, Report, Row, SuiteReport};
use crate::side::{PerSide, Side};
use crate::stats;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The text of a report in one of the classic layouts, from the samples that its rows show: the fresh ones of a confirmed
/// row, those of the screen of another. Rows are paired as in the report. The default layout has no text of this kind: it
/// gives that of [`Layout::Benchstat`].
///
/// Names come from outside; control characters in them are replaced, nothing else is escaped.
#[must_use]
pub fn text(report: &Report, layout: Layout) -> String {
    match layout {
        Layout::Default | Layout::Benchstat => {
            let mut out = String::new();
            super::text::write(&tabulate(report), &mut out);
            out
        }
        Layout::BenchstatV1 => v1_text(report),
        Layout::Benchcmp => benchcmp_text(report),
    }
}

/// The values of a report as benchstat's comma-separated values.
pub(super) fn csv(report: &Report) -> String {
    let (mut out, mut notes) = (String::new(), String::new());
    super::csv::write(&tabulate(report), &mut out, &mut notes);
    out
}

/// The samples that a row shows.
fn samples(row: &Row) -> PerSide<&[f64]> {
    let shown = row.samples.iter().find(|samples| samples.stage == row.stage).or_else(|| row.samples.last());
    PerSide::from_fn(|side| shown.map_or(&[][..], |samples| samples.values.get(side).as_slice()))
}

/// The packages that have another name in head, by base's name: rows that only base has belong under the new name too.
fn renamed(report: &Report) -> HashMap<&str, &str> {
    let rows = report.suites.iter().flat_map(|suite| &suite.rows);
    let renamed =
        rows.filter_map(|row| Some((row.base_benchmark.as_ref()?.package.as_str(), row.benchmark.package.as_str())));
    renamed.filter(|(base, head)| base != head).collect()
}

/// The package under which a row is shown.
fn package(row: &Row, renamed: &HashMap<&str, &str>) -> String {
    let own = row.benchmark.package.as_str();
    clean(if row.head.is_none() { renamed.get(own).copied().unwrap_or(own) } else { own })
}

/// One column of a layout: its title, and where its samples are.
struct Column<'r> {
    label: String,
    side: Side,
    rows: Vec<(&'r SuiteReport, &'r Row)>,
}

/// The columns of a report: base and head, or the first file and every other one.
fn columns<'r>(report: &'r Report) -> Vec<Column<'r>> {
    let plain = report.design == Design::Files;
    let title = |label: &str, side: Side| clean(if plain { label } else { side.name() });
    let base_suites = if plain { report.suites.get(..1).unwrap_or_default() } else { &report.suites };
    let base = Column {
        label: title(&report.revisions.base.label, Side::Base),
        side: Side::Base,
        rows: base_suites.iter().flat_map(rows_of).collect(),
    };
    let heads: Vec<Column<'_>> = if plain && report.suites.len() > 1 {
        let column = |suite: &'r SuiteReport| Column {
            label: clean(&suite.name),
            side: Side::Head,
            rows: rows_of(suite).collect(),
        };
        report.suites.iter().map(column).collect()
    } else {
        let label = title(&report.revisions.head.label, Side::Head);
        vec![Column { label, side: Side::Head, rows: report.suites.iter().flat_map(rows_of).collect() }]
    };
    std::iter::once(base).chain(heads).collect()
}

fn rows_of(suite: &SuiteReport) -> impl Iterator<Item = (&SuiteReport, &Row)> {
    suite.rows.iter().map(move |row| (suite, row))
}

/// `text` on one line.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The name with its suffix.
fn full_name(id: &BenchmarkId) -> String {
    match id.procs {
        Some(procs) => format!("{}-{procs}", clean(&id.name)),
        None => clean(&id.name),
    }
}

fn tabulate(report: &Report) -> Tables {
    let mut builder = Builder::new(&Expressions::default()).expect("the usual expressions can be read: a test does");
    let several = report.suites.len() > 1 && report.design != Design::Files;
    let renamed = renamed(report);
    for (number, column) in (0..).zip(columns(report)) {
        for (at, (suite, row)) in (0..).zip(&column.rows) {
            let (package, suite) = (package(row, &renamed), clean(&suite.name));
            let suite = ("suite", suite.as_str());
            let package = ("pkg", package.as_str());
            let configuration: Vec<_> = [suite, package]
                .into_iter()
                .filter(|(key, value)| !value.is_empty() && (*key == "pkg" || several))
                .collect();
            let name = full_name(&row.benchmark);
            let observation = Observation { file: &column.label, configuration: &configuration, name: &name };
            let origin = Origin { state: (number, at), line: 0, iterations: None };
            let values = *samples(row).get(column.side);
            builder.add(origin, &observation, values.iter().map(|value| (*value, row.unit.as_str())));
        }
    }
    let policy = &report.policy;
    let options = Options { alpha: policy.alpha, confidence: policy.confidence, assumptions: HashMap::new() };
    tables(builder, &options)
}

fn v1_text(report: &Report) -> String {
    let mut collection = Collection::default();
    let renamed = renamed(report);
    for column in columns(report) {
        collection.add_column(&column.label);
        for (_, row) in column.rows {
            let package = package(row, &renamed);
            let group = v1::group_title(|key| (key == "pkg").then_some(package.as_str()));
            let (unit, factor) = printed_unit(&row.unit);
            for value in *samples(row).get(column.side) {
                collection.add(&group, &full_name(&row.benchmark), &unit, value * factor);
            }
        }
    }
    collection.text(v1::Options { alpha: report.policy.alpha, geomean: false })
}

/// One line a benchmark: the tool knows no more than one value of each, so it gets the median.
fn benchcmp_text(report: &Report) -> String {
    let columns = columns(report);
    let run = |column: &Column<'_>| {
        let config = Arc::new(BTreeMap::new());
        let measurement = |(_, row): &(&SuiteReport, &Row)| {
            let values = stats::order::median_of(samples(row).get(column.side));
            Measurement {
                id: BenchmarkId { name: clean(&row.benchmark.name), ..row.benchmark.clone() },
                unit: row.unit.clone(),
                values: values.into_iter().collect(),
                iterations: None,
                config: Arc::clone(&config),
                line: 0,
            }
        };
        lines(&column.rows.iter().map(measurement).collect::<Vec<_>>())
    };
    let [old, new, ..] = columns.as_slice() else { return String::new() };
    match benchcmp::text(&run(old), &run(new)).0 {
        Some(text) => text + "\nEvery figure is the median of its rounds.\n",
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
