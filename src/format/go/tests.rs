//! What a user would notice of the Go format.

use super::*;
use crate::format::FailureKind;

fn text_of(lines: &[&str]) -> Vec<u8> {
    format!("{}\n", lines.join("\n")).into_bytes()
}

fn values(parsed: &Parsed) -> Vec<(String, String, Vec<f64>)> {
    let row = |m: &Measurement| (full_name(&m.id), m.unit.clone(), m.values.clone());
    parsed.measurements.iter().map(row).collect()
}

fn full_name(id: &BenchmarkId) -> String {
    format!("{}:{}:{}", id.package, id.name, id.procs.map_or("-".to_owned(), |n| n.to_string()))
}

fn row(name: &str, unit: &str, values: &[f64]) -> (String, String, Vec<f64>) {
    (name.to_owned(), unit.to_owned(), values.to_vec())
}

fn lines_of(parsed: &Parsed) -> Vec<usize> {
    parsed.warnings.iter().map(|w| w.line).collect()
}

#[test]
fn a_plain_run_gives_rows_with_packages_suffixes_and_units() {
    let parsed = parse(&text_of(&[
        "goos: linux",
        "pkg: example.com/a",
        "cpu: Test CPU",
        "BenchmarkX-8   \t     100\t      1188 ns/op\t  12.50 MB/s\t       0 B/op\t       0 allocs/op",
        "BenchmarkX-8   \t     200\t      1200 ns/op\t  12.00 MB/s\t       0 B/op\t       0 allocs/op",
        "BenchmarkX/size=4k-8   \t     100\t      7 widgets/op",
        "PASS",
        "ok  \texample.com/a\t1.234s",
        "pkg: example.com/b",
        "BenchmarkX   \t     100\t      5 ns/op",
    ]));
    let x = "example.com/a:X:8";
    assert_eq!(
        values(&parsed),
        [
            row(x, "sec/op", &[1188.0 * 1e-9, 1200.0 * 1e-9]),
            row(x, "B/s", &[12.5e6, 12e6]),
            row(x, "B/op", &[0.0, 0.0]),
            row(x, "allocs/op", &[0.0, 0.0]),
            row("example.com/a:X/size=4k:8", "widgets/op", &[7.0]),
            row("example.com/b:X:-", "sec/op", &[5.0 * 1e-9]),
        ]
    );
    let first = &parsed.measurements[0];
    assert_eq!((first.iterations, first.line), (Some(100), 4));
    assert_eq!(first.config.get("cpu").map(String::as_str), Some("Test CPU"));
    assert_eq!(parsed.warnings, []);
    assert_eq!(parsed.failures, []);
}

#[test]
fn zeros_are_tidied_like_every_other_value() {
    let parsed = parse(&text_of(&["BenchmarkX 1 0 ns/op", "BenchmarkX 1 5 ns/op", "BenchmarkX 1 +Inf wait-ns"]));
    assert_eq!(values(&parsed), [row(":X:-", "sec/op", &[0.0, 5.0 * 1e-9]), row(":X:-", "wait-sec", &[f64::INFINITY])]);
}

#[test]
fn one_unit_under_two_spellings_is_one_row() {
    let parsed = parse(&text_of(&["BenchmarkX 1 100 ns/op 2 sec/op 3 foo 4 foo"]));
    assert_eq!(values(&parsed), [row(":X:-", "sec/op", &[100.0 * 1e-9, 2.0]), row(":X:-", "foo", &[3.0, 4.0])]);
}

#[test]
fn every_line_that_is_lost_is_counted_with_its_place() {
    let parsed = parse(&text_of(&[
        "BenchmarkA 1 5 ns/op",
        "BenchmarkA x 5 ns/op",
        "BenchmarkA 1",
        "BenchmarkA 1 5",
        "BenchmarkA 1 5 ns/op 6",
        "BenchmarkA 1 1e400 ns/op",
        "BenchmarkA 1 NaN ns/op 7 B/op",
        "BenchmarkA 99999999999999999999 5 ns/op",
        "BenchmarkA ",
        "Benchmarks are cool",
        "    BenchmarkA \t1\t5 ns/op",
        "Unit",
        "Unit foo bad",
        "Unit foo better=lower",
        "Unit foo better=higher",
    ]));
    assert_eq!(values(&parsed), [row(":A:-", "sec/op", &[5.0 * 1e-9]), row(":A:-", "B/op", &[7.0])]);
    assert_eq!(lines_of(&parsed), (2..=13).chain([15]).collect::<Vec<_>>());
    let message = |line: usize| &parsed.warnings.iter().find(|w| w.line == line).expect("a warning").message;
    assert_eq!(message(2), "parsing iteration count: invalid syntax");
    assert_eq!(message(3), "missing measurements");
    assert_eq!(message(4), "missing units");
    assert_eq!(message(5), "missing units");
    assert_eq!(message(6), "parsing measurement: value out of range");
    assert!(message(7).contains("NaN"));
    let lost: Vec<_> = parsed.non_finite.iter().map(|(id, unit)| (id.name.as_str(), unit.as_str())).collect();
    assert_eq!(lost, [("A", "sec/op")]);
    assert_eq!(message(8), "parsing iteration count: value out of range");
    assert_eq!(message(9), "missing iteration count");
    assert!(message(11).contains("indented"));
    assert_eq!(message(15), "metadata better of unit foo already set to lower");
    assert_eq!(parsed.units["foo"].better, Some(Direction::Lower));
}

#[test]
fn warnings_are_counted_beyond_a_limit() {
    let parsed = parse(&b"BenchmarkA x\n".repeat(KEPT_WARNINGS + 1000));
    assert_eq!(parsed.warnings.len(), KEPT_WARNINGS + 1);
    assert!(parsed.warnings[KEPT_WARNINGS].message.starts_with("1000 more"));
}

#[test]
fn odd_lines_that_benchstat_accepts_are_accepted() {
    let parsed = parse(&text_of(&[
        "Benchmarkx 1 5 foo",
        "Benchmark 1 5 foo",
        "BenchmarkX -3 5 foo",
        "BenchmarkX 0 6 foo",
        "BenchmarkX\u{a0}1\u{2003}1_000 foo",
        "BenchmarkX 1 0x1p-2 foo\r",
        "BenchmarkX 1 5 µs/op",
    ]));
    assert_eq!(
        values(&parsed),
        [
            row(":x:-", "foo", &[5.0]),
            row("::-", "foo", &[5.0]),
            row(":X:-", "foo", &[5.0, 6.0, 1000.0, 0.25]),
            row(":X:-", "µs/op", &[5.0]),
        ]
    );
    // A count of iterations that cannot be is told, and is not taken as the smallest.
    assert_eq!(lines_of(&parsed), [3, 4]);
    assert_eq!(parsed.measurements[2].iterations, Some(0));
}

#[test]
fn configuration_follows_its_lines() {
    let parsed = parse(&text_of(&[
        "note: a",
        "BenchmarkX 1 1 foo",
        "note: b",
        "BenchmarkX 1 2 foo",
        "note:",
        "warning: slow disk",
        "BenchmarkY 1 3 foo",
    ]));
    assert_eq!(values(&parsed), [row(":X:-", "foo", &[1.0, 2.0]), row(":Y:-", "foo", &[3.0])]);
    assert_eq!(parsed.measurements[0].config.get("note").map(String::as_str), Some("a"));
    assert_eq!(parsed.measurements[1].config.get("note"), None);
    // Values of one benchmark under two notes, and a log line that became configuration.
    assert_eq!(lines_of(&parsed), [4, 6]);
    assert!(parsed.warnings[0].message.contains("\"note\""));
    assert!(parsed.warnings[1].message.contains("slow disk"));
}

#[test]
fn results_that_output_cut_off_are_put_together_again() {
    let parsed = parse(&text_of(&[
        "BenchmarkA-8   \tstdout line",
        "another line",
        "     100\t      1188 ns/op\t       7 B/op",
        "BenchmarkB-8   \tno newline     200\t      50 ns/op",
        "BenchmarkC-8   \tone",
        "BenchmarkD-8   \ttwo",
        "     300\t      60 ns/op",
        "     400\t      70 ns/op",
    ]));
    assert_eq!(
        values(&parsed),
        [row(":A:8", "sec/op", &[1188.0 * 1e-9]), row(":A:8", "B/op", &[7.0]), row(":B:8", "sec/op", &[50.0 * 1e-9])]
    );
    assert_eq!(parsed.measurements[0].iterations, Some(100));
    // Which of C and D the last two results belong to cannot be known.
    assert_eq!(lines_of(&parsed), [1, 1, 4, 4, 5, 6, 7, 8]);
}

#[test]
fn a_failure_before_the_first_result_belongs_to_the_package_that_comes() {
    // Go prints `pkg:` with a binary's first result, and a package's end after everything.
    let parsed = parse(&text_of(&[
        "--- FAIL: BenchmarkEarly",
        "    a_test.go:1: one",
        "goos: linux",
        "pkg: a",
        "BenchmarkX-8 \t 10\t 5 ns/op",
        "--- FAIL: BenchmarkLate",
        "    a_test.go:2: two",
        "FAIL",
        "exit status 1",
        "FAIL\ta\t0.1s",
        "--- FAIL: BenchmarkEarly",
        "    b_test.go:1: three",
        "FAIL",
        "exit status 1",
        "FAIL\tb\t0.1s",
        "--- SKIP: BenchmarkSkipped",
        "    c_test.go:1: four",
        "pkg: c",
        "BenchmarkX-8 \t 10\t 5 ns/op",
        "PASS",
        "ok  \tc\t0.1s",
        // A binary that was run by hand, and said nothing.
        "--- FAIL: BenchmarkAlone",
        "FAIL",
    ]));
    let packages: Vec<(&str, &str)> =
        parsed.failures.iter().map(|failure| (failure.id.package.as_str(), failure.id.name.as_str())).collect();
    assert_eq!(
        packages,
        [("a", "Early"), ("a", "Late"), ("b", "Early"), ("c", "Skipped"), ("c", "Alone")],
        "what nothing tells is left to the package before"
    );
}

#[test]
fn failures_panics_and_skips_are_outcomes() {
    let parsed = parse(&text_of(&[
        "pkg: p",
        "BenchmarkGood-8   \t     100\t      5 ns/op",
        "BenchmarkBad-8   \t--- FAIL: BenchmarkBad-8",
        "    a_test.go:5: bad",
        "    a_test.go:6: worse",
        "--- FAIL: BenchmarkWorse/sub=1-8",
        "    a_test.go:55: much worse",
        "--- SKIP: BenchmarkSkipped",
        "    a_test.go:7: no data",
        "--- BENCH: BenchmarkGood-8",
        "    a_test.go:9: a log line",
        "BenchmarkPanic-8   \tpanic: boom",
        "",
        "goroutine 9 [running]:",
        "exit status 2",
        "FAIL\tp\t0.017s",
    ]));
    let outcome = |f: &Failure| (full_name(&f.id), f.kind, f.message.clone());
    assert_eq!(
        parsed.failures.iter().map(outcome).collect::<Vec<_>>(),
        [
            ("p:Bad:8".to_owned(), FailureKind::Failed, "a_test.go:5: bad\na_test.go:6: worse".to_owned()),
            ("p:Worse/sub=1:8".to_owned(), FailureKind::Failed, "a_test.go:55: much worse".to_owned()),
            // Announced without its suffix, which every result of the run has.
            ("p:Skipped:8".to_owned(), FailureKind::Skipped, "a_test.go:7: no data".to_owned()),
            ("p:Panic:8".to_owned(), FailureKind::Failed, "panic: boom".to_owned()),
        ]
    );
    assert_eq!(values(&parsed), [row("p:Good:8", "sec/op", &[5.0 * 1e-9])]);
    assert!(parsed.warnings.iter().any(|w| w.line == 16 && w.message.contains("package p failed")));
}

#[test]
fn a_panic_of_a_verbose_run_belongs_to_the_benchmark_that_runs() {
    let parsed = parse(&text_of(&[
        "BenchmarkA",
        "BenchmarkA-8   \t     100\t      5 ns/op",
        "BenchmarkB",
        "panic: boom [recovered]",
        "\tpanic: boom",
    ]));
    assert_eq!(parsed.failures.len(), 1);
    assert_eq!(parsed.failures[0].id.name, "B");
    assert_eq!(parsed.failures[0].message, "panic: boom [recovered]\npanic: boom");
}

#[test]
fn a_real_partial_failure_keeps_its_results() {
    let parsed = parse(include_bytes!("../../../tests/data/seeds/vanadium-glob/unpatched-partial-failure.txt"));
    assert_eq!(parsed.measurements.len(), 10);
    assert_eq!(parsed.failures.len(), 20);
    assert!(parsed.failures.iter().all(|f| f.kind == FailureKind::Failed && f.message.contains("glob_test.go:159")));
    assert_eq!(parsed.failures[0].id.package, "v.io/x/ref/runtime/internal/rpc/benchmark/glob");
}

#[test]
fn go_test_json_is_put_together_by_package() {
    let parsed = parse(
        br#"{"Action":"output","Package":"ex/a","Output":"goos: linux\n"}
{"Action":"output","Package":"ex/b","Output":"pkg: ex/b\nnote: only b\n"}
{"Action":"output","Package":"ex/a","Test":"BenchmarkX","Output":"BenchmarkX\n"}
{"Action":"output","Package":"ex/a","Test":"BenchmarkX","Output":"BenchmarkX-8   \t"}
{"Action":"output","Package":"ex/b","Test":"BenchmarkX","Output":"BenchmarkX-8   \t     200\t 7 ns/op\n"}
{"Action":"output","Package":"ex/a","Test":"BenchmarkX","Output":"     100\t 1188 ns/op\n"}
"#,
    );
    assert_eq!(
        values(&parsed),
        [row("ex/a:X:8", "sec/op", &[1188.0 * 1e-9]), row("ex/b:X:8", "sec/op", &[7.0 * 1e-9])]
    );
    assert_eq!(parsed.measurements[0].line, 4);
    assert_eq!(parsed.measurements[0].config.get("note"), None);
    assert_eq!(parsed.warnings, []);
}

#[test]
fn ci_logs_are_read() {
    let parsed = parse(
        "2024-05-01T12:34:56.7890123Z \u{1b}[36mpkg: p\u{1b}[0m\r\n\
         2024-05-01T12:34:57.7890123Z BenchmarkX-8 \t 100\t 5 ns/op\r\n"
            .as_bytes(),
    );
    assert_eq!(values(&parsed), [row("p:X:8", "sec/op", &[5.0 * 1e-9])]);
}

#[test]
fn lines_of_a_megabyte_are_lines() {
    let name = "x".repeat(1 << 20);
    let parsed = parse(&text_of(&[&format!("Benchmark/{name}-8 1 5 ns/op"), &"y".repeat(1 << 20)]));
    assert_eq!(parsed.measurements.len(), 1);
    assert_eq!(parsed.measurements[0].id.name.len(), name.len() + 1);
}

#[test]
fn nothing_gives_nothing() {
    for bytes in [&b""[..], b"\n\n", b"\0\0\0\0", b"\xff\xfe", b"\xef\xbb\xbf", b"{", b"\r\r\n"] {
        assert_eq!(parse(bytes).measurements, []);
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Lines that resemble what `go test` prints, and rubbish.
    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            "Benchmark[A-Za-z/=_-]{0,8}(-[0-9]{1,2})?[ \t]{1,3}[0-9]{1,4}[ \t][0-9.e+-]{1,6} (ns/op|MB/s|B/op|foo)",
            "Benchmark.{0,20}",
            "(--- )?(FAIL|SKIP|BENCH): Benchmark[A-Z].{0,6}",
            "[a-z]{1,5}:[ \t]?.{0,10}",
            "Unit [a-z/]{0,5} (better|assume)=[a-z]{0,6}",
            "[ \t]{0,3}[0-9]{1,4}\t[0-9]{1,4} ns/op",
            "(panic: |FAIL\t|\u{1b}\\[[0-9;]{0,4}m).{0,10}",
            ".{0,30}",
        ]
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn every_value_is_a_number_and_every_place_is_in_the_input(
            lines in prop::collection::vec(line(), 0..40),
            end in prop_oneof!["\n", "\r\n"],
        ) {
            let text = lines.join(&end);
            let parsed = parse(text.as_bytes());
            let count = text.lines().count();
            for m in &parsed.measurements {
                prop_assert!(!m.values.is_empty() && m.values.iter().all(|v| !v.is_nan()));
                prop_assert!((1..=count).contains(&m.line));
            }
            for warning in &parsed.warnings {
                prop_assert!(warning.line <= count);
            }
            let keys = parsed.measurements.iter().map(|m| (&m.id, &m.unit));
            prop_assert_eq!(keys.collect::<std::collections::HashSet<_>>().len(), parsed.measurements.len());
        }

        #[test]
        fn encodings_do_not_matter(lines in prop::collection::vec(line(), 1..10)) {
            let text = lines.join("\n");
            let mut utf16 = vec![0xff, 0xfe];
            utf16.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            prop_assert_eq!(parse(text.as_bytes()), parse(&utf16));
        }
    }
}
