//! Files of one side's commit put into the other side's checkout.

use super::checkout::make_way;
use super::tree::{Entry, placed};
use super::{Checkouts, GitError, Repository};
use crate::config::Overlay;
use crate::side::PerSide;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

impl Repository {
    /// Carries out a suite's overlay and returns the paths that were written.
    ///
    /// The files come from the commit, not from the other checkout, in which nothing may be read any more once foreign
    /// code has run there.
    ///
    /// # Errors
    /// When a path is not in the commit it should come from, or cannot be written.
    pub fn overlay(
        &self,
        checkouts: &Checkouts,
        commits: PerSide<&str>,
        overlay: &Overlay,
    ) -> Result<Vec<String>, GitError> {
        let sha = *commits.get(overlay.from);
        let tree = &checkouts.folders.get(overlay.to).tree;
        let mut written = Vec::new();
        for path in &overlay.paths {
            placed(path)?;
            let entries = self.entries(sha, &[path.trim_end_matches('/')])?;
            if entries.is_empty() {
                return Err(GitError::Refused {
                    what: format!("the overlay of {path} from {} to {}", overlay.from, overlay.to),
                    reason: format!("{} ({sha}) has no such file or folder", overlay.from),
                });
            }
            for entry in &entries {
                self.write_entry(tree, entry)?;
                written.push(String::from_utf8_lossy(&entry.path).into_owned());
            }
        }
        Ok(written)
    }

    fn write_entry(&self, tree: &Path, entry: &Entry) -> Result<(), GitError> {
        let relative = Path::new(OsStr::from_bytes(&entry.path));
        let shown = relative.display().to_string();
        if entry.mode == "160000" {
            let reason = "it is a submodule".to_owned();
            return Err(GitError::Refused { what: format!("the overlay of {shown}"), reason });
        }
        make_way(tree, relative)?;
        let target = tree.join(relative);
        let content = self.blob(&entry.oid)?;
        let write = || {
            match fs::remove_file(&target) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            if entry.mode == "120000" {
                return symlink(OsStr::from_bytes(&content), &target);
            }
            fs::write(&target, &content)?;
            let mode = if entry.mode == "100755" { 0o755 } else { 0o644 };
            fs::set_permissions(&target, Permissions::from_mode(mode))
        };
        write().map_err(|source| GitError::Io { what: format!("putting {shown} into a checkout"), source })
    }
}
