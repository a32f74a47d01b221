//! What a commit holds, looked at before any of it is written.

use super::{GitError, Repository, is_sha};
use std::path::Path;

/// Most files of a tree.
pub const FILES_LIMIT: usize = 200_000;
/// Most bytes of a tree.
pub const BYTES_LIMIT: u64 = 5 << 30;

/// One entry of a commit's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// `100644`, `100755`, `120000` (link), `160000` (submodule).
    pub(super) mode: String,
    pub(super) oid: String,
    /// `None` for a submodule.
    pub(super) size: Option<u64>,
    pub(super) path: Vec<u8>,
}

impl Entry {
    /// The path, if it is UTF-8.
    pub(super) fn name(&self) -> Option<&str> {
        std::str::from_utf8(&self.path).ok()
    }
}

impl Repository {
    /// All entries of a commit, or those below `paths`.
    pub(super) fn entries(&self, sha: &str, paths: &[&str]) -> Result<Vec<Entry>, GitError> {
        if !is_sha(sha) {
            return Err(self.not_found(sha, ": a full commit id is needed"));
        }
        // No `--end-of-options` here: with it, `ls-tree` takes the `--` for a path.
        let call = self.git.at(&self.bare).args(["ls-tree", "-r", "-z", "--long", "--full-tree", sha, "--"]);
        let text = call.args(paths).run("listing a commit's files")?;
        text.split(|byte| *byte == 0).filter(|line| !line.is_empty()).map(entry).collect()
    }

    /// Refuses a commit that is too large or has names that could reach out of a checkout.
    pub(super) fn check_tree(&self, sha: &str) -> Result<Vec<Entry>, GitError> {
        let entries = self.entries(sha, &[])?;
        let refused = |reason: String| Err(GitError::Refused { what: format!("commit {sha}"), reason });
        if entries.len() > FILES_LIMIT {
            return refused(format!("it has {} files, more than {FILES_LIMIT}", entries.len()));
        }
        let bytes: u64 = entries.iter().filter_map(|entry| entry.size).fold(0, u64::saturating_add);
        if bytes > BYTES_LIMIT {
            return refused(format!("its files have {} MiB, more than {} MiB", bytes >> 20, BYTES_LIMIT >> 20));
        }
        for entry in &entries {
            if let Some(fault) = fault(&entry.path) {
                return refused(format!("the name {:?} {fault}", String::from_utf8_lossy(&entry.path)));
            }
        }
        Ok(entries)
    }
}

fn entry(line: &[u8]) -> Result<Entry, GitError> {
    let parse = || {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let head = std::str::from_utf8(&line[..tab]).ok()?;
        let mut fields = head.split_ascii_whitespace();
        let (mode, _kind, oid, size) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        Some(Entry {
            mode: mode.to_owned(),
            oid: oid.to_owned(),
            size: size.parse().ok(),
            path: line[tab + 1..].to_owned(),
        })
    };
    parse().ok_or_else(|| GitError::Refused {
        what: "git's listing".to_owned(),
        reason: format!("a line was not understood: {:?}", String::from_utf8_lossy(line)),
    })
}

/// What is wrong with a path, if anything.
fn fault(path: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(path);
    if text.chars().any(char::is_control) {
        return Some("has a control character");
    }
    text.split('/').find_map(|part| match part {
        "" | "." | ".." => Some("leads out of the checkout"),
        _ if is_dot_git(part) => Some("is git's own folder on some file system"),
        _ => None,
    })
}

/// `.git` as HFS+ (ignored code points, case) or NTFS (short name, trailing dots, streams) would read it.
fn is_dot_git(part: &str) -> bool {
    let ignored = |c: &char| matches!(*c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = part.chars().filter(|c| !ignored(c)).collect::<String>().to_ascii_lowercase();
    let name = name.split([':', '\\']).next().unwrap_or_default().trim_end_matches(['.', ' ']);
    matches!(name, ".git" | "git~1")
}

/// A relative path for something that is put into a checkout.
pub(super) fn placed(path: &str) -> Result<&Path, GitError> {
    let path = path.trim_end_matches('/');
    match fault(path.as_bytes()) {
        None if !path.is_empty() => Ok(Path::new(path)),
        fault => Err(GitError::Refused {
            what: format!("the path {path:?}"),
            reason: format!("it {}", fault.unwrap_or("is empty")),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn names_that_reach_out_are_refused() {
        for name in [
            ".git",
            "a/.GIT/config",
            "git~1/hooks",
            "a/../b",
            "/etc/passwd",
            ".g\u{200c}it/x",
            ".git./x",
            ".git /x",
            ".git::$INDEX_ALLOCATION/x",
            "a\nb",
            "a\u{1b}[0m",
            "a//b",
        ] {
            assert!(fault(name.as_bytes()).is_some(), "{name:?}");
        }
        for name in [".github/workflows/ci.yml", ".gitignore", "src/git.rs", "a b/ü.txt", "..x", "digit~1"] {
            assert_eq!(fault(name.as_bytes()), None, "{name:?}");
        }
    }
}
