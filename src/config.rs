//! The configuration, checked: what to run, when to call it a change, how to report it.
//!
//! `.github/bench-bot.yml` is read by [`load`]; these types are what the rest of the program sees. They travel inside
//! `request.json`, so that no later stage needs a checkout to know the policy.

mod check;
mod describe;
mod error;
mod host;
mod load;
mod locate;
mod policy;
mod raw;
pub mod refname;
mod scan;
mod seconds;
mod suite;
mod value;

pub use check::is_report_name;
pub(crate) use check::regex_fault;
pub(crate) use describe::time as show_duration;
pub use describe::{Source, describe};
pub use error::ConfigError;
pub(crate) use error::nearest;
pub use host::{Cpus, Host, Tuning};
pub use load::{
    LIMIT, LoadError, PATH, check_template, load, load_by, load_tree, load_with_source, misplaced, suite_error,
};
pub use policy::{
    CommandPolicy, CommentMode, CommentOn, Compare, Correction, FailOn, ForkApproval, Layout, Permission, PrimaryTime,
    Rename, ReportConfig, SuitesFrom, Template, UnitPolicy,
};
pub(crate) use value::invisible;
pub use value::{parse_duration, parse_ratio};

use crate::side::PerSide;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Most rounds a side, over all stages of a plan.
pub const MAX_ROUNDS: u32 = 100;

/// Everything that a run is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The suites, with different names. None: [`crate::detect`] finds them in the tree.
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
    /// One execution is one round. Run by `sh -c`. Empty: [`crate::detect`] finds it in `directory`.
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
    /// Dockerfile of the trusted side that makes the image.
    pub dockerfile: Option<Template>,
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
    /// Paths from the top of the tree.
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

impl Default for Config {
    /// What holds without a configuration file; the suites are still to be detected.
    fn default() -> Self {
        Self {
            suites: Vec::new(),
            rounds: Rounds::default(),
            budget: Duration::from_secs(600),
            max_time: Duration::from_secs(3600),
            isolation: Isolation::Auto,
            host: Host::default(),
            compare: Compare::default(),
            report: ReportConfig::default(),
            command: CommandPolicy::default(),
        }
    }
}

impl Default for Rounds {
    fn default() -> Self {
        Self::Staged { screen: 8, confirm: 16 }
    }
}

#[cfg(test)]
mod tests;
