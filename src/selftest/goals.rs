//! The goals of the method, measured: a synthetic benchmark in real processes, in every regime.

use super::laboratory::{Laboratory, Measured};
use super::overhead;
use super::regime::Regime;
use super::share::{FEWEST, Share};
use super::simulated;
use super::synthetic::Rows;
use super::tally::{ABOVE_THRESHOLD, FOUND, Tally};
use crate::config::Rounds;
use crate::side::PerSide;
use anyhow::{Result, ensure};
use std::fmt::Write as _;

/// Rows of a suite.
const ROWS: usize = 30;
/// Changed rows of each effect.
const CHANGED: usize = 3;
/// Units of work of a row: about a millisecond, so that a process takes some 30 ms.
const UNITS: u64 = 2000;
/// Seconds of the commands beside which our own CPU time is measured, and their number.
const OWN_SECONDS: u32 = 1;
const OWN_ROUNDS: u32 = 2;

/// What is asked of the experiment.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Suites of each kind (unchanged, changed, changed by what a report printed) in each regime.
    pub(crate) suites: u32,
    /// The regimes.
    pub(crate) regimes: Vec<Regime>,
    /// Units of work of a row; `None`: about a millisecond in an optimised program.
    pub(crate) units: Option<u64>,
}

/// A table in Markdown, and whether every goal was reached.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) text: String,
    pub(crate) missed: bool,
}

/// Measures all goals.
///
/// # Errors
/// When a process cannot be run, or a signal arrived.
pub(crate) fn run(wanted: &Wanted, tell: &mut dyn FnMut(&str)) -> Result<Outcome> {
    ensure!(wanted.suites >= 1, "--suites must be at least 1");
    let mut laboratory = Laboratory::open()?;
    let machine = laboratory.machine();
    let mut columns = Vec::new();
    let mut notes = Vec::new();
    for regime in &wanted.regimes {
        tell(&format!("{}: {} suites", regime.name(), 3 * wanted.suites));
        match regime_of(&mut laboratory, *regime, wanted)? {
            Ok(tally) => columns.push((*regime, tally)),
            Err(why) => notes.push(format!("`{}` was left out: {why}.", regime.name())),
        }
    }
    tell("our own time");
    let own = overhead::measure(&mut laboratory, OWN_SECONDS, 2 * OWN_ROUNDS)?;
    let honesty = simulated::small_n();
    let head = format!(
        "{} suites of {ROWS} rows of each kind and regime, real processes on {machine}. A share is followed by its 95 % \
         interval, suites being clusters, and by the counts; **missed** means outside the goal beyond doubt (99.9 %).",
        wanted.suites
    );
    let (table, mut missed) = table(&columns);
    let mut text = format!("{head}\n\n{table}\n");
    let _ = writeln!(text, "{}", own.sentence());
    let _ = writeln!(text, "{honesty}");
    missed |= honesty.missed();
    for note in notes {
        let _ = writeln!(text, "{note}");
    }
    Ok(Outcome { text, missed })
}

/// All suites of one regime, or why this machine cannot do it.
fn regime_of(laboratory: &mut Laboratory, regime: Regime, wanted: &Wanted) -> Result<Result<Tally, String>> {
    let mut hog = match laboratory.disturb(regime) {
        Ok(hog) => hog,
        Err(error) => return Ok(Err(format!("{error:#}"))),
    };
    let mut tally = Tally::default();
    let mut run = |effects: &[u64]| suite(laboratory, regime, wanted.units.unwrap_or(UNITS), effects);
    let effects = changed_effects();
    for nth in 0..wanted.suites as usize {
        let detectable = tally.unchanged(&run(&vec![0; ROWS])?);
        tally.changed(&run(&effects)?, &effects);
        let printed = printed_effects(&detectable, nth);
        if printed.iter().any(|effect| *effect > 0) {
            tally.printed(&run(&printed)?, &printed);
        }
    }
    if hog.as_mut().is_some_and(|hog| !hog.is_alive()) {
        return Ok(Err("the disturbing process ended, for want of a CPU or a priority".to_owned()));
    }
    Ok(Ok(tally))
}

/// One suite whose rows have these effects.
fn suite(laboratory: &mut Laboratory, regime: Regime, units: u64, effects: &[u64]) -> Result<Measured> {
    let rows = |effects: Vec<u64>| Rows { count: 1, units, bimodal: regime == Regime::Bimodal, effects };
    let run = PerSide { base: rows(vec![0; effects.len()]), head: rows(effects.to_vec()) };
    laboratory.measure(&run.map(|rows| Laboratory::command(&rows)), "go", Rounds::default())
}

/// Each effect on a row of every kind of work; the rest is unchanged.
fn changed_effects() -> Vec<u64> {
    let wanted = FOUND.iter().map(|(effect, _)| *effect).chain([ABOVE_THRESHOLD]);
    let mut effects: Vec<u64> = wanted.flat_map(|effect| [effect; CHANGED]).collect();
    effects.resize(ROWS, 0);
    effects
}

/// What a report printed for three rows, other ones for each suite, in thousandths.
fn printed_effects(detectable: &[Option<f64>], nth: usize) -> Vec<u64> {
    let mut effects = vec![0; ROWS];
    for row in 0..CHANGED {
        let row = (CHANGED * nth + row) % ROWS;
        // More than a doubling is no honest question, and a row without a figure none at all.
        if let Some(effect) = detectable.get(row).copied().flatten().filter(|effect| *effect <= 1.0) {
            effects[row] = (1000.0 * effect).ceil() as u64;
        }
    }
    effects
}

/// A goal: its name, its bounds as shares, and what each regime shows.
struct Goal {
    name: &'static str,
    bound: &'static str,
    least: f64,
    most: f64,
    of: fn(&Tally) -> &Share,
}

const GOALS: [Goal; 10] = [
    Goal {
        name: "G1 unchanged rows with p ≤ 0.05 (screen)",
        bound: "3.5 to 6.5 %",
        least: 0.035,
        most: 0.065,
        of: |tally| &tally.small_p,
    },
    Goal {
        name: "G2 unchanged reports with a red or green row",
        bound: "≤ 1 %",
        least: 0.0,
        most: 0.01,
        of: |tally| &tally.coloured,
    },
    Goal {
        name: "G3 +5 % found, pair sd ≤ 2 %", bound: "≥ 90 %", least: 0.9, most: 1.0, of: |tally| &tally.found[0]
    },
    Goal {
        name: "G3 +10 % found, pair sd ≤ 6 %", bound: "≥ 80 %", least: 0.8, most: 1.0, of: |tally| &tally.found[1]
    },
    Goal { name: "G3 +20 % found", bound: "≥ 95 %", least: 0.95, most: 1.0, of: |tally| &tally.found[2] },
    Goal {
        name: "G4 95 % interval holds the truth, n = 8",
        bound: "94 to 98 %",
        least: 0.94,
        most: 0.98,
        of: |tally| &tally.held[0],
    },
    Goal {
        name: "G4 95 % interval holds the truth, n = 16",
        bound: "93 to 97 %",
        least: 0.93,
        most: 0.97,
        of: |tally| &tally.held[1],
    },
    Goal {
        name: "G5 an effect as large as the printed smallest one is found",
        bound: "70 to 90 %",
        least: 0.7,
        most: 0.9,
        of: |tally| &tally.printed,
    },
    Goal {
        name: "G6 +2.2 % (1.1 thresholds) called unchanged",
        bound: "≤ 5 %",
        least: 0.0,
        most: 0.05,
        of: |tally| &tally.called_unchanged,
    },
    Goal {
        name: "G6 coloured rows of the wrong sign",
        bound: "0",
        least: 0.0,
        most: 0.0,
        of: |tally| &tally.wrong_sign,
    },
];

/// Most rounds a side that a benchmark may cost.
const MOST_ROUNDS: f64 = 11.0;

fn table(columns: &[(Regime, Tally)]) -> (String, bool) {
    let mut missed = false;
    let mut text = String::from("| | goal |");
    columns.iter().for_each(|(regime, _)| text += &format!(" {} |", regime.name()));
    text += "\n|:--|:--|";
    columns.iter().for_each(|_| text += ":--|");
    let mut line = |name: &str, bound: &str, cell: &dyn Fn(&Tally) -> (String, bool)| {
        let _ = write!(text, "\n| {name} | {bound} |");
        for (_, tally) in columns {
            let (shown, misses) = cell(tally);
            missed |= misses;
            let _ = write!(text, " {shown}{} |", if misses { " **missed**" } else { "" });
        }
    };
    for goal in &GOALS {
        let cell = |tally: &Tally| {
            let share = (goal.of)(tally);
            (share.to_string(), share.misses(goal.least, goal.most))
        };
        line(goal.name, goal.bound, &cell);
    }
    line("G9 rounds a side for a benchmark, median suite", "≤ 11", &|tally| {
        let (rounds, suites) = tally.rounds();
        let shown = rounds.map_or_else(|| "–".to_owned(), |rounds| format!("{rounds:.1}"));
        (shown, suites >= FEWEST && rounds.is_some_and(|rounds| rounds > MOST_ROUNDS))
    });
    let seen = |value: String| (value, false);
    line("unchanged rows coloured beside changed ones", "", &|tally| seen(tally.others.to_string()));
    line("suites headed “noisy machine”", "", &|tally| seen(tally.noisy.to_string()));
    line("pair sd, median row", "", &|tally| seen(percent(tally.deviation())));
    line("end of a command to the start of the next", "", &|tally| {
        seen(tally.gap().map_or_else(|| "–".to_owned(), |gap| format!("{:.1} ms", 1000.0 * gap)))
    });
    text.push('\n');
    (text, missed)
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}%", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_is_on_every_kind_of_work() {
        let effects = changed_effects();
        assert_eq!(effects.len(), ROWS);
        for effect in [50, 100, 200, 22] {
            let kinds: Vec<usize> = (0..ROWS).filter(|row| effects[*row] == effect).map(|row| row % 3).collect();
            assert_eq!(kinds, [0, 1, 2], "{effect}");
        }
    }

    #[test]
    fn what_was_printed_is_put_into_other_rows_each_time() {
        let printed: Vec<Option<f64>> = (0..ROWS).map(|row| (row != 4).then_some(0.031)).collect();
        let first = printed_effects(&printed, 0);
        let second = printed_effects(&printed, 1);
        assert_eq!(first[..4], [31, 31, 31, 0]);
        assert_eq!(second[..7], [0, 0, 0, 31, 0, 31, 0]);
        assert!(printed_effects(&[Some(1.5); ROWS], 0).iter().all(|effect| *effect == 0));
    }

    #[test]
    fn a_goal_that_is_missed_says_so() {
        let mut tally = Tally::default();
        for _ in 0..50 {
            tally.coloured.next_suite();
            tally.coloured.add(true);
        }
        let (text, missed) = table(&[(Regime::Quiet, tally)]);
        assert!(missed);
        let line = text.lines().find(|line| line.starts_with("| G2")).unwrap();
        assert!(line.contains("100.0%") && line.contains("**missed**"), "{line}");
        let other = text.lines().find(|line| line.starts_with("| G1")).unwrap();
        assert!(other.ends_with("| – |"), "{other}");
    }
}
