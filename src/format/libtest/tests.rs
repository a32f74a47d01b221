use crate::format::FailureKind::{Failed, Skipped};
use crate::format::tests::{close, failures, keys, output, read, row, warned};

#[test]
fn times_rates_and_ignored_benchmarks_are_read() {
    let (_, parsed) = read("libtest/out.txt");
    assert_eq!(keys(&parsed), [("", "t::fib20", "sec/op"), ("", "t::vec1k", "sec/op"), ("", "t::vec1k", "B/s")]);
    close(row(&parsed, "t::fib20", "sec/op").values[0], 5.30e-9);
    close(row(&parsed, "t::vec1k", "B/s").values[0], 28_985e6);
    assert_eq!(row(&parsed, "t::vec1k", "sec/op").line, 6);
    assert_eq!(failures(&parsed), [("t::ok", Skipped, ""), ("t::ign", Skipped, "")]);
}

#[test]
fn json_gives_the_same_rows_as_text() {
    let (_, parsed) = read("libtest/out.json.txt");
    assert_eq!(keys(&parsed), keys(&read("libtest/out.txt").1));
    close(row(&parsed, "t::fib20", "sec/op").values[0], 9.210_777_499_999_999e-9);
    close(row(&parsed, "t::vec1k", "B/s").values[0], 26_143e6);
}

#[test]
fn a_benchmark_that_panics_is_a_failure_with_its_words_and_cargo_names_the_target() {
    let (_, parsed) = read("libtest/failures-2026-05.txt");
    assert_eq!(
        keys(&parsed),
        [
            ("lt", "tests::bytes", "sec/op"),
            ("lt", "tests::bytes", "B/s"),
            ("lt", "tests::fib20", "sec/op"),
            ("other", "fib20", "sec/op"),
        ]
    );
    close(row(&parsed, "tests::fib20", "sec/op").values[0], 20_662.45e-9);
    let message = "half way\n\nthread 'main' (21310) panicked at src/lib.rs:10:65:\nno file | `x`";
    assert_eq!(
        failures(&parsed),
        [
            ("tests::plain_test", Skipped, ""),
            ("tests::ignored", Skipped, "needs a network"),
            ("tests::panics", Failed, message),
        ]
    );
    let (_, parsed) = read("libtest/failures-2026-05.json.txt");
    let failed = failures(&parsed).into_iter().find(|(name, ..)| *name == "tests::panics").unwrap();
    assert!(failed.1 == Failed && failed.2.ends_with("no file | `x`"), "{failed:?}");
}

#[test]
fn plain_tests_of_a_binary_without_benchmarks_are_not_skipped_benchmarks() {
    let text = "running 2 tests\ntest a ... ignored\ntest b ... ignored\n\ntest result: ok.\n\nrunning 1 test\ntest c ... bench: 10 ns/iter (+/- 1)\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!((keys(&parsed).len(), parsed.failures.len()), (1, 0));
}

#[test]
fn units_names_and_numbers_of_any_kind_are_read() {
    let text = "test cmov              ... bench:        2835 cycles/iter (+/- 14)\n\
        test upload ... bench:        1911 MS/s (+/- 420)\n\
        test Symbols (Execution) | `x` ... bench:   1,234,567.5 ns/iter (+/- 1,047)\n\
        test hash/64 KiB         ... bench:       8,120.45 ns/iter (+/- 101.20) = 640 MB/s\n\
        test in_ms ... bench:  22 ms/iter (+/- 22)\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(row(&parsed, "cmov", "cycles/op").values, [2835.0]);
    assert_eq!(row(&parsed, "upload", "samples/s").values, [1911e6]);
    close(row(&parsed, "Symbols (Execution) | `x`", "sec/op").values[0], 1_234_567.5e-9);
    assert_eq!(row(&parsed, "hash/64 KiB", "B/s").values, [640e6]);
    assert_eq!(row(&parsed, "in_ms", "sec/op").values, [0.022]);
}

#[test]
fn a_message_between_name_and_result_is_passed_over() {
    let text =
        "test sort ... Criterion.rs ERROR: error in Gnuplot: No such file\nbench:         730 ns/iter (+/- 267)\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(row(&parsed, "sort", "sec/op").values, [730e-9]);
}

#[test]
fn results_without_a_name_are_counted() {
    let (_, parsed) = read("criterion/bencher-quick-0.5.txt");
    assert!(parsed.measurements.is_empty());
    assert!(warned(&parsed, "9 results have no name"), "{:?}", parsed.warnings);
}

#[test]
fn one_name_in_two_binaries_is_two_benchmarks() {
    let two = "running 1 test\ntest parse ... bench: 10 ns/iter (+/- 1)\n\nrunning 2 tests\ntest parse ... bench: 99 ns/iter (+/- 1)\ntest emit ... bench: 5 ns/iter (+/- 1)\n";
    let (_, parsed) = output(two.as_bytes()).unwrap();
    assert_eq!(row(&parsed, "parse", "sec/op").values, [10e-9]);
    assert_eq!(row(&parsed, "parse #2", "sec/op").values, [99e-9]);
    assert!(warned(&parsed, "parse in more than one test binary"));
    // The same names again are the same binary, run twice.
    let again = "running 1 test\ntest parse ... bench: 10 ns/iter (+/- 1)\n\nrunning 1 test\ntest parse ... bench: 12 ns/iter (+/- 1)\n";
    assert_eq!(row(&output(again.as_bytes()).unwrap().1, "parse", "sec/op").values, [10e-9, 12e-9]);
}

#[test]
fn bencher_output_of_criterion_is_read() {
    let (_, parsed) = read("criterion/bencher-0.5.txt");
    assert_eq!(row(&parsed, "pipe|tick`<b>ünïcode/λ", "sec/op").values, [11e-9]);
    assert_eq!(row(&parsed, "flat/slow", "sec/op").values, [287_002e-9]);
    assert_eq!(parsed.measurements.len(), 9);
}
