//! The one seam of measuring: who executes a command.
//!
//! Three make it real: the host, a container, and a script with exact times, so that schedules, budgets and verdicts
//! are tested without a clock.

use crate::results::{RoundWitness, StepStatus};
use crate::side::Side;
use std::collections::BTreeMap;
use std::time::Duration;

/// One command to execute on one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The side.
    pub side: Side,
    /// The suite, for messages.
    pub suite: String,
    /// What it is for, for messages and for the network rule.
    pub kind: StepKind,
    /// The command, for `sh -c`.
    pub command: String,
    /// Folder relative to the side's tree.
    pub directory: String,
    /// Variables beside the allowlist; they win over it.
    pub env: BTreeMap<String, String>,
    /// The command's whole process group is killed after this time.
    pub timeout: Duration,
    /// Paths relative to `directory` that are deleted before the command starts.
    pub remove: Vec<String>,
    /// Files or folders relative to `directory` whose regular files are read after the command ended.
    pub collect: Vec<String>,
    /// Files relative to `directory` that must exist after the command ended.
    pub require: Vec<String>,
    /// Place of a counted round in its block, 0 to 3; 0 for everything else. Between blocks there is time to look at
    /// the machine.
    pub position: u8,
}

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// Once a side, before any round; has a network.
    Setup,
    /// The uncounted first round.
    Warmup,
    /// A counted round.
    Round,
    /// A question such as `go version`, whose answer is shown.
    Probe,
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// How it ended.
    pub status: StepStatus,
    /// Wall-clock time of the command alone.
    pub wall: Duration,
    /// When it started, since the executor was made.
    pub started: Duration,
    /// Standard output, cut at the cap.
    pub stdout: Vec<u8>,
    /// Standard error, cut at the cap.
    pub stderr: Vec<u8>,
    /// Bytes of output beyond the cap that were thrown away.
    pub lost: u64,
    /// The collected files, by path relative to the step's directory.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What a reader must know, in words: a file that was not read, and why. Unescaped.
    pub notes: Vec<String>,
    /// What the machine did meanwhile.
    pub witness: RoundWitness,
}

/// Why measuring cannot go on. A command that fails is an [`Execution`], not an error.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The user or the runner asked to stop.
    #[error("stopped by signal {0}")]
    Interrupted(i32),
    /// The executor itself broke.
    #[error("{what} ({side}, suite {suite})")]
    Broken {
        /// What failed.
        what: String,
        /// On which side.
        side: Side,
        /// For which suite.
        suite: String,
        /// Why.
        #[source]
        source: anyhow::Error,
    },
}

/// Executes commands, one at a time.
pub trait Exec {
    /// Executes `step` and waits for its end.
    ///
    /// # Errors
    /// When a signal asked to stop, or the executor itself broke; never because the command failed.
    fn run(&mut self, step: &Step) -> Result<Execution, ExecError>;

    /// Time since the executor was made.
    fn elapsed(&self) -> Duration;
}
