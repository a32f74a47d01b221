//! What GitHub refuses, and what the client does about it: one test for each row of the table of errors.

use super::{HEAD, PR, REPO, Rig, client, ours, sticky, upsert_by};
use bench_bot::github::comment::Action;
use bench_bot::github::{Client, ErrorKind, GitHubError};
use bench_bot::standin::{Fault, READ_ONLY_TOKEN, TOKEN, state::BOT};
use secrecy::SecretString;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const PULL: &str = "/repos/org/app/pulls/7";
const COMMENTS: &str = "/repos/org/app/issues/7/comments";

fn read(rig: &Rig) -> Result<(), Box<GitHubError>> {
    rig.client.repository(REPO).unwrap().pull_request(PR).map(|_| ())
}

fn creations(rig: &Rig) -> usize {
    rig.github.writes().iter().filter(|write| write.starts_with("POST") && write.ends_with("/comments")).count()
}

#[test]
fn a_wrong_token_is_refused_at_once_and_the_input_is_named() {
    let rig = Rig::with_token("expired");
    let error = rig.upsert(1, "x").unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Unauthorized, Some(401)));
    assert!(error.to_string().contains("Bad credentials") && error.hint().contains("`token`"), "{error}");
    assert_eq!(rig.github.exchanges().len(), 1);
    rig.github.assert_clean();
}

#[test]
fn a_missing_permission_is_refused_at_once_and_named_as_in_a_workflow() {
    let rig = Rig::with_token(READ_ONLY_TOKEN);
    let error = rig.upsert(1, "x").unwrap_err();
    assert_eq!(error.kind, ErrorKind::PermissionMissing);
    let hint = error.hint();
    assert!(hint.contains("`permissions: pull-requests: write`") && hint.contains("workflow_run"), "{hint}");
    assert!(error.to_string().contains("request id STND:"), "{error}");
    assert_eq!((rig.github.exchanges().len(), rig.waits().len()), (2, 0));
    rig.github.assert_clean();
}

#[test]
fn a_locked_conversation_is_not_tried_again() {
    let rig = Rig::new();
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().pulls.get_mut(&PR).unwrap().locked = true);
    assert_eq!(rig.upsert(1, "x").unwrap_err().kind, ErrorKind::Locked);
    rig.comment(BOT, &ours(1, "old"));
    assert_eq!(rig.upsert(2, "x").unwrap_err().kind, ErrorKind::Locked, "neither by an edit");
    assert_eq!((creations(&rig), rig.waits().len()), (1, 0));
    rig.github.assert_clean();
}

#[test]
fn a_secondary_limit_with_retry_after_is_waited_for() {
    let rig = Rig::new();
    rig.github.fail(Fault::secondary_limit("GET", PULL, Some("7")));
    rig.github.fail(Fault::refuse("GET", PULL, 429, "Too many requests").header("retry-after", "3"));
    read(&rig).unwrap();
    assert_eq!(rig.waits(), [7, 3]);
    rig.github.assert_clean();
}

#[test]
fn retry_after_may_be_a_date() {
    let rig = Rig::new();
    let fault = Fault::secondary_limit("GET", PULL, Some("Mon, 05 Jan 2026 08:00:30 GMT"));
    rig.github.fail(fault.header("date", "Mon, 05 Jan 2026 08:00:00 GMT"));
    read(&rig).unwrap();
    assert_eq!(rig.waits(), [30]);
    rig.github.assert_clean();
}

#[test]
fn a_wait_beyond_the_cap_gives_up() {
    let rig = Rig::new();
    rig.github.fail(Fault::secondary_limit("GET", PULL, Some("121")));
    let error = read(&rig).unwrap_err();
    let wait = Some(Duration::from_secs(121));
    assert_eq!(error.kind, ErrorKind::RateLimited { wait, secondary: true });
    assert_eq!(rig.waits(), [0_u64; 0]);
    rig.github.assert_clean();
}

#[test]
fn all_waits_together_have_a_cap() {
    let rig = Rig::new();
    rig.github.fail(Fault::secondary_limit("GET", PULL, Some("110")).times(6));
    assert!(matches!(read(&rig).unwrap_err().kind, ErrorKind::RateLimited { .. }));
    assert_eq!(rig.waits(), [110; 5], "ten minutes");
    rig.github.assert_clean();
}

#[test]
fn a_server_that_asks_for_no_wait_at_all_is_not_asked_for_ever() {
    let rig = Rig::new();
    rig.github.fail(Fault::secondary_limit("GET", PULL, Some("0")).times(11));
    assert!(matches!(read(&rig).unwrap_err().kind, ErrorKind::RateLimited { .. }));
    assert_eq!(rig.waits(), [0; 10]);
    rig.github.assert_clean();
}

#[test]
fn the_hourly_limit_is_waited_for_if_it_ends_soon() {
    let rig = Rig::new();
    let date = "Mon, 05 Jan 2026 08:00:00 GMT";
    let now = 1_767_600_000;
    rig.github.fail(Fault::primary_limit("GET", PULL, now + 40).header("date", date));
    read(&rig).unwrap();
    assert_eq!(rig.waits(), [41], "and a second, since the reset is in whole seconds");
    rig.github.fail(Fault::primary_limit("GET", PULL, now + 1_800).header("date", date));
    let error = read(&rig).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::RateLimited { secondary: false, .. }), "{error:?}");
    rig.github.assert_clean();
}

#[test]
fn without_a_date_our_own_clock_counts() {
    let rig = Rig::new();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    rig.github.fail(Fault::primary_limit("GET", PULL, now + 30).header("date", "nonsense"));
    read(&rig).unwrap();
    assert!((25..=31).contains(&rig.waits()[0]), "{:?}", rig.waits());
    rig.github.assert_clean();
}

#[test]
fn a_secondary_limit_that_names_no_time_is_tried_three_times() {
    let rig = Rig::new();
    rig.github.fail(Fault::secondary_limit("GET", PULL, None));
    rig.github.fail(Fault::refuse("GET", PULL, 403, "You have triggered an abuse detection mechanism."));
    rig.github.fail(Fault::refuse("GET", PULL, 429, ""));
    assert!(matches!(read(&rig).unwrap_err().kind, ErrorKind::RateLimited { wait: None, .. }));
    assert_eq!(rig.waits(), [60, 120]);
    rig.github.assert_clean();
}

#[test]
fn any_other_403_is_final() {
    let rig = Rig::new();
    rig.github.fail(Fault::refuse("GET", PULL, 403, "Repository access blocked"));
    assert_eq!(read(&rig).unwrap_err().kind, ErrorKind::Forbidden);
    assert_eq!(rig.github.exchanges().len(), 1);
    rig.github.assert_clean();
}

#[test]
fn a_404_says_that_access_may_be_missing() {
    let rig = Rig::new();
    let error = rig.client.repository("org/private").unwrap().pull_request(PR).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert!(error.hint().contains("lacks access"), "{}", error.hint());
    rig.github.assert_clean();
}

#[test]
fn disabled_issues_are_gone() {
    let rig = Rig::new();
    rig.github.fail(Fault::refuse("GET", COMMENTS, 410, "Issues are disabled for this repo"));
    assert_eq!(rig.upsert(1, "x").unwrap_err().kind, ErrorKind::Gone);
    rig.github.assert_clean();
}

#[test]
fn both_shapes_of_too_long_are_understood() {
    let shapes = [
        r#"{"resource":"IssueComment","code":"unprocessable","field":"data","message":"Body is too long (maximum is 65536 characters)"}"#,
        r#"{"resource":"IssueComment","code":"custom","field":"body","message":"body is too long (maximum is 65536 characters)"}"#,
        r#""Body is too long (maximum is 65536 characters)""#,
    ];
    for shape in shapes {
        let rig = Rig::new();
        let body = format!(r#"{{"message":"Validation Failed","errors":[{shape}]}}"#);
        rig.github.fail(Fault::answer("POST", COMMENTS, 422, "application/json", &body));
        assert_eq!(rig.upsert(1, "x").unwrap_err().kind, ErrorKind::BodyTooLong, "{shape}");
        rig.github.assert_clean();
    }
}

#[test]
fn the_spam_filter_is_final() {
    let rig = Rig::new();
    let body = r#"{"message":"Validation Failed","errors":[{"resource":"IssueComment","code":"custom","message":"Your comment was flagged as spam."}]}"#;
    rig.github.fail(Fault::answer("POST", COMMENTS, 422, "application/json", body));
    assert_eq!(rig.upsert(1, "x").unwrap_err().kind, ErrorKind::Spam);
    assert_eq!((creations(&rig), rig.waits().len()), (1, 0));
    rig.github.assert_clean();
}

#[test]
fn any_other_422_is_a_fault_of_ours_and_shows_its_details() {
    let rig = Rig::new();
    let error = rig.upsert(1, "").map(|_| ()).err();
    assert!(error.is_none(), "marker and metadata are a text");
    let body = r#"{"message":"Validation Failed","errors":[{"resource":"IssueComment","field":"body","code":"missing_field"}]}"#;
    rig.github.fail(Fault::answer("GET", PULL, 422, "application/json", body));
    let error = read(&rig).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.to_string().contains("Validation Failed; IssueComment.body: missing_field"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn an_overloaded_server_is_asked_again_with_growing_waits() {
    let rig = Rig::new();
    for status in [500, 503] {
        rig.github.fail(Fault::refuse("GET", PULL, status, "Server Error"));
    }
    rig.github.fail(Fault::overload("GET", PULL));
    read(&rig).unwrap();
    assert_eq!(rig.waits(), [1, 4, 16]);
    rig.github.fail(Fault::overload("GET", PULL).times(4));
    let error = read(&rig).unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Server, Some(502)));
    assert!(!error.to_string().contains('\n'), "one line: {error}");
    rig.github.assert_clean();
}

#[test]
fn other_answers_that_pass_are_asked_for_again_too() {
    for status in [406, 408, 504] {
        let rig = Rig::new();
        rig.github.fail(Fault::refuse("GET", PULL, status, "not now"));
        read(&rig).unwrap();
        assert_eq!(rig.waits(), [1], "{status}");
        rig.github.assert_clean();
    }
}

#[test]
fn a_list_without_an_end_ends() {
    let rig = Rig::new();
    let again = format!("<{}{COMMENTS}>; rel=\"next\"", rig.github.url());
    rig.github.fail(Fault::answer("GET", COMMENTS, 200, "application/json", "[]").header("link", &again).times(100));
    let error = rig.upsert(1, "x").unwrap_err();
    assert!(error.to_string().contains("more than 100 pages"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn an_edit_and_a_deletion_are_repeated_freely() {
    let rig = Rig::new();
    let id = rig.comment(BOT, &ours(1, "old"));
    let path = format!("/repos/org/app/issues/comments/{id}");
    rig.github.fail(Fault::overload("PATCH", &path).after_applying());
    assert_eq!(rig.upsert(2, "new").unwrap().action, Action::Updated);
    rig.github.fail(Fault::overload("DELETE", &path).after_applying());
    rig.client.repository(REPO).unwrap().delete_comment(id).unwrap();
    assert!(rig.visible().is_empty());
    rig.github.assert_clean();
}

#[test]
fn a_comment_whose_answer_was_lost_is_found_instead_of_posted_again() {
    for fault in [
        Fault::overload("POST", COMMENTS).after_applying(),
        Fault::hang_up("POST", COMMENTS).after_applying(),
        Fault::web_page("POST", COMMENTS).after_applying(),
    ] {
        let rig = Rig::new();
        rig.github.fail(fault);
        let outcome = rig.upsert(1, "x").unwrap();
        assert_eq!(outcome.action, Action::Created);
        assert_eq!((creations(&rig), rig.visible().len()), (1, 1));
        rig.github.assert_clean();
    }
}

#[test]
fn a_comment_whose_answer_never_came_is_found_too() {
    let rig = Rig::new();
    // Long enough for every other answer on a busy machine.
    let client = rig.another(TOKEN).with_timeout(Duration::from_secs(3));
    rig.github.fail(Fault::silence("POST", COMMENTS).after_applying());
    assert_eq!(upsert_by(&client, &sticky(1), "x").unwrap().action, Action::Created);
    assert_eq!((creations(&rig), rig.visible().len()), (1, 1));
    rig.github.assert_clean();
}

#[test]
fn a_comment_that_was_not_created_is_posted_again_after_looking() {
    for fault in [
        Fault::overload("POST", COMMENTS),
        Fault::hang_up("POST", COMMENTS),
        Fault::secondary_limit("POST", COMMENTS, Some("1")),
    ] {
        let rig = Rig::new();
        rig.github.fail(fault);
        assert_eq!(rig.upsert(1, "x").unwrap().action, Action::Created);
        let seen: Vec<String> = rig.github.exchanges().iter().map(|seen| seen.method.clone()).collect();
        assert_eq!(seen, ["GET", "POST", "GET", "POST", "GET"], "it looks before each and after the last");
        assert_eq!((rig.waits(), rig.visible().len()), (vec![1], 1));
        rig.github.assert_clean();
    }
}

#[test]
fn a_comment_that_was_created_counts_although_the_second_look_fails() {
    let rig = Rig::new();
    rig.github.fail(Fault::refuse("GET", COMMENTS, 403, "Repository access blocked").nth(2));
    let outcome = rig.upsert(1, "x").unwrap();
    assert_eq!((outcome.action, outcome.warnings.len()), (Action::Created, 1));
    rig.github.assert_clean();
}

#[test]
fn posting_ends_after_three_more_tries() {
    let rig = Rig::new();
    rig.github.fail(Fault::overload("POST", COMMENTS).times(4));
    assert_eq!(rig.upsert(1, "x").unwrap_err().kind, ErrorKind::Server);
    assert_eq!((creations(&rig), rig.waits()), (4, vec![1, 4, 16]));
    rig.github.assert_clean();
}

#[test]
fn a_web_page_in_place_of_json_is_asked_for_again() {
    let rig = Rig::new();
    rig.github.fail(Fault::web_page("GET", PULL));
    rig.github.fail(Fault::answer("GET", PULL, 200, "application/json", "{\"number\": 7, "));
    read(&rig).unwrap();
    assert_eq!(rig.waits(), [1, 4]);
    rig.github.fail(Fault::web_page("GET", PULL).times(4));
    let error = read(&rig).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotJson);
    assert!(error.to_string().contains("web page instead of JSON"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn errors_of_graphql_come_with_200_and_are_errors() {
    let rig = Rig::with_token(READ_ONLY_TOKEN);
    // Only a comment by somebody else makes the client ask whose it is.
    rig.comment("alice", &ours(1, "x"));
    let body = r#"{"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a node"}]}"#;
    rig.github.fail(Fault::answer("POST", "/graphql", 200, "application/json", body));
    let quiet = bench_bot::github::comment::Sticky { create: false, ..sticky(2) };
    let outcome = upsert_by(&rig.client, &quiet, "x").unwrap();
    assert!(outcome.warnings[0].contains("Could not resolve to a node"), "{:?}", outcome.warnings);
    rig.github.assert_clean();
}

#[test]
fn a_connection_that_ends_is_tried_again() {
    let rig = Rig::new();
    rig.github.fail(Fault::hang_up("GET", PULL).times(2));
    read(&rig).unwrap();
    assert_eq!(rig.waits(), [1, 4]);
    rig.github.assert_clean();
}

#[test]
fn a_server_that_never_answers_times_out() {
    let rig = Rig::new();
    let client = rig.another(TOKEN).with_timeout(Duration::from_millis(200));
    rig.github.fail(Fault::silence("GET", PULL).times(4));
    let error = client.repository(REPO).unwrap().pull_request(PR).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Connection);
    assert!(error.to_string().contains("timed out"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_named_without_its_address_query() {
    let waits = Arc::default();
    // Port 9 of loopback: nothing listens there in any test environment.
    let client = client("http://127.0.0.1:9", TOKEN, &waits);
    let error = client.repository(REPO).unwrap().pull_request(PR).unwrap_err();
    assert_eq!((error.kind, error.maybe_applied), (ErrorKind::Connection, false));
    assert!(error.to_string().contains("cannot connect"), "{error}");
    assert_eq!(waits.lock().unwrap().len(), 3);
}

#[test]
fn a_program_that_is_to_stop_does_not_try_again() {
    let rig = Rig::new();
    let client = Client::new(&rig.github.url(), Some(SecretString::from(TOKEN))).unwrap();
    let client = client.with_pause(Box::new(|_: Duration| false));
    rig.github.fail(Fault::overload("GET", PULL));
    let error = client.repository(REPO).unwrap().pull_request(PR).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Stopped);
    rig.github.assert_clean();
}

#[test]
fn an_answer_that_is_too_large_is_not_read() {
    let rig = Rig::new();
    let body = format!("\"{}\"", "x".repeat(9 * 1024 * 1024));
    rig.github.fail(Fault::answer("GET", PULL, 200, "application/json", &body));
    assert_eq!(read(&rig).unwrap_err().kind, ErrorKind::TooLarge);
    rig.github.assert_clean();
}

#[test]
fn a_reaction_and_a_check_run_are_repeated_since_twice_does_no_harm() {
    let rig = Rig::new();
    let id = rig.comment("alice", "/bench");
    rig.github.fail(Fault::overload("POST", "/repos/org/app/issues/comments/*/reactions").after_applying());
    let repository = rig.client.repository(REPO).unwrap();
    assert_eq!(repository.react(id, "eyes").unwrap().content, "eyes");
    assert_eq!(rig.github.with(|state| state.repositories[REPO].comments[0].reactions.len()), 1);
    rig.github.assert_clean();
}

#[test]
fn neither_debug_output_nor_an_error_shows_the_token() {
    let rig = Rig::with_token("gho_verysecretvalue");
    let error = read(&rig).unwrap_err();
    let shown = format!("{:?} {error:?} {error} {}", rig.client, error.hint());
    assert!(!shown.contains("verysecret"), "{shown}");
}

#[test]
fn a_token_that_cannot_be_a_header_is_an_error_without_the_token() {
    let client = Client::new("http://127.0.0.1:9", Some(SecretString::from("line\nbreak"))).unwrap();
    let error = client.repository(REPO).unwrap().commit(HEAD).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Local);
    assert!(!error.to_string().contains("break"), "{error}");
}

#[test]
fn an_address_that_is_none_is_refused_at_once() {
    for address in ["", "api.github.com", "ftp://host", "file:///etc/passwd", "https://"] {
        assert_eq!(Client::new(address, None).unwrap_err().kind, ErrorKind::Local, "{address:?}");
    }
}

#[test]
fn the_connections_can_be_ended_between_two_calls() {
    let rig = Rig::new();
    read(&rig).unwrap();
    rig.client.disconnect();
    read(&rig).unwrap();
    rig.github.assert_clean();
}
