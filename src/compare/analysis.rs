//! One row's blocks of one stage: scale, test, effect, interval, noise.

use super::units::UnitRules;
use crate::stats::noise::{self, RowNoise};
use crate::stats::permutation::{Block, p_value};
use crate::stats::power::residuals::Residuals;
use crate::stats::shift::{self, Shifts};
use crate::stats::{Interval, order};
use std::cell::RefCell;

/// From so many values on two groups can be told from chance.
const MODES_FROM: usize = 16;

/// The scale of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Logarithms: all values are above 0, so effects are ratios.
    Log,
    /// Raw values: effects are differences in the unit.
    Raw,
}

/// What the blocks of one row say.
pub(super) struct Analysis {
    pub(super) scale: Scale,
    /// On the scale.
    blocks: Vec<Block>,
    shifts: Shifts,
    /// Intervals that were asked for, by level.
    intervals: RefCell<Vec<(f64, Interval)>>,
    /// Two-sided p of the block test.
    pub(super) p: f64,
    /// Median of the within-block differences.
    pub(super) effect: f64,
    /// Median of base, raw.
    base_median: f64,
    pub(super) noise: RowNoise,
}

impl Analysis {
    /// `None` without blocks. The scale depends on all values of both sides and on no label.
    pub(super) fn new(raw: &[Block]) -> Option<Self> {
        let positive = raw.iter().all(|block| block.base.iter().chain(&block.head).all(|x| *x > 0.0));
        let scale = if positive { Scale::Log } else { Scale::Raw };
        let blocks: Vec<Block> = match scale {
            Scale::Log => {
                raw.iter().map(|b| Block { base: b.base.map(libm::log), head: b.head.map(libm::log) }).collect()
            }
            Scale::Raw => raw.to_vec(),
        };
        let base: Vec<f64> = raw.iter().flat_map(|block| block.base).collect();
        Some(Self {
            scale,
            p: p_value(&blocks),
            effect: shift::effect(&blocks)?,
            base_median: order::median_of(&base)?,
            noise: noise::of(&blocks)?,
            shifts: Shifts::new(&blocks),
            intervals: RefCell::default(),
            blocks,
        })
    }

    /// Number of blocks.
    pub(super) const fn blocks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Rounds a side.
    pub(super) const fn n(&self) -> u32 {
        2 * self.blocks()
    }

    /// The interval of the effect, on the scale.
    pub(super) fn interval(&self, level: f64) -> Interval {
        let mut known = self.intervals.borrow_mut();
        if let Some((_, interval)) = known.iter().find(|(l, _)| *l == level) {
            return *interval;
        }
        let interval = self.shifts.interval(level);
        known.push((level, interval));
        interval
    }

    /// Its noise, for simulations.
    pub(super) fn residuals(&self) -> Option<Residuals> {
        Residuals::of(&self.blocks)
    }

    /// The threshold on the scale; `None`: there is neither a ratio nor an absolute threshold.
    pub(super) fn margin(&self, rules: &UnitRules) -> Option<f64> {
        match self.scale {
            Scale::Log => Some(libm::log1p(rules.relative)),
            Scale::Raw if self.base_median > 0.0 => Some(rules.relative * self.base_median),
            Scale::Raw => rules.absolute,
        }
    }

    /// Head − base in the unit: the effect itself on the raw scale, elsewhere the difference of the medians.
    pub(super) const fn absolute(&self, between_medians: f64) -> f64 {
        match self.scale {
            Scale::Log => between_medians,
            Scale::Raw => self.effect,
        }
    }

    /// A difference on the scale as a ratio to base minus 1; `None`: there is no ratio.
    pub(super) fn ratio(&self, difference: f64) -> Option<f64> {
        match self.scale {
            Scale::Log => Some(libm::expm1(difference)),
            Scale::Raw => (self.base_median > 0.0).then(|| difference / self.base_median),
        }
    }

    /// Medians of the two groups that the samples fall into, on the scale; `None`: they do not.
    ///
    /// The largest gap between neighbouring values, the effect taken out of head's, with a fifth of the values on each
    /// side, must be larger than three times the spread (median absolute deviation) inside either group.
    fn modes(&self) -> Option<(f64, f64)> {
        let values: Vec<f64> =
            self.blocks.iter().flat_map(|b| b.base.into_iter().chain(b.head.map(|x| x - self.effect))).collect();
        let sorted = order::sorted(&values);
        let fifth = sorted.len().div_ceil(5);
        let split = (fifth..=sorted.len().checked_sub(fifth)?)
            .max_by(|&a, &b| (sorted[a] - sorted[a - 1]).total_cmp(&(sorted[b] - sorted[b - 1])))?;
        let (low, high) = sorted.split_at(split);
        let spread = |group: &[f64]| {
            let center = order::median(group)?;
            order::median_of(&group.iter().map(|x| (x - center).abs()).collect::<Vec<f64>>())
        };
        let widest = spread(low)?.max(spread(high)?);
        // Without any spread the values are quantised, which is no second mode.
        let two = sorted.len() >= MODES_FROM && widest > 0.0 && high[0] - low[low.len() - 1] > 3.0 * widest;
        order::median(low).zip(order::median(high)).filter(|_| two)
    }

    /// [`Self::modes`] in the unit.
    pub(super) fn modes_in_unit(&self) -> Option<(f64, f64)> {
        let (low, high) = self.modes()?;
        Some(match self.scale {
            Scale::Log => (libm::exp(low), libm::exp(high)),
            Scale::Raw => (low, high),
        })
    }
}
