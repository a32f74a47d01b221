//! The normal form of units: the spellings of every tool map to one unit and one scale.
//!
//! Times become seconds (`sec`), sizes bytes (`B`), one execution of the measured code `op`, and rates are per second
//! (`/s`). A metric that is not the benchmark's plain time or memory has its name in front, as in Go's custom units:
//! `cpu-sec/op`, `p99-sec/op`, `max-rss-B`. Whole processes use `sec/op` too: their operation is one execution.

use crate::unit::{Direction, Properties};

mod table;
#[cfg(test)]
mod tests;

use table::{COUNT, Exactness, KNOWN, PER_OP, PREFIX, RATE_OF_TIME, SIZE, TIME, UNDIRECTED_RATE, WHOLE};

/// Wall-clock time of one operation.
pub const WALL_TIME: &str = "sec/op";
/// CPU time of one operation, where a tool reports it beside [`WALL_TIME`].
pub const CPU_TIME: &str = "cpu-sec/op";
/// CPU time in user mode of one operation.
pub const USER_TIME: &str = "user-sec/op";
/// CPU time in the kernel of one operation.
pub const SYSTEM_TIME: &str = "sys-sec/op";
/// Largest resident set of a process, in bytes.
pub const MAX_RSS: &str = "max-rss-B";
/// Size of a file, in bytes; exact, unlike `B` of which nothing is known.
pub const FILE_SIZE: &str = "size-B";

/// A unit in normal form, and how to get there.
#[derive(Debug, Clone, PartialEq)]
pub struct Normal {
    /// The normalised unit; as it was given (trimmed) if nothing is known of it.
    pub unit: String,
    /// What a value is multiplied by.
    pub factor: f64,
    /// Which way is better; `None`: unknown.
    pub better: Option<Direction>,
}

impl Normal {
    /// `value`, given in the original unit, in the normalised one.
    ///
    /// A factor such as 10⁻⁹ has no exact binary form while its reciprocal has: dividing keeps decimal digits.
    #[must_use]
    pub fn apply(&self, value: f64) -> f64 {
        let divisor = self.factor.recip().round();
        if self.factor < 1.0 && (divisor * self.factor - 1.0).abs() < 1e-9 {
            value / divisor
        } else {
            value * self.factor
        }
    }
}

/// The normal form of `unit`.
///
/// Units that no rule knows come back unchanged with factor 1. Normalising a normalised unit changes nothing.
#[must_use]
pub fn normalise(unit: &str) -> Normal {
    let unit = unit.trim();
    let (name, factor) = convert(unit).unwrap_or_else(|| (unit.to_owned(), 1.0));
    let better = properties(&name).better;
    Normal { unit: name, factor, better }
}

/// What is known of a normalised unit before anybody configures it.
#[must_use]
pub fn properties(unit: &str) -> Properties {
    let (better, exactness) = KNOWN
        .iter()
        .find(|(name, ..)| *name == unit)
        .map_or_else(|| (direction_by_shape(unit), Exactness::Noisy), |&(_, better, exactness)| (better, exactness));
    Properties {
        better,
        exact: exactness == Exactness::Exact,
        exact_when_constant: exactness == Exactness::WhenConstant,
    }
}

/// The unit that a rate is computed from: where a benchmark has both, the rate says nothing new.
#[must_use]
pub fn derived_from(unit: &str) -> Option<&'static str> {
    RATE_OF_TIME.contains(&unit).then_some(WALL_TIME)
}

/// Whether `unit` is CPU time of an operation, which stands beside wall time and is not a second finding.
#[must_use]
pub fn is_cpu_time(unit: &str) -> bool {
    [CPU_TIME, USER_TIME, SYSTEM_TIME].contains(&unit)
}

/// Name and factor, or `None` if no rule applies.
fn convert(unit: &str) -> Option<(String, f64)> {
    let word = lowercase_word(unit);
    if let Some((_, name, factor)) = WHOLE.iter().find(|(spelling, ..)| *spelling == unit || *spelling == word) {
        return Some(((*name).to_owned(), *factor));
    }
    let (numerator, denominator) = split(unit);
    let Some(denominator) = denominator else {
        let (name, factor) = measure(numerator)?;
        return Some((name, factor));
    };
    if let Some(per_second) = seconds(denominator) {
        let (name, factor) = measure(numerator).unwrap_or_else(|| (numerator.to_owned(), 1.0));
        // Seconds per second are a load, not a rate: nobody can say what the tool meant.
        return (seconds(numerator).is_none()).then(|| (format!("{name}/s"), factor / per_second));
    }
    let (name, factor) = measure(numerator).unwrap_or_else(|| (numerator.to_owned(), 1.0));
    let per = if PER_OP.contains(&lowercase_word(denominator).as_str()) { "op" } else { denominator };
    Some((format!("{name}/{per}"), factor))
}

/// `numerator/denominator`, also written ` per `; units with more than one `/` are left whole.
fn split(unit: &str) -> (&str, Option<&str>) {
    let halves = unit.split_once('/').or_else(|| unit.split_once(" per "));
    match halves {
        Some((numerator, denominator)) if !denominator.contains('/') && !denominator.is_empty() => {
            (numerator.trim(), Some(denominator.trim()))
        }
        _ => (unit, None),
    }
}

/// A numerator: a time, a size or a count, or one of these behind a metric's name (`p99-ns`, `peak-MB`).
fn measure(numerator: &str) -> Option<(String, f64)> {
    plain(numerator).or_else(|| {
        let (metric, tail) = numerator.rsplit_once('-')?;
        let (name, factor) = seconds(tail).map(|factor| ("sec", factor)).or_else(|| size(tail))?;
        (!metric.is_empty()).then(|| (format!("{metric}-{name}"), factor))
    })
}

fn plain(numerator: &str) -> Option<(String, f64)> {
    let (name, factor) =
        seconds(numerator).map(|factor| ("sec", factor)).or_else(|| size(numerator)).or_else(|| count(numerator))?;
    Some((name.to_owned(), factor))
}

fn seconds(spelling: &str) -> Option<f64> {
    let word = lowercase_word(spelling);
    TIME.iter().find(|(name, _)| *name == word).map(|&(_, factor)| factor)
}

fn size(spelling: &str) -> Option<(&'static str, f64)> {
    let word = lowercase_word(spelling);
    SIZE.iter().find(|(name, ..)| *name == spelling || *name == word).map(|&(_, name, factor)| (name, factor))
}

fn count(spelling: &str) -> Option<(&'static str, f64)> {
    let exact = |word: &str| COUNT.iter().find(|(name, _)| *name == word).map(|&(_, name)| name);
    if let Some(name) = exact(spelling).or_else(|| exact(&lowercase_word(spelling))) {
        return Some((name, 1.0));
    }
    PREFIX.iter().find_map(|&(prefix, factor)| Some((exact(spelling.strip_prefix(prefix)?)?, factor)))
}

/// Words of more than three letters are the same in any case; symbols (`Mb`, `MB`, `ms`, `MS`) are not.
fn lowercase_word(spelling: &str) -> String {
    if spelling.chars().count() > 3 { spelling.to_lowercase() } else { spelling.to_owned() }
}

/// What a normalised unit counts, without a metric's name in front of it, and per what: `max-rss-B` counts `B`,
/// `user-sec/op` counts `sec` per `op`.
#[must_use]
pub fn quantity(unit: &str) -> (&str, Option<&str>) {
    let (numerator, denominator) = split(unit);
    (numerator.rsplit_once('-').map_or(numerator, |(_, base)| base), denominator)
}

/// The direction that the shape of a normalised unit tells: times and sizes are costs, rates are gains.
fn direction_by_shape(unit: &str) -> Option<Direction> {
    let (base, denominator) = quantity(unit);
    let numerator = split(unit).0;
    if denominator == Some("s") {
        // A named size rate (an allocation rate, a disk rate) is not the benchmark's throughput.
        let named = base != numerator && base == "B";
        let known = !named && seconds(base).is_none() && !UNDIRECTED_RATE.contains(&base);
        return known.then_some(Direction::Higher);
    }
    matches!(base, "sec" | "B").then_some(Direction::Lower)
}
