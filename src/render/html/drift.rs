//! How the machine drifted: for each round, how far its values lie from their rows' medians.

use crate::report::Report;
use crate::side::{PerSide, Side};
use std::collections::BTreeMap;

/// Rounds by their start: seconds since the start of measuring, and the median over rows of value / row's median − 1.
///
/// A row's median is that of its side and stage, so that a change of the code is no drift. Exact and derived rows, rates
/// and rows with values that are not positive are left out.
#[must_use]
pub(super) fn drift(report: &Report) -> PerSide<Vec<(f64, f64)>> {
    let mut rounds: PerSide<BTreeMap<u64, Vec<f64>>> = PerSide::default();
    let rows = report.suites.iter().flat_map(|suite| &suite.rows);
    for row in rows.filter(|row| !row.exact && !row.derived && !row.unit.ends_with("/s")) {
        for stage in &row.samples {
            for side in Side::BOTH {
                let (values, at) = (stage.values.get(side), stage.at.get(side));
                if values.len() != at.len() || values.iter().any(|value| !value.is_finite() || *value <= 0.0) {
                    continue;
                }
                let Some(median) = median(values.clone()) else { continue };
                for (value, at) in values.iter().zip(at).filter(|(_, at)| at.is_finite() && **at >= 0.0) {
                    // Times of one round are the same number; non-negative numbers sort as their bits do.
                    rounds.get_mut(side).entry(at.to_bits()).or_default().push(value / median - 1.0);
                }
            }
        }
    }
    rounds.map(|rounds| {
        let points = rounds.into_iter().filter_map(|(at, ratios)| Some((f64::from_bits(at), median(ratios)?)));
        points.collect()
    })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples;

    #[test]
    fn a_slow_round_shows_in_all_rows_and_a_change_does_not() {
        let mut report = samples::regression();
        for row in report.suites.iter_mut().flat_map(|suite| &mut suite.rows) {
            row.samples[0].values.head[3] *= 1.5;
        }
        let at = report.suites[0].rows[0].samples[0].at.head[3];
        let drift = drift(&report);
        let point = drift.head.iter().find(|(start, _)| *start == at).unwrap();
        assert!((point.1 - 0.5).abs() < 0.03, "{point:?}");
        let others = drift.head.iter().filter(|(start, _)| *start != at);
        assert!(others.clone().count() > 6 && others.clone().all(|(_, ratio)| ratio.abs() < 0.03));
    }
}
