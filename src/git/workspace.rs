//! A private folder that is gone when its run is: after success, failure and signals by its guard, after a kill by the
//! next run.

use super::GitError;
use crate::measure::process::remove_tree;
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What every such folder's name begins with.
const PREFIX: &str = "bench-bot-run-";
/// What a folder is called until its lock is held.
const NEW: &str = "bench-bot-new-";
/// Less free space than this has no room for two checkouts of anything.
const LEAST: u64 = 64 << 20;
/// A folder whose making was interrupted is removed after this time.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// The folder of one run, mode 0700; removed when dropped.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    /// The kernel lets go of it with the process, however that ends.
    _lock: Flock<File>,
}

impl Workspace {
    /// Makes a folder below `parent` (usually the system's temporary folder) and removes those of dead runs.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn create(parent: &Path) -> Result<Self, GitError> {
        let io = |source| GitError::Io {
            what: format!("making a private folder in {} (`TMPDIR` names another place)", parent.display()),
            source,
        };
        let parent = fs::canonicalize(parent).map_err(io)?;
        if let Some(free) = free_bytes(&parent).filter(|free| *free < LEAST) {
            return Err(GitError::Full { folder: parent, free: free >> 20 });
        }
        remove_stale(&parent);
        let made = tempfile::Builder::new().prefix(NEW).permissions(Permissions::from_mode(0o700)).tempdir_in(&parent);
        let made = made.map_err(io)?;
        let lock = File::create(made.path().join("lock")).map_err(io)?;
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| io(error.into()))?;
        let made = made.keep();
        let suffix = made.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix(NEW));
        let root = parent.join(format!("{PREFIX}{}", suffix.unwrap_or("x")));
        fs::rename(&made, &root).map_err(io)?;
        Ok(Self { root, _lock: lock })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Makes a folder inside, mode 0700.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, GitError> {
        let path = self.root.join(name);
        fs::create_dir_all(&path)
            .map_err(|source| GitError::Io { what: format!("making {}", path.display()), source })?;
        Ok(path)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if let Err(error) = remove_tree(&self.root) {
            tracing::warn!("{} could not be removed: {error}", self.root.display());
        }
    }
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let status = nix::sys::statvfs::statvfs(folder).ok()?;
    Some(status.blocks_available().saturating_mul(status.fragment_size()))
}

/// Removes folders whose owner is dead: its lock can be had.
fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX) || name.starts_with(NEW)) else {
            continue;
        };
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if !metadata.is_dir() || metadata.uid() != nix::unistd::geteuid().as_raw() {
            continue;
        }
        let age = metadata.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        if name.starts_with(NEW) && age.is_none_or(|age| age < ABANDONED) {
            continue;
        }
        let lock = File::open(path.join("lock")).ok().map(|file| Flock::lock(file, FlockArg::LockExclusiveNonblock));
        if matches!(lock, Some(Err(_))) {
            continue;
        }
        tracing::info!("removing {}, left by a run that was killed", path.display());
        if let Err(error) = remove_tree(&path) {
            tracing::warn!("{} could not be removed: {error}", path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lives_as_long_as_its_guard() {
        let parent = tempfile::tempdir().expect("temp");
        let work = Workspace::create(parent.path()).expect("made");
        let path = work.path().to_owned();
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o700);
        let second = Workspace::create(parent.path()).expect("made");
        assert!(path.exists(), "a living run's folder is left alone");
        drop(work);
        assert!(!path.exists() && second.path().exists());
    }

    #[test]
    fn the_folder_of_a_killed_run_is_removed_by_the_next() {
        let parent = tempfile::tempdir().expect("temp");
        let stale = parent.path().join("bench-bot-run-dead");
        fs::create_dir_all(stale.join("tree/base")).expect("folders");
        File::create(stale.join("lock")).expect("unlocked");
        let other = parent.path().join("bench-bot-results");
        fs::create_dir(&other).expect("folder");
        std::os::unix::fs::symlink(&other, parent.path().join("bench-bot-run-link")).expect("link");
        let _work = Workspace::create(parent.path()).expect("made");
        assert!(!stale.exists() && other.exists());
    }
}
