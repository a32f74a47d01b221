//! Exact values, zeros, and rows that a side lacks.

use super::build::{Run, Truth, find, has_warning, id};
use crate::config::{FailOn, Rounds, UnitPolicy};
use crate::format::FailureKind;
use crate::report::{Note, Overall, PKind, Undecided, Unjudged, Verdict};
use crate::results::{RowFailure, StepOutcome, StepStatus, Value};
use crate::side::Side;

fn constant(name: &str, unit: &str, base: f64) -> Truth {
    Truth::new(name).unit(unit, base).noise(0.0)
}

fn set(run: &mut Run, side: Side, value: impl Fn(usize) -> f64) {
    let mut count = 0;
    for stage in 0..run.suite().stages.len() {
        for round in run.rounds(stage).filter(|round| round.side == side) {
            round.values[0].value = value(count);
            count += 1;
        }
    }
}

fn exact(unit: &str, base: f64, head: f64) -> crate::report::Row {
    let mut run = Run::staged(&[constant("row", unit, base)]);
    set(&mut run, Side::Base, |_| base);
    set(&mut run, Side::Head, |_| head);
    run.row("row")
}

#[test]
fn constant_exact_values_are_equal_or_different() {
    let row = exact("allocs/op", 8.0, 8.0);
    assert_eq!((row.verdict.clone(), row.exact, row.p), (Verdict::Unchanged, true, None));
    assert!(row.notes.contains(&Note::AllEqual));
    let row = exact("allocs/op", 8.0, 9.0);
    assert_eq!(row.verdict, Verdict::Regression);
    let delta = row.delta.unwrap();
    assert_eq!((delta.ratio, delta.absolute, delta.level, delta.lo), (Some(0.125), 1.0, 0.0, None));
    assert_eq!(exact("allocs/op", 1e6, 1e6 + 1.0).verdict, Verdict::Regression, "the threshold is 0");
    assert_eq!(exact("allocs/op", 54.0, 10.0).verdict, Verdict::Improvement);
}

#[test]
fn bytes_are_compared_exactly_while_they_are_constant() {
    assert_eq!(exact("B/op", 1000.0, 1000.0).verdict, Verdict::Unchanged);
    let below = exact("B/op", 1000.0, 1019.0);
    assert_eq!(below.verdict, Verdict::Unchanged);
    assert!(below.notes.contains(&Note::SignificantBelowThreshold));
    assert_eq!(exact("B/op", 1000.0, 1020.0).verdict, Verdict::Regression);
    assert_eq!(exact("B/op", 1000.0, 980.0).verdict, Verdict::Improvement);
    // One value differs: the ordinary test, and nothing is said of exactness.
    let mut run = Run::staged(&[constant("row", "B/op", 1000.0)]);
    set(&mut run, Side::Head, |i| if i == 3 { 1100.0 } else { 1100.5 });
    let row = run.row("row");
    assert!(!row.exact && !row.notes.contains(&Note::ExactVaries));
}

#[test]
fn from_zero_every_rise_counts() {
    let row = exact("allocs/op", 0.0, 1.0);
    assert_eq!(row.verdict, Verdict::Regression);
    let delta = row.delta.unwrap();
    assert_eq!((delta.ratio, delta.absolute), (None, 1.0));
    assert!(row.notes.contains(&Note::Zero));
    assert_eq!(exact("B/op", 0.0, 16.0).verdict, Verdict::Regression);
    assert_eq!(exact("allocs/op", 2.0, 0.0).verdict, Verdict::Improvement);
    assert_eq!(exact("allocs/op", 2.0, 0.0).delta.unwrap().ratio, Some(-1.0));
    assert_eq!(exact("allocs/op", 0.0, 0.0).verdict, Verdict::Unchanged);
}

#[test]
fn an_exact_unit_that_varies_is_judged_as_noisy() {
    let mut run = Run::fixed(&[constant("row", "allocs/op", 100.0)], 12);
    set(&mut run, Side::Base, |i| 100.0 + (i % 2) as f64);
    set(&mut run, Side::Head, |i| 101.0 + (i % 2) as f64);
    let row = run.row("row");
    assert!(row.notes.contains(&Note::ExactVaries) && !row.exact);
    assert_eq!(row.p.unwrap().kind, PKind::Adjusted);
    assert!(matches!(row.verdict, Verdict::Unchanged | Verdict::Inconclusive(_)), "1 % is below 2 %: {row:?}");
    // A threshold of 0 means any confirmed change, and equivalence is not offered.
    run.unit("allocs/op", UnitPolicy { threshold: Some(0.0), ..UnitPolicy::default() });
    assert_eq!(run.row("row").verdict, Verdict::Regression);
    set(&mut run, Side::Head, |i| 100.0 + (i % 2) as f64);
    assert!(matches!(run.row("row").verdict, Verdict::Inconclusive(_)));
}

#[test]
fn values_without_a_ratio_need_an_absolute_threshold() {
    let mut run = Run::fixed(&[constant("row", "score", 1.0)], 8);
    let lower = UnitPolicy { better: Some(crate::unit::Direction::Lower), ..UnitPolicy::default() };
    run.unit("score", lower);
    set(&mut run, Side::Base, |i| -5.0 + 0.01 * i as f64);
    set(&mut run, Side::Head, |i| 3.0 + 0.01 * i as f64);
    let row = run.row("row");
    assert_eq!(row.verdict, Verdict::Unjudged(Unjudged::NoRatio));
    let delta = row.delta.unwrap();
    assert_eq!(delta.ratio, None);
    assert!((delta.absolute - 8.0).abs() < 0.1 && (delta.lo.unwrap() - 8.0).abs() < 0.2, "{delta:?}");
    run.unit("score", UnitPolicy { absolute: Some(1.0), ..lower });
    assert_eq!(run.row("row").verdict, Verdict::Regression);
    run.unit("score", UnitPolicy { absolute: Some(10.0), ..lower });
    assert_eq!(run.row("row").verdict, Verdict::Unchanged);
}

#[test]
fn some_zeros_make_the_scale_raw_and_keep_the_percentage() {
    let mut run = Run::fixed(&[constant("row", "sec/op", 1.0)], 8);
    set(&mut run, Side::Base, |i| if i == 0 { 0.0 } else { 100.0 + i as f64 });
    set(&mut run, Side::Head, |i| 150.0 + i as f64);
    let row = run.row("row");
    assert_eq!(row.verdict, Verdict::Regression);
    let delta = row.delta.unwrap();
    assert!((delta.ratio.unwrap() - 0.5).abs() < 0.05, "{delta:?}");
    assert!((delta.absolute - 50.0).abs() < 6.0, "the effect, not the difference of medians: {delta:?}");
    assert!(run.report().suites[0].geomeans.iter().all(|geomean| geomean.rows == 1));
}

#[test]
fn rows_of_one_side_are_new_or_removed() {
    let run =
        Run::staged(&[Truth::new("new").only(Side::Head), Truth::new("old").only(Side::Base), Truth::new("both")]);
    let report = run.report();
    let new = find(&report, "new");
    assert_eq!((new.verdict.clone(), new.base.is_none(), new.head.unwrap().n), (Verdict::New, true, 8));
    assert_eq!(find(&report, "old").verdict, Verdict::Removed);
    assert_eq!((report.counts.new, report.counts.removed, report.family.testable), (1, 1, 1));
    let geomean = &report.suites[0].geomeans[0];
    assert_eq!(geomean.rows, 1);
    assert_eq!((geomean.left_out["new"], geomean.left_out["removed"]), (1, 1));
    assert!((geomean.base / find(&report, "both").base.unwrap().center - 1.0).abs() < 1e-12);
}

#[test]
fn zero_benchmarks_on_a_side_are_said() {
    let run = Run::staged(&[Truth::new("a").only(Side::Head), Truth::new("b").only(Side::Head)]);
    let report = run.report();
    assert!(has_warning(&report, "no-benchmarks"));
    assert!(report.warnings[0].message.contains("0 benchmarks on base"), "{:?}", report.warnings);
    assert_eq!(report.verdict, Overall::Failed);
}

#[test]
fn failures_are_states_of_rows() {
    let failure = |kind| RowFailure { benchmark: id("row"), kind, message: "index out of range".to_owned() };
    let mut run = Run::staged(&[Truth::new("row").only(Side::Base), Truth::new("other")]);
    for round in run.rounds(0).filter(|round| round.side == Side::Head) {
        round.failures.push(failure(FailureKind::Failed));
        round.outcome.status = StepStatus::Exit(1);
    }
    let report = run.report();
    assert_eq!(find(&report, "row").verdict, Verdict::Failed(Side::Head, "index out of range".to_owned()));
    let failed = report.suites[0].failed_rounds.head.as_ref().unwrap();
    assert_eq!((failed.failed, failed.first.status.clone()), (8, StepStatus::Exit(1)));
    assert_eq!(report.suites[0].failed_rounds.base, None);
    assert!(super::super::trips(&report, &[FailOn::Failure]));
    // A warm-up that failed after its values were printed counts for nothing, and is told all the same.
    let mut run = Run::staged(&[Truth::new("row")]);
    let mut warmup = run.rounds(0).find(|round| round.side == Side::Head).unwrap().clone();
    warmup.outcome.status = StepStatus::Exit(7);
    run.suite().warmup.head = Some(warmup);
    let report = run.report();
    let failed = report.suites[0].failed_rounds.head.as_ref().unwrap();
    assert_eq!((failed.failed, failed.warmup, failed.first.status.clone()), (1, true, StepStatus::Exit(7)));
    assert!(super::super::trips(&report, &[FailOn::Failure]));
    let mut run = Run::staged(&[Truth::new("row").only(Side::Head)]);
    for round in run.rounds(0).filter(|round| round.side == Side::Base) {
        round.failures.push(failure(FailureKind::Skipped));
    }
    assert_eq!(run.row("row").verdict, Verdict::Skipped(Side::Base, "index out of range".to_owned()));
}

#[test]
fn a_benchmark_that_failed_on_both_sides_is_not_forgotten() {
    let mut run = Run::staged(&[Truth::new("other")]);
    for round in run.rounds(0) {
        round.failures.push(RowFailure { benchmark: id("row"), kind: FailureKind::Failed, message: "boom".to_owned() });
    }
    let report = run.report();
    let same = "boom (and on head, with the same words)";
    assert_eq!(find(&report, "row").verdict, Verdict::Failed(Side::Base, same.to_owned()));
    assert_eq!(report.counts.failed, 1);
    for round in run.rounds(0).filter(|round| round.side == Side::Head) {
        round.failures[0].message = "bang".to_owned();
    }
    assert_eq!(run.row("row").verdict, Verdict::Failed(Side::Base, "boom (and on head: bang)".to_owned()));
}

#[test]
fn a_row_that_is_no_number_on_either_side_names_both() {
    let mut run = Run::staged(&[Truth::new("row"), Truth::new("other")]);
    for round in run.rounds(0) {
        round.values[0].value = f64::INFINITY;
    }
    let told = "a value is not a usable number (and on head, with the same words)";
    assert_eq!(run.row("row").verdict, Verdict::Failed(Side::Base, told.to_owned()));
}

#[test]
fn a_side_that_did_not_run_has_failed_rows_not_new_ones() {
    let truths = [Truth::new("row").only(Side::Head)];
    let mut run = Run::staged(&truths);
    for round in run.rounds(0).filter(|round| round.side == Side::Base) {
        round.outcome.status = StepStatus::Exit(2);
    }
    assert_eq!(run.row("row").verdict, Verdict::Failed(Side::Base, "exit code 2".to_owned()));
    for round in run.rounds(0).filter(|round| round.side == Side::Base) {
        round.outcome.status = StepStatus::TimedOut(60.0);
    }
    assert_eq!(run.row("row").verdict, Verdict::TimedOut(Side::Base));
    run.suite().setup.base = StepOutcome { status: StepStatus::Exit(1), ..StepOutcome::default() };
    assert_eq!(run.row("row").verdict, Verdict::Failed(Side::Base, "setup: exit code 1".to_owned()));
    // One round that ended well without the row: it does not exist there.
    run.suite().setup.base = StepOutcome::default();
    if let Some(round) = run.rounds(0).find(|round| round.side == Side::Base) {
        round.outcome.status = StepStatus::Ok;
    }
    assert_eq!(run.row("row").verdict, Verdict::New);
}

#[test]
fn a_row_with_gaps_is_flaky_and_has_no_colour() {
    let mut run = Run::staged(&[Truth::new("row").effect(0.5)]);
    let hole = run.rounds(0).find(|round| round.side == Side::Head).unwrap();
    hole.values.clear();
    let report = run.report();
    let row = find(&report, "row");
    assert_eq!(row.verdict, Verdict::Flaky(Side::Head, 1, 8));
    assert!(row.notes.contains(&Note::BlocksDropped(1)), "{:?}", row.notes);
    assert_eq!(row.base.unwrap().n, 6, "the block is dropped on both sides");
    assert_eq!(row.p, None);
    assert_eq!(report.family.testable, 0);
    assert_eq!(report.counts.failed, 1);
}

#[test]
fn a_value_that_is_no_number_fails_the_row() {
    for value in [f64::NAN, f64::INFINITY, 1e305] {
        let mut run = Run::staged(&[Truth::new("row").effect(0.5)]);
        run.rounds(0).find(|round| round.side == Side::Base).unwrap().values[0].value = value;
        assert!(matches!(run.row("row").verdict, Verdict::Failed(Side::Base, _)), "{value}");
    }
}

#[test]
fn benchmarks_that_do_not_loop_are_shown_and_not_judged() {
    // The upstream pull request shows such a row as -23 % (p=0.009).
    let fast = Truth::new("CalculateDvMask/generic").unit("sec/op", 7e-16).effect(-0.26).iterations(1_000_000_000);
    let allocs = Truth::new("CalculateDvMask/generic").unit("allocs/op", 2.0).noise(0.0).iterations(1_000_000_000);
    let run = Run::staged(&[fast, allocs, Truth::new("row")]);
    let report = run.report();
    for row in report.suites[0].rows.iter().filter(|row| row.benchmark.name.starts_with("Calc")) {
        assert_eq!(row.verdict, Verdict::Unjudged(Unjudged::Degenerate));
        assert!(row.delta.is_some());
    }
    assert_eq!(report.family.testable, 1);
    let geomean = report.suites[0].geomeans.iter().find(|geomean| geomean.unit == "sec/op").unwrap();
    assert_eq!((geomean.rows, geomean.left_out["degenerate"]), (1, 1));
    // Either sign is enough.
    let slow = Truth::new("row").unit("sec/op", 3e-10).iterations(1_000_000_000);
    assert_eq!(Run::staged(&[slow]).row("row").verdict, Verdict::Unjudged(Unjudged::Degenerate));
    let quick = Truth::new("row").unit("sec/op", 9e-11).iterations(1000);
    assert_eq!(Run::staged(&[quick]).row("row").verdict, Verdict::Unjudged(Unjudged::Degenerate));
    let fine = Truth::new("row").unit("sec/op", 3e-10).iterations(999_999_999);
    assert_ne!(Run::staged(&[fine]).row("row").verdict, Verdict::Unjudged(Unjudged::Degenerate));
}

#[test]
fn a_rate_beside_its_time_is_not_a_second_win() {
    let time = Truth::new("row").effect(-0.2);
    let rate = Truth::new("row").unit("B/s", 1e9).effect(0.2);
    let alone = Truth::new("alone").unit("B/s", 1e9).effect(0.2);
    let report = Run::staged(&[time, rate, alone]).report();
    assert_eq!(report.counts.improvements, 2);
    assert_eq!(report.family.testable, 2);
    let derived = report.suites[0].rows.iter().find(|row| row.derived).unwrap();
    assert_eq!((derived.unit.as_str(), &derived.verdict), ("B/s", &Verdict::Unjudged(Unjudged::Derived)));
    assert!(derived.delta.is_some() && derived.p.is_none());
}

#[test]
fn one_of_wall_and_cpu_time_is_judged() {
    let truths = [Truth::new("row").effect(0.1), Truth::new("row").unit("cpu-sec/op", 1e-6).effect(0.1)];
    let mut run = Run::staged(&truths);
    let verdicts = |run: &Run| run.report().suites[0].rows.iter().map(|row| row.verdict.clone()).collect::<Vec<_>>();
    assert_eq!(verdicts(&run), [Verdict::Regression, Verdict::Unjudged(Unjudged::Secondary)]);
    run.config.compare.primary = crate::config::PrimaryTime::Cpu;
    assert_eq!(verdicts(&run)[0], Verdict::Unjudged(Unjudged::Secondary));
    // The fresh rounds were run for wall time: CPU time has none, and is not called flaky for that.
    assert_eq!(verdicts(&run)[1], Verdict::Inconclusive(Undecided::Budget));
    assert!(has_warning(&run.report(), "selection-differs"));
}

#[test]
fn few_iterations_are_noted() {
    let row = Run::staged(&[Truth::new("row").iterations(2)]).row("row");
    assert!(row.notes.contains(&Note::FewIterations(2)));
}

#[test]
fn a_run_that_ended_before_its_first_block() {
    let mut run = Run::staged(&[Truth::new("row")]);
    run.results.stopped = crate::results::Stopped::MaxTime;
    let mut warmup = run.rounds(0).next().unwrap().clone();
    run.suite().stages.clear();
    for side in Side::BOTH {
        warmup.side = side;
        *run.suite().warmup.get_mut(side) = Some(warmup.clone());
    }
    let report = run.report();
    assert_eq!(find(&report, "row").verdict, Verdict::Inconclusive(Undecided::Budget));
    assert!(has_warning(&report, "max-time"));
}

#[test]
fn values_of_the_warm_up_are_never_used() {
    let mut run = Run::new(&[Truth::new("row").noise(0.002)], Rounds::default());
    let mut warmup = run.rounds(0).next().unwrap().clone();
    warmup.values = vec![Value { row: 0, value: 1e3, inner: None, iterations: None }];
    for side in Side::BOTH {
        warmup.side = side;
        *run.suite().warmup.get_mut(side) = Some(warmup.clone());
    }
    let row = run.row("row");
    assert_eq!((row.verdict.clone(), row.base.unwrap().n), (Verdict::Unchanged, 8));
}
