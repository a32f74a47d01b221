//! Names become commit ids here, once; every later stage knows only the ids.

use super::GateError;
use super::refusal::Refusal;
use crate::config::refname;
use crate::github::{ErrorKind, Repository};
use crate::request::Commit;

/// The base of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The commit.
    pub commit: Commit,
    /// Commits that the target branch has and it has not, where known.
    pub behind: Option<u64>,
    /// Whether it was named rather than found as the merge base.
    pub explicit: bool,
}

/// The commit at the tip of a branch.
///
/// # Errors
/// When there is no such branch, or GitHub does not answer.
pub fn tip(repository: &Repository<'_>, branch: &str) -> Result<Commit, GateError> {
    match lookup(repository, &format!("heads/{branch}"))? {
        Some(commit) => Ok(labelled(commit, branch)),
        None => Err(Refusal::UnknownRef(branch.to_owned()).into()),
    }
}

/// The base for `head`: the merge base with the target's tip, the tip itself, or the named commit.
///
/// # Errors
/// When a name leads nowhere, the histories have nothing in common, or GitHub does not answer.
pub fn base(repository: &Repository<'_>, wanted: &str, target: &Commit, head: &Commit) -> Result<Base, GateError> {
    match wanted {
        "merge-base" => merge_base(repository, target, head),
        "target" => Ok(Base { commit: target.clone(), behind: Some(0), explicit: false }),
        named => {
            let commit = named_commit(repository, named, &[&target.label])?;
            Ok(Base { commit, behind: None, explicit: true })
        }
    }
}

fn merge_base(repository: &Repository<'_>, target: &Commit, head: &Commit) -> Result<Base, GateError> {
    let comparison = match repository.compare(&target.sha, &head.sha) {
        Ok(comparison) => comparison,
        Err(error) if error.kind == ErrorKind::NotFound => {
            return Err(Refusal::Unrelated { base: target.sha.clone(), head: head.sha.clone() }.into());
        }
        Err(error) => return Err(error.into()),
    };
    let commit = labelled(comparison.merge_base_commit, &target.label);
    Ok(Base { commit, behind: Some(comparison.behind_by), explicit: false })
}

/// The commit that a branch, a tag or an id of this repository names. Every fork shares its commits with this
/// repository, so that an id counts only if it is on the default branch or on one of `branches`.
///
/// # Errors
/// When there is no such commit here, or GitHub does not answer.
pub fn named_commit(repository: &Repository<'_>, name: &str, branches: &[&str]) -> Result<Commit, GateError> {
    refname::check(name).map_err(|_| Refusal::UnknownRef(name.to_owned()))?;
    // A branch can be called like a commit, so a full id is never looked for among branches.
    if !refname::is_full_sha(name) {
        for kind in ["heads", "tags"] {
            if let Some(commit) = lookup(repository, &format!("{kind}/{name}"))? {
                return Ok(labelled(commit, name));
            }
        }
    }
    let is_id = (7..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
    let found = if is_id { lookup(repository, name)? } else { None };
    let Some(commit) = found.filter(|commit| commit.sha.starts_with(&name.to_ascii_lowercase())) else {
        return Err(Refusal::UnknownRef(name.to_owned()).into());
    };
    let default = repository.info()?.default_branch;
    let mut looked_at = vec![default];
    looked_at.extend(branches.iter().filter(|branch| !branch.is_empty()).map(|branch| (*branch).to_owned()));
    looked_at.dedup();
    for branch in &looked_at {
        if is_on(repository, &commit.sha, branch)? {
            return Ok(labelled(commit, name));
        }
    }
    Err(Refusal::Unreachable { sha: commit.sha, branches: looked_at }.into())
}

/// Whether a commit is in the history of a branch.
fn is_on(repository: &Repository<'_>, sha: &str, branch: &str) -> Result<bool, GateError> {
    let Some(tip) = lookup(repository, &format!("heads/{branch}"))? else { return Ok(false) };
    match repository.compare(&tip.sha, sha) {
        Ok(comparison) => Ok(matches!(comparison.status.as_str(), "behind" | "identical")),
        Err(error) if error.kind == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The commit that a name leads to, under its full id.
fn lookup(repository: &Repository<'_>, reference: &str) -> Result<Option<crate::github::Commit>, GateError> {
    Ok(repository.commit(reference)?.filter(|commit| refname::is_full_sha(&commit.sha)))
}

/// A commit under the name that led to it.
pub(super) fn labelled(commit: crate::github::Commit, label: &str) -> Commit {
    let subject = commit.subject().to_owned();
    Commit { sha: commit.sha, label: label.to_owned(), subject, uncommitted: false }
}

/// The commit `sha`, which an event named; its subject is for readers only, and its absence is no fault.
///
/// # Errors
/// When `sha` is no full commit id.
pub(super) fn given(repository: &Repository<'_>, sha: &str, label: &str) -> Result<Commit, GateError> {
    if !refname::is_full_sha(sha) {
        return Err(GateError::Event(format!("{sha:?} is no commit id")));
    }
    let subject = repository.commit(sha).ok().flatten().filter(|commit| commit.sha == sha);
    let subject = subject.map(|commit| commit.subject().to_owned()).unwrap_or_default();
    Ok(Commit { sha: sha.to_owned(), label: label.to_owned(), subject, uncommitted: false })
}
