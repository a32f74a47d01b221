//! Commands as real processes on this host.
//!
//! Each runs as `sh -c` in a session of its own, with an environment built from an allowlist and no standard input. When
//! it ends, everything that it started ends with it.

mod caches;
pub(crate) mod environment;
pub(crate) mod files;
pub(crate) mod memory;
mod python;
mod reap;
mod spawn;

pub use environment::{is_token, tokens};

use super::exec::{Exec, ExecError, Execution, Step, StepKind};
use super::supervise::{Capture, Ended, Reaped, Tick, pidfd, reap as wait_for, watch};
use crate::results::{RoundWitness, StepStatus};
use crate::side::{PerSide, Side};
use anyhow::Context;
use files::Folder;
use memory::Kills;
use nix::libc;
use nix::unistd::Pid;
use reap::Spared;
use spawn::{Order, Spawned};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most bytes of one stream that are kept.
pub const OUTPUT_LIMIT: usize = 64 << 20;

/// Where one side lives. The paths of both sides should be of equal length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFolders {
    /// The side's checkout.
    pub tree: PathBuf,
    /// A folder for whatever the side's tools build or install outside of the tree.
    pub private: PathBuf,
}

/// CPUs and priority that a command starts with. Best effort: a refusal never fails the command; whoever chose the
/// values has probed them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placement {
    /// Logical CPUs; empty: wherever the kernel puts it.
    pub cpus: Vec<usize>,
    /// Priority from -20 to 19.
    pub nice: Option<i32>,
}

/// Called around every warm-up and counted round: settings of one side, and what the machine did meanwhile.
pub trait RoundHook {
    /// Before the command starts. Gives where it runs, if its side has CPUs and a priority of its own.
    ///
    /// # Errors
    /// When a setting of this side could not be made and the policy requires it: the round is not run.
    fn before(&mut self, step: &Step) -> anyhow::Result<Option<Placement>>;

    /// How often [`RoundHook::sample`] wants to be called while the command runs; `None`: never. At most once a second.
    fn interval(&self) -> Option<Duration> {
        None
    }

    /// While the command runs.
    fn sample(&mut self) {}

    /// The command's process has ended and is a zombie, which still has its last CPU and its affinity.
    fn exited(&mut self, pid: u32) {
        let _ = pid;
    }

    /// After everything that the command left was ended. `own` is what the process's accounts say; the result is what
    /// the round's witness becomes.
    fn after(&mut self, step: &Step, own: RoundWitness) -> RoundWitness;
}

/// Executes commands on this host.
pub struct HostExec {
    folders: PerSide<SideFolders>,
    placement: PerSide<Placement>,
    hook: Option<Box<dyn RoundHook>>,
    parent: BTreeMap<String, OsString>,
    python: PerSide<Option<BTreeMap<String, OsString>>>,
    /// Whether a side's tree has a project of Python.
    projects: PerSide<Option<bool>>,
    started: Instant,
    cap: usize,
}

/// Only one command at a time: the subreaper takes in the orphans of all of them.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl HostExec {
    /// An executor for two checkouts. The environment of this process is read once, here.
    ///
    /// # Errors
    /// When the private folders cannot be made, or the kernel refuses to make this process a subreaper.
    pub fn new(folders: PerSide<SideFolders>) -> anyhow::Result<Self> {
        nix::sys::prctl::set_child_subreaper(true).context("becoming the subreaper of benchmark processes")?;
        for side in Side::BOTH {
            let private = &folders.get(side).private;
            for folder in ["tmp", "gopath/bin", "cargo/bin", "python/bin", "npm/bin", "gem/bin", "cache"] {
                let path = private.join(folder);
                fs::create_dir_all(&path).with_context(|| format!("making {}", path.display()))?;
            }
        }
        Ok(Self {
            folders,
            placement: PerSide::default(),
            hook: None,
            parent: environment::allowed(std::env::vars_os()),
            python: PerSide::default(),
            projects: PerSide::default(),
            started: Instant::now(),
            cap: OUTPUT_LIMIT,
        })
    }

    /// Sets CPUs and priority of each side's commands.
    pub fn place(&mut self, placement: PerSide<Placement>) {
        self.placement = placement;
    }

    /// Sets what is called around every round.
    pub fn hook(&mut self, hook: Box<dyn RoundHook>) {
        self.hook = Some(hook);
    }

    /// Names of credentials in this process's environment, none of which a command sees.
    #[must_use]
    pub fn hidden_tokens() -> Vec<String> {
        tokens(std::env::vars_os())
    }

    /// Variables of a command of `step`, without its own.
    fn environment(&mut self, step: &Step, directory: &Path, notes: &mut Vec<String>) -> BTreeMap<String, OsString> {
        let folders = self.folders.get(step.side);
        let mut env = self.parent.clone();
        env.remove("GOPATH");
        env.extend(environment::isolation(folders, &step.directory, &self.parent));
        let project = *self.projects.get_mut(step.side).get_or_insert_with(|| python::has_project(&folders.tree));
        if self.python.get(step.side).is_none() && (project || python::names_python(&step.command)) {
            let made = python::prepare(folders, directory, &env).unwrap_or_else(|error| {
                notes.push(format!("{} has no Python environment of its own, installs are shared: {error}", step.side));
                None
            });
            *self.python.get_mut(step.side) = Some(made.unwrap_or_default());
        }
        env.extend(self.python.get(step.side).clone().unwrap_or_default());
        env.extend(step.env.iter().map(|(name, value)| (name.clone(), value.into())));
        env
    }

    /// Runs the command and ends whatever it left.
    fn execute(
        &mut self,
        step: &Step,
        directory: &Path,
        env: &BTreeMap<String, OsString>,
    ) -> anyhow::Result<Execution> {
        let observed = matches!(step.kind, StepKind::Warmup | StepKind::Round);
        let kills = Kills::now();
        let placement = match self.hook.as_mut().filter(|_| observed).map(|hook| hook.before(step)) {
            Some(Err(error)) => return Ok(not_started(&format!("{error:#}"), self.started.elapsed())),
            Some(Ok(Some(own))) => own,
            _ => self.placement.get(step.side).clone(),
        };
        // After the hook: a guardian that it started for the settings of this side is no part of the round.
        let spared = Spared::now();
        let order = Order {
            command: &step.command,
            directory,
            environment: env.iter().map(|(name, value)| (name.as_str(), value.as_os_str())).collect(),
            cpus: cpu_set(&placement.cpus),
            nice: placement.nice,
        };
        let started = self.started.elapsed();
        let begin = Instant::now();
        let Spawned { pid, stdout, stderr } = match spawn::shell(&order) {
            Ok(spawned) => spawned,
            Err(error) => return Ok(not_started(&format!("starting /bin/sh in {}: {error}", step.directory), started)),
        };
        let deadline = begin + step.timeout;
        let hook = self.hook.as_deref_mut().filter(|_| observed);
        let run = watch_child(pid, [stdout, stderr], self.cap, deadline, hook);
        let wall = begin.elapsed();
        let seen = reap::process(pid.as_raw());
        if let Some(hook) = self.hook.as_mut().filter(|_| observed) {
            hook.exited(pid.as_raw().unsigned_abs());
        }
        let orphans = reap::end_round(pid, &spared);
        let leader = wait_for(pid, false);
        let (ended, mut streams) = run.context("waiting for the command")?;
        streams.iter_mut().for_each(Capture::finish);
        let [stdout, stderr] = streams;
        let orphans = orphans.map_err(|names| anyhow::anyhow!("processes outlived their round: {names}"))?;
        let status = status(ended, leader.as_ref(), step.timeout)?;
        let own = account(leader.iter().chain(&orphans), seen.and_then(|p| p.cpu), &placement);
        Ok(Execution {
            status: memory::explain(status, kills, Kills::now()),
            wall,
            started,
            lost: stdout.lost + stderr.lost,
            stdout: stdout.bytes,
            stderr: stderr.bytes,
            files: BTreeMap::new(),
            notes: Vec::new(),
            witness: match self.hook.as_mut().filter(|_| observed) {
                Some(hook) => hook.after(step, own),
                None => own,
            },
        })
    }
}

impl Exec for HostExec {
    fn run(&mut self, step: &Step) -> Result<Execution, ExecError> {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let broken = |what: &str, source: anyhow::Error| match super::signal::received() {
            Some(number) => ExecError::Interrupted(number),
            None => ExecError::Broken { what: what.to_owned(), side: step.side, suite: step.suite.clone(), source },
        };
        if let Some(number) = super::signal::received() {
            return Err(ExecError::Interrupted(number));
        }
        let tree = self.folders.get(step.side).tree.clone();
        let directory = match inside(&tree, &step.directory) {
            Ok(directory) => directory,
            Err(reason) => return Ok(not_started(&reason, self.started.elapsed())),
        };
        if let Err(reason) = remove(&tree, step) {
            return Ok(not_started(&reason, self.started.elapsed()));
        }
        let mut notes = Vec::new();
        if step.kind == StepKind::Setup
            && step.side == Side::Head
            && let Err(error) = caches::hand_on(&self.folders.base, &self.folders.head)
        {
            notes.push(format!("head does not begin with a copy of base's compiler caches: {error}"));
        }
        let env = self.environment(step, &directory, &mut notes);
        let mut execution = self.execute(step, &directory, &env).map_err(|error| broken("running a command", error))?;
        if let Some(number) = super::signal::received() {
            return Err(ExecError::Interrupted(number));
        }
        read_back(&tree, step, &mut execution);
        notes.append(&mut execution.notes);
        execution.notes = notes;
        Ok(execution)
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

pub(crate) fn cpu_set(cpus: &[usize]) -> Option<libc::cpu_set_t> {
    let known = cpus.iter().filter(|cpu| **cpu < libc::CPU_SETSIZE as usize);
    #[expect(unsafe_code, reason = "the raw set is made here since nix's wrapper must not be called in the child")]
    // SAFETY: an all-zero set is the empty one, and every CPU is below the set's size.
    let (set, any) = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let mut any = false;
        for cpu in known {
            libc::CPU_SET(*cpu, &mut set);
            any = true;
        }
        (set, any)
    };
    any.then_some(set)
}

/// Waits for the child and reads what it prints; kills nothing.
fn watch_child(
    pid: Pid,
    streams: [OwnedFd; 2],
    cap: usize,
    deadline: Instant,
    hook: Option<&mut (dyn RoundHook + 'static)>,
) -> std::io::Result<(Ended, [Capture; 2])> {
    let [stdout, stderr] = streams.map(|fd| Capture::new(fd, cap));
    let (mut stdout, mut stderr) = (stdout?, stderr?);
    let handle = pidfd(pid)?;
    let every = hook.as_ref().and_then(|hook| hook.interval()).map(|every| every.max(Duration::from_secs(1)));
    let mut hook = hook;
    let mut act = || {
        if let Some(hook) = &mut hook {
            hook.sample();
        }
    };
    let tick = every.map(|every| Tick { every, act: &mut act });
    let ended = watch(&handle, &mut [&mut stdout, &mut stderr], Some(deadline), tick)?;
    Ok((ended, [stdout, stderr]))
}

fn status(ended: Ended, leader: Option<&Reaped>, timeout: Duration) -> anyhow::Result<StepStatus> {
    Ok(match (ended, leader.context("the command's process was reaped by somebody else")?.status) {
        (Ended::TimedOut, _) => StepStatus::TimedOut(timeout.as_secs_f64()),
        (_, Ok(0)) => StepStatus::Ok,
        (_, Ok(code)) => StepStatus::Exit(code),
        (_, Err(signal)) => StepStatus::Signal(signal),
    })
}

fn account<'r>(reaped: impl Iterator<Item = &'r Reaped>, cpu: Option<u32>, placement: &Placement) -> RoundWitness {
    let cpus: Vec<String> = placement.cpus.iter().map(usize::to_string).collect();
    RoundWitness { cpu, cpus: Some(cpus.join(",")).filter(|list| !list.is_empty()), ..usage(reaped) }
}

/// CPU time, memory and switches of everything that was reaped.
pub(crate) fn usage<'r>(reaped: impl Iterator<Item = &'r Reaped>) -> RoundWitness {
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
    let (mut user, mut system, mut rss, mut switches, mut faults) = (0.0, 0.0, 0, 0, [0; 2]);
    for usage in reaped.map(|reaped| reaped.usage) {
        user += seconds(usage.ru_utime);
        system += seconds(usage.ru_stime);
        rss = rss.max(count(usage.ru_maxrss) * 1024);
        switches += count(usage.ru_nivcsw);
        faults[0] += count(usage.ru_majflt);
        faults[1] += count(usage.ru_minflt);
    }
    RoundWitness {
        user: Some(user),
        system: Some(system),
        max_rss: Some(rss),
        involuntary_switches: Some(switches),
        major_faults: Some(faults[0]),
        minor_faults: Some(faults[1]),
        ..RoundWitness::default()
    }
}

/// The step's folder, if it is inside the tree.
fn inside(tree: &Path, directory: &str) -> Result<PathBuf, String> {
    let shown = if directory.is_empty() { "." } else { directory };
    let real = fs::canonicalize(tree.join(directory)).map_err(|error| format!("folder {shown}: {error}"))?;
    let root = fs::canonicalize(tree).map_err(|error| format!("the checkout: {error}"))?;
    if !real.starts_with(root) {
        return Err(format!("folder {shown} leads out of the checkout"));
    }
    Ok(real)
}

/// Deletes what an earlier command may have left: a stale artefact must never be measured.
fn remove(tree: &Path, step: &Step) -> Result<(), String> {
    if step.remove.is_empty() {
        return Ok(());
    }
    let folder = Folder::open(tree, &step.directory).map_err(|error| format!("folder {}: {error}", step.directory))?;
    for path in &step.remove {
        folder.remove(path).map_err(|error| format!("{path} of an earlier round could not be deleted: {error}"))?;
    }
    Ok(())
}

/// Reads what was asked for, and looks for what is required.
fn read_back(tree: &Path, step: &Step, execution: &mut Execution) {
    if step.collect.is_empty() && step.require.is_empty() {
        return;
    }
    let folder = match Folder::open(tree, &step.directory) {
        Ok(folder) => folder,
        Err(error) => return execution.notes.push(format!("folder {}: {error}", step.directory)),
    };
    let collected = folder.collect(&step.collect);
    execution.files = collected.files;
    execution.notes.extend(collected.notes);
    if execution.status.ok()
        && let Some(missing) = step.require.iter().find_map(|path| folder.missing(path))
    {
        execution.status = StepStatus::Missing(missing);
    }
}

fn not_started(reason: &str, started: Duration) -> Execution {
    Execution {
        status: StepStatus::NotStarted(reason.to_owned()),
        wall: Duration::ZERO,
        started,
        stdout: Vec::new(),
        stderr: Vec::new(),
        lost: 0,
        files: BTreeMap::new(),
        notes: Vec::new(),
        witness: RoundWitness::default(),
    }
}

/// Deletes a folder with everything in it, read-only folders included (a module cache has them). Follows no link.
///
/// # Errors
/// When something remains.
pub fn remove_tree(path: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            open_folders(path);
            fs::remove_dir_all(path)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn open_folders(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if !is_folder || fs::set_permissions(path, fs::Permissions::from_mode(0o700)).is_err() {
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        open_folders(&entry.path());
    }
}

#[cfg(test)]
mod tests;
