//! Folders of a run, before any container sees them: made by us, handed to the suite's user, named as the engine's host
//! names them.

use super::engine::Engine;
use super::environment::FOLDERS;
use super::{Limits, Options};
use crate::measure::process::SideFolders;
use crate::side::PerSide;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

/// Who runs commands if the workspace belongs to root.
const SOMEBODY: (u32, u32) = (1001, 1001);
/// Space that is kept for results, in bytes.
const RESERVE: i64 = 128 << 20;

/// Paths on the engine's host, and what is watched here.
pub(super) struct Places {
    /// Our static program.
    pub(super) launcher: PathBuf,
    /// The sides' folders.
    pub(super) sides: PerSide<SideFolders>,
    watched: Vec<PathBuf>,
    reserve: PathBuf,
}

impl Places {
    /// Puts the launcher where the engine sees it, makes the private folders, and hands trees and folders over.
    pub(super) fn make(engine: &Engine, options: &Options<'_>) -> Result<Self> {
        let (uid, gid) = options.owner;
        ensure!(uid != 0 && gid != 0, "commands in a sandbox never run as root");
        let program = options.launcher.clone().unwrap_or_else(|| "/proc/self/exe".into());
        let folder = options.work.join("launcher");
        let launcher = folder.join("bench-bot");
        fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
        ensure_static(&program)?;
        // Beside its place first: another run's containers may be running what is there.
        let copy = folder.join("bench-bot.new");
        fs::copy(&program, &copy).context("copying this program for the sandbox")?;
        fs::set_permissions(&copy, Permissions::from_mode(0o755))?;
        fs::rename(&copy, &launcher).context("putting the copy of this program in its place")?;
        for (folders, _) in [(&options.folders.base, "base"), (&options.folders.head, "head")] {
            for name in FOLDERS {
                let path = folders.private.join(name);
                fs::create_dir_all(&path).with_context(|| format!("making {}", path.display()))?;
            }
            for folder in [&folders.tree, &folders.private] {
                ensure!(folder.starts_with(options.work), "{} is not in the run's folder", folder.display());
                fs::set_permissions(folder, Permissions::from_mode(0o700))?;
                give(folder, uid, gid)?;
            }
        }
        let reserve = options.work.join("reserve");
        let watched = vec![options.work.to_owned(), PathBuf::from("/")];
        let on_host = |path: &Path| engine.host_path(path);
        let sides = |folders: &SideFolders| -> Result<SideFolders> {
            Ok(SideFolders { tree: on_host(&folders.tree)?, private: on_host(&folders.private)? })
        };
        let places = Self {
            launcher: on_host(&launcher)?,
            sides: PerSide { base: sides(&options.folders.base)?, head: sides(&options.folders.head)? },
            watched,
            reserve,
        };
        places.check(&options.limits)?;
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&places.reserve)?;
        nix::fcntl::posix_fallocate(&file, 0, RESERVE).context("reserving space for the results")?;
        Ok(places)
    }

    /// Whether there is room on every disk that a sandbox can fill.
    ///
    /// # Errors
    /// With the folder and what is left.
    pub(super) fn check(&self, limits: &Limits) -> Result<()> {
        for folder in &self.watched {
            let found = nix::sys::statvfs::statvfs(folder)?;
            let free = found.blocks_available().saturating_mul(found.fragment_size());
            ensure!(
                free >= limits.disk,
                "only {} MiB are free at {}, and {} are needed: the run stops before the disk is full",
                free >> 20,
                folder.display(),
                limits.disk >> 20
            );
        }
        Ok(())
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.reserve);
    }
}

/// User and group of a workspace, which a sandbox's commands run as; somebody else where that is root.
///
/// # Errors
/// When the folder cannot be looked at.
pub fn owner(workspace: &Path) -> std::io::Result<(u32, u32)> {
    let found = fs::metadata(workspace)?;
    let group = if found.gid() == 0 { SOMEBODY.1 } else { found.gid() };
    Ok(if found.uid() == 0 { SOMEBODY } else { (found.uid(), group) })
}

/// Hands a folder with everything in it to a user. Follows no link; nothing foreign runs yet.
fn give(path: &Path, uid: u32, gid: u32) -> Result<()> {
    let found = fs::symlink_metadata(path).with_context(|| format!("looking at {}", path.display()))?;
    if (found.uid(), found.gid()) != (uid, gid) {
        lchown(path, Some(uid), Some(gid)).with_context(|| format!("giving {} to user {uid}", path.display()))?;
    }
    if found.is_dir() {
        for entry in fs::read_dir(path).with_context(|| format!("opening {}", path.display()))? {
            give(&entry?.path(), uid, gid)?;
        }
    }
    Ok(())
}

/// Only a program without an interpreter runs in an image of any distribution.
fn ensure_static(program: &Path) -> Result<()> {
    if has_interpreter(program).with_context(|| format!("looking at {}", program.display()))? {
        bail!(
            "this build of bench-bot is dynamically linked, and its launcher must run in any image: use a released \
             binary, or build one with `-C target-feature=+crt-static`"
        );
    }
    Ok(())
}

/// Whether an ELF file of this machine's word size has a program header of type `PT_INTERP`.
fn has_interpreter(program: &Path) -> Result<bool> {
    let mut bytes = Vec::new();
    File::open(program)?.take(1 << 16).read_to_end(&mut bytes)?;
    ensure!(bytes.starts_with(b"\x7fELF\x02\x01"), "it is no 64-bit little-endian ELF file");
    let number = |at: usize, length: usize| -> Option<usize> {
        let mut value = [0; 8];
        value[..length].copy_from_slice(bytes.get(at..at + length)?);
        usize::try_from(u64::from_le_bytes(value)).ok()
    };
    let header = || Some((number(32, 8)?, number(54, 2)?, number(56, 2)?));
    let (table, size, count) = header().context("it ends early")?;
    Ok((0..count).any(|index| number(table + index * size, 4) == Some(3)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_is_told_from_a_static_one() {
        let own = std::env::current_exe().unwrap();
        assert!(has_interpreter(&own).unwrap(), "test programs are linked dynamically");
        let text = tempfile::NamedTempFile::new().unwrap();
        fs::write(text.path(), "#!/bin/sh\n").unwrap();
        assert!(has_interpreter(text.path()).is_err());
    }

    #[test]
    fn commands_never_run_as_root() {
        let temp = tempfile::tempdir().unwrap();
        let (uid, gid) = owner(temp.path()).unwrap();
        assert!(uid != 0 && gid != 0);
    }
}
