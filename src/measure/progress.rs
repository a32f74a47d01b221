//! Who is told what happens, while it happens.

mod lines;
mod terminal;

pub use lines::Lines;
pub use terminal::Terminal;

use crate::results::{StageKind, StepOutcome};
use crate::side::Side;
use std::time::Duration;

/// Something that happened. Names come from the configuration; text of commands is cleaned but unescaped.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'e> {
    /// A side's setup begins.
    Setup {
        /// The suite.
        suite: &'e str,
        /// The side.
        side: Side,
    },
    /// The uncounted first round of a side begins.
    Warmup {
        /// The suite.
        suite: &'e str,
        /// The side.
        side: Side,
    },
    /// A stage begins; its number of blocks is fixed.
    Stage {
        /// Which stage.
        kind: StageKind,
        /// Blocks of all suites together.
        blocks: u32,
        /// About how long they take.
        estimate: Duration,
    },
    /// A counted round begins.
    Round {
        /// The suite.
        suite: &'e str,
        /// The side.
        side: Side,
        /// The stage's block, from 1.
        block: u32,
        /// The round in its block, from 1 to 4.
        round: u32,
        /// Time since the executor was made.
        elapsed: Duration,
    },
    /// A block is complete.
    Block {
        /// The suite.
        suite: &'e str,
        /// The stage.
        stage: StageKind,
        /// The stage's block, from 1.
        block: u32,
        /// Blocks that the stage has in all.
        blocks: u32,
        /// What it was restricted to; empty: the whole suite.
        unit: &'e str,
        /// Why it does not count, if so.
        invalid: Option<&'e str>,
        /// How long it took.
        took: Duration,
        /// Time since the executor was made.
        elapsed: Duration,
        /// About how long the rest of the stage takes.
        left: Duration,
    },
    /// A command failed.
    Failed {
        /// The suite.
        suite: &'e str,
        /// The side.
        side: Side,
        /// What it was for, such as `setup` or `round`.
        what: &'e str,
        /// How it ended.
        outcome: &'e StepOutcome,
    },
    /// Anything else worth a line.
    Note(&'e str),
    /// Measuring is over.
    Done {
        /// Time since the executor was made.
        elapsed: Duration,
    },
}

/// Is told what happens.
pub trait Progress {
    /// Something happened.
    fn event(&mut self, event: &Event<'_>);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// `75s` as `1m15s`.
fn shown(time: Duration) -> String {
    let seconds = (time.as_millis() + 500) / 1000;
    match seconds {
        0 if !time.is_zero() => format!("{} ms", time.as_millis()),
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// How a command ended, in a few words.
#[must_use]
pub fn ended(outcome: &StepOutcome) -> String {
    use crate::results::StepStatus;
    match &outcome.status {
        StepStatus::Ok => "succeeded".to_owned(),
        StepStatus::NotRun => "was not run".to_owned(),
        StepStatus::Exit(code) => format!("exited with {code}"),
        StepStatus::Signal(number) => format!("was killed by signal {number}"),
        StepStatus::TimedOut(seconds) => format!("was killed after {seconds} s (its time limit)"),
        StepStatus::OutOfMemory => "was killed: out of memory".to_owned(),
        StepStatus::NotStarted(reason) => format!("could not be started: {reason}"),
        StepStatus::Missing(path) => format!("did not provide the required file {path}"),
    }
}

/// The name of a stage.
fn stage_name(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Fixed => "rounds",
        StageKind::Screen => "screen",
        StageKind::Confirm => "confirm",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        for (milliseconds, text) in [(0, "0s"), (120, "120 ms"), (1_400, "1s"), (75_000, "1m15s"), (7_260_000, "2h01m")]
        {
            assert_eq!(shown(Duration::from_millis(milliseconds)), text);
        }
    }
}
