//! Nothing that a round started outlives it.
//!
//! The command runs in a session of its own, and this process is the subreaper of whatever loses its parent. So a
//! process belongs to the round exactly if it descends from us through a child that is in another session than ours,
//! is not older than the command, and was not there before: a process cannot join a session, what daemonises comes back
//! to us, and nothing of ours is started in a session of its own while a command runs.

use crate::measure::supervise::{Reaped, reap};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::time::{Duration, Instant};

/// How long a killed process may take to disappear before it counts as a survivor.
const PATIENCE: Duration = Duration::from_secs(10);

/// One line of the process table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) session: i32,
    pub(super) zombie: bool,
    /// In clock ticks since boot; with the pid it names a process for good.
    pub(super) started: u64,
    /// The CPU that it was last seen on.
    pub(super) cpu: Option<u32>,
    pub(super) name: String,
}

/// Reads `/proc/PID/stat`; `None` if the process is gone.
pub(super) fn process(pid: i32) -> Option<Process> {
    // One read: the line is far shorter, and a table of processes is read around every round.
    let mut line = [0; 2048];
    let length = fs::File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read(&mut line)).ok()?;
    parse_stat(&String::from_utf8_lossy(&line[..length]))
}

fn parse_stat(text: &str) -> Option<Process> {
    // The name may hold anything, closing parentheses included; the last one ends it.
    let (start, rest) = text.rsplit_once(')')?;
    let (pid, name) = start.split_once('(')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Process {
        pid: pid.trim().parse().ok()?,
        name: name.to_owned(),
        zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        cpu: fields.get(36).and_then(|field| field.parse().ok()),
    })
}

fn table() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(process).collect()
}

/// The children that we had before a round: they are none of its business.
#[derive(Debug, Default)]
pub(super) struct Spared(BTreeSet<(i32, u64)>);

impl Spared {
    fn has(&self, process: &Process) -> bool {
        self.0.contains(&(process.pid, process.started))
    }

    /// Our children of this moment.
    pub(super) fn now() -> Self {
        // Mostly there are none, and the kernel says so at once; it can also be told to list them.
        if !has_children() {
            return Self::default();
        }
        let children = listed_children().unwrap_or_else(table);
        let me = me();
        Self(children.into_iter().filter(|p| p.parent == me).map(|p| (p.pid, p.started)).collect())
    }
}

/// Whether we have a child at all, dead or alive.
fn has_children() -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT | WaitPidFlag::__WALL;
    waitid(Id::All, flags) != Err(Errno::ECHILD)
}

/// Our children as the kernel lists them for each thread; `None` from a kernel that does not.
fn listed_children() -> Option<Vec<Process>> {
    let mut children = Vec::new();
    for thread in fs::read_dir("/proc/self/task").ok()? {
        let list = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        children.extend(list.split_ascii_whitespace().filter_map(|pid| process(pid.parse().ok()?)));
    }
    Some(children)
}

fn me() -> i32 {
    nix::unistd::getpid().as_raw()
}

/// Our children that belong to the round, with all their descendants.
fn members(table: &[Process], me: i32, belongs: impl Fn(&Process) -> bool) -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<&Process>> = BTreeMap::new();
    for process in table {
        children.entry(process.parent).or_default().push(process);
    }
    let mut open: Vec<&Process> = children.get(&me).into_iter().flatten().copied().filter(|p| belongs(p)).collect();
    let mut members = Vec::new();
    while let Some(process) = open.pop() {
        open.extend(children.get(&process.pid).into_iter().flatten());
        members.push(process.clone());
    }
    members
}

/// Kills everything that the round started except the zombie of `leader`, and reaps what comes to us.
///
/// Returns the usage of what was reaped.
///
/// # Errors
/// The processes that would not die, as `name (pid)`.
pub(super) fn end_round(leader: Pid, spared: &Spared) -> Result<Vec<Reaped>, String> {
    let session = nix::unistd::getsid(None).map_or(0, Pid::as_raw);
    // Nothing of the round is older than its leader.
    let began = process(leader.as_raw()).map_or(0, |leader| leader.started);
    let belongs = |p: &Process| p.session != session && p.started >= began && !spared.has(p);
    let mut reaped = Vec::new();
    let deadline = Instant::now() + PATIENCE;
    // The whole group first: one call cannot be outrun by a fork.
    let _ = killpg(leader, Signal::SIGKILL);
    loop {
        let mut rest = members(&table(), me(), belongs);
        rest.retain(|p| p.pid != leader.as_raw() || !p.zombie);
        if rest.is_empty() {
            return Ok(reaped);
        }
        for process in &rest {
            let pid = Pid::from_raw(process.pid);
            // A zombie too: its first thread may have ended before the others.
            let _ = kill(pid, Signal::SIGKILL);
            if process.zombie && process.parent == me() && process.pid != leader.as_raw() {
                reaped.extend(reap(pid, true));
            }
        }
        if Instant::now() > deadline {
            let names: Vec<String> = rest.iter().map(|p| format!("{} ({})", p.name, p.pid)).collect();
            return Err(names.join(", "));
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: i32, parent: i32, session: i32) -> Process {
        Process { pid, parent, session, zombie: false, started: 1, cpu: None, name: "x".to_owned() }
    }

    #[test]
    fn stat_survives_a_hostile_name() {
        let line = concat!(
            "42 (a) R 1 2) 3) S 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 ",
            "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 17 3 0"
        );
        let process = parse_stat(line).expect("a valid line");
        assert_eq!((process.pid, process.parent, process.session), (42, 7, 42));
        assert_eq!(process.name, "a) R 1 2) 3");
        assert_eq!((process.started, process.cpu), (12345, Some(3)));
    }

    #[test]
    fn a_child_is_known_until_it_is_waited_for() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().expect("sleep");
        let pid = child.id().cast_signed();
        assert!(Spared::now().0.iter().any(|(spared, _)| *spared == pid));
        if let Some(listed) = listed_children() {
            assert!(listed.iter().any(|process| process.pid == pid && process.parent == me()));
        }
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert!(!Spared::now().0.iter().any(|(spared, _)| *spared == pid));
    }

    #[test]
    fn own_process_is_readable() {
        let own = process(me()).expect("procfs");
        assert_eq!(own.pid, me());
        assert!(!own.zombie);
    }

    #[test]
    fn members_are_what_descends_through_another_session() {
        // 1: us, session 1. 2: a helper that was there before. 3: git, in our session, with a child that has its own.
        // 4: the round's shell with a grandchild; 6: a daemon of the round that came back to us.
        let table = [
            row(1, 0, 1),
            row(2, 1, 2),
            row(3, 1, 1),
            row(30, 3, 30),
            row(4, 1, 4),
            row(5, 4, 4),
            row(50, 5, 50),
            row(6, 1, 6),
        ];
        let spared = Spared(BTreeSet::from([(2, 1)]));
        let mut found: Vec<i32> =
            members(&table, 1, |p| p.session != 1 && !spared.has(p)).iter().map(|p| p.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [4, 5, 6, 50]);
    }
}
