//! divan's tree: a row for each benchmark, and under it rows for its counters and allocations.

use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number;
use super::source::Source;
use super::tool::{About, Format, Raw, Tool};
use super::{BenchmarkId, number::parse};

/// Reads divan's text.
pub(super) struct Divan;

/// Cells of a row.
const COLUMNS: usize = 6;

impl Tool for Divan {
    fn format(&self) -> Format {
        Format::Divan
    }

    fn about(&self) -> About {
        About {
            title: "divan",
            command: "cargo bench --bench NAME",
            output: None,
            raw: Raw::Summary,
            value: "the median column",
        }
    }

    fn signs(&self, source: &Source) -> usize {
        source.lines().filter(|(_, line)| is_header(line)).count()
    }

    fn text(&self, source: &Source, out: &mut Collector) -> Result<(), FormatError> {
        let mut tree = Tree::default();
        for (number, line) in source.lines() {
            tree.line(number, line, out);
        }
        tree.leaf_ends(out);
        Ok(())
    }
}

/// The first line of a tree: the crate's name and the columns.
fn is_header(line: &str) -> bool {
    let Some(cells) = cells(line) else { return false };
    cells[0].trim_end().ends_with("fastest") && cells[1..].iter().map(|cell| cell.trim()).eq(NAMES[1..].iter().copied())
}

const NAMES: [&str; COLUMNS] = ["fastest", "slowest", "median", "mean", "samples", "iters"];
const MEDIAN: usize = 2;
const SAMPLES: usize = 4;
const ITERS: usize = 5;

/// The cells of a row, from the right, since names may hold the separator.
fn cells(line: &str) -> Option<[&str; COLUMNS]> {
    let mut cells = [""; COLUMNS];
    let mut rest = line;
    for cell in cells[1..].iter_mut().rev() {
        let (left, right) = rest.rsplit_once('│')?;
        (rest, *cell) = (left, right);
    }
    cells[0] = rest;
    Some(cells)
}

/// What the rows under a benchmark count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tally {
    MaxAlloc,
    Alloc,
    Dealloc,
    Grow,
    Shrink,
}

impl Tally {
    fn of(cell: &str) -> Option<Self> {
        let tallies = [
            ("max alloc:", Self::MaxAlloc),
            ("alloc:", Self::Alloc),
            ("dealloc:", Self::Dealloc),
            ("grow:", Self::Grow),
            ("shrink:", Self::Shrink),
        ];
        tallies.into_iter().find(|(label, _)| cell.trim_end().ends_with(&format!(" {label}"))).map(|(_, tally)| tally)
    }

    /// Units of the count and of the size; `None` where a row would say nothing new: what is freed was allocated.
    fn units(self, size: &str) -> Option<(&'static str, String)> {
        match self {
            Self::MaxAlloc => Some(("max-allocs", format!("max-alloc-{size}"))),
            Self::Alloc => Some(("allocs/op", format!("{size}/op"))),
            Self::Grow => Some(("grows/op", format!("grow-{size}/op"))),
            Self::Dealloc | Self::Shrink => None,
        }
    }
}

/// Where we are in a tree.
#[derive(Default)]
struct Tree {
    package: String,
    /// Names of the groups around the current row, by depth.
    path: Vec<String>,
    /// A leaf whose result has not come yet (its own output may stand between), with its line.
    pending: Option<(BenchmarkId, usize)>,
    current: Option<BenchmarkId>,
    iterations: Option<u64>,
    tally: Option<Tally>,
    inside: bool,
}

impl Tree {
    fn line(&mut self, number: usize, line: &str, out: &mut Collector) {
        if is_header(line) {
            self.leaf_ends(out);
            let head = cells(line).map_or("", |cells| cells[0].trim_end());
            let name = head.strip_suffix("fastest").unwrap_or(head).trim();
            *self = Self { package: name.to_owned(), inside: true, ..Self::default() };
        } else if line.trim().is_empty() {
            if self.pending.is_none() {
                self.inside = false;
            }
        } else if self.inside {
            match branch(line) {
                Some((depth, rest)) => self.node(number, depth, rest, out),
                None => self.continuation(number, line, out),
            }
        }
    }

    /// A row with a name of its own: a group, a benchmark, or an ignored one.
    fn node(&mut self, number: usize, depth: usize, rest: &str, out: &mut Collector) {
        self.leaf_ends(out);
        (self.current, self.tally) = (None, None);
        self.path.truncate(depth);
        let Some(cells) = cells(rest) else {
            // The benchmark printed something, or ended the process: its numbers come later or never.
            let name = rest.split("  ").next().unwrap_or(rest).trim();
            self.pending = Some((self.id(name), number));
            return;
        };
        let head = cells[0].trim_end();
        if let Some(name) = head.strip_suffix("(ignored)") {
            out.skipped(&self.id(name.trim()), "");
        } else if cells[MEDIAN].trim().is_empty() {
            self.path.push(head.trim().to_owned());
        } else {
            let name = head.rsplit_once("  ").map_or(head, |(name, _)| name).trim();
            let id = self.id(name);
            self.result(number, id, &cells, out);
        }
    }

    /// A row without a name: more about the current benchmark.
    fn continuation(&mut self, number: usize, line: &str, out: &mut Collector) {
        let Some(cells) = cells(line) else { return };
        if let Some((id, _)) = self.pending.take() {
            return self.result(number, id, &cells, out);
        }
        let Some(id) = self.current.clone() else { return };
        if let Some(tally) = Tally::of(cells[0]) {
            self.tally = Some(tally);
            return;
        }
        let Some((value, unit)) = quantity(cells[MEDIAN]) else {
            out.warn(number, format!("{}: expected a number in the median column", id.name));
            return;
        };
        let unit = match (self.tally, unit) {
            (None, unit) if unit.ends_with("Hz") => unit.replace("Hz", "cycles/s"),
            (None, unit) => unit.to_owned(),
            (Some(tally), "") => tally.units("B").map_or(String::new(), |(count, _)| count.to_owned()),
            (Some(tally), unit) => tally.units(unit).map_or(String::new(), |(_, size)| size),
        };
        if !unit.is_empty() {
            out.add(Value::new(&id, unit, vec![value], number).iterations(self.iterations));
        }
    }

    fn result(&mut self, number: usize, id: BenchmarkId, cells: &[&str; COLUMNS], out: &mut Collector) {
        let Some((value, unit)) = quantity(cells[MEDIAN]) else {
            out.warn(number, format!("{}: expected a time in the median column", id.name));
            return;
        };
        self.iterations = iterations(cells);
        out.add(Value::new(&id, format!("{unit}/iter"), vec![value], number).iterations(self.iterations));
        self.current = Some(id);
    }

    /// A leaf whose numbers never came failed.
    fn leaf_ends(&mut self, out: &mut Collector) {
        if let Some((id, _)) = self.pending.take() {
            out.failed(&id, "divan printed no result for it");
        }
    }

    fn id(&self, name: &str) -> BenchmarkId {
        let mut path = self.path.join("::");
        if !path.is_empty() {
            path.push_str("::");
        }
        in_package(&self.package, path + name)
    }
}

/// Depth of a named row and what follows its branch: three characters for each level.
fn branch(line: &str) -> Option<(usize, &str)> {
    let mut rest = line;
    let mut depth = 0;
    loop {
        if let Some(rest) = rest.strip_prefix("├─ ").or_else(|| rest.strip_prefix("╰─ ")) {
            return Some((depth, rest));
        }
        rest = rest.strip_prefix("│  ").or_else(|| rest.strip_prefix("   "))?;
        depth += 1;
    }
}

/// `429.6 ns`, `25.42 Gchar/s`, `4.096 KB` or a bare count.
fn quantity(cell: &str) -> Option<(f64, &str)> {
    let cell = cell.trim();
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    Some((number::parse(number)?, unit.trim()))
}

/// Iterations of one sample.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count that the tool printed; saturates")]
fn iterations(cells: &[&str; COLUMNS]) -> Option<u64> {
    let (samples, iters) = (parse(cells[SAMPLES])?, parse(cells[ITERS])?);
    (samples >= 1.0).then(|| (iters / samples) as u64)
}

#[cfg(test)]
mod tests;
