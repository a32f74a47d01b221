//! One command in a side's container, with everything around it as the step needs it.

use super::container::{self, Bind};
use super::engine::Call;
use super::environment::CACHES;
use super::frame::{Answer, Job, Reader};
use super::launcher::{BINARY, SUBCOMMAND};
use super::{ContainerExec, SandboxError, TREE};
use crate::measure::exec::{Exec, ExecError, Execution, Step, StepKind};
use crate::measure::process::Placement;
use crate::measure::signal;
use crate::results::{KnobOutcome, KnobStatus, RoundWitness, StepStatus};
use crate::side::Side;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Time beside a command's own limit: ending what it left, and reading its files.
const AROUND: Duration = Duration::from_secs(300);
/// Limit of copying or deleting a side's files.
const HANDS: Duration = Duration::from_secs(1800);

impl Exec for ContainerExec {
    fn run(&mut self, step: &Step) -> Result<Execution, ExecError> {
        let broken = |source: anyhow::Error| match signal::received() {
            Some(number) => ExecError::Interrupted(number),
            None => ExecError::Broken {
                what: "running a command in its sandbox".to_owned(),
                side: step.side,
                suite: step.suite.clone(),
                source,
            },
        };
        if let Some(number) = signal::received() {
            return Err(ExecError::Interrupted(number));
        }
        self.step(step).map_err(broken)
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl ContainerExec {
    fn step(&mut self, step: &Step) -> Result<Execution> {
        self.places.check(&self.limits)?;
        let suite = self.suites.iter().position(|suite| suite.name == step.suite);
        let suite = suite.with_context(|| format!("suite {} was not announced", step.suite))?;
        let image = self.suites[suite].images.get(step.side).id.clone();
        let found = self.boxes.iter().position(|one| one.side == step.side && one.image == image);
        let index = found.context("the side has no container")?;
        if step.kind == StepKind::Setup && step.side == Side::Head && self.fresh_caches {
            self.copy_caches()?;
        }
        let counted = matches!(step.kind, StepKind::Warmup | StepKind::Round);
        let online = step.kind == StepKind::Setup || *self.suites[suite].network.get(step.side);
        self.arrange(index, online)?;
        let mut env = self.suites[suite].images.get(step.side).env.clone();
        env.extend(step.env.clone());
        let started = self.started.elapsed();
        let placement = match self.hook.as_mut().filter(|_| counted).map(|hook| hook.before(step)) {
            Some(Err(error)) => return Ok(not_started(format!("{error:#}"), started)),
            Some(Ok(Some(own))) => own,
            _ if counted => self.placement.get(step.side).clone(),
            _ => Placement::default(),
        };
        self.pin(index, &placement)?;
        let answer = self.launch(index, &self.job(step, placement, !online, env), "job", step.timeout + AROUND)?;
        if step.kind == StepKind::Setup && step.side == Side::Base {
            self.fresh_caches = true;
        }
        let witness = match self.hook.as_mut().filter(|_| counted) {
            Some(hook) => hook.after(step, answer.head.witness),
            None => answer.head.witness,
        };
        Ok(Execution {
            status: answer.head.status,
            wall: Duration::from_nanos(answer.head.wall_ns),
            started,
            stdout: answer.stdout,
            stderr: answer.stderr,
            lost: answer.head.lost,
            files: answer.files,
            notes: answer.head.notes,
            witness,
        })
    }

    fn job(&self, step: &Step, placement: Placement, offline: bool, env: BTreeMap<String, String>) -> Job {
        Job {
            command: step.command.clone(),
            tree: TREE.to_owned(),
            directory: step.directory.clone(),
            env,
            uid: self.owner.0,
            gid: self.owner.1,
            timeout_ms: u64::try_from(step.timeout.as_millis()).unwrap_or(u64::MAX),
            remove: step.remove.clone(),
            collect: step.collect.clone(),
            require: step.require.clone(),
            cpus: placement.cpus,
            nice: placement.nice,
            offline,
        }
    }

    /// Freezes every other container, checks that they are, wakes this one, and gives it the network that its step has.
    fn arrange(&mut self, index: usize, online: bool) -> Result<()> {
        let engine = Arc::clone(&self.remains.engine);
        for (other, one) in self.boxes.iter().enumerate() {
            if other != index {
                engine.freeze(&one.id, true)?;
            }
        }
        let one = &mut self.boxes[index];
        engine.freeze(&one.id, false)?;
        if one.online != online && self.limits.network != "none" {
            engine.network(&one.id, online.then_some(self.limits.network.as_str()))?;
            one.online = online;
        }
        Ok(())
    }

    /// Gives the container the CPUs of a round. Setup may use every CPU to build, and has none of its own; from the first
    /// round on the container keeps those of the rounds.
    fn pin(&mut self, index: usize, placement: &Placement) -> Result<()> {
        let one = &mut self.boxes[index];
        let cpus = placement.cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        if !cpus.is_empty() && one.pinned != cpus {
            self.remains.engine.pin(&one.id, &cpus)?;
            one.pinned = cpus;
        }
        Ok(())
    }

    /// Runs the launcher in a side's container and reads what it sends.
    fn launch(&self, index: usize, job: &Job, mode: &str, limit: Duration) -> Result<Answer> {
        let mut reader = Reader::default();
        let call = Call {
            container: &self.boxes[index].id,
            program: &[BINARY, SUBCOMMAND, mode],
            user: "0:0",
            input: &job.encode(),
            limit,
            check: &|| self.places.check(&self.limits),
        };
        let (code, complaint) = self.remains.engine.exec(&call, |bytes| reader.push(bytes))?;
        let answer = reader
            .finish()
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("the launcher ended with {code} {complaint}"))?;
        match answer.head.broken {
            Some(why) => bail!("the launcher: {why}"),
            None => Ok(answer),
        }
    }

    /// Tries CPUs and priority in a container, and keeps what it can have.
    pub(super) fn try_placement(&mut self) -> Result<(), SandboxError> {
        for side in Side::BOTH {
            let placement = self.placement.get(side).clone();
            let Some(index) = self.boxes.iter().position(|one| one.side == side) else { continue };
            if placement == Placement::default() {
                continue;
            }
            self.remains.engine.freeze(&self.boxes[index].id, false)?;
            let job = Job { cpus: placement.cpus, nice: placement.nice, ..self.empty_job() };
            let answer = self.launch(index, &job, "probe", AROUND)?;
            let outcomes: Vec<KnobOutcome> =
                serde_json::from_slice(&answer.stdout).context("the launcher's outcomes")?;
            let refused = |knob: &str| {
                outcomes
                    .iter()
                    .any(|it| it.knob == knob && !matches!(it.status, KnobStatus::Applied(..) | KnobStatus::Already(_)))
            };
            let placement = self.placement.get_mut(side);
            if refused(crate::host::process::NICE) {
                placement.nice = None;
            }
            if refused(crate::host::process::AFFINITY) {
                placement.cpus = Vec::new();
            }
            self.outcomes = outcomes;
        }
        Ok(())
    }

    fn empty_job(&self) -> Job {
        Job {
            command: String::new(),
            tree: TREE.to_owned(),
            directory: String::new(),
            env: BTreeMap::new(),
            uid: self.owner.0,
            gid: self.owner.1,
            timeout_ms: 0,
            remove: Vec::new(),
            collect: Vec::new(),
            require: Vec::new(),
            cpus: Vec::new(),
            nice: None,
            offline: false,
        }
    }

    /// Gives head what is in base's caches, by a container that has nothing else: what head writes is never seen by base.
    ///
    /// The sides' whole folders are mounted. A folder inside one of them could be a link by now, which an engine would
    /// follow on the host.
    fn copy_caches(&mut self) -> Result<()> {
        let binds = [
            Bind::read_only(&self.places.sides.base.private, "/from"),
            Bind::new(&self.places.sides.head.private, "/to"),
        ];
        let (from, to) = (format!("/from/{CACHES}"), format!("/to/{CACHES}"));
        self.by_hand(Side::Head, &binds, &["copy", &from, &to]).context("copying base's caches for head")?;
        self.fresh_caches = false;
        Ok(())
    }

    /// Runs the launcher as the suite's user in a container of its own.
    pub(super) fn by_hand(&mut self, side: Side, binds: &[Bind], mode: &[&str]) -> Result<()> {
        let engine = Arc::clone(&self.remains.engine);
        let one = self.boxes.iter().find(|one| one.side == side).context("the side has no container")?;
        let identity = &self.remains.identity;
        self.helpers += 1;
        let body = container::hands(&one.image, identity, &self.places.launcher, binds, &self.limits);
        let started = engine.start(&identity.name(&format!("hands-{}", self.helpers)), body)?;
        let program: Vec<&str> = [BINARY, SUBCOMMAND].into_iter().chain(mode.iter().copied()).collect();
        let call = Call {
            container: &started.id,
            program: &program,
            user: &format!("{}:{}", self.owner.0, self.owner.1),
            input: &[],
            limit: HANDS,
            check: &|| self.places.check(&self.limits),
        };
        let done = engine.exec(&call, |_| Ok(()));
        engine.remove(std::slice::from_ref(&started.id))?;
        match done? {
            (0, _) => Ok(()),
            (code, complaint) => bail!("it ended with {code}: {complaint}"),
        }
    }
}

fn not_started(reason: String, started: Duration) -> Execution {
    Execution {
        status: StepStatus::NotStarted(reason),
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
