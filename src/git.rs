//! Git, by its command line: pinned commits, self-contained checkouts.
//!
//! Trusted work happens in a bare repository of our own inside a private [`Workspace`]. The user's clone is only read:
//! its references are resolved in place, its objects are seen through an alternates file. Nothing that a repository,
//! a user or a machine configures (hooks, filters, file system monitors, aliases, credential helpers) is run.

mod checkout;
mod clone;
mod command;
mod nested;
mod overlay;
mod remote;
mod tree;
mod workspace;

pub use checkout::{CheckoutOptions, Checkouts};
pub use clone::{Snapshot, persisted_credentials};
pub use command::{Credentials, Protocols};
pub use tree::{BYTES_LIMIT, FILES_LIMIT};
pub use workspace::Workspace;

use crate::side::Side;
use command::Git;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Largest file that [`Repository::read_file`] returns, in bytes.
pub const READ_LIMIT: u64 = 1 << 20;

/// Why git could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git said no.
    #[error("{what} failed: `{command}` ended with {status}: {stderr}")]
    Failed {
        /// What it was for.
        what: String,
        /// The command line; it never holds credentials.
        command: String,
        /// Its exit code.
        status: i32,
        /// What it printed.
        stderr: String,
    },
    /// A folder that belongs to no repository.
    #[error("{path} is not in a git repository: run bench-bot inside a clone, or name one with `--repository`")]
    NoRepository {
        /// The folder.
        path: String,
    },
    /// A name that means nothing.
    #[error("{reference:?} names no commit in {place}{hint}")]
    NotFound {
        /// The name.
        reference: String,
        /// Where it was looked for.
        place: String,
        /// What to do, starting with a colon; may be empty.
        hint: String,
    },
    /// Two commits without a common ancestor.
    #[error("{base} and {head} have no common ancestor{hint}: name a base commit explicitly (`--base`)")]
    Unrelated {
        /// The one.
        base: String,
        /// The other.
        head: String,
        /// Why that may be; may be empty.
        hint: String,
    },
    /// Something that could be dangerous or is beyond a limit.
    #[error("{what} is refused: {reason}")]
    Refused {
        /// What.
        what: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The disk of the temporary folder is full.
    #[error("only {free} MiB are free in {}: make room, or name a folder on a larger disk with `TMPDIR`", folder.display())]
    Full {
        /// Where.
        folder: PathBuf,
        /// What is left, in MiB.
        free: u64,
    },
    /// A stop signal arrived.
    #[error("stopped by signal {0}")]
    Interrupted(i32),
    /// The machine said no.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
}

/// Where a repository's content comes from.
#[derive(Debug, Clone)]
enum Source {
    /// A clone of the user.
    Clone(clone::Clone),
    /// A server.
    Remote {
        /// Its address, without credentials.
        url: String,
    },
}

/// A bare repository of ours, with the objects of a user's clone or of a server.
#[derive(Debug)]
pub struct Repository {
    git: Git,
    bare: PathBuf,
    source: Source,
}

/// A branch that others are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultBranch {
    /// Its short name, such as `main` or `origin/main`.
    pub name: String,
    /// The commit at its tip.
    pub sha: String,
}

/// Whether `text` is a full commit id: 40 or 64 lower-case hexadecimal digits.
#[must_use]
pub fn is_sha(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl Repository {
    /// Where the content comes from, for messages: a path or an address.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.source {
            Source::Clone(clone) => clone.path.display().to_string(),
            Source::Remote { url } => url.clone(),
        }
    }

    /// The commit that a branch, tag, commit id or expression (`HEAD~3`, in a clone) names.
    ///
    /// In a clone, a name that is no local one is also looked for among the remote's branches. On a server, a name that
    /// is both a branch and a tag must be written out (`refs/heads/…`).
    ///
    /// # Errors
    /// [`GitError::NotFound`] when it names no commit.
    pub fn resolve(&self, reference: &str) -> Result<String, GitError> {
        if reference.is_empty() || reference.chars().any(char::is_control) {
            return Err(self.not_found(reference, ""));
        }
        match &self.source {
            Source::Clone(clone) => self.resolve_in_clone(clone, reference),
            Source::Remote { url } => self.resolve_on_server(url, reference),
        }
    }

    /// The branch that pull requests usually go to, if it can be told.
    ///
    /// # Errors
    /// When git fails or a server does not answer.
    pub fn default_branch(&self) -> Result<Option<DefaultBranch>, GitError> {
        match &self.source {
            Source::Clone(clone) => self.default_branch_of_clone(clone),
            Source::Remote { url } => self.default_branch_of_server(url),
        }
    }

    /// The best common ancestor of two commits.
    ///
    /// From a server, history is fetched as far as needed.
    ///
    /// # Errors
    /// [`GitError::Unrelated`] when there is none.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<String, GitError> {
        if let Source::Remote { url } = &self.source {
            return self.merge_base_on_server(url, one, other);
        }
        let hint = if self.is_shallow() { " in this shallow clone (`git fetch --unshallow` completes it)" } else { "" };
        self.local_merge_base(one, other)?.ok_or_else(|| GitError::Unrelated {
            base: one.to_owned(),
            head: other.to_owned(),
            hint: hint.to_owned(),
        })
    }

    fn local_merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let what = "finding the merge base";
        let output = self.git.at(&self.bare).args(["merge-base", "--end-of-options", one, other]).output(what)?;
        match output.status {
            Ok(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())),
            Ok(1) => Ok(None),
            Ok(status) | Err(status) => Err(GitError::Failed {
                what: what.to_owned(),
                command: format!("git merge-base {one} {other}"),
                status,
                stderr: output.stderr,
            }),
        }
    }

    /// How many commits of `target` the commit `base` does not have.
    ///
    /// # Errors
    /// When a commit is missing.
    pub fn behind(&self, base: &str, target: &str) -> Result<u64, GitError> {
        let range = format!("{base}..{target}");
        let call = self.git.at(&self.bare).args(["rev-list", "--count", "--end-of-options", &range]);
        let count = call.line("counting commits")?;
        count
            .parse()
            .map_err(|error| GitError::Io { what: "counting commits".to_owned(), source: std::io::Error::other(error) })
    }

    /// First line of a commit's message. Unescaped.
    ///
    /// # Errors
    /// When the commit is missing.
    pub fn subject(&self, sha: &str) -> Result<String, GitError> {
        self.git.at(&self.bare).args(["show", "-s", "--format=%s", "--end-of-options", sha]).line("reading a commit")
    }

    /// Paths whose content differs between two commits, sorted by bytes. Names that are not UTF-8 are shown with
    /// replacement characters. Unescaped.
    ///
    /// # Errors
    /// When a commit is missing.
    pub fn changed_paths(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let paths = self.compare(from, to, &[])?;
        Ok(paths.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    fn compare(&self, from: &str, to: &str, which: &[&str]) -> Result<Vec<PathBuf>, GitError> {
        let options = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let call = self.git.at(&self.bare).args(options).args(which).args(["--end-of-options", from, to]);
        let text = call.run("comparing two commits")?;
        let paths = text.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect())
    }

    /// A regular file of a commit; `None` if there is none at `path`.
    ///
    /// # Errors
    /// When it is a link, larger than [`READ_LIMIT`], or the commit is missing.
    pub fn read_file(&self, sha: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let entries = self.entries(sha, &[path])?;
        let Some(entry) = entries.iter().find(|entry| entry.path == path.as_bytes()) else { return Ok(None) };
        let refused = |reason: &str| GitError::Refused { what: format!("{path} of {sha}"), reason: reason.to_owned() };
        if !entry.mode.starts_with("100") {
            return Err(refused("it is not a regular file"));
        }
        if entry.size.is_none_or(|size| size > READ_LIMIT) {
            return Err(refused("it is larger than 1 MiB"));
        }
        self.blob(&entry.oid).map(Some)
    }

    fn blob(&self, oid: &str) -> Result<Vec<u8>, GitError> {
        self.git.at(&self.bare).args(["cat-file", "blob", oid]).run("reading a file")
    }

    fn is_shallow(&self) -> bool {
        std::fs::metadata(self.bare.join("shallow")).is_ok_and(|metadata| metadata.len() > 0)
    }

    fn not_found(&self, reference: &str, hint: &str) -> GitError {
        GitError::NotFound { reference: reference.to_owned(), place: self.place(), hint: hint.to_owned() }
    }

    /// Makes a name of ours for a commit, so that it can be fetched and is kept.
    fn keep(&self, name: &str, sha: &str) -> Result<String, GitError> {
        let reference = format!("refs/bench-bot/{name}");
        self.git.at(&self.bare).args(["update-ref", "--end-of-options", &reference, sha]).run("keeping a commit")?;
        Ok(reference)
    }
}

/// The name of ours for the user's working tree.
const SNAPSHOT: &str = "snapshot";

/// The name of ours for a side's commit.
fn side_reference(side: Side) -> String {
    format!("pinned-{side}")
}

#[cfg(test)]
mod tests;
