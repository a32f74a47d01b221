//! Payloads that GitHub sent, cut down; what they lack is derived from them (`tests/data/github/README.md`).

use super::{Event, IssueCommentEvent, PullRequestEvent};

macro_rules! payload {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/data/github/events/", $name, ".json"))
    };
}

fn pull_request(payload: &[u8]) -> PullRequestEvent {
    let Event::PullRequest(event) = Event::parse("pull_request", payload).unwrap() else { panic!("another event") };
    event
}

fn comment(payload: &[u8]) -> IssueCommentEvent {
    let Event::IssueComment(event) = Event::parse("issue_comment", payload).unwrap() else { panic!("another event") };
    event
}

#[test]
fn a_pull_request_is_opened() {
    let event = pull_request(payload!("pull_request.opened"));
    assert_eq!((event.action.as_str(), event.pull_request.number), ("opened", 2));
    assert_eq!(event.repository.full_name, "Codertocat/Hello-World");
    assert_eq!(event.pull_request.head.sha, "ec26c3e57ca3a959ca5aad62de7213c562f8c821");
    assert_eq!(event.pull_request.base.reference, "master");
    assert!(!event.pull_request.is_fork() && event.pull_request.is_open() && !event.pull_request.draft);
}

#[test]
fn a_push_to_a_pull_request_tells_what_was_before() {
    let event = pull_request(payload!("pull_request.synchronize"));
    assert_eq!(event.action, "synchronize");
    assert_eq!(event.before.map(|sha| sha.len()), Some(40));
}

#[test]
fn a_fork_is_seen_also_after_it_was_deleted() {
    let event = pull_request(payload!("pull_request.fork"));
    assert!(event.pull_request.is_fork());
    assert_eq!(event.pull_request.head.label.as_deref(), Some("stranger:changes"));
    let event = pull_request(payload!("pull_request.deleted-fork"));
    assert!(event.pull_request.is_fork() && event.pull_request.head.repo.is_none());
}

#[test]
fn a_comment_is_on_an_issue_or_on_a_pull_request() {
    let event = comment(payload!("issue_comment.issue"));
    assert!(!event.issue.is_pull_request());
    let event = comment(payload!("issue_comment.pull_request"));
    assert!(event.issue.is_pull_request());
    assert_eq!((event.action.as_str(), event.comment.body.as_str()), ("created", "/bench suite=codec"));
    let author = event.comment.user.unwrap();
    assert_eq!((author.login.as_str(), author.kind.as_str()), ("Codertocat", "User"));
    assert_eq!(comment(payload!("issue_comment.edited")).action, "edited");
}

#[test]
fn a_form_gives_the_values_that_were_filled_in() {
    let parse = |payload| match Event::parse("workflow_dispatch", payload).unwrap() {
        Event::WorkflowDispatch(event) => event,
        other => panic!("{other:?}"),
    };
    assert!(parse(payload!("workflow_dispatch.empty")).inputs.is_empty());
    let event = parse(payload!("workflow_dispatch.pull_request"));
    let inputs: Vec<(&str, &str)> = event.inputs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(inputs, [("pr", "7"), ("suite", "codec")]);
    assert_eq!(event.reference, "refs/heads/main");
    let null =
        br#"{"inputs":null,"ref":"refs/heads/main","repository":{"id":1,"full_name":"o/r"},"sender":{"login":"a"}}"#;
    assert!(parse(null).inputs.is_empty());
    let typed =
        br#"{"inputs":{"pr":7,"post":true,"x":null},"ref":"r","repository":{"id":1,"full_name":"o/r"},"sender":{}}"#;
    assert_eq!(parse(typed).inputs["pr"], "7");
}

#[test]
fn a_run_of_a_fork_has_no_pull_requests_but_its_head() {
    let parse = |payload| match Event::parse("workflow_run", payload).unwrap() {
        Event::WorkflowRun(event) => event,
        other => panic!("{other:?}"),
    };
    assert_eq!(parse(payload!("workflow_run.completed")).workflow_run.id, 1_589_141_559);
    let run = parse(payload!("workflow_run.fork")).workflow_run;
    assert_eq!((run.event.as_str(), run.conclusion.as_deref()), ("pull_request", Some("success")));
    assert_eq!(run.head_repository.unwrap().full_name, "stranger/octo-repo");
    assert_eq!(run.head_branch.as_deref(), Some("changes"));
}

#[test]
fn a_merge_group_tells_both_commits() {
    let Event::MergeGroup(event) = Event::parse("merge_group", payload!("merge_group")).unwrap() else { panic!() };
    assert_eq!(event.action, "checks_requested");
    assert_eq!(event.merge_group.base_sha, "380387fbc80638b734a49e1be1c4dfec1c01b33c");
}

#[test]
fn a_push_has_a_base_unless_it_made_or_deleted_the_branch() {
    let parse = |payload| match Event::parse("push", payload).unwrap() {
        Event::Push(event) => event,
        other => panic!("{other:?}"),
    };
    assert!(!parse(payload!("push")).has_no_base());
    assert!(parse(payload!("push.new-branch")).has_no_base());
}

#[test]
fn any_other_event_is_named_and_none_needs_to_be_known() {
    let event = Event::parse("pull_request_target", b"not even JSON").unwrap();
    assert_eq!(event, Event::Other("pull_request_target".to_owned()));
    assert!(event.repository().is_none());
    assert!(Event::parse("push", b"{}").is_err());
}
