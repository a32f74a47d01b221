//! What a process sets for itself: the CPUs that it may use and its priority.

use super::cpu::Selection;
use super::cpulist;
use crate::config::Host;
use crate::results::{KnobOutcome, KnobStatus};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use rustix::process::{getpriority_process, setpriority_process};
use std::io;

/// The name of the affinity's outcome.
pub const AFFINITY: &str = "cpu affinity";
/// The name of the priority's outcome.
pub const NICE: &str = "nice";

/// What the bench command's process sets before it starts; what was tried and refused is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessSettings {
    /// The CPUs that it may use; `None`: all.
    pub cpus: Option<Vec<u32>>,
    /// The one of them for a command with a single busy thread.
    pub single: Option<u32>,
    /// Its priority; `None`: unchanged.
    pub nice: Option<i8>,
}

impl ProcessSettings {
    /// The same with one CPU instead of a whole core.
    #[must_use]
    pub fn on_one_cpu(&self) -> Self {
        Self { cpus: self.single.map(|cpu| vec![cpu]).or_else(|| self.cpus.clone()), ..self.clone() }
    }

    /// Applies the settings to the calling thread, and so to every process that it starts. On Linux both belong to the
    /// thread, not to the process.
    ///
    /// # Errors
    /// The first refusal of the kernel.
    pub fn apply(&self) -> io::Result<()> {
        if let Some(cpus) = &self.cpus {
            pin(cpus)?;
        }
        if let Some(nice) = self.nice {
            setpriority_process(None, nice.into())?;
        }
        Ok(())
    }
}

/// Pins the calling thread.
pub(crate) fn pin(cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu as usize)?;
    }
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// The CPUs that the calling thread may use.
fn pinned() -> io::Result<Vec<u32>> {
    let set = sched_getaffinity(Pid::from_raw(0))?;
    Ok((0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or(false)).map(|cpu| cpu as u32).collect())
}

/// Tries affinity and priority on a thread that is thrown away, and says what a bench command can have.
///
/// A refusal is seen from the system call itself: programs such as `nice` print it and run on with success.
pub(crate) fn probe(host: &Host, selection: &Result<Selection, String>) -> (ProcessSettings, Vec<KnobOutcome>) {
    let affinity = || match selection {
        Err(why) => KnobStatus::Denied(why.clone()),
        Ok(Selection { cpus: None, reason, .. }) => KnobStatus::Skipped(reason.clone()),
        Ok(Selection { cpus: Some(cpus), .. }) => try_affinity(cpus),
    };
    let nice = || host.nice.map_or_else(|| KnobStatus::Skipped("not asked for".to_owned()), try_nice);
    let tried = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, || (affinity(), nice()))?;
        thread.join().map_err(|_| io::Error::other("the trying thread broke"))
    });
    let (affinity, nice) = tried.unwrap_or_else(|error| {
        let denied = KnobStatus::Denied(format!("cannot be tried: {error}"));
        (denied.clone(), denied)
    });
    let can = |status: &KnobStatus| matches!(status, KnobStatus::Applied(..) | KnobStatus::Already(_));
    let chosen = selection.as_ref().ok().filter(|_| can(&affinity));
    let settings = ProcessSettings {
        cpus: chosen.and_then(|chosen| chosen.cpus.clone()),
        single: chosen.and_then(|chosen| chosen.single),
        nice: host.nice.filter(|_| can(&nice)),
    };
    let outcome = |knob: &str, status| KnobOutcome { knob: knob.to_owned(), status };
    (settings, vec![outcome(AFFINITY, affinity), outcome(NICE, nice)])
}

fn try_affinity(cpus: &[u32]) -> KnobStatus {
    let text = |cpus: &[u32]| cpulist::format(cpus.iter().copied());
    let attempt = || {
        let old = pinned()?;
        pin(cpus)?;
        Ok((old, pinned()?))
    };
    compare(attempt(), cpus.to_vec(), |cpus| text(cpus))
}

fn try_nice(nice: i8) -> KnobStatus {
    let attempt = || {
        let old = getpriority_process(None)?;
        setpriority_process(None, nice.into())?;
        Ok((old, getpriority_process(None)?))
    };
    compare(attempt(), nice.into(), ToString::to_string)
}

fn compare<T: PartialEq>(attempt: io::Result<(T, T)>, wanted: T, text: impl Fn(&T) -> String) -> KnobStatus {
    match attempt {
        Err(error) => KnobStatus::Denied(super::tree::errno(&error)),
        Ok((_, new)) if new != wanted => KnobStatus::Denied(format!("set, but reads back as {}", text(&new))),
        Ok((old, new)) if old == new => KnobStatus::Already(text(&new)),
        Ok((old, new)) => KnobStatus::Applied(text(&old), text(&new)),
    }
}
