//! Two reports for one pull request.

use super::{REPO, Rig, ours, sticky, upsert_by};
use bench_bot::github::comment::{Action, Meta, State, Sticky};
use bench_bot::standin::{TOKEN, state::BOT};
use std::sync::Barrier;

/// The runs of the visible comments.
fn runs(rig: &Rig) -> Vec<u64> {
    rig.visible().iter().filter_map(|(_, body)| Meta::of(body)).map(|meta| meta.run).collect()
}

fn race(rig: &Rig, reports: &[u64]) {
    let barrier = Barrier::new(reports.len());
    std::thread::scope(|scope| {
        for &run in reports {
            let (client, barrier) = (rig.another(TOKEN), &barrier);
            scope.spawn(move || {
                barrier.wait();
                upsert_by(&client, &sticky(run), &format!("report of run {run}")).unwrap();
            });
        }
    });
}

#[test]
fn two_first_reports_leave_one_comment_and_the_newer_one() {
    for _ in 0..40 {
        let rig = Rig::new();
        race(&rig, &[100, 101]);
        assert_eq!(runs(&rig), [101]);
        rig.github.assert_clean();
    }
}

#[test]
fn two_more_reports_leave_one_comment() {
    for _ in 0..40 {
        let rig = Rig::new();
        rig.comment(BOT, &ours(99, "old"));
        race(&rig, &[100, 101]);
        assert_eq!(runs(&rig).len(), 1);
        rig.github.assert_clean();
    }
}

#[test]
fn five_reports_at_once_leave_one_comment() {
    for _ in 0..10 {
        let rig = Rig::new();
        race(&rig, &[101, 102, 103, 104, 105]);
        assert_eq!(runs(&rig).len(), 1, "{:?}", rig.visible());
        rig.github.assert_clean();
    }
}

#[test]
fn an_older_report_that_ends_last_changes_nothing() {
    let rig = Rig::new();
    rig.upsert(101, "newer").unwrap();
    let outcome = rig.upsert(100, "older").unwrap();
    assert_eq!(outcome.action, Action::LeftNewer);
    assert!(outcome.url.is_some(), "the outputs still lead to the comment");
    assert_eq!(runs(&rig), [101]);
    rig.github.assert_clean();
}

#[test]
fn an_older_report_that_wrote_in_between_is_corrected() {
    let rig = Rig::new();
    let id = rig.comment(BOT, &ours(99, "old"));
    let late = ours(98, "older, looked before us and writes after us");
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().comments[0].overwrites.push_back(late));
    assert_eq!(rig.upsert(100, "newest").unwrap().id, Some(id));
    assert_eq!(rig.github.writes().len(), 2, "it wrote again");
    assert_eq!(runs(&rig), [100]);
    rig.github.assert_clean();
}

#[test]
fn a_second_attempt_of_the_same_run_is_newer() {
    let rig = Rig::new();
    rig.upsert(100, "first attempt").unwrap();
    let again = Sticky { meta: Meta::new(100, 2, "", "", State::Done), ..sticky(100) };
    assert_eq!(upsert_by(&rig.client, &again, "second attempt").unwrap().action, Action::Updated);
    assert_eq!(rig.upsert(100, "first attempt").unwrap().action, Action::LeftNewer);
    rig.github.assert_clean();
}

#[test]
fn a_newer_report_in_a_duplicate_counts_too() {
    let rig = Rig::new();
    rig.comment(BOT, &ours(90, "oldest"));
    rig.comment(BOT, &ours(110, "newer, in a duplicate"));
    assert_eq!(rig.upsert(100, "ours").unwrap().action, Action::LeftNewer);
    rig.github.assert_clean();
}
