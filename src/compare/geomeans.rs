//! Geometric means over the rows of a unit.

use crate::report::{Geomean, Row, Unjudged, Verdict};
use crate::stats::geomean;
use std::collections::{BTreeMap, HashMap};

/// Fewest rows for an interval: over two or three, Student's t makes one that says nothing.
const ROWS: usize = 4;

/// Level of the interval over rows.
const LEVEL: f64 = 0.95;

/// One geometric mean a unit, in the order of the rows. A mean of both sides is of the same rows: a row that one side
/// lacks cannot move it.
pub(super) fn of(rows: &[Row]) -> Vec<Geomean> {
    let mut units: Vec<(&str, Vec<&Row>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in rows.iter().filter(|row| !row.unit.is_empty()) {
        let place = *places.entry(&row.unit).or_insert_with(|| {
            units.push((&row.unit, Vec::new()));
            units.len() - 1
        });
        units[place].1.push(row);
    }
    units.into_iter().filter_map(|(unit, rows)| of_unit(unit, &rows)).collect()
}

/// The mean of `rows`, all of which are of `unit`.
fn of_unit(unit: &str, rows: &[&Row]) -> Option<Geomean> {
    let mut left_out: BTreeMap<String, u32> = BTreeMap::new();
    let (mut base, mut head, mut logs) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match reason(row) {
            Some(reason) => *left_out.entry(reason.to_owned()).or_default() += 1,
            None => {
                if let (Some(b), Some(h), Some(delta)) = (&row.base, &row.head, &row.delta) {
                    base.push(b.center);
                    head.push(h.center);
                    logs.push(libm::log1p(delta.ratio.unwrap_or_default()));
                }
            }
        }
    }
    let (ratio, interval) = geomean::of_log_ratios(&logs, LEVEL)?;
    Some(Geomean {
        unit: unit.to_owned(),
        rows: logs.len() as u32,
        base: geomean::geomean(base)?,
        head: geomean::geomean(head)?,
        ratio: ratio - 1.0,
        interval: interval.filter(|_| logs.len() >= ROWS).map(|interval| (interval.lo - 1.0, interval.hi - 1.0)),
        left_out,
    })
}

/// Why a row is not in the mean.
fn reason(row: &Row) -> Option<&'static str> {
    let state = match &row.verdict {
        Verdict::New => Some("new"),
        Verdict::Removed => Some("removed"),
        Verdict::Failed(..) => Some("failed"),
        Verdict::Flaky(..) => Some("flaky"),
        Verdict::Skipped(..) => Some("skipped"),
        Verdict::TimedOut(_) => Some("timed out"),
        Verdict::Unjudged(Unjudged::Degenerate) => Some("degenerate"),
        _ => None,
    };
    let positive = |side: &Option<crate::report::Summary>| side.as_ref().is_some_and(|side| side.center > 0.0);
    let ratio = row.delta.as_ref().and_then(|delta| delta.ratio);
    state.or_else(|| {
        if !positive(&row.base) || !positive(&row.head) {
            Some("not positive")
        } else if ratio.is_none_or(|ratio| ratio <= -1.0) {
            Some("no ratio")
        } else {
            None
        }
    })
}
