//! The image as GitHub's runner starts it, on a real Go module against the stand-in of GitHub.
//!
//! Needs, beside what the other tests here need, the image `BENCH_BOT_TEST_IMAGE` and an image `golang:1.20` with any
//! Go in it. The mounts, the environment and the command line are those of
//! `src/Runner.Worker/Handlers/ContainerActionHandler.cs` and `src/Runner.Worker/Container/DockerCommandManager.cs`
//! (`DockerRun`) of <https://github.com/actions/runner>, but for `--network host`: the stand-in listens on loopback only.

mod act;
mod forms;
mod knobs;

use super::*;
use crate::bot::Repo;
use bench_bot::standin::{Options as StandinOptions, Standin, TOKEN};
use serde_json::{Value, json};
use std::process::{Child, Output, Stdio};

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
    /// What the job finds at `/github/workspace`.
    workspace: PathBuf,
    server: String,
    /// More words for `docker run`, before the image.
    more: Vec<String>,
    /// What a server has: `acme/words.git`.
    served: TempDir,
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
    /// A pull request that makes the module faster, and puts `hunter` beside its tests.
    fn new(test: &str, hunter: Option<&str>) -> Option<Self> {
        ready(test)?;
        let image = std::env::var("BENCH_BOT_TEST_IMAGE").ok();
        if image.is_none() {
            eprintln!("SKIPPED {test}: it needs BENCH_BOT_TEST_IMAGE");
        }
        let image = image?;
        let repo = Repo::new();
        let base = module(&repo, "base", &[]);
        repo.git(&["checkout", "--quiet", "-b", "change"]);
        let more: Vec<(&str, &str)> = hunter.iter().map(|text| ("hunter_test.go", *text)).collect();
        let head = module(&repo, "head", &more);
        // As actions/checkout leaves it: detached.
        repo.git(&["checkout", "--quiet", "--detach"]);
        repo.git(&["remote", "add", "origin", &format!("https://github.com/{NAME}")]);
        let served = tempfile::tempdir().unwrap();
        let bare = served.path().join(format!("{NAME}.git"));
        repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
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
        give(&repo.path());
        let (workspace, server) = (repo.path(), "https://github.example".to_owned());
        let job = Self { repo, standin, image, base, head, workspace, server, more: Vec::new(), served };
        job.clear();
        Some(job)
    }

    /// Puts a configuration on the target branch.
    fn policy(&self, config: &str) {
        self.standin.with(|state| {
            let known = state.repositories.get_mut(NAME).unwrap();
            for commit in [&self.base, &self.head] {
                let file = (commit.clone(), ".github/bench-bot.yml".to_owned());
                known.files.insert(file, config.as_bytes().to_vec());
            }
        });
    }

    /// New files for the commands of the next step.
    fn clear(&self) {
        for file in ["output", "env", "path", "state", "step_summary"] {
            fs::write(self.commands(file), "").unwrap();
        }
    }

    fn commands(&self, file: &str) -> PathBuf {
        self.repo.job().join("commands").join(file)
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

    /// Variables of the job and the inputs of the step, as the runner hands them to an action's container.
    fn variables(&self, inputs: &[(&str, &str)]) -> Vec<(String, String)> {
        let fixed = [
            ("HOME", "/github/home"),
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_EVENT_PATH", "/github/workflow/event.json"),
            ("GITHUB_WORKSPACE", "/github/workspace"),
            ("GITHUB_REPOSITORY", NAME),
            ("GITHUB_SERVER_URL", &self.server),
            ("GITHUB_API_URL", &self.standin.url()),
            ("GITHUB_GRAPHQL_URL", &self.standin.graphql_url()),
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
            // In every container action, whatever the permissions of the job are.
            ("ACTIONS_RUNTIME_TOKEN", "stand-in-runtime-token"),
        ];
        let mut all: Vec<(String, String)> = fixed.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        if !inputs.iter().any(|(name, _)| *name == "token") {
            all.push(("INPUT_TOKEN".to_owned(), TOKEN.to_owned()));
        }
        // As the runner makes the name: upper case, blanks replaced, hyphens kept.
        let named = |name: &str| format!("INPUT_{}", name.to_uppercase().replace(' ', "_"));
        all.extend(inputs.iter().map(|(name, value)| (named(name), (*value).to_owned())));
        all
    }

    /// The command line of the runner.
    fn command(&self, name: &str, inputs: &[(&str, &str)]) -> Command {
        let job = self.repo.job();
        fs::write(job.join("workflow/event.json"), serde_json::to_vec(&self.event()).unwrap()).unwrap();
        let socket = std::env::var("DOCKER_HOST").unwrap_or_else(|_| "unix:///var/run/docker.sock".to_owned());
        let mut command = Command::new("docker");
        command.args(["run", "--name", name, "--label", "e88dfa", "--workdir", "/github/workspace", "--rm"]);
        command.args(["--network", "host"]);
        for (name, value) in self.variables(inputs) {
            // The value comes through the client's environment.
            command.args(["-e", &name]).env(&name, value);
        }
        command.args(["-e", "GITHUB_ACTIONS=true", "-e", "CI=true"]);
        for (source, target) in [
            (Path::new(socket.trim_start_matches("unix://")), "/var/run/docker.sock"),
            (&job.join("temp"), "/github/runner_temp"),
            (&job.join("home"), "/github/home"),
            (&job.join("workflow"), "/github/workflow"),
            (&job.join("commands"), "/github/file_commands"),
            (&self.workspace, "/github/workspace"),
        ] {
            command.args(["-v", &format!("{}:{target}", source.display())]);
        }
        command.args(&self.more).arg(&self.image);
        command
    }

    /// Runs a step to its end, which must be good.
    fn step(&self, name: &str, inputs: &[(&str, &str)]) -> String {
        self.clear();
        let ran = self.command(name, inputs).output().unwrap();
        let said = text(&ran);
        assert_eq!(ran.status.code(), Some(0), "{said}");
        said
    }

    fn comments(&self) -> Vec<String> {
        self.standin.with(|state| state.repositories[NAME].comments.iter().map(|note| note.body.clone()).collect())
    }

    /// An output of the last step.
    fn output(&self, name: &str) -> String {
        let text = fs::read_to_string(self.commands("output")).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some((found, word)) = line.split_once("<<") {
                let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
                if found == name {
                    return value.join("\n");
                }
            }
        }
        panic!("no output {name} in {text}")
    }

    fn results(&self) -> Value {
        serde_json::from_slice(&fs::read(self.workspace.join("bench-bot-out/results.json")).unwrap()).unwrap()
    }

    /// What every run leaves: its folder, which belongs to the workspace's owner, and nothing else.
    #[track_caller]
    fn assert_tidy(&self) {
        for (uid, path) in owners(&self.workspace) {
            assert_eq!(uid, OWNER.0, "{}", path.display());
        }
        assert_eq!(owners(&self.repo.job().join("temp")), [], "the runner's temporary folder is as it was");
        assert_eq!(containers(), [""; 0]);
        for file in ["env", "path", "state"] {
            assert_eq!(fs::read_to_string(self.commands(file)).unwrap(), "", "{file}");
        }
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

/// The repository on a server that speaks https, as GitHub's, to those who have the token.
struct GitServer {
    child: Child,
    url: String,
}

impl GitServer {
    fn of(job: &Job) -> Self {
        use std::io::BufRead;
        let tls = PathBuf::from(std::env::var_os("BENCH_BOT_TEST_TLS").expect("tests/container/run.sh sets it"));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/container/git-server.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg(job.served.path())
            .args([tls.join("server.pem"), tls.join("server.key")])
            .arg(TOKEN)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        std::io::BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("https://127.0.0.1:{}", port.trim()) }
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
