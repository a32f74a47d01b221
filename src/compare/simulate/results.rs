//! A simulated run as a file of results.

use super::Scenario;
use crate::compare::select;
use crate::config::{Config, Rounds};
use crate::format::BenchmarkId;
use crate::results::{
    self, Machine, Results, Round, RoundWitness, RowKey, Stage, StageKind, StepOutcome, Stopped, SuiteResults, Value,
};
use crate::side::{PerSide, Side};
use crate::stats::permutation::Block;
use crate::stats::power::Plan;
use crate::stats::simulate::random::Random;
use std::collections::BTreeMap;

/// Seconds of an operation of base without noise.
const SECONDS: f64 = 1e-3;

impl Scenario {
    /// Makes `config` the policy of this scenario: plan, error rate and threshold.
    pub const fn apply(&self, config: &mut Config) {
        config.rounds = match self.plan {
            Plan::Fixed { blocks } => Rounds::Fixed(2 * blocks),
            Plan::Staged { screen, confirm } => Rounds::Staged { screen: 2 * screen, confirm: 2 * confirm },
        };
        config.compare.alpha = self.alpha;
        config.compare.threshold = self.threshold;
    }

    /// The results that measuring with the random numbers of `seed` would have given under `config`
    /// (see [`Self::apply`]): rows `row0`, `row1` … of one suite, the second stage for the rows that the screen selects.
    #[must_use]
    pub fn results(&self, seed: u64, config: &Config) -> Results {
        let mut random = Random::new(seed, &[]);
        let biases: Vec<f64> = self.effects.iter().map(|_| self.model.bias(&mut random)).collect();
        let mut suite = self.suite();
        match self.plan {
            Plan::Fixed { blocks } => {
                let rows = self.stage(blocks, &biases, &mut random);
                suite.stages.push(stage(StageKind::Fixed, blocks, &rows, |_| true));
            }
            Plan::Staged { screen, confirm } => {
                let rows = self.stage(screen, &biases, &mut random);
                suite.stages.push(stage(StageKind::Screen, screen, &rows, |_| true));
                let fresh = self.stage(confirm, &biases, &mut random);
                let chosen = select(std::slice::from_ref(&suite), config).pop().unwrap_or_default();
                let asked: Vec<u32> = chosen.suspects.iter().chain(&chosen.equivalence).copied().collect();
                let mut again = stage(StageKind::Confirm, confirm, &fresh, |row| asked.contains(&row));
                (again.suspects, again.equivalence) = (chosen.suspects, chosen.equivalence);
                suite.stages.push(again);
            }
        }
        Results {
            schema: results::SCHEMA,
            tool: "simulation".to_owned(),
            commits: PerSide::default(),
            config_hash: String::new(),
            seed: format!("{seed:032x}"),
            shard: None,
            started: String::new(),
            finished: String::new(),
            stopped: Stopped::Completed,
            machine: Machine { cpu: self.model.name().to_owned(), ..Machine::default() },
            tuning: Vec::new(),
            suites: vec![suite],
            warnings: Vec::new(),
            asked: None,
        }
    }

    fn suite(&self) -> SuiteResults {
        let key = |row: usize| RowKey {
            benchmark: BenchmarkId { package: String::new(), name: format!("row{row}"), procs: None },
            unit: crate::unit::normal::WALL_TIME.to_owned(),
        };
        SuiteResults {
            inspected: PerSide::default(),
            name: "simulation".to_owned(),
            run: PerSide::default(),
            format: None,
            setup: PerSide::default(),
            warmup: PerSide { base: None, head: None },
            rows: (0..self.effects.len()).map(key).collect(),
            metric_rows: std::collections::BTreeSet::new(),
            units: BTreeMap::new(),
            stages: Vec::new(),
            tools: BTreeMap::new(),
            filtered_out: 0,
            warnings: Vec::new(),
        }
    }
}

fn stage(kind: StageKind, planned_blocks: u32, rows: &[Vec<Block>], asked: impl Fn(u32) -> bool) -> Stage {
    let asked: Vec<u32> = (0..rows.len() as u32).filter(|row| asked(*row)).collect();
    let blocks = (0..planned_blocks as usize).map(|block| {
        // Inside a block the order no longer matters: the values are on their sides.
        let rounds = (0..4).map(|slot| {
            let side = if slot < 2 { Side::Base } else { Side::Head };
            let values = asked.iter().map(|&row| {
                let block = &rows[row as usize][block];
                let log = if side == Side::Base { block.base[slot % 2] } else { block.head[slot % 2] };
                Value { row, value: SECONDS * libm::exp(log), inner: None, iterations: None }
            });
            Round {
                side,
                at: (4 * block + slot) as f64,
                outcome: StepOutcome::default(),
                values: values.collect(),
                failures: Vec::new(),
                unparsed: Vec::new(),
                witness: RoundWitness::default(),
            }
        });
        results::Block {
            unit_of_work: String::new(),
            invalid: None,
            kept: false,
            equivalence: false,
            metrics: false,
            rounds: rounds.collect(),
        }
    });
    Stage { kind, planned_blocks, suspects: Vec::new(), equivalence: Vec::new(), blocks: blocks.collect() }
}
