//! Values that are the same in every round: equal or different, without a test.

use super::samples::Samples;
use super::units::UnitRules;
use crate::report::{Delta, Undecided, Unjudged, Verdict};
use crate::stats::finite;
use crate::unit::Direction;

/// A row that is constant on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exact {
    pub(super) base: f64,
    pub(super) head: f64,
}

/// The two constants, if the unit is one that is compared exactly and [`of`] finds them.
pub(super) fn compare(samples: &Samples, rules: &UnitRules) -> Option<Exact> {
    if rules.exact_when_constant { of(&samples.values.base, &samples.values.head) } else { None }
}

/// The two constants, if each side has at least two values that are all the same.
pub(super) fn of(base: &[f64], head: &[f64]) -> Option<Exact> {
    let constant = |values: &[f64]| match values {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|value| value == first) => Some(*first),
        _ => None,
    };
    Some(Exact { base: constant(base)?, head: constant(head)? })
}

impl Exact {
    /// The verdict, and whether the values differ by less than the threshold.
    ///
    /// `factor` is 2 on a noisy machine, 1 elsewhere.
    pub(super) fn verdict(self, rules: &UnitRules, factor: f64) -> (Verdict, bool) {
        let Self { base, head } = self;
        if base == head {
            return (Verdict::Unchanged, false);
        }
        // From 0, and from a negative value that has no percentage, any difference counts.
        let size = (head - base).abs();
        let limit = if base > 0.0 { rules.exact_relative * base } else { 0.0 };
        if size < limit {
            return (Verdict::Unchanged, true);
        }
        if size < factor * limit {
            return (Verdict::Inconclusive(Undecided::NoisyMachine), false);
        }
        let verdict = match (rules.better, head > base) {
            (Some(Direction::Lower), true) | (Some(Direction::Higher), false) => Verdict::Regression,
            (Some(_), _) => Verdict::Improvement,
            (None, _) => Verdict::Unjudged(Unjudged::DirectionUnknown),
        };
        (verdict, false)
    }

    /// Head relative to base; there is no interval.
    pub(super) fn delta(self) -> Delta {
        let Self { base, head } = self;
        Delta {
            ratio: (base > 0.0).then(|| finite(head / base - 1.0)),
            absolute: finite(head - base),
            lo: None,
            hi: None,
            level: 0.0,
        }
    }
}
