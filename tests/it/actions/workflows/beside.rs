//! Runs beside each other: concurrency groups, environments, and the pull requests of forks.

use super::service::Service;
use super::*;

/// A push to the pull request: the new head.
fn push(site: &mut Site, lines: &[&str]) -> String {
    site.repo.git(&["checkout", "--quiet", "change"]);
    let head = site.repo.commit(&[("bench.sh", &prints(lines))]);
    let before = std::mem::replace(&mut site.head, head.clone());
    site.standin.with(|state| {
        let known = state.repositories.get_mut(NAME).unwrap();
        known.add_commit(&head, "More", &[&before]);
        let config = known.files[&(before, ".github/bench-bot.yml".to_owned())].clone();
        known.files.insert((head.clone(), ".github/bench-bot.yml".to_owned()), config);
        known.pulls.get_mut(&PULL).unwrap().head_sha.clone_from(&head);
    });
    head
}

#[test]
fn a_later_push_cancels_the_measuring_and_the_earlier_report_says_nothing() {
    for file in ["hardened.yml", "matrix.yml"] {
        let mut site = slower();
        let service = Service::default();
        let before = site.pull_request();
        push(&mut site, &["A 10 300 ns/op"]);
        let after = site.pull_request();

        let mut earlier = Trial::start(&site, &service, file, "pull_request", &before, 5);
        earlier.until("measure");
        assert_eq!(site.comment().1.state, State::Running, "{file}");
        let later = Trial::of(&site, &service, file, "pull_request", &after, 6);
        assert_eq!(later.result("report"), "success", "{file}");
        assert!(site.comment().0.contains("+200%"), "{}", site.comment().0);

        earlier.rest();
        assert_eq!(["measure", "report"].map(|job| earlier.result(job)), ["cancelled", "success"], "{file}");
        let (body, meta) = site.comment();
        assert_eq!((meta.run, meta.state), (6, State::Done), "{file}: {body}");
        assert!(body.contains("+200%"), "{body}");
        site.standin.assert_clean();
    }
}

#[test]
fn a_comment_that_starts_nothing_cancels_nothing_and_one_that_does_starts_anew() {
    let site = slower();
    let service = Service::default();
    let (_, payload) = site.says("/bench");
    let mut first = Trial::start(&site, &service, "comment.yml", "issue_comment", &payload, 5);
    first.until("measure");

    // A stranger, small talk, a question about the state, and a second command while the first runs.
    site.standin.with(|state| state.account("eve").id);
    let eve = |body: &str| {
        let (id, mut payload) = site.says(body);
        let user = json!({"login": "eve", "id": site.standin.with(|state| state.accounts["eve"].id), "type": "User"});
        payload["comment"]["user"] = user.clone();
        payload["sender"] = user;
        (id, payload)
    };
    for (run, (_, payload)) in
        [eve("/bench"), site.says("nice"), site.says("/bench status"), site.says("/bench")].into_iter().enumerate()
    {
        site.running(5);
        let other = Trial::of(&site, &service, "comment.yml", "issue_comment", &payload, 10 + run as u64);
        assert_eq!(other.result("measure"), "skipped", "{payload}");
    }
    first.rest();
    assert_eq!(first.result("measure"), "success");
    told(&site, &first);
}

#[test]
fn reviewers_of_the_environment_are_asked_before_a_machine_of_ones_own_runs_anything() {
    let site = slower();
    let service = Service::default();
    let (_, payload) = site.says("/bench");
    let run = Trial::of(&site, &service, "self-hosted.yml", "issue_comment", &payload, 5);
    told(&site, &run);
    assert_eq!(*service.asked.borrow(), [(5, "bench".to_owned())]);

    service.rejects.borrow_mut().insert("bench".to_owned());
    site.standin.with(|state| state.repositories.get_mut(NAME).unwrap().comments.clear());
    let (id, payload) = site.says("/bench");
    let run = Trial::of(&site, &service, "self-hosted.yml", "issue_comment", &payload, 6);
    assert_eq!(run.result("measure"), "failure");
    assert!(run.silent.is_empty(), "nothing was measured");
    let (body, meta) = site.comment();
    assert_eq!((meta.run, meta.state), (6, State::Failed), "{body}");
    assert_eq!(site.reactions(id), ["eyes", "confused"]);
}

impl Site {
    /// GitHub knows a run that is under way.
    fn running(&self, run: u64) {
        let head_sha = self.head.clone();
        self.standin.with(|state| {
            let known = state.repositories.get_mut(NAME).unwrap();
            known.runs.entry(run).or_insert_with(|| Run {
                event: "issue_comment".to_owned(),
                status: "in_progress".to_owned(),
                conclusion: None,
                head_branch: "main".to_owned(),
                head_sha,
            });
        });
    }

    /// The pull request's event, from a fork.
    fn forks_pull_request(&self) -> Value {
        let mut payload = self.pull_request();
        let fork = json!({"id": 501_001, "full_name": FORK, "name": "words", "fork": true, "private": false,
            "default_branch": "main", "owner": {"login": "eve", "id": 66, "type": "User"}});
        payload["pull_request"]["head"]["repo"] = fork;
        payload["pull_request"]["head"]["label"] = json!("eve:change");
        payload
    }
}

const FORK: &str = "eve/words";

#[test]
fn a_forks_pull_request_is_measured_by_one_workflow_and_reported_by_the_other() {
    for conclusion in ["success", "failure"] {
        let site = slower().of_a_fork();
        let service = Service::default();
        let payload = site.forks_pull_request();
        let measured = Trial::of(&site, &service, "fork-measure.yml", "pull_request", &payload, 5);
        assert_eq!(["gate", "measure"].map(|job| measured.result(job)), ["success", "success"]);
        assert!(site.comments().is_empty());
        // GitHub's token for a fork can only read.
        let exchanges = site.standin.exchanges();
        assert!(exchanges.iter().all(|seen| seen.method == "GET" || seen.status == 403), "{:?}", site.standin.writes());

        // The fork is named by number: GitHub tells no pull request for it. What else that workflow does is its own
        // affair: the measuring went well.
        let known = site.standin.with(|state| state.repositories[NAME].id);
        let mut payload = site.ended(5, conclusion);
        payload["workflow_run"]["head_repository"] = json!({"id": known + 500_000, "full_name": FORK, "name": "words"});
        let run = Trial::of(&site, &service, "fork-report.yml", "workflow_run", &payload, 9);
        told(&site, &run);
        assert_eq!(site.comment().1.run, 5);
        assert!(site.comment().0.contains("eve:change"), "{}", site.comment().0);
    }
}

#[test]
fn a_forks_pull_request_in_three_jobs_has_its_report_in_the_summary() {
    let site = slower().of_a_fork();
    let payload = site.forks_pull_request();
    let run = Trial::of(&site, &Service::default(), "hardened.yml", "pull_request", &payload, 5);
    assert!(["gate", "measure", "report"].iter().all(|job| run.result(job) == "success"), "{:?}", run.needs);
    assert!(site.comments().is_empty());
    assert!(site.summary().contains("+50.0%"), "{}", site.summary());
}
