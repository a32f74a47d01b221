//! The promises of the method, on simulated machines: false alarms, power, coverage, honesty.
//!
//! Everything is seeded, so a failure is a change of the program and no bad luck.

use super::super::report;
use super::build::config;
use crate::compare::Context;
use crate::compare::simulate::{Alarms, Scenario, calibration, sample};
use crate::config::Rounds;
use crate::report::Verdict;
use crate::stats::permutation::{Block, p_value};
use crate::stats::power::residuals::{Demand, Residuals};
use crate::stats::power::{Plan, SCREEN_LEVEL};
use crate::stats::proportion::{lower_limit, upper_limit};
use crate::stats::shift;
use crate::stats::simulate::noise::Model;
use crate::stats::simulate::random::Random;

const ROWS: usize = calibration::ROWS;

/// One-sided limits of measured rates hold with this confidence.
const CONFIDENCE: f64 = 0.95;

/// False alarms among `reports` unchanged ones.
fn false_alarms(model: Model, reports: u64) -> Alarms {
    Scenario::defaults(model, vec![0.0; ROWS]).alarms(calibration::SEED..calibration::SEED + reports)
}

#[test]
fn unchanged_reports_are_rarely_coloured() {
    for model in Model::ALL {
        // The two that come nearest to their bounds need more reports to be told from them.
        let reports = if matches!(model, Model::Independent | Model::Bimodal) { 4000 } else { 2000 };
        let alarms = false_alarms(model, reports);
        if model == Model::Layout {
            // A bias of the binary is in every round of it: nothing that is measured here can tell it from the change.
            assert!(lower_limit(alarms.coloured, reports, CONFIDENCE) > 0.9);
            continue;
        }
        let limit = |hits| upper_limit(hits, reports, CONFIDENCE);
        assert!(limit(alarms.red) <= 0.01, "{}: {alarms:?} of {reports}", model.name());
        // Modes further apart than the threshold leave the two stages alone to catch a false alarm.
        let bound = if model == Model::Bimodal { 0.02 } else { 0.01 };
        assert!(limit(alarms.coloured) <= bound, "{}: {alarms:?} of {reports}", model.name());
    }
}

#[test]
fn changes_are_found() {
    const REPORTS: u64 = 300;
    /// Shares found of +5 %, by model: what an independent simulation of the method gives, in percent.
    const INDEPENDENT: [(Model, f64); 6] = [
        (Model::Independent, 100.0),
        (Model::Heavy, 86.0),
        (Model::Correlated, 100.0),
        (Model::Step, 100.0),
        (Model::Bursts, 94.0),
        (Model::Bimodal, 96.0),
    ];
    for (model, wanted) in INDEPENDENT {
        for effect in [0.05, 0.10] {
            let mut effects = vec![0.0; ROWS];
            effects[..3].fill(effect);
            let scenario = Scenario::defaults(model, effects);
            let (mut found, mut suspects) = (0, 0);
            for seed in 0..REPORTS {
                let outcome = scenario.outcome(seed);
                suspects += outcome.suspects;
                for (row, up) in outcome.changed {
                    assert!(up || row >= 3, "{}: a slowdown shown as a speed-up", model.name());
                    found += u32::from(row < 3);
                }
            }
            let share = 100.0 * f64::from(found) / (3 * REPORTS) as f64;
            let least = if effect > 0.05 { 97.0 } else { wanted - 3.0 };
            assert!(share >= least, "{} at {effect}: {share} %", model.name());
            // What that costs: rounds a side for each benchmark.
            let rounds = 8.0 + 16.0 * suspects as f64 / (REPORTS as f64 * ROWS as f64);
            assert!((8.5..=11.5).contains(&rounds), "{} at {effect}: {rounds} rounds", model.name());
        }
    }
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    const SAMPLES: u32 = 2000;
    let truth = 0.03;
    for model in [
        Model::Independent,
        Model::Heavy,
        Model::Correlated,
        Model::Step,
        Model::Bursts,
        Model::Bimodal,
        Model::CarryOver,
    ] {
        for (blocks, least, most) in [(4, 0.94, 1.0), (8, 0.93, 0.97), (10, 0.93, 0.97)] {
            let mut random = Random::new(11, &[blocks as u64]);
            let mut held = 0;
            for _ in 0..SAMPLES {
                let interval = shift::interval(&sample(model, blocks, truth, &mut random), 0.95);
                held += u32::from(interval.lo <= truth && truth <= interval.hi);
            }
            let share = f64::from(held) / f64::from(SAMPLES);
            assert!((least..=most).contains(&share), "{}, {blocks} blocks: {share}", model.name());
        }
    }
}

#[test]
fn quantised_values_are_not_called_different_too_often() {
    const SAMPLES: u32 = 4000;
    for blocks in [4, 8] {
        for quantum in [0.005, 0.01, 0.02, 0.05] {
            let mut random = Random::new(12, &[blocks as u64]);
            let mut hits = 0;
            for _ in 0..SAMPLES {
                let rounded = |x: f64| (x / quantum).round() * quantum;
                let sample: Vec<Block> = sample(Model::Independent, blocks, 0.0, &mut random)
                    .iter()
                    .map(|b| Block { base: b.base.map(rounded), head: b.head.map(rounded) })
                    .collect();
                hits += u32::from(p_value(&sample) <= 0.05);
            }
            let share = f64::from(hits) / f64::from(SAMPLES);
            assert!(share <= 0.055, "{blocks} blocks in steps of {quantum}: {share}");
        }
    }
}

#[test]
fn rows_that_the_screen_selected_have_honest_intervals() {
    // Their screen's intervals miss the truth in far more than 5 %: they were selected for what they show.
    let mut random = Random::new(13, &[]);
    let (mut selected, mut fresh_misses, mut screen_misses) = (0_u64, 0, 0);
    while selected < 1500 {
        let screen = sample(Model::Independent, 4, 0.0, &mut random);
        let fresh = sample(Model::Independent, 8, 0.0, &mut random);
        if p_value(&screen) <= 0.10 {
            selected += 1;
            let misses = |blocks: &[Block]| {
                let interval = shift::interval(blocks, 0.95);
                u64::from(interval.lo > 0.0 || interval.hi < 0.0)
            };
            fresh_misses += misses(&fresh);
            screen_misses += misses(&screen);
        }
    }
    assert!(lower_limit(fresh_misses, selected, CONFIDENCE) <= 0.05, "{fresh_misses} of {selected}");
    assert!(screen_misses * 4 > selected, "{screen_misses} of {selected}");
}

#[test]
fn an_effect_as_large_as_the_printed_smallest_one_is_found_mostly() {
    let (plan, level, margin) = (Plan::Staged { screen: 4, confirm: 8 }, calibration::ALPHA / 3.0, 1.02_f64.ln());
    for model in [Model::Independent, Model::Heavy, Model::Bursts, Model::Bimodal] {
        let (mut found, mut random) = (0, Random::new(15, &[]));
        for _ in 0..100 {
            // The rows of an unchanged report: little is known of their noise.
            let row = Residuals::of(&sample(model, 4, 0.0, &mut random)).unwrap();
            let effect = row.detectable(&Demand { plan, level, margin }, 60).unwrap();
            let screen = sample(model, 4, effect, &mut random);
            let confirm = sample(model, 8, effect, &mut random);
            let estimate = shift::effect(&confirm).unwrap();
            let suspect = p_value(&screen) <= SCREEN_LEVEL && shift::effect(&screen).unwrap() > 0.0;
            found += u32::from(suspect && p_value(&confirm) <= level && estimate >= margin);
        }
        assert!((62..=92).contains(&found), "{}: {found} of 100", model.name());
    }
}

#[test]
fn a_change_as_large_as_the_threshold_is_rarely_called_unchanged() {
    let truth = 1.02_f64.ln();
    for (model, noise) in [(Model::Independent, 0.2), (Model::Heavy, 0.3), (Model::Correlated, 0.3)] {
        let mut random = Random::new(14, &[]);
        let (mut one_stage, mut two_looks) = (0_u64, 0);
        for _ in 0..1000 {
            // Quieter than the model, so that equivalence is in reach at all.
            let mut scaled = |blocks| -> Vec<Block> {
                let quiet = |x: f64| noise * x;
                let blocks = sample(model, blocks, 0.0, &mut random);
                blocks
                    .iter()
                    .map(|b| Block { base: b.base.map(quiet), head: b.head.map(|x| quiet(x) + truth) })
                    .collect()
            };
            let (screen, confirm) = (scaled(4), scaled(8));
            one_stage += u64::from(shift::interval(&confirm, 0.90).inside(truth));
            let looks = [&screen, &confirm].map(|blocks| shift::interval(blocks, 0.95).inside(truth));
            two_looks += u64::from(looks.contains(&true));
        }
        for (name, hits) in [("one stage", one_stage), ("two looks", two_looks)] {
            assert!(lower_limit(hits, 1000, CONFIDENCE) <= 0.05, "{} {name}: {hits}", model.name());
        }
    }
}

#[test]
fn simulations_decide_as_reports_do() {
    for (model, plan) in [
        (Model::Independent, Plan::Staged { screen: 4, confirm: 8 }),
        (Model::Heavy, Plan::Staged { screen: 4, confirm: 8 }),
        (Model::Layout, Plan::Staged { screen: 3, confirm: 4 }),
        (Model::Bursts, Plan::Fixed { blocks: 8 }),
    ] {
        let effects: Vec<f64> = (0..12).map(|row| [0.0, 0.0, 0.02, -0.03, 0.05, 0.1][row % 6]).collect();
        let scenario = Scenario { plan, ..Scenario::defaults(model, effects) };
        let mut config = config(Rounds::default());
        scenario.apply(&mut config);
        for seed in 0..12 {
            let results = scenario.results(seed, &config);
            let report = report(&[results], &config, &Context::default());
            let coloured: Vec<(usize, bool)> = report.suites[0]
                .rows
                .iter()
                .enumerate()
                .filter_map(|(row, found)| match found.verdict {
                    Verdict::Regression => Some((row, true)),
                    Verdict::Improvement => Some((row, false)),
                    _ => None,
                })
                .collect();
            let outcome = scenario.outcome(seed);
            assert_eq!(coloured, outcome.changed, "{} {plan:?}, seed {seed}", model.name());
            assert_eq!(report.family.size as usize, outcome.suspects);
            assert!(!report.warnings.iter().any(|warning| warning.code == "selection-differs"));
        }
    }
}

#[test]
fn the_measured_rates_that_reports_name_are_those_of_this_program() {
    // Part of the reports of the calibration, the quietest and the loudest model.
    let (least, most) = calibration::SIMULATED;
    for (model, wanted) in [(Model::Drift, least), (Model::Bimodal, most)] {
        let reports = calibration::REPORTS / 20;
        let hits = false_alarms(model, reports).coloured;
        assert!(lower_limit(hits, reports, 0.999) < wanted && wanted < upper_limit(hits, reports, 0.999), "{hits}");
    }
    assert!(calibration::sentence().contains("0.1 to 1.3 %"), "{}", calibration::sentence());
}
