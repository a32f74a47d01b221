//! Rules 10 to 19: what is called what.

use super::build::{Run, Truth, find, has_warning};
use crate::config::{Correction, Rounds, UnitPolicy};
use crate::report::{Note, Overall, PKind, RoundsNeeded, Undecided, Unjudged, Verdict};
use crate::results::StageKind;
use crate::side::Side;
use crate::unit::Direction;

#[test]
fn confirmed_changes_show_fresh_rounds_alone() {
    let run = Run::staged(&[
        Truth::new("slower").effects(0.06, 0.10),
        Truth::new("faster").effect(-0.08),
        Truth::new("same").noise(0.002),
    ]);
    let report = run.report();
    let slower = find(&report, "slower");
    assert_eq!(slower.verdict, Verdict::Regression);
    assert_eq!(slower.stage, Some(StageKind::Confirm));
    // Confirm says 10.5 %; the screen's 6 % is nowhere but in its own samples.
    let delta = slower.delta.as_ref().unwrap();
    assert!((delta.ratio.unwrap() - 0.105).abs() < 0.008, "{delta:?}");
    assert!(delta.lo.unwrap() < 0.105 && delta.hi.unwrap() > 0.105 && delta.lo.unwrap() > 0.09, "{delta:?}");
    assert_eq!(delta.level, 0.95);
    assert_eq!((slower.base.as_ref().unwrap().n, slower.head.as_ref().unwrap().n), (16, 16));
    let p = slower.p.unwrap();
    assert_eq!(p.kind, PKind::Adjusted);
    assert!(p.value < 1e-4);
    assert!((slower.samples[0].effect.unwrap() - 0.062).abs() < 0.01);
    assert_eq!(slower.samples[1].values.base.len(), 16);
    assert_eq!(find(&report, "faster").verdict, Verdict::Improvement);
    let same = find(&report, "same");
    assert_eq!(same.verdict, Verdict::Unchanged);
    assert_eq!(same.stage, Some(StageKind::Screen));
    assert_eq!(same.p.unwrap().kind, PKind::Screen);
    assert_eq!(same.base.unwrap().n, 8);
    assert_eq!(report.verdict, Overall::Mixed);
    assert_eq!((report.counts.regressions, report.counts.improvements, report.counts.unchanged), (1, 1, 1));
    assert_eq!((report.family.size, report.family.testable), (2, 3));
}

#[test]
fn higher_is_better_for_rates() {
    let run = Run::staged(&[
        Truth::new("less").unit("B/s", 1e9).effect(-0.07),
        Truth::new("more").unit("events/s", 10.0).effect(0.07),
    ]);
    assert_eq!(run.row("less").verdict, Verdict::Regression);
    assert_eq!(run.row("more").verdict, Verdict::Improvement);
}

#[test]
fn what_the_screen_saw_must_be_seen_again() {
    let run =
        Run::staged(&[Truth::new("gone").effects(0.06, 0.0).noise(0.02), Truth::new("turned").effects(0.06, -0.06)]);
    let report = run.report();
    let gone = find(&report, "gone");
    assert!(matches!(gone.verdict, Verdict::Inconclusive(Undecided::NotConfirmed) | Verdict::Unchanged), "{gone:?}");
    let turned = find(&report, "turned");
    assert_eq!(turned.verdict, Verdict::Inconclusive(Undecided::NotConfirmed));
    assert!(turned.p.unwrap().value < 0.001, "significant, but in the other direction");
    assert_eq!(report.counts.regressions + report.counts.improvements, 0);
}

#[test]
fn significant_below_the_threshold_has_no_colour() {
    let mut run = Run::staged(&[Truth::new("small").effect(0.011).noise(0.001)]);
    let row = run.row("small");
    assert_eq!(row.verdict, Verdict::Unchanged, "the screen already shows it");
    // A row that is confirmed, significant and unchanged at once keeps the note.
    run = Run::staged(&[Truth::new("small").effects(0.019, 0.012).noise(0.004)]);
    let row = run.row("small");
    assert_eq!(row.stage, Some(StageKind::Confirm));
    assert_eq!(row.verdict, Verdict::Unchanged, "{row:?}");
    assert!(row.notes.contains(&Note::SignificantBelowThreshold));
    // An interval that reaches beyond the threshold leaves it open.
    run = Run::staged(&[Truth::new("small").effects(0.019, 0.015).noise(0.006)]);
    let row = run.row("small");
    assert_eq!(row.verdict, Verdict::Inconclusive(Undecided::BelowThreshold), "{row:?}");
    assert!(row.notes.contains(&Note::SignificantBelowThreshold));
    assert_eq!(run.report().counts.inconclusive, 1);
}

#[test]
fn the_threshold_belongs_to_the_unit() {
    let mut run = Run::staged(&[Truth::new("row").effect(0.035)]);
    assert_eq!(run.row("row").verdict, Verdict::Regression);
    run.unit("sec/op", UnitPolicy { threshold: Some(0.05), ..UnitPolicy::default() });
    assert_eq!(run.row("row").verdict, Verdict::Unchanged);
    assert!(run.row("row").detectable.unwrap() >= 0.05);
}

#[test]
fn equivalence_rounds_never_colour_a_row() {
    // No change in the screen, a huge one in the fresh rounds: they were run for equivalence alone.
    let run = Run::staged(&[Truth::new("row").effects(0.0, 0.2).noise(0.03)]);
    let report = run.report();
    assert_eq!(report.family.size, 0);
    let row = find(&report, "row");
    assert_eq!(row.verdict, Verdict::Inconclusive(Undecided::Noise), "{row:?}");
    assert!(row.notes.contains(&Note::EquivalenceOnly));
    assert_eq!(row.p.unwrap().kind, PKind::Raw);
    // And they can show that nothing changed.
    let run = Run::new(&[Truth::new("row").noise(0.014)], Rounds::Staged { screen: 8, confirm: 32 });
    let row = run.row("row");
    assert_eq!((row.verdict.clone(), row.stage), (Verdict::Unchanged, Some(StageKind::Confirm)), "{row:?}");
}

#[test]
fn rows_outside_the_selection_keep_their_screen() {
    let mut run = Run::staged(&[Truth::new("suspect").effect(0.1), Truth::new("other").noise(0.002)]);
    // The tool could not be restricted: the other row was measured again, too, and looks changed there.
    let rows = run.suite().rows.clone();
    let other = rows.iter().position(|key| key.benchmark.name == "other").unwrap() as u32;
    for round in run.rounds(1) {
        let value = if round.side == Side::Head { 2e-6 } else { 1e-6 };
        round.values.push(crate::results::Value { row: other, value, inner: None, iterations: None });
    }
    let row = run.row("other");
    assert_eq!((row.verdict.clone(), row.stage), (Verdict::Unchanged, Some(StageKind::Screen)));
    assert_eq!(row.samples.len(), 2, "its extra samples are kept");
    assert_eq!(row.samples[1].p, None, "and not used");
}

#[test]
fn an_effect_of_zero_confirms_nothing() {
    // Head is either much faster or much slower, base lies between: significant nowhere, effect 0.
    let run = Run::staged(&[Truth::new("row").noise(0.0)]);
    let row = run.row("row");
    assert_eq!(row.verdict, Verdict::Unchanged);
    assert!(row.notes.contains(&Note::AllEqual));
    assert_eq!(row.delta.unwrap().ratio, Some(0.0));
}

#[test]
fn one_stage_plans_judge_all_rows_and_say_so() {
    let truths: Vec<Truth> =
        (0..6).map(|i| Truth::new(&format!("row{i}")).effect(if i == 0 { 0.08 } else { 0.0 }).noise(0.004)).collect();
    let report = Run::fixed(&truths, 20).report();
    assert!(has_warning(&report, "one-stage"));
    assert_eq!((report.family.size, report.family.testable), (6, 6));
    let changed = find(&report, "row0");
    assert_eq!(changed.verdict, Verdict::Regression);
    assert_eq!((changed.delta.as_ref().unwrap().level, changed.stage), (0.95, Some(StageKind::Fixed)));
    let same = find(&report, "row3");
    assert_eq!(same.verdict, Verdict::Unchanged);
    assert_eq!((same.delta.unwrap().level, same.p.unwrap().kind), (0.90, PKind::Adjusted));
}

#[test]
fn too_few_rounds_for_the_family_colour_nothing() {
    // 8 rounds reach p = 0.0015: enough for 32 rows, not for 33.
    let truths =
        |rows: usize| -> Vec<Truth> { (0..rows).map(|i| Truth::new(&format!("row{i}")).effect(0.5)).collect() };
    let report = Run::fixed(&truths(32), 8).report();
    assert_eq!((report.counts.regressions, report.family.rounds_needed), (32, None));
    let report = Run::fixed(&truths(33), 8).report();
    assert_eq!((report.counts.regressions, report.counts.inconclusive), (0, 33));
    assert_eq!(report.family.rounds_needed, Some(10));
    assert_eq!(report.warnings[0].code, "too-few-rounds", "the report opens with it");
    let said = &report.warnings[0].message;
    assert!(said.starts_with("Too few rounds in the one stage for 33 rows") && said.contains("{fixed: 10}"), "{said}");
    assert_eq!(find(&report, "row7").verdict, Verdict::Inconclusive(Undecided::TooFewRounds));
}

#[test]
fn small_plans_never_colour_a_row() {
    for rounds in [2, 4] {
        let report = Run::fixed(&[Truth::new("row").effect(0.7)], rounds).report();
        assert_eq!(report.counts.regressions, 0, "{rounds} rounds");
        assert_eq!(find(&report, "row").verdict, Verdict::Inconclusive(Undecided::TooFewRounds));
    }
    assert_eq!(Run::fixed(&[Truth::new("row").effect(0.7)], 6).row("row").verdict, Verdict::Regression);
    for (screen, confirm) in [(2, 2), (2, 16), (4, 2), (4, 4), (8, 2), (8, 4)] {
        let report = Run::new(&[Truth::new("row").effect(0.7)], Rounds::Staged { screen, confirm }).report();
        assert_eq!(report.counts.regressions, 0, "screen {screen}, confirm {confirm}");
        let said = &report.warnings[0].message;
        let stage =
            if screen == 2 { "Too few rounds in the screen" } else { "Too few fresh rounds to confirm 1 suspect" };
        assert!(said.starts_with(stage), "screen {screen}, confirm {confirm}: {said}");
        assert!(screen == 2 || said.contains("(`rounds: {confirm: 6}`) would do"), "{said}");
    }
    let report = Run::new(&[Truth::new("row").effect(0.7)], Rounds::Staged { screen: 4, confirm: 6 }).report();
    assert_eq!(report.counts.regressions, 1);
}

#[test]
fn without_correction_every_row_stands_alone() {
    let truths: Vec<Truth> = (0..40).map(|i| Truth::new(&format!("row{i}")).effect(0.2)).collect();
    let mut run = Run::fixed(&truths, 8);
    assert_eq!(run.report().counts.regressions, 0);
    run.config.compare.correction = Correction::None;
    let report = run.report();
    assert_eq!(report.counts.regressions, 40);
    assert_eq!(find(&report, "row0").p.unwrap().kind, PKind::Raw);
}

#[test]
fn a_cut_second_stage_counts_if_it_can_decide() {
    let truths = [Truth::new("a").effect(0.3), Truth::new("b").effect(0.3), Truth::new("c").effect(0.3)];
    let mut run = Run::staged(&truths);
    // Three suspects need p at or below 0.0167: three blocks reach 0.0093, two do not.
    run.results.stopped = crate::results::Stopped::Budget;
    run.suite().stages[1].blocks.truncate(3);
    let report = run.report();
    assert_eq!(report.counts.regressions, 3);
    assert_eq!(find(&report, "a").base.unwrap().n, 6);
    assert!(has_warning(&report, "budget"));
    run.suite().stages[1].blocks.truncate(2);
    let report = run.report();
    let row = find(&report, "a");
    assert_eq!(row.verdict, Verdict::Inconclusive(Undecided::Budget));
    assert_eq!((row.stage, row.p.unwrap().kind), (Some(StageKind::Screen), PKind::Screen));
    assert_eq!(report.family.size, 3, "m stays what the screen made it");
    run.suite().stages.truncate(1);
    assert_eq!(run.row("b").verdict, Verdict::Inconclusive(Undecided::Budget));
}

#[test]
fn a_suspect_without_fresh_rounds_is_not_unchanged() {
    // Significant and surely below the threshold, but a suspect whose confirmation is missing.
    let mut run = Run::staged(&[Truth::new("row").effects(0.019, 0.012).noise(0.004)]);
    run.suite().stages.truncate(1);
    assert_eq!(run.row("row").verdict, Verdict::Inconclusive(Undecided::Budget));
}

#[test]
fn rows_that_failed_in_the_second_stage_count_in_the_family() {
    let truths = [Truth::new("a").effect(0.3), Truth::new("b").effect(0.3)];
    let mut run = Run::staged(&truths);
    for round in run.rounds(1) {
        round.values.retain(|value| value.row != 1);
    }
    let report = run.report();
    assert_eq!(report.family.size, 2);
    assert_eq!(find(&report, "a").verdict, Verdict::Regression);
    let lost = find(&report, "b");
    assert_eq!(lost.verdict, Verdict::Flaky(Side::Base, 16, 24));
    // 2/6^8 twice: Holm over two, although only one p exists.
    let p = find(&report, "a").p.unwrap().value;
    assert!((p / (2.0 * 2.0 / 6_f64.powi(8)) - 1.0).abs() < 1e-9, "{p}");
}

#[test]
fn a_noisy_machine_needs_twice_the_threshold() {
    let truths = [Truth::new("three").effect(0.03), Truth::new("nine").effect(0.09), Truth::new("same").noise(0.002)];
    let mut run = Run::staged(&truths);
    assert_eq!(run.row("three").verdict, Verdict::Regression);
    run.suite().stages[0].blocks[1].invalid = Some("steal".to_owned());
    run.suite().stages[0].blocks[1].kept = true;
    let report = run.report();
    assert_eq!(report.warnings[0].code, "noisy-machine");
    assert_eq!(find(&report, "three").verdict, Verdict::Inconclusive(Undecided::NoisyMachine));
    assert_eq!(find(&report, "nine").verdict, Verdict::Regression);
    assert_eq!(find(&report, "same").verdict, Verdict::Unchanged, "equivalence keeps its threshold");
    assert_eq!(report.suites[0].blocks.kept, 1);
    // What the run could have seen is a change that it would have called one: twice the threshold on the scale of the
    // test, and a little more for its noise of 0.2 %.
    let detectable = find(&report, "same").detectable.unwrap();
    assert!((0.0404..0.043).contains(&detectable), "{detectable}");
    // And charts can mark it: 1.02 squared.
    let limits = find(&report, "three").limits.unwrap();
    assert_eq!(limits.threshold, 0.02);
    assert!((limits.change - 0.0404).abs() < 1e-9, "{limits:?}");
}

#[test]
fn invalid_blocks_are_not_used_and_counted() {
    let mut run = Run::staged(&[Truth::new("row").noise(0.002)]);
    let mut bad = run.suite().stages[0].blocks[0].clone();
    bad.invalid = Some("throttled".to_owned());
    for round in &mut bad.rounds {
        round.values[0].value = 1.0;
    }
    run.suite().stages[0].blocks.insert(0, bad);
    let report = run.report();
    assert_eq!(find(&report, "row").base.unwrap().n, 8);
    assert_eq!(find(&report, "row").verdict, Verdict::Unchanged);
    assert_eq!((report.suites[0].blocks.run, report.suites[0].blocks.invalid), (5, 1));
}

#[test]
fn a_control_that_moves_is_no_verdict_on_the_change() {
    let mut run = Run::staged(&[Truth::new("stdlib/sha1").effect(0.1), Truth::new("row").noise(0.002)]);
    run.config.suites[0].controls = Some("^stdlib/".to_owned());
    let report = run.report();
    let control = find(&report, "stdlib/sha1");
    assert_eq!(control.verdict, Verdict::Inconclusive(Undecided::NoisyMachine));
    assert!(control.notes.contains(&Note::ControlMoved));
    assert!(has_warning(&report, "control-moved"));
    assert_eq!(report.counts.regressions, 0);
}

#[test]
fn an_unknown_direction_has_figures_and_no_word() {
    let run =
        Run::staged(&[Truth::new("row").unit("widgets", 50.0).effect(0.2), Truth::new("same").unit("widgets", 50.0)]);
    let report = run.report();
    let row = find(&report, "row");
    assert_eq!(row.verdict, Verdict::Unjudged(Unjudged::DirectionUnknown));
    assert!(row.delta.unwrap().ratio.unwrap() > 0.15);
    assert_eq!(row.p.unwrap().kind, PKind::Adjusted);
    assert_eq!(find(&report, "same").verdict, Verdict::Unjudged(Unjudged::DirectionUnknown));
    // Whoever knows better says so: the output, then the configuration over it.
    let mut run = Run::staged(&[Truth::new("row").unit("widgets", 50.0).effect(0.2)]);
    let hint = crate::format::UnitHint { better: Some(Direction::Lower), exact: None };
    run.suite().units.insert("widgets".to_owned(), hint);
    assert_eq!(run.row("row").verdict, Verdict::Regression);
    run.unit("widgets", UnitPolicy { better: Some(Direction::Higher), ..UnitPolicy::default() });
    assert_eq!(run.row("row").verdict, Verdict::Improvement);
}

#[test]
fn undecided_rows_say_what_would_decide() {
    let run = Run::new(&[Truth::new("row").noise(0.01)], Rounds::Fixed(8));
    let row = run.row("row");
    assert_eq!(row.verdict, Verdict::Inconclusive(Undecided::Noise));
    // A contrast of 1.4 % needs about 1.14 times that at 8 rounds a side.
    let detectable = row.detectable.unwrap();
    assert!((0.02..0.04).contains(&detectable), "{detectable}");
    assert!(matches!(row.rounds_needed, Some(RoundsNeeded::About(10..=200))), "{:?}", row.rounds_needed);
    assert!((0.005..0.03).contains(&row.noise.unwrap()), "{:?}", row.noise);
    let mut hopeless = Run::new(&[Truth::new("row")], Rounds::Fixed(8));
    for (i, round) in hopeless.rounds(0).enumerate() {
        // The same two values, far apart, on both sides.
        round.values[0].value = if i % 4 < 2 { 1.0 } else { 2.0 };
    }
    for block in &mut hopeless.suite().stages[0].blocks {
        for (round, side) in block.rounds.iter_mut().zip([Side::Base, Side::Head, Side::Base, Side::Head]) {
            round.side = side;
        }
    }
    let hopeless = hopeless.row("row");
    assert_eq!(hopeless.rounds_needed, Some(RoundsNeeded::MoreThan200));
    let decided = Run::staged(&[Truth::new("row").effect(0.1)]).row("row");
    assert_eq!(decided.rounds_needed, None);
}

#[test]
fn the_noise_of_the_run_is_that_of_its_median_and_worst_row() {
    let truths: Vec<Truth> =
        [("a", 0.001), ("b", 0.01), ("c", 0.1)].map(|(name, noise)| Truth::new(name).noise(noise)).into();
    let report = Run::fixed(&truths, 20).report();
    let noise = report.noise.unwrap();
    // The median of |x| is 0.6745·√2 times the standard deviation of a value.
    assert!((0.5..2.0).contains(&(noise.median / (0.954 * 0.01))), "{noise:?}");
    assert!((0.5..2.0).contains(&(noise.worst / (0.954 * 0.1))), "{noise:?}");
    assert_eq!(noise.worst_row.name, "c");
    assert!(noise.detectable.is_some());
}
