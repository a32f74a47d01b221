//! The host: settings for the time of a measurement, and what can be seen of the machine.
//!
//! A [`Session`] reads everything, writes a journal, starts a guardian, sets, reads back, reports, and puts back what
//! was read: after success, error, panic and signals, by the guardian when the process was killed, and by the next
//! start when the guardian was killed too. Nothing that could not be applied or observed is ever implied.

pub mod cgroup;
pub mod command;
pub mod cpu;
pub mod cpulist;
pub mod frequency;
pub mod guardian;
pub mod helper;
pub mod machine;
pub mod process;
pub mod rules;
pub mod witness;

mod apply;
mod journal;
mod knob;
mod observer;
mod session;
mod tree;

#[cfg(test)]
mod fake;

pub use command::{restore, show, tune};
pub use frequency::{Frequencies, frequencies};
pub use journal::JournalPlace;
pub use machine::machine;
pub use observer::Observer;
pub use process::ProcessSettings;
pub use session::{Session, SideSettings};
pub use tree::Roots;
pub use witness::{LostTime, RoundProbe, Usage, Watch, lost_time};

use crate::results::{KnobOutcome, KnobStatus};
use std::io;

/// Why the host cannot be brought into the state that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// `tuning: require`, and these are refused or absent.
    #[error("`tuning: require`, but {}; everything was put back", refusals(.0))]
    Required(Vec<KnobOutcome>),
    /// The process that keeps settings, or that sets them for us, cannot be talked to.
    #[error("{what}")]
    Process {
        /// What was being done.
        what: &'static str,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// That process answered that it cannot.
    #[error("the host's settings: {0}")]
    Refused(String),
    /// The journal cannot be read or written.
    #[error("{0}")]
    Journal(String),
    /// Settings could not be put back; one sentence each.
    #[error("{}", .0.join(" "))]
    NotRestored(Vec<String>),
}

fn outcome(knob: &str, status: KnobStatus) -> KnobOutcome {
    KnobOutcome { knob: knob.to_owned(), status }
}

fn refusals(outcomes: &[KnobOutcome]) -> String {
    let parts: Vec<String> = outcomes.iter().map(|one| format!("{} is {}", one.knob, describe(&one.status))).collect();
    parts.join(", ")
}

/// An outcome in a few words, such as `applied (powersave → performance)`. Unescaped.
#[must_use]
pub fn describe(status: &KnobStatus) -> String {
    match status {
        KnobStatus::Applied(old, new) => format!("applied ({old} → {new})"),
        KnobStatus::Already(value) => format!("already {value}"),
        KnobStatus::Absent => "absent".to_owned(),
        KnobStatus::Denied(why) => format!("denied ({why})"),
        KnobStatus::Skipped(why) => format!("skipped ({why})"),
        KnobStatus::Drifted(set, found) => format!("drifted (set to {set}, found {found})"),
    }
}
