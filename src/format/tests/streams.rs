//! Whose output it is.

use super::*;

/// Every real output, and what it must be taken for.
const REAL: &[(&str, &str)] = &[
    ("benchmarkjs/failures-2.1.4.txt", "benchmark.js"),
    ("benchmarkjs/out.txt", "benchmark.js"),
    ("catch2/shapes-2.13.10.xml", "catch2"),
    ("criterion/bencher-0.5.txt", "libtest"),
    ("criterion/bencher-format.txt", "libtest"),
    ("criterion/run-0.5.txt", "criterion"),
    ("criterion/run1.txt", "criterion"),
    ("criterion/run2-0.5.txt", "criterion"),
    ("criterion/run2-vs-run1.txt", "criterion"),
    ("deno/failed-2.9.6.json", "deno"),
    ("deno/out-2.9.6.json", "deno"),
    ("divan/counters-0.1.21.txt", "divan"),
    ("divan/run.txt", "divan"),
    ("go/bench-1x.txt", "go"),
    ("go/bench-cpu.txt", "go"),
    ("go/bench-fail.txt", "go"),
    ("go/bench.json.txt", "go"),
    ("go/bench.txt", "go"),
    ("go/names-1.26.json.txt", "go"),
    ("go/names-1.26.txt", "go"),
    ("go/verbose-1.26.txt", "go"),
    ("google-benchmark/aggregates-only-1.7.1.json", "google-benchmark"),
    ("google-benchmark/aggregates.json", "google-benchmark"),
    ("google-benchmark/display-aggregates-1.9.5.json", "google-benchmark"),
    ("google-benchmark/interleaved-1.9.5.json", "google-benchmark"),
    ("google-benchmark/out.json", "google-benchmark"),
    ("google-benchmark/repetitions-1.7.1.json", "google-benchmark"),
    ("google-benchmark/repetitions-1.9.5.json", "google-benchmark"),
    ("google-benchmark/reps.json", "google-benchmark"),
    ("google-benchmark/shapes-1.7.1.json", "google-benchmark"),
    ("gungraun/run1.txt", "gungraun"),
    ("gungraun/run2.json.txt", "gungraun"),
    ("gungraun/summary.sort.k.json", "gungraun"),
    ("hyperfine/fail-1.15.json", "hyperfine"),
    ("hyperfine/out-1.20.json", "hyperfine"),
    ("hyperfine/out.json", "hyperfine"),
    ("iai-callgrind/out.json.txt", "gungraun"),
    ("iai-callgrind/run1.txt", "gungraun"),
    ("iai-callgrind/run2.txt", "gungraun"),
    ("jmh/forks-1.37.json", "jmh"),
    ("jmh/gc-1.37.json", "jmh"),
    ("jmh/modes-1.37.slim.json", "jmh"),
    ("libtest/failures-2026-05.json.txt", "libtest"),
    ("libtest/failures-2026-05.txt", "libtest"),
    ("libtest/out.json.txt", "libtest"),
    ("libtest/out.txt", "libtest"),
    ("mitata/arguments-1.0.34.slim.json", "mitata"),
    ("mitata/no-samples-1.0.34.json", "mitata"),
    ("mitata/out.slim.json", "mitata"),
    ("mitata/samples-1.0.34.slim.json", "mitata"),
    ("perf/repeat-6.1.csv", "perf"),
    ("perf/semicolons-6.1.csv", "perf"),
    ("perf/stat-6.1.json", "perf"),
    ("perf/stat.csv", "perf"),
    ("perf/stat.json", "perf"),
    ("pyperf/memory-2.11.json", "pyperf"),
    ("pyperf/names-2.6.1.json", "pyperf"),
    ("pyperf/suite-2.11.json", "pyperf"),
    ("pyperf/timeit.json", "pyperf"),
    ("pytest-benchmark/names-4.0.0.slim.json", "pytest-benchmark"),
    ("pytest-benchmark/out.slim.json", "pytest-benchmark"),
    ("pytest-benchmark/parameters-5.3.1.slim.json", "pytest-benchmark"),
    ("tinybench/flat-2.9.0.slim.json", "tinybench"),
    ("tinybench/kept-5.1.0.slim.json", "tinybench"),
    ("tinybench/kept-6.2.3.slim.json", "tinybench"),
    ("tinybench/not-kept-5.1.0.slim.json", "tinybench"),
    ("tinybench/not-kept-6.2.3.slim.json", "tinybench"),
    ("tinybench/out.json", "tinybench"),
    ("tinybench/table-5.1.0.json", "tinybench"),
    ("tinybench/table-6.2.5.slim.json", "tinybench"),
    ("tinybench/tasks-6.2.5.slim.json", "tinybench"),
    ("vitest/nested-1.6.1.json", "vitest"),
    ("vitest/nested-2.1.9.json", "vitest"),
    ("vitest/out.json", "vitest"),
    ("vitest/shapes-3.2.7.json", "vitest"),
];

#[test]
fn every_real_output_is_taken_for_what_it_is() {
    for (path, expected) in REAL {
        let (format, parsed) = read(path);
        assert_eq!(format.name(), *expected, "{path}");
        assert!(!parsed.measurements.is_empty(), "{path}");
        assert!(!warned(&parsed, "more than one format"), "{path}: {:?}", parsed.warnings);
        for row in &parsed.measurements {
            assert!(!row.values.is_empty() && row.values.iter().all(|value| value.is_finite()), "{path}: {row:?}");
            assert_eq!(crate::unit::normalise(&row.unit).unit, row.unit, "{path}");
        }
    }
}

#[test]
fn every_real_output_reads_alike_when_its_format_is_named() {
    for (path, format) in REAL {
        let stdout = fixture(path);
        let (detected, automatic) = output(&stdout).unwrap();
        let (named, forced) = as_format(format, &stdout).unwrap();
        assert_eq!((detected, &automatic.measurements), (named, &forced.measurements), "{path}");
    }
}

#[test]
fn a_wrong_name_gets_the_right_one() {
    for (path, format) in REAL {
        let wrong = if *format == "jmh" { "hyperfine" } else { "jmh" };
        let error = as_format(wrong, &fixture(path)).unwrap_err();
        let FormatError::LooksLike { found, .. } = &error else { panic!("{path}: {error}") };
        assert_eq!(found.name(), *format, "{path}");
        let message = error.to_string();
        assert!(message.contains(&format!("asked to read {wrong}, but this looks like {format}")), "{message}");
    }
}

#[test]
fn line_ends_of_windows_change_nothing() {
    for (path, _) in REAL {
        let text = String::from_utf8(fixture(path)).unwrap();
        let windows = text.replace('\n', "\r\n");
        let (left, right) = (output(text.as_bytes()).unwrap(), output(windows.as_bytes()).unwrap());
        assert_eq!(left, right, "{path}");
    }
}

#[test]
fn byte_order_marks_and_utf_16_change_nothing() {
    let text = String::from_utf8(fixture("criterion/run-0.5.txt")).unwrap();
    let expected = output(text.as_bytes()).unwrap();
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let little: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    for bytes in [marked, little, big] {
        assert_eq!(output(&bytes).unwrap(), expected);
    }
}

#[test]
fn the_file_is_read_and_its_name_does_not_matter() {
    let stdout = b"42 passed in 1.2 s\n";
    let content = fixture("hyperfine/out.json");
    let (format, parsed) = files(stdout, &BTreeMap::from([("pytest.txt".to_owned(), content.clone())])).unwrap();
    assert_eq!(format, Format::Hyperfine);
    assert_eq!(parsed.measurements, output(&content).unwrap().1.measurements);
}

#[test]
fn standard_output_is_read_where_the_file_is_empty() {
    let (format, parsed) =
        files(&fixture("criterion/run1.txt"), &BTreeMap::from([("out".to_owned(), Vec::new())])).unwrap();
    assert_eq!(format, Format::Criterion);
    assert!(warned(&parsed, "the output file is empty; standard output was read"));
}

#[test]
fn two_formats_in_one_stream_are_both_read_and_named() {
    let both =
        [fixture("libtest/out.txt"), fixture("criterion/run1.txt"), fixture("divan/counters-0.1.21.txt")].concat();
    let (format, parsed) = output(&both).unwrap();
    assert_eq!(format, Format::Divan, "the one with most values");
    close(row(&parsed, "t::fib20", "sec/op").values[0], 5.30e-9);
    close(row(&parsed, "sort/1000", "sec/op").values[0], 15.260e-6);
    close(row(&parsed, "inner::bytes", "sec/op").values[0], 2.494e-6);
    let warning = &parsed.warnings.iter().find(|warning| warning.message.contains("more than one format")).unwrap();
    for name in ["libtest", "criterion", "divan"] {
        assert!(warning.message.contains(name), "{}", warning.message);
    }
}

#[test]
fn one_key_in_two_formats_is_kept_once() {
    let stream = b"test sort ... bench:         100 ns/iter (+/- 1)\n\
        sort                    time:   [1.0 ns 2.0 ns 3.0 ns]\n";
    let (_, parsed) = output(stream).unwrap();
    assert_eq!(row(&parsed, "sort", "sec/op").values.len(), 1);
    assert!(warned(&parsed, "is also there as"));
}

#[test]
fn nothing_is_a_result_and_no_error() {
    for stdout in ["", "\n \n", "[]", "{}\n"] {
        let (format, parsed) = output(stdout.as_bytes()).unwrap();
        assert_eq!(format, Format::Nothing, "{stdout:?}");
        assert!(parsed.measurements.is_empty() && warned(&parsed, "the command printed nothing"), "{stdout:?}");
    }
    let (format, parsed) = as_format("hyperfine", b"").unwrap();
    assert_eq!(format, Format::Hyperfine);
    assert!(warned(&parsed, "no benchmark in the output (hyperfine)"));
}

#[test]
fn a_run_without_benchmarks_is_a_result() {
    for (stdout, expected) in [
        ("PASS\nok  \texample.org/tiny\t0.011s\n", Format::Go),
        (
            "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            Format::Libtest,
        ),
        (r#"{"results": []}"#, Format::Hyperfine),
        (r#"{"machine_info": {}, "commit_info": {}, "benchmarks": []}"#, Format::PytestBenchmark),
        (r#"{"Title": "", "HostEnvironmentInfo": {}, "Benchmarks": []}"#, Format::BenchmarkDotNet),
        (r#"{"context": {"num_cpus": 2}, "benchmarks": []}"#, Format::GoogleBenchmark),
        (r#"<?xml version="1.0"?><Catch name="c"></Catch>"#, Format::Catch2),
    ] {
        let (format, parsed) = output(stdout.as_bytes()).unwrap();
        assert_eq!(format, expected, "{stdout}");
        assert!(parsed.measurements.is_empty() && warned(&parsed, "no benchmark in the output"), "{stdout}");
    }
}

#[test]
fn the_output_of_nobody_is_an_error_that_shows_it() {
    let error = output(b"\nhello | `world`\nmore\n").unwrap_err().to_string();
    assert!(error.contains("no benchmark tool's output was recognised"), "{error}");
    assert!(error.contains("starts with \"hello | `world`\""), "{error}");
    let error = as_format("divan", b"hello\n").unwrap_err().to_string();
    assert!(error.contains("no output of divan was found"), "{error}");
}

#[test]
fn output_for_people_gets_the_flag_that_writes_values() {
    for (path, words) in [
        ("google-benchmark/console.txt", "--benchmark_format=json"),
        ("google-benchmark/out.csv", "--benchmark_format=json"),
        ("hyperfine/out.csv", "--export-json"),
        ("hyperfine/out.txt", "--export-json"),
        ("hyperfine/out.md", "--export-json"),
        ("hyperfine/out.adoc", "--export-json"),
        ("catch2/console-2.13.10.txt", "--reporter xml"),
        ("pytest-benchmark/out.txt", "--benchmark-json"),
        ("pyperf/timeit.txt", "-o FILE"),
        ("pyperf/compare.md", "-o FILE"),
        ("asv/console-0.6.6.txt", "--record-samples"),
        ("jmh/console-1.37.txt", "-rf json"),
        ("deno/console-2.9.6.txt", "deno bench --json"),
        ("mitata/out.txt", "format: 'json'"),
        ("mitata/out.md", "format: 'json'"),
        ("tinybench/out.txt", "JSON.stringify"),
        ("vitest/out.txt", "--outputJson"),
        ("divan/test.txt", "--list or --test"),
        ("divan/test-mode-0.1.21.txt", "--list or --test"),
    ] {
        let error = output(&fixture(path)).unwrap_err().to_string();
        assert!(error.contains(words), "{path}: {error}");
    }
}

#[test]
fn broken_json_is_named_by_file_and_line() {
    let content = b"{\n \"results\": [\n  {\"command\": \"a\",\n   \"times\": [0.1, 0.2,, 0.3]}\n]}\n".to_vec();
    let error = files(b"", &BTreeMap::from([("out/bench.json".to_owned(), content)])).unwrap_err();
    assert_eq!(error.to_string(), "out/bench.json, line 4: expected value");
    let cut = String::from_utf8(fixture("hyperfine/out.json")).unwrap()[..500].to_owned();
    let error = as_format("hyperfine", cut.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("standard output, line ") && error.contains("the JSON ends too early"), "{error}");
}

#[test]
fn a_document_that_lacks_something_says_what_and_where() {
    let stdout = b"{\"results\": [\n{\"command\": \"a\", \"times\": [1.0]},\n{\"times\": [1.0]}]}";
    let error = output(stdout).unwrap_err();
    assert_eq!(error.to_string(), "standard output, line 3: reading hyperfine: missing field `command`");
    let error = as_format("jmh", br#"[{"benchmark": "a.B.c", "primaryMetric": {"scoreUnit": "ms/op"}}]"#).unwrap_err();
    assert_eq!(error.to_string(), "standard output, line 1: reading jmh: missing field `mode`");
}

#[test]
fn an_unknown_name_is_corrected() {
    let error = as_format("hyprfine", b"").unwrap_err().to_string();
    assert!(
        error.starts_with("`hyprfine` is not a format, did you mean `hyperfine`?; the formats are auto, go, "),
        "{error}"
    );
    let error = as_format("xyz", b"").unwrap_err().to_string();
    assert!(error.starts_with("`xyz` is not a format; the formats are"), "{error}");
    assert_eq!(as_format("process", b""), Err(FormatError::NotAnOutput));
}

#[test]
fn names_of_other_bots_are_understood() {
    for (alias, format) in [
        ("customSmallerIsBetter", Format::CustomSmaller),
        ("googlecpp", Format::GoogleBenchmark),
        ("pytest", Format::PytestBenchmark),
        ("rust_iai_callgrind", Format::Gungraun),
        ("json", Format::Bmf),
    ] {
        assert_eq!(Format::from_name(alias), Some(format));
    }
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
}

#[test]
fn colour_codes_change_nothing() {
    let coloured = "\u{1b}[32mfib 20\u{1b}[0m                  time:   [\u{1b}[2m4.6411 ns\u{1b}[0m \u{1b}[1m5.1646 ns\u{1b}[0m 5.8713 ns]\n";
    let (_, parsed) = output(coloured.as_bytes()).unwrap();
    close(row(&parsed, "fib 20", "sec/op").values[0], 5.1646e-9);
}

#[test]
fn two_scales_of_one_unit_are_one_row() {
    let base = output(b"a                       time:   [1.0 ms 1.5 ms 2.0 ms]\n").unwrap().1;
    let head = output(b"a                       time:   [900 \xc2\xb5s 950 \xc2\xb5s 999 \xc2\xb5s]\n").unwrap().1;
    assert_eq!(keys(&base), keys(&head));
    close(row(&base, "a", "sec/op").values[0], 1.5e-3);
    close(row(&head, "a", "sec/op").values[0], 0.95e-3);
}
