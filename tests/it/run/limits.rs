//! Limits that end a command or a run, and the command that measures it again: what the report says of them.

use super::run;
use crate::bot::{CONFIG, Repo, prints, report};
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

#[test]
fn a_limit_is_reported_under_its_own_name() {
    let script = prints(&["A 10 100 ns/op"]);
    let repo = Repo::of_scripts(&script, &format!("{script}true\n"));
    let ran = run(&repo, &["--base", "main", "--max-time", "1ms"]).expect(3);
    let ran = ran.says("measuring ended before a block of rounds was complete").says("the time limit of 0.001 s");
    assert!(!ran.stdout.contains("printed no result") && !ran.stdout.contains("the budget of"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("Looked changed"), "{}", ran.stdout);
    let again = report(&repo.job().join("report.json")).reproduce.unwrap();
    assert!(again.contains("--max-time 1ms") && !again.contains("--budget"), "{again}");
}

/// Whatever was asked for in the terminal is in the command, which then says the same of itself.
#[test]
fn the_command_that_measures_again_asks_for_the_same() {
    let script = prints(&["A 10 100 ns/op", "B 10 100 ns/op"]);
    let config = CONFIG.replace("host: {tuning: off}\n", "");
    let repo = Repo::of_scripts_with(&config, &script, &format!("{script}true\n"));
    let again = |args: &[&str]| {
        let json = repo.job().join("report.json");
        let all: Vec<&str> = args.iter().copied().chain(["--json", json.to_str().unwrap()]).collect();
        repo.run(&all).expect(0);
        report(&json).reproduce.unwrap()
    };
    let asked =
        "--filter A --rounds 4 --max-time 5m --budget 2m --threshold 7% --isolation host --tuning off --shard 1/1";
    let args: Vec<&str> = ["run", "--base", "main"].into_iter().chain(asked.split(' ')).collect();
    let first = again(&args);
    let words = shell_words::split(&first).unwrap();
    let plain = words.join(" ");
    for flag in asked.split(" --") {
        assert!(plain.contains(flag.trim_start_matches('-')), "no {flag} in {first}");
    }
    assert_eq!(again(&words[1..].iter().map(String::as_str).collect::<Vec<_>>()), first);
    let calibration = again(&["calibrate", "--rounds", "4", "--tuning", "off"]);
    assert!(calibration.starts_with("bench-bot calibrate --head "), "{calibration}");
    assert_eq!(again(&calibration.split(' ').skip(1).collect::<Vec<_>>()), calibration);
}
