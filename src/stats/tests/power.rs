//! Smallest detectable effects and rounds needed.

use super::super::power::{
    Plan, RUNS, SEED, constant, detectable, rounds_for_level, rounds_needed, simulate_constant, smallest_p,
};

/// Figures of an independent simulation (numpy, normal noise), for orientation.
const INDEPENDENT: [(Plan, f64, f64); 6] = [
    (Plan::Fixed { blocks: 4 }, 0.05, 1.14),
    (Plan::Fixed { blocks: 8 }, 0.05, 0.74),
    (Plan::Fixed { blocks: 8 }, 0.05 / 3.0, 0.88),
    (Plan::Fixed { blocks: 12 }, 0.05, 0.60),
    (Plan::Staged { screen: 4, confirm: 8 }, 0.05, 1.02),
    (Plan::Staged { screen: 4, confirm: 8 }, 0.05 / 3.0, 1.07),
];

#[test]
fn constants_are_those_of_an_independent_simulation() {
    for (plan, level, wanted) in INDEPENDENT {
        let found = constant(plan, level).unwrap();
        assert!((found / wanted - 1.0).abs() < 0.04, "{plan:?} {level}: {found}, independently {wanted}");
    }
}

#[test]
fn the_committed_table_is_what_the_simulation_gives() {
    // Fewer runs than the committed table: their quantile scatters by about 3 %.
    for (plan, level) in [
        (Plan::Fixed { blocks: 4 }, 0.05),
        (Plan::Fixed { blocks: 6 }, 0.05 / 10.0),
        (Plan::Fixed { blocks: 8 }, 0.05 / 100.0),
        (Plan::Staged { screen: 4, confirm: 8 }, 0.05 / 10.0),
        (Plan::Staged { screen: 3, confirm: 4 }, 0.05 / 3.0),
    ] {
        let found = simulate_constant(plan, level, RUNS / 8, SEED).unwrap();
        let committed = constant(plan, level).unwrap();
        assert!((found / committed - 1.0).abs() < 0.08, "{plan:?} {level}: {found}, committed {committed}");
    }
}

#[test]
fn unreachable_levels_have_no_constant() {
    for (plan, level) in [
        (Plan::Fixed { blocks: 2 }, 0.05),
        (Plan::Fixed { blocks: 1 }, 0.10),
        (Plan::Fixed { blocks: 0 }, 0.9),
        (Plan::Fixed { blocks: 4 }, 0.05 / 33.0),
        (Plan::Staged { screen: 1, confirm: 8 }, 0.05),
        (Plan::Staged { screen: 4, confirm: 4 }, 0.05 / 100.0),
        (Plan::Staged { screen: 4, confirm: 0 }, 0.05),
    ] {
        assert_eq!(constant(plan, level), None, "{plan:?} {level}");
        assert_eq!(simulate_constant(plan, level, 20, SEED), None, "{plan:?} {level}");
    }
    assert_eq!(constant(Plan::Fixed { blocks: 8 }, 0.0), None);
    assert_eq!(constant(Plan::Fixed { blocks: 8 }, f64::NAN), None);
}

#[test]
fn more_blocks_and_smaller_families_find_smaller_effects() {
    for family in [1.0, 2.0, 7.0, 50.0, 400.0, 9000.0] {
        let level = 0.05 / family;
        let mut last = f64::INFINITY;
        for blocks in 2..=60 {
            if let Some(c) = constant(Plan::Fixed { blocks }, level) {
                assert!(c < last * 1.03 && c > 0.0, "{blocks} blocks, family {family}: {c} after {last}");
                last = c;
            } else {
                assert!(smallest_p(blocks) > level, "{blocks} blocks, family {family}");
            }
        }
    }
    for blocks in [8, 16, 50] {
        let of = |family: f64| constant(Plan::Staged { screen: 4, confirm: blocks }, 0.05 / family).unwrap();
        assert!(of(1.0) <= of(30.0) && of(30.0) <= of(300.0));
    }
}

#[test]
fn every_reachable_plan_has_a_constant() {
    for screen in 2..=50 {
        for confirm in 3..=50 {
            for family in [1.0, 4.0, 40.0, 4000.0] {
                let (plan, level) = (Plan::Staged { screen, confirm }, 0.05 / family);
                assert_eq!(constant(plan, level).is_some(), smallest_p(confirm) <= level, "{plan:?} {level}");
            }
        }
    }
}

#[test]
fn detectable_effects_are_never_below_the_threshold() {
    let plan = Plan::Fixed { blocks: 8 };
    assert_eq!(detectable(plan, 0.05, 0.001, 0.02), Some(0.02));
    assert!(detectable(plan, 0.05, 0.1, 0.02).unwrap() > 0.05);
    assert_eq!(detectable(plan, 0.05, f64::MAX, 0.02), Some(constant(plan, 0.05).unwrap() * f64::MAX));
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
fn rounds_that_would_decide() {
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
