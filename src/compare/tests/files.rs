//! Plain files: rule 20, and what is noted of their rows.

use super::build::{has_warning, id};
use crate::compare::files::Samples;
use crate::compare::{FileColumn, FileOptions, files, trips};
use crate::config::{Correction, FailOn, UnitPolicy};
use crate::format::{BenchmarkId, Failure, FailureKind, Measurement, ParseWarning, Parsed, UnitHint};
use crate::report::{Design, Note, Overall, PKind, Report, RoundsNeeded, Row, Undecided, Unjudged, Verdict};
use crate::side::Side;
use crate::unit::Direction;
use proptest::strategy::Strategy as _;
use std::collections::BTreeMap;
use std::sync::Arc;

struct File(Parsed);

impl File {
    fn new() -> Self {
        Self(Parsed::default())
    }

    fn row(self, name: &str, unit: &str, values: &[f64]) -> Self {
        self.full(id(name), unit, values, &[])
    }

    fn full(mut self, id: BenchmarkId, unit: &str, values: &[f64], config: &[(&str, &str)]) -> Self {
        let config = config.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        self.0.measurements.push(Measurement {
            id,
            unit: unit.to_owned(),
            values: values.to_vec(),
            iterations: None,
            config: Arc::new(config),
            line: 1,
        });
        self
    }
}

fn column(label: &str, files: Vec<File>, samples: Samples) -> FileColumn {
    let inputs = files.into_iter().map(|file| (format!("{label}.txt"), file.0)).collect();
    FileColumn { label: label.to_owned(), inputs, samples }
}

fn compared(base: File, head: File) -> Report {
    compared_by(base, head, &FileOptions::default())
}

fn compared_by(base: File, head: File, options: &FileOptions) -> Report {
    let columns = [column("old", vec![base], Samples::EveryValue), column("new", vec![head], Samples::EveryValue)];
    files(&columns, options)
}

fn only(report: &Report) -> &Row {
    &report.suites[0].rows[0]
}

fn ramp(from: f64, n: usize) -> Vec<f64> {
    (0..n).map(|i| from + i as f64).collect()
}

#[test]
fn separated_values_are_an_unconfirmed_change() {
    let report =
        compared(File::new().row("x", "sec/op", &ramp(100.0, 6)), File::new().row("x", "sec/op", &ramp(106.0, 6)));
    let row = only(&report);
    assert_eq!(row.verdict, Verdict::Slower);
    // 2/C(12, 6), and the ratio of the medians 108.5 and 102.5.
    assert!((row.p.unwrap().value - 2.0 / 924.0).abs() < 1e-15);
    let delta = row.delta.as_ref().unwrap();
    assert!((delta.ratio.unwrap() - (108.5 / 102.5 - 1.0)).abs() < 1e-15);
    assert_eq!((row.base.as_ref().unwrap().center, delta.level, row.stage), (102.5, 0.95, None));
    assert_eq!((row.base.as_ref().unwrap().lo, row.base.as_ref().unwrap().hi), (Some(100.0), Some(105.0)));
    // The interval of the shift on logarithms is within the extreme ratios.
    assert!(
        delta.lo.unwrap() > 106.0 / 105.0 - 1.0 - 1e-9 && delta.hi.unwrap() < 111.0 / 100.0 - 1.0 + 1e-9,
        "{delta:?}"
    );
    assert_eq!((&report.design, report.verdict), (&Design::Files, Overall::Regression));
    assert!(trips(&report, &[FailOn::Regression]));
    assert!(has_warning(&report, "order-unknown"));
    assert_eq!(report.revisions.base.label, "old");
}

#[test]
fn words_follow_the_direction() {
    let of = |unit: &str, head: f64| {
        only(&compared(File::new().row("x", unit, &ramp(100.0, 6)), File::new().row("x", unit, &ramp(head, 6))))
            .verdict
            .clone()
    };
    assert_eq!(of("sec/op", 80.0), Verdict::Faster);
    assert_eq!(of("B/s", 80.0), Verdict::Slower);
    assert_eq!(of("B/s", 120.0), Verdict::Faster);
    assert_eq!(of("widgets", 120.0), Verdict::Unjudged(Unjudged::DirectionUnknown));
}

#[test]
fn equal_values_are_unchanged_and_close_ones_too() {
    let same = compared(File::new().row("x", "sec/op", &[5.0; 6]), File::new().row("x", "sec/op", &[5.0; 6]));
    assert_eq!(only(&same).verdict, Verdict::Unchanged);
    assert!(only(&same).notes.contains(&Note::AllEqual));
    let close =
        compared(File::new().row("x", "sec/op", &ramp(1000.0, 8)), File::new().row("x", "sec/op", &ramp(1000.5, 8)));
    assert_eq!(only(&close).verdict, Verdict::Unchanged);
    assert_eq!(only(&close).delta.as_ref().unwrap().level, 0.90);
    // Significant and small: no colour, but a note.
    let small =
        compared(File::new().row("x", "sec/op", &ramp(1000.0, 8)), File::new().row("x", "sec/op", &ramp(1009.0, 8)));
    assert_eq!(only(&small).verdict, Verdict::Unchanged);
    assert!(only(&small).notes.contains(&Note::SignificantBelowThreshold));
}

#[test]
fn too_few_values_are_said_with_the_number_that_works() {
    let report = compared(File::new().row("x", "sec/op", &[100.0]), File::new().row("x", "sec/op", &[50.0]));
    assert_eq!(only(&report).verdict, Verdict::Inconclusive(Undecided::TooFewRounds));
    assert_eq!(only(&report).p.unwrap().value, 1.0);
    assert_eq!(report.family.rounds_needed, Some(4));
    assert_eq!(report.warnings[0].code, "too-few-rounds");
    let rows = |n: usize| (0..10).fold(File::new(), |file, i| file.row(&format!("x{i}"), "sec/op", &ramp(100.0, n)));
    let heads = |n: usize| (0..10).fold(File::new(), |file, i| file.row(&format!("x{i}"), "sec/op", &ramp(200.0, n)));
    // Ten rows need p at or below 0.005: five values reach 0.0079, six 0.0022.
    let report = compared(rows(5), heads(5));
    assert_eq!((report.counts.regressions, report.family.rounds_needed), (0, Some(6)));
    assert_eq!(compared(rows(6), heads(6)).counts.regressions, 10);
    let options = FileOptions::default();
    let alone = FileOptions {
        compare: crate::config::Compare { correction: Correction::None, ..options.compare.clone() },
        ..options
    };
    let report = compared_by(rows(5), heads(5), &alone);
    assert_eq!((report.counts.regressions, only(&report).p.unwrap().kind), (10, PKind::Raw));
}

#[test]
fn undecided_rows_say_what_would_decide() {
    let wide = |shift: f64| -> Vec<f64> { (0..8).map(|i| 100.0 + shift + 3.0 * f64::from(i)).collect() };
    let report = compared(File::new().row("x", "sec/op", &wide(0.0)), File::new().row("x", "sec/op", &wide(0.5)));
    assert_eq!(only(&report).verdict, Verdict::Inconclusive(Undecided::Noise));
    assert!(
        matches!(only(&report).rounds_needed, Some(RoundsNeeded::About(10..))),
        "{:?}",
        only(&report).rounds_needed
    );
}

#[test]
fn exact_units_are_compared_exactly() {
    let of = |base: &[f64], head: &[f64]| {
        only(&compared(File::new().row("x", "allocs/op", base), File::new().row("x", "allocs/op", head))).clone()
    };
    let row = of(&[54.0; 3], &[10.0; 3]);
    assert_eq!((row.verdict, row.exact, row.p), (Verdict::Faster, true, None));
    assert_eq!(of(&[0.0; 2], &[1.0; 2]).verdict, Verdict::Slower);
    assert_eq!(of(&[0.0; 2], &[0.0; 2]).verdict, Verdict::Unchanged);
    assert_eq!(of(&[2.0], &[3.0]).verdict, Verdict::Unjudged(Unjudged::OneRound));
    assert!(of(&[2.0, 3.0, 2.0], &[2.0; 3]).notes.contains(&Note::ExactVaries));
}

#[test]
fn files_may_be_rounds_of_a_side() {
    let side = |label: &str, from: f64| {
        let rounds = (0..6)
            .map(|i| {
                File::new().row("x", "sec/op", &[from + f64::from(i), 1.0, 1e9]).row("a", "allocs/op", &[3.0, 4.0])
            })
            .collect();
        column(label, rounds, Samples::OneAFile)
    };
    let report = files(&[side("old", 100.0), side("new", 200.0)], &FileOptions::default());
    let row = only(&report);
    assert_eq!((row.base.as_ref().unwrap().n, row.base.as_ref().unwrap().center), (6, 102.5));
    assert_eq!(row.verdict, Verdict::Slower);
    // An exact unit takes the lower median, which stays a whole number.
    assert_eq!(report.suites[0].rows[1].base.as_ref().unwrap().center, 3.0);
}

#[test]
fn more_files_are_compared_with_the_first_in_one_family() {
    let file = |label: &str, from: f64| {
        column(label, vec![File::new().row("x", "sec/op", &ramp(from, 6))], Samples::EveryValue)
    };
    let report = files(&[file("a", 100.0), file("b", 200.0), file("c", 50.0)], &FileOptions::default());
    let names: Vec<&str> = report.suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names, ["b", "c"]);
    assert_eq!(report.family.size, 2);
    assert_eq!((&only(&report).verdict, &report.suites[1].rows[0].verdict), (&Verdict::Slower, &Verdict::Faster));
    assert!((only(&report).p.unwrap().value - 2.0 * 2.0 / 924.0).abs() < 1e-15, "Holm over both");
    assert_eq!((report.verdict, report.revisions.head.label.as_str()), (Overall::Mixed, "b, c"));
    for few in [&[][..], &[file("a", 1.0)][..]] {
        assert_eq!(files(few, &FileOptions::default()).suites.len(), 0);
    }
}

#[test]
fn rows_that_do_not_match_are_said() {
    let other = |package: &str| BenchmarkId { package: package.to_owned(), name: "x".to_owned(), procs: None };
    let base = File::new().full(other("a"), "sec/op", &ramp(100.0, 6), &[("pkg", "a"), ("cpu", "one")]).row(
        "old",
        "sec/op",
        &ramp(1.0, 3),
    );
    let head = File::new()
        .full(other("b"), "sec/op", &ramp(106.0, 5), &[("pkg", "b"), ("cpu", "two"), ("warning", "slow disk")])
        .row("new", "sec/op", &ramp(1.0, 3));
    let report = compared(base, head);
    let row = only(&report);
    assert_eq!(row.verdict, Verdict::Slower);
    for note in [
        Note::PackageDiffers("a".to_owned()),
        Note::UnequalN,
        Note::ConfigDiffers("cpu".to_owned()),
        Note::ConfigDiffers("warning".to_owned()),
    ] {
        assert!(row.notes.contains(&note), "{note:?}");
    }
    assert!(!row.notes.contains(&Note::ConfigDiffers("pkg".to_owned())));
    for code in ["paired-package", "unequal-n", "different-machines", "config-differs"] {
        assert!(has_warning(&report, code), "{code}");
    }
    assert_eq!((report.counts.new, report.counts.removed), (1, 1));
    let geomean = &report.suites[0].geomeans[0];
    assert_eq!((geomean.rows, geomean.left_out["new"], geomean.left_out["removed"]), (1, 1, 1));
}

#[test]
fn failures_and_unusable_values_are_states() {
    let mut head = File::new().row("nan", "sec/op", &[1.0, f64::NAN]);
    let failure = |name: &str, kind| Failure { id: id(name), kind, message: "boom".to_owned() };
    head.0.failures = vec![
        failure("x", FailureKind::Skipped),
        failure("x", FailureKind::Failed),
        failure("both", FailureKind::Failed),
    ];
    let mut base = File::new().row("x", "sec/op", &ramp(1.0, 3)).row("nan", "sec/op", &ramp(1.0, 2));
    base.0.failures = vec![failure("both", FailureKind::Skipped)];
    let report = compared(base, head);
    let verdicts: BTreeMap<&str, &Verdict> =
        report.suites[0].rows.iter().map(|row| (row.benchmark.name.as_str(), &row.verdict)).collect();
    assert_eq!(verdicts["x"], &Verdict::Failed(Side::Head, "boom".to_owned()));
    assert!(matches!(verdicts["nan"], Verdict::Failed(Side::Head, _)));
    assert_eq!(verdicts["both"], &Verdict::Skipped(Side::Base, "boom".to_owned()));
    assert_eq!(report.verdict, Overall::Failed);
}

#[test]
fn derived_and_degenerate_rows_are_not_judged() {
    let file = |factor: f64| {
        let times: Vec<f64> = ramp(100.0, 6).iter().map(|x| 1e-9 * factor * x).collect();
        let rates: Vec<f64> = times.iter().map(|x| 1.0 / x).collect();
        File::new().row("x", "sec/op", &times).row("x", "B/s", &rates).row("fast", "sec/op", &[7e-16 * factor; 6])
    };
    let report = compared(file(1.0), file(0.5));
    let verdicts: Vec<&Verdict> = report.suites[0].rows.iter().map(|row| &row.verdict).collect();
    assert_eq!(
        verdicts,
        [&Verdict::Faster, &Verdict::Unjudged(Unjudged::Derived), &Verdict::Unjudged(Unjudged::Degenerate)]
    );
    assert_eq!(report.family.size, 1);
}

#[test]
fn unit_lines_and_warnings_of_the_files_are_used() {
    let mut base = File::new().row("x", "widgets", &ramp(100.0, 6));
    let mut head = File::new().row("x", "widgets", &ramp(200.0, 6));
    base.0.units.insert("widgets".to_owned(), UnitHint { better: Some(Direction::Higher), exact: None });
    head.0.units.insert("widgets".to_owned(), UnitHint { better: Some(Direction::Lower), exact: None });
    head.0.warnings.push(ParseWarning { line: 7, message: "missing units".to_owned() });
    let report = compared(base, head);
    assert_eq!(only(&report).verdict, Verdict::Faster);
    assert!(has_warning(&report, "unit-conflict"));
    let unparsed = report.warnings.iter().find(|warning| warning.code == "unparsed-line").unwrap();
    assert_eq!(unparsed.place, "new.txt:7");
}

#[test]
fn values_without_logarithms_are_compared_by_difference() {
    let base = || File::new().row("x", "score", &ramp(-10.0, 6));
    let head = || File::new().row("x", "score", &ramp(20.0, 6));
    let mut options = FileOptions::default();
    let lower = UnitPolicy { better: Some(Direction::Lower), ..UnitPolicy::default() };
    options.compare.units.insert("score".to_owned(), lower);
    let row = only(&compared_by(base(), head(), &options)).clone();
    assert_eq!(row.verdict, Verdict::Unjudged(Unjudged::NoRatio));
    let delta = row.delta.unwrap();
    assert_eq!((delta.ratio, delta.absolute), (None, 30.0));
    options.compare.units.insert("score".to_owned(), UnitPolicy { absolute: Some(5.0), ..lower });
    assert_eq!(only(&compared_by(base(), head(), &options)).verdict, Verdict::Slower);
}

#[test]
fn empty_files_are_said() {
    let report = compared(File::new(), File::new().row("x", "sec/op", &ramp(1.0, 3)));
    assert_eq!(report.verdict, Overall::Failed);
    assert!(has_warning(&report, "no-benchmarks"));
    assert_eq!(only(&report).verdict, Verdict::New);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    #[test]
    fn any_files_give_a_report(rows in proptest::collection::vec(
        (0..3_usize, "[xy]", 0..4_usize, proptest::collection::vec(
            proptest::prop_oneof![proptest::num::f64::ANY, 1.0..2.0_f64, (0..3_i32).prop_map(f64::from)], 1..9)),
        0..14,
    )) {
        let units = ["sec/op", "B/s", "allocs/op", "widgets"];
        let mut columns: Vec<FileColumn> =
            ["a", "b", "c"].iter().map(|label| column(label, vec![File::new()], Samples::EveryValue)).collect();
        for (to, name, unit, values) in rows {
            let file = File(std::mem::take(&mut columns[to].inputs[0].1)).row(&name, units[unit], &values);
            columns[to].inputs[0].1 = file.0;
        }
        let report = files(&columns, &FileOptions::default());
        let text = serde_json::to_string(&report).unwrap();
        proptest::prop_assert!(serde_json::from_str::<Report>(&text).is_ok_and(|back| back == report), "{}", text);
    }
}
