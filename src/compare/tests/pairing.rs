//! Rows whose keys differ between the sides.

use super::build::{Run, Truth, find, has_warning, id};
use crate::config::Rename;
use crate::format::BenchmarkId;
use crate::report::{Note, Report, Row, Verdict};
use crate::results::StageKind;
use crate::side::Side;

fn named(package: &str, name: &str, procs: Option<u32>) -> BenchmarkId {
    BenchmarkId { package: package.to_owned(), name: name.to_owned(), procs }
}

fn rows(report: &Report) -> Vec<&Row> {
    report.suites[0].rows.iter().collect()
}

#[test]
fn a_renamed_package_is_paired_and_said() {
    let moved = |name: &str| {
        Truth::new(name)
            .effect(-0.2)
            .on(Side::Base, named("opendal.apache.org/go", name, None))
            .on(Side::Head, named("github.com/apache/opendal/bindings/go", name, None))
    };
    let truths = [
        moved("Read4KiB"),
        moved("Read4MiB"),
        Truth::new("Write").on(Side::Base, named("opendal.apache.org/go", "Write", None)).only(Side::Base),
    ];
    let report = Run::staged(&truths).report();
    let row = find(&report, "Read4KiB");
    assert_eq!(row.verdict, Verdict::Improvement);
    assert_eq!(row.benchmark.package, "github.com/apache/opendal/bindings/go");
    assert_eq!(row.base_benchmark.as_ref().unwrap().package, "opendal.apache.org/go");
    assert_eq!(row.notes, [Note::PackageDiffers("opendal.apache.org/go".to_owned())]);
    assert_eq!(find(&report, "Write").verdict, Verdict::Removed);
    assert!(has_warning(&report, "paired-package"));
    assert_eq!(report.family.size, 2, "a pair with two keys is one row");
}

#[test]
fn both_keys_of_a_pair_are_selected() {
    let truth =
        Truth::new("row").effect(0.3).on(Side::Base, named("a", "row", None)).on(Side::Head, named("b", "row", None));
    let mut run = Run::staged(&[truth]);
    let confirm = run.suite().stages[1].clone();
    assert_eq!((confirm.kind, confirm.suspects), (StageKind::Confirm, vec![0, 1]));
    assert!(!has_warning(&run.report(), "selection-differs"));
}

#[test]
fn packages_that_exist_on_both_sides_are_not_guessed() {
    // `x` was removed from package a and another `x` was added to package b: no rename.
    let truths = [
        Truth::new("x").on(Side::Base, named("a", "x", None)).only(Side::Base),
        Truth::new("x").on(Side::Head, named("b", "x", None)).only(Side::Head),
        Truth::new("y").on(Side::Base, named("a", "y", None)).on(Side::Head, named("a", "y", None)),
        Truth::new("y").on(Side::Base, named("b", "y", None)).on(Side::Head, named("b", "y", None)),
    ];
    let report = Run::staged(&truths).report();
    assert_eq!((report.counts.new, report.counts.removed, report.family.testable), (1, 1, 2));
}

#[test]
fn ambiguous_rows_are_not_paired() {
    let only = |package: &str, side: Side| Truth::new("x").on(side, named(package, "x", None)).only(side);
    let truths = [only("a1", Side::Base), only("a2", Side::Base), only("b", Side::Head)];
    let report = Run::staged(&truths).report();
    assert_eq!((report.counts.new, report.counts.removed), (1, 2));
}

#[test]
fn another_number_of_processors_is_paired_and_said() {
    let truth = |base, head| {
        Truth::new("x").effect(0.3).on(Side::Base, named("", "x", base)).on(Side::Head, named("", "x", head))
    };
    for (base, head) in [(Some(24), Some(8)), (None, Some(2)), (Some(2), None)] {
        let report = Run::staged(&[truth(base, head)]).report();
        let row = find(&report, "x");
        assert_eq!((&row.verdict, row.benchmark.procs), (&Verdict::Regression, head));
        assert_eq!(row.notes, [Note::ProcsDiffer(base)]);
        assert!(has_warning(&report, "paired-processors"));
    }
    // A sweep pairs exactly.
    let sweep = [truth(None, None), truth(Some(2), Some(2)), truth(Some(4), Some(4))];
    let report = Run::staged(&sweep).report();
    assert!(rows(&report).iter().all(|row| row.notes.is_empty()), "{:?}", rows(&report));
    assert_eq!(report.counts.regressions, 3);
}

#[test]
fn package_and_processors_may_both_differ() {
    let truth = Truth::new("x").on(Side::Base, named("a", "x", Some(2))).on(Side::Head, named("b", "x", Some(4)));
    let report = Run::staged(&[truth]).report();
    assert_eq!(find(&report, "x").notes, [Note::PackageDiffers("a".to_owned()), Note::ProcsDiffer(Some(2))]);
}

#[test]
fn configured_renames_pair_rows() {
    let truth = Truth::new("x")
        .effect(0.3)
        .on(Side::Base, id("UnmarshalSimple/struct"))
        .on(Side::Head, id("Unmarshal/SimpleDocument/struct"));
    let mut run = Run::staged(std::slice::from_ref(&truth));
    let without = run.report();
    assert_eq!((without.counts.new, without.counts.removed), (1, 1));
    run.config.compare.rename =
        vec![Rename { from: "^UnmarshalSimple/(.*)".to_owned(), to: "Unmarshal/SimpleDocument/$1".to_owned() }];
    let report = run.report();
    let row = find(&report, "Unmarshal/SimpleDocument/struct");
    assert_eq!(row.base_benchmark.unwrap().name, "UnmarshalSimple/struct");
    assert_eq!(row.notes, [Note::Renamed]);
    assert_eq!((report.counts.new, report.counts.removed), (0, 0));
    run.config.compare.rename = vec![Rename { from: "(".to_owned(), to: String::new() }];
    assert!(has_warning(&run.report(), "rename"));
}

#[test]
fn rows_keep_the_order_of_first_appearance() {
    let truths = [
        Truth::new("b").only(Side::Head),
        Truth::new("a"),
        Truth::new("d").on(Side::Base, named("p", "d", None)).on(Side::Head, named("q", "d", None)),
        Truth::new("c").only(Side::Base),
    ];
    let report = Run::staged(&truths).report();
    let names: Vec<&str> = rows(&report).iter().map(|row| row.benchmark.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "d", "c"]);
}
