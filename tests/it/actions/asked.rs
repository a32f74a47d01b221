//! Runs that somebody asked for in a comment or a form.

use super::*;
use bench_bot::github::comment::State;
use bench_bot::standin::state::HeadRepo;

impl Site {
    /// Ada writes a comment on the pull request: its number and the event.
    pub(super) fn says(&self, body: &str) -> (u64, Value) {
        let id = self.standin.with(|state| state.add_comment(NAME, PULL, "ada", body));
        let user = json!({"login": "ada", "id": 1815, "type": "User"});
        let event = json!({"action": "created", "repository": Self::repository(), "sender": user,
            "issue": {"number": PULL, "state": "open", "title": "Change", "user": user,
                "pull_request": {"url": format!("https://api.github.example/repos/{NAME}/pulls/{PULL}")}},
            "comment": {"id": id, "body": body, "user": user}});
        (id, event)
    }

    pub(super) fn reactions(&self, comment: u64) -> Vec<String> {
        self.standin.with(|state| {
            let note = state.repositories[NAME].comments.iter().find(|note| note.id == comment).unwrap();
            note.reactions.iter().map(|(_, _, content)| content.clone()).collect()
        })
    }

    pub(super) fn form(&self, fields: Value) -> Value {
        json!({"ref": "refs/heads/main", "inputs": fields, "workflow": "bench.yml", "repository": Self::repository(),
            "sender": {"login": "ada", "id": 1815, "type": "User"}})
    }

    pub(super) fn of_a_fork(self) -> Self {
        self.standin.with(|state| {
            let pull = state.repositories.get_mut(NAME).unwrap().pulls.get_mut(&PULL).unwrap();
            pull.head_repo = HeadRepo::Fork("eve/words".to_owned());
        });
        self
    }
}

#[test]
fn the_comment_that_asked_is_answered_at_the_end_and_the_cool_down_counts_from_the_question() {
    let site = slower();
    let (id, event) = site.says("/bench");
    Ran::of(site.job("issue_comment", &event, 5, &[("token", TOKEN), ("mode", "gate")])).expect(0);
    assert_eq!(site.reactions(id), ["eyes"]);
    let request = site.output("request");
    let asked = site.comment().1;
    assert!(!asked.at.is_empty());

    let results = site.measure(5, &request, &[]);
    Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    assert_eq!(site.reactions(id), ["eyes", "rocket"]);
    let done = site.comment().1;
    assert_eq!((done.state, &done.at), (State::Done, &asked.at));

    // A second question is too early, and a third run that ends badly says so.
    let (again, event) = site.says("/bench");
    Ran::of(site.job("issue_comment", &event, 6, &[("token", TOKEN), ("mode", "gate")])).expect(0);
    assert_eq!((site.output("run"), site.reactions(again)), ("false".to_owned(), vec!["confused".to_owned()]));
    Ran::of(site.report(5, &request, &[("results", "nowhere")])).expect(3);
    assert_eq!(site.reactions(id), ["eyes", "rocket", "confused"]);
    site.standin.assert_clean();
}

#[test]
fn a_reaction_that_github_refuses_is_a_warning() {
    let site = slower();
    let (id, event) = site.says("/bench");
    Ran::of(site.job("issue_comment", &event, 5, &[("token", TOKEN), ("mode", "gate")])).expect(0);
    let request = site.output("request");
    let results = site.measure(5, &request, &[]);
    let path = format!("/repos/{NAME}/issues/comments/{id}/reactions");
    site.standin.fail(bench_bot::standin::Fault::refuse("POST", &path, 403, "Resource not accessible by integration"));
    let ran = Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
    assert_eq!(site.comment().1.state, State::Done);
    assert!(ran.stdout.contains("::warning"), "{}", ran.stdout);
    assert_eq!(site.reactions(id), ["eyes"]);
}

#[test]
fn one_job_with_a_forks_code_and_a_token_that_writes_is_refused() {
    let site = slower().of_a_fork();
    let (id, event) = site.says("/bench");
    Ran::of(site.job("issue_comment", &event, 5, &[("token", TOKEN)]));
    assert_eq!(site.output("run"), "false");
    assert!(site.reactions(id).contains(&"confused".to_owned()));
    assert!(!site.repo.path().join("bench-bot-out").exists());
    assert!(site.summary().contains("Nothing was measured"), "{}", site.summary());

    let command = site.job("workflow_dispatch", &site.form(json!({"pr": "7"})), 6, &[("token", TOKEN)]);
    Ran::of(command).expect(2).says("docs/examples/comment.yml");
    assert_eq!(site.output("run"), "false");
    assert!(site.summary().contains("Nothing was measured"), "{}", site.summary());
    assert!(!site.repo.path().join("bench-bot-out").exists());
}
