//! Measured data: identical binaries on a shared machine.

use super::super::mann_whitney::{self, ExactLimit};
use super::super::permutation::{Block, p_value};
use super::super::proportion;
use super::{assert_digits, numbers};
use serde_json::Value;

const BLOCKS: &str = include_str!("../../../tests/data/stats/aa-blocks.txt");
const APART: &str = include_str!("../../../tests/data/stats/aa-side-after-side.txt");

fn reference() -> Value {
    serde_json::from_str(include_str!("../../../tests/data/stats/real.json")).unwrap()
}

/// The designs of the file, on logarithms of column 1 (wall) or 2 (CPU).
fn designs(column: usize) -> Vec<Vec<Block>> {
    let lines = BLOCKS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let rounds: Vec<(&str, f64)> = line
                .split_whitespace()
                .skip(1)
                .map(|round| {
                    let parts: Vec<&str> = round.split(':').collect();
                    (parts[0], libm::log(parts[column].parse().unwrap()))
                })
                .collect();
            rounds
                .chunks(4)
                .map(|four| {
                    let side = |name| {
                        let values: Vec<f64> = four.iter().filter(|r| r.0 == name).map(|r| r.1).collect();
                        <[f64; 2]>::try_from(values).unwrap()
                    };
                    Block { base: side("A"), head: side("B") }
                })
                .collect()
        })
        .collect()
}

#[test]
fn identical_binaries_differ_as_often_as_promised() {
    for (column, name) in [(1, "wall"), (2, "cpu")] {
        let wanted = numbers(&reference()[name]);
        let found: Vec<f64> = designs(column).iter().map(|design| p_value(design)).collect();
        assert_eq!(found.len(), 300);
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_digits(*found, *wanted, &name);
        }
        // 15 of 300 in both columns: the nominal 5 % lies inside the Wilson interval.
        let hits = found.iter().filter(|p| **p <= 0.05).count();
        let interval = proportion::wilson_at(hits as u64, 300, 0.95);
        assert!(interval.lo < 0.05 && interval.hi > 0.05, "{name}: {hits}");
    }
}

/// Why plain files are only an unconfirmed comparison: one side after the other, identical binaries "differ" in a
/// quarter of all comparisons, and no test of the values alone can know.
#[test]
fn identical_binaries_differ_too_often_when_measured_side_after_side() {
    let wanted = numbers(&reference()["apart"]);
    let found: Vec<f64> = APART
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let sides: Vec<Vec<f64>> = line
                .split_whitespace()
                .skip(1)
                .map(|side| side.split(',').map(|value| value.parse().unwrap()).collect())
                .collect();
            mann_whitney::test(&sides[0], &sides[1], ExactLimit::WIDE).unwrap().p
        })
        .collect();
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_digits(*found, *wanted, &"side after side");
    }
    let hits = found.iter().filter(|p| **p <= 0.05).count();
    assert!(proportion::lower_limit(hits as u64, found.len() as u64, 0.99) > 0.15, "{hits}");
}
