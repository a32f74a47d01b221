//! `bench-bot selftest`: the method of this program where the truth is known.

use crate::cli::args::{SelftestArgs, SelftestPart};
use crate::cli::failure::TRIPPED;
use crate::cli::output;
use crate::selftest::goals::{self, Wanted};
use crate::selftest::regime::Regime;
use crate::selftest::{overhead, schedules, simulated};
use anyhow::{Result, ensure};

/// Runs the parts that were asked for and prints their tables.
///
/// # Errors
/// When a file cannot be written, a process cannot be run, or a signal arrives.
pub(crate) fn run(args: &SelftestArgs) -> Result<u8> {
    ensure!(args.reports >= 1, "--reports must be at least 1");
    ensure!(args.rounds >= 2 && args.rounds.is_multiple_of(2), "--rounds must be even and at least 2");
    output::probe(args.markdown.as_deref())?;
    let mut parts = args.parts.clone();
    if parts.is_empty() {
        parts = vec![SelftestPart::Simulated, SelftestPart::Real];
    }
    let (mut text, mut missed) = (String::new(), false);
    for part in parts {
        let tell = &mut |line: &str| crate::cli::say::err!("bench-bot: selftest, {line}");
        let table = match part {
            SelftestPart::Simulated => simulated::tables(u64::from(args.reports), args.seed),
            SelftestPart::Real => {
                let regimes = if args.regime.is_empty() { Regime::ALL.to_vec() } else { args.regime.clone() };
                let outcome = goals::run(&Wanted { suites: args.suites, regimes, units: args.units }, tell)?;
                missed |= outcome.missed;
                outcome.text
            }
            SelftestPart::Schedules => schedules::run(args.experiments, args.units, tell)?,
            SelftestPart::Overhead => overhead::table(args.rounds)?,
        };
        crate::cli::say::part!("{}{table}", if text.is_empty() { "" } else { "\n" });
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&table);
    }
    if let Some(path) = &args.markdown {
        output::write(path, text.as_bytes())?;
    }
    if missed {
        crate::cli::say::err!("bench-bot: a goal was missed; see the table");
    }
    Ok(if missed { TRIPPED } else { 0 })
}
