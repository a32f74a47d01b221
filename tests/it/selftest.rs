//! `bench-bot selftest`, with a synthetic benchmark in real processes: that everything runs and is counted, not how well.

use crate::bot::Repo;
use std::fs;

#[test]
fn a_synthetic_benchmark_is_measured_under_a_regime_and_every_goal_has_a_line() {
    let repo = Repo::new();
    let file = repo.job().join("goals.md");
    let args = ["selftest", "real", "--suites", "1", "--units", "10", "--regime", "bimodal", "--markdown"];
    let mut all = args.to_vec();
    all.push(file.to_str().unwrap());
    let ran = repo.run(&all).expect(0);
    for goal in ["G1 ", "G2 ", "G3 +5 %", "G4 ", "G5 ", "G6 ", "G9 rounds", "G9: while", "G10: plans"] {
        assert!(ran.stdout.contains(goal), "no {goal:?} in\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains("| bimodal |"));
    assert_eq!(fs::read_to_string(file).unwrap(), ran.stdout);
    assert_eq!(repo.leftovers(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn identical_binaries_are_compared_under_three_schedules() {
    let repo = Repo::new();
    let ran = repo.run(&["selftest", "schedules", "--experiments", "1", "--units", "10"]).expect(0);
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("| 3 |")).collect();
    assert_eq!(lines.len(), 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("byte-identical binaries"));
}

#[test]
fn the_same_seed_gives_the_same_simulated_tables() {
    let repo = Repo::new();
    let run = || repo.run(&["selftest", "simulated", "--reports", "10"]).expect(0).stdout;
    let first = run();
    assert_eq!(first, run());
    assert!(first.contains("| CarryOver | +10% |") && first.contains("G10"), "{first}");
}
