//! What a plan can find: smallest detectable effects, and rounds that would decide.

use super::permutation::Block;
use super::shift::Shifts;
use super::simulate::random::Random;
use super::{finite, normal};

mod table;

pub use table::{RUNS, SEED, render};

/// How many rounds are measured, in blocks of four rounds (two a side).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// One stage.
    Fixed {
        /// Blocks.
        blocks: u32,
    },
    /// A screen of all rows at p ≤ 0.10, then fresh blocks for the rows that it selected.
    Staged {
        /// Blocks of the screen.
        screen: u32,
        /// Blocks of the second stage.
        confirm: u32,
    },
}

/// A row is a suspect if its screen p is at or below this.
pub const SCREEN_LEVEL: f64 = 0.10;

/// Power at which an effect counts as detectable.
const POWER: f64 = 0.80;

/// The smallest p that `blocks` blocks can give: 2/6^blocks.
#[must_use]
pub fn smallest_p(blocks: u32) -> f64 {
    (2.0 / libm::pow(6.0, f64::from(blocks))).min(1.0)
}

/// The smallest even number of rounds a side whose smallest p is at or below `level`, if 200 are enough.
#[must_use]
pub fn rounds_for_level(level: f64) -> Option<u32> {
    (1..=100).find(|&blocks| smallest_p(blocks) <= level).map(|blocks| 2 * blocks)
}

/// The effect, in units of the standard deviation of a same-side contrast, that `plan` finds with 80 % power in one
/// row at the level `level` = α / family size, by simulation with normal noise; `None` if the plan cannot reach the
/// level.
///
/// Each run draws noise without an effect. The test finds an effect of δ where the lower end of its interval, moved up
/// by δ, is above 0; so the power at δ is the share of runs whose lower end is above −δ, and the constant is a quantile
/// of these ends. A staged plan needs both stages, whose noise is independent. [`constant`] is a committed table of
/// this function.
#[must_use]
pub fn simulate_constant(plan: Plan, level: f64, runs: u32, seed: u64) -> Option<f64> {
    let needed = |blocks, level, role| {
        let ends = simulate_needed(blocks, &[level], runs, seed, role).pop()?;
        ends.iter().any(|end| end.is_finite()).then_some(ends)
    };
    match plan {
        Plan::Fixed { blocks } => quantile_of_needed(&needed(blocks, level, Role::Confirm)?),
        Plan::Staged { screen, confirm } => {
            let screen = needed(screen, SCREEN_LEVEL, Role::Screen)?;
            let confirm = needed(confirm, level, Role::Confirm)?;
            let both: Vec<f64> = screen.iter().zip(&confirm).map(|(s, c)| s.max(*c)).collect();
            quantile_of_needed(&both)
        }
    }
}

/// Which stage noise is drawn for: stages have streams of their own.
#[derive(Clone, Copy)]
enum Role {
    Screen = 1,
    Confirm = 2,
}

/// For every level and run: the effect above which the test finds the change.
fn simulate_needed(blocks: u32, levels: &[f64], runs: u32, seed: u64, role: Role) -> Vec<Vec<f64>> {
    let mut needed = vec![Vec::with_capacity(runs as usize); levels.len()];
    let mut random = Random::new(seed, &[u64::from(blocks), role as u64]);
    for _ in 0..runs {
        // A contrast of two values has twice their variance: the unit is its standard deviation.
        let mut value = || random.normal() * std::f64::consts::FRAC_1_SQRT_2;
        let sample: Vec<Block> =
            (0..blocks).map(|_| Block { base: [value(), value()], head: [value(), value()] }).collect();
        let shifts = Shifts::new(&sample);
        for (level, ends) in levels.iter().zip(&mut needed) {
            ends.push(if smallest_p(blocks) <= *level { -shifts.lower_end(1.0 - level) } else { f64::INFINITY });
        }
    }
    needed
}

fn quantile_of_needed(needed: &[f64]) -> Option<f64> {
    super::order::quantile(&super::order::sorted(needed), POWER).filter(|c| c.is_finite())
}

/// The constant of [`simulate_constant`] from the committed table; `None` if the plan cannot reach `level` or has
/// fewer blocks than the table.
///
/// Between the table's levels it is linear in the normal quantile of the level, between its numbers of blocks in
/// 1/√blocks: both are how the constant of a rank test grows.
#[must_use]
pub fn constant(plan: Plan, level: f64) -> Option<f64> {
    match plan {
        Plan::Fixed { blocks } => table::fixed(blocks, level),
        Plan::Staged { screen, confirm } => table::staged(screen, confirm, level),
    }
}

/// The smallest effect, on the scale of the test, that `plan` finds with 80 % power in a row of noise `sigma`
/// ([`super::noise::RowNoise::sigma`]), and that is not below `threshold`.
#[must_use]
pub fn detectable(plan: Plan, level: f64, sigma: f64, threshold: f64) -> Option<f64> {
    Some(finite((constant(plan, level)? * sigma).max(threshold)))
}

/// About how many rounds a side would decide a row: the smallest even number of at least
/// n·(w/(t − |e|))² for an effect e below the threshold t (to show that it is), or n·(w/|e|)² for one beyond it (to show
/// that it is not 0), where w is the half width of the interval at `rounds` = n. `None`: more than 200, or undefined.
#[must_use]
pub fn rounds_needed(rounds: u32, effect: f64, half_width: f64, threshold: f64) -> Option<u32> {
    let distance = if effect.abs() < threshold { threshold - effect.abs() } else { effect.abs() };
    let needed = f64::from(rounds) * (half_width / distance).powi(2);
    // NaN and infinities fail the comparison.
    (needed <= 200.0).then(|| {
        let even = 2 * (needed / 2.0).ceil() as u32;
        even.max(2)
    })
}

/// Where `level` lies between two columns of levels: index of the column before, and the share of the way.
fn between(levels: &[f64], level: f64) -> (usize, f64) {
    let z = |level: f64| -normal::quantile(level / 2.0);
    let after = levels.iter().position(|&l| l <= level).unwrap_or(levels.len() - 1).max(1);
    let (low, high) = (z(levels[after - 1]), z(levels[after]));
    (after - 1, (z(level) - low) / (high - low))
}
