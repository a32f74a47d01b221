//! `results.json`: what `measure` hands to `report`. Raw samples and witnesses, no verdicts.
//!
//! The file is hostile input for whoever reads it: [`crate::results::read`] checks size, depth, counts and finiteness,
//! and nothing in it is ever shown unescaped.

mod read;
pub(crate) mod strict;
#[cfg(test)]
pub(crate) mod tests;
mod write;

pub use read::{ResultsError, read};
pub use strict::SIZE_LIMIT;
pub use write::write;

use crate::format::{BenchmarkId, FailureKind, UnitHint};
use crate::request::Request;
use crate::side::{PerSide, Side};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version of this file's layout.
pub const SCHEMA: u32 = 1;

/// Everything that one measuring job found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// The program that measured, such as `bench-bot 0.1.0`.
    pub tool: String,
    /// The full commit ids that were measured.
    pub commits: PerSide<String>,
    /// SHA-256 of the policy in `request.json`, in hexadecimal: `report` refuses results of another policy.
    pub config_hash: String,
    /// Seed of every random choice: 32 hexadecimal digits.
    pub seed: String,
    /// Which shard of a matrix this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// When measuring began, RFC 3339 in UTC.
    pub started: String,
    /// When measuring ended, RFC 3339 in UTC.
    pub finished: String,
    /// Why measuring ended.
    pub stopped: Stopped,
    /// The machine.
    pub machine: Machine,
    /// The outcome of every setting that was tried.
    #[serde(default)]
    pub tuning: Vec<KnobOutcome>,
    /// The suites in the order of the configuration.
    pub suites: Vec<SuiteResults>,
    /// What a reader must know, in words; unescaped.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What was asked for, so that `bench-bot compare` can make the same report again. Whoever measured wrote it:
    /// `report` reads only which sources differ from it, and takes the policy from the request alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Box<Asked>>,
}

/// What a report is made of beside samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The request, with the suites that were found where it named none.
    pub request: Request,
    /// Benchmark sources that differ between the sides, where this was looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceDifference>,
}

/// A benchmark's source file that differs between the sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SourceDifference {
    /// The suite.
    pub suite: String,
    /// The package whose benchmarks it holds; empty: all of the suite.
    pub package: String,
    /// The first differing path.
    pub path: String,
}

/// Part `index` of `count` of a matrix; `index` counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// From 1 to `count`.
    pub index: u32,
    /// The number of shards.
    pub count: u32,
}

/// Why measuring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// Every planned block was run.
    Completed,
    /// The budget ended before the plan did.
    Budget,
    /// The job's limit (`max-time`) ended it at a block border.
    MaxTime,
    /// Nothing ended it: these are the results so far of a run that goes on or was killed.
    Interrupted,
}

/// One suite's rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SuiteResults {
    /// The suite's name.
    pub name: String,
    /// The command of one round, as run on each side.
    pub run: PerSide<String>,
    /// The format that the output was read as; `None` when nothing could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// How setup ended on each side.
    pub setup: PerSide<StepOutcome>,
    /// The uncounted warm-up round of each side.
    pub warmup: PerSide<Option<Round>>,
    /// The rows that any round gave, in the order of first appearance; values refer to them by index.
    pub rows: Vec<RowKey>,
    /// Rows, by index, that `metrics` gave for the whole suite and no benchmark.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub metric_rows: BTreeSet<u32>,
    /// What the output said of its units, by unit.
    #[serde(default)]
    pub units: BTreeMap<String, UnitHint>,
    /// The stages in order: one `fixed`, or `screen` and perhaps `confirm`.
    pub stages: Vec<Stage>,
    /// Versions of the tools that ran, such as `go` → `go1.26.8`.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// Rows that the suite's `filter` hid.
    #[serde(default)]
    pub filtered_out: u32,
    /// The functions that the suite's `inspect` names, disassembled.
    #[serde(default, skip_serializing_if = "crate::inspect::is_empty")]
    pub inspected: PerSide<crate::inspect::Inspected>,
    /// What a reader must know of this suite, in words; unescaped.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// One benchmark and unit of a suite.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RowKey {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The normalised unit.
    pub unit: String,
}

/// One stage of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Which stage.
    pub kind: StageKind,
    /// The number of blocks that was fixed before the stage began.
    pub planned_blocks: u32,
    /// Rows (indices) chosen as suspects: set S. Only in `confirm`; `report` repeats the choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<u32>,
    /// Rows (indices) measured again for equivalence only: set E. Only in `confirm`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equivalence: Vec<u32>,
    /// The blocks in the order they ran, invalid ones included.
    pub blocks: Vec<Block>,
}

/// Which stage of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StageKind {
    /// The only stage of a one-stage plan.
    Fixed,
    /// The first stage of a two-stage plan, over every row.
    Screen,
    /// The second stage: fresh rounds for suspects.
    Confirm,
}

/// Two base and two head rounds in shuffled order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The benchmarks that the block's rounds were restricted to, where the schedule splits a suite into smaller units
    /// (one package, one benchmark); empty: the whole suite.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit_of_work: String,
    /// Why the environment made the block invalid (a label-blind rule). It was run again if there was room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
    /// An invalid block that counts all the same, since the share of extra blocks was used up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// Run in the second stage for rows whose equivalence is undecided. What a suspect shows is from the other blocks alone,
    /// also where its benchmark ran in these too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equivalence: bool,
    /// Whether what the suite's `metrics` name was taken after its rounds: only such blocks can hold values of
    /// `metric_rows`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub metrics: bool,
    /// The four rounds in the order they ran.
    pub rounds: Vec<Round>,
}

/// One execution of a suite's command on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// The side.
    pub side: Side,
    /// Seconds from the start of measuring to the start of the command.
    pub at: f64,
    /// How the command ended.
    pub outcome: StepOutcome,
    /// What the round gave.
    pub values: Vec<Value>,
    /// Benchmarks that failed or were skipped in this round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<RowFailure>,
    /// Lines of output that could not be parsed: line (from 1) and what was expected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unparsed: Vec<(u64, String)>,
    /// What the machine did meanwhile.
    #[serde(default)]
    pub witness: RoundWitness,
}

/// One value of one row in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// Index into [`SuiteResults::rows`].
    pub row: u32,
    /// The round's value in the row's unit; a non-finite value is stored as `null` and makes the row fail.
    #[serde(with = "crate::results::finite_or_null")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub value: f64,
    /// Summary of the inner values, where there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<Inner>,
    /// The smallest number of iterations behind an inner value, where the tool tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
}

/// Summary of several inner values, in the row's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Inner {
    /// Smallest.
    pub min: f64,
    /// First quartile.
    pub q1: f64,
    /// Third quartile.
    pub q3: f64,
    /// Largest.
    pub max: f64,
    /// How many.
    pub count: u32,
}

/// A benchmark that gave no value in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RowFailure {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// Failed or skipped.
    pub kind: FailureKind,
    /// The tool's words, at most 4 KiB; unescaped.
    pub message: String,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepOutcome {
    /// The state.
    pub status: StepStatus,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The last lines of its output when it failed: ANSI stripped, token-like strings redacted, at most 4 KiB;
    /// unescaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
}

/// The state of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StepStatus {
    /// Exit code 0.
    #[default]
    Ok,
    /// There was nothing to run, or the run ended before.
    NotRun,
    /// It ended with this exit code.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It was killed since it took longer than this many seconds.
    TimedOut(f64),
    /// The kernel killed it for want of memory.
    OutOfMemory,
    /// It could not be started: the reason.
    NotStarted(String),
    /// A file that `require:` names is missing: its path.
    Missing(String),
}

impl StepStatus {
    /// Whether the command did what was asked.
    #[must_use]
    pub const fn ok(&self) -> bool {
        matches!(self, Self::Ok)
    }
}

/// What the machine did during one round. `None` and missing mean "not observable", never zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RoundWitness {
    /// User CPU seconds of the command and its children.
    pub user: Option<f64>,
    /// System CPU seconds.
    pub system: Option<f64>,
    /// Largest resident set of any process, in bytes.
    pub max_rss: Option<u64>,
    /// Involuntary context switches.
    pub involuntary_switches: Option<u64>,
    /// Major page faults: a page was read from a disk.
    pub major_faults: Option<u64>,
    /// Minor page faults.
    pub minor_faults: Option<u64>,
    /// MHz of the benchmark's CPU: before, highest seen during, after.
    pub mhz: Option<[f64; 3]>,
    /// The clocks of all CPUs.
    pub all_mhz: Option<Clocks>,
    /// Stolen CPU time, as a share of the round (0 to 1).
    pub steal: Option<f64>,
    /// One-minute load average at the end.
    pub load: Option<f64>,
    /// CPU pressure: share of the last ten seconds in which some task waited (0 to 1).
    pub pressure: Option<f64>,
    /// Increase of the thermal throttle counter.
    pub throttled: Option<u64>,
    /// How often the control group was stopped for having used up its CPU quota.
    pub quota_throttled: Option<u64>,
    /// Pages read back from swap, by the whole machine.
    pub swapped_in: Option<u64>,
    /// Share of time (0 to 1) that a spinning loop on the benchmark's CPU lost to others just before this round; run
    /// before the first round and between blocks only.
    pub lost: Option<f64>,
    /// CPUs that the command was allowed to run on, such as `1` or `2-3`.
    pub cpus: Option<String>,
    /// The CPU that the command was last seen on.
    pub cpu: Option<u32>,
}

/// How fast all CPUs ran: the smallest, median and largest of them in MHz.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// Before the round.
    pub before: [f64; 3],
    /// While it ran; missing where nobody looked: in a round of less than a second, or without a CPU to look from.
    #[serde(default)]
    pub during: Option<[f64; 3]>,
    /// After it.
    pub after: [f64; 3],
}

/// The machine, as far as it can be seen. Strings are unescaped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Machine {
    /// CPU model.
    pub cpu: String,
    /// Logical CPUs.
    pub cpus: u32,
    /// Physical cores, where known.
    pub cores: Option<u32>,
    /// Memory in bytes.
    pub memory: Option<u64>,
    /// Kernel release.
    pub kernel: String,
    /// Operating system, such as `Debian GNU/Linux 12`.
    pub os: String,
    /// Hypervisor or cloud, such as `kvm`, `hyperv`; empty on bare metal, `None` where it cannot be told.
    pub virtualization: Option<String>,
    /// Whether the bench command ran in a container.
    pub container: bool,
    /// Image digest of each side's container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<PerSide<String>>,
    /// Frequency governor; `None` where there is no cpufreq.
    pub governor: Option<String>,
    /// Boost: `on`, `off`, or `None` where it cannot be told.
    pub boost: Option<String>,
    /// Whether stolen time can be observed here.
    pub steal_observable: bool,
    /// Anything else worth a line, by name (`smt`, `thp`, `aslr`, `clocksource` …).
    pub details: BTreeMap<String, String>,
}

/// What became of one setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KnobOutcome {
    /// The setting, such as `governor`, `nice`, `cpu affinity`.
    pub knob: String,
    /// What became of it.
    pub status: KnobStatus,
}

/// The state of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KnobStatus {
    /// Changed from the first to the second value, and read back.
    Applied(String, String),
    /// It had the wanted value.
    Already(String),
    /// This machine has no such setting.
    Absent,
    /// Refused, with the reason (`EACCES`, `EROFS` …).
    Denied(String),
    /// Not tried, with the reason.
    Skipped(String),
    /// Somebody else changed it during the run: from what was set to what was found.
    Drifted(String, String),
}

/// Serialises a non-finite number as `null`.
pub mod finite_or_null {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes `null` for NaN and infinities.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_none() }
    }

    /// Reads `null` as NaN.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}
