//! What disturbs the synthetic benchmark.

use super::synthetic::{ARGUMENT, Disturbance};
use crate::measure::process::Placement;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A kind of machine, made by what runs beside the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Regime {
    /// Nothing of ours runs beside it.
    Quiet,
    /// Another CPU computes.
    Neighbour,
    /// Another CPU moves memory.
    Memory,
    /// The benchmark's own CPU is taken for seconds, by chance.
    OnOff,
    /// More and more of the benchmark's own CPU is taken, for a minute, again and again.
    Ramp,
    /// Half of the processes are 5 % slower, whichever side they belong to.
    Bimodal,
}

impl Regime {
    /// Every regime.
    pub const ALL: [Self; 6] = [Self::Quiet, Self::Neighbour, Self::Memory, Self::OnOff, Self::Ramp, Self::Bimodal];

    /// A short name for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Neighbour => "busy neighbour",
            Self::Memory => "memory hog",
            Self::OnOff => "on-off hog",
            Self::Ramp => "ramp",
            Self::Bimodal => "bimodal",
        }
    }

    /// What disturbs, and whether it does so on the benchmark's own CPU.
    const fn disturbance(self) -> Option<(Disturbance, bool)> {
        match self {
            Self::Quiet | Self::Bimodal => None,
            Self::Neighbour => Some((Disturbance::Busy, false)),
            Self::Memory => Some((Disturbance::Memory, false)),
            Self::OnOff => Some((Disturbance::OnOff, true)),
            Self::Ramp => Some((Disturbance::Ramp, true)),
        }
    }

    /// Begins to disturb a benchmark that is placed so; `other` is a CPU that is not the benchmark's.
    ///
    /// # Errors
    /// When this machine cannot do it, or the process does not start.
    pub(crate) fn begin(self, program: &Path, own: &Placement, other: Option<u32>) -> io::Result<Option<Hog>> {
        let Some((disturbance, beside)) = self.disturbance() else { return Ok(None) };
        let cpu = if beside { own.cpus.first().map(usize::to_string) } else { other.map(|cpu| cpu.to_string()) };
        let Some(cpu) = cpu.or_else(|| beside.then(|| "-".to_owned())) else {
            return Err(io::Error::other("there is no CPU beside the benchmark's"));
        };
        // On its own CPU it must be as important as the benchmark, or the scheduler would keep it away.
        let nice = own.nice.map_or_else(|| "-".to_owned(), |nice| nice.to_string());
        let child = Command::new(program)
            .args([ARGUMENT, "hog", disturbance.word(), &cpu, &nice])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Some(Hog(child)))
    }
}

/// A disturbance under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Hog(Child);

impl Hog {
    /// Whether it still disturbs: one that was refused its CPU or priority has ended.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill and the wait collects it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
