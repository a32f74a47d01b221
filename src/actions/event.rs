//! The payloads of the events that start a job. Only what is read is named: a field that GitHub adds, drops or leaves
//! empty must not stop anybody.

use crate::github::{PullRequest, RepositoryRef, User, WorkflowRun};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Something happened to a pull request.
    PullRequest(PullRequestEvent),
    /// Somebody commented on an issue or a pull request.
    IssueComment(IssueCommentEvent),
    /// Somebody started the workflow by hand.
    WorkflowDispatch(WorkflowDispatchEvent),
    /// Another workflow's run began or ended.
    WorkflowRun(WorkflowRunEvent),
    /// A merge queue wants to know.
    MergeGroup(MergeGroupEvent),
    /// Somebody pushed.
    Push(PushEvent),
    /// Any other event, by name.
    Other(String),
}

/// `pull_request`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PullRequestEvent {
    /// `opened`, `synchronize`, `reopened`, `closed`, `labeled` …
    pub action: String,
    /// The pull request.
    pub pull_request: PullRequest,
    /// The base repository.
    pub repository: EventRepository,
    /// Who did it.
    pub sender: User,
    /// Head before the push, for `synchronize`.
    #[serde(default)]
    pub before: Option<String>,
}

/// `issue_comment`. It does not tell the pull request's head.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct IssueCommentEvent {
    /// `created`, `edited` or `deleted`.
    pub action: String,
    /// What was commented on.
    pub issue: EventIssue,
    /// The comment.
    pub comment: EventComment,
    /// The repository.
    pub repository: EventRepository,
    /// Who did it: for `edited` not always the author.
    pub sender: User,
}

/// `workflow_dispatch`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct WorkflowDispatchEvent {
    /// The form's values, empty ones left out.
    #[serde(default, deserialize_with = "inputs")]
    pub inputs: BTreeMap<String, String>,
    /// The ref that was chosen.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The repository.
    pub repository: EventRepository,
    /// Who did it.
    pub sender: User,
}

/// `workflow_run`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct WorkflowRunEvent {
    /// `requested`, `in_progress` or `completed`.
    pub action: String,
    /// The run.
    pub workflow_run: WorkflowRun,
    /// The repository.
    pub repository: EventRepository,
}

/// `merge_group`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MergeGroupEvent {
    /// `checks_requested` or `destroyed`.
    pub action: String,
    /// The group.
    pub merge_group: MergeGroup,
    /// The repository.
    pub repository: EventRepository,
}

/// A merge group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MergeGroup {
    /// Commit that would be merged.
    pub head_sha: String,
    /// Its ref; holds the number of the pull request in words only.
    pub head_ref: String,
    /// Commit that it would be merged into.
    pub base_sha: String,
    /// Ref of the target branch.
    pub base_ref: String,
}

/// `push`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PushEvent {
    /// The ref that was pushed.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Commit before; zeros for a new branch.
    pub before: String,
    /// Commit after; zeros for a deleted branch.
    pub after: String,
    /// Whether the branch was deleted.
    #[serde(default)]
    pub deleted: bool,
    /// The repository.
    pub repository: EventRepository,
}

/// The repository of an event.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventRepository {
    /// Number that stays when the name changes.
    pub id: u64,
    /// `owner/name`.
    pub full_name: String,
    /// Branch that pull requests go to by default.
    #[serde(default)]
    pub default_branch: String,
    /// Whether it is private.
    #[serde(default)]
    pub private: bool,
}

/// The issue or pull request of a comment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct EventIssue {
    /// Number.
    pub number: u64,
    /// `open` or `closed`.
    #[serde(default)]
    pub state: String,
    /// Whether the conversation is locked.
    #[serde(default)]
    pub locked: bool,
    /// Set if this is a pull request.
    #[serde(default)]
    pull_request: Option<serde_json::Value>,
    /// The author; `None` for an account that was deleted.
    #[serde(default)]
    pub user: Option<User>,
}

impl EventIssue {
    /// Whether this is a pull request.
    #[must_use]
    pub const fn is_pull_request(&self) -> bool {
        self.pull_request.is_some()
    }
}

/// The comment of an event.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventComment {
    /// Number.
    pub id: u64,
    /// Markdown, written by anybody.
    #[serde(default, deserialize_with = "crate::github::null_as_default")]
    pub body: String,
    /// The author; `None` for an account that was deleted.
    pub user: Option<User>,
    /// Web address.
    #[serde(default)]
    pub html_url: String,
    /// Created, RFC 3339.
    #[serde(default)]
    pub created_at: String,
}

impl Event {
    /// Reads the payload of the event called `name`.
    ///
    /// # Errors
    /// When it is not JSON or lacks what is read of it.
    pub fn parse(name: &str, payload: &[u8]) -> Result<Self, serde_json::Error> {
        fn read<T: DeserializeOwned>(payload: &[u8]) -> Result<T, serde_json::Error> {
            serde_json::from_slice(payload)
        }
        Ok(match name {
            "pull_request" => Self::PullRequest(read(payload)?),
            "issue_comment" => Self::IssueComment(read(payload)?),
            "workflow_dispatch" => Self::WorkflowDispatch(read(payload)?),
            "workflow_run" => Self::WorkflowRun(read(payload)?),
            "merge_group" => Self::MergeGroup(read(payload)?),
            "push" => Self::Push(read(payload)?),
            other => Self::Other(other.to_owned()),
        })
    }

    /// The repository that it happened in, by number and name.
    #[must_use]
    pub fn repository(&self) -> Option<RepositoryRef> {
        let repository = match self {
            Self::PullRequest(event) => &event.repository,
            Self::IssueComment(event) => &event.repository,
            Self::WorkflowDispatch(event) => &event.repository,
            Self::WorkflowRun(event) => &event.repository,
            Self::MergeGroup(event) => &event.repository,
            Self::Push(event) => &event.repository,
            Self::Other(_) => return None,
        };
        Some(RepositoryRef {
            id: repository.id,
            full_name: repository.full_name.clone(),
            fork: false,
            private: repository.private,
        })
    }
}

impl PushEvent {
    /// Whether there is nothing before the push to compare with, or nothing after it.
    #[must_use]
    pub fn has_no_base(&self) -> bool {
        let zeros = |sha: &str| sha.bytes().all(|b| b == b'0');
        self.deleted || zeros(&self.before) || zeros(&self.after)
    }
}

/// Inputs are strings, or `null` where nobody filled in anything; booleans and numbers occur when an API caller sent
/// them.
fn inputs<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let values = Option::<BTreeMap<String, serde_json::Value>>::deserialize(deserializer)?.unwrap_or_default();
    let text = |value: serde_json::Value| match value {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    };
    Ok(values.into_iter().filter_map(|(name, value)| Some((name, text(value)?))).collect())
}

#[cfg(test)]
mod tests;
