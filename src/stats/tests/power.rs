//! Smallest detectable effects and rounds needed.

use super::super::permutation::{Block, p_value};
use super::super::power::residuals::{Demand, Residuals, runs};
use super::super::power::{Plan, rounds_for_level, rounds_needed};
use super::super::shift;
use super::super::simulate::random::Random;

/// Figures of an independent simulation (numpy, normal noise): the smallest effect in standard deviations of a pair.
const INDEPENDENT: [(Plan, f64, f64); 6] = [
    (Plan::Fixed { blocks: 4 }, 0.05, 1.14),
    (Plan::Fixed { blocks: 8 }, 0.05, 0.74),
    (Plan::Fixed { blocks: 8 }, 0.05 / 3.0, 0.88),
    (Plan::Fixed { blocks: 12 }, 0.05, 0.60),
    (Plan::Staged { screen: 4, confirm: 8 }, 0.05, 1.02),
    (Plan::Staged { screen: 4, confirm: 8 }, 0.05 / 3.0, 1.07),
];

/// Blocks of normal noise of this standard deviation; head is slower by `effect`.
fn normal(blocks: u32, noise: f64, effect: f64, random: &mut Random) -> Vec<Block> {
    let mut value = |effect: f64| effect + noise * random.normal();
    (0..blocks).map(|_| Block { base: [value(0.0), value(0.0)], head: [value(effect), value(effect)] }).collect()
}

#[test]
fn normal_rows_show_what_an_independent_simulation_finds() {
    let mut random = Random::new(3, &[]);
    // So many blocks that the row's noise is known; a pair has √2 times the noise of one round.
    let residuals = Residuals::of(&normal(400, 0.5_f64.sqrt(), 0.3, &mut random)).unwrap();
    for (plan, level, wanted) in INDEPENDENT {
        let found = residuals.detectable(&Demand { plan, level, margin: 0.0 }, 600).unwrap();
        assert!((found / wanted - 1.0).abs() < 0.12, "{plan:?} {level}: {found}, independently {wanted}");
    }
}

#[test]
fn unreachable_levels_have_no_smallest_effect() {
    let residuals = Residuals::of(&normal(4, 0.01, 0.0, &mut Random::new(4, &[]))).unwrap();
    for (plan, level) in [
        (Plan::Fixed { blocks: 2 }, 0.05),
        (Plan::Fixed { blocks: 1 }, 0.10),
        (Plan::Fixed { blocks: 0 }, 0.9),
        (Plan::Fixed { blocks: 4 }, 0.05 / 33.0),
        (Plan::Staged { screen: 1, confirm: 8 }, 0.05),
        (Plan::Staged { screen: 4, confirm: 4 }, 0.05 / 100.0),
        (Plan::Staged { screen: 4, confirm: 0 }, 0.05),
        (Plan::Fixed { blocks: 8 }, 0.0),
        (Plan::Fixed { blocks: 8 }, f64::NAN),
    ] {
        assert_eq!(residuals.detectable(&Demand { plan, level, margin: 0.02 }, 25), None, "{plan:?} {level}");
    }
}

#[test]
fn more_blocks_find_smaller_effects_and_larger_families_larger_ones() {
    let residuals = Residuals::of(&normal(8, 0.02, 0.0, &mut Random::new(5, &[]))).unwrap();
    let of =
        |plan, family: f64| residuals.detectable(&Demand { plan, level: 0.05 / family, margin: 0.0 }, 100).unwrap();
    let sizes = [4, 8, 16, 32, 100].map(|blocks| of(Plan::Fixed { blocks }, 1.0));
    assert!(sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
    let families = [1.0, 10.0, 1000.0].map(|family| of(Plan::Staged { screen: 4, confirm: 8 }, family));
    assert!(families.is_sorted(), "{families:?}");
}

#[test]
fn smallest_effects_are_never_below_what_counts() {
    let demand = Demand { plan: Plan::Fixed { blocks: 8 }, level: 0.05, margin: 0.02 };
    let of = |noise: f64| Residuals::of(&normal(4, noise, 0.0, &mut Random::new(6, &[]))).unwrap();
    // Without noise every change that counts is found; with little noise an estimate is now and then below what counts.
    assert_eq!(of(0.0).detectable(&demand, 50), Some(0.02));
    let little = of(0.002).detectable(&demand, 50).unwrap();
    assert!(little > 0.02 && little < 0.023, "{little}");
    assert!(of(0.1).detectable(&demand, 50).unwrap() > 0.05);
    // Too much noise for a number is no infinity, which a report cannot hold.
    assert!(of(1e307).detectable(&demand, 50).unwrap().is_finite());
}

#[test]
fn a_very_large_report_has_fewer_runs_a_row() {
    assert_eq!([0, 1, 250, 500, 2000, 1_000_000].map(runs), [200, 200, 200, 100, 25, 25]);
}

#[test]
fn the_rounds_that_are_said_to_be_needed_decide_mostly() {
    let (margin, level, equivalence) = (0.02, 0.05, 0.95);
    for (effect, noise) in [(0.0, 0.015), (-0.01, 0.01), (0.035, 0.04)] {
        let (mut decided, mut all, mut random) = (0, 0, Random::new(7, &[]));
        for _ in 0..25 {
            let row = Residuals::of(&normal(8, noise, effect, &mut random)).unwrap();
            let demand = Demand { plan: Plan::Staged { screen: 4, confirm: 8 }, level, margin };
            let rounds = row.rounds_needed(&demand, effect, equivalence, 60).unwrap();
            assert!(rounds.is_multiple_of(2) && (6..=200).contains(&rounds), "{rounds}");
            for _ in 0..4 {
                let again = normal(rounds / 2, noise, effect, &mut random);
                let found = p_value(&again) <= level && shift::effect(&again).unwrap().abs() >= margin;
                let same = || shift::interval(&again, equivalence).inside(margin);
                decided += u32::from(if effect.abs() < margin { same() } else { found });
                all += 1;
            }
        }
        assert!((60..=95).contains(&decided), "{decided} of {all} at {effect}, noise {noise}");
    }
}

#[test]
fn rows_that_no_number_of_rounds_decides_say_so() {
    let row = Residuals::of(&normal(8, 0.01, 0.0, &mut Random::new(8, &[]))).unwrap();
    let demand = Demand { plan: Plan::Fixed { blocks: 8 }, level: 0.05, margin: 0.02 };
    // Half of the estimates of an effect just as large as what counts are below it, however many there are.
    assert_eq!(row.rounds_needed(&demand, 0.02, 0.95, 50), None);
    assert_eq!(row.rounds_needed(&demand, f64::NAN, 0.95, 50), None);
    let loud = Residuals::of(&normal(8, 1.0, 0.0, &mut Random::new(8, &[]))).unwrap();
    assert_eq!(loud.rounds_needed(&demand, 0.0, 0.95, 50), None);
}

#[test]
fn rounds_for_a_level() {
    // The smallest plans for 5 % over 1, 5, 6, 32, 33, 194 and 195 rows.
    for (rows, rounds) in [(1.0, 6), (5.0, 6), (6.0, 8), (32.0, 8), (33.0, 10), (194.0, 10), (195.0, 12)] {
        assert_eq!(rounds_for_level(0.05 / rows), Some(rounds), "{rows} rows");
    }
    assert_eq!(rounds_for_level(0.0), None);
}

#[test]
fn values_that_would_decide_plain_files() {
    // Twice as wide as the room left: four times the rounds.
    assert_eq!(rounds_needed(8, 0.0, 0.04, 0.02), Some(32));
    assert_eq!(rounds_needed(8, 0.01, 0.01, 0.02), Some(8));
    assert_eq!(rounds_needed(8, -0.01, 0.011, 0.02), Some(10));
    // Beyond the threshold: until the interval leaves 0.
    assert_eq!(rounds_needed(16, -0.03, 0.06, 0.02), Some(64));
    assert_eq!(rounds_needed(16, 0.03, 0.3, 0.02), None);
    assert_eq!(rounds_needed(8, 0.0, f64::INFINITY, 0.02), None);
    assert_eq!(rounds_needed(8, 0.0, 0.0, 0.0), None);
    assert_eq!(rounds_needed(8, f64::NAN, 0.1, 0.02), None);
}
