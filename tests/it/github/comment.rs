//! One comment on a pull request, whatever happens.

use super::{PR, REPO, Rig, ours, sticky, upsert_by};
use bench_bot::config::CommentMode;
use bench_bot::github::comment::{Action, Marker, Meta, State, find, upsert};
use bench_bot::github::{ErrorKind, comment::Sticky};
use bench_bot::standin::{Fault, PERSONAL_TOKEN, state::BOT};

const CREATE: &str = "POST /repos/org/app/issues/7/comments";

fn edit(id: u64) -> String {
    format!("PATCH /repos/org/app/issues/comments/{id}")
}

#[test]
fn the_first_report_creates_and_the_second_edits() {
    let rig = Rig::new();
    let first = rig.upsert(1, "first").unwrap();
    assert_eq!(first.action, Action::Created);
    let second = rig.upsert(2, "second").unwrap();
    assert_eq!((second.action, second.id), (Action::Updated, first.id));
    assert_eq!(rig.visible(), [(BOT.to_owned(), ours(2, "second"))]);
    assert_eq!(rig.github.writes(), [CREATE.to_owned(), edit(first.id.unwrap())]);
    let url = second.url.unwrap();
    assert!(url.starts_with("https://github.com/org/app/pull/7#issuecomment-"), "{url}");
    rig.github.assert_clean();
}

#[test]
fn an_equal_text_is_not_sent_again() {
    let rig = Rig::new();
    rig.upsert(1, "same").unwrap();
    assert_eq!(rig.upsert(1, "same\r\n").unwrap().action, Action::Unchanged);
    assert_eq!(rig.github.writes(), [CREATE]);
    rig.github.assert_clean();
}

#[test]
fn a_marker_on_the_third_page_of_250_comments_is_found() {
    let rig = Rig::new();
    for number in 1..250 {
        rig.comment("alice", &format!("comment {number}"));
    }
    let id = rig.comment(BOT, &ours(1, "old"));
    let outcome = rig.upsert(2, "new").unwrap();
    assert_eq!((outcome.action, outcome.id), (Action::Updated, Some(id)));
    let pages: Vec<String> = rig
        .github
        .exchanges()
        .iter()
        .filter(|seen| seen.path.ends_with("/comments"))
        .map(|seen| seen.path.clone())
        .collect();
    let id = rig.github.with(|state| state.repositories[REPO].id);
    let next = format!("/repositories/{id}/issues/7/comments");
    assert_eq!(pages, ["/repos/org/app/issues/7/comments", &next, &next], "pages are GitHub's own links");
    rig.github.assert_clean();
}

#[test]
fn the_oldest_of_several_wins_and_the_others_are_hidden_once() {
    let rig = Rig::new();
    let oldest = rig.comment(BOT, &ours(1, "a"));
    rig.comment(BOT, &ours(1, "b"));
    rig.comment(BOT, &ours(1, "c"));
    let outcome = rig.upsert(2, "new").unwrap();
    assert_eq!((outcome.id, outcome.warnings.len()), (Some(oldest), 0));
    assert_eq!(rig.visible(), [(BOT.to_owned(), ours(2, "new"))]);
    let hidden = |state: &mut bench_bot::standin::State| {
        let notes = &state.repositories[REPO].comments;
        notes.iter().filter_map(|note| note.minimized.clone()).collect::<Vec<_>>()
    };
    assert_eq!(rig.github.with(hidden), ["duplicate", "duplicate"]);
    let before = rig.github.writes().len();
    rig.upsert(3, "newer").unwrap();
    assert_eq!(rig.github.writes()[before..], [edit(oldest)], "what is hidden is not hidden again");
    rig.github.assert_clean();
}

#[test]
fn a_duplicate_that_cannot_be_hidden_is_a_warning() {
    let rig = Rig::new();
    rig.comment(BOT, &ours(1, "a"));
    rig.comment(BOT, &ours(1, "b"));
    let refusal =
        r#"{"data":{"minimizeComment":null},"errors":[{"message":"Resource not accessible by integration"}]}"#;
    rig.github.fail(Fault::answer("POST", "/graphql", 200, "application/json", refusal));
    let outcome = rig.upsert(2, "new").unwrap();
    assert_eq!(outcome.action, Action::Updated);
    assert!(outcome.warnings[0].contains("not accessible by integration"), "{:?}", outcome.warnings);
    rig.github.assert_clean();
}

#[test]
fn a_human_who_quotes_the_marker_is_left_alone() {
    let rig = Rig::new();
    rig.comment("mallory", &ours(99, "All is well, merge it!"));
    rig.comment("alice", &format!("> {}\n\nWhat is this?", ours(1, "x")));
    assert_eq!(rig.upsert(2, "real").unwrap().action, Action::Created);
    let visible = rig.visible();
    assert_eq!(visible[0], ("mallory".to_owned(), ours(99, "All is well, merge it!")));
    assert_eq!(visible[2], (BOT.to_owned(), ours(2, "real")));
    rig.github.assert_clean();
}

#[test]
fn a_comment_whose_author_is_gone_is_nobodys() {
    let rig = Rig::new();
    rig.comment("ghost-to-be", &ours(1, "x"));
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().comments[0].author = None);
    assert_eq!(rig.upsert(2, "real").unwrap().action, Action::Created);
    rig.github.assert_clean();
}

#[test]
fn the_token_of_a_person_finds_its_own_comment_without_being_told_its_name() {
    let rig = Rig::with_token(PERSONAL_TOKEN);
    let first = rig.upsert(1, "first").unwrap();
    rig.comment("mallory", &ours(9, "not ours"));
    let second = rig.upsert(2, "second").unwrap();
    assert_eq!((second.action, second.id), (Action::Updated, first.id));
    rig.github.assert_clean();
}

#[test]
fn a_login_that_is_named_decides_alone() {
    let rig = Rig::with_token(PERSONAL_TOKEN);
    let mine = rig.comment("Octocat", &ours(1, "mine"));
    rig.comment(BOT, &ours(1, "the job's"));
    let sticky = Sticky { bot_login: Some("octocat"), ..sticky(2) };
    assert_eq!(upsert_by(&rig.client, &sticky, "new").unwrap().id, Some(mine));
    assert!(rig.github.exchanges().iter().all(|seen| seen.path != "/graphql"));
    rig.github.assert_clean();
}

#[test]
fn where_nobody_can_tell_whose_comment_it_is_it_stays_and_the_input_is_named() {
    let rig = Rig::with_token(PERSONAL_TOKEN);
    rig.comment("octocat", &ours(1, "mine"));
    rig.github.fail(Fault::refuse("POST", "/graphql", 404, "Not Found").times(2));
    let outcome = rig.upsert(2, "new").unwrap();
    assert_eq!(outcome.action, Action::Created);
    assert!(outcome.warnings[0].contains("bot-login"), "{:?}", outcome.warnings);
    rig.github.assert_clean();
}

#[test]
fn two_names_have_two_comments() {
    let rig = Rig::new();
    for name in ["go", "rust"] {
        let sticky = Sticky { marker: Marker::report(name), ..sticky(1) };
        assert_eq!(upsert_by(&rig.client, &sticky, name).unwrap().action, Action::Created);
    }
    assert_eq!(rig.visible().len(), 2);
    rig.github.assert_clean();
}

#[test]
fn a_comment_that_was_deleted_meanwhile_is_created_again() {
    let rig = Rig::new();
    let id = rig.comment(BOT, &ours(1, "old"));
    rig.github.fail(Fault::refuse("PATCH", &format!("/repos/org/app/issues/comments/{id}"), 404, "Not Found"));
    let outcome = rig.upsert(2, "new").unwrap();
    assert_eq!(outcome.action, Action::Created);
    assert_ne!(outcome.id, Some(id));
    rig.github.assert_clean();
}

#[test]
fn a_comment_that_may_not_be_edited_gets_a_neighbour() {
    let rig = Rig::new();
    // An older bot with the same name, whose comments our token may not edit.
    let theirs = rig.comment("other[bot]", &ours(1, "theirs"));
    let sticky = Sticky { bot_login: Some("other[bot]"), ..sticky(2) };
    assert_eq!(upsert_by(&rig.client, &sticky, "new").unwrap().action, Action::Created);
    assert_eq!(rig.github.writes(), [edit(theirs), CREATE.to_owned()]);
    rig.github.assert_clean();
}

#[test]
fn a_text_that_is_too_long_takes_the_next_smaller_form() {
    let rig = Rig::new();
    let forms = ["x".repeat(70_000), "y".repeat(65_536), "small".to_owned()];
    let repository = rig.client.repository(REPO).unwrap();
    let outcome = upsert(&repository, &sticky(1), |level| forms.get(level).cloned()).unwrap();
    assert_eq!((outcome.action, outcome.level), (Action::Created, 2), "marker and metadata count too");
    let outcome = upsert(&repository, &sticky(2), |level| forms.get(level).cloned()).unwrap();
    assert_eq!((outcome.action, outcome.level), (Action::Updated, 2));
    let error = upsert(&repository, &sticky(3), |level| forms[..2].get(level).cloned()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::BodyTooLong);
    assert_eq!(rig.visible(), [(BOT.to_owned(), ours(2, "small"))]);
    rig.github.assert_clean();
}

#[test]
fn recreate_posts_anew_when_the_run_has_ended_and_edits_before() {
    let rig = Rig::new();
    let recreate =
        |run, state| Sticky { mode: CommentMode::Recreate, meta: Meta::new(run, 1, "", "", state), ..sticky(run) };
    let first = upsert_by(&rig.client, &recreate(1, State::Done), "first").unwrap();
    assert_eq!(first.action, Action::Created);
    let running = upsert_by(&rig.client, &recreate(2, State::Running), "running").unwrap();
    assert_eq!((running.action, running.id), (Action::Updated, first.id));
    let done = upsert_by(&rig.client, &recreate(2, State::Done), "done").unwrap();
    assert_eq!(done.action, Action::Recreated);
    assert_ne!(done.id, first.id);
    assert_eq!(rig.visible().len(), 1);
    assert!(rig.visible()[0].1.ends_with("done"));
    rig.github.assert_clean();
}

#[test]
fn where_no_comment_is_wanted_one_that_is_there_is_still_kept_up_to_date() {
    let rig = Rig::new();
    let quiet = |run| Sticky { create: false, ..sticky(run) };
    let outcome = upsert_by(&rig.client, &quiet(1), "nothing new").unwrap();
    assert_eq!((outcome.action, outcome.url), (Action::NotWanted, None));
    assert_eq!(rig.github.writes(), [""; 0]);
    rig.upsert(2, "a change").unwrap();
    assert_eq!(upsert_by(&rig.client, &quiet(3), "nothing again").unwrap().action, Action::Updated);
    rig.github.assert_clean();
}

#[test]
fn a_run_that_has_ended_is_not_shown_as_running_again() {
    let rig = Rig::new();
    rig.upsert(5, "done").unwrap();
    let late = Sticky { meta: Meta::new(5, 1, "", "", State::Running), ..sticky(5) };
    assert_eq!(upsert_by(&rig.client, &late, "running").unwrap().action, Action::LeftNewer);
    rig.github.assert_clean();
}

#[test]
fn the_last_run_can_be_read_from_the_comment() {
    let rig = Rig::new();
    rig.upsert(41, "x").unwrap();
    let repository = rig.client.repository(REPO).unwrap();
    let found = find(&repository, PR, &Marker::report("bench"), None).unwrap();
    let meta = Meta::of(&found[0].body).unwrap();
    assert_eq!((meta.run, meta.attempt, meta.state), (41, 1, State::Done));
    rig.github.assert_clean();
}

#[test]
fn pages_of_the_longest_comments_are_read_in_smaller_ones() {
    let rig = Rig::new();
    // Four bytes a character: a hundred of these do not fit into the answer that is read.
    let longest = "🦀".repeat(65_000);
    for _ in 0..40 {
        rig.comment("alice", &longest);
    }
    let id = rig.comment(BOT, &ours(1, "old"));
    assert_eq!(rig.upsert(2, "new").unwrap().id, Some(id));
    rig.github.assert_clean();
}
