//! What the trusted side decides: how sides are compared, how the result is shown, who may ask.

use super::seconds;
use crate::unit::Direction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

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
    /// The user's template, read from the trusted side. [`super::load`] knows its path only and leaves the text empty.
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

/// A file that the configuration names: a template of the comment, or a Dockerfile.
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

/// Who may use `/bench`, and what a pull request may decide.
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
    /// Most rounds a side that an argument may ask for.
    pub max_rounds: u32,
    /// Longest budget that an argument may ask for; `max_time` if `None`.
    #[serde(with = "seconds::optional")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub max_budget: Option<Duration>,
    /// Whose bench section is executed.
    pub suites_from: SuitesFrom,
}

/// Whose bench section is executed. Policy is always that of the target branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SuitesFrom {
    /// That of the target branch.
    Base,
    /// Head's, if the pull request comes from the same repository.
    Head,
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
        Self {
            permission: Permission::Write,
            cooldown: Duration::from_secs(300),
            fork_approval: ForkApproval::Comment,
            max_rounds: super::MAX_ROUNDS,
            max_budget: None,
            suites_from: SuitesFrom::Base,
        }
    }
}
