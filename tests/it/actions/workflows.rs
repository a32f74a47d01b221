//! Every workflow file of `docs/examples`, carried out: its jobs, conditions, expressions, permissions, concurrency groups,
//! environments and artifacts as GitHub has them, its bench-bot steps by the built program, against the stand-in.
//!
//! Two things differ from GitHub. There is no Docker here: measuring jobs run as `org/bench-bot/host` runs them
//! (`isolation: host`, no token), and the form in one job is carried out as its three stages, from a clone; as it is, it is
//! run in `tests/it/sandbox/`. And this machine is not one's own: `tuning: require` is left away.

mod beside;
pub(super) mod expression;
mod service;

use super::*;
use bench_bot::github::comment::State;
use bench_bot::standin::state::Token;
use expression::{Context, fill, is_true};
use serde_yaml::Value as Yaml;
use service::Service;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

/// One run of one workflow file.
struct Trial<'a> {
    site: &'a Site,
    service: Service,
    /// Jobs that have not ended, by name, and whether one has begun.
    waiting: VecDeque<(String, Yaml)>,
    begun: bool,
    /// The group of the whole run.
    group: Option<String>,
    event: &'a str,
    payload: &'a Value,
    run: u64,
    /// Result and outputs of jobs that have ended.
    needs: serde_json::Map<String, Value>,
    /// Modes of our steps that had no token, and that had one.
    silent: BTreeSet<String>,
    trusted: BTreeSet<String>,
}

/// What the matrix of a job expands to: one entry without one.
fn cells(job: &Yaml) -> Vec<Value> {
    let matrix = job["strategy"]["matrix"].as_mapping();
    match matrix.and_then(|matrix| matrix.iter().next()) {
        Some((name, values)) => {
            let values = values.as_sequence().unwrap().iter();
            values.map(|value| json!({(name.as_str().unwrap()): serde_json::to_value(value).unwrap()})).collect()
        }
        None => vec![json!({})],
    }
}

fn workflow(file: &str) -> Yaml {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples").join(file);
    serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

impl<'a> Trial<'a> {
    /// Carries out a workflow file for an event.
    fn of(site: &'a Site, service: &Service, file: &str, event: &'a str, payload: &'a Value, run: u64) -> Self {
        let mut this = Self::start(site, service, file, event, payload, run);
        this.rest();
        this
    }

    /// Starts a workflow file for an event; no job has begun.
    fn start(site: &'a Site, service: &Service, file: &str, event: &'a str, payload: &'a Value, run: u64) -> Self {
        let yaml = workflow(file);
        // The key `on` is a word, not the boolean of YAML 1.1.
        assert!(yaml["on"].get(event).is_some(), "{file} does not start on {event}");
        // In these files every job comes after those that it needs.
        let jobs = yaml["jobs"].as_mapping().unwrap().iter();
        let waiting = jobs.map(|(name, job)| (name.as_str().unwrap().to_owned(), job.clone())).collect();
        let (silent, trusted) = Default::default();
        let needs = serde_json::Map::new();
        let mut this = Self {
            site,
            service: service.clone(),
            waiting,
            begun: false,
            group: None,
            event,
            payload,
            run,
            needs,
            silent,
            trusted,
        };
        this.group = this.enter(&yaml, &json!({}));
        this
    }

    /// Carries out the jobs before `name`, and begins that one.
    fn until(&mut self, name: &str) {
        while self.waiting[0].0 != name {
            self.next();
        }
        let job = self.waiting[0].1.clone();
        assert!(self.starts(&job), "{name} does not start");
        for cell in cells(&job) {
            self.enter(&job, &cell);
        }
        self.begun = true;
    }

    /// Carries out all jobs that are left.
    fn rest(&mut self) {
        while !self.waiting.is_empty() {
            self.next();
        }
        if let Some(group) = self.group.take() {
            assert!(!self.service.leave(&group, self.run), "the run was cancelled");
        }
    }

    fn next(&mut self) {
        let (name, job) = self.waiting.pop_front().unwrap();
        let ended = self.job(&job);
        self.begun = false;
        self.needs.insert(name, ended);
    }

    /// Enters the concurrency group of a job or a workflow, if it has one.
    fn enter(&self, yaml: &Yaml, cell: &Value) -> Option<String> {
        let group = fill(yaml["concurrency"]["group"].as_str()?, &self.context(cell, &Value::Null));
        self.service.enter(&group, self.run, yaml["concurrency"]["cancel-in-progress"] == true);
        Some(group)
    }

    fn result(&self, job: &str) -> &str {
        self.needs[job]["result"].as_str().unwrap()
    }

    fn context(&self, matrix: &Value, steps: &Value) -> Context {
        json!({"github": {"event": self.payload, "run_id": self.run}, "needs": self.needs, "matrix": matrix, "steps": steps,
            "inputs": self.payload.get("inputs").cloned().unwrap_or_default()})
    }

    /// Whether a job's condition and the jobs that it needs let it start.
    fn starts(&self, job: &Yaml) -> bool {
        let needs: Vec<&str> = match &job["needs"] {
            Yaml::String(one) => vec![one],
            Yaml::Sequence(several) => several.iter().map(|it| it.as_str().unwrap()).collect(),
            _ => Vec::new(),
        };
        let condition = job["if"].as_str().unwrap_or("success()");
        let good = needs.iter().all(|need| self.result(need) == "success");
        is_true(condition, &self.context(&Value::Null, &Value::Null)) && (good || condition.contains("always()"))
    }

    fn job(&mut self, job: &Yaml) -> Value {
        if !self.starts(job) {
            return json!({"result": "skipped", "outputs": {}});
        }
        if let Some(environment) = job["environment"].as_str() {
            // Nothing of the job runs before its reviewers agree.
            self.service.asked.borrow_mut().push((self.run, environment.to_owned()));
            if self.service.rejects.borrow().contains(environment) {
                return json!({"result": "failure", "outputs": {}});
            }
        }
        let (mut result, mut outputs) = ("success", json!({}));
        for cell in cells(job) {
            let group = fill(job["concurrency"]["group"].as_str().unwrap_or(""), &self.context(&cell, &Value::Null));
            if self.begun && !group.is_empty() && self.service.leave(&group, self.run) {
                result = "cancelled";
                continue;
            }
            self.enter(job, &cell);
            let (good, steps) = self.steps(job, &cell);
            self.service.leave(&group, self.run);
            if !good {
                result = "failure";
            }
            for (name, value) in job["outputs"].as_mapping().into_iter().flatten() {
                let value = fill(value.as_str().unwrap(), &self.context(&cell, &steps));
                outputs[name.as_str().unwrap()] = json!(value);
            }
        }
        json!({"result": result, "outputs": outputs})
    }

    fn steps(&mut self, job: &Yaml, cell: &Value) -> (bool, Value) {
        let workspace = tempfile::tempdir_in(self.site.repo.tmp()).unwrap();
        let (mut good, mut outputs) = (true, json!({}));
        for step in job["steps"].as_sequence().unwrap() {
            let context = self.context(cell, &outputs);
            if !(good || step["if"].as_str() == Some("always()")) {
                continue;
            }
            let with: BTreeMap<String, String> = step["with"]
                .as_mapping()
                .into_iter()
                .flatten()
                .map(|(name, value)| {
                    let value = serde_json::to_value(value).unwrap();
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    (name.as_str().unwrap().to_owned(), fill(&text, &context))
                })
                .collect();
            let uses = step["uses"].as_str().unwrap().split('@').next().unwrap();
            match uses {
                "actions/checkout" => self.checkout(&with, workspace.path()),
                "actions/upload-artifact" => self.upload(&with, workspace.path()),
                "org/bench-bot" | "org/bench-bot/host" => {
                    let (ended, found) = self.bench_bot(job, &with, workspace.path());
                    good &= ended;
                    if let Some(id) = step["id"].as_str() {
                        outputs[id] = json!({"outputs": found});
                    }
                }
                other => panic!("{other} is not known here"),
            }
        }
        (good, outputs)
    }

    /// Whether this is the pull request of a fork.
    fn of_a_fork(&self) -> bool {
        let head = &self.payload["pull_request"]["head"]["repo"];
        !head.is_null() && head["id"] != self.payload["repository"]["id"]
    }

    fn checkout(&self, with: &BTreeMap<String, String>, workspace: &Path) {
        assert_eq!((with["fetch-depth"].as_str(), with["persist-credentials"].as_str()), ("0", "false"));
        let source = format!("file://{}", self.site.repo.path().display());
        for args in [
            vec!["clone", "--quiet", "--no-checkout", &source, "."],
            vec!["checkout", "--quiet", "--detach", &with["ref"]],
        ] {
            let mut git = Command::new("git");
            git.args(&args).current_dir(workspace).env("GIT_CONFIG_GLOBAL", "/dev/null");
            let ran = git.output().unwrap();
            assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
        }
    }

    fn upload(&self, with: &BTreeMap<String, String>, workspace: &Path) {
        // A folder is for people; only files are fetched again. A file that is not there is a warning.
        if let Ok(bytes) = fs::read(workspace.join(&with["path"])) {
            self.site.keep(self.run, &with["name"], &bytes);
        }
    }

    /// The job's token: GitHub makes one with the job's permissions, and one that can only read for a fork's pull request.
    fn token(&self, job: &Yaml) -> String {
        let scopes = ["actions", "checks", "issues", "pull-requests", "statuses"];
        let writes: BTreeSet<&'static str> = scopes
            .into_iter()
            .filter(|scope| !self.of_a_fork() && job["permissions"][*scope].as_str() == Some("write"))
            .map(|scope| if scope == "pull-requests" { "pull_requests" } else { scope })
            .collect();
        let name = format!("token-that-writes-{}", writes.iter().copied().collect::<Vec<_>>().join("-"));
        self.site.standin.with(|state| {
            let token = Token { login: "github-actions[bot]".to_owned(), personal: false, writes };
            state.tokens.insert(name.clone(), token);
        });
        name
    }

    fn bench_bot(&mut self, job: &Yaml, with: &BTreeMap<String, String>, workspace: &Path) -> (bool, Value) {
        let mode = with.get("mode").map_or("run", String::as_str);
        // The default of the input is the job's token; an empty value takes it away.
        let token = with.get("token").cloned().unwrap_or_else(|| self.token(job));
        let mut inputs: Vec<(&str, &str)> = with.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        inputs.retain(|(name, _)| !["token", "isolation", "tuning"].contains(name));
        inputs.push(("token", &token));
        if mode == "measure" {
            inputs.push(("isolation", "host"));
        }
        if mode == "run" {
            return self.one_job(&inputs, workspace);
        }
        let mut command = self.site.job(self.event, self.payload, self.run, &inputs);
        command.current_dir(workspace).env("GITHUB_WORKSPACE", workspace);
        let used = if token.is_empty() { &mut self.silent } else { &mut self.trusted };
        used.insert(mode.to_owned());
        let ran = Ran::of(command);
        eprintln!("{mode}: {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
        let found = ["run", "request", "head-sha", "base-sha"];
        let text = fs::read_to_string(self.site.repo.job().join("output")).unwrap();
        let found = found.into_iter().filter(|name| text.lines().any(|line| line.starts_with(&format!("{name}<<"))));
        let outputs = found.map(|name| (name.to_owned(), json!(self.site.output(name)))).collect();
        (ran.code == Some(0), Value::Object(outputs))
    }
}

impl Trial<'_> {
    /// The stages of the form in one job, one after the other.
    fn one_job(&mut self, inputs: &[(&str, &str)], workspace: &Path) -> (bool, Value) {
        let head = ("ref".to_owned(), self.site.head.clone());
        let rest = [("fetch-depth", "0"), ("persist-credentials", "false")];
        let with = rest.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().chain([head]).collect();
        self.checkout(&with, workspace);
        let mut request = String::new();
        for mode in ["gate", "measure", "report"] {
            let mut inputs: Vec<_> = inputs.iter().copied().filter(|(name, _)| *name != "mode").collect();
            inputs.push(("mode", mode));
            match mode {
                "gate" => {}
                "measure" => {
                    inputs.retain(|(name, _)| *name != "token");
                    inputs.extend([("request", request.as_str()), ("isolation", "host")]);
                }
                _ => inputs.extend([("request", request.as_str()), ("results", "bench-bot-out/results.json")]),
            }
            let payload = if mode == "measure" { &json!({}) } else { self.payload };
            let mut command = self.site.job(self.event, payload, self.run, &inputs);
            command.current_dir(workspace).env("GITHUB_WORKSPACE", workspace);
            let ran = Ran::of(command);
            eprintln!("{mode}: {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
            if ran.code != Some(0) {
                return (false, json!({}));
            }
            if mode == "gate" {
                request = self.site.output("request");
            }
        }
        (true, json!({}))
    }
}

/// The comment says what was measured, and the code of the pull request never ran beside a token.
#[track_caller]
fn told(site: &Site, run: &Trial<'_>) {
    let (body, meta) = site.comment();
    assert_eq!(meta.state, State::Done, "{body}");
    assert!(body.contains("+50.0%"), "{body}");
    assert!(!run.trusted.contains("measure"), "{:?}", run.trusted);
    site.standin.assert_clean();
}

#[test]
fn pull_request_in_one_job() {
    let site = slower();
    let payload = site.pull_request();
    let run = Trial::of(&site, &Service::default(), "pull-request.yml", "pull_request", &payload, 5);
    assert_eq!(run.result("bench"), "success");
    told(&site, &run);
}

#[test]
fn a_draft_is_left_alone() {
    let site = slower();
    let mut payload = site.pull_request();
    payload["pull_request"]["draft"] = json!(true);
    for file in ["pull-request.yml", "hardened.yml", "matrix.yml", "fork-measure.yml"] {
        let run = Trial::of(&site, &Service::default(), file, "pull_request", &payload, 5);
        assert!(run.needs.values().all(|job| job["result"] == "skipped"), "{file}: {:?}", run.needs);
    }
    assert!(site.comments().is_empty());
}

#[test]
fn three_jobs_and_a_matrix_of_them() {
    for file in ["hardened.yml", "matrix.yml"] {
        let site = slower();
        let payload = site.pull_request();
        let run = Trial::of(&site, &Service::default(), file, "pull_request", &payload, 5);
        assert!(
            ["gate", "measure", "report"].iter().all(|job| run.result(job) == "success"),
            "{file}: {:?}",
            run.needs
        );
        assert!(run.silent.contains("measure"), "{file}");
        told(&site, &run);
    }
}

#[test]
fn a_comment_starts_a_run_and_a_strangers_does_not() {
    for file in ["comment.yml", "self-hosted.yml"] {
        let site = slower();
        let (id, payload) = site.says("/bench");
        let run = Trial::of(&site, &Service::default(), file, "issue_comment", &payload, 5);
        told(&site, &run);
        assert_eq!(site.reactions(id), ["eyes", "rocket"], "{file}");

        site.standin.with(|state| state.repositories.get_mut(NAME).unwrap().roles.clear());
        let (id, payload) = site.says("/bench");
        let run = Trial::of(&site, &Service::default(), file, "issue_comment", &payload, 6);
        assert_eq!(["gate", "measure", "report"].map(|job| run.result(job)), ["success", "skipped", "skipped"]);
        assert_eq!(site.reactions(id), ["-1"]);
        assert_eq!(site.comment().1.run, 5);
        let (_, payload) = site.says("nice work");
        let run = Trial::of(&site, &Service::default(), file, "issue_comment", &payload, 7);
        assert_eq!(run.result("gate"), "skipped");
    }
}

#[test]
fn a_form_measures_a_pull_request_or_two_commits() {
    let site = slower();
    let payload = site.form(json!({"base": "main", "head": site.head}));
    let run = Trial::of(&site, &Service::default(), "dispatch.yml", "workflow_dispatch", &payload, 4);
    assert_eq!(run.result("report"), "success");
    assert!(site.comments().is_empty());
    assert!(site.summary().contains("+50.0%"), "{}", site.summary());

    let payload = site.form(json!({"pr": "7"}));
    let run = Trial::of(&site, &Service::default(), "dispatch.yml", "workflow_dispatch", &payload, 5);
    told(&site, &run);
}
