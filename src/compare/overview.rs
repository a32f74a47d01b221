//! What the rows of a report say together: counts, the verdict over all, the noise, and what fails a check.

use super::state::is_failure;
use crate::config::FailOn;
use crate::report::{Counts, Noise, Overall, Report, Row, Unjudged, Verdict};
use crate::stats::order;

/// How many rows have which verdict.
pub(super) fn counts<'a>(rows: impl Iterator<Item = &'a Row>) -> Counts {
    let mut counts = Counts::default();
    for row in rows {
        let count = match row.verdict {
            Verdict::Regression | Verdict::Slower => &mut counts.regressions,
            Verdict::Improvement | Verdict::Faster => &mut counts.improvements,
            Verdict::Unchanged => &mut counts.unchanged,
            Verdict::Inconclusive(_) => &mut counts.inconclusive,
            Verdict::New => &mut counts.new,
            Verdict::Removed => &mut counts.removed,
            Verdict::Failed(..) | Verdict::Flaky(..) | Verdict::TimedOut(_) => &mut counts.failed,
            Verdict::Skipped(..) | Verdict::Unjudged(_) => &mut counts.unjudged,
        };
        *count += 1;
    }
    counts
}

/// The verdict over all rows. `compared`: how many rows have all their values on both sides.
pub(super) const fn overall(counts: &Counts, compared: usize) -> Overall {
    match (counts.regressions > 0, counts.improvements > 0) {
        (true, true) => Overall::Mixed,
        (true, false) => Overall::Regression,
        (false, true) => Overall::Improvement,
        (false, false) if compared == 0 => Overall::Failed,
        (false, false) if counts.unchanged > 0 && counts.inconclusive == 0 => Overall::Unchanged,
        (false, false) => Overall::Inconclusive,
    }
}

/// The noise of the report: over the rows that are judged by a test.
pub(super) fn noise<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<Noise> {
    let rows: Vec<(&Row, f64)> =
        rows.filter(|row| is_measure_of_noise(row)).filter_map(|row| Some((row, row.noise?))).collect();
    let (worst, size) = rows.iter().copied().reduce(|worst, row| if row.1 > worst.1 { row } else { worst })?;
    let median = |values: Vec<f64>| order::median_of(&values);
    Some(Noise {
        median: median(rows.iter().map(|(_, noise)| *noise).collect())?,
        worst: size,
        worst_row: worst.benchmark.clone(),
        detectable: median(rows.iter().filter_map(|(row, _)| row.detectable).collect()),
    })
}

const fn is_measure_of_noise(row: &Row) -> bool {
    !row.exact
        && matches!(
            row.verdict,
            Verdict::Regression
                | Verdict::Improvement
                | Verdict::Unchanged
                | Verdict::Inconclusive(_)
                | Verdict::Unjudged(Unjudged::DirectionUnknown)
        )
}

/// Whether `report` fails a check that fails on `fail_on`.
///
/// `failure` is a failed side (its setup, or its command in any round), a failed row, or a part of the results that is
/// missing; `regression` includes `slower?`
/// of plain files.
#[must_use]
pub fn trips(report: &Report, fail_on: &[FailOn]) -> bool {
    let failed_side = || {
        report.suites.iter().any(|suite| {
            let setup = [&suite.setup.base, &suite.setup.head].into_iter().any(|setup| is_failure(&setup.status));
            setup || suite.failed_rounds.base.is_some() || suite.failed_rounds.head.is_some()
        })
    };
    fail_on.iter().any(|reason| match reason {
        FailOn::Never => false,
        FailOn::Failure => {
            report.counts.failed > 0 || report.verdict == Overall::Failed || report.is_incomplete() || failed_side()
        }
        FailOn::Regression => report.counts.regressions > 0,
        FailOn::Inconclusive => report.counts.inconclusive > 0,
    })
}
