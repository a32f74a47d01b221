//! An executor with exact times and no processes: schedules, budgets and failures are tested without a clock.

use super::exec::{Exec, ExecError, Execution, Step};
use crate::results::{RoundWitness, StepStatus};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a scripted command does.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How long it takes.
    pub wall: Duration,
    /// How it ends.
    pub status: StepStatus,
    /// Files that it leaves.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What the machine does meanwhile.
    pub witness: RoundWitness,
    /// The signal that arrives while it runs.
    pub interrupted: Option<i32>,
}

impl Reply {
    /// A command that prints `stdout` and succeeds after `wall`.
    #[must_use]
    pub fn prints(stdout: impl Into<String>, wall: Duration) -> Self {
        Self {
            stdout: stdout.into(),
            stderr: String::new(),
            wall,
            status: StepStatus::Ok,
            files: BTreeMap::new(),
            witness: RoundWitness::default(),
            interrupted: None,
        }
    }

    /// A command that says nothing and takes no time.
    #[must_use]
    pub fn silent() -> Self {
        Self::prints("", Duration::ZERO)
    }

    /// A command that ends with `code` after printing `stderr`.
    #[must_use]
    pub fn fails(code: i32, stderr: impl Into<String>) -> Self {
        Self { status: StepStatus::Exit(code), stderr: stderr.into(), ..Self::silent() }
    }
}

/// Answers every step from a script, and keeps what was asked.
pub struct ScriptedExec<'s> {
    script: Box<dyn FnMut(&Step) -> Reply + 's>,
    clock: Duration,
    /// Time that passes before each command starts.
    pub between: Duration,
    /// Every step that was run, in order.
    pub steps: Vec<Step>,
}

impl<'s> ScriptedExec<'s> {
    /// An executor whose answers come from `script`.
    pub fn new(script: impl FnMut(&Step) -> Reply + 's) -> Self {
        Self { script: Box::new(script), clock: Duration::ZERO, between: Duration::ZERO, steps: Vec::new() }
    }
}

impl Exec for ScriptedExec<'_> {
    fn run(&mut self, step: &Step) -> Result<Execution, ExecError> {
        self.steps.push(step.clone());
        let reply = (self.script)(step);
        self.clock += self.between;
        let started = self.clock;
        // A command is killed when its time is over, as a real one is.
        let over = reply.wall > step.timeout;
        let wall = reply.wall.min(step.timeout);
        self.clock += wall;
        if let Some(signal) = reply.interrupted {
            return Err(ExecError::Interrupted(signal));
        }
        Ok(Execution {
            status: if over { StepStatus::TimedOut(step.timeout.as_secs_f64()) } else { reply.status },
            wall,
            started,
            stdout: reply.stdout.into_bytes(),
            stderr: reply.stderr.into_bytes(),
            lost: 0,
            files: reply.files,
            notes: Vec::new(),
            witness: reply.witness,
        })
    }

    fn elapsed(&self) -> Duration {
        self.clock
    }
}
