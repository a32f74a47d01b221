//! Which rows matter most.

use super::rounds::is_unconfirmed;
use crate::report::{Row, Undecided, Verdict};
use std::cmp::Ordering;

/// What a row is to a reader, most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// A confirmed change for the worse, or an unconfirmed one of plain files.
    Worse,
    /// A change for the better.
    Better,
    /// Failed, flaky, timed out.
    Broken,
    /// A suspect that was not confirmed, or not decided in time.
    Suspect,
    /// Only on one side, or skipped.
    OneSided,
    /// Undecided.
    Inconclusive,
    /// Unchanged, or not judged.
    Quiet,
}

impl Weight {
    /// The weight of `row`.
    #[must_use]
    pub fn of(row: &Row) -> Self {
        match row.verdict {
            Verdict::Regression | Verdict::Slower => Self::Worse,
            Verdict::Improvement | Verdict::Faster => Self::Better,
            Verdict::Failed(..) | Verdict::Flaky(..) | Verdict::TimedOut(_) => Self::Broken,
            Verdict::Inconclusive(Undecided::NotConfirmed) => Self::Suspect,
            Verdict::Inconclusive(_) if is_unconfirmed(row) => Self::Suspect,
            Verdict::New | Verdict::Removed | Verdict::Skipped(..) => Self::OneSided,
            Verdict::Inconclusive(_) => Self::Inconclusive,
            Verdict::Unchanged | Verdict::Unjudged(_) => Self::Quiet,
        }
    }

    /// Whether the row changed.
    #[must_use]
    pub const fn changed(self) -> bool {
        matches!(self, Self::Worse | Self::Better)
    }
}

/// How large a row's change is, the same for a doubling and a halving; a change from zero is larger than all others.
#[must_use]
pub fn size(row: &Row) -> f64 {
    let Some(delta) = &row.delta else {
        return 0.0;
    };
    match delta.ratio {
        Some(ratio) if ratio > -1.0 => ratio.ln_1p().abs(),
        Some(_) => f64::MAX,
        None if delta.absolute != 0.0 => f64::INFINITY,
        None => 0.0,
    }
}

/// More important rows first: by weight, then by size; equal ones stay in the order of the report.
#[must_use]
pub fn compare(a: &Row, b: &Row) -> Ordering {
    Weight::of(a).cmp(&Weight::of(b)).then_with(|| size(b).total_cmp(&size(a)))
}
