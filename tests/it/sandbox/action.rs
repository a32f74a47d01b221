//! The image as GitHub's runner starts it, on a real Go module against the stand-in of GitHub.
//!
//! Needs, beside what the other tests here need, the image `BENCH_BOT_TEST_IMAGE` and an image `golang:1.20` with any
//! Go in it. The mounts, the environment and the command line are those of `ContainerActionHandler.cs` and
//! `DockerCommandManager.cs` of actions/runner, but for `--network host`: the stand-in listens on loopback only.

use super::*;
use crate::bot::Repo;
use bench_bot::standin::{Options as StandinOptions, Standin, TOKEN};
use serde_json::{Value, json};
use std::process::Output;

const NAME: &str = "acme/words";
const PULL: u64 = 7;

/// What head's test binary looks for before it measures anything. Whatever it finds, it says and fails.
const HUNTER: &str = r#"package words

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func found(what string) {
	fmt.Println("FOUND", what)
	os.Exit(1)
}

func TestMain(m *testing.M) {
	files, _ := filepath.Glob("/proc/*/environ")
	files = append(files, "/bench/tree/.git/config", "/proc/1/cmdline")
	for _, path := range files {
		text, _ := os.ReadFile(path)
		for _, word := range []string{"INPUT_", "GITHUB_", "ACTIONS_", "RUNNER_", "stand-in"} {
			if strings.Contains(string(text), word) {
				found(word + " in " + path)
			}
		}
	}
	for _, path := range []string{"/var/run/docker.sock", "/github", "/home/runner", "/github/file_commands/set_env"} {
		if _, err := os.Stat(path); err == nil {
			found(path)
		}
	}
	for _, path := range []string{"/.bench-bot/launcher", "/etc/passwd", "/usr/local/bin/go"} {
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			f.Close()
			found("writable " + path)
		}
	}
	if len(os.Args) > 1 && strings.Contains(strings.Join(os.Args, " "), "test.bench=") {
		if conn, err := net.Dial("tcp", "GATEWAY:PORT"); err == nil {
			conn.Close()
			found("a network in a round")
		}
	}
	os.Exit(m.Run())
}
"#;

struct Job {
    repo: Repo,
    standin: Standin,
    image: String,
    base: String,
    head: String,
}

/// Files of the module's side, with those of `more`.
fn module(repo: &Repo, side: &str, more: &[(&str, &str)]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/go-module").join(side);
    let mut files: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        files.push((entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()));
    }
    files.extend(more.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    repo.commit(&files)
}

impl Job {
    fn new(test: &str, hunter: &str) -> Option<Self> {
        ready(test)?;
        let image = std::env::var("BENCH_BOT_TEST_IMAGE").ok();
        if image.is_none() {
            eprintln!("SKIPPED {test}: it needs BENCH_BOT_TEST_IMAGE");
        }
        let image = image?;
        let repo = Repo::new();
        let base = module(&repo, "base", &[]);
        repo.git(&["checkout", "--quiet", "-b", "change"]);
        let head = module(&repo, "head", &[("hunter_test.go", hunter)]);
        // As actions/checkout leaves it: the merge commit, detached.
        repo.git(&["checkout", "--quiet", "--detach"]);
        let standin = Standin::start(StandinOptions::default()).unwrap();
        standin.with(|state| {
            state.account("ada");
            let known = state.add_repository(NAME);
            known.commits.clear();
            known.add_commit(&base, "Base", &[]);
            known.add_commit(&head, "Head", &[&base]);
            known.refs.insert("heads/main".to_owned(), base.clone());
            let pull = known.add_pull(PULL, &base, &head);
            "change".clone_into(&mut pull.head_ref);
        });
        for folder in ["temp", "home", "workflow", "commands"] {
            fs::create_dir_all(repo.job().join(folder)).unwrap();
        }
        for file in ["output", "env", "path", "state", "step_summary"] {
            fs::write(repo.job().join("commands").join(file), "").unwrap();
        }
        give(&repo.path());
        Some(Self { repo, standin, image, base, head })
    }

    fn event(&self) -> Value {
        let user = json!({"login": "ada", "id": 1815, "type": "User"});
        let repository = json!({"id": 1001, "full_name": NAME, "name": "words", "fork": false, "private": false,
            "default_branch": "main", "owner": {"login": "acme", "id": 2, "type": "Organization"}});
        let branch = |sha: &str, name: &str| json!({"sha": sha, "ref": name, "label": format!("acme:{name}"), "repo": repository});
        json!({"action": "synchronize", "number": PULL, "repository": repository, "sender": user,
            "pull_request": {"number": PULL, "state": "open", "draft": false, "merged": false, "locked": false,
                "title": "Change", "html_url": "https://github.example/acme/words/pull/7", "user": user,
                "base": branch(&self.base, "main"), "head": branch(&self.head, "change")}})
    }

    /// The command line of the runner.
    fn command(&self, name: &str, inputs: &[(&str, &str)]) -> Command {
        let job = self.repo.job();
        fs::write(job.join("workflow/event.json"), serde_json::to_vec(&self.event()).unwrap()).unwrap();
        let socket = std::env::var("DOCKER_HOST").unwrap_or_else(|_| "unix:///var/run/docker.sock".to_owned());
        let socket = socket.trim_start_matches("unix://").to_owned();
        let mut command = Command::new("docker");
        command.args(["run", "--name", name, "--label", "e88dfa", "--workdir", "/github/workspace", "--rm"]);
        command.args(["--network", "host"]);
        let fixed = [
            ("HOME", "/github/home"),
            ("GITHUB_ACTIONS", "true"),
            ("CI", "true"),
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_EVENT_PATH", "/github/workflow/event.json"),
            ("GITHUB_WORKSPACE", "/github/workspace"),
            ("GITHUB_REPOSITORY", NAME),
            ("GITHUB_SERVER_URL", "https://github.example"),
            ("GITHUB_RUN_ID", "42"),
            ("GITHUB_RUN_ATTEMPT", "1"),
            ("GITHUB_REF", "refs/pull/7/merge"),
            ("GITHUB_BASE_REF", "main"),
            ("GITHUB_HEAD_REF", "change"),
            ("GITHUB_SHA", &self.head),
            ("GITHUB_ACTOR", "ada"),
            ("GITHUB_OUTPUT", "/github/file_commands/output"),
            ("GITHUB_ENV", "/github/file_commands/env"),
            ("GITHUB_PATH", "/github/file_commands/path"),
            ("GITHUB_STATE", "/github/file_commands/state"),
            ("GITHUB_STEP_SUMMARY", "/github/file_commands/step_summary"),
            ("RUNNER_OS", "Linux"),
            ("RUNNER_ARCH", "X64"),
            ("RUNNER_ENVIRONMENT", "github-hosted"),
            ("RUNNER_TEMP", "/github/runner_temp"),
            ("RUNNER_TOOL_CACHE", "/opt/hostedtoolcache"),
            ("ACTIONS_RUNTIME_TOKEN", "stand-in-runtime-token"),
            ("INPUT_TOKEN", TOKEN),
        ];
        for (name, value) in fixed {
            command.args(["-e", &format!("{name}={value}")]);
        }
        command.args(["-e", &format!("GITHUB_API_URL={}", self.standin.url())]);
        command.args(["-e", &format!("GITHUB_GRAPHQL_URL={}", self.standin.graphql_url())]);
        for (name, value) in inputs {
            // As the runner makes the name: upper case, blanks replaced, hyphens kept.
            command.args(["-e", &format!("INPUT_{}={value}", name.to_uppercase().replace(' ', "_"))]);
        }
        let workspace = self.repo.path();
        for (source, target) in [
            (Path::new(&socket), "/var/run/docker.sock"),
            (&job.join("temp"), "/github/runner_temp"),
            (&job.join("home"), "/github/home"),
            (&job.join("workflow"), "/github/workflow"),
            (&job.join("commands"), "/github/file_commands"),
            (&workspace, "/github/workspace"),
        ] {
            command.args(["-v", &format!("{}:{target}", source.display())]);
        }
        command.arg(&self.image);
        command
    }

    fn comments(&self) -> Vec<String> {
        self.standin.with(|state| state.repositories[NAME].comments.iter().map(|note| note.body.clone()).collect())
    }
}

/// Gives a tree to the runner's user.
fn give(folder: &Path) {
    let all = owners(folder).into_iter().map(|(_, path)| path).chain([folder.to_owned()]);
    for path in all {
        std::os::unix::fs::lchown(path, Some(OWNER.0), Some(OWNER.1)).unwrap();
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_pull_request_is_measured_in_containers_and_the_comment_appears() {
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let name = "a_pull_request_is_measured_in_containers_and_the_comment_appears";
    if ready(name).is_none() {
        return;
    }
    let gateway = docker(&["network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}"]);
    let hunter = HUNTER.replace("GATEWAY", gateway.trim()).replace("PORT", &port);
    let Some(job) = Job::new(name, &hunter) else { return };
    let ran =
        job.command("bench-test-action", &[("mode", "run"), ("rounds", "8"), ("fail-on", "never")]).output().unwrap();
    let said = text(&ran);
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(!said.contains("FOUND"), "{said}");
    let comments = job.comments();
    assert_eq!(comments.len(), 1);
    let body = &comments[0];
    for part in ["Join/n=256", "Count", "golang:1.20"] {
        assert!(body.contains(part), "no {part} in {body}");
    }
    assert!(!body.contains("FOUND"));
    let folder = job.repo.path().join("bench-bot-out");
    let results: Value = serde_json::from_slice(&fs::read(folder.join("results.json")).unwrap()).unwrap();
    assert_eq!(results["machine"]["container"], true);
    assert_eq!(results["machine"]["images"]["base"], results["machine"]["images"]["head"]);
    for (uid, path) in owners(&job.repo.path()) {
        assert_eq!(uid, OWNER.0, "{}", path.display());
    }
    assert_eq!(owners(&job.repo.job().join("temp")), [], "the runner's temporary folder is as it was");
    assert_eq!(containers(), [""; 0]);
    for file in ["env", "path", "state"] {
        assert_eq!(fs::read_to_string(job.repo.job().join("commands").join(file)).unwrap(), "", "{file}");
    }
    let output = fs::read_to_string(job.repo.job().join("commands/output")).unwrap();
    assert!(output.contains("bench-bot-out/report.json"), "{output}");
}

/// Where there is no socket, nothing of the pull request is started.
#[test]
fn without_a_socket_nothing_is_run() {
    let Some(job) = Job::new("without_a_socket_nothing_is_run", HUNTER) else { return };
    let mut command = job.command("bench-test-no-socket", &[("mode", "run"), ("rounds", "8")]);
    let args: Vec<_> = command.get_args().map(std::ffi::OsStr::to_owned).collect();
    let mut without = Command::new("docker");
    without.args(args.iter().map(|arg| {
        if arg.to_string_lossy().ends_with(":/var/run/docker.sock") { "/nowhere:/nowhere".into() } else { arg.clone() }
    }));
    command = without;
    let ran = command.output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran));
    assert!(text(&ran).contains("host/action.yml"), "{}", text(&ran));
}

/// The runner cancels with SIGINT and SIGTERM to the container.
#[test]
fn a_cancelled_action_leaves_no_container() {
    let endless = "package words\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {\n\tfor {\n\t}\n}\n";
    let Some(job) = Job::new("a_cancelled_action_leaves_no_container", endless) else { return };
    let mut command = job.command("bench-test-cancelled", &[("mode", "run"), ("rounds", "8")]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !containers().iter().any(|line| line.contains("-head-")) {
        std::thread::yield_now();
    }
    docker(&["kill", "--signal", "TERM", "bench-test-cancelled"]);
    let ran = child.wait_with_output().unwrap();
    assert_eq!(ran.status.code(), Some(143), "{}", text(&ran));
    assert_eq!(containers(), [""; 0]);
    assert_eq!(owners(&job.repo.job().join("temp")), []);
}
