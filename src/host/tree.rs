//! Where the host's files are, and how they are read and written.

use nix::errno::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// No file that is read here is larger: `/proc/cpuinfo` of a machine with 1,000 CPUs has about 2 MiB.
const LONGEST: u64 = 8 << 20;

/// The trees that stand for the host: the running kernel's own, or a copy of them, or mounts of them elsewhere.
///
/// Files are named by one path whose first part chooses the tree: `sys/devices/…`, `proc/sys/…`, and everything else,
/// such as `etc/os-release`, is below [`Roots::root`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roots {
    /// What is `/sys` on the host.
    pub sys: PathBuf,
    /// What is `/proc` on the host.
    pub proc: PathBuf,
    /// What is `/` on the host.
    pub root: PathBuf,
    /// Whether these are the running kernel's own trees. Only then is the CPU itself asked (CPUID), and only then is
    /// there a point in watching interrupt counters for a second.
    pub live: bool,
}

impl Default for Roots {
    fn default() -> Self {
        Self::live()
    }
}

impl Roots {
    /// The running kernel's own trees.
    #[must_use]
    pub fn live() -> Self {
        Self { sys: "/sys".into(), proc: "/proc".into(), root: "/".into(), live: true }
    }

    /// Trees below `dir`: `dir/sys`, `dir/proc`, and `dir` for the rest.
    pub fn under(dir: impl AsRef<Path>) -> Self {
        let dir = dir.as_ref();
        Self { sys: dir.join("sys"), proc: dir.join("proc"), root: dir.to_owned(), live: false }
    }

    /// Where `file` is.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        match file.split_once('/') {
            Some(("sys", rest)) => self.sys.join(rest),
            Some(("proc", rest)) => self.proc.join(rest),
            _ => self.root.join(file),
        }
    }

    /// The file's text without surrounding white space; `None` where it is absent, unreadable or not UTF-8.
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        read_trimmed(&self.path(file)).ok()
    }

    /// The file's text as a number.
    pub(crate) fn number<T: std::str::FromStr>(&self, file: &str) -> Option<T> {
        self.text(file)?.parse().ok()
    }

    /// Whether there is such a file or folder.
    pub(crate) fn exists(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    /// The numbers `N` of the entries `prefixN` of a folder, in rising order.
    pub(crate) fn numbered(&self, folder: &str, prefix: &str) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut numbers: Vec<u32> =
            entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// Files that hold one setting each. The kernel couples some of them; tests stand in for it.
pub(crate) trait Store {
    /// The file's text, trimmed.
    fn read(&self, file: &str) -> io::Result<String>;
    /// Writes a whole new text into a file that exists.
    fn write(&self, file: &str, text: &str) -> io::Result<()>;
    /// Whether a write would be let through to the file at all; changes nothing.
    fn may_write(&self, file: &str) -> io::Result<()>;
}

impl Store for Roots {
    fn read(&self, file: &str) -> io::Result<String> {
        read_trimmed(&self.path(file))
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        // Never creates: an absent setting stays absent. One write call: that is what the kernel takes as one value.
        let mut open = OpenOptions::new().write(true).truncate(true).open(self.path(file))?;
        open.write_all(format!("{text}\n").as_bytes())
    }

    fn may_write(&self, file: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.path(file)).map(drop)
    }
}

fn read_trimmed(path: &Path) -> io::Result<String> {
    // Files of the kernel have no size to ask for, and each further read makes it write the text anew.
    let mut bytes = Vec::with_capacity(16 << 10);
    fs::File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    Ok(text.trim().to_owned())
}

/// The error's name, such as `EACCES`, which says more than its message and is the same in every language.
pub(crate) fn errno(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), |raw| format!("{:?}", Errno::from_raw(raw)))
}
