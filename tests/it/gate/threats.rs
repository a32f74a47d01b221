//! Attacks on the gate, by their number in the list of threats that docs/security.md is about.

use super::*;

#[test]
fn threat_02_the_head_is_pinned_once() {
    let world = World::new();
    let second = "9".repeat(40);
    world.repo(|repo| {
        repo.add_commit(&second, "Pushed meanwhile", &[HEAD]);
        repo.pulls.get_mut(&PR).unwrap().pushes = [second.clone()].into();
    });
    let request = world.allowed(&world.says("maintainer", "/bench")).request;
    assert_eq!(request.commits.head.sha, HEAD);
    assert!(world.bot_says()[0].contains("`a1a1a1a`"));
}

#[test]
fn threat_03_who_may_not_starts_nothing() {
    let world = World::new();
    assert!(world.nothing(&world.says("stranger", "/bench")).contains("may not run"));
    assert!(world.github.writes().iter().all(|write| write.ends_with("/reactions")), "{:?}", world.github.writes());
}

#[test]
fn threat_04_the_association_that_an_event_claims_counts_nothing() {
    let world = World::new();
    let id = world.github.with(|state| state.account("reader").id);
    let claimed = event("issue_comment", "issue_comment.pull_request", |payload| {
        payload["issue"]["number"] = json!(PR);
        payload["comment"]["body"] = json!("/bench");
        payload["comment"]["author_association"] = json!("OWNER");
        payload["comment"]["user"] = json!({"login": "reader", "id": id, "type": "User"});
    });
    assert!(world.nothing(&claimed).contains("they have `read`"));
}

#[test]
fn threat_05_edits_quotes_and_code_are_no_commands() {
    let world = World::new();
    for body in ["> /bench", "```\n/bench\n```", "    /bench", "<!--\n/bench\n-->"] {
        world.nothing(&world.says("maintainer", body));
    }
    let edited = event("issue_comment", "issue_comment.edited", |payload| {
        payload["comment"]["body"] = json!("/bench");
    });
    world.nothing(&edited);
    assert_eq!(world.github.writes(), Vec::<String>::new());
}

#[test]
fn threat_06_our_own_words_start_nothing() {
    let world = World::configured(TWO_SUITES);
    for body in ["/bench help", "/bench status", "/bench nonsense=1", "/bench"] {
        world.decide(&world.says("maintainer", body)).unwrap();
    }
    let bodies: Vec<String> = world.repo(|repo| {
        let ours = repo.comments.iter().filter(|note| note.author.as_deref() == Some("github-actions[bot]"));
        ours.map(|note| note.body.clone()).collect()
    });
    assert_eq!(bodies.len(), 2);
    for body in bodies {
        // As a person would post it, with and without the invisible lines: a token of a person posts as a person.
        let visible: String = body.lines().skip(2).map(|line| format!("{line}\n")).collect();
        for text in [body.as_str(), &visible] {
            assert_eq!(
                world.nothing(&world.says("maintainer", text)),
                "the comment has no line that begins with `/bench`",
                "{text}"
            );
        }
    }
}

#[test]
fn threat_07_what_a_person_writes_is_never_part_of_a_command() {
    let world = World::configured("suites: [{name: codec, run: make bench}]");
    let body = "/bench filter=\"$(touch X);`touch X`\"";
    let request = world.allowed(&world.says("maintainer", body)).request;
    assert_eq!(request.filter, "$(touch X);`touch X`");
    assert_eq!(request.config.suites[0].sides.head.run, "make bench");
    for body in ["/bench $(touch X)", "/bench \"codec; touch X\"", "/bench base=\"$(touch X)\""] {
        world.repo(|repo| repo.comments.clear());
        world.nothing(&world.says("maintainer", body));
    }
}

#[test]
fn threat_08_a_ref_is_no_option_and_no_other_call() {
    let world = World::new();
    for base in ["--upload-pack=touch X", "-x", "../../../user", "a/../b", "refs/heads/main:x", "main~1", "@{-1}"] {
        let because = world.nothing(&world.says("maintainer", &format!("/bench base=\"{base}\"")));
        assert!(because.starts_with("`base=` cannot be"), "{base}: {because}");
    }
    assert!(world.github.exchanges().iter().all(|exchange| !exchange.path.contains("/user")));
}

#[test]
fn threat_22_ten_commands_are_one_run() {
    let mut world = World::new();
    let mut runs = 0;
    for id in 600..610 {
        world.repo(|repo| repo.runs.insert(id, run("in_progress")));
        world.variables.push(("GITHUB_RUN_ID", id.to_string()));
        let decision = world.decide(&world.says("maintainer", "/bench")).unwrap();
        runs += u32::from(matches!(decision, Decision::Run(_)));
    }
    assert_eq!(runs, 1);
    // One comment says that it is running, one answers the nine others.
    assert_eq!(world.bot_says().len(), 2);
}

#[test]
fn threat_25_policy_is_the_target_branchs() {
    let world = World::configured("compare: {threshold: 1%}\ncommand: {permission: admin}");
    let lax = "compare: {threshold: 90%}\ncommand: {permission: read}\nreport: {fail-on: never}";
    for commit in [HEAD, BASE] {
        world.file(commit, CONFIG, lax);
    }
    let request = world.allowed(&world.pull_request("opened")).request;
    assert_eq!(request.config.compare.threshold, 0.01);
    assert!(world.nothing(&world.says("maintainer", "/bench")).contains("it takes `admin`"));
    // Nor does a base that the author of the command chooses.
    world.repo(|repo| repo.roles.insert("maintainer".to_owned(), "admin".to_owned()));
    world.repo(|repo| repo.comments.clear());
    let request = world.allowed(&world.says("maintainer", &format!("/bench base={BASE}"))).request;
    assert_eq!(request.config.compare.threshold, 0.01);
}

#[test]
fn threat_26_the_merge_commit_is_never_measured() {
    let mut world = World::new();
    world.variables.push(("GITHUB_SHA", "5".repeat(40)));
    world.variables.push(("GITHUB_REF", format!("refs/pull/{PR}/merge")));
    let request = world.allowed(&world.pull_request("opened")).request;
    assert_eq!((request.commits.base.sha.as_str(), request.commits.head.sha.as_str()), (BASE, HEAD));
}
