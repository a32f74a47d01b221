//! Where synthetic benchmarks are measured: real processes by the very code that measures pull requests.

use super::regime::{Hog, Regime};
use super::synthetic::Rows;
use crate::cli::stage;
use crate::compare::{self, Context};
use crate::config::{Config, Rounds, Suite, SuiteSide};
use crate::git::Workspace;
use crate::host::{self, JournalPlace, Observer, Roots, Session};
use crate::measure::Options;
use crate::measure::exec::{Exec, Step, StepKind};
use crate::measure::process::{HostExec, Placement, RoundHook, SideFolders};
use crate::measure::progress::Silent;
use crate::report::Report;
use crate::request::{Commit, ConfigSource, Request, SCHEMA};
use crate::results::{Results, RoundWitness};
use crate::side::{PerSide, Side};
use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Longest time that one process may take.
const TIMEOUT: Duration = Duration::from_secs(300);
/// Nothing here is cut by a budget.
const ENDLESS: Duration = Duration::from_secs(30 * 24 * 3600);

/// Two copies of this program, and what measures them.
pub(super) struct Laboratory {
    pub(super) exec: HostExec,
    pub(super) request: Request,
    options: Options,
    session: Rc<RefCell<Session>>,
    placement: Placement,
    own_cpu: Rc<RefCell<Vec<OwnCpu>>>,
    program: PathBuf,
    // Last: the folder goes when nothing uses it any more.
    _workspace: Workspace,
}

/// CPU time that this program itself used while a command ran, and the command's time, both in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OwnCpu {
    pub(super) cpu: f64,
    pub(super) wall: f64,
}

/// What one run gave.
pub(super) struct Measured {
    pub(super) results: Results,
    pub(super) report: Report,
}

impl Laboratory {
    /// Copies this program for each side, tunes the machine as a run does, and checks that the copies are identical.
    ///
    /// # Errors
    /// When a folder cannot be made, or the machine cannot be watched.
    pub(super) fn open() -> Result<Self> {
        let workspace = Workspace::create(&std::env::temp_dir())?;
        let program = std::env::current_exe().context("finding this program")?;
        let folders = PerSide::from_fn(|side: Side| SideFolders {
            tree: workspace.path().join("lab").join(side.name()),
            private: workspace.path().join("own").join(side.name()),
        });
        let mut digests = Vec::new();
        for side in Side::BOTH {
            let tree = &folders.get(side).tree;
            fs::create_dir_all(tree).with_context(|| format!("making {}", tree.display()))?;
            let copy = tree.join("bench");
            fs::copy(&program, &copy).with_context(|| format!("copying this program to {}", copy.display()))?;
            digests.push(digest(&copy).with_context(|| format!("reading {}", copy.display()))?);
        }
        ensure!(digests[0] == digests[1], "the two copies of this program differ");
        let config = Config { budget: ENDLESS, max_time: ENDLESS, ..Config::default() };
        let roots = Roots::live();
        let machine = host::machine(&roots);
        let session = Session::begin(&config.host, roots.clone(), JournalPlace::standard())?;
        let session = Rc::new(RefCell::new(session));
        let observer = Observer::new(Rc::clone(&session), &config, &roots, machine.steal_observable);
        let placement = observer.placement();
        let own_cpu = Rc::new(RefCell::new(Vec::new()));
        let mut exec = HostExec::new(folders)?;
        exec.place(PerSide { base: placement.clone(), head: placement.clone() });
        exec.hook(Box::new(Meter { inner: observer, own_cpu: Rc::clone(&own_cpu), before: None }));
        let options = Options { machine, disk: Some(workspace.path().to_owned()), ..Options::default() };
        let request = request(config);
        Ok(Self { exec, request, options, session, placement, own_cpu, program, _workspace: workspace })
    }

    /// The command of a side that runs these rows.
    pub(super) fn command(rows: &Rows) -> String {
        format!("exec ./bench {}", rows.arguments())
    }

    /// Begins a regime.
    ///
    /// # Errors
    /// When this machine cannot do it.
    pub(super) fn disturb(&self, regime: Regime) -> Result<Option<Hog>> {
        let selection = self.session.borrow();
        let other = selection.selection().ok().and_then(|found| found.housekeeping.first().copied());
        regime.begin(&self.program, &self.placement, other).with_context(|| format!("regime {}", regime.name()))
    }

    /// Measures one suite with these commands under the plan, and judges it.
    ///
    /// # Errors
    /// When a signal arrived, or this program itself broke.
    pub(super) fn measure(&mut self, run: &PerSide<String>, format: &str, rounds: Rounds) -> Result<Measured> {
        self.request.config.rounds = rounds;
        self.request.config.suites = vec![suite(run, format)];
        let results = stage::with_tools(&self.request, &mut self.exec, &self.options, &mut Silent)?;
        let report = compare::report(std::slice::from_ref(&results), &self.request.config, &Context::default());
        Ok(Measured { results, report })
    }

    /// Runs one process of `side` and gives what its rows took, by row.
    ///
    /// # Errors
    /// When it fails, or a signal arrived.
    pub(super) fn process(&mut self, side: Side, rows: &Rows) -> Result<Vec<Vec<f64>>> {
        let step = Step {
            side,
            suite: "synthetic".to_owned(),
            kind: StepKind::Round,
            command: Self::command(rows),
            directory: String::new(),
            env: BTreeMap::new(),
            timeout: TIMEOUT,
            remove: Vec::new(),
            collect: Vec::new(),
            require: Vec::new(),
            // Not the first of a block: no schedule here gets a probe between its processes.
            position: 1,
        };
        let execution = self.exec.run(&step)?;
        ensure!(execution.status.ok(), "the synthetic benchmark failed: {:?}", execution.status);
        let input = crate::format::Input { stdout: &execution.stdout, files: &BTreeMap::new() };
        let (_, parsed) = crate::format::parse("go", &input)?;
        Ok(parsed.measurements.into_iter().map(|one| one.values).collect())
    }

    /// What this program itself used while commands ran, since the last call.
    pub(super) fn take_own_cpu(&self) -> Vec<OwnCpu> {
        std::mem::take(&mut self.own_cpu.borrow_mut())
    }

    /// The machine in a few words.
    pub(super) fn machine(&self) -> String {
        let machine = &self.options.machine;
        let kind = match machine.virtualization.as_deref() {
            Some("") => "a machine without virtualisation".to_owned(),
            Some(_) => "a virtual machine".to_owned(),
            None => "a machine".to_owned(),
        };
        let (cpus, load) = (machine.cpus, Roots::live().text("proc/loadavg"));
        let load = load.and_then(|text| Some(text.split_whitespace().next()?.to_owned())).unwrap_or_default();
        format!("{kind} with {cpus} CPUs; load average at the start {load}")
    }
}

/// Measures what this program uses while a command runs, beside everything that a run does.
struct Meter {
    inner: Observer,
    own_cpu: Rc<RefCell<Vec<OwnCpu>>>,
    before: Option<(f64, Instant)>,
}

impl RoundHook for Meter {
    fn before(&mut self, step: &Step) -> Result<Option<Placement>> {
        let placement = self.inner.before(step)?;
        self.before = own_cpu().map(|cpu| (cpu, Instant::now()));
        Ok(placement)
    }

    fn interval(&self) -> Option<Duration> {
        self.inner.interval()
    }

    fn sample(&mut self) {
        self.inner.sample();
    }

    fn exited(&mut self, pid: u32) {
        if let Some(((before, begin), after)) = self.before.take().zip(own_cpu()) {
            let used = OwnCpu { cpu: after - before, wall: begin.elapsed().as_secs_f64() };
            self.own_cpu.borrow_mut().push(used);
        }
        self.inner.exited(pid);
    }

    fn after(&mut self, step: &Step, own: RoundWitness) -> RoundWitness {
        self.inner.after(step, own)
    }
}

/// The SHA-256 of a file, read in pieces: memory for all of it would stay with this process, and each start of a command
/// would pay for it, as no run of a user does.
fn digest(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let (mut hasher, mut piece) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hasher.finalize().to_vec()),
            length => hasher.update(&piece[..length]),
        }
    }
}

/// CPU time of this process, without its children, in seconds.
fn own_cpu() -> Option<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    Some(seconds(usage.user_time()) + seconds(usage.system_time()))
}

fn request(config: Config) -> Request {
    let commit = |digit: &str| Commit {
        sha: digit.repeat(40),
        label: "synthetic".to_owned(),
        subject: String::new(),
        uncommitted: false,
    };
    Request {
        schema: SCHEMA,
        commits: PerSide { base: commit("a"), head: commit("b") },
        base_behind: None,
        base_explicit: true,
        origin: None,
        config,
        config_source: ConfigSource::Detected(String::new()),
        suites: Vec::new(),
        filter: String::new(),
        shard: None,
        seed: None,
        calibration: true,
        notes: Vec::new(),
    }
}

fn suite(run: &PerSide<String>, format: &str) -> Suite {
    let side =
        |side: Side| SuiteSide { format: format.to_owned(), timeout: TIMEOUT, ..SuiteSide::new(run.get(side).clone()) };
    Suite::new("synthetic".to_owned(), PerSide::from_fn(side))
}
