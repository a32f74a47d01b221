//! A row of the report: a benchmark and unit, its figures and its verdict.

use crate::format::BenchmarkId;
use crate::results::StageKind;
use crate::side::{PerSide, Side};
use crate::unit::Direction;
use serde::{Deserialize, Serialize};

/// One benchmark and unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The benchmark, as head names it where both have it.
    pub benchmark: BenchmarkId,
    /// As base names it, if that differs (renamed package, other `-N`, `rename:`).
    pub base_benchmark: Option<BenchmarkId>,
    /// The unit.
    pub unit: String,
    /// Which way is better; `None`: unknown, so no verdict word.
    pub better: Option<Direction>,
    /// Whether the exact rule judged the row.
    pub exact: bool,
    /// Whether the row is the same information as another one (B/s beside sec/op).
    pub derived: bool,
    /// Base: what the row shows.
    pub base: Option<Summary>,
    /// Head: what the row shows.
    pub head: Option<Summary>,
    /// Head relative to base.
    pub delta: Option<Delta>,
    /// What the change is held against; `None` where there is no ratio.
    pub limits: Option<Limits>,
    /// The p-value that is shown.
    pub p: Option<PValue>,
    /// The stage that the shown figures come from; `None` for plain files.
    pub stage: Option<StageKind>,
    /// The verdict.
    pub verdict: Verdict,
    /// What else there is to say of it.
    pub notes: Vec<Note>,
    /// Smallest effect that would have been found with 80 % power, as a ratio: 0.03 is 3 %.
    pub detectable: Option<f64>,
    /// About how many rounds a side would decide the row.
    pub rounds_needed: Option<RoundsNeeded>,
    /// Two rounds of the same code differ by this ratio (median).
    pub noise: Option<f64>,
    /// Raw samples of each stage, in the order measured.
    pub samples: Vec<StageSamples>,
}

impl Row {
    /// Whether both sides have all their values.
    #[must_use]
    pub const fn is_compared(&self) -> bool {
        use Verdict::{Failed, Flaky, New, Removed, Skipped, TimedOut};
        let state = matches!(self.verdict, New | Removed | Failed(..) | Flaky(..) | Skipped(..) | TimedOut(_));
        self.base.is_some() && self.head.is_some() && !state
    }
}

/// Samples of one row in one stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StageSamples {
    /// The stage; `None` for plain files.
    pub stage: Option<StageKind>,
    /// Values a side, in the order measured.
    pub values: PerSide<Vec<f64>>,
    /// Seconds since the start of measuring at which each round began; empty for plain files.
    pub at: PerSide<Vec<f64>>,
    /// The raw p of this stage.
    pub p: Option<f64>,
    /// The effect of this stage as head / base − 1.
    pub effect: Option<f64>,
}

/// One side of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Median in the unit.
    pub center: f64,
    /// Lower end of the interval of the median; `None`: minus infinity.
    pub lo: Option<f64>,
    /// Upper end; `None`: infinity.
    pub hi: Option<f64>,
    /// Number of samples.
    pub n: u32,
}

/// Head relative to base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Delta {
    /// head / base − 1: 0.05 is +5 %. `None` where base is 0 or the scale is absolute without a base.
    pub ratio: Option<f64>,
    /// Head − base in the unit.
    pub absolute: f64,
    /// Lower end of the interval, as a ratio − 1 (or in the unit if `ratio` is `None`); `None`: minus infinity.
    pub lo: Option<f64>,
    /// Upper end; `None`: infinity.
    pub hi: Option<f64>,
    /// Level of the interval, such as 0.95; 0 if there is none (exact rows).
    pub level: f64,
}

/// The changes that decide a row, as head / base − 1 upwards: 0.05 is +5 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Smallest change that counts: the threshold of the unit. What lies inside is unchanged.
    pub threshold: f64,
    /// Smallest change that can be called one: the threshold, or twice of it on a noisy machine.
    pub change: f64,
}

/// A p-value and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PValue {
    /// 0 to 1.
    pub value: f64,
    /// What it is.
    pub kind: PKind,
}

/// What a p-value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PKind {
    /// Corrected for the family.
    Adjusted,
    /// Raw, of a row that the screen did not select; never compared with alpha.
    Screen,
    /// Raw, without correction.
    Raw,
}

/// The verdict of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Confirmed change for the worse.
    Regression,
    /// Confirmed change for the better.
    Improvement,
    /// No change larger than the threshold.
    Unchanged,
    /// Undecided, and why.
    Inconclusive(Undecided),
    /// Plain files: unconfirmed change for the worse (`slower?`).
    Slower,
    /// Plain files: unconfirmed change for the better (`faster?`).
    Faster,
    /// Only in head.
    New,
    /// Only in base.
    Removed,
    /// Failed on a side (both: base is named).
    Failed(Side, String),
    /// Missing in some rounds of a side: how many of how many lacked it.
    Flaky(Side, u32, u32),
    /// Skipped by the tool on a side, with its words.
    Skipped(Side, String),
    /// The command of a side timed out before it printed the row.
    TimedOut(Side),
    /// Shown, not judged, and why.
    Unjudged(Unjudged),
}

/// Why a row is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Undecided {
    /// The samples allow both.
    Noise,
    /// A suspect that the fresh rounds did not confirm.
    NotConfirmed,
    /// The budget ended before the row was decided.
    Budget,
    /// Too few rounds for any verdict.
    TooFewRounds,
    /// The machine was too noisy for a change of this size.
    NoisyMachine,
    /// Significant, yet smaller than the threshold, and the interval reaches beyond it.
    BelowThreshold,
}

/// Why a row is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unjudged {
    /// The same information as another row.
    Derived,
    /// The benchmark does not loop: below 0.1 ns/op, or the iteration cap was reached.
    Degenerate,
    /// Nobody said which way is better.
    DirectionUnknown,
    /// One round only.
    OneRound,
    /// The other of wall and CPU time is judged.
    Secondary,
    /// No absolute threshold is configured for values that have no ratio.
    NoRatio,
}

/// What else there is to say of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// Significant, smaller than the threshold.
    SignificantBelowThreshold,
    /// Paired though the package differs: base's package.
    PackageDiffers(String),
    /// Paired though the processor count differs: base's.
    ProcsDiffer(Option<u32>),
    /// Paired by the configured `rename`.
    Renamed,
    /// Paired though a stray configuration line splits the tables: the key.
    ConfigDiffers(String),
    /// Blocks that lacked a value of this row.
    BlocksDropped(u32),
    /// The benchmark's sources differ between the sides: the first differing path.
    SourceDiffers(String),
    /// Fewer than five iterations behind a value.
    FewIterations(u64),
    /// A unit declared exact varies.
    ExactVaries,
    /// A control row moved.
    ControlMoved,
    /// All samples are equal.
    AllEqual,
    /// The samples fall into two groups with these medians.
    Bimodal(f64, f64),
    /// Base, head or both are zero.
    Zero,
    /// Lost samples: fewer on one side.
    UnequalN,
    /// Only equivalence was looked for in the confirm stage.
    EquivalenceOnly,
    /// Free text. Unescaped.
    Text(String),
}

/// About how many rounds a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RoundsNeeded {
    /// About this many.
    About(u32),
    /// More than 200.
    MoreThan200,
}
