//! What this program itself costs: the time between two commands, and its own CPU time while one runs.

use super::laboratory::Laboratory;
use super::tally::gaps;
use crate::config::Rounds;
use crate::side::PerSide;
use crate::stats::order;
use anyhow::Result;

/// What was measured, in seconds.
#[derive(Debug)]
pub(crate) struct Overhead {
    /// Length of the commands.
    seconds: u32,
    /// From the end of a command to the start of the next one in its block.
    gaps: Vec<f64>,
    /// Own CPU time while a command ran.
    cpu: Vec<f64>,
    /// The same as a share of the command's time.
    shares: Vec<f64>,
    /// The machine, in words.
    machine: String,
}

/// Runs commands that sleep, `rounds` (even) a side, and measures this program meanwhile.
///
/// # Errors
/// When a command cannot be run, or a signal arrived.
pub(super) fn measure(laboratory: &mut Laboratory, seconds: u32, rounds: u32) -> Result<Overhead> {
    let command = format!("exec sleep {seconds}");
    let run = PerSide { base: command.clone(), head: command };
    laboratory.take_own_cpu();
    let machine = laboratory.machine();
    let measured = laboratory.measure(&run, "process", Rounds::Fixed(rounds))?;
    let own = laboratory.take_own_cpu();
    let mut gaps: Vec<f64> = measured.results.suites.iter().flat_map(gaps).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    Ok(Overhead {
        seconds,
        gaps,
        cpu: order::sorted(&own.iter().map(|one| one.cpu).collect::<Vec<_>>()),
        shares: order::sorted(&own.iter().map(|one| one.cpu / one.wall).collect::<Vec<_>>()),
        machine,
    })
}

/// A table of a longer measurement on its own.
///
/// # Errors
/// When a command cannot be run, or a signal arrived.
pub(crate) fn table(rounds: u32) -> Result<String> {
    let mut laboratory = Laboratory::open()?;
    Ok(measure(&mut laboratory, 1, rounds)?.table())
}

impl Overhead {
    /// One sentence.
    pub(super) fn sentence(&self) -> String {
        let median = |values: &[f64]| order::median(values).unwrap_or_default();
        format!(
            "G9: while a command of {} s runs, bench-bot itself uses {:.2} ms of CPU time ({:.3} %; goal: below 0.1 %), \
             starting and watching it included.",
            self.seconds,
            1000.0 * median(&self.cpu),
            100.0 * median(&self.shares)
        )
    }

    fn table(&self) -> String {
        let line = |name: &str, values: &[f64], factor: f64, unit: &str| {
            let at = |place: f64| factor * order::quantile(values, place).unwrap_or_default();
            format!("| {name} | {:.3} {unit} | {:.3} {unit} | {:.3} {unit} |\n", at(0.5), at(0.95), at(1.0))
        };
        format!(
            "{} commands of {} s each, on {}.\n\n| | median | 95 % are below | largest |\n|:--|--:|--:|--:|\n{}{}{}",
            self.cpu.len(),
            self.seconds,
            self.machine,
            line("end of a command to the start of the next, inside a block", &self.gaps, 1e3, "ms"),
            line("own CPU time while a command runs", &self.cpu, 1e3, "ms"),
            line("the same as a share of the command's time", &self.shares, 1e2, "%"),
        )
    }
}
