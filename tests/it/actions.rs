//! bench-bot in a job of GitHub Actions: the built program, real git and processes, the stand-in over real HTTP.

mod asked;
mod composite;
mod ends;
mod refused;
mod shards;
mod threats;
mod workflows;

use crate::bot::{CONFIG, Ran, Repo, prints};
use crate::github::openapi;
use bench_bot::github::comment::Meta;
use bench_bot::standin::state::{Kept, Run};
use bench_bot::standin::{Options, Standin, TOKEN};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

const NAME: &str = "acme/words";
const PULL: u64 = 7;

/// A repository on disk and at the stand-in, with a pull request from `main` to `change`.
struct Site {
    repo: Repo,
    standin: Standin,
    base: String,
    head: String,
}

impl Site {
    fn of(repo: Repo) -> Self {
        let standin = Standin::start(Options { observer: Some(openapi::observer()), ..Options::default() }).unwrap();
        let (base, head) = (repo.git(&["rev-parse", "main"]), repo.git(&["rev-parse", "change"]));
        let config = repo.path().join(".github/bench-bot.yml");
        standin.with(|state| {
            state.account("ada");
            state.accounts.get_mut("ada").unwrap().id = 1815;
            let known = state.add_repository(NAME);
            known.commits.clear();
            known.add_commit(&base, "Base", &[]);
            known.add_commit(&head, "Head", &[&base]);
            known.refs.insert("heads/main".to_owned(), base.clone());
            known.roles.insert("ada".to_owned(), "write".to_owned());
            if let Ok(config) = fs::read(config) {
                for commit in [&base, &head] {
                    known.files.insert((commit.clone(), ".github/bench-bot.yml".to_owned()), config.clone());
                }
            }
            let pull = known.add_pull(PULL, &base, &head);
            "change".clone_into(&mut pull.head_ref);
        });
        Self { repo, standin, base, head }
    }

    fn scripts(base: &str, head: &str) -> Self {
        Self::of(Repo::of_scripts(base, head))
    }

    fn repository() -> Value {
        json!({"id": 1001, "full_name": NAME, "name": "words", "fork": false, "private": false, "default_branch": "main",
            "owner": {"login": "acme", "id": 2, "type": "Organization"}})
    }

    fn pull_request(&self) -> Value {
        let user = json!({"login": "ada", "id": 1815, "type": "User"});
        let branch = |sha: &str, name: &str| json!({"sha": sha, "ref": name, "label": format!("acme:{name}"), "repo": Self::repository()});
        json!({"action": "synchronize", "number": PULL, "repository": Self::repository(), "sender": user,
            "pull_request": {"number": PULL, "state": "open", "draft": false, "merged": false, "locked": false,
                "title": "Change", "html_url": "https://github.example/acme/words/pull/7", "user": user,
                "base": branch(&self.base, "main"), "head": branch(&self.head, "change")}})
    }

    /// The program as the runner starts it for an event.
    fn job(&self, event: &str, payload: &Value, run: u64, inputs: &[(&str, &str)]) -> Command {
        let mut command = self.repo.bot(&[]);
        let job = self.repo.job();
        fs::write(job.join("event.json"), serde_json::to_vec(payload).unwrap()).unwrap();
        for file in ["output", "summary.md"] {
            fs::write(job.join(file), "").unwrap();
        }
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", event)
            .env("GITHUB_EVENT_PATH", job.join("event.json"))
            .env("GITHUB_OUTPUT", job.join("output"))
            .env("GITHUB_STEP_SUMMARY", job.join("summary.md"))
            .env("GITHUB_WORKSPACE", self.repo.path())
            .env("GITHUB_REPOSITORY", NAME)
            .env("GITHUB_API_URL", self.standin.url())
            .env("GITHUB_GRAPHQL_URL", self.standin.graphql_url())
            .env("GITHUB_SERVER_URL", "https://github.example")
            .env("GITHUB_RUN_ID", run.to_string())
            .env("GITHUB_RUN_ATTEMPT", "1")
            .env("RUNNER_TEMP", self.repo.tmp())
            .env("RUNNER_ENVIRONMENT", "github-hosted");
        for (name, value) in inputs {
            command.env(format!("INPUT_{}", name.to_uppercase()), value);
        }
        command
    }

    fn output(&self, name: &str) -> String {
        let text = fs::read_to_string(self.repo.job().join("output")).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some((found, word)) = line.split_once("<<") {
                let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
                if found == name {
                    return value.join("\n");
                }
            } else if let Some((found, value)) = line.split_once('=')
                && found == name
            {
                return value.to_owned();
            }
        }
        panic!("no output {name} in {text}")
    }

    fn comments(&self) -> Vec<(u64, String, String)> {
        self.standin.with(|state| {
            let notes = &state.repositories[NAME].comments;
            notes.iter().map(|note| (note.id, note.author.clone().unwrap_or_default(), note.body.clone())).collect()
        })
    }
}

/// The three-job form.
impl Site {
    /// The gate's request, for the pull request.
    fn gate(&self, run: u64) -> String {
        Ran::of(self.job("pull_request", &self.pull_request(), run, &[("token", TOKEN), ("mode", "gate")])).expect(0);
        self.output("request")
    }

    /// The measuring job: on the host, and without a token. The results file.
    fn measure(&self, run: u64, request: &str, inputs: &[(&str, &str)]) -> std::path::PathBuf {
        let mut all = vec![("mode", "measure"), ("request", request), ("isolation", "host")];
        all.extend(inputs);
        Ran::of(self.job("pull_request", &json!({}), run, &all)).expect(0);
        self.repo.path().join("bench-bot-out/results.json")
    }

    fn report(&self, run: u64, request: &str, inputs: &[(&str, &str)]) -> Command {
        let mut all = vec![("mode", "report"), ("request", request)];
        if !inputs.iter().any(|(name, _)| *name == "token") {
            all.push(("token", TOKEN));
        }
        all.extend(inputs);
        self.job("pull_request", &self.pull_request(), run, &all)
    }

    /// Keeps a file as an artifact of a run.
    fn keep(&self, run: u64, name: &str, file: &[u8]) {
        let archive = archive(file);
        self.standin.with(|state| {
            let id = state.number();
            let head_sha = self.head.clone();
            let known = state.repositories.get_mut(NAME).unwrap();
            known.runs.entry(run).or_insert_with(|| Run {
                event: "pull_request".to_owned(),
                status: "in_progress".to_owned(),
                conclusion: None,
                head_branch: "change".to_owned(),
                head_sha,
            });
            known.artifacts.push(Kept { id, name: name.to_owned(), run, archive, expired: false, digest: None });
        });
    }

    /// The three stages for an event, each in a process of its own: how the last one ended. The form in one job needs
    /// containers (`tests/it/sandbox/action.rs`).
    fn stages(&self, event: &str, payload: &Value, run: u64) -> Ran {
        Ran::of(self.job(event, payload, run, &[("token", TOKEN), ("mode", "gate")])).expect(0);
        let request = self.output("request");
        let results = self.measure(run, &request, &[]);
        let inputs =
            [("token", TOKEN), ("mode", "report"), ("request", &request), ("results", results.to_str().unwrap())];
        Ran::of(self.job(event, payload, run, &inputs))
    }

    /// The three stages for the pull request.
    fn measured(&self, run: u64) -> Ran {
        self.stages("pull_request", &self.pull_request(), run)
    }

    /// The one comment, and what it says of its run.
    #[track_caller]
    fn comment(&self) -> (String, Meta) {
        let mut ours = self.comments();
        ours.retain(|comment| comment.2.starts_with("<!-- bench-bot:result"));
        assert_eq!(ours.len(), 1, "{ours:?}");
        let body = ours.remove(0).2;
        let meta = Meta::of(&body).unwrap();
        (body, meta)
    }

    fn summary(&self) -> String {
        fs::read_to_string(self.repo.job().join("summary.md")).unwrap()
    }
}

/// A zip archive of `results.json`, as the upload action makes it.
pub(crate) fn archive(file: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("results.json", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(file).unwrap();
    zip.finish().unwrap().into_inner()
}

fn slower() -> Site {
    Site::scripts(&prints(&["A 10 100 ns/op"]), &prints(&["A 10 150 ns/op"]))
}

#[test]
fn the_first_run_comments_and_the_second_edits() {
    let site = slower();
    site.measured(1).expect(0);
    let first = site.comments();
    assert_eq!(first.len(), 1);
    assert!(first[0].2.contains("+50.0%"), "{}", first[0].2);
    assert_eq!(
        (site.output("verdict"), site.output("regressions"), site.output("improvements")),
        ("regression".into(), "1".into(), "0".into())
    );
    assert!(site.output("comment-url").contains("issuecomment"));
    assert_eq!(site.output("report-json"), "bench-bot-out/report.json");
    assert!(site.repo.path().join("bench-bot-out/report.json").is_file());
    let summary = fs::read_to_string(site.repo.job().join("summary.md")).unwrap();
    assert!(summary.contains("+50.0%"), "{summary}");
    site.measured(2).expect(0);
    let second = site.comments();
    assert_eq!((second.len(), second[0].0), (1, first[0].0));
    assert!(second[0].2.contains("\"run\":2"), "{}", second[0].2);
    site.standin.assert_clean();
}

#[test]
fn a_real_go_module_is_measured_for_a_pull_request_without_configuration() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/go-module");
    let repo = Repo::new();
    for side in ["base", "head"] {
        let files = ["go.mod", "words.go", "words_test.go"]
            .map(|name| (name, fs::read_to_string(data.join(side).join(name)).unwrap()));
        repo.commit(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
        if side == "base" {
            repo.git(&["checkout", "--quiet", "-b", "change"]);
        }
    }
    let site = Site::of(repo);
    let gate =
        site.job("pull_request", &site.pull_request(), 1, &[("token", TOKEN), ("mode", "gate"), ("rounds", "8")]);
    Ran::of(gate).expect(0);
    let request = site.output("request");
    let results = site.measure(1, &request, &[]);
    Ran::of(site.report(1, &request, &[("results", results.to_str().unwrap())])).expect(0);
    let comments = site.comments();
    assert_eq!(comments.len(), 1);
    assert!(comments[0].2.contains("Join/n=256") && comments[0].2.contains("allocs/op"), "{}", comments[0].2);
    assert_ne!(site.output("improvements"), "0");
    site.standin.assert_clean();
}

#[test]
fn a_human_who_quotes_the_marker_is_left_alone_and_our_comment_is_found_on_page_two() {
    let site = slower();
    let marker = "<!-- bench-bot:result key=\"bench\" -->";
    site.standin.with(|state| {
        for number in 0..129 {
            let body = if number == 3 { format!("{marker}\nI quote the bot") } else { format!("comment {number}") };
            state.add_comment(NAME, PULL, "octocat", &body);
        }
        state.add_comment(NAME, PULL, "github-actions[bot]", &format!("{marker}\nan old report"));
    });
    site.measured(1).expect(0);
    let comments = site.comments();
    assert_eq!(comments.len(), 130);
    assert!(comments[3].2.ends_with("I quote the bot"));
    assert!(comments[129].2.contains("+50.0%"), "{}", comments[129].2);
    site.standin.assert_clean();
}

#[test]
fn a_token_beside_the_code_of_a_pull_request_is_refused() {
    let site = slower();
    let inputs = [("token", TOKEN)];
    let mut command = site.job("pull_request", &site.pull_request(), 1, &inputs);
    command.env("DOCKER_HOST", "unix:///nonexistent/docker.sock");
    Ran::of(command).expect(2).says("no Docker socket").says("host/action.yml");
    let inputs = [("token", TOKEN), ("isolation", "host")];
    Ran::of(site.job("pull_request", &site.pull_request(), 1, &inputs)).expect(2).says("INPUT_TOKEN");
    // Nor in the measuring job of three, whatever the token is called.
    let request = site.gate(1);
    let inputs = [("mode", "measure"), ("request", &request), ("isolation", "host")];
    let mut command = site.job("pull_request", &json!({}), 1, &inputs);
    command.env("ACTIONS_RUNTIME_TOKEN", "secret");
    Ran::of(command).expect(2).says("ACTIONS_RUNTIME_TOKEN");
    assert!(!site.repo.path().join("bench-bot-out").join("results.json").exists());
}

#[test]
fn a_push_gives_a_summary_and_no_comment() {
    let site = slower();
    let payload = json!({"ref": "refs/heads/main", "before": site.base, "after": site.head, "deleted": false, "created": false,
        "forced": false, "repository": Site::repository(), "sender": {"login": "ada", "id": 1815, "type": "User"}});
    site.stages("push", &payload, 1).expect(0);
    assert!(site.comments().is_empty());
    let summary = fs::read_to_string(site.repo.job().join("summary.md")).unwrap();
    assert!(summary.contains("+50.0%"), "{summary}");
}

#[test]
fn a_failing_command_is_told_in_the_comment_and_never_green() {
    let site = Site::scripts(&prints(&["A 10 100 ns/op"]), "echo '@octocat `oops`' >&2; exit 1\n");
    site.measured(1).expect(3);
    let comments = site.comments();
    assert_eq!(comments.len(), 1);
    let body = &comments[0].2;
    assert!(body.contains("Nothing could be compared") && body.contains("oops"), "{body}");
    let meta = bench_bot::github::comment::Meta::of(body).unwrap();
    assert_eq!(meta.state, bench_bot::github::comment::State::NothingMeasured);
    assert!(!body.contains('🟢'), "{body}");
}

#[test]
fn three_jobs_share_two_files_and_only_two_of_them_a_token() {
    let site = slower();
    let mut gate = site.job("pull_request", &site.pull_request(), 5, &[("token", TOKEN), ("mode", "gate")]);
    gate.env("GITHUB_JOB", "gate");
    Ran::of(gate).expect(0);
    assert_eq!((site.output("run"), site.output("head-sha")), ("true".to_owned(), site.head.clone()));
    let request = site.output("request");
    assert!(site.comments()[0].2.contains("\"state\":\"running\""), "{}", site.comments()[0].2);

    let measure =
        site.job("pull_request", &json!({}), 5, &[("mode", "measure"), ("request", &request), ("isolation", "host")]);
    Ran::of(measure).expect(0);
    let results = site.repo.path().join("bench-bot-out/results.json");
    assert!(results.is_file());

    let path = results.to_str().unwrap();
    let inputs =
        [("token", TOKEN), ("mode", "report"), ("request", &request), ("results", path), ("measure-result", "success")];
    Ran::of(site.job("pull_request", &site.pull_request(), 5, &inputs)).expect(0);
    let comments = site.comments();
    assert_eq!(comments.len(), 1);
    assert!(comments[0].2.contains("+50.0%") && comments[0].2.contains("\"state\":\"done\""), "{}", comments[0].2);
    // Only the job that measured has the commits.
    assert!(comments[0].2.contains("benchmark source differs: `bench.sh`"), "{}", comments[0].2);

    // Results of another commit are refused, and the comment does not stay green.
    let text = fs::read_to_string(&results).unwrap().replace(&site.head, &"e".repeat(40));
    fs::write(&results, text).unwrap();
    Ran::of(site.job("pull_request", &site.pull_request(), 5, &inputs)).expect(2).says("another commit");
    assert!(site.comments()[0].2.contains("\"state\":\"failed\""), "{}", site.comments()[0].2);
    site.standin.assert_clean();
}

#[test]
fn a_cancelled_measuring_job_is_told() {
    let site = slower();
    Ran::of(site.job("pull_request", &site.pull_request(), 5, &[("token", TOKEN), ("mode", "gate")])).expect(0);
    let request = site.output("request");
    let inputs = [
        ("token", TOKEN),
        ("mode", "report"),
        ("request", &request),
        ("results", "none"),
        ("measure-result", "cancelled"),
    ];
    Ran::of(site.job("pull_request", &site.pull_request(), 5, &inputs)).expect(0);
    assert!(site.comments()[0].2.contains("\"state\":\"cancelled\""), "{}", site.comments()[0].2);
}

#[test]
fn a_signal_while_measuring_leaves_no_comment_that_says_running() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let site =
            Site::scripts("echo started > \"$OLDPWD/x\" 2>/dev/null; touch \"$MARK\"; sleep 300\n", "sleep 300\n");
        let mark = site.repo.job().join("mark");
        nix::unistd::mkfifo(&mark, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let config = CONFIG.replace("    run:", &format!("    env: {{MARK: \"{}\"}}\n    run:", mark.display()));
        let config = config.replace("sh bench.sh", "\"echo x > $MARK; sleep 300\"");
        site.standin.with(|state| {
            let known = state.repositories.get_mut(NAME).unwrap();
            known.files.insert((site.base.clone(), ".github/bench-bot.yml".to_owned()), config.into_bytes());
        });
        let request = site.gate(1);
        let inputs = [("mode", "measure"), ("request", &request), ("isolation", "host")];
        let mut command = site.job("pull_request", &json!({}), 1, &inputs);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        // Blocks until a round has begun.
        fs::read(&mark).unwrap();
        let killed = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        Ran::of(site.report(1, &request, &[("results", "none"), ("measure-result", "cancelled")])).expect(0);
        let comments = site.comments();
        assert_eq!(comments.len(), 1);
        assert!(comments[0].2.contains("\"state\":\"cancelled\""), "{}", comments[0].2);
        assert_eq!(site.repo.leftovers(), Vec::<std::path::PathBuf>::new());
    }
}
