//! Files of a tree in which foreign code has run: opened without following a link, and never waited for.

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fstat};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// Largest file that is read, in bytes.
pub(crate) const FILE_LIMIT: u64 = 64 << 20;
/// Largest number of files read after one command.
pub(crate) const COUNT_LIMIT: usize = 10_000;
/// Deepest folder that is read, counted from the collected path.
pub(crate) const DEPTH_LIMIT: usize = 16;
/// Most bytes read after one command.
pub(crate) const TOTAL_LIMIT: u64 = 256 << 20;

/// A folder of a tree, opened component by component without following a link.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

const FOLDER: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC).union(OFlag::O_NONBLOCK);

/// The plain names of a relative path; `None` if it is absolute, climbs, or is not UTF-8.
fn names(path: &str) -> Option<Vec<&str>> {
    Path::new(path)
        .components()
        .filter(|component| *component != Component::CurDir)
        .map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect()
}

fn leaves(path: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{path} leaves the tree"))
}

fn explain(error: nix::errno::Errno, name: &str) -> io::Error {
    let error = io::Error::from(error);
    match error.raw_os_error() {
        // What O_NOFOLLOW says of a link, alone and together with O_DIRECTORY.
        Some(nix::libc::ELOOP) => io::Error::other(format!("{name} is a symbolic link")),
        Some(nix::libc::ENOTDIR) => io::Error::other(format!("{name} is a symbolic link or no folder")),
        _ => error,
    }
}

impl Folder {
    /// Opens `relative` below `root`.
    ///
    /// # Errors
    /// When it does not exist, a component is a link or no folder, or the path leaves the root.
    pub(crate) fn open(root: &Path, relative: &str) -> io::Result<Self> {
        let mut fd: OwnedFd = nix::fcntl::open(root, FOLDER, Mode::empty()).map_err(io::Error::from)?;
        for name in names(relative).ok_or_else(|| leaves(relative))? {
            fd = openat(&fd, name, FOLDER, Mode::empty()).map_err(|error| explain(error, name))?;
        }
        Ok(Self(fd))
    }

    /// A path to this very folder that no rename can bend, as long as it is open.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    /// Opens the folder that holds `path`, and gives the last name.
    fn parent<'p>(&self, path: &'p str) -> io::Result<(Self, &'p str)> {
        let mut parts = names(path).ok_or_else(|| leaves(path))?;
        let last = parts.pop().ok_or_else(|| leaves(path))?;
        let mut fd = self.0.try_clone()?;
        for name in parts {
            fd = openat(&fd, name, FOLDER, Mode::empty()).map_err(|error| explain(error, name))?;
        }
        Ok((Self(fd), last))
    }

    /// Deletes a file, link or folder if it exists. A link is deleted, never what it points to.
    ///
    /// # Errors
    /// When something is there and cannot be deleted: a stale artefact must not be measured.
    pub(crate) fn remove(&self, path: &str) -> io::Result<()> {
        let (folder, name) = match self.parent(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let target = folder.path().join(name);
        match fs::symlink_metadata(&target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(metadata) if metadata.is_dir() => super::remove_tree(&target),
            Ok(_) => fs::remove_file(&target),
        }
    }

    /// Whether a regular file or folder is at `path`, and if not, why not.
    pub(crate) fn missing(&self, path: &str) -> Option<String> {
        let found = self.parent(path).and_then(|(folder, name)| fs::symlink_metadata(folder.path().join(name)));
        let metadata = match found {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(path.to_owned()),
            Err(error) => return Some(format!("{path} ({error})")),
        };
        if metadata.is_dir() {
            return None;
        }
        if !metadata.is_file() {
            return Some(format!("{path} (not a regular file)"));
        }
        let pointer = metadata.len() < 1024
            && self.read(path, FILE_LIMIT).is_ok_and(|b| b.starts_with(b"version https://git-lfs.github.com/spec/"));
        pointer.then(|| format!("{path} (a Git LFS pointer without its content: set `checkout: {{lfs: true}}`)"))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let (folder, name) = self.parent(path)?;
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC | OFlag::O_NOCTTY;
        let fd = openat(&folder.0, name, flags, Mode::empty()).map_err(|error| explain(error, name))?;
        let status = fstat(fd.as_fd())?;
        if SFlag::from_bits_truncate(status.st_mode) & SFlag::S_IFMT != SFlag::S_IFREG {
            return Err(io::Error::other("not a regular file"));
        }
        let mut bytes = Vec::new();
        File::from(fd).take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::other(format!("larger than {} MiB", limit >> 20)));
        }
        Ok(bytes)
    }

    /// Reads `paths`: files, or folders with all regular files in them.
    ///
    /// A path that does not exist is left out silently (the caller sees that); whatever is refused is a note.
    pub(crate) fn collect(&self, paths: &[String]) -> Collected {
        let mut collected = Collected { files: BTreeMap::new(), notes: Vec::new(), room: TOTAL_LIMIT };
        for path in paths {
            self.collect_one(path, 0, &mut collected);
        }
        collected
    }

    fn collect_one(&self, path: &str, depth: usize, into: &mut Collected) {
        if into.files.len() >= COUNT_LIMIT || into.room == 0 {
            return into.note_once(format!(
                "more than {COUNT_LIMIT} files or {} MiB: the rest was not read",
                TOTAL_LIMIT >> 20
            ));
        }
        let found = self.parent(path).and_then(|(folder, name)| fs::symlink_metadata(folder.path().join(name)));
        let refused = match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => error.to_string(),
            Ok(metadata) if metadata.is_dir() && depth < DEPTH_LIMIT => {
                return self.collect_folder(path, depth, into);
            }
            Ok(metadata) if metadata.is_dir() => format!("deeper than {DEPTH_LIMIT} folders"),
            Ok(metadata) if metadata.is_symlink() => "a symbolic link".to_owned(),
            Ok(metadata) if !metadata.is_file() => "not a regular file".to_owned(),
            Ok(_) => match self.read(path, FILE_LIMIT.min(into.room)) {
                Ok(bytes) => {
                    into.room -= bytes.len() as u64;
                    into.files.insert(path.to_owned(), bytes);
                    return;
                }
                Err(error) => error.to_string(),
            },
        };
        into.note_once(format!("{path} was not read: {refused}"));
    }

    fn collect_folder(&self, path: &str, depth: usize, into: &mut Collected) {
        let listed = self.parent(path).and_then(|(folder, name)| {
            let open = openat(&folder.0, name, FOLDER, Mode::empty()).map_err(|error| explain(error, name))?;
            let open = Self(open);
            let mut names = Vec::new();
            for entry in fs::read_dir(open.path())?.take(COUNT_LIMIT + 1) {
                names.push(entry?.file_name());
            }
            Ok(names)
        });
        match listed {
            Err(error) => into.note_once(format!("{path} was not read: {error}")),
            Ok(mut names) => {
                names.sort();
                for name in names {
                    match name.to_str() {
                        Some(name) => {
                            self.collect_one(&format!("{}/{name}", path.trim_end_matches('/')), depth + 1, into)
                        }
                        None => into.note_once(format!("a file in {path} was not read: its name is not UTF-8")),
                    }
                }
            }
        }
    }
}

/// What was read.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) notes: Vec<String>,
    room: u64,
}

impl Collected {
    /// Notes are for people: the same one once, and not thousands.
    fn note_once(&mut self, note: String) {
        if self.notes.len() < 20 && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn tree() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().expect("temp");
        let tree = temp.path().join("tree");
        fs::create_dir(&tree).expect("tree");
        fs::write(temp.path().join("secret"), "secret").expect("file");
        (temp, tree)
    }

    #[test]
    fn links_pipes_and_climbing_paths_are_not_read() {
        let (temp, tree) = tree();
        symlink(temp.path().join("secret"), tree.join("link.json")).expect("link");
        symlink(temp.path(), tree.join("folder")).expect("link");
        nix::unistd::mkfifo(&tree.join("fifo"), Mode::S_IRWXU).expect("fifo");
        fs::write(tree.join("good"), "1").expect("file");
        let folder = Folder::open(&tree, "").expect("tree");
        let wanted = ["link.json", "folder/secret", "fifo", "../secret", "good", "absent"].map(str::to_owned);
        let collected = folder.collect(&wanted);
        assert_eq!(collected.files.keys().collect::<Vec<_>>(), ["good"]);
        assert_eq!(collected.notes.len(), 4, "{:?}", collected.notes);
        assert!(collected.notes[0].contains("link.json") && collected.notes[0].contains("symbolic link"));
        assert!(collected.notes[3].contains("leaves the tree"));
    }

    #[test]
    fn a_folder_gives_its_regular_files() {
        let (_temp, tree) = tree();
        fs::create_dir_all(tree.join("out/a/b")).expect("folders");
        fs::write(tree.join("out/a/b/x.json"), "x").expect("file");
        fs::write(tree.join("out/y.json"), "y").expect("file");
        symlink("/etc", tree.join("out/etc")).expect("link");
        let collected = Folder::open(&tree, ".").expect("tree").collect(&["out".to_owned()]);
        assert_eq!(collected.files.keys().collect::<Vec<_>>(), ["out/a/b/x.json", "out/y.json"]);
        assert_eq!(collected.notes.len(), 1);
    }

    #[test]
    fn a_sparse_giant_is_refused_without_reading_it_whole() {
        let (_temp, tree) = tree();
        File::create(tree.join("big")).expect("file").set_len(10 << 30).expect("sparse");
        let collected = Folder::open(&tree, "").expect("tree").collect(&["big".to_owned()]);
        assert!(collected.files.is_empty());
        assert!(collected.notes[0].contains("larger than 64 MiB"), "{:?}", collected.notes);
    }

    #[test]
    fn removing_deletes_the_link_and_not_its_target() {
        let (temp, tree) = tree();
        symlink(temp.path().join("secret"), tree.join("out")).expect("link");
        symlink(temp.path(), tree.join("up")).expect("link");
        fs::create_dir_all(tree.join("dir/deep")).expect("folders");
        let folder = Folder::open(&tree, "").expect("tree");
        folder.remove("out").expect("link removed");
        folder.remove("dir").expect("folder removed");
        folder.remove("absent/too").expect("nothing to remove");
        assert!(folder.remove("up/secret").is_err(), "a link on the way is refused");
        assert!(folder.remove("../secret").is_err());
        assert!(temp.path().join("secret").exists());
        assert!(!tree.join("dir").exists() && fs::symlink_metadata(tree.join("out")).is_err());
    }

    #[test]
    fn an_lfs_pointer_is_missing_content() {
        let (_temp, tree) = tree();
        fs::write(tree.join("data.gz"), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
            .expect("file");
        let folder = Folder::open(&tree, "").expect("tree");
        assert!(folder.missing("data.gz").is_some_and(|why| why.contains("LFS pointer")));
        assert_eq!(folder.missing("absent.gz"), Some("absent.gz".to_owned()));
    }
}
