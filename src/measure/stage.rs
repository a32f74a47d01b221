//! The stages of a plan: how many blocks there are room for, and the blocks themselves.

use super::exec::StepKind;
use super::plan::{FEWEST_CONFIRM, FEWEST_FIRST};
use super::progress::Event;
use super::round::Place;
use super::runner::{Runner, SuiteState, Wanted, Work, warn_once};
use super::{Choice, MeasureError, narrow};
use crate::results::{Block, Stage, StageKind, Stopped};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Longest label of a restriction that is the expression itself.
const LABEL_LIMIT: usize = 200;
/// What is wanted of a suite beside its benchmarks: what `metrics` names.
const METRICS: usize = usize::MAX;
/// Free space below which nothing more is run, in bytes.
pub(super) const DISK_LIMIT: u64 = 2 << 30;

impl Runner<'_> {
    /// The first stage: every row, in as many blocks as the budget has room for.
    pub(super) fn first_stage(&mut self) -> Result<Stopped, MeasureError> {
        let works: Vec<Work> = (0..self.suites.len()).flat_map(|suite| self.works(suite, None)).collect();
        let pass: Duration = works.iter().map(|work| work.price).sum();
        let planned = self.plan.first_blocks;
        let fewest = planned.min(FEWEST_FIRST);
        let blocks = fits(self.budget_left(), pass).clamp(fewest, planned);
        // A suite that gave no rows has no stage: it was not cut for want of time.
        let measured: BTreeSet<usize> = works.iter().map(|work| work.suite).collect();
        for suite in measured {
            tracing::debug!("{}: {blocks} blocks", self.suites[suite].plan.suite.name);
            self.results.suites[suite].stages.push(stage(self.plan.first, blocks, Choice::default()));
        }
        let room = fits(self.budget_left(), pass);
        if room < planned {
            let needed = (self.spent_on_rounds() + pass * planned).as_secs_f64().ceil();
            let limit = if self.no_time() == Stopped::Budget { "budget" } else { "time limit" };
            let time = self.plan.budget.as_secs_f64();
            let sentence = format!(
                "the {limit} of {time} s has room for {room} of {planned} blocks of all suites, and {blocks} are planned; \
                 {needed} s would do for this stage"
            );
            warn_once(&mut self.results.warnings, sentence);
        }
        let stopped = self.passes(self.plan.first, &works, blocks, fewest)?;
        Ok(if stopped == Stopped::Completed && blocks < planned { self.no_time() } else { stopped })
    }

    /// Confirm: fresh blocks for suspects, then, while the budget lasts, for rows whose equivalence is undecided.
    pub(super) fn confirm(&mut self) -> Result<Stopped, MeasureError> {
        self.suites.iter_mut().for_each(SuiteState::learn_price);
        let choices = (self.tools.choose)(&self.results.suites);
        let suspects = self.wanted(&choices, |choice| &choice.suspects);
        let mut equivalence = self.wanted(&choices, |choice| &choice.equivalence);
        for (suite, wanted) in &suspects {
            if let Some(rest) = equivalence.get_mut(suite) {
                rest.retain(|benchmark| !self.runs_too(*suite, wanted, *benchmark));
            }
        }
        equivalence.retain(|_, wanted| !wanted.is_empty());
        let pieces = |wanted: &Wanted, equivalence: bool| -> Vec<Work> {
            let works = wanted.iter().flat_map(|(suite, wanted)| self.works(*suite, Some(wanted)));
            works.map(|work| Work { equivalence, ..work }).collect()
        };
        let (for_suspects, for_equivalence) = (pieces(&suspects, false), pieces(&equivalence, true));
        let (works, first) = self.affordable(for_suspects.clone());
        for (suite, choice) in choices.into_iter().enumerate() {
            if suspects.contains_key(&suite) {
                let planned = if works.iter().any(|work| work.suite == suite) { first } else { 0 };
                self.results.suites[suite].stages.push(stage(StageKind::Confirm, planned, choice));
            } else if equivalence.contains_key(&suite) {
                self.results.suites[suite].stages.push(stage(StageKind::Confirm, 0, choice));
            }
        }
        let mut stopped = self.stage_of(&works, first)?;
        if stopped == Stopped::Completed && works.len() < for_suspects.len() {
            stopped = self.no_time();
        }
        if stopped != Stopped::Completed || for_equivalence.is_empty() {
            return Ok(stopped);
        }
        let second = self.room_for(&for_equivalence);
        for suite in equivalence.keys().filter(|suite| !suspects.contains_key(*suite)) {
            if let Some(stage) = self.results.suites[*suite].stages.last_mut() {
                stage.planned_blocks = second;
            }
        }
        self.stage_of(&for_equivalence, second)
    }

    /// The pieces that there is time for, and for how many blocks: all of them, or all but the dearest, so that one slow
    /// suite does not keep the others from being confirmed. What a row showed has no say in it.
    fn affordable(&self, mut works: Vec<Work>) -> (Vec<Work>, u32) {
        loop {
            let blocks = self.room_for(&works);
            let dearest = works.iter().enumerate().max_by_key(|(_, work)| work.price).map(|(index, _)| index);
            match dearest {
                Some(index) if blocks == 0 => drop(works.remove(index)),
                Some(_) => return (works, blocks),
                None => return (works, 0),
            }
        }
    }

    /// Which limit it is that leaves no time.
    fn no_time(&self) -> Stopped {
        if self.plan.budget < self.plan.max_time { Stopped::Budget } else { Stopped::MaxTime }
    }

    /// Runs a part of Confirm, if there is room for it.
    fn stage_of(&mut self, works: &[Work], blocks: u32) -> Result<Stopped, MeasureError> {
        if works.is_empty() {
            return Ok(Stopped::Completed);
        }
        let stopped = if blocks == 0 { self.no_time() } else { self.passes(StageKind::Confirm, works, blocks, 0)? };
        let cut = blocks < self.plan.confirm_blocks;
        Ok(if stopped == Stopped::Completed && cut { self.no_time() } else { stopped })
    }

    /// How many blocks of Confirm fit: all that were planned, or fewer, but never so few that they prove nothing.
    fn room_for(&self, works: &[Work]) -> u32 {
        let pass: Duration = works.iter().map(|work| work.price).sum();
        let planned = self.plan.confirm_blocks;
        let room = fits(self.budget_left(), pass).min(planned);
        if room < planned.min(FEWEST_CONFIRM) { 0 } else { room }
    }

    /// The benchmarks of the chosen rows, by suite.
    fn wanted(&self, choices: &[Choice], rows: impl Fn(&Choice) -> &Vec<u32>) -> Wanted {
        let mut wanted: Wanted = BTreeMap::new();
        for (suite, choice) in
            choices.iter().enumerate().filter(|(suite, _)| self.suites.get(*suite).is_some_and(SuiteState::alive))
        {
            let results = &self.results.suites[suite];
            for row in rows(choice) {
                let key = results.rows.get(*row as usize);
                if results.metric_rows.contains(row) {
                    wanted.entry(suite).or_default().insert(METRICS);
                    continue;
                }
                let benchmark = key.and_then(|key| self.suites[suite].index.get(&key.benchmark).copied());
                if let Some(benchmark) = benchmark.or_else(|| key.map(|_| METRICS)) {
                    wanted.entry(suite).or_default().insert(benchmark);
                }
            }
        }
        wanted
    }

    /// The pieces of a suite that run apart, restricted to `wanted` benchmarks if given.
    pub(super) fn works(&self, suite: usize, wanted: Option<&BTreeSet<usize>>) -> Vec<Work> {
        let state = &self.suites[suite];
        if !state.alive() || self.results.suites[suite].rows.is_empty() || wanted.is_some_and(BTreeSet::is_empty) {
            return Vec::new();
        }
        let commands: Vec<usize> = (0..state.plan.commands.len()).collect();
        let whole = Work {
            suite,
            unit: String::new(),
            filter: None,
            commands: commands.clone(),
            metrics: true,
            equivalence: false,
            price: state.price,
        };
        let metrics = wanted.is_none_or(|wanted| wanted.contains(&METRICS));
        if commands.len() > 1 {
            return self.commands_apart(&whole, wanted, metrics);
        }
        if state.plan.narrow.is_none() || state.groups.is_empty() {
            return vec![whole];
        }
        let mut works = Vec::new();
        for members in state.parts(wanted) {
            let filter = self.filter(suite, &members);
            let share = members.len() as f64 / state.benchmarks.len() as f64;
            works.push(Work {
                unit: filter.as_deref().map(label).unwrap_or_default(),
                price: if filter.is_some() {
                    state.alone + state.price.saturating_sub(state.alone).mul_f64(share)
                } else {
                    state.price
                },
                filter,
                metrics: metrics && works.is_empty(),
                ..whole.clone()
            });
        }
        // Nothing of its benchmarks is wanted, only what is taken of the whole suite.
        if works.is_empty() { vec![whole] } else { works }
    }

    /// What restricts a suite to some of its benchmarks; `None` if all of them run.
    fn filter(&self, suite: usize, members: &[usize]) -> Option<String> {
        let state = &self.suites[suite];
        if members.len() == state.benchmarks.len() && self.results.suites[suite].filtered_out == 0 {
            return None;
        }
        state.plan.narrow.and_then(|narrow| narrow::expression(narrow, &state.ids(members)))
    }

    /// Whether the pieces that run for `wanted` run a benchmark too, so that it needs none of its own: another unit of the
    /// same benchmark, the rest of a suite that cannot be restricted, or what the tool cannot leave out.
    fn runs_too(&self, suite: usize, wanted: &BTreeSet<usize>, benchmark: usize) -> bool {
        let state = &self.suites[suite];
        if wanted.contains(&benchmark) {
            return true;
        }
        if state.plan.commands.len() > 1 {
            let runs =
                |suffix: &str| state.gives(benchmark, suffix) && wanted.iter().any(|it| state.gives(*it, suffix));
            return state.plan.commands.iter().any(|(suffix, _)| runs(suffix));
        }
        let Some(narrow) = state.plan.narrow else { return true };
        let Some(id) = state.benchmarks.get(benchmark) else { return false };
        let mut parts = state.parts(Some(wanted)).peekable();
        // With only metrics wanted, the suite runs whole.
        parts.peek().is_none()
            || parts.any(|members| {
                self.filter(suite, &members).is_none() || narrow::reaches(narrow, &state.ids(&members), id)
            })
    }

    /// Each command of a suite with parameters is a piece of its own.
    fn commands_apart(&self, whole: &Work, wanted: Option<&BTreeSet<usize>>, metrics: bool) -> Vec<Work> {
        let state = &self.suites[whole.suite];
        let mut works = Vec::new();
        for command in &whole.commands {
            let suffix = &state.plan.commands[*command].0;
            let has = |index: &usize| state.gives(*index, suffix);
            let only_metrics = |wanted: &BTreeSet<usize>| *command == 0 && wanted.iter().all(|index| *index == METRICS);
            if wanted.is_none_or(|wanted| wanted.iter().any(has) || only_metrics(wanted)) {
                let price = state.prices.get(*command).copied().unwrap_or(state.price);
                let unit = label(suffix.trim_start_matches('/'));
                // Once a round of the whole suite.
                let metrics = metrics && works.is_empty();
                works.push(Work { unit, commands: vec![*command], metrics, price, ..whole.clone() });
            }
        }
        works
    }

    /// Runs `blocks` blocks of each piece, one piece after the other in turn, and repeats invalid ones.
    ///
    /// The budget is looked at between blocks, after `least` passes.
    fn passes(&mut self, kind: StageKind, works: &[Work], blocks: u32, least: u32) -> Result<Stopped, MeasureError> {
        if works.is_empty() {
            return Ok(Stopped::Completed);
        }
        let pass: Duration = works.iter().map(|work| work.price).sum();
        let total = blocks * works.len() as u32;
        self.progress.event(&Event::Stage { kind, blocks: total, estimate: pass * blocks });
        let mut done = Done { total, ..Done::default() };
        for round in 0..blocks {
            for work in works {
                if let Some(stopped) = self.must_stop(work.price, round >= least)? {
                    self.keep_invalid(kind, works, blocks);
                    return Ok(stopped);
                }
                done.left = pass * (blocks - round)
                    - works.iter().take(done.number as usize % works.len()).map(|w| w.price).sum::<Duration>();
                self.block(kind, work, &mut done)?;
            }
        }
        self.repeat_invalid(kind, works, blocks, &mut done)?;
        Ok(Stopped::Completed)
    }

    /// Repeats invalid blocks, whole: at most a quarter of a suite's planned ones, and inside the budget. What is left
    /// invalid counts all the same, and says so.
    fn repeat_invalid(
        &mut self,
        kind: StageKind,
        works: &[Work],
        blocks: u32,
        done: &mut Done,
    ) -> Result<(), MeasureError> {
        let suites: BTreeSet<usize> = works.iter().map(|work| work.suite).collect();
        for suite in suites {
            let mine: Vec<&Work> = works.iter().filter(|work| work.suite == suite).collect();
            let mut extra = blocks as usize * mine.len() / 4;
            while extra > 0 {
                let Some(work) = mine.iter().find(|work| self.missing(kind, work, blocks) > 0) else { break };
                if self.must_stop(work.price, true)?.is_some() {
                    break;
                }
                extra -= 1;
                done.total += 1;
                done.left = work.price;
                self.block(kind, work, done)?;
            }
        }
        self.keep_invalid(kind, works, blocks);
        Ok(())
    }

    /// How many valid blocks a piece lacks.
    fn missing(&self, kind: StageKind, work: &Work, blocks: u32) -> usize {
        let valid = self.blocks_of(kind, work).filter(|block| block.invalid.is_none()).count();
        (blocks as usize).saturating_sub(valid)
    }

    fn blocks_of(&self, kind: StageKind, work: &Work) -> impl Iterator<Item = &Block> {
        let stage = self.results.suites[work.suite].stages.iter().find(|stage| stage.kind == kind);
        stage.into_iter().flat_map(|stage| &stage.blocks).filter(|block| work.ran(block))
    }

    /// Lets the latest invalid blocks count where valid ones are missing.
    fn keep_invalid(&mut self, kind: StageKind, works: &[Work], blocks: u32) {
        for work in works {
            let repeated = self.blocks_of(kind, work).count().saturating_sub(blocks as usize);
            let invalid = self.blocks_of(kind, work).filter(|block| block.invalid.is_some()).count();
            let mut keep = invalid.saturating_sub(repeated);
            let stages = &mut self.results.suites[work.suite].stages;
            let stage = stages.iter_mut().find(|stage| stage.kind == kind);
            let blocks = stage.into_iter().flat_map(|stage| stage.blocks.iter_mut().rev());
            for block in blocks.filter(|block| work.ran(block) && block.invalid.is_some()) {
                block.kept = keep > 0;
                keep = keep.saturating_sub(1);
            }
        }
    }

    /// Runs one block: two base and two head rounds in an order drawn from the seed.
    fn block(&mut self, kind: StageKind, work: &Work, done: &mut Done) -> Result<(), MeasureError> {
        let ordinal = self.blocks_of(kind, work).count();
        let name = self.suites[work.suite].plan.suite.name.clone();
        let stage_name = match kind {
            StageKind::Fixed => "fixed",
            StageKind::Screen => "screen",
            StageKind::Confirm if work.equivalence => "equivalence",
            StageKind::Confirm => "confirm",
        };
        let order = self.seed.order(&[stage_name, &name, &work.unit, &ordinal.to_string()]);
        done.number += 1;
        let before = self.exec.elapsed();
        let mut rounds = Vec::with_capacity(4);
        for (position, side) in (0_u8..).zip(order) {
            let (block, round) = (done.number, u32::from(position) + 1);
            self.progress.event(&Event::Round { suite: &name, side, block, round, elapsed: self.exec.elapsed() });
            let tag = format!("{stage_name}-{:03}-{round}", done.number);
            let round =
                self.round(work, side, Place { kind: StepKind::Round, tag: &tag, position }, &mut Vec::new())?;
            if !round.outcome.status.ok() && !self.told.contains(&(work.suite, side.name())) {
                // The first failure of a side is told; the others are in the results.
                self.told.insert((work.suite, side.name()));
                self.tell_failure(work.suite, side, "a round", &round.outcome);
            }
            rounds.push(round);
        }
        let invalid = (self.tools.invalid)(&rounds);
        let elapsed = self.exec.elapsed();
        if kind != StageKind::Confirm {
            let state = &mut self.suites[work.suite];
            state.taken += elapsed.saturating_sub(before);
            state.priced += work.price;
        }
        self.progress.event(&Event::Block {
            suite: &name,
            stage: kind,
            block: done.number,
            blocks: done.total,
            unit: &work.unit,
            invalid: invalid.as_deref(),
            took: elapsed.saturating_sub(before),
            elapsed,
            left: done.learned(elapsed.saturating_sub(before), work.price),
        });
        let block = Block {
            unit_of_work: work.unit.clone(),
            invalid,
            kept: false,
            equivalence: work.equivalence,
            metrics: work.metrics,
            rounds,
        };
        if let Some(stage) = self.results.suites[work.suite].stages.iter_mut().find(|stage| stage.kind == kind) {
            stage.blocks.push(block);
        }
        self.save()
    }

    /// Whether another block may start: by the budget if it counts yet, by the job's limit always.
    fn must_stop(&self, price: Duration, budget: bool) -> Result<Option<Stopped>, MeasureError> {
        self.check_disk()?;
        if self.options.spent + self.exec.elapsed() + price > self.plan.max_time {
            return Ok(Some(Stopped::MaxTime));
        }
        Ok((budget && self.budget_left().is_zero()).then(|| self.no_time()))
    }

    /// Refuses to go on when the disk is nearly full.
    pub(super) fn check_disk(&self) -> Result<(), MeasureError> {
        let Some(folder) = &self.options.disk else { return Ok(()) };
        let Ok(status) = nix::sys::statvfs::statvfs(folder) else { return Ok(()) };
        let free = status.blocks_available().saturating_mul(status.fragment_size());
        if free < DISK_LIMIT {
            return Err(MeasureError::Disk { folder: folder.clone(), free: free >> 20 });
        }
        Ok(())
    }

    fn spent_on_rounds(&self) -> Duration {
        self.exec.elapsed().saturating_sub(self.rounds_began)
    }

    fn budget_left(&self) -> Duration {
        self.plan.budget.saturating_sub(self.spent_on_rounds())
    }
}

/// How far a stage is, for whoever watches.
#[derive(Debug, Default)]
struct Done {
    number: u32,
    total: u32,
    /// What is left by the prices of the warm-up, the present block included.
    left: Duration,
    /// What the finished blocks should have cost by these prices, and what they did.
    priced: Duration,
    took: Duration,
}

impl Done {
    /// What is left after a block that should have cost `price`, by what all blocks so far did cost. Only for people:
    /// no decision depends on it.
    fn learned(&mut self, took: Duration, price: Duration) -> Duration {
        self.took += took;
        self.priced += price;
        let left = self.left.saturating_sub(price);
        if self.priced.is_zero() { left } else { left.mul_f64(self.took.as_secs_f64() / self.priced.as_secs_f64()) }
    }
}

fn stage(kind: StageKind, planned_blocks: u32, choice: Choice) -> Stage {
    Stage { kind, planned_blocks, suspects: choice.suspects, equivalence: choice.equivalence, blocks: Vec::new() }
}

/// How many times `price` fits into `room`.
fn fits(room: Duration, price: Duration) -> u32 {
    if price.is_zero() {
        return u32::MAX;
    }
    u32::try_from(room.as_nanos() / price.as_nanos()).unwrap_or(u32::MAX)
}

/// What names a restriction: the expression, or its beginning and a digest if it is long.
fn label(expression: &str) -> String {
    if expression.len() <= LABEL_LIMIT {
        return expression.to_owned();
    }
    let digest: String =
        Sha256::digest(expression.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}… ({digest})", expression.chars().take(LABEL_LIMIT - 40).collect::<String>())
}
