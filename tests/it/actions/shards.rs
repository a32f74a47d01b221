//! A matrix of measuring jobs, and one report.

use super::*;
use bench_bot::report::Report;

const TWO: &str = "suites:\n  - name: one\n    run: sh bench.sh\n  - name: two\n    run: sh bench.sh\n\
    rounds: {fixed: 8}\nhost: {tuning: off}\n";

fn reported(site: &Site) -> Report {
    crate::bot::report(&site.repo.path().join("bench-bot-out/report.json"))
}

/// Suites and rows with their verdicts.
fn rows(report: &Report) -> Vec<(String, String, String)> {
    let of = |suite: &bench_bot::report::SuiteReport| {
        let name = suite.name.clone();
        let row = move |row: &bench_bot::report::Row| {
            (name.clone(), row.benchmark.name.clone(), format!("{:?}", row.verdict))
        };
        suite.rows.iter().map(row).collect::<Vec<_>>()
    };
    report.suites.iter().flat_map(of).collect()
}

#[test]
fn shards_give_the_rows_and_the_family_of_one_machine_and_a_missing_one_is_named() {
    // Values that vary, so that the rows are tested and not taken for exact.
    let noisy = |middle: u32| {
        format!("n=$(od -An -N1 -tu1 /dev/urandom)\necho \"BenchmarkA 10 $(({middle} + n % 9)) ns/op\"\n")
    };
    let site = Site::of(Repo::of_scripts_with(TWO, &noisy(1000), &noisy(2000)));
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    let whole = reported(&site);
    assert_eq!(whole.family.size, 2, "{:?}", whole.family);

    // The third of three shards has nothing to do, and succeeds.
    let mut files = Vec::new();
    for shard in ["1", "2", "3"] {
        let file = fs::read(site.measure(5, &request, &[("shard", &format!("{shard}/3"))])).unwrap();
        site.keep(5, &format!("bench-bot-results-{shard}"), &file);
        files.push(file);
    }
    Ran::of(site.report(5, &request, &[("artifact", "bench-bot-results-*"), ("measure-result", "success")])).expect(0);
    let merged = reported(&site);
    assert_eq!(rows(&merged), rows(&whole));
    assert_eq!((merged.family.size, merged.family.testable), (whole.family.size, whole.family.testable));
    let shards: Vec<u32> = merged.environments.iter().filter_map(|it| it.shard).map(|shard| shard.index).collect();
    assert_eq!(shards, [1, 2, 3]);
    let body = site.comment().0;
    for line in ["shard 1 of 3", "shard 2 of 3", "shard 3 of 3"] {
        assert!(body.contains(line), "no {line} in {body}");
    }

    // The same from a folder, with one missing.
    let folder = site.repo.tmp().join("results");
    for index in [0, 2] {
        fs::create_dir_all(folder.join(index.to_string())).unwrap();
        fs::write(folder.join(index.to_string()).join("results.json"), &files[index]).unwrap();
    }
    Ran::of(site.report(5, &request, &[("results", folder.to_str().unwrap())])).expect(0);
    let body = site.comment().0;
    assert!(body.contains("of 3 shards these are missing, with all their benchmarks: 2"), "{body}");

    // Shards of two divisions, and one shard twice, are no matrix.
    let twice = String::from_utf8(files[0].clone()).unwrap();
    let value: Value = serde_json::from_str(&twice).unwrap();
    let mut other = value.clone();
    other["shard"] = json!({"index": 2, "count": 4});
    for (second, complaint) in [(value, "once more"), (other, "of 4 shards")] {
        fs::write(folder.join("2/results.json"), serde_json::to_vec(&second).unwrap()).unwrap();
        Ran::of(site.report(5, &request, &[("results", folder.to_str().unwrap())])).expect(2).says(complaint);
    }
    site.standin.assert_clean();
}

#[test]
fn suites_that_only_the_measuring_job_finds_are_reported_under_the_gates_policy() {
    let repo = Repo::new();
    let module = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/go-module");
    for side in ["base", "head"] {
        let files = ["go.mod", "words.go", "words_test.go"]
            .map(|name| (name, fs::read_to_string(module.join(side).join(name)).unwrap()));
        repo.commit(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
        if side == "base" {
            repo.git(&["checkout", "--quiet", "-b", "change"]);
        }
    }
    let site = Site::of(repo);
    let inputs = [("token", TOKEN), ("mode", "gate"), ("rounds", "8")];
    Ran::of(site.job("pull_request", &site.pull_request(), 5, &inputs)).expect(0);
    let request = site.output("request");
    assert!(!request.contains("go test"), "{request}");
    let results = site.measure(5, &request, &[]);
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    let body = site.comment().0;
    assert!(body.contains("Join/n=256") && body.contains("Found Go benchmarks"), "{body}");
}
