//! Wrong answers that look right. Most of them have their tests where they are prevented; these go the whole way.

use super::{run, verdict};
use crate::bot::{CONFIG, Repo, prints, report};
use bench_bot::report::{Overall, Verdict};
use bench_bot::side::Side;

/// The benchmarks fail, the command's exit code is that of something else, and the job is green.
#[test]
fn benchmarks_that_fail_under_a_green_exit_code_are_failed_rows() {
    let good = prints(&["Glob1 10 100 ns/op", "Glob2 10 100 ns/op"]);
    let bad = format!(
        "{}echo '--- FAIL: BenchmarkGlob2'\necho '    glob_test.go:7: no match'\nexit 0\n",
        prints(&["Glob1 10 100 ns/op"])
    );
    let repo = Repo::of_scripts(&good, &bad);
    run(&repo, &["--base", "main", "--fail-on", "failure"]).expect(1);
    assert_eq!(verdict(&repo, "Glob1"), Verdict::Unchanged);
    let Verdict::Failed(Side::Head, why) = verdict(&repo, "Glob2") else { panic!("{:?}", verdict(&repo, "Glob2")) };
    assert!(why.contains("no match"), "{why}");
}

/// Head's benchmark over base's code may measure another path: that it was put there is always said.
#[test]
fn a_benchmark_that_was_put_into_the_other_side_is_named() {
    let config = CONFIG.replace("    run:", "    overlay: {from: head, paths: [bench.sh], to: base}\n    run:");
    let repo = Repo::new();
    let value = |lib: &str| format!("TIME={lib}\n");
    repo.commit(&[(".github/bench-bot.yml", config.as_str()), ("lib.sh", value("100").as_str())]);
    repo.git(&["checkout", "--quiet", "-b", "change"]);
    let bench = ". ./lib.sh\necho \"BenchmarkA 10 $TIME ns/op\"\n";
    repo.commit(&[("lib.sh", value("200").as_str()), ("bench.sh", bench)]);
    run(&repo, &["--base", "main"]).expect(0).says("bench.sh from head was put into base before its setup");
    assert_eq!(verdict(&repo, "A"), Verdict::Regression);
    let warnings = report(&repo.job().join("report.json")).warnings;
    assert!(
        warnings.iter().any(|warning| warning.message.contains("base's numbers depend on the pull request")),
        "{warnings:?}"
    );
}

/// A value that is no number is a failed row, whichever way it is none.
#[test]
fn neither_nan_nor_infinity_is_a_value() {
    let good = prints(&["Nan 10 100 ns/op", "Inf 10 100 ns/op", "Good 10 100 ns/op"]);
    let bad = prints(&["Nan 10 NaN ns/op", "Inf 10 +Inf ns/op", "Good 10 100 ns/op"]);
    let repo = Repo::of_scripts(&good, &bad);
    run(&repo, &["--base", "main"]).expect(0);
    for name in ["Nan", "Inf"] {
        let told = verdict(&repo, name);
        assert!(matches!(told, Verdict::Failed(Side::Head, _)), "{name}: {told:?}");
    }
    assert_eq!(verdict(&repo, "Good"), Verdict::Unchanged);
}

/// Nothing is told three times.
#[test]
fn an_empty_output_is_told_once_a_side_and_not_blamed_on_the_time() {
    let repo = Repo::of_scripts("true\n", "true\n");
    run(&repo, &["--base", "main"]).expect(3);
    let report = report(&repo.job().join("report.json"));
    let told: Vec<&str> = report.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(told.iter().filter(|message| message.contains("0 benchmarks on")).count(), 2, "{told:?}");
    assert!(!told.iter().any(|message| message.contains("had time for")), "{told:?}");
    assert!(!told.iter().any(|message| message.contains("holds no benchmark")), "{told:?}");
}

/// A suite that gave nothing is no part of "no change".
#[test]
fn a_suite_that_gave_nothing_is_in_the_headline_and_takes_unchanged_back() {
    let config = CONFIG.replace("suites:\n", "suites:\n  - name: broken\n    setup: exit 4\n    run: sh bench.sh\n");
    let repo = Repo::new();
    repo.commit(&[(".github/bench-bot.yml", config.as_str()), ("bench.sh", prints(&["A 10 100 ns/op"]).as_str())]);
    repo.git(&["checkout", "--quiet", "-b", "change"]);
    repo.commit(&[("other", "")]);
    run(&repo, &["--base", "main"]).expect(3).says("1 unchanged; suite broken could");
    let report = report(&repo.job().join("report.json"));
    assert_eq!((report.verdict, report.counts.unchanged, report.has_gaps()), (Overall::Inconclusive, 1, true));
}

#[test]
fn a_suite_whose_rows_all_lack_rounds_was_not_compared() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), "");
    let count = repo.job().join("count");
    let now_and_then = format!(
        "echo x >> {0}\n[ $(($(wc -l < {0}) % 2)) = 1 ] || exit 1\n{1}",
        count.display(),
        prints(&["A 10 100 ns/op"])
    );
    repo.commit(&[("bench.sh", now_and_then.as_str())]);
    run(&repo, &["--base", "main"]).expect(3).says("Nothing could be compared: ");
    assert!(matches!(verdict(&repo, "A"), Verdict::Flaky(Side::Head, ..)), "{:?}", verdict(&repo, "A"));
}

#[test]
fn a_filter_that_keeps_nothing_is_told_as_such() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 200 ns/op"]));
    repo.commit(&[(".github/bench-bot.yml", CONFIG.replace("    run:", "    filter: ^Marshal\n    run:").as_str())]);
    let told = "the filter of the suite hides every benchmark";
    run(&repo, &["--base", "main"]).expect(3).says(told).says("0 benchmarks on base that the suite's filter keeps");
}

#[test]
fn rounds_that_failed_in_different_ways_are_not_told_as_one() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), "");
    let failing = format!(
        "echo x >> {0}\nn=$(wc -l < {0})\n[ $n -gt 2 ] && exit $n\n{1}",
        repo.job().join("count").display(),
        prints(&["A 10 100 ns/op"])
    );
    repo.commit(&[("bench.sh", failing.as_str())]);
    run(&repo, &["--base", "main"]).expect(3).says("rounds failed on head, the first: exit code 3");
}
