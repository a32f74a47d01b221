//! Results made by hand: rows with a known truth, measured in any plan.

use super::super::{Context, report, select};
use crate::config::{
    CommandPolicy, Compare, Config, Host, Isolation, ReportConfig, Rounds, Suite, SuiteSide, UnitPolicy,
};
use crate::format::BenchmarkId;
use crate::report::{Report, Row};
use crate::results::{
    Block, Machine, Results, Round, RoundWitness, RowKey, SCHEMA, Stage, StageKind, StepOutcome, Stopped, SuiteResults,
    Value,
};
use crate::side::{PerSide, Side};
use crate::stats::simulate::random::Random;
use std::collections::BTreeMap;
use std::time::Duration;

/// A row with a known truth.
#[derive(Debug, Clone)]
pub(super) struct Truth {
    pub(super) id: PerSide<BenchmarkId>,
    pub(super) unit: String,
    /// Base's value without noise.
    pub(super) base: f64,
    /// ln(head / base) in the first and in the second stage.
    pub(super) effect: [f64; 2],
    /// Standard deviation of the logarithm.
    pub(super) noise: f64,
    /// Sides that have the row.
    pub(super) on: PerSide<bool>,
    pub(super) iterations: Option<u64>,
}

pub(super) fn id(name: &str) -> BenchmarkId {
    BenchmarkId { package: String::new(), name: name.to_owned(), procs: None }
}

impl Truth {
    /// A benchmark of a microsecond with 0.5 % noise that does not change.
    pub(super) fn new(name: &str) -> Self {
        Self {
            id: PerSide { base: id(name), head: id(name) },
            unit: "sec/op".to_owned(),
            base: 1e-6,
            effect: [0.0; 2],
            noise: 0.005,
            on: PerSide { base: true, head: true },
            iterations: None,
        }
    }

    pub(super) fn unit(mut self, unit: &str, base: f64) -> Self {
        (self.unit, self.base) = (unit.to_owned(), base);
        self
    }

    /// The same effect in both stages.
    pub(super) fn effect(self, effect: f64) -> Self {
        self.effects(effect, effect)
    }

    pub(super) fn effects(mut self, first: f64, second: f64) -> Self {
        self.effect = [first, second];
        self
    }

    pub(super) fn noise(mut self, noise: f64) -> Self {
        self.noise = noise;
        self
    }

    pub(super) fn only(mut self, side: Side) -> Self {
        *self.on.get_mut(side.other()) = false;
        self
    }

    pub(super) fn iterations(mut self, n: u64) -> Self {
        self.iterations = Some(n);
        self
    }

    pub(super) fn on(mut self, side: Side, id: BenchmarkId) -> Self {
        *self.id.get_mut(side) = id;
        self
    }

    fn key(&self, side: Side) -> RowKey {
        RowKey { benchmark: self.id.get(side).clone(), unit: self.unit.clone() }
    }
}

/// A run in the making.
pub(super) struct Run {
    pub(super) config: Config,
    pub(super) results: Results,
    pub(super) context: Context,
}

impl Run {
    /// Measures `truths` in one suite: 8 rounds of screen and 16 of confirm, or the plan of `rounds`.
    pub(super) fn new(truths: &[Truth], rounds: Rounds) -> Self {
        let config = config(rounds);
        let (first, second) = match rounds {
            Rounds::Staged { screen, confirm } => ((StageKind::Screen, screen / 2), Some(confirm / 2)),
            Rounds::Fixed(rounds) => ((StageKind::Fixed, rounds / 2), None),
        };
        let mut results = results(suite("suite", truths));
        let mut random = Random::new(1, &[]);
        let rows = results.suites[0].rows.clone();
        results.suites[0].stages.push(stage(truths, &rows, first, 0, &mut random));
        if let Some(blocks) = second {
            let chosen = select(&results.suites, &config).remove(0);
            if !chosen.suspects.is_empty() || !chosen.equivalence.is_empty() {
                let mut again = stage(truths, &rows, (StageKind::Confirm, blocks), 1, &mut random);
                let wanted: Vec<u32> = chosen.suspects.iter().chain(&chosen.equivalence).copied().collect();
                for round in again.blocks.iter_mut().flat_map(|block| &mut block.rounds) {
                    round.values.retain(|value| wanted.contains(&value.row));
                }
                (again.suspects, again.equivalence) = (chosen.suspects, chosen.equivalence);
                results.suites[0].stages.push(again);
            }
        }
        Self { config, results, context: Context { tool: "bench-bot test".to_owned(), ..Context::default() } }
    }

    pub(super) fn staged(truths: &[Truth]) -> Self {
        Self::new(truths, Rounds::default())
    }

    pub(super) fn fixed(truths: &[Truth], rounds: u32) -> Self {
        Self::new(truths, Rounds::Fixed(rounds))
    }

    pub(super) fn suite(&mut self) -> &mut SuiteResults {
        &mut self.results.suites[0]
    }

    /// Every round of a stage (0: first), warm-up excluded.
    pub(super) fn rounds(&mut self, stage: usize) -> impl Iterator<Item = &mut Round> {
        self.suite().stages[stage].blocks.iter_mut().flat_map(|block| &mut block.rounds)
    }

    pub(super) fn unit(&mut self, unit: &str, policy: UnitPolicy) -> &mut Self {
        self.config.compare.units.insert(unit.to_owned(), policy);
        self
    }

    pub(super) fn report(&self) -> Report {
        report(std::slice::from_ref(&self.results), &self.config, &self.context)
    }

    pub(super) fn row(&self, name: &str) -> Row {
        find(&self.report(), name)
    }
}

/// The first row of a benchmark.
pub(super) fn find(report: &Report, name: &str) -> Row {
    let rows = report.suites.iter().flat_map(|suite| &suite.rows);
    rows.clone()
        .find(|row| row.benchmark.name == name)
        .unwrap_or_else(|| panic!("no row {name} in {:?}", rows.map(|row| &row.benchmark.name).collect::<Vec<_>>()))
        .clone()
}

pub(super) fn has_warning(report: &Report, code: &str) -> bool {
    report.warnings.iter().any(|warning| warning.code == code)
}

pub(super) fn config(rounds: Rounds) -> Config {
    let side = SuiteSide { timeout: Duration::from_secs(60), ..SuiteSide::new("bench".to_owned()) };
    let suite = Suite::new("suite".to_owned(), PerSide { base: side.clone(), head: side });
    Config {
        suites: vec![suite],
        rounds,
        budget: Duration::from_secs(600),
        max_time: Duration::from_secs(3600),
        isolation: Isolation::Host,
        host: Host::default(),
        compare: Compare::default(),
        report: ReportConfig::default(),
        command: CommandPolicy::default(),
    }
}

pub(super) fn results(suite: SuiteResults) -> Results {
    Results {
        schema: SCHEMA,
        tool: "bench-bot test".to_owned(),
        commits: PerSide { base: "a".repeat(40), head: "b".repeat(40) },
        config_hash: "c".repeat(64),
        seed: "0".repeat(32),
        shard: None,
        started: "2026-01-01T00:00:00Z".to_owned(),
        finished: "2026-01-01T00:10:00Z".to_owned(),
        stopped: Stopped::Completed,
        machine: Machine { cpu: "test".to_owned(), cpus: 4, ..Machine::default() },
        tuning: Vec::new(),
        suites: vec![suite],
        warnings: Vec::new(),
        asked: None,
    }
}

/// A suite without rounds, whose keys are those of `truths`.
pub(super) fn suite(name: &str, truths: &[Truth]) -> SuiteResults {
    let mut rows: Vec<RowKey> = Vec::new();
    for truth in truths {
        for side in Side::BOTH.into_iter().filter(|side| *truth.on.get(*side)) {
            let key = truth.key(side);
            if !rows.contains(&key) {
                rows.push(key);
            }
        }
    }
    SuiteResults {
        name: name.to_owned(),
        run: PerSide { base: "bench".to_owned(), head: "bench".to_owned() },
        format: Some("go".to_owned()),
        setup: PerSide::default(),
        warmup: PerSide { base: None, head: None },
        rows,
        metric_rows: std::collections::BTreeSet::new(),
        units: BTreeMap::new(),
        stages: Vec::new(),
        tools: BTreeMap::new(),
        filtered_out: 0,
        inspected: PerSide::default(),
        warnings: Vec::new(),
    }
}

/// A stage of `blocks` blocks in random order.
pub(super) fn stage(
    truths: &[Truth],
    rows: &[RowKey],
    (kind, blocks): (StageKind, u32),
    effect: usize,
    random: &mut Random,
) -> Stage {
    let mut at = 0.0;
    let blocks: Vec<Block> = (0..blocks)
        .map(|_| {
            let rounds = random.block().map(|head| {
                let side = if head { Side::Head } else { Side::Base };
                at += 1.0;
                round(truths, rows, side, effect, at, random)
            });
            Block {
                unit_of_work: String::new(),
                invalid: None,
                kept: false,
                equivalence: false,
                metrics: false,
                rounds: rounds.into(),
            }
        })
        .collect();
    Stage { kind, planned_blocks: blocks.len() as u32, suspects: Vec::new(), equivalence: Vec::new(), blocks }
}

fn round(truths: &[Truth], rows: &[RowKey], side: Side, effect: usize, at: f64, random: &mut Random) -> Round {
    let mut values = Vec::new();
    for truth in truths.iter().filter(|truth| *truth.on.get(side)) {
        let shift = if side == Side::Head { truth.effect[effect] } else { 0.0 };
        let value = truth.base * (shift + truth.noise * random.normal()).exp();
        let row = rows.iter().position(|key| *key == truth.key(side)).unwrap() as u32;
        values.push(Value { row, value, inner: None, iterations: truth.iterations });
    }
    Round {
        side,
        at,
        outcome: StepOutcome::default(),
        values,
        failures: Vec::new(),
        unparsed: Vec::new(),
        witness: RoundWitness::default(),
    }
}
