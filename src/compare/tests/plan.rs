//! Several jobs in one report, and what a report is a function of.

use super::super::{report, select, trips};
use super::build::{Run, Truth, find, has_warning};
use crate::config::{FailOn, Rounds};
use crate::report::{Design, Overall, Verdict};
use crate::results::{Results, Shard};
use crate::side::Side;

/// The same rows cut into one job for each half.
fn shards(truths: &[Truth]) -> (Run, Vec<Results>) {
    let middle = truths.len() / 2;
    let jobs: Vec<Results> = [&truths[..middle], &truths[middle..]]
        .into_iter()
        .zip(1..)
        .map(|(part, index)| {
            let mut results = Run::staged(part).results;
            results.shard = Some(Shard { index, count: 2 });
            results
        })
        .collect();
    (Run::staged(truths), jobs)
}

#[test]
fn shards_are_one_family() {
    let truths: Vec<Truth> = (0..10).map(|i| Truth::new(&format!("row{i}")).effect(0.1)).collect();
    let (run, jobs) = shards(&truths);
    let merged = report(&jobs, &run.config, &run.context);
    assert_eq!((merged.family.size, merged.suites.len(), merged.suites[0].rows.len()), (10, 1, 10));
    assert_eq!(merged.environments.len(), 2);
    // Holm over ten suspects of both shards: every p is its raw one times at least one and at most ten.
    let rows = &merged.suites[0].rows;
    let smallest = rows.iter().map(|row| row.samples[1].p.unwrap()).fold(1.0, f64::min);
    assert!(rows.iter().all(|row| row.p.unwrap().value >= 10.0 * smallest - 1e-15));
    assert_eq!(merged.suites[0].blocks.run, 24);
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    let truths: Vec<Truth> = (0..4).map(|i| Truth::new(&format!("row{i}")).effect(0.1)).collect();
    let (run, mut jobs) = shards(&truths);
    let one = serde_json::to_string(&report(&jobs, &run.config, &run.context)).unwrap();
    jobs.reverse();
    assert_eq!(one, serde_json::to_string(&report(&jobs, &run.config, &run.context)).unwrap());
}

#[test]
fn missing_and_foreign_shards_are_said() {
    let truths: Vec<Truth> = (0..4).map(|i| Truth::new(&format!("row{i}"))).collect();
    let (run, mut jobs) = shards(&truths);
    assert!(has_warning(&report(&jobs[..1], &run.config, &run.context), "missing-shards"));
    jobs[1].commits.head = "d".repeat(40);
    assert!(has_warning(&report(&jobs, &run.config, &run.context), "mixed-commits"));
    jobs[1] = jobs[0].clone();
    let twice = report(&jobs, &run.config, &run.context);
    assert!(has_warning(&twice, "duplicate-row"));
    assert_eq!(twice.suites[0].rows.len(), 2);
    let mut context = run.context.clone();
    context.revisions.head.sha = "e".repeat(40);
    assert!(has_warning(&report(&jobs[..1], &run.config, &context), "mixed-commits"));
}

#[test]
fn a_report_is_a_function_of_the_file() {
    let truths: Vec<Truth> = (0..6)
        .map(|i| Truth::new(&format!("row{i}")).effect(0.02 * f64::from(i)).noise(0.01))
        .chain([Truth::new("allocs").unit("allocs/op", 3.0).noise(0.0), Truth::new("new").only(Side::Head)])
        .collect();
    let run = Run::staged(&truths);
    let first = serde_json::to_string(&run.report()).unwrap();
    // Through the file and back: every number keeps its last bit.
    let file = serde_json::to_string(&run.results).unwrap();
    let back: Results = serde_json::from_str(&file).unwrap();
    assert_eq!(back, run.results);
    let second = report(&[back], &run.config, &run.context);
    assert_eq!(first, serde_json::to_string(&second).unwrap());
    // And the report comes back from its own file.
    assert_eq!(serde_json::from_str::<crate::report::Report>(&first).unwrap(), second);
}

#[test]
fn the_selection_is_repeated_from_the_samples() {
    let mut run = Run::staged(&[Truth::new("a").effect(0.1), Truth::new("b").effect(0.1)]);
    assert!(!has_warning(&run.report(), "selection-differs"));
    let honest = run.report();
    run.suite().stages[1].suspects = vec![1];
    let report = run.report();
    assert!(has_warning(&report, "selection-differs"));
    assert_eq!(report.family, honest.family, "the file's word changes nothing");
}

#[test]
fn selection_is_by_suite_and_names_rows_by_index() {
    let mut run = Run::staged(&[
        Truth::new("same").noise(0.002),
        Truth::new("noisy").noise(0.05),
        Truth::new("slower").effect(0.2),
        Truth::new("allocs").unit("allocs/op", 3.0).noise(0.0),
    ]);
    run.suite().stages.truncate(1);
    let other = run.results.suites[0].clone();
    let found = select(&[other.clone(), other], &run.config);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].suspects.as_slice(), found[0].equivalence.as_slice()), (&[2][..], &[1][..]));
    assert_eq!(found[0], found[1]);
}

#[test]
fn rows_belong_to_their_unit_of_work() {
    let truths = [Truth::new("a").effect(0.2), Truth::new("b").effect(0.2)];
    let mut run = Run::staged(&truths);
    // The schedule ran one benchmark at a time: every block twice, once for each.
    for stage in 0..2 {
        let blocks = std::mem::take(&mut run.suite().stages[stage].blocks);
        for (name, row) in [("a", 0), ("b", 1)] {
            for mut block in blocks.clone() {
                block.unit_of_work = name.to_owned();
                for round in &mut block.rounds {
                    round.values.retain(|value| value.row == row);
                }
                run.suite().stages[stage].blocks.push(block);
            }
        }
    }
    let report = run.report();
    assert_eq!(report.counts.regressions, 2, "{:?}", report.suites[0].rows);
    // The budget ended before the second unit of work was confirmed: that is no failure of the row.
    run.suite().stages[1].blocks.truncate(8);
    let report = run.report();
    assert_eq!(find(&report, "a").verdict, Verdict::Regression);
    let late = find(&report, "b").verdict;
    assert_eq!(late, Verdict::Inconclusive(crate::report::Undecided::Budget));
    // It was run again, and failed there.
    let mut failed = run.suite().stages[0].blocks[4].clone();
    failed.unit_of_work = "only b".to_owned();
    for round in &mut failed.rounds {
        round.values.clear();
        round.failures.push(crate::results::RowFailure {
            benchmark: super::build::id("b"),
            kind: crate::format::FailureKind::Failed,
            message: "boom".to_owned(),
        });
    }
    run.suite().stages[1].blocks.push(failed);
    assert_eq!(find(&run.report(), "b").verdict, Verdict::Flaky(Side::Base, 2, 10));
}

#[test]
fn plans_come_from_the_policy_and_follow_the_data() {
    let run = Run::staged(&[Truth::new("row").effect(0.1)]);
    let seed = "0".repeat(32);
    assert_eq!(run.report().design, Design::Staged { screen: 8, confirm: 16, seed: seed.clone() });
    let mut run = Run::fixed(&[Truth::new("row").effect(0.1)], 12);
    assert_eq!(run.report().design, Design::Fixed { rounds: 12, seed: seed.clone() });
    run.config.rounds = Rounds::default();
    let report = run.report();
    assert_eq!(report.design, Design::Fixed { rounds: 12, seed });
    assert!(has_warning(&report, "plan-differs") && has_warning(&report, "one-stage"));
    assert_eq!(report.counts.regressions, 1);
}

#[test]
fn a_screen_that_was_cut_is_said() {
    let mut run = Run::staged(&[Truth::new("row").noise(0.002)]);
    run.suite().stages[0].planned_blocks = 3;
    run.suite().stages[0].blocks.truncate(3);
    let report = run.report();
    assert!(has_warning(&report, "fewer-blocks"));
    assert_eq!(find(&report, "row").base.unwrap().n, 6);
}

#[test]
fn what_fails_a_check() {
    let of = |truths: &[Truth]| Run::staged(truths).report();
    let bad = of(&[Truth::new("row").effect(0.2)]);
    let good = of(&[Truth::new("row").effect(-0.2)]);
    let open = of(&[Truth::new("row").noise(0.2)]);
    let calm = of(&[Truth::new("row").noise(0.002)]);
    let none = of(&[Truth::new("row").only(Side::Head)]);
    assert_eq!(
        [&bad, &good, &open, &calm, &none].map(|report| report.verdict),
        [Overall::Regression, Overall::Improvement, Overall::Inconclusive, Overall::Unchanged, Overall::Failed]
    );
    let fails = |on: &[FailOn]| [&bad, &good, &open, &calm, &none].map(|report| trips(report, on));
    assert_eq!(fails(&[FailOn::Never]), [false; 5]);
    assert_eq!(fails(&[]), [false; 5]);
    assert_eq!(fails(&[FailOn::Regression]), [true, false, false, false, false]);
    assert_eq!(fails(&[FailOn::Inconclusive]), [false, false, true, false, false]);
    assert_eq!(fails(&[FailOn::Failure]), [false, false, false, false, true]);
    assert_eq!(fails(&[FailOn::Never, FailOn::Regression, FailOn::Inconclusive]), [true, false, true, false, false]);
}

#[test]
fn no_results_give_an_empty_report() {
    let run = Run::staged(&[]);
    let report = report(&[], &run.config, &run.context);
    assert_eq!((report.verdict, report.suites.len()), (Overall::Failed, 0));
}
