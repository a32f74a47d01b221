//! Seeded simulation of noisy machines: what the decisions of this program do under noise whose truth is known.
//!
//! A [`Scenario`] is a machine, the true effects of its rows and a plan. [`Scenario::outcome`] decides a report by the
//! very functions that decide real ones, without writing it down; [`Scenario::results`] gives the whole file of
//! results, as if it had been measured.

use super::candidate::STAGED_LEVEL;
use super::judge::{Evidence, Finding, Limits, Suspicion, finding, suspicion};
use crate::stats::multiplicity::holm;
use crate::stats::permutation::{Block, p_value};
use crate::stats::power::{Plan, SCREEN_LEVEL, smallest_p};
use crate::stats::simulate::noise::Model;
use crate::stats::simulate::random::Random;
use crate::stats::{Interval, shift};

pub mod calibration;
mod results;

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The machine.
    pub model: Model,
    /// The true effect of every row, as ln(head / base).
    pub effects: Vec<f64>,
    /// The plan.
    pub plan: Plan,
    /// Error rate of a report.
    pub alpha: f64,
    /// Smallest relative change that counts.
    pub threshold: f64,
}

impl Scenario {
    /// The defaults, 8 rounds of screen and 16 of confirm, over rows with these effects.
    #[must_use]
    pub const fn defaults(model: Model, effects: Vec<f64>) -> Self {
        let plan = Plan::Staged { screen: 4, confirm: 8 };
        Self { model, effects, plan, alpha: calibration::ALPHA, threshold: calibration::THRESHOLD }
    }

    /// The blocks of every row in one stage, as logarithms. `biases` belong to the rows' head binaries.
    fn stage(&self, blocks: u32, biases: &[f64], random: &mut Random) -> Vec<Vec<Block>> {
        let orders: Vec<[bool; 4]> = (0..blocks).map(|_| random.block()).collect();
        let noise = self.model.rows(self.effects.len(), 4 * orders.len(), random);
        let rows = noise.iter().zip(self.effects.iter().zip(biases));
        rows.map(|(noise, (effect, bias))| {
            let blocks = orders.iter().zip(noise.as_chunks::<4>().0);
            blocks.map(|(order, values)| arrange(*order, *values, effect + bias)).collect()
        })
        .collect()
    }

    /// What a report with the random numbers of `seed` finds.
    #[must_use]
    pub fn outcome(&self, seed: u64) -> Outcome {
        let mut random = Random::new(seed, &[]);
        let biases: Vec<f64> = self.effects.iter().map(|_| self.model.bias(&mut random)).collect();
        match self.plan {
            Plan::Fixed { blocks } => {
                let rows = self.stage(blocks, &biases, &mut random);
                let p: Vec<f64> = rows.iter().map(|row| p_value(row)).collect();
                let suspects = (0..rows.len()).map(|row| (row, None)).collect();
                self.decide(suspects, &p, |row| &rows[row])
            }
            Plan::Staged { screen, confirm } => {
                let rows = self.stage(screen, &biases, &mut random);
                let suspects: Vec<(usize, Option<f64>)> = (0..rows.len())
                    .filter(|row| self.is_suspect(&rows[*row]))
                    .map(|row| (row, shift::effect(&rows[row])))
                    .collect();
                let fresh = self.stage(confirm, &biases, &mut random);
                let p: Vec<f64> = suspects.iter().map(|(row, _)| p_value(&fresh[*row])).collect();
                self.decide(suspects, &p, |row| &fresh[row])
            }
        }
    }

    /// How many of the reports with these seeds have a red or green row.
    #[must_use]
    pub fn alarms(&self, seeds: std::ops::Range<u64>) -> Alarms {
        let mut alarms = Alarms::default();
        for outcome in seeds.map(|seed| self.outcome(seed)) {
            alarms.red += u64::from(outcome.changed.iter().any(|(_, up)| *up));
            alarms.coloured += u64::from(!outcome.changed.is_empty());
        }
        alarms
    }

    fn margin(&self) -> f64 {
        libm::log1p(self.threshold)
    }

    fn is_suspect(&self, row: &[Block]) -> bool {
        let p = p_value(row);
        // Whether it is unchanged matters only to rows that could be suspects.
        let unchanged = || (p <= SCREEN_LEVEL).then(|| shift::interval(row, STAGED_LEVEL).inside(self.margin()));
        suspicion(p, unchanged) == Suspicion::Suspect
    }

    /// Judges the family: rows with the effect of their screen, their p, and the blocks that decide.
    fn decide<'b>(
        &self,
        family: Vec<(usize, Option<f64>)>,
        p: &[f64],
        blocks: impl Fn(usize) -> &'b [Block],
    ) -> Outcome {
        let level = self.alpha / family.len().max(1) as f64;
        let usable: Vec<f64> = family
            .iter()
            .zip(p)
            .map(|((row, _), p)| if smallest_p(blocks(*row).len() as u32) <= level { *p } else { 1.0 })
            .collect();
        let limits = Limits { alpha: self.alpha, margin: self.margin(), change_margin: self.margin() };
        let rows = family.iter().zip(holm(&usable, family.len()));
        let changed = rows
            .filter_map(|(&(row, screen_effect), adjusted)| {
                let effect = shift::effect(blocks(row))?;
                let evidence = Evidence { adjusted_p: Some(adjusted), effect, screen_effect };
                // Whether it is unchanged instead is not asked here.
                match finding(&evidence, &limits, || Interval::EVERYTHING) {
                    Finding::Changed { up } => Some((row, up)),
                    _ => None,
                }
            })
            .collect();
        Outcome { changed, suspects: family.len() }
    }
}

/// Reports by what they accuse a change of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Alarms {
    /// With a regression.
    pub red: u64,
    /// With a regression or an improvement.
    pub coloured: u64,
}

/// What one simulated report found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Rows that are coloured, and whether upwards.
    pub changed: Vec<(usize, bool)>,
    /// Rows that were measured again.
    pub suspects: usize,
}

/// Blocks of a single row of `model` with this true effect, as logarithms: for coverage and size of a single test.
#[must_use]
pub fn sample(model: Model, blocks: usize, effect: f64, random: &mut Random) -> Vec<Block> {
    let noise = model.series(4 * blocks, random);
    noise.as_chunks::<4>().0.iter().map(|values| arrange(random.block(), *values, effect)).collect()
}

/// Puts four values into a block by their order.
fn arrange(order: [bool; 4], values: [f64; 4], effect: f64) -> Block {
    let block = Block::arranged(order, values);
    Block { head: block.head.map(|value| value + effect), ..block }
}
