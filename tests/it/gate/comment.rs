//! `/bench` on a pull request.

use super::*;
use bench_bot::config::Rounds;
use bench_bot::github::comment::{Marker, Meta, State};
use bench_bot::request::ConfigSource;
use bench_bot::standin::Fault;

#[test]
fn a_collaborators_command_starts_a_run_of_two_pinned_commits() {
    let world = World::configured(TWO_SUITES);
    let allowed = world.allowed(&world.says("maintainer", "/bench codec rounds=20"));
    let request = allowed.request;
    assert_eq!((request.commits.base.sha.as_str(), request.commits.head.sha.as_str()), (BASE, HEAD));
    assert_eq!(request.commits.base.label, "main");
    assert_eq!((request.base_behind, request.base_explicit), (Some(1), false));
    assert_eq!(request.suites, ["codec"]);
    assert_eq!(request.config.rounds, Rounds::Fixed(20));
    assert_eq!(request.config_source, ConfigSource::File(CONFIG.to_owned()));
    let origin = request.origin.unwrap();
    assert_eq!((origin.event.as_str(), origin.pull_request, origin.fork), ("issue_comment", Some(PR), false));
    assert_eq!((origin.run, origin.attempt, origin.repository.as_str()), (555, 1, REPO));
    assert!(origin.comment.is_some());
    assert_eq!(world.reactions(), ["eyes"]);
    let said = world.bot_says();
    assert_eq!(said.len(), 1);
    for part in ["**Benchmarks are running**", "`a1a1a1a`", "`b0b0b0b`", "https://github.com/org/app/actions/runs/555"]
    {
        assert!(said[0].contains(part), "{part}\n{}", said[0]);
    }
    world.github.assert_clean();
}

#[test]
fn comments_that_are_no_commands_touch_nothing() {
    let world = World::configured(TWO_SUITES);
    let edited = event("issue_comment", "issue_comment.edited", |payload| payload["comment"]["body"] = json!("/bench"));
    assert_eq!(world.nothing(&edited), "a comment was `edited`: only new ones are commands");
    let on_issue =
        event("issue_comment", "issue_comment.issue", |payload| payload["comment"]["body"] = json!("/bench"));
    assert_eq!(world.nothing(&on_issue), "the comment is on an issue, not on a pull request");
    let closed =
        event("issue_comment", "issue_comment.pull_request", |payload| payload["issue"]["state"] = json!("closed"));
    assert_eq!(world.nothing(&closed), "the pull request is closed");
    let bot = event("issue_comment", "issue_comment.pull_request", |payload| {
        payload["comment"]["user"]["type"] = json!("Bot");
    });
    assert_eq!(world.nothing(&bot), "the comment is a bot's");
    let ghost =
        event("issue_comment", "issue_comment.pull_request", |payload| payload["comment"]["user"] = json!(null));
    assert_eq!(world.nothing(&ghost), "the comment is a bot's");
    for body in ["LGTM", "> /bench", "`/bench`", "/benchmark"] {
        let because = world.nothing(&world.says("maintainer", body));
        assert_eq!(because, "the comment has no line that begins with `/bench`");
    }
    assert_eq!(world.github.exchanges().len(), 0);
}

#[test]
fn a_stranger_gets_a_thumb_down_and_no_answer() {
    let world = World::configured(TWO_SUITES);
    for body in ["/bench", "/bench help", "/bench cancel", "/bench nonsense=1"] {
        let because = world.nothing(&world.says("reader", body));
        assert_eq!(because, "`reader` may not run benchmarks here: it takes `write`, and they have `read`", "{body}");
        assert_eq!(world.reactions(), ["-1"], "{body}");
    }
    assert_eq!(world.bot_says(), Vec::<String>::new());
    world.github.assert_clean();
}

#[test]
fn a_command_that_cannot_be_understood_is_answered_in_one_comment() {
    let world = World::configured(TWO_SUITES);
    let cases = [
        ("/bench runs=20", "there is no argument `runs=`; did you mean `rounds=`?"),
        ("/bench kodec", "there is no suite `kodec`; did you mean `codec`?"),
        ("/bench halp", "there is no `/bench halp`; did you mean `/bench help`?"),
        ("/bench base=nowhere", "there is no branch, tag or commit `nowhere` in this repository"),
        ("/bench\n/bench help", "there are 2 different commands in this comment: write one"),
    ];
    for (body, reason) in cases {
        assert_eq!(world.nothing(&world.says("maintainer", body)), reason);
        assert_eq!(world.reactions(), ["confused"]);
        let said = world.bot_says();
        assert_eq!(said.len(), 1, "{said:?}");
        // A sentence begins with a capital letter.
        assert!(said[0].to_lowercase().contains(&format!("**not done.** {reason}").to_lowercase()), "{}", said[0]);
    }
    world.github.assert_clean();
}

#[test]
fn help_names_suites_and_who_may() {
    let world = World::configured(TWO_SUITES);
    assert_eq!(world.nothing(&world.says("maintainer", "/bench help")), "the command was answered in a comment");
    let said = world.bot_says();
    for part in ["* `codec`: `make bench`", "* `cli`: `./cli`", "permission `write`", "`threshold=2%`"] {
        assert!(said[0].contains(part), "{part}\n{}", said[0]);
    }
    assert_eq!(world.reactions(), ["eyes"]);
}

#[test]
fn the_head_that_was_looked_at_can_be_named_and_must_still_be_the_head() {
    let world = World::configured(TWO_SUITES);
    let because = world.nothing(&world.says("maintainer", "/bench head=b1b2b3b4"));
    assert_eq!(
        because,
        "`head=` is `b1b2b3b4`, and the pull request's head is now `a1a1a1a`: look at it and ask again"
    );
    let allowed = world.allowed(&world.says("maintainer", "/bench head=A1A1A1A1"));
    assert_eq!(allowed.request.commits.head.sha, HEAD);
}

#[test]
fn a_fork_that_must_be_looked_at_needs_its_commit_named() {
    let world = World::configured("command: {fork-approval: sha}");
    world.fork();
    let because = world.nothing(&world.says("maintainer", "/bench"));
    assert_eq!(because, "this pull request comes from a fork: look at its head commit and write `/bench head=a1a1a1a`");
    let allowed = world.allowed(&world.says("maintainer", "/bench head=a1a1a1a"));
    assert!(allowed.request.origin.unwrap().fork);
    // By default the comment is the approval.
    let world = World::new();
    world.fork();
    assert!(world.allowed(&world.says("maintainer", "/bench")).request.origin.unwrap().fork);
}

#[test]
fn a_base_is_a_branch_a_tag_or_a_commit_of_this_repository() {
    let world = World::new();
    let elsewhere = "e".repeat(40);
    let twin = "d".repeat(40);
    world.repo(|repo| {
        repo.add_commit(&elsewhere, "A fork's", &[BASE]);
        repo.refs.insert("tags/v1".to_owned(), BASE.to_owned());
        repo.refs.insert("heads/deadbeef".to_owned(), TIP.to_owned());
        // A branch that is called like a commit must not stand for it.
        repo.refs.insert(format!("heads/{twin}"), TIP.to_owned());
    });
    for (name, expected) in [("v1", BASE), ("main", TIP), ("deadbeef", TIP), (&BASE[..9], BASE), (BASE, BASE)] {
        let request = world.allowed(&world.says("maintainer", &format!("/bench base={name}"))).request;
        assert_eq!(request.commits.base.sha, expected, "{name}");
        assert_eq!((request.base_explicit, request.base_behind), (true, None));
        assert_eq!(request.commits.base.label, name);
        world.repo(|repo| repo.comments.clear());
    }
    let because = world.nothing(&world.says("maintainer", &format!("/bench base={elsewhere}")));
    assert_eq!(because, "`eeeeeee` is on neither `main`: name a branch or a tag");
    let because = world.nothing(&world.says("maintainer", &format!("/bench base={twin}")));
    assert_eq!(because, format!("there is no branch, tag or commit `{twin}` in this repository"));
    let because = world.nothing(&world.says("maintainer", &format!("/bench base={HEAD}")));
    assert!(because.contains("name a branch or a tag"), "{because}");
}

/// The comment that shows a run.
fn shows(world: &World, run: u64, state: State, at: &str) {
    let mut meta = Meta::new(run, 1, BASE, HEAD, state);
    at.clone_into(&mut meta.at);
    let body = Marker::report("bench").wrap(&meta, "a report");
    world.github.with(|github| github.add_comment(REPO, PR, "github-actions[bot]", &body));
}

#[test]
fn one_run_at_a_time() {
    let world = World::new();
    world.repo(|repo| repo.runs.insert(444, run("in_progress")));
    shows(&world, 444, State::Running, "2026-01-05T11:00:00Z");
    let because = world.nothing(&world.says("maintainer", "/bench"));
    assert_eq!(
        because,
        "a run is on its way already ([run](https://github.com/org/app/actions/runs/444)); `/bench cancel` stops it"
    );
    // A run that died without saying so does not block for ever.
    world.repo(|repo| repo.runs.insert(444, run("completed")));
    world.allowed(&world.says("maintainer", "/bench"));
}

#[test]
fn a_run_that_cannot_be_asked_about_counts_while_it_may_last() {
    let world = World::new();
    shows(&world, 444, State::Running, "2026-01-05T11:00:00Z");
    let refuse =
        || Fault::refuse("GET", "/repos/org/app/actions/runs/444", 403, "Resource not accessible by integration");
    world.github.fail(refuse());
    assert!(world.nothing(&world.says("maintainer", "/bench")).starts_with("a run is on its way already"));
    let world = World { now: "2026-01-05T13:00:00Z", ..world };
    world.github.fail(refuse());
    world.allowed(&world.says("maintainer", "/bench"));
}

#[test]
fn a_cooldown_lies_between_two_runs() {
    let world = World::configured("command: {cooldown: 10m}");
    shows(&world, 444, State::Done, "2026-01-05T11:56:00Z");
    assert_eq!(
        world.nothing(&world.says("maintainer", "/bench")),
        "the last run was 4m ago, and there is to be 10m between two: ask again in 6m"
    );
    let later = World { now: "2026-01-05T12:06:00Z", ..world };
    later.allowed(&later.says("maintainer", "/bench"));
}

#[test]
fn whoever_starts_a_run_again_does_not_wait() {
    let mut world = World::configured("command: {cooldown: 10m}");
    shows(&world, 555, State::Failed, "2026-01-05T11:59:00Z");
    world.variables.push(("GITHUB_RUN_ATTEMPT", "2".to_owned()));
    let allowed = world.allowed(&world.says("maintainer", "/bench"));
    assert_eq!(allowed.request.origin.unwrap().attempt, 2);
}

#[test]
fn cancel_stops_the_run_that_the_comment_shows() {
    let world = World::new();
    world.repo(|repo| repo.runs.insert(444, run("in_progress")));
    shows(&world, 444, State::Running, "");
    world.nothing(&world.says("maintainer", "/bench cancel"));
    assert_eq!(world.repo(|repo| repo.runs[&444].conclusion.clone()).as_deref(), Some("cancelled"));
    let said = world.bot_says();
    assert!(said[0].starts_with("**The benchmark run was cancelled**"), "{}", said[0]);
    assert_eq!(said[1], "The [run](https://github.com/org/app/actions/runs/444) is being cancelled.");
    assert_eq!(world.reactions(), ["eyes"]);
    // Then there is nothing to cancel, and a new run may start at once.
    assert_eq!(world.nothing(&world.says("maintainer", "/bench cancel")), "nothing is running here");
    world.allowed(&world.says("maintainer", "/bench"));
    world.github.assert_clean();
}

#[test]
fn cancel_names_the_permission_that_is_missing() {
    let world = World::new();
    world.repo(|repo| repo.runs.insert(444, run("in_progress")));
    shows(&world, 444, State::Running, "");
    world.github.with(|state| {
        state.tokens.get_mut(TOKEN).unwrap().writes.remove("actions");
    });
    let because = world.nothing(&world.says("maintainer", "/bench cancel"));
    assert_eq!(
        because,
        "the run cannot be cancelled: the job of `bench-bot` needs `actions: write` among its `permissions:`"
    );
    assert!(world.bot_says()[1].contains("`actions: write`"));
}

#[test]
fn status_tells_what_the_comment_shows() {
    let world = World::new();
    world.nothing(&world.says("maintainer", "/bench status"));
    assert_eq!(world.bot_says(), ["Nothing was measured on this pull request yet."]);
    shows(&world, 444, State::TimedOut, "");
    world.nothing(&world.says("maintainer", "/bench status"));
    let expected = "The last [run](https://github.com/org/app/actions/runs/444) took too long: `a1a1a1a` (head) against \
                    `b0b0b0b` (base).";
    assert!(world.bot_says().contains(&expected.to_owned()), "{:?}", world.bot_says());
}

#[test]
fn a_broken_configuration_is_told_to_those_who_may_and_fails_the_job() {
    let world = World::configured("suite: []");
    let error = world.decide(&world.says("maintainer", "/bench")).unwrap_err().to_string();
    assert_eq!(error, ".github/bench-bot.yml:1:1: suite: unknown key; did you mean `suites`?");
    assert!(world.bot_says()[0].contains("The configuration cannot be used"), "{:?}", world.bot_says());
    assert_eq!(world.reactions(), ["confused"]);
    let world = World::configured("suite: []");
    assert!(world.nothing(&world.says("reader", "/bench")).contains("may not run"));
    assert_eq!(world.bot_says(), Vec::<String>::new());
}

#[test]
fn a_draft_runs_when_somebody_asks_for_it_and_a_locked_one_without_a_comment() {
    let world = World::new();
    world.repo(|repo| repo.pulls.get_mut(&PR).unwrap().draft = true);
    world.allowed(&world.says("maintainer", "/bench"));
    let world = World::new();
    world.repo(|repo| repo.pulls.get_mut(&PR).unwrap().locked = true);
    let allowed = world.allowed(&world.says("maintainer", "/bench"));
    assert_eq!(allowed.warnings[0], "The conversation is locked: the report will be in the step summary.");
    assert_eq!(world.bot_says(), Vec::<String>::new());
    // Closed between the comment and the look at it.
    let world = World::new();
    world.repo(|repo| repo.pulls.get_mut(&PR).unwrap().open = false);
    assert_eq!(world.nothing(&world.says("maintainer", "/bench")), "the pull request is closed");
}

#[test]
fn what_github_refuses_to_show_does_not_stop_a_run() {
    let world = World::new();
    let comment = world.says("maintainer", "/bench");
    world.github.fail(Fault::refuse("POST", "/repos/org/app/issues/comments/*/reactions", 403, "Forbidden"));
    world.github.fail(Fault::refuse("POST", &format!("/repos/org/app/issues/{PR}/comments"), 422, "flagged as spam"));
    let allowed = world.allowed(&comment);
    assert_eq!(allowed.warnings.len(), 2, "{:?}", allowed.warnings);
}

#[test]
fn a_comparison_that_github_cannot_make_is_an_error_and_not_a_guess() {
    let world = World::new();
    let comment = world.says("maintainer", "/bench");
    world.github.fail(Fault::refuse("GET", "/repos/org/app/compare/*", 500, "Server Error").times(9));
    assert!(matches!(world.decide(&comment), Err(GateError::GitHub(_))));
    assert_eq!(world.reactions(), ["confused"]);
    assert_eq!(world.bot_says(), Vec::<String>::new());
}
