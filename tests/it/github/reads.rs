//! What is read before anything is measured.

use super::{BASE, HEAD, PR, REPO, Rig};
use bench_bot::github::{ErrorKind, StatusState};
use bench_bot::standin::state::{HeadRepo, Run};
use bench_bot::standin::{PERSONAL_TOKEN, READ_ONLY_TOKEN, TOKEN};

fn change(rig: &Rig, work: impl FnOnce(&mut bench_bot::standin::state::Repo)) {
    rig.github.with(|state| work(state.repositories.get_mut(REPO).unwrap()));
}

#[test]
fn a_pull_request_tells_both_sides_and_whether_it_is_a_fork() {
    let rig = Rig::new();
    let repository = rig.client.repository(REPO).unwrap();
    let same = repository.pull_request(PR).unwrap();
    assert_eq!((same.head.sha.as_str(), same.base.sha.as_str()), (HEAD, BASE));
    assert!(same.is_open() && !same.is_fork() && !same.locked && !same.draft);
    change(&rig, |repo| repo.pulls.get_mut(&PR).unwrap().head_repo = HeadRepo::Fork("stranger/app".to_owned()));
    let fork = repository.pull_request(PR).unwrap();
    assert!(fork.is_fork());
    assert_eq!(fork.head.repo.unwrap().full_name, "stranger/app");
    rig.github.assert_clean();
}

#[test]
fn a_deleted_fork_is_a_fork_without_a_repository() {
    let rig = Rig::new();
    change(&rig, |repo| repo.pulls.get_mut(&PR).unwrap().head_repo = HeadRepo::Deleted);
    let pull = rig.client.repository(REPO).unwrap().pull_request(PR).unwrap();
    assert!(pull.is_fork() && pull.head.repo.is_none());
    assert_eq!(pull.head.sha, HEAD, "what it proposes is still known");
    rig.github.assert_clean();
}

#[test]
fn a_pull_request_is_found_by_its_head() {
    let rig = Rig::new();
    change(&rig, |repo| {
        repo.add_pull(8, BASE, "a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2").head_repo =
            HeadRepo::Fork("stranger/app".to_owned());
        repo.add_pull(9, BASE, HEAD).open = false;
    });
    let repository = rig.client.repository(REPO).unwrap();
    let numbers = |found: Vec<bench_bot::github::PullRequest>| found.iter().map(|pull| pull.number).collect::<Vec<_>>();
    assert_eq!(numbers(repository.pull_requests_from("stranger", "change-8").unwrap()), [8]);
    assert_eq!(numbers(repository.pull_requests_from("org", "change-8").unwrap()), [0_u64; 0]);
    assert_eq!(numbers(repository.pull_requests_with(HEAD).unwrap()), [7, 9]);
    rig.github.assert_clean();
}

#[test]
fn commits_resolve_and_compare() {
    let rig = Rig::new();
    let tip = "cccccccccccccccccccccccccccccccccccccccc";
    change(&rig, |repo| {
        repo.add_commit(tip, "Go on\n\nwith more words", &[BASE]);
        repo.refs.insert("heads/main".to_owned(), tip.to_owned());
        repo.refs.insert("heads/feature/x".to_owned(), HEAD.to_owned());
        repo.add_commit("dddddddddddddddddddddddddddddddddddddddd", "Elsewhere", &[]);
    });
    let repository = rig.client.repository(REPO).unwrap();
    let resolve = |reference: &str| repository.commit(reference).unwrap();
    let commit = resolve("main").unwrap();
    assert_eq!((commit.sha.as_str(), commit.subject()), (tip, "Go on"));
    assert_eq!(resolve("feature/x").unwrap().sha, HEAD);
    assert_eq!(resolve(&HEAD[..7]).unwrap().sha, HEAD);
    let comparison = repository.compare("main", HEAD).unwrap();
    assert_eq!(comparison.merge_base_commit.sha, BASE);
    assert_eq!((comparison.status.as_str(), comparison.ahead_by, comparison.behind_by), ("diverged", 1, 1));
    assert_eq!(resolve("no-such-branch"), None);
    let unrelated = repository.compare(HEAD, &"d".repeat(40)).unwrap_err();
    assert_eq!(unrelated.kind, ErrorKind::NotFound);
    rig.github.assert_clean();
}

#[test]
fn a_file_is_read_at_a_commit_and_a_folder_is_none() {
    let rig = Rig::new();
    let text = "rounds: {fixed: 20}\n".repeat(40);
    let path = ".github/bench-bot.yml".to_owned();
    change(&rig, |repo| {
        repo.files.insert((BASE.to_owned(), path.clone()), text.clone().into_bytes());
    });
    let repository = rig.client.repository(REPO).unwrap();
    assert_eq!(repository.contents(&path, BASE).unwrap().unwrap(), text.as_bytes());
    assert_eq!(repository.contents(&path, HEAD).unwrap(), None);
    let folder = repository.contents(".github", BASE).unwrap_err();
    assert!(folder.to_string().contains("a folder"), "{folder}");
    rig.github.assert_clean();
}

#[test]
fn permissions_of_members_and_strangers() {
    let rig = Rig::new();
    rig.github.with(|state| {
        for login in ["alice", "bob", "carol"] {
            state.account(login);
        }
        let roles = &mut state.repositories.get_mut(REPO).unwrap().roles;
        roles.insert("alice".to_owned(), "maintain".to_owned());
        roles.insert("bob".to_owned(), "triage".to_owned());
    });
    let repository = rig.client.repository(REPO).unwrap();
    let of = |login: &str| {
        repository
            .permission(login)
            .unwrap()
            .map(|found| (found.permission, found.role_name, found.user.unwrap().login))
    };
    let expect =
        |permission: &str, role: &str, login: &str| Some((permission.to_owned(), role.to_owned(), login.to_owned()));
    assert_eq!(of("alice"), expect("write", "maintain", "alice"));
    assert_eq!(of("bob"), expect("read", "triage", "bob"));
    assert_eq!(of("carol"), expect("read", "read", "carol"));
    assert_eq!(of("nobody"), None);
    rig.github.assert_clean();
}

#[test]
fn reactions_come_and_go() {
    let rig = Rig::new();
    let id = rig.comment("alice", "/bench");
    let repository = rig.client.repository(REPO).unwrap();
    let eyes = repository.react(id, "eyes").unwrap();
    assert_eq!(repository.react(id, "eyes").unwrap(), eyes, "the same one");
    repository.unreact(id, eyes.id).unwrap();
    repository.unreact(id, eyes.id).unwrap();
    assert!(rig.github.with(|state| state.repositories[REPO].comments[0].reactions.is_empty()));
    rig.github.assert_clean();
}

#[test]
fn a_run_is_cancelled_once() {
    let rig = Rig::new();
    change(&rig, |repo| {
        let run = Run {
            event: "issue_comment".to_owned(),
            status: "in_progress".to_owned(),
            conclusion: None,
            head_branch: "main".to_owned(),
            head_sha: HEAD.to_owned(),
        };
        repo.runs.insert(55, run);
    });
    let repository = rig.client.repository(REPO).unwrap();
    assert_eq!(repository.run(55).unwrap().status.as_deref(), Some("in_progress"));
    assert!(repository.cancel_run(55).unwrap());
    assert!(!repository.cancel_run(55).unwrap(), "it has ended");
    assert_eq!(repository.run(55).unwrap().conclusion.as_deref(), Some("cancelled"));
    let reader = rig.another(READ_ONLY_TOKEN);
    let error = reader.repository(REPO).unwrap().cancel_run(55).unwrap_err();
    assert!(error.hint().contains("actions: write"), "{}", error.hint());
    rig.github.assert_clean();
}

#[test]
fn a_status_is_cut_to_what_github_keeps() {
    let rig = Rig::new();
    let repository = rig.client.repository(REPO).unwrap();
    let link = Some("https://github.com/org/app/actions/runs/1");
    repository.set_status(HEAD, StatusState::Success, "bench", &"ä".repeat(300), link).unwrap();
    assert_eq!(rig.github.with(|state| state.repositories[REPO].statuses[0].state.clone()), "success");
    rig.github.assert_clean();
}

#[test]
fn changed_files_are_listed_over_all_pages() {
    let rig = Rig::new();
    let paths: Vec<String> = (0..230).map(|number| format!("src/file{number}.rs")).collect();
    change(&rig, |repo| repo.pulls.get_mut(&PR).unwrap().changed.clone_from(&paths));
    assert_eq!(rig.client.repository(REPO).unwrap().changed_files(PR).unwrap(), paths);
    rig.github.assert_clean();
}

#[test]
fn the_repository_and_one_that_nobody_may_see() {
    let rig = Rig::new();
    let info = rig.client.repository("Org/APP").unwrap().info().unwrap();
    assert_eq!((info.full_name.as_str(), info.default_branch.as_str()), (REPO, "main"), "case does not matter");
    rig.github.with(|state| state.add_repository("org/secret").private = true);
    let anonymous = rig.another("");
    assert!(!anonymous.has_token());
    assert_eq!(anonymous.repository("org/secret").unwrap().info().unwrap_err().kind, ErrorKind::NotFound);
    assert!(rig.client.repository("org/secret").unwrap().info().unwrap().private);
    rig.github.assert_clean();
}

#[test]
fn names_that_are_no_repository_are_refused_before_anything_is_sent() {
    let rig = Rig::with_token(TOKEN);
    for name in ["", "org", "org/", "/app", "org/app/x", "../app", "org/..", "org/a b", "org/a?b", "org/a#b"] {
        assert!(rig.client.repository(name).is_err(), "{name:?}");
    }
    let repository = rig.client.repository(REPO).unwrap();
    assert_eq!(repository.commit("../../../user").unwrap_err().kind, ErrorKind::Local);
    assert!(rig.github.exchanges().is_empty());
}

#[test]
fn a_persons_token_makes_no_check_run_and_that_is_no_error() {
    use bench_bot::github::check::{Check, Conclusion};
    let check = Check {
        name: "bench".to_owned(),
        head_sha: HEAD.to_owned(),
        conclusion: Conclusion::Neutral,
        title: "One regression".to_owned(),
        summary: "x".to_owned(),
        details_url: None,
    };
    let rig = Rig::with_token(PERSONAL_TOKEN);
    assert_eq!(rig.client.repository(REPO).unwrap().conclude(&check).unwrap(), None);
    let reader = rig.another(READ_ONLY_TOKEN);
    assert_eq!(reader.repository(REPO).unwrap().conclude(&check).unwrap(), None);
    let writer = rig.another(TOKEN);
    let repository = writer.repository(REPO).unwrap();
    let made = repository.conclude(&check).unwrap().unwrap();
    repository.conclude_again(made.id, &Check { conclusion: Conclusion::Failure, ..check }).unwrap().unwrap();
    let state = rig.github.with(|state| state.repositories[REPO].checks.clone());
    assert_eq!((state.len(), state[0].conclusion.as_deref()), (1, Some("failure")));
    rig.github.assert_clean();
}
