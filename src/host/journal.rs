//! The write-ahead journal: what was read, on disk before anything is written, until it is put back.

use super::apply::{self, NotRestored};
use super::knob::{Knob, is_value};
use super::tree::{Roots, errno};
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const SCHEMA: u32 = 1;
const JOURNAL: &str = "journal.json";
const LOCK: &str = "lock";
/// 8,192 CPUs with every setting are far below this.
const LONGEST: u64 = 64 << 20;

/// Where the journal is kept, and which program guards it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalPlace {
    /// A folder of ours alone; made when it is missing.
    pub dir: PathBuf,
    /// bench-bot's own program, which is started again as the guardian.
    pub program: PathBuf,
}

impl JournalPlace {
    /// The usual place: `/run/bench-bot` for root, otherwise the user's runtime folder, otherwise a folder in `/tmp`
    /// that is used only if it belongs to the user alone.
    #[must_use]
    pub fn standard() -> Self {
        let user = nix::unistd::geteuid();
        let dir = if user.is_root() {
            "/run/bench-bot".into()
        } else {
            std::env::var_os("XDG_RUNTIME_DIR")
                .filter(|dir| !dir.is_empty())
                .map_or_else(|| format!("/tmp/bench-bot-{user}").into(), |dir| Path::new(&dir).join("bench-bot"))
        };
        Self::at(dir)
    }

    /// `dir`, guarded by the program that is running now.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        // Not the path it was started from: that file may be replaced while we run.
        Self { dir: dir.into(), program: "/proc/self/exe".into() }
    }

    /// Makes the folder and checks that nobody else can write to it.
    fn open(&self) -> io::Result<()> {
        let made = DirBuilder::new().mode(0o700).create(&self.dir);
        if let Err(error) = made
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        let found = fs::symlink_metadata(&self.dir)?;
        if !found.is_dir() || found.uid() != nix::unistd::geteuid().as_raw() || found.mode() & 0o022 != 0 {
            let message = format!("{} is not a folder that only this user can write to", self.dir.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(())
    }
}

/// Who changed the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Owner {
    /// The process.
    pub pid: u32,
    /// When it started, in clock ticks since boot: process ids are used again.
    pub started: u64,
    /// Whether it keeps the settings until `host restore`, rather than for one run.
    pub holds: bool,
}

impl Owner {
    /// This process.
    pub(crate) fn current(holds: bool) -> Self {
        let pid = std::process::id();
        Self { pid, started: start_time(pid).unwrap_or_default(), holds }
    }

    /// Whether that very process still runs.
    pub(crate) fn alive(&self) -> bool {
        start_time(self.pid) == Some(self.started)
    }
}

/// When a running process started, in clock ticks since boot; `None` when there is none or only its zombie. Processes
/// are real even where the settings are in another tree, so this is the real `/proc`.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; fields are counted from behind it.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// One setting in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The file, by its name in [`Roots`].
    pub path: String,
    /// What was read.
    pub prior: String,
    /// What is written first, where anything is; others are here since the kernel may move them along.
    pub target: Option<String>,
}

/// What is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    schema: u32,
    /// Which session, so that a guardian does not restore for another one.
    pub session: String,
    /// The kernel's boot id: a later boot has forgotten every setting.
    pub boot: String,
    /// Who.
    pub owner: Owner,
    /// Of which trees.
    pub roots: Roots,
    /// Every setting that may move, in the order of restoring backwards.
    pub entries: Vec<Entry>,
}

impl Journal {
    pub(crate) fn new(session: String, owner: Owner, boot: String, roots: Roots, entries: Vec<Entry>) -> Self {
        Self { schema: SCHEMA, session, boot, owner, roots, entries }
    }

    /// Writes the journal so that it is whole on disk, or the old one is.
    pub(crate) fn save(&self, dir: &Path) -> io::Result<()> {
        let new = dir.join("journal.new");
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&new, dir.join(JOURNAL))?;
        File::open(dir)?.sync_all()
    }

    /// Reads the journal, if there is one. Every path and value is checked: only what is ever written is written back.
    pub(crate) fn load(dir: &Path) -> io::Result<Option<Self>> {
        let mut text = Vec::new();
        match File::open(dir.join(JOURNAL)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?.take(LONGEST).read_to_end(&mut text)?,
        };
        let journal: Self = serde_json::from_slice(&text)?;
        let odd = journal.entries.iter().find(|entry| Knob::of(&entry.path).is_none() || !is_value(&entry.prior));
        match odd {
            _ if journal.schema != SCHEMA => Err(io::Error::other(format!("its schema is {}", journal.schema))),
            Some(entry) => Err(io::Error::other(format!("{:?} is no setting of ours", entry.path))),
            None => Ok(Some(journal)),
        }
    }

    /// Deletes the journal.
    pub(crate) fn remove(dir: &Path) -> io::Result<()> {
        match fs::remove_file(dir.join(JOURNAL)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Puts everything back.
    pub(crate) fn restore(&self) -> Vec<NotRestored> {
        let entries: Vec<(&str, &str)> =
            self.entries.iter().map(|entry| (entry.path.as_str(), entry.prior.as_str())).collect();
        apply::restore(&self.roots, &entries)
    }
}

/// The kernel's id of this boot.
pub(crate) fn boot_id(roots: &Roots) -> Option<String> {
    roots.text("proc/sys/kernel/random/boot_id").filter(|id| !id.is_empty())
}

/// The right to change settings; given back when dropped, or by the kernel when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // An empty file says that nobody is at work; failing to say so costs the next one a wait, no more.
        let _ = self.file.set_len(0);
    }
}

/// The answer to asking for the right.
#[derive(Debug)]
pub(crate) enum Claim {
    /// It is ours.
    Ours(Lock),
    /// A living process has it.
    Held(Owner),
}

/// Asks for the right to change settings. Waits only for a guardian that is restoring.
pub(crate) fn claim(place: &JournalPlace, owner: &Owner) -> io::Result<Claim> {
    place.open()?;
    let mut file = open_lock(&place.dir)?;
    if let Err(refused) = file.try_lock() {
        match refused {
            TryLockError::Error(error) => return Err(error),
            TryLockError::WouldBlock => {
                let mut text = String::new();
                Read::by_ref(&mut file).take(4096).read_to_string(&mut text)?;
                if let Ok(holder) = serde_json::from_str::<Owner>(&text)
                    && holder.alive()
                {
                    return Ok(Claim::Held(holder));
                }
                // The holder is dead, so its guardian has the lock and restores, which is quick.
                file.lock()?;
            }
        }
    }
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&serde_json::to_vec(owner)?)?;
    Ok(Claim::Ours(Lock { file }))
}

/// Waits for the right without saying who has it then: what the guardian does.
pub(crate) fn wait(dir: &Path) -> io::Result<Lock> {
    let file = open_lock(dir)?;
    file.lock()?;
    Ok(Lock { file })
}

fn open_lock(dir: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(dir.join(LOCK))
}

/// What was left behind by a process that ended without restoring.
#[derive(Debug, Default)]
pub(crate) struct Leftover {
    /// What was done, in words.
    pub notes: Vec<String>,
    /// What could not be put back; its first value stays the one to put back.
    pub entries: Vec<Entry>,
}

/// Restores what an earlier process of this boot left changed. The caller has the lock, so nobody else is at work.
pub(crate) fn recover(place: &JournalPlace, roots: &Roots) -> io::Result<Leftover> {
    let mut leftover = Leftover::default();
    let journal = match Journal::load(&place.dir) {
        Ok(None) => return Ok(leftover),
        Ok(Some(journal)) => journal,
        Err(error) => {
            let aside = place.dir.join("journal.unreadable");
            fs::rename(place.dir.join(JOURNAL), &aside)?;
            leftover.notes.push(format!(
                "The journal of an earlier run cannot be used ({error}), so its settings were not put back; it is kept as {}.",
                aside.display()
            ));
            return Ok(leftover);
        }
    };
    let pid = journal.owner.pid;
    if boot_id(roots).is_some_and(|boot| boot != journal.boot) {
        Journal::remove(&place.dir)?;
        leftover.notes.push(format!(
            "Process {pid} left a journal before the machine was started anew; the settings went with that start."
        ));
        return Ok(leftover);
    }
    let failed = journal.restore();
    if failed.is_empty() {
        Journal::remove(&place.dir)?;
        leftover.notes.push(format!("Put back the settings that process {pid} had left changed."));
        return Ok(leftover);
    }
    for one in &failed {
        leftover.notes.push(not_restored(one));
    }
    leftover.entries = journal.entries;
    leftover.entries.retain(|entry| failed.iter().any(|one| one.file == entry.path));
    Ok(leftover)
}

/// A sentence on a setting that could not be put back, with what to do by hand.
pub(crate) fn not_restored(one: &NotRestored) -> String {
    format!("/{} could not be put back ({}); it was {}.", one.file, one.why, one.prior)
}

/// Why there is no place for a journal, in words.
pub(crate) fn no_place(place: &JournalPlace, error: &io::Error) -> String {
    let why = if error.raw_os_error().is_some() { errno(error) } else { error.to_string() };
    format!("no journal in {}: {why}", place.dir.display())
}

#[cfg(test)]
mod tests;
