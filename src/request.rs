//! `request.json`: what `gate` decided, for `measure` to carry out and for `report` to check against.

mod read;
#[cfg(test)]
mod tests;

pub use read::{RequestError, read};

use crate::config::Config;
use crate::results::Shard;
use crate::side::PerSide;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of this file's layout.
pub const SCHEMA: u32 = 1;

/// A run that was asked for and allowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// The commits, pinned once.
    pub commits: PerSide<Commit>,
    /// How many commits base is behind the tip of the target branch, where known.
    pub base_behind: Option<u64>,
    /// Whether base was named explicitly rather than found as the merge base.
    pub base_explicit: bool,
    /// Where on GitHub this belongs; `None` in a terminal.
    pub origin: Option<Origin>,
    /// The trusted configuration, arguments of the command already applied.
    pub config: Config,
    /// Where the configuration came from.
    pub config_source: ConfigSource,
    /// Only these suites, by name; empty: all.
    pub suites: Vec<String>,
    /// Only benchmarks whose full name this regular expression finds; empty: all.
    pub filter: String,
    /// Which shard of a matrix to measure.
    pub shard: Option<Shard>,
    /// Seed in hexadecimal, if one was given; drawn by `measure` otherwise.
    pub seed: Option<String>,
    /// Base against base was asked for: equal commits are no error.
    pub calibration: bool,
    /// What the reader of the report must know, found out by `gate`: the pull request changes the configuration,
    /// benchmark sources differ. Unescaped.
    pub notes: Vec<String>,
}

/// A pinned commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// Full commit id, 40 or 64 hexadecimal digits.
    pub sha: String,
    /// The branch, tag or word that named it. Unescaped.
    pub label: String,
    /// First line of its message, where known. Unescaped.
    pub subject: String,
    /// The uncommitted working tree was snapshotted into this commit.
    #[serde(default)]
    pub uncommitted: bool,
}

/// Where on GitHub a request belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// `owner/name` of the base repository.
    pub repository: String,
    /// The event that started the run.
    pub event: String,
    /// The pull request.
    pub pull_request: Option<u64>,
    /// Whether the head repository is another one than the base repository.
    pub fork: bool,
    /// The comment that asked, for reactions.
    pub comment: Option<u64>,
    /// Run id and attempt, for "newer wins".
    pub run: u64,
    /// Attempt, from 1.
    pub attempt: u64,
    /// Web address of the server.
    pub server: String,
}

/// Where the configuration came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConfigSource {
    /// A file of the trusted side: its path.
    File(String),
    /// Detected, with one sentence on what was found.
    Detected(String),
    /// The bench section of head with default policy, since the target branch has no configuration.
    HeadFirstTime(String),
}

impl Request {
    /// SHA-256 of the policy, in hexadecimal: results name it, so that they cannot be reported under another one.
    #[must_use]
    pub fn config_hash(&self) -> String {
        // Fields are written in their order and maps are sorted: equal policies give equal text.
        let text = serde_json::to_vec(&self.config).unwrap_or_default();
        Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
