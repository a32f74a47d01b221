//! `bench-bot init` as a user runs it.

use crate::bot::Repo;
use std::fs;
use std::path::Path;

/// Flags, and the files that they give: where they go, and which example they are.
type Plan = (&'static [&'static str], &'static [(&'static str, &'static str)]);

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples").join(name)).unwrap()
}

fn go() -> Repo {
    let repo = Repo::new();
    repo.commit(&[
        ("go.mod", "module example.com/m\n"),
        ("m_test.go", "package m\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n"),
    ]);
    repo
}

/// What is written are the files of the documentation, which the linters and the tests of workflows have seen.
#[test]
fn away_from_a_terminal_it_asks_nothing_and_writes_what_fits() {
    let plans: [Plan; 3] = [
        (&[], &[("bench.yml", "pull-request.yml"), ("bench-comment.yml", "comment.yml")]),
        (
            &["--forks"],
            &[
                ("bench.yml", "fork-measure.yml"),
                ("bench-report.yml", "fork-report.yml"),
                ("bench-comment.yml", "comment.yml"),
            ],
        ),
        (&["--self-hosted"], &[("bench-comment.yml", "self-hosted.yml")]),
    ];
    for (flags, files) in plans {
        let repo = go();
        let ran = repo.run(&[&["init"], flags].concat()).expect(0);
        assert!(ran.stdout.contains("Found Go benchmarks"), "{}", ran.stdout);
        assert!(!ran.stderr.contains("[y/N]") && !ran.stdout.contains("[y/N]"), "it asks: {}", ran.stderr);
        for (written, of) in files {
            let path = format!(".github/workflows/{written}");
            assert_eq!(fs::read_to_string(repo.path().join(&path)).unwrap(), example(of), "{path}");
            assert!(ran.stdout.contains(&format!("wrote   {path}")), "{}", ran.stdout);
        }
        assert_eq!(fs::read_dir(repo.path().join(".github/workflows")).unwrap().count(), files.len());
        let config = fs::read_to_string(repo.path().join(".github/bench-bot.yml")).unwrap();
        let loaded = bench_bot::config::load("bench-bot.yml", &config).unwrap();
        let sha = loaded.command.fork_approval == bench_bot::config::ForkApproval::Sha;
        assert_eq!(sha, flags == ["--self-hosted"], "{config}");
        // What to do next, in order, with commands that exist.
        let steps: Vec<&str> =
            ran.stdout.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
        assert!(steps.len() >= 4 && steps[0].contains("bench-bot check-config"), "{steps:?}");
        let pin = format!("git ls-remote https://github.com/org/bench-bot 'v{}^{{}}'", env!("CARGO_PKG_VERSION"));
        assert!(steps.iter().any(|step| step.contains(&pin)), "{steps:?}");
        repo.run(&["check-config"]).expect(0);
    }
}

#[test]
fn what_is_there_stays_and_is_named() {
    let repo = go();
    repo.run(&["init"]).expect(0);
    let mine = "# mine\n";
    repo.write(&[(".github/workflows/bench.yml", mine), (".github/bench-bot.yml", "budget: 5m\n")]);
    let ran = repo.run(&["init", "--forks"]).expect(0);
    assert_eq!(fs::read_to_string(repo.path().join(".github/workflows/bench.yml")).unwrap(), mine);
    assert_eq!(fs::read_to_string(repo.path().join(".github/bench-bot.yml")).unwrap(), "budget: 5m\n");
    assert!(ran.stdout.contains("kept    .github/workflows/bench.yml"), "{}", ran.stdout);
    assert!(ran.stdout.contains("wrote   .github/workflows/bench-report.yml"), "{}", ran.stdout);
    // A pair of which one half is the user's own may not belong together.
    assert!(ran.stdout.contains("compare"), "{}", ran.stdout);
}
