//! The forms of the action: one job, one job without a checkout, three jobs; and how they end.

use super::*;

#[test]
fn a_pull_request_is_measured_in_containers_and_the_comment_appears() {
    let name = "a_pull_request_is_measured_in_containers_and_the_comment_appears";
    if ready(name).is_none() {
        return;
    }
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let gateway = docker(&["network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}"]);
    let hunter = HUNTER.replace("GATEWAY", gateway.trim()).replace("PORT", &port);
    let Some(mut job) = Job::new(name, Some(&hunter)) else { return };
    // A step before this one set up a toolchain that no container has.
    job.more = ["-e", "pythonLocation=/opt/hostedtoolcache/Python/3.12.1/x64"].map(str::to_owned).into();
    let said = job.step("bench-test-action", &[("mode", "run"), ("rounds", "8"), ("fail-on", "never")]);
    assert!(!said.contains("FOUND"), "{said}");
    let comments = job.comments();
    assert_eq!(comments.len(), 1);
    let body = &comments[0];
    // The image that base's go.mod asks for, and why it; and what the job has that is not used.
    for part in ["Join/n=256", "Count", "golang:1.20", "by what base's files ask for", "host/action.yml"] {
        assert!(body.contains(part), "no {part} in {body}");
    }
    assert!(!body.contains("FOUND"));
    let machine = &job.results()["machine"];
    assert_eq!(machine["container"], true);
    assert_eq!(machine["images"]["base"], machine["images"]["head"]);
    assert!(machine["images"]["base"].as_str().unwrap().contains("sha256:"), "{machine}");
    assert_eq!(job.output("report-json"), "bench-bot-out/report.json");
    job.assert_tidy();
}

/// `uses: org/bench-bot` and nothing else: the two commits are fetched with the job's token, which is on no disk.
#[test]
fn a_workspace_without_a_checkout_is_enough() {
    let Some(mut job) = Job::new("a_workspace_without_a_checkout_is_enough", None) else { return };
    let server = GitServer::of(&job);
    job.server.clone_from(&server.url);
    job.image += "-ca";
    job.workspace = job.repo.job().join("workspace");
    fs::create_dir(&job.workspace).unwrap();
    give(&job.workspace);
    job.step("bench-test-empty", &[("rounds", "8")]);
    assert!(job.comments()[0].contains("Join/n=256"), "{:?}", job.comments());
    assert!(!job.workspace.join(".git").exists());
    job.assert_tidy();
    // The server does want the token.
    let ran = job.command("bench-test-empty", &[("rounds", "8"), ("token", "another")]).output().unwrap();
    assert_ne!(ran.status.code(), Some(0), "{}", text(&ran));
}

#[test]
fn three_jobs_measure_in_containers_beside_the_runners_own_token() {
    let Some(job) = Job::new("three_jobs_measure_in_containers_beside_the_runners_own_token", None) else { return };
    job.step("bench-test-gate", &[("mode", "gate"), ("rounds", "8")]);
    assert_eq!(job.output("head-sha"), job.head);
    let request = job.output("request");
    // As docs/examples/hardened.yml has it. The runner's own token is there all the same: no command may be beside it.
    let measure = [("mode", "measure"), ("request", request.as_str()), ("token", "")];
    let mut on_host = measure.to_vec();
    on_host.push(("isolation", "host"));
    let ran = job.command("bench-test-host", &on_host).output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran));
    assert!(text(&ran).contains("ACTIONS_RUNTIME_TOKEN") && !text(&ran).contains("stand-in-runtime-token"));
    job.step("bench-test-measure", &measure);
    assert_eq!(job.results()["machine"]["container"], true);
    job.assert_tidy();
    let report = [("mode", "report"), ("request", request.as_str()), ("results", "bench-bot-out/results.json")];
    job.step("bench-test-report", &report);
    let comments = job.comments();
    assert_eq!(comments.len(), 1);
    assert!(comments[0].contains("Join/n=256") && comments[0].contains("golang:1.20"), "{}", comments[0]);
    job.assert_tidy();
}

/// Where there is no socket, nothing of the pull request is started.
#[test]
fn without_a_socket_nothing_is_run() {
    let Some(mut job) = Job::new("without_a_socket_nothing_is_run", None) else { return };
    job.more = ["-e", "DOCKER_HOST=unix:///nowhere.sock"].map(str::to_owned).into();
    let ran = job.command("bench-test-no-socket", &[("mode", "run"), ("rounds", "8")]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran));
    assert!(text(&ran).contains("host/action.yml"), "{}", text(&ran));
}

/// The runner cancels with SIGINT, and SIGTERM 7.5 s later, to the container.
#[test]
fn a_cancelled_action_leaves_no_container_and_says_so() {
    let Some(job) = Job::new("a_cancelled_action_leaves_no_container_and_says_so", None) else { return };
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let mut command = job.command("bench-test-cancelled", &[("mode", "run"), ("rounds", "8")]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // When head's container is frozen, base's setup begins.
        let mut events = Command::new("docker")
            .args(["events", "--since", "0", "--filter", "event=pause", "--format", "{{.Actor.Attributes.name}}"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = std::io::BufRead::lines(std::io::BufReader::new(events.stdout.take().unwrap()));
        let runs = |name: &str| containers().iter().any(|line| line.split(' ').next() == Some(name));
        assert!(lines.map_while(Result::ok).any(|name| name.contains("-head-") && runs(&name)));
        events.kill().unwrap();
        events.wait().unwrap();
        docker(&["kill", "--signal", signal, "bench-test-cancelled"]);
        let ran = child.wait_with_output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{}", text(&ran));
        assert!(job.comments()[0].contains("\"state\":\"cancelled\""), "{:?}", job.comments());
        job.assert_tidy();
    }
}
