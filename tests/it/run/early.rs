//! What is wrong is told before anything is measured.

use super::run;
use crate::bot::{CONFIG, Ran, Repo, prints};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A repository whose benchmark leaves a mark when it runs.
fn marked() -> (Repo, std::path::PathBuf) {
    let mark = tempfile::tempdir().unwrap().keep().join("ran");
    let script = format!("touch {}\n{}", mark.display(), prints(&["A 10 100 ns/op"]));
    (Repo::of_scripts(&script, &format!("{script}true\n")), mark)
}

/// The program in `folder`, which need not be a repository.
fn in_folder(repo: &Repo, folder: &Path, args: &[&str]) -> Command {
    let mut command = repo.bot(args);
    command.current_dir(folder);
    command
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_first_round() {
    let (repo, mark) = marked();
    let missing = repo.job().join("no/such/report.html");
    let folder = repo.job().display().to_string();
    for (flag, path, reason) in [
        ("--html", missing.to_str().unwrap(), "there is no folder"),
        ("--markdown", folder.as_str(), "it is a folder"),
        ("--json", "/proc/report.json", "takes no file"),
    ] {
        repo.run(&["run", "--base", "main", flag, path]).expect(2).says("nothing was measured").says(reason);
    }
    assert!(!mark.exists() && !missing.parent().unwrap().exists());
    repo.run(&["calibrate", "--json", missing.to_str().unwrap()]).expect(2).says("nothing was measured");
    assert!(!mark.exists());
    fs::remove_dir_all(mark.parent().unwrap()).unwrap();
}

#[test]
fn a_calibration_measures_one_commit_against_itself_and_gives_the_interval() {
    // Exact rows are not counted: noise cannot colour them.
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op 3 allocs/op", "B 10 100 ns/op 0 B/op"]), "exit 1\n");
    let ran = repo.run(&["calibrate", "--head", "main", "--times", "2", "--rounds", "4"]).expect(0);
    // R: binom::binom.wilson(0, 2) and (0, 4) give 0.6576 and 0.4899 as upper ends.
    let told = "reports with a red or green row 0 of 2 (95 % interval 0.0 % to 65.8 %), red or green rows 0 of 4 (95 % interval \
                0.0 % to 49.0 %)";
    ran.says(told);
}

#[test]
fn a_flag_that_cannot_be_is_told_first() {
    let (repo, mark) = marked();
    run(&repo, &["--base", "main", "--seed", "xyz"]).expect(2).says("--seed xyz: expected 32 hexadecimal digits");
    run(&repo, &["--base", "main", "--shard", "5/4"]).expect(2).says("--shard");
    run(&repo, &["--base", "main", "--max-time", "soon"]).expect(2).says("--max-time soon: expected a duration");
    assert!(!mark.exists());
    fs::remove_dir_all(mark.parent().unwrap()).unwrap();
}

#[test]
fn a_folder_without_a_repository_is_told_so() {
    let repo = Repo::new();
    let ran = Ran::of(in_folder(&repo, &repo.job(), &["run"])).expect(2);
    ran.says("is not in a git repository").says("--repository");
}

#[test]
fn a_repository_without_a_commit_is_told_so() {
    Repo::new().run(&["run", "--base", "main"]).expect(2).says("it has no commit yet");
}

#[test]
fn a_temporary_folder_that_is_not_there_is_named() {
    let repo = Repo::of_scripts("true\n", "false\n");
    let mut command = repo.bot(&["run", "--base", "main"]);
    command.env("TMPDIR", "/nowhere/at/all");
    Ran::of(command).expect(2).says("/nowhere/at/all").says("`TMPDIR` names another place");
}

#[test]
fn a_suite_without_a_command_is_told_with_its_place() {
    let config = "rounds: {fixed: 8}\nsuites:\n  - name: codec\n";
    let repo = Repo::of_scripts_with(config, "true\n", "false\n");
    let place =
        ".github/bench-bot.yml:3:5: suites[0]: suite codec has no `run`, and no benchmarks were found in this tree";
    run(&repo, &["--base", "main"]).expect(2).says(place);
    repo.run(&["check-config"]).expect(2).says(place);
}

#[test]
fn a_folder_that_is_not_there_is_told_when_the_configuration_is_checked() {
    let config = CONFIG.replace("    run:", "    directory: bindings/go\n    run:");
    let repo = Repo::of_scripts_with(&config, "true\n", "false\n");
    let told = ".github/bench-bot.yml:3:16: suites[0].directory: there is no folder `bindings/go` in this tree";
    repo.run(&["check-config"]).expect(2).says(told);
}

#[test]
fn a_bare_repository_is_measured_by_its_committed_configuration() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 150 ns/op"]));
    let bare = repo.job().join("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let json = repo.job().join("report.json");
    let args = ["run", "--base", "main", "--head", "change", "--json", json.to_str().unwrap()];
    Ran::of(in_folder(&repo, &bare, &args)).expect(0);
    let report = crate::bot::report(&json);
    assert_eq!(report.suites[0].name, "script");
    assert!(matches!(report.design, bench_bot::report::Design::Fixed { rounds: 8, .. }));
}

#[test]
fn the_limit_of_a_run_can_be_given() {
    let script = prints(&["A 10 100 ns/op"]);
    let repo = Repo::of_scripts(&script, &format!("{script}true\n"));
    // After the warm-up not even one block fits.
    run(&repo, &["--base", "main", "--max-time", "1ms"]).expect(3).says("time limit");
}

/// What a side alone requires is tried before anything runs.
#[test]
fn a_setting_that_one_side_requires_and_this_machine_has_not_is_told_first() {
    let (repo, mark) = marked();
    let config = fs::read_to_string(repo.path().join(".github/bench-bot.yml")).unwrap();
    let config = config.replace("run:", "head: {host: {tuning: require, cpus: \"1000\"}}\n    run:");
    repo.write(&[(".github/bench-bot.yml", &config)]);
    run(&repo, &["--base", "main"]).expect(2).says("host settings of head (suite script)").says("1000");
    assert!(!mark.exists(), "no command ran");
    fs::remove_dir_all(mark.parent().unwrap()).unwrap();
}

#[test]
fn a_calibration_has_one_commit_and_one_configuration() {
    let config = CONFIG.replace("run:", "head: {env: {MORE: 5}}\n    run:");
    let script = "echo \"BenchmarkA 10 10$MORE ns/op\"\n";
    let repo = Repo::of_scripts_with(&config, script, &format!("{script}true\n"));
    repo.run(&["calibrate", "--base", "main"]).expect(2).says("measures one commit against itself");
    repo.run(&["calibrate"]).expect(0).says("red or green rows 0 of 1").says("both sides are measured as base is");
}
