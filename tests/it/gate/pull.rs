//! `pull_request`: what is measured, and by whose policy.

use super::*;
use bench_bot::config::{Isolation, Rounds};
use bench_bot::request::ConfigSource;
use bench_bot::standin::READ_ONLY_TOKEN;

#[test]
fn a_push_to_a_pull_request_is_measured_against_its_merge_base() {
    let world = World::configured("rounds: {fixed: 10}");
    let request = world.allowed(&world.pull_request("synchronize")).request;
    assert_eq!((request.commits.base.sha.as_str(), request.commits.head.sha.as_str()), (BASE, HEAD));
    assert_eq!(request.commits.head.subject, "Head");
    assert_eq!(request.config.rounds, Rounds::Fixed(10));
    assert_eq!(request.origin.unwrap().event, "pull_request");
    assert!(request.notes.is_empty());
    assert!(world.bot_says()[0].starts_with("**Benchmarks are running**"));
    world.github.assert_clean();
}

#[test]
fn drafts_and_closed_ones_are_left_alone() {
    let world = World::new();
    world.repo(|repo| repo.pulls.get_mut(&PR).unwrap().draft = true);
    assert!(world.nothing(&world.pull_request("opened")).starts_with("the pull request is a draft"));
    let world = World::new();
    assert_eq!(world.nothing(&world.pull_request("closed")), "the pull request is closed");
}

#[test]
fn base_can_be_the_tip_or_a_ref() {
    let mut world = World::configured("compare: {base: target}");
    let request = world.allowed(&world.pull_request("opened")).request;
    assert_eq!((request.commits.base.sha.as_str(), request.base_behind), (TIP, Some(0)));
    // An input wins over the file.
    world.repo(|repo| repo.refs.insert("tags/v1".to_owned(), BASE.to_owned()));
    world.inputs.base = Some("v1".to_owned());
    let request = world.allowed(&world.pull_request("opened")).request;
    assert_eq!((request.commits.base.sha.as_str(), request.base_explicit), (BASE, true));
}

#[test]
fn the_same_commit_on_both_sides_is_an_error_unless_they_differ_otherwise() {
    let world = World::new();
    let same = |world: &World| {
        world.repo(|repo| {
            repo.refs.insert("heads/main".to_owned(), HEAD.to_owned());
        });
        world.pull_request("opened")
    };
    let error = world.decide(&same(&world)).unwrap_err().to_string();
    assert_eq!(error, "base and head are the same commit `a1a1a1a`, and both sides of every suite are the same");
    let mut world = World::new();
    world.inputs.calibration = true;
    assert!(world.allowed(&same(&world)).request.calibration);
    let world = World::new();
    world.file(HEAD, CONFIG, "suites: [{run: x, head: {env: {A: 1}}}]");
    world.allowed(&same(&world));
}

#[test]
fn unrelated_histories_are_named() {
    let world = World::new();
    let root = "f".repeat(40);
    world.repo(|repo| {
        repo.add_commit(&root, "Root", &[]);
        repo.pulls.get_mut(&PR).unwrap().head_sha.clone_from(&root);
    });
    let error = world.decide(&world.pull_request("opened")).unwrap_err().to_string();
    assert_eq!(error, "`c0c0c0c` and `fffffff` have no common history: name a base with `base=`");
}

#[test]
fn the_template_comes_from_the_same_commit_as_the_policy() {
    let world = World::configured("report: {template: .github/t.tera}");
    let error = world.decide(&world.pull_request("opened")).unwrap_err().to_string();
    assert_eq!(error, ".github/bench-bot.yml: report.template: there is no .github/t.tera at c0c0c0c");
    world.file(TIP, ".github/t.tera", "hello");
    world.file(HEAD, ".github/t.tera", "evil");
    let request = world.allowed(&world.pull_request("opened")).request;
    assert_eq!(request.config.report.template.unwrap().text, "hello");
}

#[test]
fn a_pull_request_that_changes_the_policy_is_named() {
    let world = World::configured("report: {template: t.tera}");
    world.file(TIP, "t.tera", "hello");
    world.repo(|repo| {
        repo.pulls.get_mut(&PR).unwrap().changed = vec!["src/a.rs".to_owned(), CONFIG.to_owned(), "t.tera".to_owned()];
    });
    let notes = world.allowed(&world.pull_request("opened")).request.notes;
    assert_eq!(
        notes,
        [
            "the pull request changes .github/bench-bot.yml; what the target branch has of it was used",
            "the pull request changes t.tera; what the target branch has of it was used"
        ]
    );
}

/// A configuration that tries to decide more than it may.
const GREEDY: &str = "\
suites:
  - name: codec
    run: make bench
    image: evil:1
    prepare: curl evil
    network: true
    checkout: {submodules: true, extra: [{repo: org/private, ref: main, path: x}]}
    overlay: {from: head, to: base, paths: [x]}
    head: {host: {boost: on}, env: {A: 1}}
isolation: host
report: {fail-on: never, layout: benchcmp}
command: {permission: read}
";

#[test]
fn the_first_time_heads_suites_run_with_default_policy() {
    let world = World::new();
    world.file(HEAD, CONFIG, GREEDY);
    let request = world.allowed(&world.pull_request("opened")).request;
    assert_eq!(request.config_source, ConfigSource::HeadFirstTime(CONFIG.to_owned()));
    let suite = &request.config.suites[0];
    assert_eq!(suite.sides.head.run, "make bench");
    assert_eq!(suite.sides.head.env["A"], "1");
    assert_eq!((&suite.prepare, &suite.overlay), (&None, &None));
    assert_eq!(suite.checkout.extra.len(), 1);
    for side in [&suite.sides.base, &suite.sides.head] {
        assert_eq!((&side.image, side.network, &side.host), (&None, false, &None));
    }
    let default = bench_bot::config::Config::default();
    assert_eq!((&request.config.report, &request.config.command), (&default.report, &default.command));
    assert_eq!(request.config.isolation, Isolation::Auto);
    assert!(request.notes[0].starts_with("main has no .github/bench-bot.yml yet"), "{:?}", request.notes);
}

#[test]
fn a_fork_does_not_have_other_repositories_fetched() {
    let world = World::new();
    world.file(HEAD, CONFIG, GREEDY);
    world.fork();
    let checkout = world.allowed(&world.pull_request("opened")).request.config.suites[0].checkout.clone();
    assert!(checkout.submodules && checkout.extra.is_empty());
}

#[test]
fn a_pull_request_tries_its_own_suites_where_the_policy_lets_it() {
    let policy = "suites-from: head\nsuites: [{name: codec, run: old, image: good:1}]\ncompare: {alpha: 0.01}";
    let world = World::configured(policy);
    world.file(HEAD, CONFIG, GREEDY);
    let request = world.allowed(&world.pull_request("opened")).request;
    let suite = &request.config.suites[0];
    assert_eq!(suite.sides.head.run, "make bench");
    // What decides about machines stays as the target branch has it.
    assert_eq!(suite.sides.head.image.as_deref(), Some("good:1"));
    assert_eq!((suite.sides.head.network, &suite.prepare), (false, &None));
    assert_eq!(request.config.compare.alpha, 0.01);
    assert!(request.notes[0].contains("suites-from: head"), "{:?}", request.notes);
    // Never for a fork.
    let world = World::configured(policy);
    world.file(HEAD, CONFIG, GREEDY);
    world.fork();
    let request = world.allowed(&world.pull_request("opened")).request;
    assert_eq!(request.config.suites[0].sides.head.run, "old");
}

#[test]
fn a_fork_with_a_token_that_can_only_read_is_measured_without_a_comment() {
    let mut world = World::new();
    world.fork();
    world.token = READ_ONLY_TOKEN;
    let allowed = world.allowed(&world.pull_request("opened"));
    assert!(allowed.warnings.is_empty(), "{:?}", allowed.warnings);
    assert!(allowed.request.origin.unwrap().fork);
    assert_eq!(world.bot_says(), Vec::<String>::new());
}

#[test]
fn one_job_refuses_a_fork_beside_a_token_or_on_a_machine_that_stays() {
    let mut world = World::new();
    world.fork();
    world.form = Form::OneJob;
    world.allowed(&world.pull_request("opened"));
    let because = world.nothing(&world.says("maintainer", "/bench"));
    assert!(because.contains("docs/examples/comment.yml"), "{because}");
    world.variables.push(("RUNNER_ENVIRONMENT", "self-hosted".to_owned()));
    let error = world.decide(&world.pull_request("opened")).unwrap_err().to_string();
    assert!(error.starts_with("the code of a fork does not run in one job on a self-hosted runner"), "{error}");
}

#[test]
fn a_deleted_fork_counts_as_a_fork() {
    let world = World::configured("command: {fork-approval: sha}");
    world.repo(|repo| {
        repo.pulls.get_mut(&PR).unwrap().head_repo = bench_bot::standin::state::HeadRepo::Deleted;
    });
    assert!(world.nothing(&world.says("maintainer", "/bench")).contains("comes from a fork"));
    assert!(world.allowed(&world.pull_request("opened")).request.origin.unwrap().fork);
}

#[test]
fn a_comment_is_not_made_where_only_changes_are_to_be_told() {
    let world = World::configured("report: {comment-on: change}");
    world.allowed(&world.pull_request("opened"));
    assert_eq!(world.bot_says(), Vec::<String>::new());
    // Whoever asks gets an answer all the same.
    world.allowed(&world.says("maintainer", "/bench"));
    assert_eq!(world.bot_says().len(), 1);
}
