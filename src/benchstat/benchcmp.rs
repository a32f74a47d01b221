//! The layout of benchcmp: each line of one run beside the line of the other, without statistics.

use super::grid::{Align, write_cell};
use super::number::fixed;
use crate::format::go::{self, number};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The lines of one run.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// In the order of their first line.
    names: Vec<String>,
    lines: HashMap<String, Vec<Line>>,
    count: usize,
}

/// One line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    /// Its place in the run.
    order: usize,
    ns_per_op: Option<f64>,
    mb_per_s: Option<f64>,
    allocs_per_op: Option<u64>,
    bytes_per_op: Option<u64>,
}

impl Line {
    /// Enters the value of a tidied unit, if the tool knows it.
    pub(super) fn set(&mut self, unit: &str, value: f64) {
        // A cast stops at the ends of the range; the tool knows no other counts.
        let whole = || (value >= 0.0).then_some(value.round() as u64);
        match unit {
            "sec/op" => self.ns_per_op = Some(value * 1e9),
            "B/s" => self.mb_per_s = Some(value * 1e-6),
            "B/op" => self.bytes_per_op = whole(),
            "allocs/op" => self.allocs_per_op = whole(),
            _ => {}
        }
    }
}

impl Run {
    /// The lines of `text` by the rules of the old reader: it takes what it knows of a line, and no configuration.
    pub(super) fn of_text(text: &go::Text<'_>) -> Self {
        let mut run = Self::default();
        for line in text.lines() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [name, iterations, pairs @ ..] = fields.as_slice() else { continue };
            if !name.starts_with("Benchmark") || number::count(iterations).is_err() {
                continue;
            }
            let mut parsed = Line::default();
            for pair in pairs.chunks_exact(2) {
                let float = || number::value(pair[0]).ok().filter(|v| !v.is_nan());
                let whole = || pair[0].parse().ok().filter(|_| !pair[0].starts_with('+'));
                match pair[1] {
                    "ns/op" => parsed.ns_per_op = float().or(parsed.ns_per_op),
                    "MB/s" => parsed.mb_per_s = float().or(parsed.mb_per_s),
                    "B/op" => parsed.bytes_per_op = whole().or(parsed.bytes_per_op),
                    "allocs/op" => parsed.allocs_per_op = whole().or(parsed.allocs_per_op),
                    _ => {}
                }
            }
            run.add(name, parsed);
        }
        run
    }

    /// Adds a line.
    pub(super) fn add(&mut self, name: &str, line: Line) {
        let lines = self.lines.entry(name.to_owned()).or_insert_with(|| {
            self.names.push(name.to_owned());
            Vec::new()
        });
        lines.push(Line { order: self.count, ..line });
        self.count += 1;
    }

    /// Keeps the fastest line of each benchmark.
    pub(super) fn keep_best(&mut self) {
        for lines in self.lines.values_mut() {
            let order = lines[0].order;
            let mut best = lines[0];
            for line in lines.iter() {
                if line.ns_per_op.unwrap_or(0.0) < best.ns_per_op.unwrap_or(0.0) {
                    best = *line;
                }
            }
            *lines = vec![Line { order, ..best }];
        }
    }
}

/// Two lines side by side.
type Pair<'r> = (&'r str, Line, Line);

/// The tables, and what the tool says of benchmarks that it leaves out. `None` if no benchmark is in both runs.
pub(super) fn text(old: &Run, new: &Run) -> (Option<String>, Vec<String>) {
    let mut ignored = Vec::new();
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for name in &old.names {
        let before = old.lines.get(name).map_or(&[][..], Vec::as_slice);
        let after = new.lines.get(name).map_or(&[][..], Vec::as_slice);
        if before.len() == after.len() {
            pairs.extend(before.iter().zip(after).map(|(b, a)| (name.as_str(), *b, *a)));
        } else {
            let (b, a) = (before.len(), after.len());
            ignored.push(format!("ignoring {name}: before has {b} instances, after has {a}"));
        }
    }
    if pairs.is_empty() {
        return (None, ignored);
    }
    pairs.sort_by_key(|(_, before, _)| before.order);
    let mut out = String::new();
    let title = |old, new, delta| ["benchmark", old, new, delta];
    block(&mut out, &pairs, true, title("old ns/op", "new ns/op", "delta"), |l| l.ns_per_op, nanoseconds, percent);
    block(&mut out, &pairs, false, title("old MB/s", "new MB/s", "speedup"), |l| l.mb_per_s, rate, multiple);
    block(&mut out, &pairs, false, title("old allocs", "new allocs", "delta"), |l| l.allocs_per_op, whole, percent);
    block(&mut out, &pairs, false, title("old bytes", "new bytes", "delta"), |l| l.bytes_per_op, whole, percent);
    (Some(out), ignored)
}

/// A number that a block shows.
trait Quantity: Copy {
    fn number(self) -> f64;
}

impl Quantity for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Quantity for u64 {
    fn number(self) -> f64 {
        self as f64
    }
}

/// The pairs that have a quantity, under a title.
fn block<Q: Quantity>(
    out: &mut String,
    pairs: &[Pair<'_>],
    first: bool,
    title: [&str; 4],
    get: impl Fn(&Line) -> Option<Q>,
    show: impl Fn(&mut String, Q),
    compare: impl Fn(&mut String, f64),
) {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (name, before, after) in pairs {
        if let (Some(before), Some(after)) = (get(before), get(after)) {
            let mut row = [(*name).to_owned(), String::new(), String::new(), String::new()];
            show(&mut row[1], before);
            show(&mut row[2], after);
            compare(&mut row[3], ratio(before.number(), after.number()));
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return;
    }
    // Every block but the first begins with an empty line, also where the first is missing.
    if !first {
        out.push('\n');
    }
    rows.insert(0, title.map(str::to_owned));
    let width = |col: usize| rows.iter().map(|row| row[col].chars().count()).max().unwrap_or(0) + 5;
    let widths = [width(0), width(1), width(2)];
    for row in &rows {
        for (cell, width) in row.iter().zip(widths) {
            write_cell(out, cell, Align::Left, width);
        }
        out.push_str(&row[3]);
        out.push('\n');
    }
}

/// After by before; nothing to nothing is no change.
fn ratio(before: f64, after: f64) -> f64 {
    if before != 0.0 {
        after / before
    } else if after == 0.0 {
        1.0
    } else {
        f64::INFINITY
    }
}

fn percent(text: &mut String, ratio: f64) {
    fixed(text, 100.0 * ratio - 100.0, 2, true);
    text.push('%');
}

fn multiple(text: &mut String, ratio: f64) {
    fixed(text, ratio, 2, false);
    text.push('x');
}

fn rate(text: &mut String, value: f64) {
    fixed(text, value, 2, false);
}

fn whole(text: &mut String, value: u64) {
    // Writing into a string cannot fail.
    let _ = write!(text, "{value}");
}

/// Nanoseconds with the digits that `go test` prints.
fn nanoseconds(text: &mut String, ns: f64) {
    let decimals = if ns < 10.0 {
        2
    } else if ns < 100.0 {
        1
    } else {
        0
    };
    fixed(text, ns, decimals, false);
}
