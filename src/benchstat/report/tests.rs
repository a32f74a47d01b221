//! The classic layouts of reports.

use super::*;
use crate::compare::files::Samples;
use crate::compare::{FileColumn, FileOptions, files};
use crate::format::go;
use crate::report::StageSamples;
use crate::results::StageKind;
use crate::side::PerSide;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The report of two files of `folder`.
fn report(folder: &str, names: [&str; 2]) -> Report {
    let columns = names.map(|name| {
        let parsed = go::parse(read(&format!("{folder}/{name}")).as_bytes());
        FileColumn { label: name.to_owned(), inputs: vec![(name.to_owned(), parsed)], samples: Samples::EveryValue }
    });
    files(&columns, &FileOptions::default())
}

/// `text` without the lines that name configuration, of which a report knows the package alone.
fn tables(text: &str) -> String {
    let is_configuration =
        |line: &str| line.split_once(": ").is_some_and(|(key, _)| key.chars().all(char::is_lowercase));
    text.split_inclusive('\n').filter(|line| !is_configuration(line)).collect()
}

#[test]
fn reports_show_the_tables_of_the_tools() {
    for (seed, base) in [
        ("sha1cd", "base.txt"),
        ("refmt", "base.txt"),
        ("go-toml-pr546", "base.txt"),
        // Rows that differ in their suffix, and in their package, are paired.
        ("go-toml-tuning", "base.txt"),
        ("opendal", "base.txt"),
    ] {
        let report = report(&format!("seeds/{seed}"), [base, "head.txt"]);
        let ours = tables(&text(&report, Layout::Benchstat));
        let (golden, without) = match seed {
            "go-toml-tuning" => ("golden.benchstat-v2.nosuffix.txt", "base.nosuffix.txt"),
            "opendal" => ("golden.benchstat-v2.ignore-pkg.txt", "base.txt"),
            _ => ("golden.benchstat-v2.txt", "base.txt"),
        };
        let expected = tables(&read(&format!("seeds/{seed}/{golden}")));
        if without == base {
            assert_eq!(ours, expected, "{seed}");
        } else {
            // The column's title has another width: compare what stands in the rows.
            let words = |text: &str| {
                text.split_whitespace().filter(|w| !w.starts_with("base.")).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(words(&ours), words(&expected), "{seed}");
        }
    }
}

#[test]
fn reports_show_the_layouts_of_old() {
    let report = report("seeds/sha1cd-tuned", ["base.txt", "head.txt"]);
    assert_eq!(text(&report, Layout::BenchstatV1), read("seeds/sha1cd-tuned/golden.benchstat-v1.txt"));
}

#[test]
fn benchcmp_has_one_line_a_benchmark() {
    // 100 to 105 against 106 to 111: medians 102.5 and 108.5, in the digits that the tool prints.
    let report = report("benchstat/05-n6", ["old.txt", "new.txt"]);
    let expected = "benchmark        old ns/op     new ns/op     delta
BenchmarkX-8     102           108           +5.85%

Every figure is the median of its rounds.
";
    assert_eq!(text(&report, Layout::Benchcmp), expected);
}

#[test]
fn a_confirmed_row_shows_its_fresh_samples() {
    let mut report = report("benchstat/05-n6", ["old.txt", "new.txt"]);
    let row = &mut report.suites[0].rows[0];
    let screen = StageSamples { stage: Some(StageKind::Screen), ..row.samples[0].clone() };
    let fresh = |value: f64| vec![value; 4];
    let confirm = StageSamples {
        stage: Some(StageKind::Confirm),
        values: PerSide { base: fresh(1e-6), head: fresh(2e-6) },
        ..screen.clone()
    };
    row.samples = vec![screen, confirm];
    row.stage = Some(StageKind::Confirm);
    report.design = Design::Staged { screen: 8, confirm: 16, seed: String::new() };
    let table = text(&report, Layout::Benchstat);
    assert!(table.contains("│     base     │                 head "), "{table}");
    assert!(table.contains("1.000µ ± ∞ ¹   2.000µ ± ∞ ¹  +100.00% (p=0.029 n=4)"), "{table}");
}

#[test]
fn names_stay_on_their_line() {
    let mut report = report("benchstat/05-n6", ["old.txt", "new.txt"]);
    report.suites[0].rows[0].benchmark.name = "X\n\u{1b}[31mY".to_owned();
    for layout in [Layout::Benchstat, Layout::BenchstatV1, Layout::Benchcmp] {
        let text = text(&report, layout);
        assert!(text.contains("X\u{fffd}\u{fffd}[31mY"), "{text}");
    }
}

#[test]
fn a_report_without_rows_has_no_table() {
    let mut report = report("benchstat/05-n6", ["old.txt", "new.txt"]);
    report.suites.clear();
    for layout in [Layout::Default, Layout::Benchstat, Layout::BenchstatV1, Layout::Benchcmp] {
        assert_eq!(text(&report, layout), "");
    }
}
