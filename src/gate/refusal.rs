//! Why something that was asked for is not done, in words for whoever asked.

use super::command::CommandError;
use super::quote::code;
use crate::config::{ConfigError, Permission};
use std::time::Duration;

/// A refusal. Its text is one line of Markdown, safe to post; foreign text is inside code spans.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The command cannot be understood.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Whoever asked may not. Never posted: an answer to strangers would be a way to send mail.
    #[error("{} may not run benchmarks here: {reason}", code(login))]
    NotPermitted {
        /// Who asked.
        login: String,
        /// What was needed and what was found.
        reason: String,
    },
    /// `head=` names another commit than the pull request's head.
    #[error(
        "`head=` is {}, and the pull request's head is now {}: look at it and ask again",
        code(asked),
        code(short(now))
    )]
    HeadMoved {
        /// What was asked for.
        asked: String,
        /// The head, in full.
        now: String,
    },
    /// The code of a fork needs a commit in the comment.
    #[error("this pull request comes from a fork: look at its head commit and write {}", code(&format!("/bench head={}", short(head))))]
    ForkNotAllowed {
        /// The head, in full.
        head: String,
    },
    /// One job must not have both this token and this code.
    #[error("{0}")]
    OneJob(String),
    /// A run is on its way.
    #[error("a run is on its way already{}; `/bench cancel` stops it", link(url.as_deref()))]
    Busy {
        /// Its web address, which is made of our own numbers.
        url: Option<String>,
    },
    /// The last run was asked for just now.
    #[error("the last run was {} ago, and there is to be {} between two: ask again in {}", time(ago), time(cooldown), time(&cooldown.saturating_sub(*ago)))]
    Cooldown {
        /// How long ago.
        ago: Duration,
        /// The shortest time between two.
        cooldown: Duration,
    },
    /// A ref that leads nowhere.
    #[error("there is no branch, tag or commit {} in this repository", code(.0))]
    UnknownRef(String),
    /// A commit that is in the network of forks and not in this repository.
    #[error("{} is on neither {}: name a branch or a tag", code(short(sha)), among(branches))]
    Unreachable {
        /// The commit, in full.
        sha: String,
        /// The branches that were looked at.
        branches: Vec<String>,
    },
    /// There is nothing to compare.
    #[error("base and head are the same commit {}, and both sides of every suite are the same", code(short(.0)))]
    SameCommit(String),
    /// The two commits have no common history.
    #[error("{} and {} have no common history: name a base with `base=`", code(short(base)), code(short(head)))]
    Unrelated {
        /// The tip of the target branch, in full.
        base: String,
        /// The head, in full.
        head: String,
    },
    /// The configuration cannot be used.
    #[error("the configuration cannot be used: {}", code(&.0.to_string()))]
    Config(#[from] ConfigError),
    /// A run cannot be cancelled since there is none.
    #[error("nothing is running here")]
    NothingRunning,
    /// The token may not cancel.
    #[error("the run cannot be cancelled: the job of `bench-bot` needs `actions: write` among its `permissions:`")]
    MayNotCancel,
}

impl Refusal {
    /// Whether whoever asked gets an answer in words.
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        !matches!(self, Self::NotPermitted { .. })
    }
}

/// The word of a permission.
pub(super) const fn permission(permission: Permission) -> &'static str {
    match permission {
        Permission::None => "none",
        Permission::Read => "read",
        Permission::Triage => "triage",
        Permission::Write => "write",
        Permission::Maintain => "maintain",
        Permission::Admin => "admin",
    }
}

/// The first seven digits of a commit id.
pub(super) fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}

fn link(url: Option<&str>) -> String {
    url.map(|url| format!(" ([run]({url}))")).unwrap_or_default()
}

fn time(time: &Duration) -> String {
    crate::config::show_duration(Duration::from_secs(time.as_secs().max(1)))
}

fn among(branches: &[String]) -> String {
    branches.iter().map(|branch| code(branch)).collect::<Vec<_>>().join(" nor ")
}
