//! One test for each threat that concerns the traffic with GitHub, named after its number in the table of threats.

use super::{BASE, HEAD, PR, REPO, Rig, artifact, ours, sticky, upsert_by};
use bench_bot::github::ErrorKind;
use bench_bot::github::artifact::RESULTS;
use bench_bot::github::comment::{Action, Meta, State, Sticky};
use bench_bot::publish::{self, Notice, notice};
use bench_bot::standin::{Fault, Server, TOKEN, state::BOT};

const NEXT: &str = "a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2";

#[test]
fn threat_2_a_push_after_the_commit_was_pinned_is_told() {
    let rig = Rig::new();
    rig.github.with(|state| {
        state.repositories.get_mut(REPO).unwrap().pulls.get_mut(&PR).unwrap().pushes.push_back(NEXT.to_owned());
    });
    let repository = rig.client.repository(REPO).unwrap();
    let pinned = repository.pull_request(PR).unwrap().head.sha;
    assert_eq!(pinned, HEAD);
    let now = publish::look(&repository, PR, &pinned).unwrap();
    assert_eq!(now.head_moved_to.as_deref(), Some(NEXT));
    let outcome = rig.upsert(1, "measured a1a1a1a").unwrap();
    assert_eq!(outcome.action, Action::Created);
    assert_eq!(Meta::of(&rig.visible()[0].1).unwrap().head, HEAD, "the comment names what was measured");
    rig.github.assert_clean();
}

#[test]
fn threat_14_an_archive_with_a_path_a_link_or_a_second_file_gives_nothing() {
    // The shapes of bad archives are tested where they are read; here: none of them gets through the whole way.
    let zip = |name: &str| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        if name == "link" {
            zip.add_symlink(RESULTS, "/etc/passwd", options).unwrap();
        } else {
            zip.start_file(name, options).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    for name in ["../../results.json", "link", "other.json"] {
        let rig = Rig::new();
        artifact::keep(&rig, "bench-bot-result", zip(name));
        let repository = rig.client.repository(REPO).unwrap();
        let error = repository.artifact_file(&artifact::only(&repository), RESULTS).unwrap_err();
        assert!(error.to_string().contains("is refused"), "{name}: {error}");
        rig.github.assert_clean();
    }
}

#[test]
fn threat_14_a_bomb_ends_at_the_limit() {
    let rig = Rig::new();
    artifact::keep(&rig, "bench-bot-result", artifact::results(&vec![b' '; 64 * 1024 * 1024 + 1]));
    let repository = rig.client.repository(REPO).unwrap();
    let error = repository.artifact_file(&artifact::only(&repository), RESULTS).unwrap_err();
    assert!(error.to_string().contains("more than 67108864 bytes"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn threat_17_a_hundred_reports_are_one_comment() {
    let rig = Rig::new();
    for run in 1..=100 {
        rig.upsert(run, &format!("report {run}")).unwrap();
    }
    let posts = rig.github.writes().iter().filter(|write| write.starts_with("POST")).count();
    assert_eq!((posts, rig.visible().len()), (1, 1));
    rig.github.assert_clean();
}

#[test]
fn threat_18_a_foreign_comment_with_our_marker_is_neither_edited_nor_believed() {
    let rig = Rig::new();
    // It claims to be a run of the far future, so that no report would ever replace it.
    let forged = ours(u64::MAX, "all green");
    rig.comment("mallory", &forged);
    rig.comment("other-app[bot]", &forged);
    let outcome = rig.upsert(1, "real").unwrap();
    assert_eq!(outcome.action, Action::Created);
    let bodies: Vec<String> = rig.visible().into_iter().map(|(_, body)| body).collect();
    assert_eq!(bodies, [forged.clone(), forged, ours(1, "real")]);
    rig.github.assert_clean();
}

#[test]
fn threat_18_a_marker_inside_a_text_of_ours_is_no_marker() {
    let rig = Rig::new();
    let name = "evil --> <!-- bench-bot:result key=\"bench\" -->";
    rig.upsert(1, name).unwrap();
    let second = Sticky { marker: bench_bot::github::comment::Marker::report(name), ..sticky(1) };
    assert_eq!(upsert_by(&rig.client, &second, "x").unwrap().action, Action::Created);
    assert_eq!(rig.visible().len(), 2, "each name keeps its own");
    rig.github.assert_clean();
}

#[test]
fn threat_19_no_duplicate_after_250_comments_a_lost_answer_and_a_second_writer() {
    let rig = Rig::new();
    for number in 0..250 {
        rig.comment("alice", &format!("comment {number}"));
    }
    rig.github.fail(Fault::overload("POST", "/repos/org/app/issues/7/comments").after_applying());
    assert_eq!(rig.upsert(1, "x").unwrap().action, Action::Created);
    std::thread::scope(|scope| {
        for run in [2, 3] {
            let client = rig.another(TOKEN);
            scope.spawn(move || upsert_by(&client, &sticky(run), "y").unwrap());
        }
    });
    let visible = rig.visible();
    assert_eq!(visible.iter().filter(|(author, _)| author == BOT).count(), 1);
    rig.github.assert_clean();
}

#[test]
fn threat_20_an_older_run_does_not_overwrite_a_newer_result() {
    let rig = Rig::new();
    rig.upsert(8, "newer").unwrap();
    assert_eq!(rig.upsert(7, "older, finished last").unwrap().action, Action::LeftNewer);
    assert_eq!(rig.visible()[0].1, ours(8, "newer"));
    rig.github.assert_clean();
}

#[test]
fn threat_21_a_run_without_a_report_takes_the_old_table_away() {
    for state in [State::Running, State::Failed, State::Cancelled, State::TimedOut, State::NothingMeasured] {
        let rig = Rig::new();
        rig.upsert(1, "| all | green |").unwrap();
        let text = notice(&Notice { state, base: BASE, head: HEAD, run_url: None, reason: None });
        let meta = Meta::new(2, 1, BASE, HEAD, state);
        upsert_by(&rig.client, &Sticky { meta, ..sticky(2) }, &text).unwrap();
        let shown = &rig.visible()[0].1;
        assert!(!shown.contains("green") && shown.contains("`a1a1a1a`"), "{shown}");
        assert_eq!(Meta::of(shown).unwrap().state, state);
        rig.github.assert_clean();
    }
}

#[test]
fn threat_29_closed_merged_and_draft_pull_requests_still_get_their_report() {
    type Change = fn(&mut bench_bot::standin::state::Pull);
    let changes: [Change; 3] =
        [|pull| pull.open = false, |pull| (pull.open, pull.merged) = (false, true), |pull| pull.draft = true];
    for change in changes {
        let rig = Rig::new();
        rig.github.with(|state| change(state.repositories.get_mut(REPO).unwrap().pulls.get_mut(&PR).unwrap()));
        let repository = rig.client.repository(REPO).unwrap();
        let pull = repository.pull_request(PR).unwrap();
        assert_eq!(publish::look(&repository, PR, HEAD).unwrap().open, pull.is_open());
        assert_eq!(rig.upsert(1, "x").unwrap().action, Action::Created);
        rig.github.assert_clean();
    }
}

#[test]
fn threat_29_a_pull_request_that_is_gone_is_an_error_that_names_it() {
    let rig = Rig::new();
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().pulls.clear());
    let error = rig.upsert(1, "x").unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert!(error.to_string().contains("org/app#7"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn threat_31_the_token_does_not_follow_a_redirect_to_another_host() {
    let rig = Rig::new();
    let elsewhere = format!("{}/artifact/1", rig.github.storage_url());
    for status in [301, 302, 307, 308] {
        rig.github.fail(Fault::redirect("GET", "/repos/org/app/pulls/7", status, &elsewhere));
        rig.github.fail(Fault::answer("GET", "/artifact/1", 404, "application/json", "{\"message\":\"Not Found\"}"));
        rig.client.repository(REPO).unwrap().pull_request(PR).unwrap_err();
    }
    let elsewhere: Vec<_> = rig.github.exchanges().into_iter().filter(|seen| seen.server == Server::Storage).collect();
    assert_eq!(elsewhere.len(), 4);
    assert!(elsewhere.iter().all(|seen| seen.authorization.is_none() && !format!("{seen:?}").contains(TOKEN)));
    rig.github.assert_clean();
}

#[test]
fn threat_31_a_token_that_was_left_behind_does_not_come_back_with_a_second_redirect() {
    let rig = Rig::new();
    let there = format!("{}/artifact/1", rig.github.storage_url());
    let back = format!("{}/repos/org/app/pulls/7", rig.github.url());
    rig.github.fail(Fault::redirect("GET", "/repos/org/app/pulls/7", 302, &there));
    rig.github.fail(Fault::redirect("GET", "/artifact/1", 302, &back));
    rig.client.repository(REPO).unwrap().pull_request(PR).unwrap();
    let tokens: Vec<bool> = rig.github.exchanges().iter().map(|seen| seen.authorization.is_some()).collect();
    assert_eq!(tokens, [true, false, false]);
}

#[test]
fn threat_31_neither_text_nor_token_of_a_write_leaves_the_host() {
    let rig = Rig::new();
    let elsewhere = format!("{}/artifact/1", rig.github.storage_url());
    rig.github.fail(Fault::redirect("POST", "/repos/org/app/issues/7/comments", 307, &elsewhere));
    let error = rig.upsert(1, "x").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Redirect);
    assert!(rig.github.exchanges().iter().all(|seen| seen.server == Server::Api));
    rig.github.assert_clean();
}

#[test]
fn threat_31_a_next_page_on_another_host_is_read_without_the_token() {
    let rig = Rig::new();
    let next = format!("<{}/artifact/1>; rel=\"next\"", rig.github.storage_url());
    let page =
        Fault::answer("GET", "/repos/org/app/issues/7/comments", 200, "application/json", "[]").header("link", &next);
    rig.github.fail(page);
    rig.github.fail(Fault::answer("GET", "/artifact/1", 200, "application/json", "[]"));
    assert!(rig.client.repository(REPO).unwrap().comments(PR).unwrap().is_empty());
    assert!(rig.github.exchanges()[1].authorization.is_none());
    rig.github.assert_clean();
}

#[test]
fn threat_31_the_place_of_artifacts_does_not_see_the_token() {
    let rig = Rig::new();
    artifact::keep(&rig, "bench-bot-result", artifact::results(b"x"));
    let repository = rig.client.repository(REPO).unwrap();
    repository.artifact_file(&artifact::only(&repository), RESULTS).unwrap();
    let seen = rig.github.exchanges();
    let storage = seen.iter().find(|seen| seen.server == Server::Storage).unwrap();
    assert!(storage.authorization.is_none());
    assert!(storage.headers.iter().all(|(name, _)| !name.starts_with("x-github")), "{:?}", storage.headers);
    rig.github.assert_clean();
}

#[test]
fn threat_31_a_circle_of_redirects_ends() {
    let rig = Rig::new();
    let here = format!("{}/repos/org/app/pulls/7", rig.github.url());
    rig.github.fail(Fault::redirect("GET", "/repos/org/app/pulls/7", 302, &here).times(6));
    let error = rig.client.repository(REPO).unwrap().pull_request(PR).unwrap_err();
    assert!(error.to_string().contains("too many redirects"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn threat_32_enterprise_servers_have_their_api_below_a_path() {
    let rig = Rig::at("/api/v3", TOKEN);
    rig.comment(BOT, &ours(1, "a"));
    rig.comment(BOT, &ours(1, "b"));
    for number in 0..120 {
        rig.comment("alice", &format!("comment {number}"));
    }
    assert!(rig.client.repository(REPO).unwrap().pull_request(PR).unwrap().is_open());
    let outcome = rig.upsert(2, "new").unwrap();
    assert_eq!((outcome.action, outcome.warnings.len()), (Action::Updated, 0), "GraphQL is at /api/graphql");
    assert!(rig.github.exchanges().iter().any(|seen| seen.server == Server::GraphQl));
    rig.github.assert_clean();
}

#[test]
fn threat_32_a_renamed_repository_is_followed_for_reading_and_for_writing() {
    let rig = Rig::new();
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().former_names.push("old/name".to_owned()));
    let old = rig.client.repository("old/name").unwrap();
    assert_eq!(old.pull_request(PR).unwrap().head.sha, HEAD);
    let once = |body: &'static str| move |level| (level == 0).then(|| body.to_owned());
    let created = bench_bot::github::comment::upsert(&old, &sticky(1), once("first")).unwrap();
    assert_eq!(created.action, Action::Created);
    let updated = bench_bot::github::comment::upsert(&old, &sticky(2), once("second")).unwrap();
    assert_eq!((updated.action, updated.id), (Action::Updated, created.id));
    assert!(rig.github.exchanges().iter().all(|seen| seen.authorization.is_some()), "it is the same host");
    rig.github.assert_clean();
}
