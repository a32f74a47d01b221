//! What a job refuses before a single command of the pull request runs.

use super::*;
use bench_bot::results::SIZE_LIMIT;

#[test]
fn threat_01_and_13_measuring_refuses_a_token_in_its_environment_and_one_that_the_checkout_left() {
    let site = slower();
    let request = site.gate(5);
    let inputs = [("mode", "measure"), ("request", request.as_str()), ("isolation", "host")];
    for name in ["INPUT_TOKEN", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "NPM_TOKEN", "AWS_ACCESS_KEY_ID"] {
        let mut command = site.job("pull_request", &json!({}), 5, &inputs);
        command.env(name, "a-secret");
        let ran = Ran::of(command).expect(2).says(name);
        assert!(!ran.stderr.contains("a-secret") && !ran.stdout.contains("a-secret"), "{}", ran.stderr);
    }
    // An empty input is no token.
    let mut command = site.job("pull_request", &json!({}), 5, &inputs);
    command.env("INPUT_TOKEN", "");
    Ran::of(command).expect(0);
    site.repo.git(&["config", "http.https://github.example/.extraheader", "AUTHORIZATION: basic c2VjcmV0"]);
    let ran = Ran::of(site.job("pull_request", &json!({}), 5, &inputs)).expect(2).says("extraheader");
    assert!(!ran.stderr.contains("c2VjcmV0"), "{}", ran.stderr);
}

#[test]
fn a_clone_without_the_commit_names_the_step() {
    let site = slower();
    let request = site.gate(5);
    let missing = request.replace(&site.head, &"c".repeat(40));
    let inputs = [("mode", "measure"), ("request", missing.as_str()), ("isolation", "host")];
    let ran = Ran::of(site.job("pull_request", &json!({}), 5, &inputs)).expect(2);
    for text in [&"c".repeat(40), "actions/checkout", "fetch-depth: 0", "persist-credentials: false"] {
        assert!(ran.stderr.contains(text), "{}", ran.stderr);
    }
}

#[test]
fn threat_14_a_request_and_results_that_are_too_large_are_not_read() {
    let site = slower();
    let request = site.gate(5);
    let file = site.repo.tmp().join("request.json");
    fs::write(&file, format!("{}{request}", " ".repeat(121_000))).unwrap();
    let inputs = [("mode", "measure"), ("request", file.to_str().unwrap()), ("isolation", "host")];
    Ran::of(site.job("pull_request", &json!({}), 5, &inputs)).expect(2).says("longer than");

    let results = site.repo.tmp().join("results.json");
    fs::File::create(&results).unwrap().set_len(SIZE_LIMIT as u64 + 1).unwrap();
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(2);
    let link = site.repo.tmp().join("link.json");
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    Ran::of(site.report(5, &request, &[("results", link.to_str().unwrap())])).expect(2);
    let pipe = site.repo.tmp().join("pipe.json");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    Ran::of(site.report(5, &request, &[("results", pipe.to_str().unwrap())])).expect(2).says("not a regular file");
    assert_eq!(site.comment().1.state, bench_bot::github::comment::State::Failed);
}

/// The measuring job runs foreign code: what cannot be results is refused. What can be is told as text (threat 16).
#[test]
fn forged_results_are_refused() {
    let site = slower();
    let request = site.gate(5);
    let file = site.measure(5, &request, &[]);
    let good = fs::read_to_string(&file).unwrap();
    let report = || Ran::of(site.report(5, &request, &[("results", file.to_str().unwrap())]));
    let row = r#"{"benchmark":{"name":"B"},"unit":"s"},"#;
    let with = |field: &str| good.replacen('{', &format!("{{{field},"), 1);
    let rows = good.find("\"rows\":[").expect("rows") + "\"rows\":[".len();
    for (what, text) in [
        ("nested a hundred thousand times", with(&format!("\"x\":{}{}", "[".repeat(100_000), "]".repeat(100_000)))),
        ("a key twice", with("\"schema\":1")),
        ("no number", good.replacen("1.5e-7", "NaN", 1).replacen("1e-7", "NaN", 1)),
        ("beyond every number", good.replacen("e-7", "e999", 1)),
        ("a million rows", format!("{}{}{}", &good[..rows], row.repeat(1_000_000), &good[rows..])),
        ("a verdict of its own", with("\"verdict\":\"improvement\"")),
        ("half of it", good[..good.len() / 2].to_owned()),
    ] {
        assert_ne!(text, good, "{what}");
        fs::write(&file, text).unwrap();
        let ran = report();
        assert_eq!(ran.code, Some(2), "{what}: {}", ran.stderr);
        let (body, meta) = site.comment();
        assert_eq!(meta.state, bench_bot::github::comment::State::Failed, "{what}: {body}");
        assert!(!body.contains('🟢') && !body.contains('🔴'), "{what}: {body}");
    }
}
