//! What a round printed becomes values of rows.

use super::exec::Execution;
use super::tail;
use crate::format::{BenchmarkId, Measurement, Parsed};
use crate::results::{Inner, RowFailure, RowKey, SuiteResults, Value};
use crate::unit;
use regex::Regex;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Most rows of a run (`results.json` allows no more).
pub const ROWS_LIMIT: usize = 10_000;
/// Most rows of a suite whose inner values are summarised.
const SUMMARIES_LIMIT: usize = 2000;
/// Longest name of a benchmark, package or unit, in bytes.
pub const NAME_LIMIT: usize = 1024;
/// Most unparsed lines and failures that are kept of one round.
pub(super) const NOTES_LIMIT: usize = 100;
/// Most warnings of a suite.
const WARNINGS_LIMIT: usize = 50;

/// The rows of a suite: which index belongs to which key, and which names are wanted.
#[derive(Debug, Default)]
pub(super) struct Rows {
    index: HashMap<RowKey, u32>,
    filters: Vec<Regex>,
    hidden: BTreeSet<RowKey>,
    /// How many more rows the run may have; the limit is on all suites together.
    pub(super) room: usize,
}

/// What of a round concerns rows.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) values: Vec<Value>,
    pub(super) failures: Vec<RowFailure>,
    pub(super) unparsed: Vec<(u64, String)>,
    rows: HashSet<u32>,
}

impl Rows {
    pub(super) fn new(filters: Vec<Regex>) -> Self {
        Self { filters, ..Self::default() }
    }

    /// Whether the filters keep a benchmark; they look at its name, without its package.
    pub(super) fn wants(&self, id: &BenchmarkId) -> bool {
        self.filters.iter().all(|filter| filter.is_match(&id.name))
    }

    /// Adds what was parsed to `given`, and new rows to `suite`. `suffix` tells apart what several commands of one
    /// round call by the same name; `filtered` says whether the filters apply.
    pub(super) fn take(
        &mut self,
        suite: &mut SuiteResults,
        parsed: Parsed,
        suffix: &str,
        given: &mut Given,
        filtered: bool,
    ) {
        for mut measurement in parsed.measurements {
            measurement.id.name.push_str(suffix);
            if filtered && !self.wants(&measurement.id) {
                self.hide(suite, RowKey { benchmark: measurement.id, unit: measurement.unit });
            } else {
                self.value(suite, &measurement, given);
            }
        }
        for (mut benchmark, unit) in parsed.non_finite {
            benchmark.name.push_str(suffix);
            let (config, values) = (Arc::default(), vec![f64::NAN]);
            let lost = Measurement { id: benchmark, unit, values, iterations: None, config, line: 0 };
            if !filtered || self.wants(&lost.id) {
                self.value(suite, &lost, given);
            }
        }
        for failure in parsed.failures {
            let mut id = failure.id;
            id.name.push_str(suffix);
            if (!filtered || self.wants(&id)) && given.failures.len() < NOTES_LIMIT && fits(&id, "") {
                let message = tail::tail(failure.message.as_bytes(), b"");
                given.failures.push(RowFailure { benchmark: id, kind: failure.kind, message });
            }
        }
        let room = NOTES_LIMIT.saturating_sub(given.unparsed.len());
        let more = parsed.warnings.len().saturating_sub(room);
        for warning in parsed.warnings.into_iter().take(room) {
            let message = shortened(&warning.message, 600);
            given.unparsed.push((warning.line as u64, shortened(&tail::clean(message.as_bytes()), 300)));
        }
        if more > 0 && room > 0 {
            given.unparsed.push((0, format!("{more} more lines could not be read")));
        }
        for (unit, hint) in parsed.units {
            if unit.len() <= NAME_LIMIT && suite.units.len() < ROWS_LIMIT {
                suite.units.entry(unit).or_insert(hint);
            }
        }
    }

    fn hide(&mut self, suite: &mut SuiteResults, key: RowKey) {
        if self.hidden.len() < ROWS_LIMIT {
            self.hidden.insert(key);
        }
        suite.filtered_out = u32::try_from(self.hidden.len()).unwrap_or(u32::MAX);
    }

    fn value(&mut self, suite: &mut SuiteResults, measurement: &Measurement, given: &mut Given) {
        let key = RowKey { benchmark: measurement.id.clone(), unit: measurement.unit.clone() };
        if !fits(&key.benchmark, &key.unit) {
            let name = shortened(&key.benchmark.name, 80);
            return warn(
                suite,
                format!("the benchmark {name}… is left out: its name is longer than {NAME_LIMIT} bytes"),
            );
        }
        let exact = suite.units.get(&key.unit).and_then(|hint| hint.exact);
        let exact = exact.unwrap_or_else(|| unit::properties(&key.unit).exact);
        let row = match self.index.get(&key) {
            Some(row) => *row,
            None if self.room == 0 => {
                return warn(suite, format!("only the first {ROWS_LIMIT} rows are kept"));
            }
            None => {
                let row = suite.rows.len() as u32;
                self.index.insert(key.clone(), row);
                suite.rows.push(key);
                self.room -= 1;
                row
            }
        };
        if !given.rows.insert(row) {
            if measurement.values.iter().any(|value| value.is_nan()) {
                // One number that is none spoils what stands beside it.
                given.values.iter_mut().filter(|value| value.row == row).for_each(|value| value.value = f64::NAN);
                return;
            }
            let name = &measurement.id.name;
            return warn(suite, format!("{name} was reported twice in one round: the first value is used"));
        }
        let (value, inner) = summary(&measurement.values, exact);
        // With very many rows the file must stay within its limit.
        let inner = inner.filter(|_| suite.rows.len() <= SUMMARIES_LIMIT);
        given.values.push(Value { row, value, inner, iterations: measurement.iterations });
    }
}

fn fits(id: &BenchmarkId, unit: &str) -> bool {
    [id.name.len(), id.package.len(), unit.len()].iter().all(|length| *length <= NAME_LIMIT)
}

/// Adds a warning once, and not thousands.
pub(super) fn warn(suite: &mut SuiteResults, warning: String) {
    if suite.warnings.len() < WARNINGS_LIMIT && !suite.warnings.contains(&warning) {
        suite.warnings.push(warning);
    }
}

/// At most `limit` characters.
pub(super) fn shortened(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}

/// What an execution's own words are worth beside its rows: notes on files, and output that was thrown away.
pub(super) fn notes(execution: &Execution) -> Vec<String> {
    let mut notes: Vec<String> =
        execution.notes.iter().map(|note| shortened(&tail::clean(note.as_bytes()), 500)).collect();
    if execution.lost > 0 {
        notes.push(format!("{} bytes of output beyond the limit were not read", execution.lost));
    }
    notes
}

/// The median of inner values (the lower one for an exact unit, so that a count stays a count), and what lies around it
/// where there are several.
///
/// The value is NaN if any inner value is not finite.
fn summary(values: &[f64], exact: bool) -> (f64, Option<Inner>) {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return (f64::NAN, None);
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = (sorted.len() - 1) / 2;
    let median = if exact || sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        // Half the difference is added: the sum of two large values could overflow.
        sorted[middle] + (sorted[middle + 1] - sorted[middle]) / 2.0
    };
    let inner = (sorted.len() > 1).then(|| Inner {
        min: sorted[0],
        q1: quantile(&sorted, 0.25),
        q3: quantile(&sorted, 0.75),
        max: sorted[sorted.len() - 1],
        count: u32::try_from(sorted.len()).unwrap_or(u32::MAX),
    });
    (median, inner)
}

/// Linear interpolation between the two neighbours (Hyndman and Fan's type 7, the default of R and NumPy).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let low = place.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (sorted[high] - sorted[low]) * (place - low as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_exact_unit_stays_a_count() {
        assert_eq!(summary(&[3.0, 1.0, 2.0, 10.0], false).0, 2.5);
        assert_eq!(summary(&[3.0, 1.0, 2.0, 10.0], true).0, 2.0);
        assert_eq!(summary(&[7.0], true), (7.0, None));
        assert!(summary(&[1.0, f64::NAN], false).0.is_nan());
        assert_eq!(summary(&[f64::MAX, f64::MAX], false).0, f64::MAX);
    }

    #[test]
    fn quartiles_are_those_of_r() {
        // R: quantile(c(1, 2, 4, 8, 16, 32), c(.25, .75)) gives 2.5 and 14.
        let inner = summary(&[32.0, 1.0, 2.0, 16.0, 4.0, 8.0], false).1.expect("several");
        assert_eq!((inner.min, inner.q1, inner.q3, inner.max, inner.count), (1.0, 2.5, 14.0, 32.0, 6));
    }
}
