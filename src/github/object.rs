//! What bench-bot reads of GitHub's answers. Fields that are not read are not named, so that they cannot break it.

use serde::{Deserialize, Serialize};

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct User {
    /// Login, such as `octocat` or `github-actions[bot]`.
    pub login: String,
    /// Number that stays when the login changes.
    pub id: u64,
    /// `User`, `Bot` or `Organization`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A comment on an issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Comment {
    /// Number, rising with time.
    pub id: u64,
    /// The same for GraphQL.
    pub node_id: String,
    /// Markdown. Empty where GitHub gives none.
    #[serde(deserialize_with = "null_as_default")]
    pub body: String,
    /// The author; `None` for an account that was deleted.
    pub user: Option<User>,
    /// Web address.
    pub html_url: String,
    /// Created, RFC 3339.
    pub created_at: String,
    /// Last edited, RFC 3339.
    pub updated_at: String,
    /// Set if the comment is hidden.
    pub minimized: Option<serde_json::Value>,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PullRequest {
    /// Number.
    pub number: u64,
    /// `open` or `closed`.
    pub state: String,
    /// Whether it is a draft.
    #[serde(default, deserialize_with = "null_as_default")]
    pub draft: bool,
    /// Whether it was merged.
    #[serde(default, deserialize_with = "null_as_default")]
    pub merged: bool,
    /// Whether the conversation is locked.
    #[serde(default, deserialize_with = "null_as_default")]
    pub locked: bool,
    /// What it proposes.
    pub head: Branch,
    /// What it is to be merged into.
    pub base: Branch,
    /// The author; `None` for an account that was deleted.
    pub user: Option<User>,
    /// Title. Unescaped.
    #[serde(default, deserialize_with = "null_as_default")]
    pub title: String,
    /// Web address.
    #[serde(default)]
    pub html_url: String,
}

impl PullRequest {
    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Whether the head is in another repository than the base; a fork that was deleted counts as one.
    #[must_use]
    pub fn is_fork(&self) -> bool {
        match (&self.head.repo, &self.base.repo) {
            (Some(head), Some(base)) => head.id != base.id,
            _ => true,
        }
    }
}

/// One side of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Branch {
    /// Full commit id.
    pub sha: String,
    /// Branch. Unescaped.
    #[serde(rename = "ref")]
    pub reference: String,
    /// `owner:branch`. Unescaped.
    #[serde(default)]
    pub label: Option<String>,
    /// Repository; `None` if it was deleted.
    pub repo: Option<RepositoryRef>,
}

/// A repository, as other objects mention it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct RepositoryRef {
    /// Number that stays when the name changes.
    pub id: u64,
    /// `owner/name`.
    pub full_name: String,
    /// Whether it is a fork of another repository.
    pub fork: bool,
    /// Whether it is private.
    pub private: bool,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RepositoryInfo {
    /// Number that stays when the name changes.
    pub id: u64,
    /// `owner/name` as it is spelled now.
    pub full_name: String,
    /// Branch that pull requests go to by default.
    pub default_branch: String,
    /// Whether it is private.
    #[serde(default)]
    pub private: bool,
    /// Whether it is a fork of another repository.
    #[serde(default)]
    pub fork: bool,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Commit {
    /// Full commit id.
    pub sha: String,
    /// What git knows of it.
    pub commit: CommitText,
}

/// What git knows of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CommitText {
    /// The whole message. Unescaped.
    pub message: String,
}

impl Commit {
    /// The first line of the message. Unescaped.
    #[must_use]
    pub fn subject(&self) -> &str {
        self.commit.message.lines().next().unwrap_or_default()
    }
}

/// How two commits relate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Comparison {
    /// Their best common ancestor.
    pub merge_base_commit: Commit,
    /// `identical`, `ahead`, `behind` or `diverged`: the second relative to the first.
    pub status: String,
    /// Commits that only the second has.
    pub ahead_by: u64,
    /// Commits that only the first has.
    pub behind_by: u64,
}

/// What an account may do in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RepositoryPermission {
    /// `admin`, `write`, `read` or `none`: the older, coarser word.
    pub permission: String,
    /// `admin`, `maintain`, `write`, `triage`, `read`, or the name of a custom role.
    #[serde(default)]
    pub role_name: String,
    /// The account that was asked about.
    pub user: Option<User>,
}

/// A reaction to a comment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reaction {
    /// Number, to take it back.
    pub id: u64,
    /// `eyes`, `rocket` …
    pub content: String,
}

/// A run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorkflowRun {
    /// Number.
    pub id: u64,
    /// Attempt, from 1.
    #[serde(default = "one")]
    pub run_attempt: u64,
    /// The event that started it.
    pub event: String,
    /// `queued`, `in_progress`, `completed` …
    pub status: Option<String>,
    /// `success`, `failure`, `cancelled`, `timed_out` …; `None` while it runs.
    pub conclusion: Option<String>,
    /// Commit that it ran for.
    pub head_sha: String,
    /// Branch that it ran for. Unescaped.
    pub head_branch: Option<String>,
    /// Repository of that branch.
    pub head_repository: Option<RepositoryRef>,
    /// When this attempt began, RFC 3339, where GitHub tells.
    #[serde(default)]
    pub run_started_at: Option<String>,
}

/// A file that a run kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Artifact {
    /// Number, rising with time.
    pub id: u64,
    /// Name; whoever ran in the job could choose it. Unescaped.
    pub name: String,
    /// Size of the archive in bytes.
    pub size_in_bytes: u64,
    /// Whether it can no longer be had.
    pub expired: bool,
    /// When it was kept, RFC 3339.
    #[serde(default)]
    pub created_at: Option<String>,
    /// `sha256:…` of the archive, where GitHub tells.
    #[serde(default)]
    pub digest: Option<String>,
    /// The run that made it.
    #[serde(default)]
    pub workflow_run: Option<ArtifactRun>,
}

/// The run that made an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ArtifactRun {
    /// Number of the run.
    pub id: u64,
    /// Commit that it ran for.
    pub head_sha: String,
}

/// A check run, as GitHub keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CheckRun {
    /// Number.
    pub id: u64,
    /// Web address.
    pub html_url: Option<String>,
}

/// State of a commit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StatusState {
    /// The check itself broke.
    Error,
    /// The check failed.
    Failure,
    /// Not decided yet.
    Pending,
    /// The check passed.
    Success,
}

const fn one() -> u64 {
    1
}

/// Reads `null` like a missing field.
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}
