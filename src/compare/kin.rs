//! Rows of the same benchmark: which of its units are judged.

use crate::config::PrimaryTime;
use crate::format::BenchmarkId;
use crate::report::Unjudged;
use crate::stats::order;
use crate::unit::{self, normal};
use std::collections::{HashMap, HashSet};

/// Below this many seconds for one operation nothing was executed.
const DEGENERATE_SECONDS: f64 = 1e-10;

/// Where Go's `testing` stops to raise the number of iterations.
const ITERATION_CAP: u64 = 1_000_000_000;

/// What is known of one row for the sake of the others of its benchmark.
pub(super) struct Member<'a> {
    pub(super) benchmark: &'a BenchmarkId,
    pub(super) unit: &'a str,
    /// Both sides have the row.
    pub(super) judged: bool,
    /// The row shows that the benchmark does not loop.
    pub(super) degenerate: bool,
}

/// The rows of one benchmark.
#[derive(Default)]
struct Kin<'a> {
    /// The units that both sides have.
    judged: HashSet<&'a str>,
    degenerate: bool,
}

/// Why rows are not judged, if so: the same information as another row, the other of wall and CPU time, or a benchmark
/// that does not loop.
pub(super) fn unjudged(rows: &[Member<'_>], primary: PrimaryTime) -> Vec<Option<Unjudged>> {
    let mut benchmarks: HashMap<&BenchmarkId, Kin<'_>> = HashMap::new();
    for row in rows {
        let kin = benchmarks.entry(row.benchmark).or_default();
        kin.degenerate |= row.degenerate;
        if row.judged {
            kin.judged.insert(row.unit);
        }
    }
    rows.iter()
        .map(|row| {
            let kin = benchmarks.get(row.benchmark)?;
            let has = |unit: &str| kin.judged.contains(unit);
            if !row.judged {
                None
            } else if unit::derived_from(row.unit).is_some_and(has) {
                Some(Unjudged::Derived)
            } else if is_secondary(row.unit, has, primary) {
                Some(Unjudged::Secondary)
            } else {
                kin.degenerate.then_some(Unjudged::Degenerate)
            }
        })
        .collect()
}

/// Whether the benchmark has wall and CPU time and `unit` is the one that is not judged.
fn is_secondary(unit: &str, has: impl Fn(&str) -> bool, primary: PrimaryTime) -> bool {
    let cpu = [normal::CPU_TIME, normal::USER_TIME, normal::SYSTEM_TIME].into_iter().find(|unit| has(unit));
    let Some(cpu) = cpu.filter(|_| has(normal::WALL_TIME)) else { return false };
    match primary {
        PrimaryTime::Wall => unit::is_cpu_time(unit),
        PrimaryTime::Cpu => unit == normal::WALL_TIME || (unit::is_cpu_time(unit) && unit != cpu),
    }
}

/// Whether a row shows that its benchmark does not loop: nearly no time for an operation, or the iteration cap reached.
pub(super) fn is_degenerate<'a>(
    unit: &str,
    sides: impl IntoIterator<Item = &'a [f64]>,
    most_iterations: Option<u64>,
) -> bool {
    let fast = |values: &[f64]| order::median_of(values).is_some_and(|median| median < DEGENERATE_SECONDS);
    most_iterations == Some(ITERATION_CAP) || (unit == normal::WALL_TIME && sides.into_iter().any(fast))
}
