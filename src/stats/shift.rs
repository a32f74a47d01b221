//! How far head is from base in blocks of four: the effect, and the interval that inverts the block test.

use super::invert::{Breakpoints, Inversion, hull};
use super::permutation::{Block, Null, doubled_ranks, residuals, tolerance};
use super::{Interval, normal, order};

/// Median of the four head − base differences of every block: the Hodges–Lehmann estimate of a shift within blocks
/// (Hodges and Lehmann, Ann. Math. Stat. 34, 1963). `None` without blocks.
#[must_use]
pub fn effect(blocks: &[Block]) -> Option<f64> {
    let mut differences = Vec::with_capacity(4 * blocks.len());
    for block in blocks {
        for head in block.head {
            differences.extend(block.base.map(|base| head - base));
        }
    }
    differences.sort_unstable_by(f64::total_cmp);
    order::median(&differences)
}

/// The shifts that [`super::permutation::test`] does not reject at 1 − `level`.
///
/// A shift s moves head's residuals by −s/2 and base's by +s/2, since the block mean moves along; ranks and null
/// distribution are those of the shifted data. The breakpoints are all (2k)² differences of a head and a base residual,
/// across blocks. The interval is the closed hull of the gaps between them with p > 1 − level, unbounded where the
/// outermost gap is accepted: with too few blocks it is everything.
///
/// Why the accepted gaps are one stretch is told in the module `invert`.
#[must_use]
pub fn interval(blocks: &[Block], level: f64) -> Interval {
    Shifts::new(blocks).interval(level)
}

/// Everything that the intervals of one row at several levels share.
pub struct Shifts {
    breakpoints: Breakpoints,
    /// Doubled ranks of each side among its own values: the shift does not change their order.
    base: Vec<i64>,
    head: Vec<i64>,
}

impl Shifts {
    /// Prepares the intervals of `blocks`.
    #[must_use]
    pub fn new(blocks: &[Block]) -> Self {
        let tolerance = tolerance(blocks);
        let (base, head) = residuals(blocks);
        let breakpoints = Breakpoints::new(&base, &head, tolerance);
        Self { breakpoints, base: doubled_ranks(&base, tolerance), head: doubled_ranks(&head, tolerance) }
    }

    /// As [`interval`].
    #[must_use]
    pub fn interval(&self, level: f64) -> Interval {
        if self.base.is_empty() {
            return Interval::EVERYTHING;
        }
        hull(&self.breakpoints, |mirrored| self.start(mirrored, level))
    }

    /// The lower end of [`interval`].
    #[must_use]
    pub fn lower_end(&self, level: f64) -> f64 {
        if self.base.is_empty() {
            return f64::NEG_INFINITY;
        }
        self.breakpoints.lower_end(&mut self.start(false, level))
    }

    /// The test at a shift of minus infinity: every head value is above every base value.
    fn start(&self, mirrored: bool, level: f64) -> BlockInversion {
        let (low, high) = if mirrored { (&self.head, &self.base) } else { (&self.base, &self.head) };
        let above = 2 * low.len() as i64;
        let blocks = low.as_chunks::<2>().0.iter().zip(high.as_chunks::<2>().0);
        let ranks: Vec<[i64; 4]> = blocks.map(|(l, h)| [l[0], l[1], h[0] + above, h[1] + above]).collect();
        let observed = ranks.iter().map(|r| r[2] + r[3] - r[0] - r[1]).sum();
        BlockInversion { ranks, observed, level: 1.0 - level, z: -normal::quantile((1.0 - level) / 2.0) }
    }
}

/// State of the block test at one shift: doubled ranks of each block's values, base before head.
struct BlockInversion {
    ranks: Vec<[i64; 4]>,
    /// Head's doubled ranks minus base's.
    observed: i64,
    /// p at or below this rejects.
    level: f64,
    /// The normal quantile of that level.
    z: f64,
}

impl Inversion for BlockInversion {
    fn cross(&mut self, head: usize, base: usize) {
        self.ranks[head / 2][2 + head % 2] -= 2;
        self.ranks[base / 2][base % 2] += 2;
        self.observed -= 4;
    }

    fn uncross(&mut self, head: usize, base: usize) {
        self.ranks[head / 2][2 + head % 2] += 2;
        self.ranks[base / 2][base % 2] -= 2;
        self.observed += 4;
    }

    fn too_low(&self) -> bool {
        self.observed > 0 && Null::new(&self.ranks).tail(self.observed) <= self.level
    }

    fn guess(&self) -> usize {
        // The statistic is about normal. Ranks of n values have variance (n² − 1)/12, and since residuals of a block add
        // up to 0, drawing two of its four adds a third to the variance of two independent draws.
        let n = 4.0 * self.ranks.len() as f64;
        let sd = (4.0 / 3.0 * n * (n * n - 1.0) / 3.0).sqrt();
        ((self.observed as f64 - self.z * sd) / 4.0).max(0.0) as usize
    }
}
