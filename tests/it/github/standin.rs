//! The stand-in complains about what GitHub would not understand.

use super::{PR, REPO, Rig, raw, start};
use bench_bot::standin::{Fault, Standin, TOKEN};

fn send(url: &str, method: &str, path: &str, authorization: &str, body: &str) -> u16 {
    raw(url, method, path, authorization, body).0
}

fn only_problem(github: &Standin) -> String {
    let problems = github.problems();
    let headers = |problem: &&String| problem.contains("header") || problem.contains("user-agent");
    let about = problems.iter().filter(|problem| !headers(problem)).cloned().collect::<Vec<_>>();
    assert_eq!(about.len(), 1, "{problems:?}");
    about[0].clone()
}

#[test]
fn a_request_that_it_does_not_know_is_a_problem() {
    let github = start("");
    assert_eq!(send(&github.url(), "PUT", "/repos/org/app/subscription", &format!("Bearer {TOKEN}"), ""), 404);
    assert!(
        github.problems().iter().any(|problem| problem.contains("unexpected request: PUT /repos/org/app/subscription"))
    );
}

#[test]
fn a_wrong_body_is_a_problem_and_is_refused_as_github_refuses_it() {
    let github = start("");
    let status =
        send(&github.url(), "POST", "/repos/org/app/issues/7/comments", &format!("Bearer {TOKEN}"), r#"{"bdy":1}"#);
    assert_eq!(status, 422);
    assert!(only_problem(&github).contains("\"body\" is a required property"), "{:?}", github.problems());
}

#[test]
fn a_token_at_the_wrong_host_is_a_problem() {
    let github = start("");
    send(&github.storage_url(), "GET", "/artifact/1", &format!("Bearer {TOKEN}"), "");
    assert!(github.problems().iter().any(|problem| problem.contains("the storage saw a token")));
}

#[test]
fn a_fault_that_never_fired_is_a_problem() {
    let rig = Rig::new();
    rig.github.fail(Fault::overload("GET", "/repos/org/app/pulls/7").nth(2));
    rig.client.repository(REPO).unwrap().pull_request(PR).unwrap();
    assert!(only_problem(&rig.github).contains("still waiting"));
}

#[test]
fn a_misspelt_field_of_graphql_is_a_problem() {
    let github = start("");
    let body = r#"{"query":"query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { viewerWrote } } }","variables":{"ids":[]}}"#;
    assert_eq!(send(&github.url(), "POST", "/graphql", &format!("Bearer {TOKEN}"), body), 200);
    assert!(only_problem(&github).contains("IssueComment has no field viewerWrote"));
}

#[test]
fn a_path_outside_the_apis_address_is_a_problem() {
    let github = start("/api/v3");
    let host = github.url().replace("/api/v3", "");
    assert_eq!(send(&host, "GET", "/repos/org/app", "", ""), 404);
    assert!(github.problems().iter().any(|problem| problem.contains("not below the API's address")));
}
