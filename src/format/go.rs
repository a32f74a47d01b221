//! The Go benchmark format: `go test -bench` as text, with `-v`, and with `-json`.
//!
//! The format is described in Go's design document 14313. [`Reader`] reads it record by record as benchstat does;
//! [`parse`] gives what one round measured.
//!
//! Where `go test` alone cannot be read right, the reader says so: a benchmark that prints to standard output separates
//! its name from its result (run with `-v` or `-json`), and a log line such as `warning: slow disk` is a configuration
//! line by the letter of the format.

mod json;
mod line;
pub mod name;
pub(crate) mod number;
mod outcome;
mod reader;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use line::configuration as configuration_line;
pub use reader::{FailureLine, Reader, Record, ResultLine, UnitLine, Value, Warning, WarningKind};
pub use text::Text;

use super::{BenchmarkId, Failure, Measurement, ParseWarning, Parsed, UnitHint};
use crate::unit::{Direction, tidy_unit};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Most warnings that are kept one by one; the rest is counted.
const KEPT_WARNINGS: usize = 500;

/// What one output of `go test -bench` measured.
///
/// Names come without `Benchmark` and without the `-N` suffix, which is [`BenchmarkId::procs`]; the package is that of the
/// `pkg:` line. Units are tidied (`ns/op` is `sec/op`), zeros too. Never fails: what cannot be used is a warning with its
/// line.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed {
    parse_text(&Text::decode(bytes))
}

/// [`parse`] of an output that is already decoded.
#[must_use]
pub fn parse_text(text: &Text<'_>) -> Parsed {
    let mut reader = Reader::new(text);
    let mut collector = Collector::default();
    while let Some(record) = reader.next() {
        match record {
            Record::Result(result) => collector.result(&reader, result),
            Record::Unit(unit) => collector.unit(unit),
            Record::Failure(failure) => collector.failure(&reader, failure),
            Record::Warning(warning) => collector.warn(warning.line, warning.message),
        }
    }
    collector.finish()
}

/// The identity of the benchmark that the format calls `name` in `package`.
///
/// A suffix too large for a number of processors is left in the name.
#[must_use]
pub fn benchmark_id(package: &str, name: &str) -> BenchmarkId {
    let (base, procs) = name::split_procs(name);
    let procs = procs.and_then(|digits| digits.parse().ok());
    let name = if procs.is_some() { base } else { name };
    BenchmarkId { package: package.to_owned(), name: name.to_owned(), procs }
}

/// Puts records together.
#[derive(Default)]
struct Collector<'t> {
    parsed: Parsed,
    /// Where the measurements of a package, name and printed unit are.
    places: HashMap<(&'t str, &'t str, &'t str), usize>,
    /// The same by tidied unit: several units may be one when tidied.
    tidied: HashMap<(&'t str, &'t str, String), usize>,
    /// The configuration as of a version of the reader's.
    config: Option<(u32, Arc<BTreeMap<String, String>>)>,
    /// Keys whose value differs between lines of one benchmark.
    mixed: HashSet<String>,
    dropped_warnings: usize,
}

impl<'t> Collector<'t> {
    fn warn(&mut self, line: usize, message: String) {
        if self.parsed.warnings.len() < KEPT_WARNINGS {
            self.parsed.warnings.push(ParseWarning { line, message });
        } else {
            self.dropped_warnings += 1;
        }
    }

    fn config(&mut self, reader: &Reader<'t>) -> Arc<BTreeMap<String, String>> {
        if let Some((version, config)) = &self.config
            && *version == reader.version()
        {
            return Arc::clone(config);
        }
        let pairs = reader.configuration().iter();
        let config = Arc::new(pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect());
        self.config = Some((reader.version(), Arc::clone(&config)));
        config
    }

    fn result(&mut self, reader: &Reader<'t>, result: ResultLine<'t>) {
        let iterations = u64::try_from(result.iterations).ok();
        if iterations.is_none_or(|n| n == 0) && !result.recovered {
            self.warn(result.line, format!("Benchmark{} ran {} iterations", result.name, result.iterations));
        }
        let config = self.config(reader);
        let package = setting(reader, "pkg");
        let nothing = reader.values().iter().all(|value| value.value.is_nan());
        if nothing {
            // All of its values were NaN. An infinity makes the row failed too: neither is a number to compare.
            let id = benchmark_id(package, result.name);
            let message = "its value is not a number".to_owned();
            self.parsed.failures.push(Failure { id, kind: super::FailureKind::Failed, message });
        }
        for value in reader.values() {
            let (unit, factor) = tidy_unit(value.unit);
            if value.value.is_nan() {
                let lost = (benchmark_id(package, result.name), unit.into_owned());
                self.parsed.non_finite.extend((!nothing).then_some(lost));
                continue;
            }
            let printed = (package, result.name, value.unit);
            let place = self.places.get(&printed).copied().unwrap_or_else(|| {
                let new = self.parsed.measurements.len();
                let key = (package, result.name, unit.clone().into_owned());
                let place = *self.tidied.entry(key).or_insert(new);
                self.places.insert(printed, place);
                place
            });
            let Some(known) = self.parsed.measurements.get_mut(place) else {
                self.parsed.measurements.push(Measurement {
                    id: benchmark_id(package, result.name),
                    unit: unit.into_owned(),
                    values: vec![value.value * factor],
                    iterations,
                    config: Arc::clone(&config),
                    line: result.line,
                });
                continue;
            };
            known.values.push(value.value * factor);
            known.iterations = known.iterations.min(iterations).or(known.iterations).or(iterations);
            if !Arc::ptr_eq(&known.config, &config) {
                let before = Arc::clone(&known.config);
                self.note_mixture(&before, &config, result);
            }
        }
    }

    /// Says, once a key, that values of one benchmark were measured under different configurations.
    fn note_mixture(&mut self, a: &BTreeMap<String, String>, b: &BTreeMap<String, String>, result: ResultLine<'_>) {
        let differing = a.keys().chain(b.keys()).filter(|key| !self.mixed.contains(*key) && a.get(*key) != b.get(*key));
        for key in differing.cloned().collect::<BTreeSet<_>>() {
            let shown = |map: &BTreeMap<String, String>| map.get(&key).map_or("none", String::as_str).to_owned();
            let message = format!(
                "Benchmark{} was measured under different {key:?}: {:?} and {:?} are taken together",
                result.name,
                shown(a),
                shown(b)
            );
            self.warn(result.line, message);
            self.mixed.insert(key);
        }
    }

    fn unit(&mut self, line: UnitLine<'_>) {
        let (unit, _) = tidy_unit(line.unit);
        let hint = self.parsed.units.entry(unit.into_owned()).or_default();
        if let Err(message) = state(hint, line) {
            self.warn(line.line, message);
        }
    }

    fn failure(&mut self, reader: &Reader<'t>, failure: FailureLine<'t>) {
        let package = failure.package.unwrap_or_else(|| setting(reader, "pkg"));
        let id = benchmark_id(package, failure.name);
        self.parsed.failures.push(Failure { id, kind: failure.kind, message: failure.message });
    }

    fn finish(mut self) -> Parsed {
        if self.dropped_warnings > 0 {
            let message = format!("{} more lines could not be used or are unusual", self.dropped_warnings);
            self.parsed.warnings.push(ParseWarning { line: 0, message });
        }
        give_suffix(&mut self.parsed);
        self.parsed.failures = without_repetition(std::mem::take(&mut self.parsed.failures));
        self.parsed
    }
}

/// The value of a configuration key, empty if it is not set.
fn setting<'t>(reader: &Reader<'t>, key: &str) -> &'t str {
    reader.configuration().iter().find(|(k, _)| *k == key).map_or("", |(_, value)| value)
}

/// Enters one statement of a `Unit` line into `hint`. The first statement of a key holds.
fn state(hint: &mut UnitHint, line: UnitLine<'_>) -> Result<(), String> {
    let conflict = |have: &str| Err(format!("metadata {} of unit {} already set to {have}", line.key, line.unit));
    match (line.key, line.value) {
        ("better", word @ ("higher" | "lower")) => {
            let stated = if word == "higher" { Direction::Higher } else { Direction::Lower };
            match hint.better {
                Some(Direction::Higher) if stated == Direction::Lower => conflict("higher"),
                Some(Direction::Lower) if stated == Direction::Higher => conflict("lower"),
                _ => {
                    hint.better = Some(stated);
                    Ok(())
                }
            }
        }
        ("assume", word) => {
            let stated = word == "exact";
            match hint.exact {
                Some(true) if !stated => conflict("exact"),
                Some(false) if stated => conflict("nothing"),
                _ => {
                    hint.exact = Some(stated);
                    Ok(())
                }
            }
        }
        ("better", other) => Err(format!("better={other} of unit {} is neither higher nor lower", line.unit)),
        (key, _) => Err(format!("{key} of unit {} has no meaning here", line.unit)),
    }
}

/// Gives benchmarks that failed or were skipped the suffix that every result has: `go test` announces them without it in
/// some places, and without it they would not pair with the other side's row.
fn give_suffix(parsed: &mut Parsed) {
    let mut suffixes = parsed.measurements.iter().map(|m| m.id.procs);
    let Some(Some(procs)) = suffixes.next() else { return };
    if suffixes.all(|other| other == Some(procs)) {
        for failure in &mut parsed.failures {
            failure.id.procs.get_or_insert(procs);
        }
    }
}

/// Keeps one failure of each benchmark, with the first words that any of them has: one failure may be announced where
/// the result should be, and again by itself.
fn without_repetition(failures: Vec<Failure>) -> Vec<Failure> {
    let mut places: HashMap<BenchmarkId, usize> = HashMap::new();
    let mut kept: Vec<Failure> = Vec::new();
    for failure in failures {
        match places.get(&failure.id) {
            Some(&place) if kept[place].message.is_empty() => kept[place].message = failure.message,
            Some(_) => {}
            None => {
                places.insert(failure.id.clone(), kept.len());
                kept.push(failure);
            }
        }
    }
    kept
}
