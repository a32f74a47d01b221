//! `bench-bot run` in a terminal.

mod early;
mod limits;
mod silent;

use crate::bot::{CONFIG, Repo, prints, report};
use bench_bot::report::{Overall, Unjudged, Verdict};
use bench_bot::side::Side;
use std::fs;

fn verdict(repo: &Repo, name: &str) -> Verdict {
    let report = report(&repo.job().join("report.json"));
    let row = report.suites[0].rows.iter().find(|row| row.benchmark.name == name && row.unit == "sec/op");
    row.unwrap_or_else(|| panic!("no row {name}")).verdict.clone()
}

fn run(repo: &Repo, args: &[&str]) -> crate::bot::Ran {
    let json = repo.job().join("report.json");
    let mut all = vec!["run", "--json", json.to_str().unwrap()];
    all.extend(args);
    repo.run(&all)
}

#[test]
fn ctrl_c_keeps_the_blocks_that_are_complete() {
    let repo = Repo::new();
    let job = repo.job();
    let (count, fifo) = (job.join("count"), job.join("fifo"));
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    // Two warm-ups and a block are complete; the first round after them hangs.
    let script = format!(
        "n=$(cat {0} 2>/dev/null || echo 0); echo $((n+1)) > {0}\n\
         if [ $n -eq 6 ]; then echo > {1}; exec sleep 1000; fi\necho 'BenchmarkA 10 100 ns/op'\n",
        count.display(),
        fifo.display()
    );
    repo.commit(&[(".github/bench-bot.yml", CONFIG), ("bench.sh", &script)]);
    repo.commit(&[("bench.sh", &format!("{script}true\n"))]);
    let results = job.join("results.json");
    fs::write(&results, "of an earlier run").unwrap();
    let mut command = repo.bot(&["run", "--base", "HEAD~1", "--head", "HEAD", "--results", results.to_str().unwrap()]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // Opens when the other end does.
    fs::read(&fifo).unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id().cast_signed()), nix::sys::signal::Signal::SIGINT)
        .unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains(&format!("what was measured until then is in {}", results.display())), "{said}");
    let kept = bench_bot::results::read(&fs::read(&results).unwrap()).unwrap();
    assert_eq!(kept.suites[0].stages[0].blocks.len(), 1);
    repo.run(&["compare", results.to_str().unwrap()]).says("interrupted");
}

#[test]
fn a_change_is_found_and_the_working_tree_is_left_alone() {
    let repo = Repo::of_scripts(
        &prints(&["Slow 10 100 ns/op", "Fast 10 100 ns/op", "Same 10 100 ns/op"]),
        &prints(&["Slow 10 150 ns/op", "Fast 10 50 ns/op", "Same 10 100 ns/op"]),
    );
    repo.write(&[("bench.sh", "exit 9\n"), ("new.txt", "untracked\n")]);
    let (before, tip) = (repo.git(&["status", "--porcelain"]), repo.git(&["rev-parse", "HEAD"]));
    let ran = run(&repo, &["--base", "main", "--head", "HEAD"]).expect(0);
    assert_eq!(verdict(&repo, "Slow"), Verdict::Regression);
    assert_eq!(verdict(&repo, "Fast"), Verdict::Improvement);
    assert_eq!(verdict(&repo, "Same"), Verdict::Unchanged);
    assert!(ran.stdout.contains("Slow") && ran.stdout.contains("+50.0%"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "no colour without a terminal");
    assert_eq!(repo.git(&["status", "--porcelain"]), before);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), tip);
    assert_eq!(repo.git(&["symbolic-ref", "HEAD"]), "refs/heads/change");
    assert_eq!(repo.leftovers(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn fail_on_makes_the_exit_code_one_and_every_file_is_written() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 150 ns/op"]));
    let (markdown, html, results) =
        (repo.job().join("comment.md"), repo.job().join("report.html"), repo.job().join("results.json"));
    run(
        &repo,
        &[
            "--base",
            "main",
            "--fail-on",
            "regression",
            "--markdown",
            markdown.to_str().unwrap(),
            "--html",
            html.to_str().unwrap(),
            "--results",
            results.to_str().unwrap(),
        ],
    )
    .expect(1);
    assert!(fs::read_to_string(markdown).unwrap().contains("+50.0%"));
    assert!(fs::read_to_string(html).unwrap().starts_with("<!"));
    let results = bench_bot::results::read(&fs::read(results).unwrap()).unwrap();
    // A block that the machine disturbed is there too, beside the one that was run in its place.
    let counted = results.suites[0].stages[0].blocks.iter().filter(|block| block.invalid.is_none() || block.kept);
    assert_eq!(counted.count(), 4);
}

/// Everything that a report says comes from the results file: samples, policy, commits, differing sources.
#[test]
fn compare_makes_the_report_of_measured_results_again() {
    let config = format!("{CONFIG}compare: {{threshold: 30%, correction: none}}\nreport: {{name: Again}}\n");
    let repo = Repo::of_scripts_with(
        &config,
        &prints(&["A/n=1 10 100 ns/op", "B 10 100 ns/op", "C 10 100 ns/op"]),
        &prints(&["A/n=1 10 150 ns/op", "B 10 80 ns/op", "D 10 5 ns/op"]),
    );
    let file = |name: &str| repo.job().join(name).to_str().unwrap().to_owned();
    let (json, markdown, results) = (file("report.json"), file("comment.md"), file("results.json"));
    let first =
        repo.run(&["run", "--base", "main", "--json", &json, "--markdown", &markdown, "--results", &results]).expect(0);
    assert_eq!(repo.run(&["compare", &results]).expect(0).stdout, first.stdout);
    let again = |layout: &str| repo.run(&["compare", "--layout", layout, &results]).expect(0).stdout;
    assert_eq!(again("json"), fs::read_to_string(&json).unwrap());
    assert_eq!(again("markdown"), fs::read_to_string(&markdown).unwrap());
    assert_eq!(
        repo.run(&["render", "--format", "markdown", &results]).expect(0).stdout,
        fs::read_to_string(&markdown).unwrap()
    );
    // What the policy forgave is a change under another threshold.
    assert_eq!(verdict(&repo, "B"), Verdict::Unchanged);
    repo.run(&["compare", "--threshold", "2%", "--fail-on", "regression", &results]).expect(1).says("1 improvement");
    repo.run(&["compare", "--filter", ".name:A", &results]).expect(2).says("--filter is for plain files");
}

#[test]
fn sources_that_differ_are_named_though_nothing_changed() {
    let repo = Repo::new();
    let config = "suites: [{name: script, run: sh ./measure.sh}]\nrounds: {fixed: 8}\nhost: {tuning: off}\n";
    let script = prints(&["A 10 100 ns/op"]);
    repo.commit(&[(".github/bench-bot.yml", config), ("measure.sh", &script), ("x.c", ""), ("Cargo.lock", "")]);
    repo.commit(&[("measure.sh", &format!("{script}true\n")), ("x.c", "int x;"), ("Cargo.lock", "[[package]]")]);
    let ran = run(&repo, &["--base", "HEAD~1"]).expect(0);
    assert_eq!(verdict(&repo, "A"), Verdict::Unchanged);
    let report = report(&repo.job().join("report.json"));
    let named = report.warnings.iter().find(|warning| warning.code == "sources-differ").expect("a note");
    assert!(named.message.ends_with(": measure.sh, Cargo.lock") && named.place == "script", "{named:?}");
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("measure.sh, Cargo.lock"), "{}", ran.stdout);
}

#[test]
fn uncommitted_changes_are_measured_with_a_dot() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 100 ns/op"]));
    repo.write(&[("bench.sh", &prints(&["A 10 300 ns/op"]))]);
    run(&repo, &["--base", "main", "--head", "."]).expect(0).says("uncommitted");
    assert_eq!(verdict(&repo, "A"), Verdict::Regression);
}

#[test]
fn a_base_is_that_very_commit_unless_the_merge_base_is_asked_for() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 100 ns/op"]));
    repo.git(&["checkout", "--quiet", "main"]);
    let tip = repo.commit(&[("bench.sh", &prints(&["A 10 50 ns/op"]))]);
    repo.git(&["checkout", "--quiet", "change"]);
    run(&repo, &["--base", "main"]).expect(0);
    assert_eq!(report(&repo.job().join("report.json")).revisions.base.sha, tip);
    assert_eq!(verdict(&repo, "A"), Verdict::Regression);
    run(&repo, &["--base", "main", "--merge-base"]).expect(0);
    assert_eq!(report(&repo.job().join("report.json")).base_behind, Some(1));
    assert_eq!(verdict(&repo, "A"), Verdict::Unchanged);
}

#[test]
fn without_a_base_the_remotes_default_branch_gives_it() {
    let origin = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 200 ns/op"]));
    origin.git(&["checkout", "--quiet", "main"]);
    let clone = Repo::new();
    clone.git(&["remote", "add", "origin", origin.path().to_str().unwrap()]);
    clone.git(&["fetch", "--quiet", "origin"]);
    clone.git(&["remote", "set-head", "origin", "main"]);
    clone.git(&["checkout", "--quiet", "change"]);
    run(&clone, &[]).expect(0);
    assert_eq!(verdict(&clone, "A"), Verdict::Regression);
}

#[test]
fn equal_commits_are_an_error_that_says_what_to_do() {
    let repo = Repo::of_scripts(&prints(&["A 10 1 ns/op"]), &prints(&["A 10 1 ns/op"]));
    run(&repo, &["--base", "HEAD"]).expect(2).says("same commit").says("--head .");
}

#[test]
fn unrelated_histories_have_no_merge_base_and_can_still_be_compared() {
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 100 ns/op"]));
    repo.git(&["checkout", "--quiet", "--orphan", "island"]);
    repo.commit(&[("bench.sh", &prints(&["A 10 150 ns/op"]))]);
    run(&repo, &["--base", "main", "--merge-base"]).expect(2).says("no common");
    run(&repo, &["--base", "main"]).expect(0);
    assert_eq!(verdict(&repo, "A"), Verdict::Regression);
}

#[test]
fn a_shallow_clone_says_how_to_complete_it() {
    let origin = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 200 ns/op"]));
    let clone = Repo::new();
    fs::remove_dir_all(clone.path()).unwrap();
    let url = format!("file://{}", origin.path().display());
    origin.git(&["clone", "--quiet", "--depth=1", "--no-single-branch", &url, clone.path().to_str().unwrap()]);
    clone.git(&["checkout", "--quiet", "change"]);
    run(&clone, &["--base", "origin/main", "--merge-base"]).expect(2).says("unshallow");
    run(&clone, &["--base", "origin/main"]).expect(0);
}

#[test]
fn a_failing_bench_command_on_base_is_a_failed_side_with_its_last_words() {
    let repo = Repo::of_scripts("echo no such codec >&2; exit 3\n", &prints(&["A 10 100 ns/op"]));
    let ran = run(&repo, &["--base", "main"]).expect(3);
    ran.says("no such codec").says("nothing measured").says("the warm-up round of script failed on base");
    let report = report(&repo.job().join("report.json"));
    assert_eq!(report.verdict, Overall::Failed);
    let failed = report.suites[0].failed_rounds.base.as_ref().unwrap();
    // The warm-up round failed, so no round was wasted on it.
    assert!(failed.warmup && (failed.failed, failed.of) == (1, 1));
    assert!(failed.first.tail.contains("no such codec"));
}

#[test]
fn a_failing_build_on_head_fails_that_side_alone() {
    let config = CONFIG.replace("    run:", "    setup: sh build.sh\n    run:");
    let repo = Repo::new();
    let bench = prints(&["A 10 100 ns/op"]);
    repo.commit(&[(".github/bench-bot.yml", &config), ("bench.sh", &bench), ("build.sh", "true\n")]);
    repo.git(&["checkout", "--quiet", "-b", "change"]);
    repo.commit(&[("build.sh", "echo undefined: forceGeneric; exit 1\n")]);
    run(&repo, &["--base", "main"]).expect(3).says("undefined: forceGeneric");
    let report = report(&repo.job().join("report.json"));
    assert!(report.suites[0].setup.base.status.ok() && !report.suites[0].setup.head.status.ok());
}

#[test]
fn printing_nothing_with_exit_code_zero_is_an_error_and_never_green() {
    let repo = Repo::of_scripts("true\n", "true\n");
    run(&repo, &["--base", "main"]).expect(3).says("nothing measured");
}

#[test]
fn rows_of_one_side_are_new_and_removed() {
    let both = "Both 10 100 ns/op";
    let repo = Repo::of_scripts(&prints(&[both, "Gone 10 7 ns/op"]), &prints(&[both, "Fresh 10 7 ns/op"]));
    run(&repo, &["--base", "main"]).expect(0);
    assert_eq!(verdict(&repo, "Gone"), Verdict::Removed);
    assert_eq!(verdict(&repo, "Fresh"), Verdict::New);
}

#[test]
fn what_was_printed_before_a_failure_is_kept() {
    let good = prints(&["A 10 100 ns/op"]);
    let repo = Repo::of_scripts(&format!("{good}echo 'BenchmarkB 10 5 ns/op'\n"), &format!("{good}exit 1\n"));
    run(&repo, &["--base", "main"]).expect(0).says("exited with 1");
    assert_eq!(verdict(&repo, "A"), Verdict::Unchanged);
    let told = verdict(&repo, "B");
    assert!(matches!(told, Verdict::Failed(Side::Head, _) | Verdict::Removed), "{told:?}");
}

#[test]
fn a_command_that_never_ends_is_killed_with_everything_that_it_started() {
    let config = CONFIG.replace("    run:", "    timeout: 1s\n    run:");
    let hangs = "sleep 5873 & sleep 5873\n";
    let repo = Repo::of_scripts_with(&config, &prints(&["A 10 1 ns/op"]), hangs);
    run(&repo, &["--base", "main"]).expect(3).says("1 s");
    let left = std::process::Command::new("pgrep").args(["-f", "sleep 5873"]).output().unwrap();
    assert!(left.stdout.is_empty(), "still there: {}", String::from_utf8_lossy(&left.stdout));
}

#[test]
fn a_hundred_megabytes_of_output_are_survived() {
    let flood = "head -c 100000000 /dev/zero | tr '\\0' 'x'\n";
    let repo = Repo::of_scripts(&prints(&["A 10 100 ns/op"]), &format!("{}{flood}", prints(&["A 10 150 ns/op"])));
    run(&repo, &["--base", "main", "--rounds", "8"]).expect(0);
    assert_eq!(verdict(&repo, "A"), Verdict::Regression);
}

#[test]
fn a_mistake_in_the_configuration_is_told_with_its_place_and_the_word_that_was_meant() {
    let repo = Repo::of_scripts_with(&CONFIG.replace("run:", "rnu:"), "true\n", "true\n");
    run(&repo, &["--base", "main"]).expect(2).says(".github/bench-bot.yml:3").says("did you mean `run`");
    repo.run(&["check-config"]).expect(2).says("did you mean `run`");
}

#[test]
fn flags_are_checked_before_anything_runs() {
    let repo = Repo::of_scripts("exit 1\n", "exit 1\n");
    run(&repo, &["--base", "main", "--rounds", "7"]).expect(2).says("--rounds");
    run(&repo, &["--base", "main", "--suite", "scirpt"]).expect(2).says("script");
    run(&repo, &["--base", "nowhere"]).expect(2).says("nowhere");
    run(&repo, &["--base", "main", "--filter", "("]).expect(2).says("--filter");
}

#[test]
fn a_unit_of_unknown_direction_has_a_delta_and_no_verdict_word() {
    let repo = Repo::of_scripts(&prints(&["A 10 4 widgets/op"]), &prints(&["A 10 8 widgets/op"]));
    run(&repo, &["--base", "main"]).expect(0);
    let report = report(&repo.job().join("report.json"));
    assert_eq!(report.suites[0].rows[0].verdict, Verdict::Unjudged(Unjudged::DirectionUnknown));
}

#[test]
fn tokens_of_a_terminal_are_not_seen_by_bench_commands() {
    let script = format!(
        "{}env | grep -c -e GITHUB_TOKEN -e MY_SECRET >&2\ntest -z \"$GITHUB_TOKEN$MY_SECRET\"\n",
        prints(&["A 10 1 ns/op"])
    );
    let repo = Repo::of_scripts(&script, &format!("{script}true\n"));
    let mut command = repo.bot(&["run", "--base", "main"]);
    command.env("GITHUB_TOKEN", "ghp_secret").env("MY_SECRET", "x");
    let ran = crate::bot::Ran::of(command).expect(0).says("GITHUB_TOKEN");
    assert!(!ran.stderr.contains("ghp_secret") && !ran.stdout.contains("ghp_secret"));
}

#[test]
fn a_real_go_module_needs_no_configuration() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/go-module");
    let repo = Repo::new();
    let files = |side: &str| {
        ["go.mod", "words.go", "words_test.go"]
            .map(|name| (name, fs::read_to_string(data.join(side).join(name)).unwrap()))
    };
    for side in ["base", "head"] {
        let files = files(side);
        let borrowed: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        repo.commit(&borrowed);
        if side == "base" {
            repo.git(&["checkout", "--quiet", "-b", "change"]);
        }
    }
    run(&repo, &["--base", "main", "--rounds", "8"]).expect(0);
    let report = report(&repo.job().join("report.json"));
    let rows = &report.suites[0].rows;
    let allocs = rows.iter().find(|row| row.benchmark.name == "Join/n=256" && row.unit == "allocs/op").unwrap();
    // 510 allocations become one, in every round, on every machine.
    assert_eq!(allocs.verdict, Verdict::Improvement);
    assert_eq!((allocs.base.as_ref().unwrap().center, allocs.head.as_ref().unwrap().center), (510.0, 1.0));
    assert_eq!(allocs.benchmark.package, "example.com/acme/words");
    assert!(report.environments[0].tools["go env"].contains("CGO_ENABLED="), "{:?}", report.environments[0].tools);
    assert!(rows.iter().any(|row| row.benchmark.name == "Count" && row.unit == "sec/op"));
}
