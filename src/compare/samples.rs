//! The samples of one row, collected from the rounds of a suite.
//!
//! Sizes are those of the values that are there, never rows times rounds: a file of results is hostile.

use super::pair::Pair;
use crate::format::{BenchmarkId, FailureKind};
use crate::report::Verdict;
use crate::results::{Round, StageKind, StepStatus, SuiteResults};
use crate::side::{PerSide, Side};
use crate::stats::permutation::Block;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A suite's rounds, arranged by row.
pub(super) struct Table<'a> {
    suite: &'a SuiteResults,
    /// The stages that count: the first of each kind.
    pub(super) stages: Vec<StageTable<'a>>,
    /// By key: its values in the order measured.
    cells: Vec<Vec<Cell>>,
    /// By key: the sides that ever gave a value, the warm-up included.
    pub(super) seen: Vec<PerSide<bool>>,
    /// What benchmarks said that gave no value.
    failures: BTreeMap<&'a BenchmarkId, PerSide<Failures<'a>>>,
    /// Units of work in which a benchmark failed or was skipped.
    failed_in: BTreeMap<&'a BenchmarkId, BTreeSet<usize>>,
    /// Keys that the second stage was run for.
    asked: HashSet<usize>,
    /// Benchmarks that have a suspect among their units, and whether one of the suite's metrics is one.
    suspects: HashSet<&'a BenchmarkId>,
    metric_suspects: bool,
    /// Blocks that do not hold two rounds a side, and so were not used.
    pub(super) malformed: u32,
}

/// One stage's blocks that count.
pub(super) struct StageTable<'a> {
    pub(super) kind: StageKind,
    pub(super) planned: u32,
    pub(super) blocks: Vec<BlockTable<'a>>,
    /// By unit of work: its blocks, rising.
    by_unit: HashMap<usize, Vec<usize>>,
}

/// A block that counts: two rounds a side, valid or kept.
pub(super) struct BlockTable<'a> {
    /// Index of its unit of work; 0 is the whole suite.
    unit: usize,
    /// As in [`crate::results::Block`].
    equivalence: bool,
    metrics: bool,
    pub(super) rounds: &'a [Round],
}

/// Failures, time-outs and skips of one benchmark on one side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Failures<'a> {
    pub(super) failed: u32,
    pub(super) skipped: u32,
    pub(super) timed_out: u32,
    /// The first message of the graver kind.
    pub(super) message: &'a str,
}

/// One value of one key.
struct Cell {
    stage: usize,
    block: usize,
    slot: usize,
    value: f64,
    iterations: Option<u64>,
}

impl<'a> Table<'a> {
    pub(super) fn new(suite: &'a SuiteResults) -> Self {
        let mut units = HashMap::from([("", 0)]);
        let mut table = Self {
            suite,
            stages: Vec::new(),
            cells: suite.rows.iter().map(|_| Vec::new()).collect(),
            seen: vec![PerSide::default(); suite.rows.len()],
            failures: BTreeMap::new(),
            failed_in: BTreeMap::new(),
            asked: HashSet::new(),
            suspects: HashSet::new(),
            metric_suspects: false,
            malformed: 0,
        };
        for side in Side::BOTH {
            if let Some(round) = suite.warmup.get(side) {
                table.note_presence(side, round);
            }
        }
        for stage in &suite.stages {
            if table.stages.iter().any(|other| other.kind == stage.kind) {
                continue;
            }
            let mut blocks = Vec::new();
            let mut by_unit: HashMap<usize, Vec<usize>> = HashMap::new();
            for block in stage.blocks.iter().filter(|block| block.invalid.is_none() || block.kept) {
                let base = block.rounds.iter().filter(|round| round.side == Side::Base).count();
                if block.rounds.len() != 4 || base != 2 {
                    table.malformed += 1;
                    continue;
                }
                let next = units.len();
                let unit = *units.entry(block.unit_of_work.as_str()).or_insert(next);
                table.add_cells(table.stages.len(), blocks.len(), &block.rounds);
                for failure in block.rounds.iter().flat_map(|round| &round.failures) {
                    table.failed_in.entry(&failure.benchmark).or_default().insert(unit);
                }
                by_unit.entry(unit).or_default().push(blocks.len());
                let (equivalence, metrics) = (block.equivalence, block.metrics);
                blocks.push(BlockTable { unit, equivalence, metrics, rounds: &block.rounds });
            }
            for key in &stage.suspects {
                match suite.rows.get(*key as usize) {
                    Some(_) if suite.metric_rows.contains(key) => table.metric_suspects = true,
                    row => table.suspects.extend(row.map(|row| &row.benchmark)),
                }
            }
            table.asked.extend(stage.suspects.iter().chain(&stage.equivalence).map(|key| *key as usize));
            table.stages.push(StageTable { kind: stage.kind, planned: stage.planned_blocks, blocks, by_unit });
        }
        table
    }

    fn add_cells(&mut self, stage: usize, block: usize, rounds: &'a [Round]) {
        for (slot, round) in rounds.iter().enumerate() {
            self.note_presence(round.side, round);
            for value in &round.values {
                if let Some(cells) = self.cells.get_mut(value.row as usize) {
                    cells.push(Cell { stage, block, slot, value: value.value, iterations: value.iterations });
                }
            }
        }
    }

    fn note_presence(&mut self, side: Side, round: &'a Round) {
        for value in &round.values {
            if let Some(seen) = self.seen.get_mut(value.row as usize) {
                *seen.get_mut(side) = true;
            }
        }
        for failure in &round.failures {
            let entry = self.failures.entry(&failure.benchmark).or_default().get_mut(side);
            let (count, graver) = match failure.kind {
                FailureKind::Failed => (&mut entry.failed, true),
                FailureKind::TimedOut => (&mut entry.timed_out, false),
                FailureKind::Skipped => (&mut entry.skipped, false),
            };
            *count += 1;
            if (graver && *count == 1) || entry.message.is_empty() {
                entry.message = &failure.message;
            }
        }
    }

    /// The samples of `pair` in each stage, in the order of the stages.
    pub(super) fn samples(&self, pair: &Pair) -> Vec<Samples> {
        let units = self.units_of_work(pair);
        (0..self.stages.len()).map(|stage| self.stage_samples(pair, stage, &units)).collect()
    }

    /// The units of work in which a row was ever seen, or its failure. Its blocks are those, and those of the whole suite.
    fn units_of_work(&self, pair: &Pair) -> BTreeSet<usize> {
        let keys = pair.key.base.into_iter().chain(pair.key.head.filter(|head| Some(*head) != pair.key.base));
        let mut units = BTreeSet::from([0]);
        for key in keys {
            units.extend(self.cells[key].iter().map(|cell| self.stages[cell.stage].blocks[cell.block].unit));
            units.extend(self.failed_in.get(&self.suite.rows[key].benchmark).into_iter().flatten());
        }
        units
    }

    fn stage_samples(&self, pair: &Pair, stage: usize, units: &BTreeSet<usize>) -> Samples {
        let mut samples = Samples::new(self.stages[stage].kind);
        let mut cells = pair.key.map(|key| key.map_or(&[][..], |key| self.cells[key].as_slice()).iter().peekable());
        for side in Side::BOTH {
            while cells.get_mut(side).next_if(|cell| cell.stage < stage).is_some() {}
        }
        let table = &self.stages[stage];
        for index in self.blocks_of(pair, table, units) {
            let block = &table.blocks[index];
            let mut values = [None; 4];
            for side in Side::BOTH {
                let cells = cells.get_mut(side);
                while let Some(cell) = cells.next_if(|cell| (cell.stage, cell.block) <= (stage, index)) {
                    let here = cell.block == index && block.rounds[cell.slot].side == side;
                    if here && values[cell.slot].is_none() {
                        values[cell.slot] = Some(cell);
                    }
                }
            }
            samples.add(block.rounds, &values);
        }
        samples
    }

    /// The blocks of a stage that were run for a row, rising: those of its units of work, or of the suite's metrics. Where
    /// it ran in blocks for suspects and in others for equivalence, only one of these kinds was meant for it.
    fn blocks_of(&self, pair: &Pair, table: &StageTable<'_>, units: &BTreeSet<usize>) -> Vec<usize> {
        let keys = || pair.key.base.into_iter().chain(pair.key.head);
        let metric = keys().any(|key| self.suite.metric_rows.contains(&(key as u32)));
        let mut blocks: Vec<usize> = match metric {
            true => (0..table.blocks.len()).filter(|index| table.blocks[*index].metrics).collect(),
            false => units.iter().filter_map(|unit| table.by_unit.get(unit)).flatten().copied().collect(),
        };
        blocks.sort_unstable();
        let suspect = match metric {
            true => self.metric_suspects,
            false => keys().any(|key| self.suspects.contains(&self.suite.rows[key].benchmark)),
        };
        let (again, others): (Vec<usize>, Vec<usize>) =
            blocks.into_iter().partition(|index| table.blocks[*index].equivalence);
        if suspect || again.is_empty() { others } else { again }
    }

    /// Whether the second stage was run for a row.
    pub(super) fn asked(&self, pair: &Pair) -> bool {
        pair.key.base.iter().chain(&pair.key.head).any(|key| self.asked.contains(key))
    }

    /// What the benchmark of `key` said on `side` where it gave no value.
    pub(super) fn failures_of(&self, key: usize, side: Side) -> Option<Failures<'a>> {
        let failures = self.failures.get(&self.suite.rows.get(key)?.benchmark)?.get(side);
        (failures.failed + failures.timed_out + failures.skipped > 0).then_some(*failures)
    }

    /// Benchmarks that failed or were skipped and have no row, with their state; one that failed on both sides says so.
    pub(super) fn only_failures(&self) -> Vec<(BenchmarkId, Verdict)> {
        let rows: BTreeSet<&BenchmarkId> = self.suite.rows.iter().map(|key| &key.benchmark).collect();
        let alone = self.failures.iter().filter(|(benchmark, _)| !rows.contains(*benchmark));
        alone
            .filter_map(|(benchmark, sides)| {
                let on =
                    |count: fn(&Failures<'_>) -> u32| Side::BOTH.into_iter().find(|side| count(sides.get(*side)) > 0);
                let state = match (on(|f| f.failed).or(on(|f| f.timed_out)), on(|f| f.skipped)) {
                    (Some(side), _) if sides.get(side).failed == 0 => Verdict::TimedOut(side),
                    (Some(_), _) if sides.base.failed > 0 && sides.head.failed > 0 => {
                        Verdict::Failed(Side::Base, super::state::both(sides.base.message, sides.head.message))
                    }
                    (Some(side), _) => Verdict::Failed(side, sides.get(side).message.to_owned()),
                    (None, Some(side)) => Verdict::Skipped(side, sides.get(side).message.to_owned()),
                    (None, None) => return None,
                };
                Some(((*benchmark).clone(), state))
            })
            .collect()
    }

    /// All rounds of `side` that count, and its warm-up round.
    pub(super) fn rounds_of(&self, side: Side) -> impl Iterator<Item = &'a Round> {
        let counted = self.stages.iter().flat_map(|stage| &stage.blocks).flat_map(|block| block.rounds);
        self.warmup(side).into_iter().chain(counted.filter(move |round| round.side == side))
    }

    /// The suite's warm-up round of `side`.
    pub(super) const fn warmup(&self, side: Side) -> Option<&'a Round> {
        self.suite.warmup.get(side).as_ref()
    }
}

/// The samples of one row in one stage.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    pub(super) kind: StageKind,
    /// Blocks with all four values, raw.
    pub(super) blocks: Vec<Block>,
    /// All finite values a side, in the order measured, with the seconds at which their rounds began.
    pub(super) values: PerSide<Vec<f64>>,
    pub(super) at: PerSide<Vec<f64>>,
    /// Blocks that lack a value.
    pub(super) dropped: u32,
    /// Rounds that counted for the row.
    pub(super) rounds: PerSide<u32>,
    /// Of these: rounds without a value, by how the command ended.
    pub(super) lacking: PerSide<Lacking>,
    /// Whether a value was not a usable number.
    pub(super) unusable: PerSide<bool>,
    /// Smallest and largest number of iterations behind a value.
    pub(super) iterations: Option<(u64, u64)>,
}

/// Rounds without a value of a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Lacking {
    pub(super) all: u32,
    /// The command ended well.
    pub(super) ok: u32,
    pub(super) timed_out: u32,
    /// How the command ended where it failed otherwise.
    pub(super) first_failure: Option<StepStatus>,
}

/// Values beyond this have no room left for differences; no benchmark measures such.
const LARGEST: f64 = 1e300;

impl Samples {
    pub(super) fn new(kind: StageKind) -> Self {
        Self {
            kind,
            blocks: Vec::new(),
            values: PerSide::default(),
            at: PerSide::default(),
            dropped: 0,
            rounds: PerSide::default(),
            lacking: PerSide::default(),
            unusable: PerSide::default(),
            iterations: None,
        }
    }

    fn add(&mut self, rounds: &[Round], values: &[Option<&Cell>; 4]) {
        let mut sides: PerSide<Vec<f64>> = PerSide::default();
        for (round, cell) in rounds.iter().zip(values) {
            let side = round.side;
            *self.rounds.get_mut(side) += 1;
            let Some(cell) = cell else {
                self.lacking.get_mut(side).add(&round.outcome.status);
                continue;
            };
            if !cell.value.is_finite() || cell.value.abs() > LARGEST {
                *self.unusable.get_mut(side) = true;
                continue;
            }
            if let Some(n) = cell.iterations {
                let (least, most) = self.iterations.unwrap_or((n, n));
                self.iterations = Some((least.min(n), most.max(n)));
            }
            sides.get_mut(side).push(cell.value);
            self.values.get_mut(side).push(cell.value);
            self.at.get_mut(side).push(if round.at.is_finite() { round.at } else { 0.0 });
        }
        match (sides.base.as_slice(), sides.head.as_slice()) {
            (&[a, b], &[c, d]) => self.blocks.push(Block { base: [a, b], head: [c, d] }),
            _ => self.dropped += 1,
        }
    }

    /// The values of `side` that a row shows: those of complete blocks, or all if no block is complete.
    pub(super) fn shown(&self, side: Side) -> Vec<f64> {
        let of = |block: &Block| match side {
            Side::Base => block.base,
            Side::Head => block.head,
        };
        if self.blocks.is_empty() { self.values.get(side).clone() } else { self.blocks.iter().flat_map(of).collect() }
    }
}

impl Lacking {
    fn add(&mut self, status: &StepStatus) {
        self.all += 1;
        match status {
            StepStatus::Ok => self.ok += 1,
            StepStatus::TimedOut(_) => self.timed_out += 1,
            other => {
                self.first_failure.get_or_insert_with(|| other.clone());
            }
        }
    }

    /// Both together.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            all: self.all + other.all,
            ok: self.ok + other.ok,
            timed_out: self.timed_out + other.timed_out,
            first_failure: self.first_failure.clone().or_else(|| other.first_failure.clone()),
        }
    }
}
