//! The gate over real HTTP: real payloads in, requests and answers out.

mod access;
mod comment;
mod examples;
mod other;
mod pull;
mod threats;

use crate::github::{BASE, HEAD, PR, REPO, client, start};
use bench_bot::actions::{Event, Runner};
use bench_bot::gate::{Allowed, Decision, Form, Gate, GateError, Inputs};
use bench_bot::standin::state::{Note, Repo, Run};
use bench_bot::standin::{Standin, TOKEN};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Where the configuration is.
pub(crate) const CONFIG: &str = ".github/bench-bot.yml";

/// The tip of the target branch, one commit after the pull request's merge base.
pub(crate) const TIP: &str = "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0";

/// A repository on GitHub, a pull request, people, and a runner.
pub(crate) struct World {
    pub(crate) github: Standin,
    pub(crate) token: &'static str,
    pub(crate) inputs: Inputs,
    pub(crate) form: Form,
    pub(crate) variables: Vec<(&'static str, String)>,
    pub(crate) now: &'static str,
}

impl World {
    pub(crate) fn new() -> Self {
        let github = start("");
        github.with(|state| {
            for login in ["maintainer", "stranger", "reader", "octocat"] {
                state.account(login);
            }
            let repo = state.repositories.get_mut(REPO).unwrap();
            repo.add_commit(TIP, "Tip of main", &[BASE]);
            repo.refs.insert("heads/main".to_owned(), TIP.to_owned());
            repo.roles.insert("maintainer".to_owned(), "write".to_owned());
            repo.roles.insert("reader".to_owned(), "read".to_owned());
            repo.runs.insert(555, run("in_progress"));
        });
        let variables = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_RUN_ID", "555"),
            ("GITHUB_RUN_ATTEMPT", "1"),
            ("GITHUB_REPOSITORY", REPO),
        ];
        Self {
            github,
            token: TOKEN,
            inputs: Inputs::default(),
            form: Form::Gate,
            variables: variables.map(|(name, value)| (name, value.to_owned())).to_vec(),
            now: "2026-01-05T12:00:00Z",
        }
    }

    /// A world whose target branch has this configuration.
    pub(crate) fn configured(config: &str) -> Self {
        let world = Self::new();
        world.file(TIP, CONFIG, config);
        world
    }

    pub(crate) fn repo<T>(&self, change: impl FnOnce(&mut Repo) -> T) -> T {
        self.github.with(|state| change(state.repositories.get_mut(REPO).unwrap()))
    }

    pub(crate) fn file(&self, commit: &str, path: &str, text: &str) {
        self.repo(|repo| repo.files.insert((commit.to_owned(), path.to_owned()), text.into()));
    }

    /// Makes the pull request come from a fork.
    pub(crate) fn fork(&self) {
        self.repo(|repo| {
            let pull = repo.pulls.get_mut(&PR).unwrap();
            pull.head_repo = bench_bot::standin::state::HeadRepo::Fork("stranger/app".to_owned());
        });
    }

    pub(crate) fn decide(&self, event: &Event) -> Result<Decision, GateError> {
        let client = client(&self.github.url(), self.token, &Arc::default());
        let client = client.with_graphql(&self.github.graphql_url()).unwrap();
        let repository = client.repository(REPO).unwrap();
        let variables = self.variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let runner = Runner::from_variables(variables);
        let gate = Gate {
            repository: &repository,
            runner: &runner,
            inputs: self.inputs.clone(),
            form: self.form,
            now: self.now.parse().unwrap(),
        };
        gate.decide(event)
    }

    /// The run that is allowed.
    #[track_caller]
    pub(crate) fn allowed(&self, event: &Event) -> Allowed {
        match self.decide(event).unwrap() {
            Decision::Run(allowed) => *allowed,
            Decision::Nothing(nothing) => panic!("nothing to do, because {}", nothing.because),
        }
    }

    /// Why there is nothing to do.
    #[track_caller]
    pub(crate) fn nothing(&self, event: &Event) -> String {
        match self.decide(event).unwrap() {
            Decision::Nothing(nothing) => nothing.because,
            Decision::Run(allowed) => panic!("allowed: {allowed:?}"),
        }
    }

    /// A comment of a person on the pull request, and its event.
    pub(crate) fn says(&self, login: &str, body: &str) -> Event {
        let (id, user) = self.github.with(|state| {
            let id = state.add_comment(REPO, PR, login, body);
            (id, state.account(login).id)
        });
        event("issue_comment", "issue_comment.pull_request", |payload| {
            payload["issue"]["number"] = json!(PR);
            payload["comment"]["id"] = json!(id);
            payload["comment"]["body"] = json!(body);
            payload["comment"]["user"]["login"] = json!(login);
            payload["comment"]["user"]["id"] = json!(user);
        })
    }

    /// The event of a pull request as GitHub has it now.
    pub(crate) fn pull_request(&self, action: &str) -> Event {
        let client = client(&self.github.url(), TOKEN, &Arc::default());
        let pull = client.repository(REPO).unwrap().pull_request(PR).unwrap();
        event("pull_request", "pull_request.synchronize", |payload| {
            payload["action"] = json!(action);
            let side = |branch: &bench_bot::github::Branch| {
                let repo = branch.repo.as_ref().map(|repo| json!({"id": repo.id, "full_name": repo.full_name}));
                json!({"sha": branch.sha, "ref": branch.reference, "label": branch.label, "repo": repo})
            };
            let target = &mut payload["pull_request"];
            (target["number"], target["draft"], target["locked"]) = (json!(PR), json!(pull.draft), json!(pull.locked));
            (target["state"], target["head"], target["base"]) = (json!(pull.state), side(&pull.head), side(&pull.base));
        })
    }

    /// The reactions to the last comment of a person.
    pub(crate) fn reactions(&self) -> Vec<String> {
        let last = |repo: &mut Repo| {
            let people = |note: &&Note| note.author.as_deref().is_some_and(|author| !author.ends_with("[bot]"));
            repo.comments.iter().rev().find(people).unwrap().reactions.clone()
        };
        self.repo(last).into_iter().map(|(_, _, content)| content).collect()
    }

    /// What the bot says on the pull request, without the two invisible lines: reports, and answers.
    pub(crate) fn bot_says(&self) -> Vec<String> {
        let ours = |note: &&Note| note.author.as_deref() == Some("github-actions[bot]");
        self.repo(|repo| {
            let bodies = repo.comments.iter().filter(ours).map(|note| note.body.clone());
            bodies.map(|body| body.lines().skip(2).collect::<Vec<_>>().join("\n")).collect()
        })
    }
}

pub(crate) fn run(status: &str) -> Run {
    Run {
        event: "issue_comment".to_owned(),
        status: status.to_owned(),
        conclusion: (status == "completed").then(|| "success".to_owned()),
        head_branch: "main".to_owned(),
        head_sha: TIP.to_owned(),
    }
}

/// An event from a payload of GitHub's, changed where the test needs it.
pub(crate) fn event(name: &str, file: &str, change: impl FnOnce(&mut Value)) -> Event {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/github/events/{file}.json"));
    let mut payload: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    payload["repository"]["full_name"] = json!(REPO);
    payload["repository"]["default_branch"] = json!("main");
    change(&mut payload);
    Event::parse(name, payload.to_string().as_bytes()).unwrap()
}

/// A configuration with two suites.
pub(crate) const TWO_SUITES: &str = "suites: [{name: codec, run: make bench}, {name: cli, run: ./cli}]\n";

#[test]
fn the_world_is_as_the_tests_think() {
    let world = World::new();
    let compared = {
        let client = client(&world.github.url(), TOKEN, &Arc::default());
        client.repository(REPO).unwrap().compare(TIP, HEAD).unwrap()
    };
    assert_eq!((compared.merge_base_commit.sha.as_str(), compared.behind_by), (BASE, 1));
}
