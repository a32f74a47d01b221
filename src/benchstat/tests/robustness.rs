//! Inputs as they come, and what a user is told.

use super::{Done, compare_with};
use crate::report::{Note, Report, Verdict};
use std::path::Path;

/// Files in a folder of their own.
pub(super) struct Files(tempfile::TempDir);

impl Files {
    pub(super) fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).expect("a file");
        }
        Self(folder)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Compares; words that end in `.txt` or `.json` are files, labelled with their names.
    pub(super) fn compare(&self, words: &str) -> Done {
        self.compare_with(words, b"")
    }

    pub(super) fn compare_with(&self, words: &str, stdin: &[u8]) -> Done {
        let is_file = |word: &str| [".txt", ".json", ".folder"].iter().any(|end| word.ends_with(end));
        let in_folder = |word: &str| self.path().join(word).to_string_lossy().into_owned();
        let sides = words.contains("--base");
        let argument = |word: &str| match word {
            word if is_file(word) && sides => in_folder(word),
            word if is_file(word) => format!("{word}={}", in_folder(word)),
            word => word.to_owned(),
        };
        compare_with(&words.split_whitespace().map(argument).collect::<Vec<_>>(), stdin)
    }
}

/// Six results from `first` nanoseconds up.
pub(super) fn run(first: u32) -> String {
    (0..6).map(|i| format!("BenchmarkX-8 \t1000\t{} ns/op\n", first + i)).collect()
}

pub(super) fn old_and_new(old: &[u8], new: &[u8]) -> Files {
    Files::new(&[("old.txt", old), ("new.txt", new)])
}

#[test]
fn encodings_colours_times_and_line_ends_do_not_matter() {
    let (old, new) = (run(100), run(202));
    let plain = old_and_new(old.as_bytes(), new.as_bytes()).compare("--layout benchstat old.txt new.txt");
    assert!(plain.out.contains("X-8   102.5n ± 2%"), "{}", plain.out);
    let utf16 = |bom: &[u8], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        bom.iter().copied().chain(old.encode_utf16().flat_map(unit)).collect()
    };
    let each_line =
        |form: &dyn Fn(&str) -> String| -> Vec<u8> { old.lines().map(form).collect::<String>().into_bytes() };
    for (name, bytes) in [
        ("a byte order mark", [b"\xef\xbb\xbf", old.as_bytes()].concat()),
        ("UTF-16 LE", utf16(b"\xff\xfe", u16::to_le_bytes)),
        ("UTF-16 BE", utf16(b"\xfe\xff", u16::to_be_bytes)),
        ("CRLF", old.replace('\n', "\r\n").into_bytes()),
        ("colours", each_line(&|line| format!("\u{1b}[32m{line}\u{1b}[0m\n"))),
        ("times", each_line(&|line| format!("2024-05-01T12:34:56.7890123Z {line}\n"))),
        ("a log of gh", each_line(&|line| format!("bench\tRun tests\t2024-05-01T12:34:56.7890123Z {line}\n"))),
        (
            "go test -json",
            each_line(&|line| format!("{{\"Action\":\"output\",\"Output\":\"{}\\n\"}}\n", line.replace('\t', "\\t"))),
        ),
        ("a line of a megabyte", [old.as_bytes(), b"x".repeat(1 << 20).as_slice(), b"\n"].concat()),
    ] {
        let files = old_and_new(&bytes, new.as_bytes());
        assert_eq!(files.compare("--layout benchstat old.txt new.txt").out, plain.out, "{name}");
        let report = files.compare("--layout json old.txt new.txt");
        assert_eq!(report.code, 0, "{name}: {}", report.err);
        let report: Report = serde_json::from_str(&report.out).expect("a report");
        assert_eq!(report.suites[0].rows[0].base.as_ref().map(|s| s.n), Some(6), "{name}");
    }
}

#[test]
fn missing_files_and_folders_are_errors() {
    let files = old_and_new(run(1).as_bytes(), run(2).as_bytes());
    std::fs::create_dir(files.path().join("a.folder")).expect("a folder");
    for layout in ["default", "benchstat", "benchstat-v1", "benchcmp", "csv", "json", "markdown"] {
        for second in ["missing.txt", "a.folder"] {
            let done = files.compare(&format!("--layout {layout} old.txt {second}"));
            assert_eq!((done.code, done.out.as_str()), (2, ""), "{layout} {second}");
            assert!(done.err.contains(second), "{}", done.err);
        }
    }
}

#[test]
fn usage_errors_say_what_to_do() {
    let files = old_and_new(run(1).as_bytes(), run(2).as_bytes());
    for (words, part) in [
        ("", "name at least one file"),
        ("--alpha 7 old.txt new.txt", "from 0 to 1"),
        ("--alpha x old.txt new.txt", "no number"),
        ("--threshold=-1% old.txt new.txt", "must not be negative"),
        ("--layout md old.txt new.txt", "markdown"),
        ("--layout benchcmp old.txt", "two files"),
        (
            "--layout benchstat --filter a: old.txt new.txt",
            "parsing --filter: syntax error: expected key:value\n\ta:\n\t^",
        ),
        ("--layout benchstat --row a@foo old.txt new.txt", "parsing --row: syntax error: unknown order \"foo\""),
        ("--filter a: old.txt new.txt", "parsing --filter"),
        ("--format nonsense old.txt new.txt", "nonsense"),
        ("--base old.txt", "--head"),
        ("- -", "only once"),
    ] {
        let done = files.compare(words);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{words}");
        assert!(done.err.contains(part), "{words}: {}", done.err);
    }
}

#[test]
fn nothing_to_compare_is_no_success() {
    let (old, renamed) = (run(100), run(100).replace("BenchmarkX-8", "BenchmarkY-8"));
    for (name, new) in
        [("empty", ""), ("renamed", renamed.as_str()), ("no results", "PASS\nok  \texample.com/p\t0.1s\n")]
    {
        for layout in ["default", "benchstat", "benchstat-v1", "benchcmp", "csv", "json", "markdown"] {
            let done =
                old_and_new(old.as_bytes(), new.as_bytes()).compare(&format!("--layout {layout} old.txt new.txt"));
            assert_eq!(done.code, 3, "{name} {layout}: {}", done.err);
            assert!(done.err.contains("nothing to compare"), "{name} {layout}: {}", done.err);
        }
    }
}

#[test]
fn garbage_is_an_error_and_the_old_layouts_say_that_it_holds_nothing() {
    let garbage: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let files = old_and_new(&garbage, run(1).as_bytes());
    let done = files.compare("old.txt new.txt");
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("cannot read the results in") && done.err.contains("old.txt"), "{}", done.err);
    let done = files.compare("--layout benchstat old.txt new.txt");
    assert_eq!(done.code, 3);
    assert!(done.err.contains("old.txt: no benchmark results in this input"), "{}", done.err);
}

#[test]
fn values_that_cannot_be_ordered_are_left_out_and_told() {
    let old = format!("{}BenchmarkX-8 \t1000\tNaN ns/op\nBenchmarkX-8 \t1000\t1e400 ns/op\n", run(100));
    let done = old_and_new(old.as_bytes(), run(202).as_bytes()).compare("--layout benchstat old.txt new.txt");
    assert!(done.out.contains("X-8   102.5n ± 2%   204.5n ± 1%  +99.51% (p=0.002 n=6)"), "{}", done.out);
    assert!(done.err.contains("old.txt:7: NaN ns/op was left out"), "{}", done.err);
    assert!(done.err.contains("old.txt:8: parsing measurement: value out of range"), "{}", done.err);
}

#[test]
fn standard_input_is_an_input() {
    let files = old_and_new(run(100).as_bytes(), run(202).as_bytes());
    let done = files.compare_with("--layout benchstat old.txt -", run(202).as_bytes());
    let expected = files.compare("--layout benchstat old.txt new.txt").out;
    let words = |text: &str| {
        text.split_whitespace().filter(|w| !["new.txt", "-"].contains(w)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words(&done.out), words(&expected));
}

#[test]
fn every_file_of_a_side_is_one_round() {
    // Three lines of one file are one sample: their median.
    let round = |values: [u32; 3]| values.map(|v| format!("BenchmarkX-8 \t1\t{v} ns/op\n")).concat();
    let files = Files::new(&[
        ("b1.txt", round([100, 900, 101]).as_bytes()),
        ("b2.txt", round([110, 111, 112]).as_bytes()),
        ("h1.txt", round([201, 1, 900]).as_bytes()),
        ("h2.txt", round([211, 211, 211]).as_bytes()),
    ]);
    let done = files.compare("--layout csv --base b1.txt b2.txt --head h1.txt h2.txt");
    assert!(done.out.starts_with(",base,,head,,,\n"), "{}", done.out);
    let row = done.out.lines().find(|line| line.starts_with("X-8")).expect("a row");
    // Medians 101 and 111, 201 and 211.
    assert!(row.ends_with(",∞,~,p=0.333 n=2"), "{row}");
    let center: f64 = row.split(',').nth(1).and_then(|v| v.parse().ok()).expect("a number");
    assert!((center - 106e-9).abs() < 1e-15, "{row}");
    let report: Report =
        serde_json::from_str(&files.compare("--layout json --base b1.txt b2.txt --head h1.txt h2.txt").out)
            .expect("a report");
    let row = &report.suites[0].rows[0];
    assert_eq!(row.samples[0].values.base.len(), 2);
    assert!((row.samples[0].values.head[0] - 201e-9).abs() < 1e-15);
}

#[test]
fn what_keeps_rows_apart_is_told_with_file_line_and_remedy() {
    let old = format!("pkg: example.com/old\n{}", run(100));
    let new = format!("pkg: example.com/new\n{}", run(202));
    let done = old_and_new(old.as_bytes(), new.as_bytes()).compare("--layout benchstat old.txt new.txt");
    assert_eq!(done.code, 3);
    for part in [
        "pkg is \"example.com/old\" in old.txt and \"example.com/new\" in new.txt",
        "new.txt:2",
        "--ignore pkg joins them",
    ] {
        assert!(done.err.contains(part), "{}", done.err);
    }
    let joined = old_and_new(old.as_bytes(), new.as_bytes()).compare("--layout benchstat --ignore pkg old.txt new.txt");
    assert_eq!((joined.code, joined.err.as_str()), (0, ""));
    // A report pairs them and says so.
    let report = old_and_new(old.as_bytes(), new.as_bytes()).compare("--layout json old.txt new.txt");
    let report: Report = serde_json::from_str(&report.out).expect("a report");
    assert_eq!(report.suites[0].rows[0].notes[0], Note::PackageDiffers("example.com/old".to_owned()));
    let told = report.warnings.iter().find(|w| w.code == "rows-apart").expect("a warning");
    assert!(told.message.contains("pkg is \"example.com/old\" in old.txt"), "{told:?}");
    assert!(told.place.ends_with("new.txt:2"), "{told:?}");
}

#[test]
fn suffixes_log_lines_lost_samples_and_machines_are_told() {
    let apart = |old: &str, new: &str| {
        old_and_new(old.as_bytes(), new.as_bytes()).compare("--layout benchstat old.txt new.txt").err
    };
    let other = run(202).replace("X-8", "X-16");
    assert!(apart(&run(100), &other).contains("/gomaxprocs is \"8\" in old.txt and \"16\" in new.txt"));
    let both = format!("pkg: b\n{other}");
    let told = apart(&format!("pkg: a\n{}", run(100)), &both);
    assert!(told.contains("pkg is \"a\" in old.txt") && told.contains("--ignore pkg,/gomaxprocs joins them"), "{told}");
    let log = format!("{}warning: slow disk\n{}", run(100), run(100).replace('X', "Y"));
    let told = apart(&log, &format!("{}{}", run(202), run(202).replace('X', "Y")));
    assert!(told.contains("old.txt:7: \"warning: slow disk\" reads as configuration"), "{told}");
    assert!(told.contains("--ignore warning joins them"), "{told}");
    let lost = run(100) + "BenchmarkX-8 \tprinted\n     1000\t106 ns/op\n";
    let told = apart(&lost, &(run(202) + "BenchmarkX-8 \t1000\t208 ns/op\n"));
    assert!(told.contains("old.txt:7: parsing iteration count: invalid syntax"), "{told}");
    assert!(told.contains("benchstat loses it"), "{told}");
    assert!(
        told.contains("1 row with unequal numbers of samples: X-8 in sec/op has 6 in old.txt and 7 in new.txt"),
        "{told}"
    );
    let mixed = format!("cpu: A\n{}cpu: B\n{}", run(100), run(100));
    assert!(apart(&mixed, &mixed).contains("old.txt: results come from several machines: cpu is \"A\" and \"B\""));
}

#[test]
fn a_report_uses_lost_samples_and_counts_lines() {
    let old = run(100) + "BenchmarkX-8 \tprinted\n     1000\t106 ns/op\nBenchmarkX-8 broken\n";
    let done = old_and_new(old.as_bytes(), run(202).as_bytes()).compare("--layout json old.txt new.txt");
    let report: Report = serde_json::from_str(&done.out).expect("a report");
    assert_eq!(report.suites[0].rows[0].base.as_ref().map(|s| s.n), Some(7));
    for place in ["old.txt:7", "old.txt:9"] {
        assert!(report.warnings.iter().any(|w| w.place.ends_with(place)), "{place}: {:?}", report.warnings);
    }
}

#[test]
fn expressions_shape_reports_too() {
    let both = |size: &str, first| run(first).replace("X-8", &format!("X/size={size}-8"));
    let text = both("1k", 100) + &both("4k", 400) + &run(1).replace("X-8", "Other-8");
    let files = old_and_new(text.as_bytes(), b"");
    let done = files.compare("--layout json --filter .name:X --row .name --col /size@num old.txt");
    let report: Report = serde_json::from_str(&done.out).expect("a report");
    assert_eq!((report.revisions.base.label.as_str(), report.revisions.head.label.as_str()), ("1k", "4k"));
    let rows: Vec<&str> = report.suites[0].rows.iter().map(|row| row.benchmark.name.as_str()).collect();
    assert_eq!(rows, ["X"]);
    assert!(matches!(report.suites[0].rows[0].verdict, Verdict::Slower), "{:?}", report.suites[0].rows[0].verdict);
}

#[test]
fn failing_on_a_regression_is_exit_code_1() {
    let files = old_and_new(run(100).as_bytes(), run(202).as_bytes());
    assert_eq!(files.compare("--layout json old.txt new.txt").code, 0);
    assert_eq!(files.compare("--layout json --fail-on regression old.txt new.txt").code, 1);
    assert_eq!(files.compare("--layout json --fail-on regression new.txt old.txt").code, 0);
    assert_eq!(files.compare("--layout json --fail-on regression --threshold 200% old.txt new.txt").code, 0);
}

#[test]
fn other_formats_are_found_out_by_file() {
    let hyperfine =
        br#"{"results": [{"command": "X", "mean": 0.2, "stddev": 0.01, "median": 0.2, "user": 0.1, "system": 0.1,
        "min": 0.19, "max": 0.21, "times": [0.19, 0.2, 0.2, 0.2, 0.21, 0.2], "exit_codes": [0, 0, 0, 0, 0, 0]}]}"#;
    let go = (0..6).map(|i| format!("BenchmarkX \t1\t{} ns/op\n", 100_000_000 + i)).collect::<String>();
    let files = Files::new(&[("old.txt", go.as_bytes()), ("new.json", hyperfine)]);
    let done = files.compare("--layout benchstat old.txt new.json");
    assert!(done.out.contains("X   100.0m ± 0%   200.0m ± 5%  +100.00% (p=0.002 n=6)"), "{}{}", done.out, done.err);
    let done = files.compare("--layout benchcmp old.txt new.json");
    assert!(done.out.contains("BenchmarkX     100000000     190000000     +90.00%"), "{}{}", done.out, done.err);
    let done = files.compare("--layout benchstat-v1 old.txt new.json");
    assert!(done.out.contains("X      100ms ± 0%"), "{}{}", done.out, done.err);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Something like a run.
    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "Benchmark[AB](/[ab]=[12])?(-[248])? [1-9] [0-9]{1,3} (ns/op|B/op|MB/s|foo)( [0-9] bar)?",
            "(pkg|cpu|note): [abc]?",
            "Unit (foo|bar|ns/op) (assume|better)=(exact|lower|higher)",
            "[ -~]{0,30}",
            "\\PC{0,20}",
        ];
        prop::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
    }

    fn keys() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "",
            ".config",
            ".name",
            ".fullname",
            ".file",
            "/a",
            "/gomaxprocs@num",
            "pkg,note",
            "/b@(1 2)",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn no_input_and_no_expression_breaks_a_layout(
            old in text(), new in text(), table in keys(), row in keys(), col in keys(), ignore in keys(),
        ) {
            let files = old_and_new(old.as_bytes(), new.as_bytes());
            let (a, b) = (files.path().join("old.txt"), files.path().join("new.txt"));
            for layout in ["benchstat", "csv", "benchstat-v1", "benchcmp", "json"] {
                let mut arguments: Vec<String> = ["--layout", layout].map(str::to_owned).to_vec();
                if !matches!(layout, "benchstat-v1" | "benchcmp") {
                    for (option, value) in [("table", table), ("row", row), ("col", col), ("ignore", ignore)] {
                        arguments.push(format!("--{option}={value}"));
                    }
                }
                arguments.extend([&a, &b].map(|path| path.to_string_lossy().into_owned()));
                let done = compare_with(&arguments, b"");
                prop_assert!([0, 2, 3].contains(&done.code), "{}", done.err);
                prop_assert_eq!(done.code == 0, !done.err.contains("nothing to compare") && !done.err.contains("cannot read"));
            }
        }
    }
}
