//! The layout of the first benchstat, until 2022: `old time/op`, `new time/op`, `delta`.
//!
//! Means after removal of outliers, the range of what is left, the Mann–Whitney test on what is left.

mod scale;

use super::grid::{Align, write_cell};
use super::number::fixed;
use super::table::GeometricMean;
use super::utest::{Outcome, Tester};
use crate::format::go::number::{self, NumberError};
use crate::format::go::{self, name};
use crate::stats::order;
use scale::UnitScale;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// Configuration keys that split results into groups, in the order in which a group's title names them.
const SPLIT_BY: [&str; 3] = ["pkg", "goos", "goarch"];

/// Results in the order in which they are read.
#[derive(Debug, Default)]
pub(super) struct Collection {
    /// Labels of the inputs.
    columns: Vec<String>,
    groups: Ordered,
    units: Ordered,
    /// By group: names in order.
    benchmarks: Vec<Vec<String>>,
    /// Groups and names that are in `benchmarks`.
    known: HashSet<(usize, String)>,
    samples: HashMap<SampleKey, Sample>,
}

/// Column, group, name, unit; the first two as places.
type SampleKey = (usize, usize, String, String);

/// How a table is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// A change is significant if p is below this.
    pub(super) alpha: f64,
    /// Add a row with the geometric mean of each column.
    pub(super) geomean: bool,
}

#[derive(Debug, Default, Clone)]
struct Sample {
    values: Vec<f64>,
    /// Values that are no outliers, in the order read, and what is said of them.
    kept: Vec<f64>,
    min: f64,
    mean: f64,
    max: f64,
}

impl Sample {
    /// Leaves out what is more than one and a half interquartile ranges beyond a quartile (Tukey's fences; quartiles by
    /// definition 8 of Hyndman and Fan).
    fn summarise(&mut self) {
        let sorted = order::sorted(&self.values);
        let quartile = |q| order::quantile(&sorted, q).unwrap_or(f64::NAN);
        let (q1, q3) = (quartile(0.25), quartile(0.75));
        let (lo, hi) = (q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1));
        self.kept = self.values.iter().copied().filter(|v| (lo..=hi).contains(v)).collect();
        self.min = self.kept.iter().copied().fold(f64::INFINITY, f64::min);
        self.max = self.kept.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if self.kept.is_empty() {
            // Quartiles of infinities are no numbers, so nothing is within the fences.
            (self.min, self.mean, self.max) = (f64::NAN, f64::NAN, f64::NAN);
            return;
        }
        self.mean = 0.0;
        for (value, n) in self.kept.iter().zip(1_u32..) {
            self.mean += (value - self.mean) / f64::from(n);
        }
    }

    /// Mean and range: `102ns ± 2%`; five blanks instead of the range if there is none.
    fn write(&self, text: &mut String, scale: UnitScale) {
        scale.write(text, self.mean);
        if self.mean == 0.0 || self.max == 0.0 {
            text.push_str("     ");
            return;
        }
        // The end that is farther from zero is below a negative mean; the tool takes the other one.
        let (far, near) = if self.mean < 0.0 { (self.min, self.max) } else { (self.max, self.min) };
        let (below, above) = (1.0 - near / self.mean, far / self.mean - 1.0);
        let range = if above > below { above } else { below };
        let mut percent = String::new();
        fixed(&mut percent, range * 100.0, 0, false);
        percent.push('%');
        // Writing into a string cannot fail.
        let _ = write!(text, " ±{percent:>3}");
    }
}

impl Collection {
    /// Adds an input; its results go to the last column.
    pub(super) fn add_column(&mut self, label: &str) {
        self.columns.push(label.to_owned());
    }

    /// Adds the text of an input by the rules of the old reader: it takes a line's pairs as far as they are numbers, and
    /// leaves out results without iterations.
    pub(super) fn add_text(&mut self, text: &go::Text<'_>) {
        let mut settings = Settings::default();
        for line in text.lines() {
            if settings.line(line) {
                continue;
            }
            let mut fields = line.split_whitespace();
            let (Some(word), Some(iterations)) = (fields.next(), fields.next()) else { continue };
            let Some(name) = word.strip_prefix("Benchmark").filter(|_| line.starts_with("Benchmark")) else { continue };
            // A number that is too large was taken for the largest one there is.
            if !matches!(number::count(iterations), Ok(1.. | ..=-1) | Err(NumberError::Range)) {
                continue;
            }
            let group = settings.group(name);
            while let (Some(value), Some(unit)) = (fields.next(), fields.next()) {
                if let Some(value) = number::value(value).ok().filter(|v| !v.is_nan()) {
                    self.add(&group, name, unit, value);
                }
            }
        }
    }

    /// Adds one value to the last column.
    pub(super) fn add(&mut self, group: &str, name: &str, unit: &str, value: f64) {
        let group = self.groups.place(group);
        self.benchmarks.resize_with(self.groups.list.len(), Vec::new);
        let key = (self.columns.len().saturating_sub(1), group, name.to_owned(), unit.to_owned());
        if let Some(sample) = self.samples.get_mut(&key) {
            sample.values.push(value);
            return;
        }
        if self.known.insert((group, name.to_owned())) {
            self.benchmarks[group].push(name.to_owned());
        }
        self.units.place(unit);
        self.samples.insert(key, Sample { values: vec![value], ..Sample::default() });
    }

    /// Whether any row has all its columns, where there are two.
    pub(super) fn is_comparable(&self) -> bool {
        let both = |(column, group, name, unit): &SampleKey| {
            *column == 0 && self.samples.contains_key(&(1, *group, name.clone(), unit.clone()))
        };
        if self.columns.len() == 2 { self.samples.keys().any(both) } else { !self.samples.is_empty() }
    }

    /// Whether the columns' geometric means are over different rows.
    pub(super) fn sets_differ(&self) -> bool {
        self.samples.keys().any(|(_, group, name, unit)| {
            (0..self.columns.len()).any(|c| !self.samples.contains_key(&(c, *group, name.clone(), unit.clone())))
        })
    }

    /// All tables.
    pub(super) fn text(mut self, options: Options) -> String {
        for sample in self.samples.values_mut() {
            sample.summarise();
        }
        let mut tester = Tester::default();
        let mut tables = Vec::new();
        for unit in &self.units.list {
            let mut rows = self.rows(unit, options, &mut tester);
            if rows.is_empty() {
                continue;
            }
            rows.insert(0, self.title(unit));
            for row in &mut rows {
                while row.last().is_some_and(String::is_empty) {
                    row.pop();
                }
            }
            tables.push(rows);
        }
        lay_out(&tables)
    }

    fn title(&self, unit: &str) -> Vec<String> {
        let metric = metric(unit);
        match self.columns.as_slice() {
            [_] => vec!["name".to_owned(), metric],
            [_, _] => {
                vec!["name".to_owned(), format!("old {metric}"), format!("new {metric}"), "delta".to_owned()]
            }
            columns => std::iter::once(format!("name \\ {metric}")).chain(columns.iter().cloned()).collect(),
        }
    }

    /// The rows of a unit. A row of one column is the title of a group or a benchmark without values, an empty one ends
    /// the last group.
    fn rows(&self, unit: &str, options: Options, tester: &mut Tester) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut shown = "";
        for (group, (title, names)) in self.groups.list.iter().zip(&self.benchmarks).enumerate() {
            let title = if self.groups.list.len() > 1 { title.as_str() } else { "" };
            for name in names {
                let sample = |column| self.samples.get(&(column, group, name.clone(), unit.to_owned()));
                let samples: Vec<Option<&Sample>> = (0..self.columns.len()).map(sample).collect();
                if samples.len() == 2 && samples.iter().any(Option::is_none) {
                    continue;
                }
                if title != shown {
                    rows.push(vec![title.to_owned()]);
                    shown = title;
                }
                rows.push(row(name, unit, &samples, options, tester));
            }
        }
        if rows.is_empty() {
            return rows;
        }
        if let Some(geomean) = options.geomean.then(|| self.geomean(unit)).flatten() {
            if !shown.is_empty() {
                rows.push(Vec::new());
            }
            rows.push(geomean);
        }
        rows
    }

    /// The geometric means of all means that are not zero, over every group and whether or not the other side has the row.
    fn geomean(&self, unit: &str) -> Option<Vec<String>> {
        let mut row = vec!["[Geo mean]".to_owned()];
        let mut scale = None;
        let mut means = Vec::new();
        let mut most = 0;
        for column in 0..self.columns.len() {
            let mut mean = GeometricMean::default();
            let mut n = 0;
            for (group, names) in self.benchmarks.iter().enumerate() {
                for name in names {
                    let sample = self.samples.get(&(column, group, name.clone(), unit.to_owned()));
                    if let Some(sample) = sample.filter(|sample| sample.mean != 0.0) {
                        mean.add(sample.mean);
                        n += 1;
                    }
                }
            }
            most = most.max(n);
            let mut text = String::new();
            if n > 0 {
                let mean = mean.value().unwrap_or(f64::NAN);
                scale.get_or_insert_with(|| UnitScale::new(mean, unit)).write(&mut text, mean);
                text.push_str("     ");
                means.push(mean);
            }
            row.push(text);
        }
        if most <= 1 {
            return None;
        }
        if let (2, [old, new]) = (self.columns.len(), means.as_slice()) {
            let mut delta = String::new();
            super::sample::write_percent(&mut delta, new / old, false);
            row.push(delta);
        }
        Some(row)
    }
}

/// Texts in the order of first appearance.
#[derive(Debug, Default)]
struct Ordered {
    list: Vec<String>,
    places: HashMap<String, usize>,
}

impl Ordered {
    /// The place of `text`, which is put at the end if it is new.
    fn place(&mut self, text: &str) -> usize {
        if let Some(place) = self.places.get(text) {
            return *place;
        }
        self.list.push(text.to_owned());
        self.places.insert(text.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }
}

fn row(name: &str, unit: &str, samples: &[Option<&Sample>], options: Options, tester: &mut Tester) -> Vec<String> {
    let mut row = vec![name.to_owned()];
    let mut scale = None;
    for sample in samples {
        let mut text = String::new();
        if let Some(sample) = sample {
            sample.write(&mut text, *scale.get_or_insert_with(|| UnitScale::new(sample.mean, unit)));
        }
        row.push(text);
    }
    if let [Some(old), Some(new)] = samples {
        let (delta, note) = compare(old, new, options.alpha, tester);
        row.push(delta);
        row.push(note);
    }
    row
}

/// Delta and note of two samples.
fn compare(old: &Sample, new: &Sample, alpha: f64, tester: &mut Tester) -> (String, String) {
    if old.kept.is_empty() || new.kept.is_empty() {
        return ("~   ".to_owned(), "(too few samples)".to_owned());
    }
    match tester.test(&order::sorted(&old.kept), &order::sorted(&new.kept)) {
        Outcome::AllEqual => ("~   ".to_owned(), "(all equal)".to_owned()),
        Outcome::P(p) => {
            let mut delta = String::new();
            if p >= alpha {
                delta.push_str("~   ");
            } else if new.mean == old.mean {
                delta.push_str("0.00%");
            } else {
                super::sample::write_percent(&mut delta, new.mean / old.mean, old.mean < 0.0);
            }
            let mut note = "(p=".to_owned();
            fixed(&mut note, p, 3, false);
            // Writing into a string cannot fail.
            let _ = write!(note, " n={}+{})", old.kept.len(), new.kept.len());
            (delta, note)
        }
    }
}

/// What a table of `unit` is called.
fn metric(unit: &str) -> String {
    const NAMES: [(&str, &str); 4] =
        [("ns/op", "time/op"), ("ns/GC", "time/GC"), ("B/op", "alloc/op"), ("MB/s", "speed")];
    for (known, name) in NAMES {
        if unit == known {
            return name.to_owned();
        }
        if let Some(prefix) = unit.strip_suffix(known).and_then(|rest| rest.strip_suffix('-')) {
            return format!("{prefix}-{name}");
        }
    }
    unit.to_owned()
}

/// Columns are as wide as in the widest of all tables.
fn lay_out(tables: &[Vec<Vec<String>>]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in tables.iter().flatten().filter(|row| row.len() > 1) {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    for (at, table) in tables.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for (number, row) in table.iter().enumerate() {
            write_row(&mut out, row, &widths, number == 0);
            out.push('\n');
        }
    }
    out
}

fn write_row(out: &mut String, row: &[String], widths: &[usize], title: bool) {
    match row {
        [single] => out.push_str(single),
        [name, ..] => write_cell(out, name, Align::Left, widths[0]),
        [] => {}
    }
    for (at, cell) in row.iter().enumerate().skip(1) {
        let last = at + 1 == row.len();
        out.push_str("  ");
        if last && (title || cell.starts_with('(')) {
            out.push_str(cell);
        } else {
            write_cell(out, cell, if title { Align::Left } else { Align::Right }, widths[at]);
        }
    }
}

/// Configuration in force.
#[derive(Debug, Default)]
struct Settings(Vec<(String, String)>);

impl Settings {
    /// Takes a line; whether it was configuration.
    fn line(&mut self, line: &str) -> bool {
        let Some((key, value)) = go::configuration_line(line) else { return false };
        self.0.retain(|(k, _)| k != key);
        if !value.is_empty() {
            self.0.push((key.to_owned(), value.to_owned()));
        }
        true
    }

    /// The title of the group of a benchmark.
    fn group(&self, name: &str) -> String {
        let set = |key: &str| self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str());
        group_title(|key| name::sub(name, &format!("/{key}")).filter(|v| !v.is_empty()).or_else(|| set(key)))
    }
}

/// The title of a group whose keys `get` gives.
pub(super) fn group_title<'v>(get: impl Fn(&str) -> Option<&'v str>) -> String {
    let set =
        SPLIT_BY.iter().filter_map(|key| get(key).filter(|v| !v.is_empty()).map(|value| format!("{key}:{value}")));
    set.collect::<Vec<_>>().join(" ")
}
