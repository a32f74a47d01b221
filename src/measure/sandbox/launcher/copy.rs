//! Copying a side's caches for the other side, and emptying a side's folders at the end: as the suite's user, in a
//! container, since the folders are foreign code's.

use crate::measure::process::remove_tree;
use anyhow::{Context, Result, ensure};
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::ExitCode;

/// Deeper folders are not copied.
const DEPTH_LIMIT: u32 = 64;

/// Copies what `to` does not have yet.
pub(super) fn main(from: &Path, to: &Path) -> ExitCode {
    let copied = [from, to].into_iter().try_for_each(is_folder).and_then(|()| folder(from, to, 0));
    report(copied.with_context(|| format!("copying {}", from.display())))
}

/// Empties folders.
pub(super) fn wipe(folders: &[&str]) -> ExitCode {
    report(folders.iter().try_for_each(|folder| {
        for entry in fs::read_dir(folder).with_context(|| format!("opening {folder}"))? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() { remove_tree(&path) } else { fs::remove_file(&path) }
                .with_context(|| format!("deleting {}", path.display()))?;
        }
        Ok(())
    }))
}

fn report(done: Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A link could lead to anything in this container, which is not what was asked for.
fn is_folder(path: &Path) -> Result<()> {
    let found = fs::symlink_metadata(path).with_context(|| format!("looking at {}", path.display()))?;
    ensure!(!found.is_symlink(), "{} is a symbolic link", path.display());
    ensure!(found.is_dir(), "{} is no folder", path.display());
    Ok(())
}

/// A folder with everything in it that is a file, a folder or a link.
fn folder(from: &Path, to: &Path, depth: u32) -> Result<()> {
    ensure!(depth < DEPTH_LIMIT, "{} is deeper than {DEPTH_LIMIT} folders", from.display());
    let mode = fs::symlink_metadata(from)?.mode() & 0o777;
    // A module cache has read-only folders: written with the right to write, and closed afterwards.
    match DirBuilder::new().mode(0o700).create(to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::set_permissions(to, Permissions::from_mode(mode | 0o700))?;
        }
        made => made.with_context(|| format!("making {}", to.display()))?,
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target, kind) = (entry.path(), to.join(entry.file_name()), entry.file_type()?);
        if kind.is_dir() {
            folder(&source, &target, depth + 1)?;
            continue;
        }
        if fs::symlink_metadata(&target).is_ok() {
            continue;
        }
        if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target).with_context(|| format!("copying {}", source.display()))?;
        }
    }
    fs::set_permissions(to, Permissions::from_mode(mode))?;
    Ok(())
}
