//! How a run can end, and what is told of it.

use super::*;
use bench_bot::github::comment::State;
use bench_bot::standin::{Fault, READ_ONLY_TOKEN};

const ZEROS: &str = "0000000000000000000000000000000000000000";

#[test]
fn every_end_of_the_measuring_job_without_results_has_its_state_and_all_outputs() {
    let site = slower();
    let request = site.gate(5);
    for (ended, state, code) in [
        ("cancelled", State::Cancelled, 0),
        ("skipped", State::NothingMeasured, 0),
        ("timed_out", State::TimedOut, 0),
        ("failure", State::Failed, 3),
        ("success", State::NothingMeasured, 3),
    ] {
        let inputs = [("artifact", "bench-bot-results"), ("measure-result", ended)];
        site.standin.with(|state| {
            let known = state.repositories.get_mut(NAME).unwrap();
            known.runs.entry(5).or_insert(Run {
                event: "pull_request".to_owned(),
                status: "in_progress".to_owned(),
                conclusion: None,
                head_branch: "change".to_owned(),
                head_sha: site.head.clone(),
            });
        });
        Ran::of(site.report(5, &request, &inputs)).expect(code);
        let (body, meta) = site.comment();
        assert_eq!(meta.state, state, "{ended}: {body}");
        assert!(!body.contains('🟢'), "{ended}: {body}");
        assert_eq!(
            ["verdict", "regressions", "improvements", "report-json"].map(|name| site.output(name)),
            ["failed", "0", "0", ""],
            "{ended}"
        );
        assert!(site.output("comment-url").contains("issuecomment"), "{ended}");
        assert!(!site.summary().is_empty(), "{ended}");
    }
    let conclusions: Vec<_> = site
        .standin
        .with(|state| state.repositories[NAME].checks.iter().filter_map(|check| check.conclusion.clone()).collect());
    assert!(!conclusions.iter().any(|conclusion| conclusion == "success"), "{conclusions:?}");
    site.standin.assert_clean();
}

#[test]
fn results_of_a_job_that_failed_are_shown_and_never_green() {
    let site = Site::scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 100 ns/op"]));
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    let inputs = [("results", results.to_str().unwrap()), ("measure-result", "failure")];
    Ran::of(site.report(5, &request, &inputs)).expect(0);
    let (body, meta) = site.comment();
    assert_eq!(meta.state, State::Failed, "{body}");
    assert!(body.contains("may be incomplete"), "{body}");
    let checks = site.standin.with(|state| state.repositories[NAME].checks.clone());
    assert_eq!(checks[0].conclusion.as_deref(), Some("neutral"));
}

#[test]
fn a_suite_that_gave_nothing_beside_one_that_did_not_change_is_never_green() {
    let config = "suites:\n  - name: broken\n    setup: exit 4\n    run: sh bench.sh\n  - name: script\n    run: sh bench.sh\n\
                  rounds: {fixed: 4}\nhost: {tuning: off}\nreport: {fail-on: [never], comment-on: regression}\n";
    let same = prints(&["A 10 100 ns/op"]);
    let site = Site::of(Repo::of_scripts_with(config, &same, &same));
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(3);
    let (body, _) = site.comment();
    assert!(body.contains("suite `broken` could not be compared") && !body.contains('🟢'), "{body}");
    assert_eq!(site.output("verdict"), "inconclusive");
    let checks = site.standin.with(|state| state.repositories[NAME].checks.clone());
    assert_eq!(checks[0].conclusion.as_deref(), Some("neutral"));
}

#[test]
fn a_head_that_moved_meanwhile_is_named() {
    let site = slower();
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    let later = "d".repeat(40);
    site.standin.with(|state| {
        let known = state.repositories.get_mut(NAME).unwrap();
        known.add_commit(&later, "Later", &[&site.head]);
        known.pulls.get_mut(&PULL).unwrap().head_sha.clone_from(&later);
    });
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    let body = site.comment().0;
    assert!(body.contains("head is now") && body.contains(&later[..7]), "{body}");
}

#[test]
fn a_comment_that_github_refuses_leaves_the_report_in_the_summary() {
    let site = slower();
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    let results = results.to_str().unwrap();
    let inputs = [("results", results), ("token", READ_ONLY_TOKEN)];
    let ran = Ran::of(site.report(5, &request, &inputs)).expect(0);
    assert!(ran.stdout.contains("::warning") && ran.stdout.contains("pull-requests: write"), "{}", ran.stdout);
    assert!(site.summary().contains("+50.0%"), "{}", site.summary());
    assert_eq!((site.output("verdict"), site.output("comment-url")), ("regression".to_owned(), String::new()));

    let inputs = [("results", results), ("token", READ_ONLY_TOKEN), ("fail-on-comment-error", "true")];
    Ran::of(site.report(5, &request, &inputs)).expect(4);
    assert!(site.summary().contains("+50.0%"));
}

#[test]
fn a_locked_conversation_is_not_written_to() {
    let site = slower();
    site.standin.with(|state| {
        state.repositories.get_mut(NAME).unwrap().pulls.get_mut(&PULL).unwrap().locked = true;
    });
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    let ran = Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    assert!(ran.stdout.contains("::warning") && ran.stdout.contains("locked"), "{}", ran.stdout);
    assert!(site.comments().is_empty());
    assert!(site.summary().contains("+50.0%"));
    assert_eq!(site.output("regressions"), "1");
}

#[test]
fn github_that_is_down_does_not_lose_the_summary() {
    let site = slower();
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    let path = format!("/repos/{NAME}/issues/{PULL}/comments");
    site.standin.fail(Fault::refuse("GET", &path, 404, "Not Found"));
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    assert!(site.summary().contains("+50.0%"), "{}", site.summary());
    assert_eq!(site.output("verdict"), "regression");
}

#[test]
fn a_new_branch_is_nothing_to_do_and_says_so() {
    let site = slower();
    let payload = json!({"ref": "refs/heads/new", "before": ZEROS, "after": site.head, "deleted": false, "created": true,
        "forced": false, "repository": Site::repository(), "sender": {"login": "ada", "id": 1815, "type": "User"}});
    for mode in ["gate", "run"] {
        Ran::of(site.job("push", &payload, 1, &[("token", TOKEN), ("mode", mode)])).expect(0);
        assert_eq!(["run", "request", "head-sha", "base-sha"].map(|name| site.output(name)), ["false", "", "", ""]);
        assert!(site.summary().contains("nothing before it"), "{}", site.summary());
    }
    assert_eq!(["verdict", "comment-url", "report-json"].map(|name| site.output(name)), ["", "", ""]);
}

#[test]
fn a_merge_group_gives_a_summary_and_no_comment() {
    let site = slower();
    let payload = json!({"action": "checks_requested", "repository": Site::repository(),
        "sender": {"login": "ada", "id": 1815, "type": "User"},
        "merge_group": {"head_sha": site.head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-abc",
            "base_sha": site.base, "base_ref": "refs/heads/main"}});
    site.stages("merge_group", &payload, 1).expect(0);
    assert!(site.comments().is_empty());
    assert!(site.summary().contains("+50.0%"), "{}", site.summary());
    assert_eq!(site.output("verdict"), "regression");
}

impl Site {
    /// The end of another workflow that measured the pull request.
    pub(super) fn ended(&self, run: u64, conclusion: &str) -> Value {
        let known = self.standin.with(|state| state.repositories[NAME].id);
        json!({"action": "completed", "repository": Self::repository(), "workflow": {"id": 1, "name": "bench"},
            "sender": {"login": "ada", "id": 1815, "type": "User"},
            "workflow_run": {"id": run, "run_attempt": 1, "event": "pull_request", "status": "completed",
                "conclusion": conclusion, "head_sha": self.head, "head_branch": "change",
                "run_started_at": "2026-01-05T08:00:00Z",
                "head_repository": {"id": known, "full_name": NAME, "name": "words"}, "pull_requests": []}})
    }
}

#[test]
fn another_workflow_reports_the_measuring_runs_artifact_as_that_run() {
    let site = slower();
    // The measuring workflow's token may only read: it leaves no comment.
    let gate = site.job("pull_request", &site.pull_request(), 5, &[("token", READ_ONLY_TOKEN), ("mode", "gate")]);
    Ran::of(gate).expect(0);
    let request = site.output("request");
    let results = fs::read(site.measure(5, &request, &[])).unwrap();
    let report = |conclusion: &str| {
        let inputs =
            [("token", TOKEN), ("mode", "report"), ("artifact", "bench-bot-results"), ("measure-result", conclusion)];
        Ran::of(site.job("workflow_run", &site.ended(5, conclusion), 9, &inputs))
    };
    report("action_required").expect(0);
    assert!(site.comments().is_empty());

    site.keep(5, "bench-bot-results", &results);
    report("success").expect(0);
    let (body, meta) = site.comment();
    assert_eq!((meta.run, meta.attempt, meta.state), (5, 1, State::Done));
    assert!(body.contains("+50.0%"), "{body}");

    // What another attempt left, of another commit or under another policy, takes the green away.
    let text = String::from_utf8(results).unwrap();
    let hash = serde_json::from_str::<Value>(&text).unwrap()["config_hash"].as_str().unwrap().to_owned();
    for (forged, complaint) in [
        (text.replace(&site.head, &"e".repeat(40)), "another commit"),
        (text.replace(&hash, &"0".repeat(64)), "another configuration"),
    ] {
        site.keep(5, "bench-bot-results", forged.as_bytes());
        report("success").expect(2).says(complaint);
        assert_eq!(site.comment().1.state, State::Failed);
    }
    site.standin.assert_clean();
}

#[test]
fn a_workflow_that_failed_after_its_measuring_had_ended_is_reported_as_what_was_measured() {
    let site = slower();
    let gate = site.job("pull_request", &site.pull_request(), 5, &[("token", READ_ONLY_TOKEN), ("mode", "gate")]);
    Ran::of(gate).expect(0);
    let request = site.output("request");
    let whole = fs::read(site.measure(5, &request, &[])).unwrap();
    let mut half: Value = serde_json::from_slice(&whole).unwrap();
    half["stopped"] = json!("interrupted");
    let half = serde_json::to_vec(&half).unwrap();
    // When the artifact was kept the stand-in says: 08:00. A later attempt did not make it.
    let (before, after) = ("2026-01-05T07:00:00Z", "2026-01-05T09:00:00Z");
    for (file, conclusion, started, state) in [
        (&whole, "failure", before, State::Done),
        (&whole, "cancelled", before, State::Done),
        (&whole, "timed_out", before, State::Done),
        (&whole, "failure", after, State::Failed),
        (&whole, "cancelled", after, State::Cancelled),
        (&half, "failure", before, State::Failed),
        (&half, "cancelled", before, State::Cancelled),
        (&half, "timed_out", before, State::TimedOut),
        // A part of the work was done again, and that attempt went well.
        (&whole, "success", after, State::Done),
    ] {
        site.keep(5, "bench-bot-results", file);
        let mut event = site.ended(5, conclusion);
        event["workflow_run"]["run_started_at"] = json!(started);
        // The event itself tells how the workflow ended; the input may be left out.
        let inputs = [("token", TOKEN), ("mode", "report"), ("artifact", "bench-bot-results")];
        Ran::of(site.job("workflow_run", &event, 9, &inputs)).expect(0);
        let (body, meta) = site.comment();
        assert_eq!(meta.state, state, "{conclusion}, attempt of {started}: {body}");
        assert_eq!(body.contains("+50.0%"), matches!(state, State::Done | State::Failed), "{body}");
    }
    site.standin.assert_clean();
}
