//! The run under way: its clock, its suites, and the results so far.

use super::exec::{Exec, Step, StepKind};
use super::plan::{Plan, SuitePlan};
use super::progress::{Event, Progress};
use super::round::{ALONE, Place};
use super::rows::{Rows, warn};
use super::seed::Seed;
use super::{MeasureError, Options, Tools, narrow};
use crate::format::BenchmarkId;
use crate::results::{Block, Results, RowKey, StepOutcome, StepStatus};
use crate::side::{PerSide, Side};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::Duration;

/// Limit of a question such as `go version`.
pub(super) const PROBE_LIMIT: Duration = Duration::from_secs(60);
/// Most raw output that is kept of a run, in bytes.
const RAW_LIMIT: u64 = 1 << 30;

/// A piece of a suite that is run alone, and what a block of it costs.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub(super) suite: usize,
    /// What it is restricted to, unique in the suite; empty: everything.
    pub(super) unit: String,
    /// The regular expression that the command gets.
    pub(super) filter: Option<String>,
    /// Which of the suite's commands run.
    pub(super) commands: Vec<usize>,
    /// Whether what `metrics` names is taken after each of its rounds.
    pub(super) metrics: bool,
    /// Whether it runs for rows whose equivalence is undecided, and not for suspects.
    pub(super) equivalence: bool,
    /// Time of one block.
    pub(super) price: Duration,
}

impl Work {
    /// Whether a block of the same stage is one of this piece's.
    pub(super) fn ran(&self, block: &Block) -> bool {
        block.unit_of_work == self.unit && block.equivalence == self.equivalence
    }
}

/// What is known of a suite beside its results.
#[derive(Debug)]
pub(super) struct SuiteState {
    pub(super) plan: SuitePlan,
    pub(super) rows: Rows,
    /// What each side's output turned out to be.
    pub(super) format: PerSide<Option<String>>,
    /// The regular expression for this shard's part.
    pub(super) part_filter: Option<String>,
    /// A side that cannot be measured: its setup failed, or its warm-up failed and gave nothing.
    pub(super) dead: PerSide<bool>,
    /// Time of one block of everything.
    pub(super) price: Duration,
    /// Time of one block of each command.
    pub(super) prices: Vec<Duration>,
    /// Time of four processes that run no benchmark.
    pub(super) alone: Duration,
    /// What the blocks of the first stage took, and what they should have cost.
    pub(super) taken: Duration,
    pub(super) priced: Duration,
    /// Benchmarks that are run apart, as indices into `benchmarks`.
    pub(super) groups: Vec<Vec<usize>>,
    /// The benchmarks, in the tool's order.
    pub(super) benchmarks: Vec<BenchmarkId>,
    /// Whether a metric's counter works, where that is known.
    pub(super) counters: BTreeMap<String, bool>,
    /// Where each of them is in `benchmarks`.
    pub(super) index: HashMap<BenchmarkId, usize>,
}

/// A run.
pub(super) struct Runner<'r> {
    pub(super) exec: &'r mut dyn Exec,
    pub(super) tools: &'r Tools<'r>,
    pub(super) options: &'r Options,
    pub(super) progress: &'r mut dyn Progress,
    pub(super) plan: Plan,
    pub(super) seed: Seed,
    pub(super) results: Results,
    pub(super) suites: Vec<SuiteState>,
    /// The executor's time when the run began, and when its rounds began.
    pub(super) began: Duration,
    pub(super) rounds_began: Duration,
    pub(super) processes: u64,
    pub(super) raw_bytes: u64,
    /// Sides of suites whose first failed round was told.
    pub(super) told: BTreeSet<(usize, &'static str)>,
}

impl SuiteState {
    pub(super) fn new(plan: SuitePlan) -> Self {
        let rows = Rows::new(plan.filters.clone());
        Self {
            plan,
            rows,
            format: PerSide::default(),
            part_filter: None,
            dead: PerSide::default(),
            price: Duration::ZERO,
            prices: Vec::new(),
            alone: Duration::ZERO,
            taken: Duration::ZERO,
            priced: Duration::ZERO,
            groups: Vec::new(),
            benchmarks: Vec::new(),
            counters: BTreeMap::new(),
            index: HashMap::new(),
        }
    }

    pub(super) fn alive(&self) -> bool {
        !self.dead.base && !self.dead.head
    }

    /// The wanted benchmarks of each group that has some; of all groups if nothing is said.
    pub(super) fn parts(&self, wanted: Option<&BTreeSet<usize>>) -> impl Iterator<Item = Vec<usize>> {
        let members = move |group: &Vec<usize>| -> Vec<usize> {
            group.iter().copied().filter(|index| wanted.is_none_or(|wanted| wanted.contains(index))).collect()
        };
        self.groups.iter().map(members).filter(|members| !members.is_empty())
    }

    pub(super) fn ids(&self, benchmarks: &[usize]) -> Vec<&BenchmarkId> {
        benchmarks.iter().map(|index| &self.benchmarks[*index]).collect()
    }

    /// Whether a benchmark is one of the command whose parameters are `suffix`.
    pub(super) fn gives(&self, benchmark: usize, suffix: &str) -> bool {
        self.benchmarks.get(benchmark).is_some_and(|id| id.name.ends_with(suffix))
    }

    /// Lowers the price to what the blocks of the first stage took: a warm-up that compiles is much dearer than a round,
    /// and the second stage would be thought to have no room.
    pub(super) fn learn_price(&mut self) {
        if self.taken >= self.priced {
            return;
        }
        let share = self.taken.as_secs_f64() / self.priced.as_secs_f64();
        for price in [&mut self.price, &mut self.alone].into_iter().chain(&mut self.prices) {
            *price = price.mul_f64(share);
        }
    }
}

impl Runner<'_> {
    /// A command of a suite, to be filled in.
    pub(super) fn step(&self, suite: usize, side: Side, kind: StepKind, command: String) -> Step {
        let plan = &self.suites[suite].plan.suite;
        let one = plan.sides.get(side);
        Step {
            side,
            suite: plan.name.clone(),
            kind,
            command,
            directory: one.directory.clone(),
            env: one.env.clone(),
            timeout: PROBE_LIMIT,
            remove: Vec::new(),
            collect: Vec::new(),
            require: Vec::new(),
            position: 0,
        }
    }

    /// The uncounted first round of each side: it gives the rows and the price.
    pub(super) fn warm_up(&mut self) -> Result<(), MeasureError> {
        self.rounds_began = self.exec.elapsed();
        for suite in 0..self.suites.len() {
            self.take_part(suite)?;
            let name = self.suites[suite].plan.suite.name.clone();
            let commands: Vec<usize> = (0..self.suites[suite].plan.commands.len()).collect();
            let whole = Work {
                suite,
                unit: String::new(),
                filter: None,
                commands,
                metrics: true,
                equivalence: false,
                price: Duration::ZERO,
            };
            let mut prices = vec![Duration::ZERO; whole.commands.len()];
            for side in self.seed.warmup_order(&name) {
                if *self.suites[suite].dead.get(side) {
                    continue;
                }
                self.progress.event(&Event::Warmup { suite: &name, side });
                let before = self.exec.elapsed();
                let mut costs = Vec::new();
                let place = Place { kind: StepKind::Warmup, tag: "warm-up", position: 0 };
                let round = self.round(&whole, side, place, &mut costs)?;
                let cost = self.exec.elapsed().saturating_sub(before);
                self.suites[suite].price += 2 * cost;
                // What is between the commands (sizes of files) is shared out.
                let between = cost.saturating_sub(costs.iter().sum()) / u32::try_from(costs.len().max(1)).unwrap_or(1);
                for (price, cost) in prices.iter_mut().zip(costs) {
                    *price += 2 * (cost + between);
                }
                if !round.outcome.status.ok() {
                    self.tell_failure(suite, side, "warm-up", &round.outcome);
                    *self.suites[suite].dead.get_mut(side) = round.values.is_empty();
                } else if round.values.is_empty() {
                    self.tell_nothing(suite, side, &round.unparsed);
                }
                *self.results.suites[suite].warmup.get_mut(side) = Some(round);
            }
            self.suites[suite].prices = prices;
            self.divide(suite)?;
            self.save()?;
        }
        Ok(())
    }

    /// An output without benchmarks and an exit code of 0 is easily overlooked. The report finds it in the round.
    fn tell_nothing(&mut self, suite: usize, side: Side, unparsed: &[(u64, String)]) {
        let why = unparsed.first().map(|(_, why)| format!(" ({why})")).unwrap_or_default();
        let hidden = self.results.suites[suite].filtered_out > 0;
        let kept = if hidden { " that the filter keeps" } else { "" };
        let warning = format!("the command succeeded on {side}, and its output holds no benchmark{kept}{why}");
        self.progress.event(&Event::Note(&format!("{}: {warning}", self.suites[suite].plan.suite.name)));
    }

    /// Divides a suite whose tool can be restricted into groups that are run apart.
    fn divide(&mut self, suite: usize) -> Result<(), MeasureError> {
        let results = &self.results.suites[suite];
        let mut benchmarks: Vec<BenchmarkId> = Vec::new();
        let mut index = HashMap::new();
        let of_benchmarks = |(nth, _): &(usize, &RowKey)| !results.metric_rows.contains(&(*nth as u32));
        for (_, row) in results.rows.iter().enumerate().filter(of_benchmarks) {
            if let Entry::Vacant(entry) = index.entry(row.benchmark.clone()) {
                entry.insert(benchmarks.len());
                benchmarks.push(row.benchmark.clone());
            }
        }
        self.suites[suite].index = index;
        self.suites[suite].benchmarks = benchmarks;
        let state = &self.suites[suite];
        let Some(narrow) = state
            .plan
            .narrow
            .filter(|_| state.alive() && state.plan.commands.len() == 1 && !state.benchmarks.is_empty())
        else {
            return Ok(());
        };
        let nothing = Work {
            suite,
            unit: "nothing".to_owned(),
            filter: Some(narrow::NOTHING.to_owned()),
            commands: vec![0],
            metrics: false,
            equivalence: false,
            price: Duration::ZERO,
        };
        let before = self.exec.elapsed();
        for side in Side::BOTH {
            let place = Place { kind: StepKind::Warmup, tag: ALONE, position: 0 };
            if !self.round(&nothing, side, place, &mut Vec::new())?.values.is_empty() {
                self.suites[suite].plan.narrow = None;
                let variable = narrow::VARIABLE;
                let warning = format!("the command does not obey {variable}: every round runs the whole suite");
                warn(&mut self.results.suites[suite], warning);
                return Ok(());
            }
        }
        let alone = self.exec.elapsed().saturating_sub(before);
        let state = &mut self.suites[suite];
        state.alone = 2 * alone;
        state.groups = narrow::groups(narrow, &state.benchmarks, state.price / 2, alone);
        Ok(())
    }

    pub(super) fn tell_failure(&mut self, suite: usize, side: Side, what: &str, outcome: &StepOutcome) {
        let suite = &self.suites[suite].plan.suite.name;
        self.progress.event(&Event::Failed { suite, side, what, outcome });
    }

    /// Writes the results so far, so that a crash loses one block at most.
    pub(super) fn save(&mut self) -> Result<(), MeasureError> {
        let Some(path) = &self.options.journal else { return Ok(()) };
        self.results.finished = jiff::Timestamp::now().to_string();
        crate::results::write(path, &self.results).map_err(|source| MeasureError::Save { path: path.clone(), source })
    }

    /// Keeps a command's raw output. It is for people: nothing ever reads it, and a failure to keep it is only said.
    pub(super) fn keep_raw(&mut self, step: &Step, tag: &str, command: usize, execution: &super::exec::Execution) {
        let Some(folder) = &self.options.raw else { return };
        let folder: PathBuf = folder.join(safe(&step.suite));
        let size =
            execution.stdout.len() + execution.stderr.len() + execution.files.values().map(Vec::len).sum::<usize>();
        self.raw_bytes += size as u64;
        if self.raw_bytes > RAW_LIMIT {
            return warn_once(
                &mut self.results.warnings,
                format!("raw output beyond {} MiB was not kept", RAW_LIMIT >> 20),
            );
        }
        let name = format!("{tag}-{}-{command}", step.side);
        let write = || {
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(format!("{name}.stdout")), &execution.stdout)?;
            if !execution.stderr.is_empty() {
                std::fs::write(folder.join(format!("{name}.stderr")), &execution.stderr)?;
            }
            for (path, bytes) in &execution.files {
                std::fs::write(folder.join(format!("{name}.{}", safe(path))), bytes)?;
            }
            Ok::<(), std::io::Error>(())
        };
        if let Err(error) = write() {
            warn_once(&mut self.results.warnings, format!("raw output was not kept in {}: {error}", folder.display()));
        }
    }

    /// The status of a side that was not run.
    pub(super) fn not_run() -> StepOutcome {
        StepOutcome { status: StepStatus::NotRun, ..StepOutcome::default() }
    }
}

pub(super) fn warn_once(warnings: &mut Vec<String>, warning: String) {
    if !warnings.contains(&warning) {
        warnings.push(warning);
    }
}

/// A name that is one component of a path, whatever it was.
fn safe(name: &str) -> String {
    let safe: String =
        name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).take(120).collect();
    if safe.trim_matches('.').is_empty() { "_".to_owned() } else { safe }
}

/// Rows of a suite by what is wanted of them, as a map from suite to benchmarks.
pub(super) type Wanted = BTreeMap<usize, BTreeSet<usize>>;
