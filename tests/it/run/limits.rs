//! Limits that end a command or a run: what the report says of them.

use super::run;
use crate::bot::{Repo, report};
use bench_bot::report::Verdict;
use bench_bot::side::Side;

/// The verdict of the only row, and the time limit in words.
#[test]
fn a_process_that_takes_too_long_has_timed_out_and_the_limit_is_told_as_it_was_set() {
    let config = "suites: [{name: tool, run: sh bench.sh, format: process, timeout: 500ms}]\n\
                  rounds: {fixed: 2}\nhost: {tuning: off}\n";
    let slow = "exec sleep 1000\n";
    let repo = Repo::of_scripts_with(config, "true\n", slow);
    let ran = run(&repo, &["--base", "main"]).expect(3);
    ran.says("timed out after 0.5 s");
    let rows = report(&repo.job().join("report.json")).suites.remove(0).rows;
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|row| row.verdict == Verdict::TimedOut(Side::Head)), "{rows:?}");
    // On both sides there is a row too.
    let repo = Repo::of_scripts_with(config, slow, &format!("true\n{slow}"));
    run(&repo, &["--base", "main"]).expect(3).says("timed out after 0.5 s");
    let report = report(&repo.job().join("report.json"));
    assert_eq!(report.suites[0].rows[0].verdict, Verdict::TimedOut(Side::Base));
}
