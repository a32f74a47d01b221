//! Where parsers put what they read: units are normalised here, keys are kept once.

use super::{BenchmarkId, Failure, FailureKind, Format, Measurement, ParseWarning, Parsed, UnitHint};
use crate::unit::{self, Direction};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The value of one benchmark and unit, as a tool gave it.
#[derive(Debug, Clone)]
pub(super) struct Value {
    /// The benchmark.
    pub(super) id: BenchmarkId,
    /// The unit in the tool's spelling.
    pub(super) unit: String,
    /// The values per iteration, in that unit.
    pub(super) values: Vec<f64>,
    /// The smallest number of iterations behind one value.
    pub(super) iterations: Option<u64>,
    /// The direction that the input states.
    pub(super) better: Option<Direction>,
    /// Whether the input states that values are exact.
    pub(super) exact: Option<bool>,
    /// The line, from 1; 0 where there is none.
    pub(super) line: usize,
}

impl Value {
    /// A value of which nothing more is known.
    pub(super) fn new(id: &BenchmarkId, unit: impl Into<String>, values: Vec<f64>, line: usize) -> Self {
        Self { id: id.clone(), unit: unit.into(), values, iterations: None, better: None, exact: None, line }
    }

    /// With a number of iterations.
    pub(super) fn iterations(mut self, iterations: Option<u64>) -> Self {
        self.iterations = iterations;
        self
    }

    /// With a stated direction.
    pub(super) fn better(mut self, better: Option<Direction>) -> Self {
        self.better = better;
        self
    }

    /// With a stated exactness.
    pub(super) fn exact(mut self, exact: Option<bool>) -> Self {
        self.exact = exact;
        self
    }
}

/// An identity without a package.
pub(super) fn id(name: impl Into<String>) -> BenchmarkId {
    in_package("", name)
}

/// An identity in a package.
pub(super) fn in_package(package: impl Into<String>, name: impl Into<String>) -> BenchmarkId {
    BenchmarkId { package: package.into(), name: name.into(), procs: None }
}

/// Most characters of a failure's message.
const MESSAGE: usize = 2000;

struct Row {
    measurement: Measurement,
    better: Option<Direction>,
    exact: Option<bool>,
    format: Option<Format>,
}

/// Gathers one output's measurements.
#[derive(Default)]
pub(super) struct Collector {
    rows: Vec<Row>,
    index: HashMap<(BenchmarkId, String), usize>,
    failures: Vec<Failure>,
    failed: HashSet<(BenchmarkId, bool)>,
    warnings: Vec<ParseWarning>,
    /// Those of benchmarks that have other values.
    lost_units: Vec<(BenchmarkId, String)>,
    /// Units that were not finite, by benchmark, with their line.
    non_finite: Vec<(BenchmarkId, String, usize)>,
    non_finite_known: HashSet<(BenchmarkId, String)>,
    config: Arc<BTreeMap<String, String>>,
    format: Option<Format>,
}

impl Collector {
    /// What follows is read as `format`.
    pub(super) fn begin(&mut self, format: Format) {
        self.format = Some(format);
        self.config = Arc::default();
    }

    /// What follows was measured under this configuration.
    pub(super) fn config(&mut self, config: BTreeMap<String, String>) {
        self.config = Arc::new(config);
    }

    /// Adds values. Values of a key that is known are appended, unless another format gave it.
    pub(super) fn add(&mut self, mut value: Value) {
        name_the_unnamed(&mut value.id);
        let normal = unit::normalise(&value.unit);
        let values: Vec<f64> = value.values.iter().map(|number| normal.apply(*number)).collect();
        if values.is_empty() {
            return;
        }
        if values.iter().any(|number| !number.is_finite()) {
            if self.non_finite_known.insert((value.id.clone(), normal.unit.clone())) {
                self.non_finite.push((value.id, normal.unit, value.line));
            }
            return;
        }
        // A direction that goes against the unit's own makes another unit of it: free memory is not used memory.
        let own = normal.better;
        let against = value.better.filter(|better| own.is_some_and(|own| own != *better));
        let unit = match against {
            Some(Direction::Higher) => format!("{} (higher is better)", normal.unit),
            Some(Direction::Lower) => format!("{} (lower is better)", normal.unit),
            None => normal.unit,
        };
        match self.index.get(&(value.id.clone(), unit.clone())) {
            Some(&at) if self.rows[at].format == self.format => self.append(at, values, &value),
            Some(&at) => {
                let first = self.rows[at].format.map_or("another format", Format::name);
                self.warn(value.line, format!("{} is also there as {first}; the first is kept", value.id.name));
            }
            None => self.insert(unit, values, value),
        }
    }

    fn append(&mut self, at: usize, values: Vec<f64>, value: &Value) {
        let row = &mut self.rows[at];
        row.measurement.values.extend(values);
        row.measurement.iterations = row.measurement.iterations.min(value.iterations).or(value.iterations);
        row.better = row.better.or(value.better);
        row.exact = row.exact.or(value.exact);
    }

    fn insert(&mut self, unit: String, values: Vec<f64>, value: Value) {
        self.index.insert((value.id.clone(), unit.clone()), self.rows.len());
        let measurement = Measurement {
            id: value.id,
            unit,
            values,
            iterations: value.iterations,
            config: Arc::clone(&self.config),
            line: value.line,
        };
        self.rows.push(Row { measurement, better: value.better, exact: value.exact, format: self.format });
    }

    /// A benchmark that failed.
    pub(super) fn failed(&mut self, id: &BenchmarkId, message: impl Into<String>) {
        self.push(id, FailureKind::Failed, message.into());
    }

    /// A benchmark that was skipped.
    pub(super) fn skipped(&mut self, id: &BenchmarkId, message: impl Into<String>) {
        self.push(id, FailureKind::Skipped, message.into());
    }

    fn push(&mut self, id: &BenchmarkId, kind: FailureKind, mut message: String) {
        if let Some((end, _)) = message.char_indices().nth(MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        let mut id = id.clone();
        name_the_unnamed(&mut id);
        if self.failed.insert((id.clone(), kind == FailureKind::Skipped)) {
            self.failures.push(Failure { id, kind, message });
        }
    }

    /// Something that a user should know.
    pub(super) fn warn(&mut self, line: usize, message: impl Into<String>) {
        self.warnings.push(ParseWarning { line, message: message.into() });
    }

    /// How many measurements, failures and non-finite values there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len() + self.failures.len() + self.non_finite.len()
    }

    /// Takes over what another parser read in one piece.
    pub(super) fn extend(&mut self, parsed: Parsed) {
        for measurement in parsed.measurements {
            let hint = parsed.units.get(&measurement.unit).copied().unwrap_or_default();
            let key = (measurement.id.clone(), measurement.unit.clone());
            let known = self.index.get(&key).copied().filter(|at| self.rows[*at].format == self.format);
            if let Some(at) = known {
                self.rows[at].measurement.values.extend(measurement.values);
                continue;
            }
            self.index.insert(key, self.rows.len());
            self.rows.push(Row { measurement, better: hint.better, exact: hint.exact, format: self.format });
        }
        self.failures.extend(parsed.failures);
        self.lost_units.extend(parsed.non_finite);
        self.warnings.extend(parsed.warnings);
    }

    /// Everything.
    pub(super) fn finish(mut self) -> Parsed {
        self.settle_non_finite();
        self.split_torn_units();
        let units = self.hints();
        Parsed {
            measurements: self.rows.into_iter().map(|row| row.measurement).collect(),
            failures: self.failures,
            non_finite: self.lost_units,
            units,
            warnings: self.warnings,
        }
    }

    /// A benchmark without any finite value failed; one that only lacks a unit is named.
    fn settle_non_finite(&mut self) {
        let measured: HashSet<BenchmarkId> = self.rows.iter().map(|row| row.measurement.id.clone()).collect();
        for (id, unit, line) in std::mem::take(&mut self.non_finite) {
            if measured.contains(&id) {
                self.warn(line, format!("{}: {unit} is not a finite number and is left out", id.name));
                self.lost_units.push((id, unit));
            } else {
                self.failed(&id, format!("{unit} is not a finite number"));
            }
        }
    }

    /// A unit whose rows state both directions is two units.
    fn split_torn_units(&mut self) {
        let stated = |rows: &[Row], wanted: Direction| -> HashSet<String> {
            let of_direction = rows.iter().filter(|row| row.better == Some(wanted));
            of_direction.map(|row| row.measurement.unit.clone()).collect()
        };
        let (lower, higher) = (stated(&self.rows, Direction::Lower), stated(&self.rows, Direction::Higher));
        for row in &mut self.rows {
            let unit = &mut row.measurement.unit;
            if lower.contains(unit) && higher.contains(unit) {
                match row.better {
                    Some(Direction::Lower) => unit.push_str(" (lower is better)"),
                    Some(Direction::Higher) => unit.push_str(" (higher is better)"),
                    None => {}
                }
            }
        }
    }

    /// What the input says of each unit.
    fn hints(&self) -> BTreeMap<String, UnitHint> {
        let mut units: BTreeMap<String, UnitHint> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.better.is_some() || row.exact.is_some()) {
            let hint = units.entry(row.measurement.unit.clone()).or_default();
            hint.better = hint.better.or(row.better);
            // Exact only if no row says otherwise: a wrong "exact" would make noise a verdict.
            hint.exact = if hint.exact == Some(false) { hint.exact } else { row.exact.or(hint.exact) };
        }
        units
    }
}

fn name_the_unnamed(id: &mut BenchmarkId) {
    if id.name.trim().is_empty() {
        "(unnamed)".clone_into(&mut id.name);
    }
}
