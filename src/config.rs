//! The configuration, checked: what to run, when to call it a change, how to report it.
//!
//! `.github/bench-bot.yml` is read by [`load`]; these types are what the rest of the program sees. They travel inside
//! `request.json`, so that no later stage needs a checkout to know the policy.

use crate::side::PerSide;
use crate::unit::Direction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything that a run is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The suites, at least one, with different names.
    pub suites: Vec<Suite>,
    /// How many rounds.
    pub rounds: Rounds,
    /// Time for all rounds of all suites, without setup.
    #[serde(with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub budget: Duration,
    /// Limit of the whole job; measuring ends at a block border.
    #[serde(with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub max_time: Duration,
    /// Where commands run.
    pub isolation: Isolation,
    /// Settings of the host.
    pub host: Host,
    /// How base and head are compared.
    pub compare: Compare,
    /// How the result is shown.
    pub report: ReportConfig,
    /// Who may use `/bench`.
    pub command: CommandPolicy,
}

/// One bench command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Name, unique in the configuration.
    pub name: String,
    /// What each side does; equal unless the configuration has `base:` or `head:` in the suite.
    pub sides: PerSide<SuiteSide>,
    /// Submodules, LFS, further repositories.
    pub checkout: Checkout,
    /// Rows (by name) that must not move: a change there is a warning about the machine.
    pub controls: Option<String>,
    /// Rows to keep (regular expression over the benchmark's full name); what it hides is counted.
    pub filter: Option<String>,
    /// A command that prints the names of the suite's benchmarks, one a line.
    pub list: Option<String>,
    /// Values that are put into the command in place of `{name}`, every combination once.
    pub parameters: BTreeMap<String, Vec<String>>,
    /// Files whose size is measured, by metric name.
    pub metrics: BTreeMap<String, String>,
    /// Files taken from one side and put into the other before its setup.
    pub overlay: Option<Overlay>,
    /// A parameter inside names, for the sweep picture.
    pub sweep: Option<Sweep>,
    /// Functions whose machine code is compared.
    pub inspect: Vec<String>,
    /// Runs once as root in a throw-away container without a tree; its result is both sides' image.
    pub prepare: Option<String>,
    /// Whether bench-bot found the command by itself.
    pub detected: bool,
    /// How the tool can be restricted to some benchmarks, known for detected commands.
    pub narrow: Option<Narrow>,
}

/// What one side of a suite does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SuiteSide {
    /// Folder relative to the side's tree, in which every command runs; empty for the tree itself.
    pub directory: String,
    /// Runs once before any round.
    pub setup: Option<String>,
    /// One execution is one round. Run by `sh -c`.
    pub run: String,
    /// Format of the output: a name that [`crate::format`] knows, or `auto`.
    pub format: String,
    /// File (or folder, for Criterion) that holds the output, relative to `directory`; standard output if `None`.
    /// Deleted before each round.
    pub output: Option<String>,
    /// Environment of every command of the suite, added to the allowlist.
    pub env: BTreeMap<String, String>,
    /// Limit of one round.
    #[serde(with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub timeout: Duration,
    /// Files that must exist after setup, relative to `directory`.
    pub require: Vec<String>,
    /// Image of the sandbox; by the detected toolchain if `None`.
    pub image: Option<String>,
    /// Dockerfile in the base side's tree that makes the image.
    pub dockerfile: Option<String>,
    /// Whether rounds have a network.
    pub network: bool,
    /// Host settings of this side alone, set and read back before each of its rounds.
    pub host: Option<Host>,
}

/// How a tool is restricted to some benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Narrow {
    /// Go: a `-test.bench` or `-bench` regular expression in the variable `BENCH_BOT_FILTER`.
    GoBench,
    /// The command reads a regular expression from `BENCH_BOT_FILTER`.
    Variable,
}

/// Submodules, LFS, further repositories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Checkout {
    /// Check out submodules, recursively.
    pub submodules: bool,
    /// Fetch LFS content.
    pub lfs: bool,
    /// Further repositories.
    pub extra: Vec<ExtraRepository>,
}

/// A further repository in a side's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExtraRepository {
    /// `owner/name` on the same server, or a URL.
    pub repo: String,
    /// Branch, tag or commit.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Where it is put, relative to the tree.
    pub path: String,
}

/// Files taken from one side and put into the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// Where the files come from.
    pub from: crate::side::Side,
    /// Paths relative to the tree.
    pub paths: Vec<String>,
    /// Where they are put.
    pub to: crate::side::Side,
}

/// A parameter inside names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Regular expression whose first group is the value.
    pub capture: String,
    /// Name of the parameter.
    pub name: String,
}

/// How many rounds a side, and in how many stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rounds {
    /// Two stages: rounds a side of each, even.
    Staged {
        /// Over every row.
        screen: u32,
        /// Fresh rounds for suspects.
        confirm: u32,
    },
    /// One stage of this many rounds a side, even.
    Fixed(u32),
}

/// Where commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// A container inside Actions, the host elsewhere.
    Auto,
    /// A container for each side.
    Container,
    /// Directly.
    Host,
}

/// Settings of the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Whether settings are tried at all, and whether a refusal stops the run.
    pub tuning: Tuning,
    /// CPUs of the bench command.
    pub cpus: Cpus,
    /// Priority, -20 to 19; `None` leaves it.
    pub nice: Option<i8>,
    /// Frequency governor; `None` leaves it.
    pub governor: Option<String>,
    /// Boost on or off; `None` leaves it.
    pub boost: Option<bool>,
    /// Energy performance preference; `None` leaves it.
    pub epp: Option<String>,
    /// Lowest frequency in kHz; `None` leaves it.
    pub min_khz: Option<u64>,
    /// Highest frequency in kHz; `None` leaves it.
    pub max_khz: Option<u64>,
}

/// What to do with settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tuning {
    /// Set what can be set, report the rest.
    BestEffort,
    /// Refuse to measure if one cannot be set.
    Require,
    /// Set nothing.
    Off,
}

/// CPUs of the bench command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cpus {
    /// Chosen by rule: whole cores, not CPU 0's.
    Auto,
    /// No pinning.
    All,
    /// This list, as in `2-3,6`.
    List(String),
}

/// How base and head are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Compare {
    /// Which commit is base: `merge-base`, `target`, or a ref.
    pub base: String,
    /// Error rate of a whole report, 0 < alpha < 1.
    pub alpha: f64,
    /// Smallest relative change that counts: 0.02 is 2 %.
    pub threshold: f64,
    /// Correction for many rows.
    pub correction: Correction,
    /// What is said of single units.
    pub units: BTreeMap<String, UnitPolicy>,
    /// Names changed before pairing, in order: regular expression and replacement.
    pub rename: Vec<Rename>,
    /// Where a benchmark has wall and CPU time: which one is judged.
    pub primary: PrimaryTime,
}

/// Correction for many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Correction {
    /// Holm's step-down method.
    Holm,
    /// None: every row at alpha.
    None,
}

/// Which of two times is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PrimaryTime {
    /// Wall-clock time.
    Wall,
    /// CPU time.
    Cpu,
}

/// What the configuration says of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UnitPolicy {
    /// Direction.
    pub better: Option<Direction>,
    /// Relative threshold: 0.05 is 5 %.
    pub threshold: Option<f64>,
    /// Absolute threshold in the unit, for rows that have no relative one.
    pub absolute: Option<f64>,
    /// Whether values are exact.
    pub exact: Option<bool>,
}

/// A renamed benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// Regular expression over the full name.
    pub from: String,
    /// Replacement, with `$1`.
    pub to: String,
}

/// How the result is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReportConfig {
    /// Layout of the comment.
    pub layout: Layout,
    /// Text of the user's template, read from the trusted side.
    pub template: Option<Template>,
    /// What makes the exit code 1.
    pub fail_on: Vec<FailOn>,
    /// Edit the comment or post it anew.
    pub comment_mode: CommentMode,
    /// When there is a comment at all.
    pub comment_on: CommentOn,
    /// One comment for each name.
    pub name: String,
}

/// A user's template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Where it was read from.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Layout of the comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Verdict, changed rows, the rest folded.
    Default,
    /// The text of today's benchstat.
    Benchstat,
    /// The text of the first benchstat.
    BenchstatV1,
    /// The text of benchcmp.
    Benchcmp,
}

/// What makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// Nothing.
    Never,
    /// A failed side or row.
    Failure,
    /// A regression.
    Regression,
    /// A row that could not be decided.
    Inconclusive,
}

/// Edit the comment or post it anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CommentMode {
    /// Edit.
    Update,
    /// Delete and post, which notifies.
    Recreate,
}

/// When there is a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CommentOn {
    /// Always.
    Always,
    /// When a row changed or failed, or a comment is there already.
    Change,
    /// When a row is a regression or failed, or a comment is there already.
    Regression,
}

/// Who may use `/bench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandPolicy {
    /// The permission needed: `read`, `triage`, `write`, `maintain` or `admin`.
    pub permission: Permission,
    /// Shortest time between two runs on one pull request.
    #[serde(with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub cooldown: Duration,
    /// What approves the code of a fork.
    pub fork_approval: ForkApproval,
}

/// A permission on the repository, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// Anybody.
    None,
    /// May read.
    Read,
    /// May triage.
    Triage,
    /// May push.
    Write,
    /// May maintain.
    Maintain,
    /// May administer.
    Admin,
}

/// What approves the code of a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ForkApproval {
    /// A `/bench` comment of somebody who may.
    Comment,
    /// The comment must name the commit (`head=`).
    Sha,
}

/// Durations as seconds.
mod seconds {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub(super) fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(value.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl Default for Host {
    fn default() -> Self {
        Self {
            tuning: Tuning::BestEffort,
            cpus: Cpus::Auto,
            nice: Some(-20),
            governor: Some("performance".to_owned()),
            boost: Some(false),
            epp: None,
            min_khz: None,
            max_khz: None,
        }
    }
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            base: "merge-base".to_owned(),
            alpha: 0.05,
            threshold: 0.02,
            correction: Correction::Holm,
            units: BTreeMap::new(),
            rename: Vec::new(),
            primary: PrimaryTime::Wall,
        }
    }
}

impl Default for ReportConfig {
    fn default() -> Self {
        Self {
            layout: Layout::Default,
            template: None,
            fail_on: vec![FailOn::Never],
            comment_mode: CommentMode::Update,
            comment_on: CommentOn::Always,
            name: "bench".to_owned(),
        }
    }
}

impl Default for CommandPolicy {
    fn default() -> Self {
        Self { permission: Permission::Write, cooldown: Duration::from_secs(300), fork_approval: ForkApproval::Comment }
    }
}

impl Default for Rounds {
    fn default() -> Self {
        Self::Staged { screen: 8, confirm: 16 }
    }
}
