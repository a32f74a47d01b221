//! Parameter sweeps: benchmarks that differ in one number of their name, or in the processor count alone.
//!
//! A suite's `sweep` names the parameter. Without one, `/key=16` and a number at the end of the name (`Chan128`) are
//! recognised where there are enough of them, and `-cpu 1,2,4` where nothing else varies.

pub mod picture;

use crate::render::number;
use crate::render::view::order::Weight;
use crate::report::{Report, Row, SuiteReport};
use crate::side::{PerSide, Side};
use crate::unit::Direction;
use regex::Regex;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// Fewer values than this are a pair of rows, not a sweep.
const FEWEST: usize = 3;
/// A number at the end of a name is often a width (`sha256`): it takes more of them.
const FEWEST_TRAILING: usize = 4;

/// One family of benchmarks along one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The suite's name. Unescaped.
    pub suite: String,
    /// The package. Unescaped.
    pub package: String,
    /// The name with the parameter's value replaced by `{parameter}`. Unescaped.
    pub family: String,
    /// The parameter's name. Unescaped.
    pub parameter: String,
    /// The unit. Unescaped.
    pub unit: String,
    /// Which way is better.
    pub better: Option<Direction>,
    /// The parameter's values, rising, as they are written.
    pub values: Vec<String>,
    /// One line for each side and processor count that has them.
    pub lines: Vec<Line>,
    /// Rows that are better, worse, and all that are on both sides.
    pub verdicts: Verdicts,
}

/// What became of a sweep's rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Improvements.
    pub better: usize,
    /// Regressions.
    pub worse: usize,
    /// Rows on both sides.
    pub of: usize,
}

/// The medians of one side and processor count.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The side.
    pub side: Side,
    /// The processor count, where the sweep has several.
    pub procs: Option<u32>,
    /// One median for each value of the sweep, where there is one.
    pub points: Vec<Option<f64>>,
}

/// What a name tells of its parameter.
#[derive(Debug, Clone, PartialEq)]
struct Captured {
    family: String,
    parameter: String,
    text: String,
    value: f64,
}

/// Package, unit, family, parameter.
type FamilyKey<'a> = (&'a str, &'a str, String, String);

type Members<'a> = Vec<(Captured, &'a Row)>;

/// All sweeps of a report, in the order of first appearance.
#[must_use]
pub fn find(report: &Report) -> Vec<Sweep> {
    report.suites.iter().flat_map(in_suite).collect()
}

fn in_suite(suite: &SuiteReport) -> Vec<Sweep> {
    let mut families = Families::default();
    for row in suite.rows.iter().filter(|row| !row.derived) {
        for captured in capture(suite, row) {
            families.add(captured, row);
        }
    }
    let enough = |(key, members): &(FamilyKey<'_>, Members<'_>)| distinct(members) >= fewest(suite, &key.3);
    let families: Vec<_> = families.list.into_iter().filter(enough).collect();
    // A name with several parameters is in several families: the one with most values shows it.
    let mut largest: HashMap<*const Row, usize> = HashMap::new();
    for (_, members) in &families {
        let size = distinct(members);
        for (_, row) in members {
            let known = largest.entry(std::ptr::from_ref(*row)).or_default();
            *known = size.max(*known);
        }
    }
    let shows = |members: &Members<'_>| {
        let size = distinct(members);
        members.iter().any(|(_, row)| largest.get(&std::ptr::from_ref(*row)) == Some(&size))
    };
    let kept = families.iter().filter(|(_, members)| shows(members));
    let sweeps: Vec<Sweep> = kept.map(|(key, members)| sweep(suite, key, members)).collect();
    if sweeps.is_empty() { by_processors(suite) } else { sweeps }
}

/// Rows by family, in the order of first appearance.
#[derive(Default)]
struct Families<'a> {
    list: Vec<(FamilyKey<'a>, Members<'a>)>,
    index: HashMap<FamilyKey<'a>, usize>,
}

impl<'a> Families<'a> {
    fn add(&mut self, captured: Captured, row: &'a Row) {
        let benchmark = &row.benchmark;
        let key = (benchmark.package.as_str(), row.unit.as_str(), captured.family.clone(), captured.parameter.clone());
        let at = *self.index.entry(key).or_insert_with_key(|key| {
            self.list.push((key.clone(), Vec::new()));
            self.list.len() - 1
        });
        self.list[at].1.push((captured, row));
    }
}

fn fewest(suite: &SuiteReport, parameter: &str) -> usize {
    if suite.sweep.is_none() && parameter.is_empty() { FEWEST_TRAILING } else { FEWEST }
}

fn distinct(members: &[(Captured, &Row)]) -> usize {
    let mut values: Vec<f64> = members.iter().map(|(captured, _)| captured.value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

/// The parameters that the name of `row` may have.
fn capture(suite: &SuiteReport, row: &Row) -> Vec<Captured> {
    static KEYED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|/)([^/=]+)=([0-9.]+(?:[kKMG]i?)?B?)(?:/|$)").expect("a constant pattern"));
    static TRAILING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[^0-9.]([0-9]+)$").expect("a constant pattern"));
    let name = &row.benchmark.name;
    let cut = |value: regex::Match<'_>, parameter: &str| {
        let text = value.as_str();
        Some(Captured {
            family: format!("{}{{{parameter}}}{}", &name[..value.start()], &name[value.end()..]),
            parameter: parameter.to_owned(),
            text: text.to_owned(),
            value: magnitude(text)?,
        })
    };
    if let Some(config) = &suite.sweep {
        // The configuration was checked when it was read; a pattern that is none finds nothing.
        let found =
            Regex::new(&config.capture).ok().and_then(|pattern| cut(pattern.captures(name)?.get(1)?, &config.name));
        return found.into_iter().collect();
    }
    let mut found: Vec<Captured> = Vec::new();
    let mut at = 0;
    // The slash that ends one part begins the next, so the search goes on before it.
    while let Some(groups) = KEYED.captures_at(name, at) {
        let (Some(key), Some(value)) = (groups.get(1), groups.get(2)) else { break };
        found.extend(cut(value, key.as_str()));
        at = value.end();
    }
    if found.is_empty() {
        found.extend(TRAILING.captures(name).and_then(|groups| cut(groups.get(1)?, "")));
    }
    found
}

/// The number that a value stands for: `16`, `4KiB`, `1M`.
fn magnitude(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let value: f64 = digits.parse().ok()?;
    let factor = match text[digits.len()..].trim_end_matches('B') {
        "" => 1.0,
        "k" | "K" => 1e3,
        "ki" | "Ki" => 1024.0,
        "M" => 1e6,
        "Mi" => 1_048_576.0,
        "G" => 1e9,
        "Gi" => 1_073_741_824.0,
        _ => return None,
    };
    Some(value * factor)
}

fn sweep(suite: &SuiteReport, key: &FamilyKey<'_>, members: &[(Captured, &Row)]) -> Sweep {
    let mut values: Vec<(f64, &str)> = members.iter().map(|(c, _)| (c.value, c.text.as_str())).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|a, b| a.0 == b.0);
    let mut lines: BTreeMap<(Option<u32>, Side), Vec<Option<f64>>> = BTreeMap::new();
    for (captured, row) in members {
        let at = values.binary_search_by(|(value, _)| value.total_cmp(&captured.value)).ok();
        for side in Side::BOTH {
            let median = summary(row, side);
            let points = lines.entry((row.benchmark.procs, side)).or_insert_with(|| vec![None; values.len()]);
            if let (Some(at), Some(median)) = (at, median) {
                points[at] = Some(median);
            }
        }
    }
    let several = lines.keys().any(|(procs, _)| Some(procs) != lines.keys().next().map(|(first, _)| first));
    Sweep {
        suite: suite.name.clone(),
        package: key.0.to_owned(),
        family: if key.3.is_empty() { key.2.replace("{}", "*") } else { key.2.clone() },
        parameter: if key.3.is_empty() { "value".to_owned() } else { key.3.clone() },
        unit: key.1.to_owned(),
        verdicts: verdicts(members),
        better: members.first().and_then(|(_, row)| row.better),
        values: values.into_iter().map(|(_, text)| text.to_owned()).collect(),
        lines: lines
            .into_iter()
            .filter(|(_, points)| points.iter().any(Option::is_some))
            // Go leaves the suffix out where there is one processor.
            .map(|((procs, side), points)| Line { side, procs: several.then(|| procs.unwrap_or(1)), points })
            .collect(),
    }
}

fn verdicts(members: &[(Captured, &Row)]) -> Verdicts {
    let count = |weight: Weight| members.iter().filter(|(_, row)| Weight::of(row) == weight).count();
    let of = members.iter().filter(|(_, row)| row.base.is_some() && row.head.is_some()).count();
    Verdicts { better: count(Weight::Better), worse: count(Weight::Worse), of }
}

fn summary(row: &Row, side: Side) -> Option<f64> {
    PerSide { base: &row.base, head: &row.head }.get(side).as_ref().map(|s| s.center)
}

/// Families along the processor count, for suites that have no other parameter.
fn by_processors(suite: &SuiteReport) -> Vec<Sweep> {
    let mut families = Families::default();
    for row in suite.rows.iter().filter(|row| !row.derived) {
        let procs = row.benchmark.procs.unwrap_or(1);
        let captured = Captured {
            family: row.benchmark.name.clone(),
            parameter: "processors".to_owned(),
            text: procs.to_string(),
            value: f64::from(procs),
        };
        families.add(captured, row);
    }
    let mut families = families.list;
    families.retain(|(_, members)| distinct(members) >= FEWEST);
    let merged = families.iter().map(|(key, members)| {
        let mut found = sweep(suite, key, members);
        found.lines = merge(found.lines);
        found
    });
    merged.collect()
}

/// Lines of single points, one for each processor count, become one line a side.
fn merge(lines: Vec<Line>) -> Vec<Line> {
    let mut merged: Vec<Line> = Vec::new();
    for line in lines {
        match merged.iter_mut().find(|known| known.side == line.side) {
            Some(known) => known.points.iter_mut().zip(line.points).for_each(|(known, point)| *known = known.or(point)),
            None => merged.push(Line { procs: None, ..line }),
        }
    }
    merged
}

impl Sweep {
    fn line(&self, side: Side, procs: Option<u32>) -> Option<&Line> {
        self.lines.iter().find(|line| line.side == side && line.procs == procs)
    }

    /// The processor counts, rising.
    fn procs(&self) -> Vec<u32> {
        let mut procs: Vec<u32> = self.lines.iter().filter_map(|line| line.procs).collect();
        procs.sort_unstable();
        procs.dedup();
        procs
    }

    /// What the figures say, counted: head against base, several processors against the fewest, the span over the
    /// parameter. Claims in prose are checked against these.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        [self.sides(), self.processors(), self.span()].into_iter().flatten().collect()
    }

    /// Head against base, over all lines.
    fn sides(&self) -> Option<String> {
        let pairs: Vec<(f64, f64)> = self
            .lines
            .iter()
            .filter(|line| line.side == Side::Base)
            .filter_map(|base| Some((base, self.line(Side::Head, base.procs)?)))
            .flat_map(|(base, head)| pairs(&base.points, &head.points))
            .collect();
        let ratio = Ratio::of(&pairs)?;
        let Verdicts { better, worse, of } = self.verdicts;
        let changed = match (better, worse) {
            (0, 0) => format!("none of {} changed", number::count(of, "row", "rows")),
            _ => format!("{better} of {} better, {worse} worse", number::count(of, "row", "rows")),
        };
        Some(format!("head against base: {changed}; ×{} over all", factor(ratio.geomean)))
    }

    /// Every processor count against the fewest, on head where head has it.
    fn processors(&self) -> Option<String> {
        let procs = self.procs();
        let (&fewest, more) = procs.split_first()?;
        let side = if self.line(Side::Head, Some(fewest)).is_some() { Side::Head } else { Side::Base };
        let first = self.line(side, Some(fewest))?;
        let parts: Vec<String> = more
            .iter()
            .filter_map(|&n| {
                let ratio = Ratio::of(&pairs(&first.points, &self.line(side, Some(n))?.points))?;
                Some(ratio.text(self, &format!("at {} than at {fewest}", number::count(n as usize, "cpu", "cpus"))))
            })
            .collect();
        (!parts.is_empty()).then(|| format!("{side} is {}", parts.join(", ")))
    }

    /// How far the values of a line lie apart.
    fn span(&self) -> Option<String> {
        let side = if self.lines.iter().any(|line| line.side == Side::Head) { Side::Head } else { Side::Base };
        let parts: Vec<String> = self
            .lines
            .iter()
            .filter(|line| line.side == side)
            .filter_map(|line| {
                let points = || line.points.iter().flatten().copied().filter(|v| *v > 0.0);
                let (low, high) = (points().reduce(f64::min)?, points().reduce(f64::max)?);
                let at = line
                    .procs
                    .map_or_else(String::new, |n| format!(" at {}", number::count(n as usize, "cpu", "cpus")));
                Some(format!("×{}{at}", factor(high / low)))
            })
            .collect();
        (!parts.is_empty()).then(|| format!("over all values {side} spans {}", parts.join(", ")))
    }
}

fn pairs(first: &[Option<f64>], second: &[Option<f64>]) -> Vec<(f64, f64)> {
    let both = first.iter().zip(second).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
    both.filter(|(a, b)| *a > 0.0 && *b > 0.0).collect()
}

/// How many of several pairs rose, and by how much they did on the whole.
struct Ratio {
    up: usize,
    down: usize,
    of: usize,
    geomean: f64,
}

impl Ratio {
    #[expect(clippy::cast_precision_loss, reason = "a handful of pairs")]
    fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        if pairs.is_empty() {
            return None;
        }
        let logs: f64 = pairs.iter().map(|(a, b)| (b / a).ln()).sum();
        Some(Self {
            up: pairs.iter().filter(|(a, b)| b > a).count(),
            down: pairs.iter().filter(|(a, b)| b < a).count(),
            of: pairs.len(),
            geomean: (logs / pairs.len() as f64).exp(),
        })
    }

    /// `faster at 2 cpus than at 1 in 10/10 (×0.66)`: the direction of most pairs, the factor on the values.
    fn text(&self, sweep: &Sweep, what: &str) -> String {
        let up = self.up > self.down;
        let word = super::view::word::change(&sweep.unit, sweep.better, up);
        format!("{word} {what} in {}/{} (×{})", self.up.max(self.down), self.of, factor(self.geomean))
    }
}

fn factor(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests;
