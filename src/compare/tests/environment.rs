//! What witnesses say.

use super::build::{Run, Truth, find, has_warning};
use crate::compare::SourceDifference;
use crate::report::{Note, WarningLevel};
use crate::results::{Clocks, KnobOutcome, KnobStatus, RoundWitness};
use crate::side::{PerSide, Side};

fn calm() -> Run {
    Run::staged(&[Truth::new("row").noise(0.002)])
}

fn witness(run: &mut Run, witness: impl Fn(Side, usize) -> RoundWitness) {
    for stage in 0..run.suite().stages.len() {
        for (i, round) in run.rounds(stage).enumerate() {
            round.witness = witness(round.side, i);
        }
    }
}

#[test]
fn a_calm_run_has_no_warning() {
    let mut run = calm();
    witness(&mut run, |_, _| RoundWitness {
        user: Some(1.0),
        mhz: Some([3000.0, 3001.0, 2999.0]),
        steal: Some(0.01),
        load: Some(1.2),
        throttled: Some(0),
        cpus: Some("2-3".to_owned()),
        ..RoundWitness::default()
    });
    let report = run.report();
    assert!(report.warnings.iter().all(|warning| warning.level == WarningLevel::Note), "{:?}", report.warnings);
    // Every report carries what no schedule can tell apart, and how often it errs.
    assert!(has_warning(&report, "calibration"));
}

#[test]
fn figures_are_smallest_median_and_largest_of_each_side() {
    let mut run = calm();
    witness(&mut run, |side, i| RoundWitness {
        user: Some(i as f64),
        max_rss: (side == Side::Head).then_some(1000),
        ..RoundWitness::default()
    });
    let environment = &run.report().environments[0];
    let user = environment.witness["user"].base.unwrap();
    assert!(user[0] < user[1] && user[1] < user[2], "{user:?}");
    assert_eq!(environment.witness["max_rss"], PerSide { base: None, head: Some([1000.0; 3]) });
    assert!(!environment.witness.contains_key("steal"), "not observable is not 0");
}

#[test]
fn clocks_of_all_cpus_are_shown_from_the_slowest_to_the_fastest() {
    let mut run = calm();
    witness(&mut run, |side, i| RoundWitness {
        all_mhz: Some(Clocks {
            before: [800.0 + i as f64, 2100.0, 3400.0],
            during: (side == Side::Head).then_some([3400.0; 3]),
            after: [800.0, 2000.0, 3400.0 + i as f64],
        }),
        ..RoundWitness::default()
    });
    let environment = &run.report().environments[0];
    assert_eq!(environment.witness["all_mhz_before"].base.unwrap()[1..], [2100.0, 3400.0]);
    assert!(environment.witness["all_mhz_before"].base.unwrap()[0] < 802.0);
    assert!(environment.witness["all_mhz_after"].head.unwrap()[2] > 3404.0);
    assert_eq!(environment.witness["all_mhz_during"], PerSide { base: None, head: Some([3400.0; 3]) });
}

#[test]
fn disturbances_are_warned_of() {
    type Change = fn(Side, usize, &mut RoundWitness);
    let cases: [(&str, Change); 6] = [
        ("steal", |_, i, w| w.steal = Some(if i == 3 { 0.2 } else { 0.0 })),
        ("load", |_, i, w| w.load = Some(if i < 2 { 9.0 } else { 1.0 })),
        ("frequency-fell", |_, i, w| w.mhz = Some([3000.0, 3000.0, if i == 0 { 2000.0 } else { 3000.0 }])),
        ("frequency-differs", |side, _, w| w.mhz = Some([if side == Side::Base { 3000.0 } else { 2900.0 }; 3])),
        ("throttled", |_, i, w| w.throttled = Some(u64::from(i == 1))),
        ("different-cpus", |side, _, w| w.cpus = Some(if side == Side::Base { "1" } else { "2" }.to_owned())),
    ];
    for (code, change) in cases {
        let mut run = calm();
        witness(&mut run, |side, i| {
            let mut witness = RoundWitness::default();
            change(side, i, &mut witness);
            witness
        });
        let report = run.report();
        let found: Vec<&str> = report
            .warnings
            .iter()
            .filter(|warning| warning.level == WarningLevel::Warning)
            .map(|warning| warning.code.as_str())
            .collect();
        assert_eq!(found, [code]);
    }
}

#[test]
fn drifted_settings_and_images_are_warned_of() {
    let mut run = calm();
    run.results.tuning.push(KnobOutcome {
        knob: "governor".to_owned(),
        status: KnobStatus::Drifted("performance".to_owned(), "powersave".to_owned()),
    });
    run.results.machine.images = Some(PerSide { base: "sha256:1".to_owned(), head: "sha256:2".to_owned() });
    let report = run.report();
    assert!(has_warning(&report, "setting-drifted") && has_warning(&report, "different-images"));
}

#[test]
fn unparsed_lines_are_told_once_with_their_place() {
    let mut run = calm();
    for round in run.rounds(0).filter(|round| round.side == Side::Head) {
        round.unparsed.push((7, "missing iteration count".to_owned()));
    }
    let report = run.report();
    let found: Vec<_> = report.warnings.iter().filter(|warning| warning.code == "unparsed-line").collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place, "suite, head, line 7");
    assert!(found[0].message.contains("8 rounds"));
    // The same line on both sides is one warning, and the warm-up is not counted.
    for round in run.rounds(0).filter(|round| round.side == Side::Base) {
        round.unparsed.push((7, "missing iteration count".to_owned()));
    }
    let mut warmup = run.rounds(0).find(|round| round.side == Side::Base).cloned().unwrap();
    warmup.unparsed.push((9, "unit is missing".to_owned()));
    run.suite().warmup.base = Some(warmup);
    let report = run.report();
    let found: Vec<_> = report.warnings.iter().filter(|warning| warning.code == "unparsed-line").collect();
    assert_eq!((found.len(), found[0].place.as_str()), (2, "suite, base and head, line 7"));
    assert_eq!(found[0].message, "missing iteration count (in 16 rounds)");
    assert_eq!(found[1].message, "unit is missing (in the warm-up)");
}

#[test]
fn thousands_of_warnings_are_counted_not_listed() {
    let mut run = calm();
    run.suite().warnings = (0..5000).map(|i| format!("warning {i}")).collect();
    let report = run.report();
    assert!(report.warnings.len() < 20);
    assert!(report.warnings.iter().any(|warning| warning.message.contains("4990 more")));
}

#[test]
fn a_suite_that_moved_as_a_whole_gets_a_banner() {
    let truths: Vec<Truth> = (0..8).map(|i| Truth::new(&format!("row{i}")).effect(0.05)).collect();
    assert!(has_warning(&Run::staged(&truths).report(), "common-shift"));
    let mixed: Vec<Truth> =
        (0..8).map(|i| Truth::new(&format!("row{i}")).effect(if i < 2 { 0.05 } else { 0.0 })).collect();
    assert!(!has_warning(&Run::staged(&mixed).report(), "common-shift"));
}

#[test]
fn benchmark_sources_that_differ_are_named_on_their_rows() {
    let mut run = calm();
    run.context.sources =
        vec![SourceDifference { suite: "suite".to_owned(), package: String::new(), path: "x_test.go".to_owned() }];
    let row = find(&run.report(), "row");
    assert!(row.notes.contains(&Note::SourceDiffers("x_test.go".to_owned())));
    run.context.sources[0].package = "other".to_owned();
    assert!(find(&run.report(), "row").notes.is_empty());
}

#[test]
fn two_groups_of_samples_are_noted_with_their_medians() {
    let mut run = Run::fixed(&[Truth::new("row").noise(0.001)], 16);
    for (i, round) in run.rounds(0).enumerate() {
        if (i / 2) % 2 == 1 {
            round.values[0].value *= 1.2;
        }
    }
    let row = run.row("row");
    let Some(Note::Bimodal(low, high)) = row.notes.iter().find(|note| matches!(note, Note::Bimodal(..))) else {
        panic!("{:?}", row.notes)
    };
    assert!((low / 1e-6 - 1.0).abs() < 0.01 && (high / 1.2e-6 - 1.0).abs() < 0.01, "{low} {high}");
    // A change is not a second mode, and normal noise has one.
    for truth in [Truth::new("row").effect(0.3), Truth::new("row").noise(0.02)] {
        let row = Run::fixed(&[truth], 32).row("row");
        assert!(!row.notes.iter().any(|note| matches!(note, Note::Bimodal(..))), "{:?}", row.notes);
    }
}
