//! A matrix of measuring jobs, and one report.

use super::*;
use bench_bot::github::comment::State;
use bench_bot::report::{Overall, Report};

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
    let inputs = [("results", folder.to_str().unwrap())];
    Ran::of(site.report(5, &request, &inputs)).expect(3).says("suite two is in none of the results");
    let body = site.comment().0;
    assert!(body.contains("Of 3 shards these are missing, with all their benchmarks: 2"), "{body}");

    // Shards of two divisions, and one shard twice, are no matrix: the first is shown, the other named.
    let twice = String::from_utf8(files[0].clone()).unwrap();
    let value: Value = serde_json::from_str(&twice).unwrap();
    let mut other = value.clone();
    other["shard"] = json!({"index": 2, "count": 4});
    for (second, complaint) in [(value, "once more"), (other, "of 4 shards")] {
        fs::write(folder.join("2/results.json"), serde_json::to_vec(&second).unwrap()).unwrap();
        Ran::of(site.report(5, &request, &inputs)).expect(3);
        let (body, meta) = site.comment();
        assert!(body.contains(complaint), "{body}");
        assert_eq!(reported(&site).suites.len(), 1);
        assert_eq!(meta.state, State::Failed);
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

/// Two suites that do not change, in two shards.
fn two_shards() -> (Site, String, [Vec<u8>; 2]) {
    let site = Site::of(Repo::of_scripts_with(TWO, &prints(&["A 10 100 ns/op"]), &prints(&["A 10 100 ns/op"])));
    let request = site.gate(5);
    let files = ["1/2", "2/2"].map(|shard| fs::read(site.measure(5, &request, &[("shard", shard)])).unwrap());
    (site, request, files)
}

#[test]
fn a_shard_that_cannot_be_used_is_named_and_the_others_are_shown_without_a_green() {
    let (site, request, [one, two]) = two_shards();
    let report = |second: &[u8], extra: &[(&str, &str)]| {
        site.keep(5, "bench-bot-results-1", &one);
        site.keep(5, "bench-bot-results-2", second);
        let mut inputs = vec![("artifact", "bench-bot-results-*"), ("measure-result", "success")];
        inputs.extend(extra);
        Ran::of(site.report(5, &request, &inputs))
    };
    report(&two, &[]).expect(0);
    assert_eq!((site.comment().1.state, site.output("verdict")), (State::Done, "unchanged".to_owned()));

    let text = String::from_utf8(two.clone()).unwrap();
    let foreign = text.replace(&site.head, &"e".repeat(40));
    for (second, complaint) in [
        (&text.as_bytes()[..text.len() / 2], "no usable JSON"),
        (foreign.as_bytes(), "of another commit"),
        (b"\xff\xfe".as_slice(), "no usable JSON"),
    ] {
        report(second, &[]).expect(3).says("suite two is in none of the results");
        let (body, meta) = site.comment();
        assert!(body.contains("bench-bot-results-2") && body.contains(complaint), "{body}");
        assert!(body.contains("Of 2 shards these are missing, with all their benchmarks: 2"), "{body}");
        assert_eq!((meta.state, site.output("verdict")), (State::Failed, "inconclusive".to_owned()), "{body}");
        let found = reported(&site);
        assert_eq!((found.verdict, found.counts.unchanged), (Overall::Inconclusive, 1));
        let check = site.standin.with(|state| state.repositories[NAME].checks.last().unwrap().clone());
        assert_eq!(check.conclusion.as_deref(), Some("neutral"));
    }

    // An archive that holds something else is no better.
    site.standin.with(|state| {
        let kept = state.repositories.get_mut(NAME).unwrap().artifacts.iter_mut();
        kept.for_each(|kept| {
            if kept.name.ends_with('2') {
                kept.archive.truncate(10);
            }
        });
    });
    let inputs = [("artifact", "bench-bot-results-*")];
    Ran::of(site.report(5, &request, &inputs)).expect(3);
    assert!(site.comment().0.contains("not a zip archive"), "{}", site.comment().0);

    // When none can be used there is nothing to show, and all of them are named.
    site.keep(5, "bench-bot-results-1", b"{}");
    let ran = Ran::of(site.report(5, &request, &inputs)).expect(2);
    assert!(ran.stderr.contains("results-1") && ran.stderr.contains("results-2"), "{}", ran.stderr);
    let (body, meta) = site.comment();
    assert_eq!(meta.state, State::Failed);
    assert!(!body.contains("BenchmarkA") && !body.contains("unchanged"), "{body}");
    site.standin.assert_clean();
}

/// One suite, whose benchmarks are listed and divided: parts of it come from different machines.
#[test]
fn a_suite_that_lists_its_benchmarks_is_divided_and_put_together_again() {
    let listed = "suites:\n  - name: one\n    run: sh bench.sh \"$BENCH_BOT_FILTER\"\n    \
        list: printf 'A\\nB\\nC\\n'\nrounds: {fixed: 8}\nhost: {tuning: off}\n";
    let script = |values: [u32; 3]| {
        let lines = ["A", "B", "C"].into_iter().zip(values);
        let print = |(name, value)| {
            format!("echo {name} | grep -qE \"${{1:-.}}\" && echo 'Benchmark{name} 10 {value} ns/op'\n")
        };
        lines.map(print).collect::<String>() + "true\n"
    };
    let site = Site::of(Repo::of_scripts_with(listed, &script([100, 200, 300]), &script([100, 260, 300])));
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    let whole = rows(&reported(&site));
    assert_eq!(whole.len(), 3, "{whole:?}");
    for count in [2, 4] {
        site.standin.with(|state| state.repositories.get_mut(NAME).unwrap().artifacts.clear());
        for index in 1..=count {
            let file = fs::read(site.measure(5, &request, &[("shard", &format!("{index}/{count}"))])).unwrap();
            site.keep(5, &format!("bench-bot-results-{index}"), &file);
        }
        Ran::of(site.report(5, &request, &[("artifact", "bench-bot-results-*")])).expect(0);
        let mut merged = rows(&reported(&site));
        let mut expected = whole.clone();
        merged.sort();
        expected.sort();
        assert_eq!(merged, expected, "{count} shards");
        assert_eq!(site.output("regressions"), "1");
    }
    site.standin.assert_clean();
}
