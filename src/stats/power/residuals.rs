//! What a plan finds in a row with the noise that the row showed: the test itself, simulated on the row's residuals.
//!
//! A row of a benchmark is not normal: a machine that others use has bursts, a process may be fast or slow by a coin, and
//! a few blocks show little of either. So no constant times a standard deviation is asked here. Blocks are drawn with
//! replacement from those that were measured, the effect taken out of them, with labels drawn anew, and the test and the
//! thresholds that judge real blocks judge these.
//!
//! Four blocks have few different values, and the largest that will come is rarely among them; drawn as they are, they
//! promise too much. Each value gets normal noise beside its own (the smoothed bootstrap: Efron, Ann. Stat. 7, 1979, 7;
//! Silverman and Young, Biometrika 74, 1987), with 1/√k of the standard deviation of the residuals of k blocks.
//! `bench-bot selftest simulated` shows how often an effect of the size that is given here is then found.

use super::{POWER, Plan, SCREEN_LEVEL, rounds_for_level, smallest_p};
use crate::stats::permutation::Block;
use crate::stats::shift::{self, Shifts};
use crate::stats::simulate::random::Random;
use crate::stats::{Interval, finite};

/// Seed of the simulations: one file of results gives one report.
const SEED: u64 = 20_240_607;

/// Blocks that are simulated to find how many are needed; ends of intervals shrink with the root of their number.
const BASIS: u32 = 8;

/// Most blocks that are simulated for the smallest effect, too.
const LARGEST: u32 = 16;

/// Most rounds a side that are said to be needed.
const MOST_ROUNDS: f64 = 200.0;

/// Runs of a simulation for each row of a report of `rows` rows: 200, fewer in a very large report, whose rows each get
/// less of the time.
#[must_use]
pub fn runs(rows: usize) -> u32 {
    u32::try_from(50_000 / rows.max(1)).unwrap_or(u32::MAX).clamp(25, 200)
}

/// The noise of a row: what is left of its blocks without their level and the effect.
#[derive(Debug, Clone)]
pub struct Residuals {
    blocks: Vec<[f64; 4]>,
    /// Standard deviation of the noise that is added to each value.
    width: f64,
}

/// What must hold before a change of a row is called one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// The plan of the row.
    pub plan: Plan,
    /// The level that its p must reach: α / family size.
    pub level: f64,
    /// The smallest effect that counts, on the scale of the blocks.
    pub margin: f64,
}

impl Residuals {
    /// The residuals of `blocks`; `None` without blocks.
    ///
    /// Of the 3k degrees of freedom inside k blocks the effect has taken one, which is made good.
    #[must_use]
    pub fn of(blocks: &[Block]) -> Option<Self> {
        let effect = shift::effect(blocks)?;
        let k = blocks.len() as f64;
        let share = (3.0 * k / (3.0 * k - 1.0)).sqrt();
        let blocks: Vec<[f64; 4]> = blocks
            .iter()
            .map(|block| {
                let values = [block.base[0], block.base[1], block.head[0] - effect, block.head[1] - effect];
                let mean = values.iter().sum::<f64>() / 4.0;
                values.map(|value| share * (value - mean))
            })
            .collect();
        let squares: f64 = blocks.iter().flatten().map(|residual| residual * residual).sum();
        let width = (squares / (3.0 * k)).sqrt() / k.sqrt();
        Some(Self { blocks, width })
    }

    /// One block of unchanged code.
    fn block(&self, random: &mut Random) -> Block {
        let drawn = self.blocks[random.below(self.blocks.len() as u64) as usize];
        let labels = random.block();
        Block::arranged(labels, drawn.map(|value| value + self.width * random.normal()))
    }

    /// `blocks` blocks of unchanged code.
    fn stage(&self, blocks: u32, random: &mut Random) -> Vec<Block> {
        (0..blocks).map(|_| self.block(random)).collect()
    }

    /// What a stage of `blocks` blocks of unchanged code shows at `level`: the effect from which it finds one upwards, and
    /// its estimate. Of a large stage a part is simulated: both shrink with the root of the number of blocks.
    fn outcome(&self, blocks: u32, level: f64, random: &mut Random) -> (f64, f64) {
        let simulated = blocks.min(LARGEST);
        let sample = self.stage(simulated, random);
        let shrunk = (f64::from(simulated) / f64::from(blocks)).sqrt();
        (shrunk * beyond(&sample, level), shrunk * estimate(&sample))
    }

    /// The smallest effect on the scale of the blocks that is called a change in four of five runs of the plan, never
    /// below the margin; `None` if the plan cannot reach the level, or without runs.
    ///
    /// Each run draws noise without an effect. An effect of δ moves every estimate and every end of an interval by δ, so
    /// that the run calls it a change where δ is above the largest of: minus the lower end of the interval at the level;
    /// the margin minus the estimate; and in a two-stage plan minus the lower end of the screen's interval at its own
    /// level, and minus the screen's estimate, for its sign. The answer is a quantile of these.
    #[must_use]
    pub fn detectable(&self, demand: &Demand, runs: u32) -> Option<f64> {
        let Demand { plan, level, margin } = *demand;
        let (screen, decisive) = match plan {
            Plan::Fixed { blocks } => (None, blocks),
            Plan::Staged { screen, confirm } => (Some(screen), confirm),
        };
        let reaches = |blocks, level| blocks > 0 && smallest_p(blocks) <= level;
        if !reaches(decisive, level) || screen.is_some_and(|blocks| !reaches(blocks, SCREEN_LEVEL)) {
            return None;
        }
        let mut random = Random::new(SEED, &[]);
        let mut needed: Vec<f64> = (0..runs)
            .map(|_| {
                let (beyond, estimate) = self.outcome(decisive, level, &mut random);
                let needed = beyond.max(margin - estimate);
                screen.map_or(needed, |blocks| {
                    let (beyond, estimate) = self.outcome(blocks, SCREEN_LEVEL, &mut random);
                    needed.max(beyond).max(-estimate)
                })
            })
            .collect();
        Some(finite(quantile(&mut needed)?.max(margin)))
    }

    /// About how many rounds a side of one stage would decide the row in four of five cases, if its true effect is
    /// `effect`: an even number; `None`: more than 200.
    ///
    /// An effect below the margin is decided when the interval at `equivalence` lies inside the margins, another one when
    /// it is called a change. Intervals and estimates of eight blocks are simulated; with more blocks they are narrower by
    /// the root of their number.
    #[must_use]
    pub fn rounds_needed(&self, demand: &Demand, effect: f64, equivalence: f64, runs: u32) -> Option<u32> {
        let Demand { level, margin, .. } = *demand;
        let size = effect.abs();
        let mut random = Random::new(SEED, &[u64::from(BASIS)]);
        let mut needed: Vec<f64> = (0..runs)
            .map(|_| {
                let sample = self.stage(BASIS, &mut random);
                // How many times as far from the truth as those of the sample the ends may be.
                let room = if size < margin {
                    let Interval { lo, hi } = Shifts::new(&sample).interval(equivalence);
                    times(margin - size, hi).min(times(margin + size, -lo))
                } else {
                    times(size, beyond(&sample, level)).min(times(size - margin, -estimate(&sample)))
                };
                f64::from(BASIS) / (room * room)
            })
            .collect();
        let least = rounds_for_level(if size < margin { 1.0 - equivalence } else { level })?;
        let rounds = 2.0 * quantile(&mut needed)?.ceil();
        // NaN and infinities fail the comparison.
        (rounds <= MOST_ROUNDS).then(|| (rounds as u32).max(least))
    }
}

/// The effect from which the test of `sample`, in which there is none, finds one upwards at `level`.
fn beyond(sample: &[Block], level: f64) -> f64 {
    -Shifts::new(sample).lower_end(1.0 - level)
}

fn estimate(sample: &[Block]) -> f64 {
    shift::effect(sample).unwrap_or(0.0)
}

/// How many times `distance` fits into `room`; as often as wanted if it is nothing or less.
fn times(room: f64, distance: f64) -> f64 {
    if distance > 0.0 { (room / distance).max(0.0) } else { f64::INFINITY }
}

/// The value that four of five are not above; `None` without values.
fn quantile(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let place = (POWER * values.len() as f64).ceil() as usize;
    values.get(place.checked_sub(1)?).copied()
}
