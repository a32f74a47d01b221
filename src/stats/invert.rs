//! Intervals by inverting a rank test: the shifts that the test does not reject.
//!
//! A rank test of a shifted sample changes only where the shift passes a difference between a head and a base value.
//! Between two such breakpoints lies a gap in which the test is constant, so an interval is found exactly by testing
//! gaps (Lehmann, Nonparametrics, 1975, 2.4; Hodges and Lehmann, Ann. Math. Stat. 34, 1963).
//!
//! Not every gap need be tested. A crossing moves the head value down by one rank and the base value up by one: it takes
//! a fixed amount from the observed statistic and changes that of any other labelling by at most as much. So where a
//! shift is too low and rejected, P'(S' ≥ o + c) ≤ P(S ≥ o) for every lower shift, which is rejected too: the accepted
//! gaps are one stretch, although ranks and null distribution are those of the shifted data, and its ends are found by
//! bisection.

use super::Interval;

/// A test whose shift can be moved, one crossing at a time.
pub(super) trait Inversion {
    /// The shift rises past the difference between this head and this base value: the head value falls below the other.
    fn cross(&mut self, head: usize, base: usize);
    /// The shift falls past the difference.
    fn uncross(&mut self, head: usize, base: usize);
    /// Whether the shift is rejected for being too low.
    fn too_low(&self) -> bool;
    /// How many crossings lead near the lower end.
    fn guess(&self) -> usize;
}

/// All differences `head − base`, rising, in groups: the breakpoints.
pub(super) struct Breakpoints {
    /// Difference, index of the head value, index of the base value.
    pairs: Vec<(f64, u32, u32)>,
    /// Number of differences below each gap: gap i lies between breakpoints i − 1 and i.
    below: Vec<usize>,
}

impl Breakpoints {
    /// Differences within `tolerance` of their sorted neighbour are one breakpoint.
    pub(super) fn new(base: &[f64], head: &[f64], tolerance: f64) -> Self {
        let mut pairs = Vec::with_capacity(base.len() * head.len());
        for (h, &y) in head.iter().enumerate() {
            for (b, &x) in base.iter().enumerate() {
                pairs.push((y - x, h as u32, b as u32));
            }
        }
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut below = vec![0];
        for i in 1..=pairs.len() {
            if i == pairs.len() || pairs[i].0 - pairs[i - 1].0 > tolerance {
                below.push(i);
            }
        }
        Self { pairs, below }
    }

    /// The same for base and head exchanged.
    fn mirrored(&self) -> Self {
        let pairs = self.pairs.iter().rev().map(|&(d, h, b)| (-d, b, h)).collect();
        let below = self.below.iter().rev().map(|below| self.pairs.len() - below).collect();
        Self { pairs, below }
    }

    /// The lower end of the closed hull of all gaps that are not rejected. If every gap is rejected (few, tied values),
    /// the breakpoint at which the test turns from "too low" to "too high".
    ///
    /// `test` is at a shift of minus infinity.
    pub(super) fn lower_end(&self, test: &mut impl Inversion) -> f64 {
        let gaps = self.below.len();
        let mut at = 0;
        // The first gap that is not too low is in `lo..=hi`; the last gap is never too low.
        let (mut lo, mut hi) = (0, gaps - 1);
        let guess = test.guess().min(self.pairs.len());
        // From the guess outwards in growing steps, until a gap on either side is tested; then by halves.
        let mut next = self.below.partition_point(|below| *below < guess).min(hi);
        let (mut step, mut tested) = (1, (false, false));
        while lo < hi {
            self.move_to(test, &mut at, next);
            if test.too_low() {
                lo = next + 1;
                tested.0 = true;
            } else {
                hi = next;
                tested.1 = true;
            }
            next = match tested {
                (true, false) => (lo + step).min(hi.saturating_sub(1)).max(lo),
                (false, true) => hi.saturating_sub(step).max(lo),
                _ => lo + (hi - lo) / 2,
            };
            step *= 2;
        }
        match lo {
            0 => f64::NEG_INFINITY,
            // The smallest difference of the breakpoint below the gap.
            gap => self.pairs[self.below[gap - 1]].0,
        }
    }

    fn move_to(&self, test: &mut impl Inversion, at: &mut usize, gap: usize) {
        let wanted = self.below[gap];
        while *at < wanted {
            let (_, head, base) = self.pairs[*at];
            test.cross(head as usize, base as usize);
            *at += 1;
        }
        while *at > wanted {
            *at -= 1;
            let (_, head, base) = self.pairs[*at];
            test.uncross(head as usize, base as usize);
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
