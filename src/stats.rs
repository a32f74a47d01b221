//! Statistics: what is said of samples, and how sure it is.
//!
//! Every function names the source of its formula. Nothing here knows units, suites or verdicts: values come in on
//! the scale of the test (logarithms, or raw), and effects go out on the same scale. [`crate::compare`] decides.
//!
//! Logarithm, exponential and error function are those of `libm`, so that one file of results gives one report on
//! every platform.

pub mod geomean;
pub mod invert;
pub mod mann_whitney;
pub mod multiplicity;
pub mod noise;
pub mod normal;
pub mod order;
pub mod permutation;
pub mod power;
pub mod proportion;
pub mod shift;
pub mod simulate;
pub mod subset;

/// An interval of a shift or an effect; an end that the samples do not bound is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Interval {
    /// The interval that excludes nothing.
    pub const EVERYTHING: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    /// Whether both ends are finite.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Half of the interval's width.
    #[must_use]
    pub fn half_width(self) -> f64 {
        (self.hi - self.lo) / 2.0
    }

    /// Whether the interval lies strictly inside (−`margin`, `margin`): equivalence by two one-sided tests, each at
    /// (1 − level)/2 (Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987: a 90 % interval is the test at 5 %).
    #[must_use]
    pub fn inside(self, margin: f64) -> bool {
        self.lo > -margin && self.hi < margin
    }
}

/// `x` kept within the largest finite numbers, since a report holds no infinities.
#[must_use]
pub const fn finite(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(-f64::MAX, f64::MAX) }
}

#[cfg(test)]
mod tests;
