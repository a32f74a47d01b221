//! A tree on disk, looked at with care: whoever wrote it may be hostile.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Most files that are looked at.
const MAX_FILES: usize = 50_000;

/// Deepest folder that is looked into.
const MAX_DEPTH: usize = 16;

/// Most bytes that are read of one file.
const MAX_BYTES: u64 = 1 << 20;

/// Folders whose content is somebody else's, generated, or test data.
const SKIPPED: &[&str] = &[
    "node_modules",
    "vendor",
    "third_party",
    "target",
    "testdata",
    "fixtures",
    "dist",
    "venv",
    "__pycache__",
    "site-packages",
];

/// The files of a tree.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
    files: Vec<String>,
    truncated: bool,
}

impl Tree {
    /// Lists the files below `root`. Symbolic links are neither followed nor listed.
    ///
    /// # Errors
    /// When `root` itself cannot be listed.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let mut tree = Self { root: root.to_owned(), files: Vec::new(), truncated: false };
        fs::read_dir(root)?;
        tree.walk("", 0);
        tree.files.sort();
        Ok(tree)
    }

    fn walk(&mut self, folder: &str, depth: usize) {
        // A folder that cannot be listed holds nothing for us.
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            if name.chars().any(char::is_control) {
                continue;
            }
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if kind.is_file() {
                if self.files.len() >= MAX_FILES {
                    self.truncated = true;
                    return;
                }
                self.files.push(path);
            } else if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                if depth >= MAX_DEPTH {
                    self.truncated = true;
                } else {
                    self.walk(&path, depth + 1);
                }
            }
        }
    }

    /// Whether there was more than is looked at.
    pub(super) const fn truncated(&self) -> bool {
        self.truncated
    }

    /// Every file, relative to the tree, sorted.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// The folders that hold a file called `name`, sorted; the tree itself is the empty string.
    pub(super) fn folders_with(&self, name: &str) -> Vec<&str> {
        let mut folders: Vec<_> = self.files().filter(|path| file_name(path) == name).map(parent).collect();
        folders.sort_unstable();
        folders
    }

    /// The files at or below `folder`.
    pub(super) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        self.files().filter(move |path| is_below(path, folder))
    }

    /// Whether the file is there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
    }

    /// The first mebibyte of a file of the tree; `None` if it is not one of its regular files or cannot be read.
    pub(super) fn read(&self, path: &str) -> Option<String> {
        if !self.has(path) {
            return None;
        }
        let flags = nix::fcntl::OFlag::O_NOFOLLOW | nix::fcntl::OFlag::O_NONBLOCK;
        let file = fs::OpenOptions::new().read(true).custom_flags(flags.bits()).open(self.root.join(path)).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text of the nearest file called `name` in `folder` or above it, with its path.
    pub(super) fn read_upwards(&self, folder: &str, name: &str) -> Option<(String, String)> {
        upwards(folder).find_map(|folder| {
            let path = join(folder, name);
            self.read(&path).map(|text| (path, text))
        })
    }
}

/// `folder` and the folders above it, up to the tree itself.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| parent(folder)))
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder of a path; the tree itself is the empty string.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `folder/name`.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether `path` lies in `folder` or below it.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// `path` as seen from `folder`, which it must lie below or be equal to.
pub(super) fn relative<'a>(path: &'a str, folder: &str) -> &'a str {
    path.strip_prefix(folder).map_or(path, |rest| rest.strip_prefix('/').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_pipes_and_foreign_folders_are_not_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for folder in ["a/b", "node_modules/x", ".git", "vendor/y"] {
            fs::create_dir_all(root.join(folder)).unwrap();
            fs::write(root.join(folder).join("go.mod"), "module x").unwrap();
        }
        fs::write(root.join(".python-version"), "3.12").unwrap();
        std::os::unix::fs::symlink("/etc", root.join("etc")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("package.json")).unwrap();
        nix::unistd::mkfifo(&root.join("Cargo.toml"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let tree = Tree::open(root).unwrap();
        assert_eq!(tree.files().collect::<Vec<_>>(), [".python-version", "a/b/go.mod"]);
        assert_eq!(tree.read("package.json"), None);
        assert_eq!(tree.read("Cargo.toml"), None);
        assert_eq!(tree.read("../x"), None);
        assert_eq!(tree.read_upwards("a/b", ".python-version").unwrap().1, "3.12");
    }

    #[test]
    fn a_file_that_became_a_link_after_the_walk_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("go.mod"), "module x").unwrap();
        let tree = Tree::open(dir.path()).unwrap();
        fs::remove_file(dir.path().join("go.mod")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("go.mod")).unwrap();
        assert_eq!(tree.read("go.mod"), None);
    }

    #[test]
    fn paths() {
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(relative("a/b/c", "a"), "b/c");
        assert_eq!(relative("a", "a"), "");
        assert_eq!(relative("a/b", ""), "a/b");
        assert!(is_below("a/b", "a") && !is_below("ab/c", "a") && is_below("x", ""));
    }
}
