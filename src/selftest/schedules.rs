//! Identical binaries under three schedules: how often does each call them different?
//!
//! The two sides run the same bytes (their SHA-256 is compared), on the same CPU, in processes started by the same code.
//! Only the order differs: all repetitions inside one process a side, one side after the other, or randomised blocks of
//! four.

use super::laboratory::Laboratory;
use super::synthetic::Rows;
use crate::measure::seed::Seed;
use crate::side::{PerSide, Side};
use crate::stats::mann_whitney::{self, ExactLimit};
use crate::stats::permutation::{Block, p_value};
use crate::stats::proportion::wilson_at;
use crate::stats::{order, shift};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;

/// Values a side of every comparison.
const ROUNDS: usize = 10;
/// One row of each kind of work.
const ROWS: usize = 3;
/// Units of work of a row: some ten milliseconds.
const UNITS: u64 = 20_000;
const ALPHA: f64 = 0.05;
const THRESHOLD: f64 = 0.02;

const NAMES: [&str; 3] = [
    "`-count 10` in one process a side, Mann–Whitney",
    "ten processes of base, then ten of head, Mann–Whitney",
    "randomised blocks of four, n = 10, randomisation test",
];

/// One comparison of identical code.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Comparison {
    p: f64,
    /// Estimated change, as a ratio minus 1.
    change: f64,
}

/// Runs `experiments` experiments, each with all three schedules in changing order, and gives the table.
///
/// # Errors
/// When a process cannot be run, or a signal arrived.
pub(crate) fn run(experiments: u32, units: Option<u64>, tell: &mut dyn FnMut(&str)) -> Result<String> {
    ensure!(experiments >= 1, "--experiments must be at least 1");
    let mut laboratory = Laboratory::open()?;
    let machine = laboratory.machine();
    let rows = |count| Rows { count, units: units.unwrap_or(UNITS), bimodal: false, effects: vec![0; ROWS] };
    let seed = Seed::fresh().context("drawing a seed")?;
    let mut found: [Vec<Comparison>; 3] = Default::default();
    // What a first process costs belongs to no schedule.
    for side in Side::BOTH {
        laboratory.process(side, &rows(1))?;
    }
    for experiment in 0..experiments {
        tell(&format!("experiment {} of {experiments}", experiment + 1));
        for nth in 0..3 {
            let schedule = (experiment as usize + nth) % 3;
            let comparisons = match schedule {
                0 => {
                    let sides = sides(|side| laboratory.process(side, &rows(ROUNDS as u32)))?;
                    one_after_the_other(&sides)
                }
                1 => {
                    let sides = sides(|side| {
                        let processes = (0..ROUNDS).map(|_| laboratory.process(side, &rows(1)));
                        Ok(by_row(processes.collect::<Result<_>>()?))
                    })?;
                    one_after_the_other(&sides)
                }
                _ => in_blocks(&mut laboratory, &rows(1), seed, experiment)?,
            };
            found[schedule].extend(comparisons);
        }
    }
    Ok(format!(
        "{experiments} experiments with {ROWS} rows each, {ROUNDS} values a side, byte-identical binaries, on {machine}.\n\n{}",
        table(&found)
    ))
}

/// Base, then head: the habit.
fn sides(mut run: impl FnMut(Side) -> Result<Vec<Vec<f64>>>) -> Result<PerSide<Vec<Vec<f64>>>> {
    Ok(PerSide { base: run(Side::Base)?, head: run(Side::Head)? })
}

/// Values by process and row as values by row.
fn by_row(processes: Vec<Vec<Vec<f64>>>) -> Vec<Vec<f64>> {
    let mut rows = vec![Vec::new(); ROWS];
    for process in processes {
        rows.iter_mut().zip(process).for_each(|(row, values)| row.extend(values));
    }
    rows
}

/// What is concluded by today's habit: Mann–Whitney and the ratio of medians.
fn one_after_the_other(sides: &PerSide<Vec<Vec<f64>>>) -> Vec<Comparison> {
    let rows = sides.base.iter().zip(&sides.head);
    rows.filter_map(|(base, head)| {
        let p = mann_whitney::test(base, head, ExactLimit::WIDE)?.p;
        Some(Comparison { p, change: order::median_of(head)? / order::median_of(base)? - 1.0 })
    })
    .collect()
}

/// Blocks of four in the order of the product, and its test.
fn in_blocks(laboratory: &mut Laboratory, rows: &Rows, seed: Seed, experiment: u32) -> Result<Vec<Comparison>> {
    let mut blocks: Vec<Vec<Block>> = vec![Vec::new(); ROWS];
    for block in 0..ROUNDS / 2 {
        let mut values: PerSide<Vec<Vec<f64>>> = PerSide::default();
        for side in seed.order(&["schedules", &experiment.to_string(), &block.to_string()]) {
            let process = laboratory.process(side, rows)?;
            values.get_mut(side).push(process.into_iter().filter_map(|row| row.first().copied()).collect());
        }
        for (row, blocks) in blocks.iter_mut().enumerate() {
            let of = |side: &Vec<Vec<f64>>| {
                let values = side.iter().filter_map(|process| process.get(row).map(|value| libm::log(*value)));
                <[f64; 2]>::try_from(values.collect::<Vec<f64>>()).ok()
            };
            if let (Some(base), Some(head)) = (of(&values.base), of(&values.head)) {
                blocks.push(Block { base, head });
            }
        }
    }
    let judge =
        |blocks: &Vec<Block>| Some(Comparison { p: p_value(blocks), change: libm::expm1(shift::effect(blocks)?) });
    Ok(blocks.iter().filter_map(judge).collect())
}

fn table(found: &[Vec<Comparison>; 3]) -> String {
    let mut text = String::from(
        "| schedule and test | comparisons | p ≤ 0.05 | 95 % interval | p ≤ 0.05 and ≥ 2 % | 95 % of the estimates are within |\n\
         |:--|--:|--:|:-:|--:|--:|\n",
    );
    for (name, comparisons) in NAMES.iter().zip(found) {
        let of = comparisons.len() as u64;
        let hits = |rule: fn(&Comparison) -> bool| comparisons.iter().filter(|one| rule(one)).count() as u64;
        let small = hits(|one| one.p <= ALPHA);
        let accused = hits(|one| one.p <= ALPHA && one.change.abs() >= THRESHOLD);
        let interval = wilson_at(small, of, 0.95);
        let percent = |hits: u64| 100.0 * hits as f64 / of.max(1) as f64;
        let sizes: Vec<f64> = comparisons.iter().map(|one| one.change.abs()).collect();
        let floor = order::quantile(&order::sorted(&sizes), 0.95).unwrap_or_default();
        let _ = writeln!(
            text,
            "| {name} | {of} | {:.1}% | {:.1} to {:.1}% | {:.1}% | ±{:.1}% |",
            percent(small),
            100.0 * interval.lo,
            100.0 * interval.hi,
            percent(accused),
            100.0 * floor
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_habit_is_judged_by_the_habits_test() {
        let calm = vec![vec![1.0, 1.1, 1.2]];
        let sides = PerSide { base: calm.clone(), head: vec![vec![2.0, 2.1, 2.2]] };
        // Three against three, fully separated: 2 of 20 ways.
        assert_eq!(one_after_the_other(&sides), [Comparison { p: 0.1, change: 2.1 / 1.1 - 1.0 }]);
        let text = table(&[one_after_the_other(&sides), Vec::new(), vec![Comparison { p: 0.05, change: -0.01 }]]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].contains("| 1 | 0.0% |") && lines[4].contains("| 1 | 100.0% |"), "{text}");
        assert!(lines[4].contains("| 0.0% | ±1.0% |"), "{text}");
    }

    #[test]
    fn processes_are_put_together_by_row() {
        let process = |value: f64| vec![vec![value], vec![10.0 * value], vec![0.0]];
        assert_eq!(by_row(vec![process(1.0), process(2.0)]), [vec![1.0, 2.0], vec![10.0, 20.0], vec![0.0, 0.0]]);
    }
}
