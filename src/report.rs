//! The report: every row with its verdict, ready to be shown. Written as `report.json`.
//!
//! Made by [`crate::compare`] from raw samples alone. All strings that came from outside are unescaped here; every
//! renderer escapes what it shows.

mod row;

pub use row::{
    Delta, Limits, Note, PKind, PValue, RoundsNeeded, Row, StageSamples, Summary, Undecided, Unjudged, Verdict,
};

use crate::format::BenchmarkId;
use crate::results::{KnobOutcome, Machine, Shard, StepOutcome};
use crate::side::PerSide;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of this file's layout.
pub const SCHEMA: u32 = 1;

/// The whole report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// The program that made it, such as `bench-bot 0.1.0`.
    pub tool: String,
    /// The verdict over all rows.
    pub verdict: Overall,
    /// How many rows have which verdict.
    pub counts: Counts,
    /// How the samples came about.
    pub design: Design,
    /// What was compared.
    pub revisions: PerSide<Revision>,
    /// How many commits base is behind the target branch, where known.
    pub base_behind: Option<u64>,
    /// The policy that was applied.
    pub policy: Policy,
    /// The family of the multiple-testing correction.
    pub family: Family,
    /// What identical code showed in this run.
    pub noise: Option<Noise>,
    /// The suites.
    pub suites: Vec<SuiteReport>,
    /// One entry for each measuring job.
    pub environments: Vec<Environment>,
    /// What a reader must know.
    pub warnings: Vec<Warning>,
    /// How to measure this again: one shell command, unescaped.
    pub reproduce: Option<String>,
    /// Links and numbers of the run that made this, where GitHub ran it.
    pub run: Option<RunInfo>,
}

impl Report {
    /// The code of the warning that parts of a matrix are not there.
    pub const MISSING_SHARDS: &str = "missing-shards";
    /// The code of the warning that results could not be used.
    pub const UNUSABLE_RESULTS: &str = "unusable-results";
    /// The code of the warning that the measuring job did not end well.
    pub const MEASURING_FAILED: &str = "measuring-failed";

    /// Whether something that was asked for is not in here, or may not be.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        let codes = [Self::MISSING_SHARDS, Self::UNUSABLE_RESULTS, Self::MEASURING_FAILED];
        self.warnings.iter().any(|warning| codes.contains(&warning.code.as_str()))
    }

    /// Suites without a row that has all its values on both sides.
    pub fn uncompared(&self) -> impl Iterator<Item = &SuiteReport> {
        self.suites.iter().filter(|suite| !suite.rows.iter().any(Row::is_compared))
    }

    /// Whether something that was asked for is not known from this report.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.is_incomplete() || self.uncompared().next().is_some()
    }

    /// Takes "unchanged" back if the report has gaps: nobody knows of what is missing.
    pub fn hold_back(&mut self) {
        if self.verdict == Overall::Unchanged && self.has_gaps() {
            self.verdict = Overall::Inconclusive;
        }
    }
}

/// The run on GitHub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// `owner/name`.
    pub repository: String,
    /// Web address of the server, such as `https://github.com`.
    pub server: String,
    /// Run id.
    pub id: u64,
    /// Attempt, from 1.
    pub attempt: u64,
    /// The pull request, if there is one.
    pub pull_request: Option<u64>,
    /// The pull request's head when the report was made, if it is no longer the measured one.
    pub head_moved_to: Option<String>,
}

/// A commit that was compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Revision {
    /// Full commit id; empty for plain files; `uncommitted` is in `label`.
    pub sha: String,
    /// What the user called it: a branch, a tag, a file. Unescaped.
    pub label: String,
    /// Subject line of the commit. Unescaped.
    pub subject: String,
}

/// How the samples came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// Randomised blocks in two stages: rounds a side that were planned for screen and confirm.
    Staged {
        /// Rounds a side.
        screen: u32,
        /// Rounds a side.
        confirm: u32,
        /// Seed in hexadecimal.
        seed: String,
    },
    /// Randomised blocks in one stage.
    Fixed {
        /// Rounds a side.
        rounds: u32,
        /// Seed in hexadecimal.
        seed: String,
    },
    /// Plain files: order of rounds unknown, drift not controlled.
    Files,
}

/// The verdict over all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// At least one regression, no improvement.
    Regression,
    /// At least one improvement, no regression.
    Improvement,
    /// Both.
    Mixed,
    /// Every judged row is unchanged.
    Unchanged,
    /// No change found, some rows undecided.
    Inconclusive,
    /// No row could be compared.
    Failed,
}

/// How many rows have which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Regressions (or `slower?` of plain files).
    pub regressions: u32,
    /// Improvements (or `faster?` of plain files).
    pub improvements: u32,
    /// Unchanged.
    pub unchanged: u32,
    /// Undecided.
    pub inconclusive: u32,
    /// Failed, flaky, timed out.
    pub failed: u32,
    /// Only in head.
    pub new: u32,
    /// Only in base.
    pub removed: u32,
    /// Shown without a verdict: derived, degenerate, direction unknown.
    pub unjudged: u32,
}

/// The policy that was applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Error rate of the whole report.
    pub alpha: f64,
    /// Smallest relative change that counts.
    pub threshold: f64,
    /// Level of the intervals of changed rows.
    pub confidence: f64,
    /// `holm` or `none`.
    pub correction: crate::config::Correction,
}

/// The family of the correction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Holm's m: suspects of a two-stage plan, testable rows of a one-stage plan.
    pub size: u32,
    /// All testable primary rows.
    pub testable: u32,
    /// The smallest p that the plan could have given.
    pub smallest_p: Option<f64>,
    /// If that p cannot survive the correction: rounds a side that could.
    pub rounds_needed: Option<u32>,
}

/// What identical code showed: half widths as ratios, 0.01 is 1 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// Median row: two rounds of the same code differ by this ratio.
    pub median: f64,
    /// Worst row.
    pub worst: f64,
    /// Its benchmark.
    pub worst_row: BenchmarkId,
    /// The smallest effect that this run could have found in its median row (80 % power), as a ratio.
    pub detectable: Option<f64>,
}

/// One suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SuiteReport {
    /// Its name; empty for plain files.
    pub name: String,
    /// The command of each side.
    pub run: PerSide<String>,
    /// How setup ended.
    pub setup: PerSide<StepOutcome>,
    /// The rounds that failed: how many of how many, and the first failure. `None` where none failed.
    pub failed_rounds: PerSide<Option<FailedRounds>>,
    /// Rows in the order of first appearance.
    pub rows: Vec<Row>,
    /// One a unit.
    pub geomeans: Vec<Geomean>,
    /// Rows hidden by the suite's filter.
    pub filtered_out: u32,
    /// Blocks that were run, invalid and re-run, invalid and kept.
    pub blocks: BlockCounts,
    /// The parameter inside names, where the suite's configuration has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<crate::config::Sweep>,
    /// What became of the functions that the suite's `inspect` names.
    #[serde(default, skip_serializing_if = "crate::inspect::Inspection::is_empty")]
    pub inspection: crate::inspect::Inspection,
}

/// Rounds that failed on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FailedRounds {
    /// How many failed.
    pub failed: u32,
    /// Of how many.
    pub of: u32,
    /// The first one.
    pub first: StepOutcome,
    /// Whether some of them ended in another way than the first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differ: bool,
    /// Whether these are the uncounted first rounds: no counted one failed, or there was none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warmup: bool,
}

/// How many blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BlockCounts {
    /// All that ran.
    pub run: u32,
    /// Invalid and re-run.
    pub invalid: u32,
    /// Invalid and kept.
    pub kept: u32,
}

/// Geometric mean over the rows of one unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Geomean {
    /// The unit.
    pub unit: String,
    /// Rows that are in it: present on both sides, positive, not degenerate.
    pub rows: u32,
    /// Geometric mean of base's medians over those rows.
    pub base: f64,
    /// Of head's.
    pub head: f64,
    /// Geometric mean of the rows' ratios − 1.
    pub ratio: f64,
    /// Interval of that, over rows; `None`: fewer than two rows.
    pub interval: Option<(f64, f64)>,
    /// Rows that are left out, by reason.
    pub left_out: BTreeMap<String, u32>,
}

/// The environment of one measuring job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The shard, if there are several.
    pub shard: Option<Shard>,
    /// The machine.
    pub machine: Machine,
    /// Every setting's outcome.
    pub tuning: Vec<KnobOutcome>,
    /// Versions of the tools.
    pub tools: BTreeMap<String, String>,
    /// Figures over all rounds of a side, by name (`user`, `max_rss`, `mhz`, `steal`, `load` …): smallest, median, largest.
    pub witness: BTreeMap<String, PerSide<Option<[f64; 3]>>>,
    /// The same figures round by round: seconds since the start of measuring, and the value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timeline: BTreeMap<String, PerSide<Vec<(f64, f64)>>>,
    /// Start, RFC 3339.
    pub started: String,
    /// End, RFC 3339.
    pub finished: String,
}

/// Something a reader must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// How much it matters.
    pub level: WarningLevel,
    /// A stable word for programs, such as `mixed-packages`, `unparsed-line`, `noisy-machine`.
    pub code: String,
    /// In words. Unescaped.
    pub message: String,
    /// File and line, suite, side or round that it is about. Unescaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

/// How much a warning matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WarningLevel {
    /// For the folded part.
    Note,
    /// For the visible part.
    Warning,
    /// Opens the report.
    Headline,
}
