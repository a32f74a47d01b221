//! Intervals by inverting a rank test: the shifts that the test does not reject.
//!
//! A rank test of a shifted sample changes only where the shift passes a difference between a head and a base value.
//! Between two such breakpoints lies a gap in which the test is constant, so an interval is found exactly by testing
//! every gap (Lehmann, Nonparametrics, 1975, 2.4; Hodges and Lehmann, Ann. Math. Stat. 34, 1963). Most gaps need no
//! evaluation: a test may say for how many further crossings its rejection is certain.

use super::Interval;

/// What a test says of the shift that its state stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// p is above 1 − level.
    Accepted,
    /// Rejected, since the shift is still too low; certainly so for this many further crossings, too.
    TooLow(usize),
    /// Rejected, since the shift is too high; certainly so for all further crossings.
    TooHigh,
}

/// A test whose shift rises from minus infinity, one crossing at a time.
pub(super) trait Inversion {
    /// The shift passes the difference between this head and this base value: the head value falls below the other.
    fn cross(&mut self, head: usize, base: usize);
    /// Tests the gap that the shift is in.
    fn test(&mut self) -> Gap;
}

/// All differences `head − base`, rising.
pub(super) struct Breakpoints {
    /// Difference, index of the head value, index of the base value.
    pairs: Vec<(f64, u32, u32)>,
    /// Differences closer than this are one breakpoint.
    tolerance: f64,
}

impl Breakpoints {
    pub(super) fn new(base: &[f64], head: &[f64], tolerance: f64) -> Self {
        let mut pairs = Vec::with_capacity(base.len() * head.len());
        for (h, &y) in head.iter().enumerate() {
            for (b, &x) in base.iter().enumerate() {
                pairs.push((y - x, h as u32, b as u32));
            }
        }
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Self { pairs, tolerance }
    }

    /// The same for base and head exchanged.
    pub(super) fn mirrored(&self) -> Self {
        let pairs = self.pairs.iter().rev().map(|&(d, h, b)| (-d, b, h)).collect();
        Self { pairs, tolerance: self.tolerance }
    }

    /// The lower end of the closed hull of all accepted gaps. If every gap is rejected (few, tied values), the
    /// breakpoint at which the test turns from "too low" to "too high".
    pub(super) fn lower_end(&self, test: &mut impl Inversion) -> f64 {
        let mut at = f64::NEG_INFINITY;
        let mut crossed = 0;
        let mut certain = 0;
        loop {
            if crossed >= certain {
                match test.test() {
                    Gap::Accepted | Gap::TooHigh => return at,
                    Gap::TooLow(further) => certain = crossed + further + 1,
                }
            }
            let Some(&(first, ..)) = self.pairs.get(crossed) else { return at };
            at = first;
            // All crossings of one breakpoint happen at once; neighbours within the tolerance belong to it.
            let mut previous = first;
            while let Some(&(difference, head, base)) = self.pairs.get(crossed) {
                if difference - previous > self.tolerance {
                    break;
                }
                test.cross(head as usize, base as usize);
                previous = difference;
                crossed += 1;
            }
        }
    }
}

/// The closed hull of all shifts that are not rejected. `start` makes the test's state at a shift of minus infinity,
/// as it is (`false`) and with base and head exchanged (`true`).
pub(super) fn hull<T: Inversion>(breakpoints: &Breakpoints, mut start: impl FnMut(bool) -> T) -> Interval {
    let lo = breakpoints.lower_end(&mut start(false));
    let hi = -breakpoints.mirrored().lower_end(&mut start(true));
    Interval { lo, hi }
}
