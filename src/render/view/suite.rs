//! A suite as templates see it: per package, one table a unit.

use super::order::Weight;
use super::row::{RowContext, RowView};
use super::sentence;
use crate::render::escape;
use crate::render::ink::{Ink, Outside};
use crate::render::number::{self, Figures};
use crate::report::{Geomean, Report, Row, SuiteReport, Verdict};
use crate::results::{StepOutcome, StepStatus};
use crate::side::Side;
use crate::unit::Direction;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A suite.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteView {
    /// Its name.
    pub name: Outside,
    /// Base's command.
    pub run_base: Outside,
    /// Head's command, if it is another one.
    pub run_head: Option<Outside>,
    /// Its packages, in the order of first appearance.
    pub packages: Vec<PackageView>,
    /// Geometric means over all packages, one a unit; empty where there is one package.
    pub geomeans: Vec<GeomeanView>,
    /// What else there is to say of it: hidden rows, repeated blocks.
    pub remarks: Vec<String>,
}

/// The rows of one package.
#[derive(Debug, Clone, Serialize)]
pub struct PackageView {
    /// The package, if the tool names one.
    pub package: Option<Outside>,
    /// `24 rows: 1 slower, 23 unchanged`.
    pub summary: String,
    /// Whether a row of it changed or failed.
    pub notable: bool,
    /// One table a unit.
    pub tables: Vec<TableView>,
}

/// The rows of one unit.
#[derive(Debug, Clone, Serialize)]
pub struct TableView {
    /// The unit.
    pub unit: Outside,
    /// `lower is better`, `higher is better`, or empty.
    pub better: &'static str,
    /// Level of the intervals, such as `95%`.
    pub level: String,
    /// Whether every p is one of the screen.
    pub screen: bool,
    /// The rows that fit, in the order of the report.
    pub rows: Vec<Arc<RowView>>,
    /// How many rows did not fit.
    pub left_out: usize,
    /// The geometric mean, where the suite has one package.
    pub geomean: Option<GeomeanView>,
}

/// A geometric mean.
#[derive(Debug, Clone, Serialize)]
pub struct GeomeanView {
    /// The unit.
    pub unit: Outside,
    /// Of base's medians.
    pub base: String,
    /// Of head's.
    pub head: String,
    /// The change.
    pub delta: String,
    /// Its interval over rows, or empty.
    pub interval: String,
    /// How many rows are in it.
    pub rows: u32,
    /// `3 left out: degenerate 2, only on one side 1`, or empty.
    pub left_out: String,
}

/// A side that failed.
#[derive(Debug, Clone, Serialize)]
pub struct FailureView {
    /// The suite.
    pub suite: Outside,
    /// `base` or `head`.
    pub side: &'static str,
    /// `setup failed on head: exit code 2 after 3.1 s`.
    pub what: String,
    /// The last lines of output, for a fence; or nothing.
    pub tail: Option<Outside>,
    /// A fence longer than any in `tail`.
    pub fence: String,
}

impl SuiteView {
    /// Drops tables without rows, but keeps some for their geometric mean, and packages without tables.
    pub(super) fn drop_empty(&mut self) {
        for package in &mut self.packages {
            let mut number = 0;
            package.tables.retain(|table| {
                number += 1;
                !table.rows.is_empty() || number <= super::prepare::EMPTY_TABLES && table.geomean.is_some()
            });
        }
        let before = self.packages.len();
        self.packages.retain(|package| !package.tables.is_empty());
        if self.packages.len() < before {
            let gone = number::count(before - self.packages.len(), "package", "packages");
            self.remarks.push(format!("{gone} left out, none of whose rows fits."));
        }
    }
}

/// Rows of a suite and where they belong, before it is known which of them fit.
#[derive(Debug)]
pub(super) struct Skeleton {
    pub(super) view: SuiteView,
    /// Whether names need their `-N`.
    pub(super) with_procs: bool,
    /// For each row of the suite: package, table, and the row itself.
    pub(super) rows: Vec<(usize, usize, Arc<RowView>)>,
}

/// `suite` with all tables still empty, and its rows.
pub(super) fn skeleton(suite: &SuiteReport, report: &Report, prefix: &str, ink: &Ink) -> Skeleton {
    let procs: BTreeSet<Option<u32>> = suite.rows.iter().map(|row| row.benchmark.procs).collect();
    let mut names = suite.rows.iter().map(|row| row.benchmark.package.as_str());
    let first = names.next();
    let one_package = names.all(|name| Some(name) == first);
    let context = RowContext {
        one_package,
        ink,
        suite: &suite.name,
        package_prefix: prefix,
        with_procs: procs.len() > 1,
        several_suites: report.suites.len() > 1,
        threshold: report.policy.threshold,
    };
    let (packages, places) = grouped(suite.rows.iter(), |row| row.benchmark.package.as_str());
    let alone = packages.len() == 1;
    let views: Vec<(PackageView, HashMap<&str, usize>)> =
        packages.iter().map(|(name, rows)| package_view(name, rows, alone.then_some(suite), ink)).collect();
    let rows = suite.rows.iter().zip(places).map(|(row, package)| {
        let table = views[package].1.get(row.unit.as_str()).copied().unwrap_or(0);
        (package, table, Arc::new(context.row(row)))
    });
    let rows = rows.collect();
    let view = SuiteView {
        name: ink.suite(&suite.name),
        run_base: ink.long(&suite.run.base),
        run_head: (suite.run.head != suite.run.base).then(|| ink.long(&suite.run.head)),
        packages: views.into_iter().map(|(view, _)| view).collect(),
        geomeans: if alone { Vec::new() } else { suite.geomeans.iter().map(|g| geomean(g, ink)).collect() },
        remarks: remarks(suite),
    };
    Skeleton { view, with_procs: context.with_procs, rows }
}

/// Rows with a text in common, by that text, in the order of first appearance.
type Groups<'a> = Vec<(&'a str, Vec<&'a Row>)>;

/// The groups of `rows`, and the group of each row.
fn grouped<'a>(rows: impl Iterator<Item = &'a Row>, text: fn(&Row) -> &str) -> (Groups<'a>, Vec<usize>) {
    let mut groups: Groups<'_> = Vec::new();
    let mut by_text: HashMap<&str, usize> = HashMap::new();
    let places = rows.map(|row| {
        let place = *by_text.entry(text(row)).or_insert_with(|| {
            groups.push((text(row), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
        place
    });
    let places = places.collect();
    (groups, places)
}

/// A package, and the place of the table of each unit.
fn package_view<'a>(
    name: &str,
    rows: &[&'a Row],
    alone: Option<&SuiteReport>,
    ink: &Ink,
) -> (PackageView, HashMap<&'a str, usize>) {
    let (units, _) = grouped(rows.iter().copied(), |row| row.unit.as_str());
    let geomeans: HashMap<&str, &Geomean> =
        alone.iter().flat_map(|suite| &suite.geomeans).map(|mean| (mean.unit.as_str(), mean)).collect();
    let table = |(unit, rows): &(&str, Vec<&Row>)| {
        let of_unit = || rows.iter();
        let level = of_unit().filter_map(|row| row.delta.as_ref()).map(|d| d.level).find(|level| *level > 0.0);
        let with_p = || of_unit().filter_map(|row| row.p);
        TableView {
            unit: ink.unit(unit),
            better: of_unit().find_map(|row| row.better).map_or("", |better| match better {
                Direction::Lower => "lower is better",
                Direction::Higher => "higher is better",
            }),
            level: level.map_or_else(String::new, number::plain_percent),
            screen: with_p().count() > 0 && with_p().all(|p| p.kind == crate::report::PKind::Screen),
            rows: Vec::new(),
            left_out: 0,
            geomean: geomeans.get(unit).map(|mean| geomean(mean, ink)),
        }
    };
    let view = PackageView {
        package: (!name.is_empty()).then(|| ink.outside(name)),
        summary: summary(rows),
        notable: rows.iter().any(|row| Weight::of(row) < Weight::Suspect),
        tables: units.iter().map(table).collect(),
    };
    let places = units.into_iter().zip(0..).map(|((unit, _), place)| (unit, place)).collect();
    (view, places)
}

/// `24 rows: 1 regression, 23 unchanged`.
fn summary(rows: &[&Row]) -> String {
    type Kind = (&'static str, &'static str, fn(&Verdict) -> bool);
    let kinds: [Kind; 10] = [
        ("regression", "regressions", |v| matches!(v, Verdict::Regression)),
        ("slower?", "slower?", |v| matches!(v, Verdict::Slower)),
        ("improvement", "improvements", |v| matches!(v, Verdict::Improvement)),
        ("faster?", "faster?", |v| matches!(v, Verdict::Faster)),
        ("failed", "failed", |v| matches!(v, Verdict::Failed(..) | Verdict::Flaky(..) | Verdict::TimedOut(_))),
        ("inconclusive", "inconclusive", |v| matches!(v, Verdict::Inconclusive(_))),
        ("new", "new", |v| matches!(v, Verdict::New)),
        ("removed", "removed", |v| matches!(v, Verdict::Removed)),
        ("unchanged", "unchanged", |v| matches!(v, Verdict::Unchanged)),
        ("not judged", "not judged", |v| matches!(v, Verdict::Unjudged(_) | Verdict::Skipped(..))),
    ];
    let found: Vec<String> = kinds
        .iter()
        .filter_map(|(one, many, is)| {
            let n = rows.iter().filter(|row| is(&row.verdict)).count();
            (n > 0).then(|| number::count(n, one, many))
        })
        .collect();
    format!("{}: {}", number::count(rows.len(), "row", "rows"), found.join(", "))
}

fn geomean(geomean: &Geomean, ink: &Ink) -> GeomeanView {
    // Means of counts are no counts: without the fraction they would look equal.
    let figures = Figures::new(&geomean.unit, &[geomean.base, geomean.head]);
    let left_out: u32 = geomean.left_out.values().sum();
    let reasons: Vec<String> =
        geomean.left_out.iter().map(|(reason, n)| format!("{} {n}", ink.prose(reason))).collect();
    GeomeanView {
        unit: ink.unit(&geomean.unit),
        base: figures.format(geomean.base),
        head: figures.format(geomean.head),
        delta: number::signed_percent(geomean.ratio),
        interval: geomean.interval.map_or_else(String::new, |(lo, hi)| number::percent_interval(Some(lo), Some(hi))),
        rows: geomean.rows,
        left_out: if left_out == 0 { String::new() } else { format!("{left_out} left out: {}", reasons.join(", ")) },
    }
}

fn remarks(suite: &SuiteReport) -> Vec<String> {
    let mut remarks = Vec::new();
    if suite.filtered_out > 0 {
        remarks.push(format!(
            "{} hidden by the suite's filter.",
            number::count(suite.filtered_out as usize, "row", "rows")
        ));
    }
    let blocks = suite.blocks;
    if blocks.invalid + blocks.kept > 0 {
        remarks.push(format!(
            "{} run; {} disturbed and run again, {} disturbed and kept.",
            number::count(blocks.run as usize, "block", "blocks"),
            blocks.invalid,
            blocks.kept
        ));
    }
    remarks
}

/// The sides of `suite` that failed, with at most `tail` bytes of output each.
pub(super) fn failures(suite: &SuiteReport, tail: usize, ink: &Ink) -> Vec<FailureView> {
    let mut failures = Vec::new();
    for side in Side::BOTH {
        let setup = suite.setup.get(side);
        if !matches!(setup.status, StepStatus::Ok | StepStatus::NotRun) {
            let what = format!("setup failed on {side}: {}", ended(setup, ink));
            failures.push(failure(suite, side, what, setup, tail, ink));
        }
        if let Some(rounds) = suite.failed_rounds.get(side) {
            let first = if rounds.differ { ", the first" } else { "" };
            let (which, ended) = (sentence::failed_rounds(rounds), ended(&rounds.first, ink));
            let what = format!("{which} failed on {side}{first}: {ended}");
            failures.push(failure(suite, side, what, &rounds.first, tail, ink));
        }
    }
    failures
}

fn ended(step: &StepOutcome, ink: &Ink) -> String {
    let status = sentence::status(&step.status, ink);
    // A time limit is a time already.
    let timed = step.seconds > 0.0 && !matches!(step.status, StepStatus::TimedOut(_));
    if timed { format!("{status} after {}", number::duration(step.seconds)) } else { status }
}

fn failure(suite: &SuiteReport, side: Side, what: String, step: &StepOutcome, tail: usize, ink: &Ink) -> FailureView {
    let lines = escape::visible_lines(&step.tail, tail.min(4096));
    let last: Vec<&str> = lines.lines().rev().take(20).collect();
    let lines = last.into_iter().rev().collect::<Vec<_>>().join("\n");
    FailureView {
        suite: ink.suite(&suite.name),
        side: side.name(),
        what,
        fence: escape::fence_for(&lines),
        tail: (!lines.trim().is_empty()).then(|| ink.lines(lines)),
    }
}
