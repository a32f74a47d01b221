//! The decisions, free of everything else: rules 10, 17 and 18 of the method on the scale of the test.
//!
//! Reports and simulations call the same functions.

use crate::stats::Interval;
use crate::stats::power::SCREEN_LEVEL;

/// What the screen makes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Suspicion {
    /// It may have changed: measured again, and only such a row can become a regression or an improvement.
    Suspect,
    /// It shows no change, and whether it is unchanged is open: measured again for that alone.
    Undecided,
    /// No change larger than the threshold.
    Unchanged,
    /// Nothing to find by measuring again.
    Settled,
}

/// What the screen makes of a row with this p. `unchanged` tells whether the interval lies inside the threshold;
/// `None`: equivalence is not offered.
pub(super) fn suspicion(p: f64, unchanged: impl FnOnce() -> Option<bool>) -> Suspicion {
    match (unchanged(), p <= SCREEN_LEVEL) {
        (Some(true), _) => Suspicion::Unchanged,
        (_, true) => Suspicion::Suspect,
        (Some(false), false) => Suspicion::Undecided,
        (None, false) => Suspicion::Settled,
    }
}

/// What decides between a change and none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    /// p after the correction for the family; `None`: the row is not in the family or its p may not be used.
    pub(super) adjusted_p: Option<f64>,
    /// The effect of the stage that the row shows.
    pub(super) effect: f64,
    /// The effect that the screen saw, which must have the same sign; `None` in a one-stage plan.
    pub(super) screen_effect: Option<f64>,
}

/// The limits that apply to a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Error rate of the report.
    pub(super) alpha: f64,
    /// Smallest change that counts, on the scale.
    pub(super) margin: f64,
    /// Smallest change that is coloured: twice the margin on a noisy machine.
    pub(super) change_margin: f64,
}

/// What is found of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// It changed, upwards or downwards.
    Changed {
        /// Head is larger.
        up: bool,
    },
    /// No change larger than the margin.
    Unchanged {
        /// The change is significant all the same.
        significant: bool,
    },
    /// Significant and below the margin, and the interval reaches beyond the margin.
    BelowThreshold,
    /// Significant and beyond the margin, but not beyond twice of it on a noisy machine.
    NoisyMachine,
    /// Nothing of these.
    Open,
}

/// Judges a row. `interval` is asked for only if there is no change.
pub(super) fn finding(evidence: &Evidence, limits: &Limits, interval: impl FnOnce() -> Interval) -> Finding {
    let effect = evidence.effect;
    let significant = evidence.adjusted_p.is_some_and(|p| p <= limits.alpha);
    let confirmed = evidence.screen_effect.is_none_or(|screen| same_sign(screen, effect));
    let size = effect.abs();
    let change = significant && confirmed && size > 0.0;
    if change && size >= limits.change_margin {
        return Finding::Changed { up: effect > 0.0 };
    }
    // A margin of 0 means "any confirmed change": nothing lies strictly inside.
    if interval().inside(limits.margin) {
        return Finding::Unchanged { significant };
    }
    if change && size >= limits.margin {
        return Finding::NoisyMachine;
    }
    if significant && size < limits.margin { Finding::BelowThreshold } else { Finding::Open }
}

/// Whether both have a sign and it is the same; an effect of 0 has none.
fn same_sign(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}
