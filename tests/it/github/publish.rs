//! The last stage as a job sees it: comment, check, summary, outputs, warnings, exit code.

use super::{BASE, HEAD, PR, REPO, Rig};
use bench_bot::actions::Runner;
use bench_bot::config::{CommentMode, CommentOn};
use bench_bot::github::ErrorKind;
use bench_bot::github::check::{Check, Conclusion};
use bench_bot::github::comment::{Action, Meta, State};
use bench_bot::publish::{
    EXIT_COMMENT_REFUSED, News, Outputs, Policy, Publication, Published, conclusion, publish, word,
};
use bench_bot::report::{Counts, Overall};
use bench_bot::standin::{Fault, READ_ONLY_TOKEN, state::BOT};
use std::ffi::OsString;
use std::path::Path;
use tempfile::TempDir;

const COMMENTS: &str = "/repos/org/app/issues/7/comments";

/// A job: its files, and what it wants to publish.
struct Job {
    folder: TempDir,
    runner: Runner,
    policy: Policy<'static>,
    news: News,
    locked: bool,
}

impl Job {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).into_os_string();
        let runner = Runner::from_variables([
            (OsString::from("GITHUB_STEP_SUMMARY"), file("summary")),
            (OsString::from("GITHUB_OUTPUT"), file("output")),
        ]);
        let policy = Policy {
            comment_on: CommentOn::Always,
            comment_mode: CommentMode::Update,
            fail_on_comment_error: false,
            bot_login: None,
        };
        Self { folder, runner, policy, news: News::default(), locked: false }
    }

    fn publish(&self, rig: &Rig, pull_request: Option<u64>) -> Published {
        let counts = Counts { regressions: 2, improvements: 1, ..Counts::default() };
        let repository = rig.client.repository(REPO).unwrap();
        let publication = Publication {
            pull_request,
            locked: self.locked,
            name: "bench",
            meta: Meta::new(9, 1, BASE, HEAD, State::Done),
            bodies: &mut |level| (level == 0).then(|| "the comment".to_owned()),
            summary: "# The full report",
            outputs: Some(Outputs { verdict: Overall::Mixed, counts, report_json: Path::new("out/report.json") }),
            check: Some(Check {
                name: "bench".to_owned(),
                head_sha: HEAD.to_owned(),
                conclusion: Conclusion::Neutral,
                title: "2 regressions".to_owned(),
                summary: "the check".to_owned(),
                details_url: Some("https://github.com/org/app/actions/runs/9".to_owned()),
            }),
            news: self.news,
            policy: self.policy,
        };
        publish(&self.runner, Some(&repository), publication).unwrap()
    }

    fn summary(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("summary")).unwrap()
    }

    /// The outputs as the runner reads them.
    fn outputs(&self) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(self.folder.path().join("output")).unwrap();
        let mut lines = text.lines();
        let mut outputs = Vec::new();
        while let Some((name, delimiter)) = lines.next().and_then(|line| line.split_once("<<")) {
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != delimiter).collect();
            outputs.push((name.to_owned(), value.join("\n")));
        }
        outputs
    }
}

#[test]
fn everything_is_published() {
    let (rig, job) = (Rig::new(), Job::new());
    let published = job.publish(&rig, Some(PR));
    let comment = published.comment.unwrap();
    assert_eq!((comment.action, published.exit), (Action::Created, 0));
    assert_eq!(job.summary(), "# The full report\n");
    let url = comment.url.unwrap();
    let expected = [
        ("verdict", "mixed"),
        ("regressions", "2"),
        ("improvements", "1"),
        ("comment-url", url.as_str()),
        ("report-json", "out/report.json"),
    ];
    assert_eq!(job.outputs(), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let checks = rig.github.with(|state| state.repositories[REPO].checks.clone());
    assert_eq!((checks.len(), checks[0].conclusion.as_deref()), (1, Some("neutral")));
    assert!(published.check.unwrap().starts_with("https://github.com/org/app/runs/"));
    rig.github.assert_clean();
}

#[test]
fn without_a_pull_request_there_is_a_summary_and_a_check_and_no_comment() {
    let (rig, job) = (Rig::new(), Job::new());
    let published = job.publish(&rig, None);
    assert!(published.comment.is_none() && published.refused.is_none());
    assert_eq!(job.summary(), "# The full report\n");
    assert_eq!(rig.github.writes(), ["POST /repos/org/app/check-runs"]);
    assert!(job.outputs().contains(&("comment-url".to_owned(), String::new())));
    rig.github.assert_clean();
}

/// Every way in which GitHub refuses a comment: the report is in the summary, the reason beside it, the job goes on.
#[test]
fn a_refused_comment_loses_nothing_and_fails_nothing() {
    let refusals: Vec<(Fault, ErrorKind)> = vec![
        (Fault::refuse("POST", COMMENTS, 403, "Resource not accessible by integration"), ErrorKind::PermissionMissing),
        (Fault::refuse("POST", COMMENTS, 403, "Unable to create comment because issue is locked."), ErrorKind::Locked),
        (Fault::refuse("POST", COMMENTS, 422, "Your comment was flagged as spam"), ErrorKind::Spam),
        (Fault::refuse("GET", COMMENTS, 404, "Not Found"), ErrorKind::NotFound),
        (Fault::refuse("GET", COMMENTS, 410, "Issues are disabled for this repo"), ErrorKind::Gone),
        (Fault::refuse("GET", COMMENTS, 401, "Bad credentials"), ErrorKind::Unauthorized),
        (Fault::overload("GET", COMMENTS).times(4), ErrorKind::Server),
        (Fault::hang_up("GET", COMMENTS).times(4), ErrorKind::Connection),
    ];
    for (fault, kind) in refusals {
        let (rig, job) = (Rig::new(), Job::new());
        rig.github.fail(fault);
        let published = job.publish(&rig, Some(PR));
        let refused = published.refused.unwrap();
        assert_eq!((refused.kind, published.exit), (kind, 0));
        let summary = job.summary();
        assert!(summary.starts_with("# The full report\n"), "{summary}");
        assert!(
            summary.contains("There is no comment on the pull request") && summary.contains(&refused.hint()),
            "{summary}"
        );
        assert_eq!(job.outputs().len(), 5);
        assert!(rig.visible().is_empty());
        rig.github.assert_clean();
    }
}

#[test]
fn a_rate_limit_beyond_the_cap_gives_up_with_the_summary() {
    let (rig, job) = (Rig::new(), Job::new());
    rig.github.fail(Fault::secondary_limit("POST", COMMENTS, Some("900")));
    let published = job.publish(&rig, Some(PR));
    assert!(matches!(published.refused.unwrap().kind, ErrorKind::RateLimited { .. }));
    assert_eq!((published.exit, rig.waits().len()), (0, 0));
    rig.github.assert_clean();
}

#[test]
fn the_token_of_a_fork_leaves_the_report_in_the_summary_and_names_the_permission() {
    let (rig, job) = (Rig::with_token(READ_ONLY_TOKEN), Job::new());
    let published = job.publish(&rig, Some(PR));
    assert_eq!(published.exit, 0);
    assert!(published.check.is_none());
    let summary = job.summary();
    assert!(summary.contains("pull-requests: write") && summary.contains("workflow_run"), "{summary}");
    rig.github.assert_clean();
}

#[test]
fn who_wants_a_refused_comment_to_fail_the_job_gets_exit_code_4() {
    let (rig, mut job) = (Rig::with_token(READ_ONLY_TOKEN), Job::new());
    job.policy.fail_on_comment_error = true;
    assert_eq!(job.publish(&rig, Some(PR)).exit, EXIT_COMMENT_REFUSED);
    assert!(job.summary().starts_with("# The full report"));
    rig.github.assert_clean();
}

#[test]
fn a_fault_of_ours_fails_the_job_with_its_details() {
    let (rig, job) = (Rig::new(), Job::new());
    let body =
        r#"{"message":"Validation Failed","errors":[{"resource":"IssueComment","field":"body","code":"invalid"}]}"#;
    rig.github.fail(Fault::answer("POST", COMMENTS, 422, "application/json", body));
    let published = job.publish(&rig, Some(PR));
    assert_eq!(published.exit, EXIT_COMMENT_REFUSED);
    assert!(job.summary().contains("IssueComment.body: invalid"), "{}", job.summary());
    rig.github.assert_clean();
}

#[test]
fn a_conversation_that_is_known_to_be_locked_is_not_even_tried() {
    let (rig, mut job) = (Rig::new(), Job::new());
    job.locked = true;
    let published = job.publish(&rig, Some(PR));
    assert_eq!(published.refused.unwrap().kind, ErrorKind::Locked);
    assert_eq!(rig.github.writes(), ["POST /repos/org/app/check-runs"]);
    rig.github.assert_clean();
}

#[test]
fn a_check_run_that_breaks_does_not_stop_the_comment() {
    let (rig, job) = (Rig::new(), Job::new());
    rig.github.fail(Fault::overload("POST", "/repos/org/app/check-runs").times(4));
    let published = job.publish(&rig, Some(PR));
    assert!(published.check.is_none());
    assert_eq!(published.comment.unwrap().action, Action::Created);
    rig.github.assert_clean();
}

#[test]
fn comment_on_decides_whether_there_is_a_first_comment_only() {
    let nothing = News::default();
    let improved = News { changed: true, ..nothing };
    let regressed = News { regressed: true, changed: true, ..nothing };
    let failed = News { failed: true, ..nothing };
    let table = [
        (CommentOn::Always, [true, true, true, true]),
        (CommentOn::Change, [false, true, true, true]),
        (CommentOn::Regression, [false, false, true, true]),
    ];
    for (on, expected) in table {
        for (news, expected) in [nothing, improved, regressed, failed].into_iter().zip(expected) {
            let (rig, mut job) = (Rig::new(), Job::new());
            job.policy.comment_on = on;
            job.news = news;
            job.publish(&rig, Some(PR));
            assert_eq!(rig.visible().len(), usize::from(expected), "{on:?} {news:?}");
            rig.comment(BOT, &super::ours(1, "an older report"));
            let published = job.publish(&rig, Some(PR));
            assert!(published.comment.unwrap().url.is_some(), "one that is there is kept up to date");
            rig.github.assert_clean();
        }
    }
}

#[test]
fn what_a_report_tells() {
    let counts = |regressions, improvements, failed| Counts { regressions, improvements, failed, ..Counts::default() };
    let news = |verdict, counts| News::of_report(verdict, &counts);
    assert_eq!(news(Overall::Unchanged, counts(0, 0, 0)), News::default());
    assert_eq!(news(Overall::Mixed, counts(1, 1, 0)), News { regressed: true, changed: true, failed: false });
    assert_eq!(news(Overall::Improvement, counts(0, 3, 0)), News { regressed: false, changed: true, failed: false });
    assert!(news(Overall::Failed, counts(0, 0, 0)).failed && news(Overall::Unchanged, counts(0, 0, 1)).failed);
    assert!(News::of_state(State::TimedOut).failed && !News::of_state(State::Running).failed);
}

#[test]
fn a_check_is_red_only_for_what_fail_on_names() {
    let regressed = News { regressed: true, changed: true, failed: false };
    assert_eq!(conclusion(State::Done, false, News::default()), Conclusion::Success);
    assert_eq!(conclusion(State::Done, false, regressed), Conclusion::Neutral);
    assert_eq!(conclusion(State::Done, true, regressed), Conclusion::Failure);
    assert_eq!(conclusion(State::Failed, false, News::default()), Conclusion::Neutral);
    assert_eq!(conclusion(State::Cancelled, true, News::default()), Conclusion::Cancelled);
    assert_eq!(conclusion(State::TimedOut, false, News::default()), Conclusion::TimedOut);
}

#[test]
fn the_word_of_the_output_is_the_word_of_report_json() {
    use Overall::{Failed, Improvement, Inconclusive, Mixed, Regression, Unchanged};
    for verdict in [Regression, Improvement, Mixed, Unchanged, Inconclusive, Failed] {
        assert_eq!(serde_json::to_value(verdict).unwrap(), word(verdict));
    }
}
