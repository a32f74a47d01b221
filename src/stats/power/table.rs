//! The committed constants, how they are looked up, and the program that makes them.

use super::{Role, SCREEN_LEVEL, between, quantile_of_needed, simulate_needed, smallest_p};
use std::fmt::Write as _;

/// Seed of the committed table.
pub const SEED: u64 = 20_240_607;

/// Runs behind every entry of the committed table.
pub const RUNS: u32 = 4000;

/// Columns: families of 0.5 (that is α = 0.10 alone), 1, 3, 10, 30, 100, 1,000 and 10,000 rows at α = 0.05.
const LEVELS: [f64; 8] = [0.05 / 0.5, 0.05, 0.05 / 3.0, 0.05 / 10.0, 0.05 / 30.0, 0.05 / 100.0, 0.05 / 1e3, 0.05 / 1e4];

/// Constants of one number of blocks, by level; 0 where the level cannot be reached.
type Line = [f64; LEVELS.len()];

const FIXED_BLOCKS: [u32; 18] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 25, 30, 40, 50];
const SCREEN_BLOCKS: [u32; 10] = [2, 3, 4, 5, 6, 8, 12, 16, 25, 50];
const CONFIRM_BLOCKS: [u32; 8] = [3, 4, 6, 8, 12, 16, 25, 50];

include!("constants.rs");

/// The constant of a one-stage plan.
pub(super) fn fixed(blocks: u32, level: f64) -> Option<f64> {
    let lines = FIXED_BLOCKS.iter().zip(&FIXED).map(|(&b, line)| (b, at_level(line, level)));
    reachable(blocks, level).then(|| by_blocks(blocks, lines)).flatten()
}

/// The constant of a two-stage plan.
pub(super) fn staged(screen: u32, confirm: u32, level: f64) -> Option<f64> {
    let lines = SCREEN_BLOCKS.iter().zip(&STAGED).map(|(&b, lines)| {
        let lines = CONFIRM_BLOCKS.iter().zip(lines).map(|(&b, line)| (b, at_level(line, level)));
        (b, by_blocks(confirm, lines))
    });
    (reachable(screen, SCREEN_LEVEL) && reachable(confirm, level)).then(|| by_blocks(screen, lines)).flatten()
}

fn reachable(blocks: u32, level: f64) -> bool {
    level > 0.0 && smallest_p(blocks) <= level
}

/// A line at `level`, from the two nearest columns that the line has.
fn at_level(line: &Line, level: f64) -> Option<f64> {
    let columns = line.iter().take_while(|c| **c > 0.0).count();
    match columns {
        0 => None,
        1 => (level >= LEVELS[1]).then_some(line[0]),
        _ => {
            let (before, share) = between(&LEVELS[..columns], level);
            Some(line[before] + share * (line[before + 1] - line[before]))
        }
    }
}

/// The value at `blocks` between lines of rising numbers of blocks.
fn by_blocks(blocks: u32, lines: impl Iterator<Item = (u32, Option<f64>)>) -> Option<f64> {
    let scale = |b: u32| 1.0 / f64::from(b).sqrt();
    let mut before: Option<(u32, f64)> = None;
    for (at, value) in lines {
        if at >= blocks {
            let after = value?;
            return Some(match before {
                Some((low, value)) if at > blocks => {
                    let share = (scale(blocks) - scale(low)) / (scale(at) - scale(low));
                    value + share * (after - value)
                }
                _ => after * scale(blocks) / scale(at),
            });
        }
        before = value.map(|value| (at, value));
    }
    // More blocks than the table: the constant shrinks with their root.
    before.map(|(at, value)| value * scale(blocks) / scale(at))
}

/// The text of `constants.rs` for `runs` and `seed`: what is committed is `render(RUNS, SEED)`.
#[must_use]
pub fn render(runs: u32, seed: u64) -> String {
    let draws = |blocks: &[u32], levels: &[f64], role: Role| -> Vec<Vec<Vec<f64>>> {
        blocks.iter().map(|&b| simulate_needed(b, levels, runs, seed, role)).collect()
    };
    let line = |needed: &mut dyn Iterator<Item = Vec<f64>>| {
        let line: Vec<String> =
            needed.map(|needed| format!("{:.3}", quantile_of_needed(&needed).unwrap_or(0.0))).collect();
        format!("[{}],\n", line.join(", "))
    };
    let mut text = format!("// Made by `stats::power::render({runs}, {seed})`; see there.\n\n");
    let _ = writeln!(text, "const FIXED: [Line; {}] = [", FIXED_BLOCKS.len());
    for needed in draws(&FIXED_BLOCKS, &LEVELS, Role::Confirm) {
        let _ = write!(text, "    {}", line(&mut needed.into_iter()));
    }
    let (screens, confirms) = (SCREEN_BLOCKS.len(), CONFIRM_BLOCKS.len());
    let _ = writeln!(text, "];\n\nconst STAGED: [[Line; {confirms}]; {screens}] = [");
    let confirm = draws(&CONFIRM_BLOCKS, &LEVELS, Role::Confirm);
    for screen in draws(&SCREEN_BLOCKS, &[SCREEN_LEVEL], Role::Screen) {
        text.push_str("    [\n");
        for confirm in &confirm {
            let mut both = confirm
                .iter()
                .map(|needed| needed.iter().zip(&screen[0]).map(|(c, s)| c.max(*s)).collect::<Vec<f64>>());
            let _ = write!(text, "        {}", line(&mut both));
        }
        text.push_str("    ],\n");
    }
    text.push_str("];\n");
    text
}
