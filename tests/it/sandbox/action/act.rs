//! The same through act, another runner of workflows: a file of docs/examples as it is, with the local action.

use super::*;

const WORKFLOW: &str = "pull-request.yml";

/// The `uses:` of a workflow's steps.
fn actions(workflow: &str) -> Vec<String> {
    let used = workflow.lines().filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix("uses: "));
    used.filter_map(|rest| rest.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn a_workflow_of_the_examples_comments_under_act() {
    let Some(job) = Job::new("a_workflow_of_the_examples_comments_under_act", None) else { return };
    let Some(act) = std::env::var_os("BENCH_BOT_TEST_ACT") else {
        eprintln!("SKIPPED a_workflow_of_the_examples_comments_under_act: it needs BENCH_BOT_TEST_ACT");
        return;
    };
    job.policy("rounds: {fixed: 8}\n");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    // As a release has it: the image that was built, in place of the Dockerfile.
    let image = format!("image: docker://{}-ca", job.image);
    let action = fs::read_to_string(root.join("action.yml")).unwrap().replace("image: Dockerfile", &image);
    assert!(action.contains(&image));
    put("action/action.yml", &action);
    put(
        "upload/action.yml",
        "name: upload\ninputs: {name: {}, path: {}, overwrite: {}, retention-days: {}, if-no-files-found: {}}\n\
         runs: {using: composite, steps: [{shell: bash, run: 'test -s bench-bot-out/report.json && echo kept'}]}\n",
    );
    let workflow = fs::read_to_string(root.join("docs/examples").join(WORKFLOW)).unwrap();
    let file = put("workflow.yml", &workflow);
    let event = put("event.json", &job.event().to_string());
    let server = GitServer::of(&job);
    let socket = std::env::var("DOCKER_HOST").unwrap();

    let mut command = Command::new(act);
    command.current_dir(job.repo.path()).env("HOME", folder.path()).arg("pull_request");
    command.arg("--workflows").arg(file).arg("--eventpath").arg(event);
    command.args(["--platform", "ubuntu-24.04=debian:bookworm-slim", "--pull=false", "--action-offline-mode"]);
    command.args(["--container-daemon-socket", &socket, "--secret", &format!("GITHUB_TOKEN={TOKEN}")]);
    for used in actions(&workflow) {
        let name = if used.starts_with("org/bench-bot@") { "action" } else { "upload" };
        command.arg("--local-repository").arg(format!("{used}={}", folder.path().join(name).display()));
    }
    for (name, value) in [
        ("GITHUB_API_URL", job.standin.url().as_str()),
        ("GITHUB_GRAPHQL_URL", &job.standin.graphql_url()),
        ("GITHUB_SERVER_URL", &server.url),
        ("RUNNER_ENVIRONMENT", "github-hosted"),
    ] {
        command.args(["--env", &format!("{name}={value}")]);
    }
    let ran = command.output().unwrap();
    let said = text(&ran);
    assert_eq!(ran.status.code(), Some(0), "{said}");
    let comments = job.comments();
    assert_eq!(comments.len(), 1, "{said}");
    assert!(comments[0].contains("Join/n=256") && comments[0].contains("golang:1.20"), "{}", comments[0]);
    assert!(said.contains("kept"), "the step after ours finds the report: {said}");
    assert!(!said.contains(TOKEN), "{said}");
    assert_eq!(containers(), [""; 0]);
}
