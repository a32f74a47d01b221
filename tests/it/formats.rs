//! Outputs of tools in a whole run.

use crate::bot::{CONFIG, Ran, Repo, report};
use bench_bot::report::{Report, Row, Verdict};

fn run(repo: &Repo) -> (Ran, Report) {
    let json = repo.job().join("report.json");
    let ran = repo.run(&["run", "--json", json.to_str().unwrap(), "--base", "main", "--head", "HEAD"]).expect(0);
    let report = report(&json);
    (ran, report)
}

fn row<'r>(report: &'r Report, name: &str, unit: &str) -> &'r Row {
    let mut rows = report.suites.iter().flat_map(|suite| &suite.rows);
    let names = || report.suites[0].rows.iter().map(|row| (&row.benchmark.name, &row.unit)).collect::<Vec<_>>();
    rows.find(|row| row.benchmark.name == name && row.unit == unit).unwrap_or_else(|| panic!("{name}: {:?}", names()))
}

/// A script that prints these lines.
fn lines(lines: &[&str]) -> String {
    format!("cat <<'end of output'\n{}\nend of output\n", lines.join("\n"))
}

#[test]
fn sides_that_print_other_scales_of_one_unit_compare_right() {
    let base = lines(&[
        "parse                   time:   [1.9900 ms 2.0000 ms 2.0100 ms]",
        "                        thrpt:  [0.9900 GiB/s 1.0000 GiB/s 1.0100 GiB/s]",
        "same                    time:   [0.9900 ms 1.0000 ms 1.0100 ms]",
    ]);
    let head = lines(&[
        "parse                   time:   [990.00 µs 1000.0 µs 1010.0 µs]",
        "                        thrpt:  [2010.0 MiB/s 2048.0 MiB/s 2060.0 MiB/s]",
        "same                    time:   [990.00 µs 1000.0 µs 1010.0 µs]",
    ]);
    let (ran, report) = run(&Repo::of_scripts(&base, &head));
    let parse = row(&report, "parse", "sec/op");
    assert_eq!(parse.verdict, Verdict::Improvement);
    assert!((parse.delta.as_ref().unwrap().ratio.unwrap() + 0.5).abs() < 1e-9, "{:?}", parse.delta);
    let rate = row(&report, "parse", "B/s");
    assert!((rate.delta.as_ref().unwrap().ratio.unwrap() - 1.0).abs() < 1e-9, "{:?}", rate.delta);
    assert_eq!(row(&report, "same", "sec/op").verdict, Verdict::Unchanged);
    assert!(ran.stderr.contains("read as criterion"), "{}", ran.stderr);
}

#[test]
fn two_formats_in_one_stream_are_read_in_every_round() {
    let printed = |first: u32, second: u32| {
        lines(&[
            "running 1 test",
            &format!("test sort ... bench:         {first} ns/iter (+/- 1)"),
            "",
            "test result: ok. 0 passed; 0 failed; 0 ignored; 1 measured; 0 filtered out; finished in 1.00s",
            "",
            &format!("group/find              time:   [{second}.0 ns {second}.5 ns {second}.9 ns]"),
            &format!("group/find 2            time:   [{second}.0 ns {second}.5 ns {second}.9 ns]"),
        ])
    };
    let (_, report) = run(&Repo::of_scripts(&printed(100, 80), &printed(300, 30)));
    assert_eq!(row(&report, "sort", "sec/op").verdict, Verdict::Regression);
    assert_eq!(row(&report, "group/find", "sec/op").verdict, Verdict::Improvement);
    assert_eq!(row(&report, "group/find 2", "sec/op").verdict, Verdict::Improvement);
}

#[test]
fn a_wrong_format_is_told_with_the_right_one() {
    let config = CONFIG.replace("run: sh bench.sh", "run: sh bench.sh\n    format: hyperfine");
    let go = "echo 'BenchmarkX 10 100 ns/op'\n";
    let repo = Repo::of_scripts_with(&config, go, go);
    let ran = repo.run(&["run", "--base", "main", "--head", "HEAD"]);
    assert!(ran.code != Some(0), "{}", ran.stdout);
    let said = format!("{}{}", ran.stdout, ran.stderr).replace("\n  ", " ");
    assert!(said.contains("asked to read hyperfine, but this looks like go"), "{said}");
}
