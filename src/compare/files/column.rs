//! The values of one column, by benchmark and unit.

use super::{FileColumn, Samples};
use crate::compare::notices::Notices;
use crate::format::{BenchmarkId, FailureKind, Measurement, UnitHint};
use crate::report::{Verdict, WarningLevel};
use crate::results::RowKey;
use crate::side::{PerSide, Side};
use crate::stats::order;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What the files say of units.
pub(super) type UnitHints = BTreeMap<String, UnitHint>;

/// One side of one row.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// Samples in the order of the files.
    pub(super) values: Vec<f64>,
    /// Smallest and largest number of iterations behind a value.
    pub(super) iterations: Option<(u64, u64)>,
    /// Configuration lines in force at the first value.
    pub(super) config: Arc<BTreeMap<String, String>>,
}

/// A column, read.
pub(super) struct Column {
    /// Keys in the order of first appearance.
    keys: Vec<RowKey>,
    cells: HashMap<RowKey, Cell>,
    /// What benchmarks said that gave no value: the graver kind and its first message.
    pub(super) failures: BTreeMap<BenchmarkId, (FailureKind, String)>,
}

impl Column {
    pub(super) fn new(column: &FileColumn) -> Self {
        let mut read = Self { keys: Vec::new(), cells: HashMap::new(), failures: BTreeMap::new() };
        for (_, parsed) in &column.inputs {
            for measurement in &parsed.measurements {
                read.add(measurement, column.samples);
            }
            for failure in &parsed.failures {
                let known = read.failures.entry(failure.id.clone()).or_insert((failure.kind, failure.message.clone()));
                if known.0 != FailureKind::Failed && failure.kind == FailureKind::Failed {
                    *known = (failure.kind, failure.message.clone());
                }
            }
        }
        read
    }

    fn add(&mut self, measurement: &Measurement, samples: Samples) {
        let key = RowKey { benchmark: measurement.id.clone(), unit: measurement.unit.clone() };
        let keys = &mut self.keys;
        let cell = self.cells.entry(key).or_insert_with_key(|key| {
            keys.push(key.clone());
            Cell { values: Vec::new(), iterations: None, config: Arc::clone(&measurement.config) }
        });
        match samples {
            Samples::EveryValue => cell.values.extend(&measurement.values),
            Samples::OneAFile => {
                let sorted = order::sorted(&measurement.values);
                let exact = crate::unit::properties(&measurement.unit).exact;
                cell.values.extend(if exact { order::lower_median(&sorted) } else { order::median(&sorted) });
            }
        }
        if let Some(n) = measurement.iterations {
            let (least, most) = cell.iterations.unwrap_or((n, n));
            cell.iterations = Some((least.min(n), most.max(n)));
        }
    }
}

/// All keys of both columns in the order of first appearance, base first, and their cells.
pub(super) fn join(base: &Column, head: &Column) -> (Vec<RowKey>, Vec<PerSide<Option<Cell>>>) {
    let mut keys = base.keys.clone();
    keys.extend(head.keys.iter().filter(|key| !base.cells.contains_key(*key)).cloned());
    let cells = keys
        .iter()
        .map(|key| PerSide { base: base.cells.get(key).cloned(), head: head.cells.get(key).cloned() })
        .collect();
    (keys, cells)
}

/// Benchmarks without a value in either column.
pub(super) fn only_failures(base: &Column, head: &Column) -> Vec<(BenchmarkId, Verdict)> {
    let rows: HashSet<&BenchmarkId> = base.keys.iter().chain(&head.keys).map(|key| &key.benchmark).collect();
    let mut found: BTreeMap<&BenchmarkId, Verdict> = BTreeMap::new();
    for (side, column) in [(Side::Base, base), (Side::Head, head)] {
        for (id, failure) in column.failures.iter().filter(|(id, _)| !rows.contains(id)) {
            found.entry(id).or_insert_with(|| state(side, failure));
        }
    }
    found.into_iter().map(|(id, state)| (id.clone(), state)).collect()
}

/// The state of a row whose benchmark gave no value on `side` and said why.
pub(super) fn state(side: Side, (kind, message): &(FailureKind, String)) -> Verdict {
    match kind {
        FailureKind::Failed => Verdict::Failed(side, message.clone()),
        FailureKind::TimedOut => Verdict::TimedOut(side),
        FailureKind::Skipped => Verdict::Skipped(side, message.clone()),
    }
}

/// What all files say of units; of two that contradict each other the first counts.
pub(super) fn unit_hints(columns: &[FileColumn], notices: &mut Notices) -> UnitHints {
    let mut hints = UnitHints::new();
    for (name, parsed) in columns.iter().flat_map(|column| &column.inputs) {
        for (unit, hint) in &parsed.units {
            let known = hints.entry(unit.clone()).or_default();
            let clash = |a: Option<bool>, b: Option<bool>| a.zip(b).is_some_and(|(a, b)| a != b);
            let better = known.better.zip(hint.better).is_some_and(|(a, b)| a != b);
            if better || clash(known.exact, hint.exact) {
                let message = format!("what is said of the unit {unit} contradicts what was said before, which counts");
                notices.add(WarningLevel::Warning, "unit-conflict", message, name);
            }
            known.better = known.better.or(hint.better);
            known.exact = known.exact.or(hint.exact);
        }
    }
    hints
}
