//! Compiler caches that one side may begin with.
//!
//! Base's setup runs first and fills its caches; head begins with a copy. These caches are addressed by content, so a copy
//! saves compiling the standard library twice and cannot give head anything that its own sources do not ask for. Nothing
//! goes the other way.

use super::SideFolders;
use std::fs;
use std::io;
use std::path::Path;

/// Folders below a side's private one.
const COPIED: [&str; 2] = ["go-build", "ccache"];

/// Copies base's caches for head, where head has none yet.
///
/// # Errors
/// When a copy fails; what was copied until then is complete files, which do no harm.
pub(super) fn hand_on(base: &SideFolders, head: &SideFolders) -> io::Result<()> {
    for name in COPIED {
        let (from, to) = (base.private.join(name), head.private.join(name));
        if from.is_dir() && !to.exists() {
            copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Regular files and folders only: a link could lead anywhere.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
