//! Pushes, merge queues, forms, the end of another workflow; and what the next job is told.

use super::*;
use bench_bot::gate::announce;

fn push(change: impl FnOnce(&mut Value)) -> Event {
    event("push", "push", |payload| {
        payload["ref"] = json!("refs/heads/main");
        payload["before"] = json!(BASE);
        payload["after"] = json!(TIP);
        change(payload);
    })
}

#[test]
fn a_push_is_compared_with_what_was_there_before() {
    let world = World::configured("rounds: {fixed: 12}");
    let request = world.allowed(&push(|_| {})).request;
    assert_eq!((request.commits.base.sha.as_str(), request.commits.head.sha.as_str()), (BASE, TIP));
    assert_eq!(request.config.rounds, bench_bot::config::Rounds::Fixed(12));
    assert_eq!(request.origin.unwrap().pull_request, None);
    let zeros = "0".repeat(40);
    let new = push(|payload| payload["before"] = json!(zeros));
    assert!(world.nothing(&new).starts_with("a new branch was pushed"));
    let gone = push(|payload| {
        payload["deleted"] = json!(true);
        payload["after"] = json!(zeros);
    });
    assert_eq!(world.nothing(&gone), "a branch was deleted");
    assert_eq!(world.github.writes(), Vec::<String>::new());
}

#[test]
fn a_merge_group_is_compared_with_what_it_goes_into() {
    let world = World::new();
    let group = |action: &str| {
        event("merge_group", "merge_group", |payload| {
            payload["action"] = json!(action);
            let group = &mut payload["merge_group"];
            (group["head_sha"], group["base_sha"], group["base_ref"]) =
                (json!(HEAD), json!(TIP), json!("refs/heads/main"));
        })
    };
    let request = world.allowed(&group("checks_requested")).request;
    assert_eq!((request.commits.base.sha.as_str(), request.commits.head.sha.as_str()), (TIP, HEAD));
    assert_eq!(world.nothing(&group("destroyed")), "the merge group is gone");
    assert_eq!(world.github.writes(), Vec::<String>::new());
}

fn dispatch(inputs: Value) -> Event {
    event("workflow_dispatch", "workflow_dispatch.pull_request", |payload| {
        payload["inputs"] = inputs;
        payload["ref"] = json!("refs/heads/main");
        payload["sender"] = json!({"login": "maintainer", "id": 0, "type": "User"});
    })
}

fn by(world: &World, login: &str, inputs: Value) -> Event {
    let Event::WorkflowDispatch(mut dispatch) = dispatch(inputs) else { panic!("another event") };
    dispatch.sender.login = login.to_owned();
    dispatch.sender.id = world.github.with(|state| state.account(login).id);
    Event::WorkflowDispatch(dispatch)
}

#[test]
fn a_form_names_a_pull_request_or_two_refs() {
    let world = World::configured(TWO_SUITES);
    let request = world.allowed(&by(&world, "maintainer", json!({"pr": "7", "suite": "cli", "base": ""}))).request;
    assert_eq!((request.commits.head.sha.as_str(), request.suites), (HEAD, vec!["cli".to_owned()]));
    assert_eq!(request.origin.unwrap().pull_request, Some(PR));

    world.repo(|repo| {
        repo.refs.insert("tags/v1".to_owned(), BASE.to_owned());
        repo.refs.insert("heads/next".to_owned(), HEAD.to_owned());
    });
    let request = world.allowed(&by(&world, "maintainer", json!({"base": "v1", "head": "next"}))).request;
    assert_eq!((request.commits.base.sha.as_str(), request.commits.head.sha.as_str()), (BASE, HEAD));
    assert!(request.base_explicit);
    // Without a base it is the merge base with the default branch.
    let request = world.allowed(&by(&world, "maintainer", json!({"head": "next"}))).request;
    assert_eq!((request.commits.base.sha.as_str(), request.base_behind), (BASE, Some(1)));
    let error = world.decide(&by(&world, "maintainer", json!({"pr": "7", "head": "next"}))).unwrap_err().to_string();
    assert_eq!(error, "input `head`: \"next\": a pull request has its own head: leave `head` or `pr` empty");
    let error = world.decide(&by(&world, "maintainer", json!({}))).unwrap_err().to_string();
    assert!(error.starts_with("base and head are the same commit"), "{error}");
}

#[test]
fn a_form_is_filled_in_by_somebody_who_may_push() {
    let world = World::configured("command: {permission: read}");
    let error = world.decide(&by(&world, "reader", json!({"pr": "7"}))).unwrap_err().to_string();
    assert_eq!(error, "`reader` may not run benchmarks here: it takes `write`, and they have `read`");
    world.allowed(&by(&world, "maintainer", json!({"pr": "7"})));
}

#[test]
fn a_commit_of_a_fork_that_a_form_names_does_not_run_in_one_job() {
    let mut world = World::new();
    let theirs = "e".repeat(40);
    world.repo(|repo| repo.add_commit(&theirs, "A fork's", &[BASE]));
    let form = by(&world, "maintainer", json!({"base": "main", "head": theirs}));
    assert!(world.allowed(&form).request.origin.unwrap().fork);
    world.form = Form::OneJob;
    let error = world.decide(&form).unwrap_err().to_string();
    assert!(error.contains("docs/examples/comment.yml"), "{error}");
}

/// The end of a workflow that measured the pull request, which comes from a fork.
fn measured(world: &World, change: impl FnOnce(&mut Value)) -> Event {
    world.fork();
    let pull = world.pull_request("opened");
    let Event::PullRequest(pull) = pull else { panic!("another event") };
    let repository = pull.pull_request.head.repo.unwrap();
    event("workflow_run", "workflow_run.fork", |payload| {
        let run = &mut payload["workflow_run"];
        (run["id"], run["run_attempt"], run["head_sha"]) = (json!(444), json!(2), json!(HEAD));
        run["head_branch"] = json!(pull.pull_request.head.reference);
        run["head_repository"]["id"] = json!(repository.id);
        run["head_repository"]["full_name"] = json!(repository.full_name);
        change(payload);
    })
}

#[test]
fn the_pull_request_of_another_workflow_is_told_by_the_event() {
    let mut world = World::new();
    world.form = Form::Report;
    let request = world.allowed(&measured(&world, |_| {})).request;
    assert_eq!((request.commits.base.sha.as_str(), request.commits.head.sha.as_str()), (BASE, HEAD));
    let origin = request.origin.unwrap();
    assert_eq!((origin.run, origin.attempt, origin.pull_request, origin.fork), (444, 2, Some(PR), true));
    assert_eq!(origin.event, "pull_request");
    // Reporting is no acknowledgement.
    assert_eq!(world.github.writes(), Vec::<String>::new());
}

#[test]
fn what_another_workflow_did_for_nobodys_head_is_left_alone() {
    let mut world = World::new();
    world.form = Form::Report;
    let moved = measured(&world, |payload| payload["workflow_run"]["head_sha"] = json!("f".repeat(40)));
    assert_eq!(world.nothing(&moved), "no open pull request has the commit that was measured as its head");
    let foreign = measured(&world, |payload| payload["workflow_run"]["head_repository"]["id"] = json!(1));
    assert_eq!(world.nothing(&foreign), "no open pull request has the commit that was measured as its head");
    let gone = measured(&world, |payload| payload["workflow_run"]["head_repository"] = json!(null));
    assert_eq!(world.nothing(&gone), "no open pull request has the commit that was measured as its head");
    let push = measured(&world, |payload| payload["workflow_run"]["event"] = json!("push"));
    assert_eq!(world.nothing(&push), "the other workflow ran for `push`, not for a pull request");
    let early = measured(&world, |payload| payload["action"] = json!("requested"));
    assert_eq!(world.nothing(&early), "the other workflow has not ended");
}

#[test]
fn one_head_in_two_pull_requests_is_not_guessed() {
    let mut world = World::new();
    world.form = Form::Report;
    let ended = measured(&world, |_| {});
    world.repo(|repo| {
        let mut twin = repo.pulls[&PR].clone();
        twin.number = 8;
        repo.pulls.insert(8, twin);
    });
    let error = world.decide(&ended).unwrap_err().to_string();
    assert_eq!(error, "#7, #8 have the same head: it cannot be told which one was measured");
}

#[test]
fn nothing_is_measured_on_workflow_run() {
    for form in [Form::OneJob, Form::Gate] {
        let world = World { form, ..World::new() };
        let error = world.decide(&measured(&world, |_| {})).unwrap_err().to_string();
        assert!(error.contains("docs/examples/fork-report.yml"), "{error}");
    }
}

#[test]
fn other_events_are_left_alone_and_the_dangerous_one_is_refused() {
    let world = World::new();
    assert_eq!(
        world.nothing(&Event::Other("schedule".to_owned())),
        "the event `schedule` is none that bench-bot answers"
    );
    let error = world.decide(&Event::Other("pull_request_target".to_owned())).unwrap_err().to_string();
    assert!(error.starts_with("on `pull_request_target` a job has a token"), "{error}");
}

/// What `announce` writes: the outputs, and the summary.
fn announced(decision: &Decision) -> (Result<(), GateError>, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let (output, summary) = (dir.path().join("output"), dir.path().join("summary"));
    std::fs::write(&output, "").unwrap();
    std::fs::write(&summary, "").unwrap();
    let variables = [("GITHUB_OUTPUT", &output), ("GITHUB_STEP_SUMMARY", &summary)];
    let runner = Runner::from_variables(variables.map(|(name, path)| (OsString::from(name), path.into())));
    let result = announce(&runner, decision);
    let read = |path| std::fs::read_to_string(path).unwrap();
    (result, read(&output), read(&summary))
}

#[test]
fn the_next_job_is_told_what_was_decided() {
    let world = World::configured(TWO_SUITES);
    let decision = world.decide(&world.pull_request("opened")).unwrap();
    let (result, output, summary) = announced(&decision);
    result.unwrap();
    assert_eq!(summary, "");
    for value in ["true", HEAD, BASE] {
        assert!(output.lines().any(|line| line == value), "{value}\n{output}");
    }
    let json = output.lines().find(|line| line.starts_with('{')).unwrap();
    let Decision::Run(allowed) = decision else { panic!("nothing") };
    assert_eq!(serde_json::from_str::<bench_bot::request::Request>(json).unwrap(), allowed.request);

    let decision = world.decide(&Event::Other("schedule".to_owned())).unwrap();
    let (result, output, summary) = announced(&decision);
    result.unwrap();
    assert!(output.lines().any(|line| line == "false"), "{output}");
    assert_eq!(
        summary.trim(),
        "**Nothing was measured**, because the event `schedule` is none that bench-bot answers."
    );
}

#[test]
fn a_request_that_no_variable_can_hold_is_refused() {
    let world = World::configured("report: {template: t.tera}");
    // Newlines take two bytes in JSON.
    world.file(TIP, "t.tera", &"\n".repeat(bench_bot::config::LIMIT));
    let decision = world.decide(&world.pull_request("opened")).unwrap();
    let error = announced(&decision).0.unwrap_err().to_string();
    assert!(error.contains("shorten the template"), "{error}");
}
