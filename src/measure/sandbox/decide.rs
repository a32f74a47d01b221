//! Where bench commands may run, if anywhere: decided once, before anything of a pull request is started.

use crate::config::Isolation;

/// What is known when measuring is about to start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Whether this is a job of GitHub Actions (`GITHUB_ACTIONS=true`).
    pub in_actions: bool,
    /// What the repository's configuration says.
    pub configured: Option<Isolation>,
    /// What the workflow file or the command line says: an input or a flag.
    pub explicit: Option<Isolation>,
    /// Whether one job both runs commands and holds the token that comments: `run` instead of `gate`, `measure`,
    /// `report`.
    pub one_job: bool,
    /// The event that started the workflow.
    pub event: String,
    /// Whether the head repository is another one than the base repository, or is not known to be the same.
    pub fork: bool,
    /// Whether the runner is known to be one of GitHub's (`RUNNER_ENVIRONMENT=github-hosted`).
    pub hosted: bool,
    /// Names of the credentials that this process was started with; it may have removed them since.
    pub tokens: Vec<String>,
    /// Places where credentials lie in files of the job: keys of the workspace's git configuration, a registry login.
    pub stored: Vec<String>,
    /// Whether there is a Docker socket.
    pub docker: bool,
}

/// Where commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In a container a side.
    Container,
    /// Directly.
    Host,
}

/// Why nothing is run (exit code 2).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A trigger that gives a fork's code the rights of the repository.
    #[error(
        "`pull_request_target` would run a pull request's code with the rights of the target branch. Use \
         `pull_request`, or the three jobs of docs/examples/hardened.yml"
    )]
    PullRequestTarget,
    /// One job with a fork's code and a token that can write.
    #[error(
        "on `{0}` this job's token can write, and the pull request is from a fork: its code must run in a job of its \
         own. Use the three jobs of docs/examples/hardened.yml"
    )]
    ForkWithToken(String),
    /// A fork on a machine that lives on.
    #[error(
        "the pull request is from a fork and this runner is not one of GitHub's: its code would run on a machine that \
         lives on. Use the three jobs of docs/examples/hardened.yml on a hosted or an ephemeral runner"
    )]
    ForkOnOwnRunner,
    /// No container can be started.
    #[error(
        "there is no Docker socket, and inside Actions a pull request's code runs in a container unless the workflow \
         says otherwise. Use `org/bench-bot/host` (host/action.yml), which runs it on the runner itself, in the three \
         jobs of docs/examples/hardened.yml"
    )]
    NoDocker,
    /// Outside Actions, a container was asked for.
    #[error("`isolation: container` was asked for, and there is no Docker socket")]
    NoDockerHere,
    /// A token would share a machine with foreign code and no wall between them.
    #[error(
        "`isolation: host` would run a pull request's code beside {}: it could read them. Measure in a job without \
         them, with `org/bench-bot/host` (host/action.yml), as in docs/examples/hardened.yml", .0.join(", ")
    )]
    Credentials(Vec<String>),
}

/// Decides. The second value is what a reader must know, in words.
///
/// # Errors
/// With the reason, and what to do, when nothing may run.
pub fn decide(facts: &Facts) -> Result<(Where, Option<String>), Refusal> {
    if !facts.in_actions {
        return match facts.explicit.or(facts.configured).unwrap_or(Isolation::Auto) {
            Isolation::Auto | Isolation::Host => Ok((Where::Host, None)),
            Isolation::Container if facts.docker => Ok((Where::Container, None)),
            Isolation::Container => Err(Refusal::NoDockerHere),
        };
    }
    if facts.event == "pull_request_target" {
        return Err(Refusal::PullRequestTarget);
    }
    if facts.one_job && facts.fork {
        if !facts.hosted {
            return Err(Refusal::ForkOnOwnRunner);
        }
        if facts.event != "pull_request" {
            return Err(Refusal::ForkWithToken(facts.event.clone()));
        }
    }
    match facts.explicit {
        Some(Isolation::Host) => {
            let beside: Vec<String> = facts.tokens.iter().chain(&facts.stored).cloned().collect();
            if beside.is_empty() { Ok((Where::Host, None)) } else { Err(Refusal::Credentials(beside)) }
        }
        _ if !facts.docker => Err(Refusal::NoDocker),
        explicit => {
            // A file that a pull request could change must not take the wall down.
            let ignored = explicit.is_none() && facts.configured == Some(Isolation::Host);
            let note = "`isolation: host` of the configuration is ignored inside Actions: only the workflow file can \
                        choose it (input `isolation`).";
            Ok((Where::Container, ignored.then(|| note.to_owned())))
        }
    }
}

/// Places in a home folder that hold a registry login.
#[must_use]
pub fn registry_logins(home: &std::path::Path) -> Vec<String> {
    let path = home.join(".docker/config.json");
    let text = std::fs::read(&path).unwrap_or_default();
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let full = |key: &str| match json.get(key) {
        Some(serde_json::Value::Object(entries)) => !entries.is_empty(),
        Some(serde_json::Value::String(text)) => !text.is_empty(),
        _ => false,
    };
    let any = ["auths", "credHelpers", "credsStore"].into_iter().any(full);
    any.then(|| format!("a registry login in {}", path.display())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull_request() -> Facts {
        Facts {
            in_actions: true,
            one_job: true,
            event: "pull_request".to_owned(),
            hosted: true,
            tokens: vec!["INPUT_TOKEN".to_owned()],
            docker: true,
            ..Facts::default()
        }
    }

    fn place(facts: &Facts) -> Result<Where, Refusal> {
        decide(facts).map(|(place, _)| place)
    }

    #[test]
    fn inside_actions_a_container_and_nothing_less() {
        assert_eq!(place(&pull_request()), Ok(Where::Container));
        let no_socket = Facts { docker: false, ..pull_request() };
        for configured in [None, Some(Isolation::Auto), Some(Isolation::Container), Some(Isolation::Host)] {
            let error = place(&Facts { configured, ..no_socket.clone() }).unwrap_err();
            assert!(error.to_string().contains("host/action.yml"), "{error}");
        }
        let by_file = Facts { configured: Some(Isolation::Host), ..pull_request() };
        let (chosen, note) = decide(&by_file).unwrap();
        assert_eq!(chosen, Where::Container);
        assert!(note.unwrap().contains("workflow file"));
    }

    #[test]
    fn the_host_only_by_the_workflow_and_without_any_credential() {
        let asked = Facts { explicit: Some(Isolation::Host), docker: false, ..pull_request() };
        let error = place(&asked).unwrap_err().to_string();
        assert!(error.contains("INPUT_TOKEN") && error.contains("hardened.yml"), "{error}");
        let clean = Facts { tokens: Vec::new(), one_job: false, ..asked };
        assert_eq!(place(&clean), Ok(Where::Host));
        let stored = Facts { stored: vec!["http.https://github.com/.extraheader".to_owned()], ..clean };
        assert!(place(&stored).unwrap_err().to_string().contains("extraheader"));
    }

    #[test]
    fn a_forks_code_never_shares_a_job_with_a_token_that_writes() {
        let fork = Facts { fork: true, ..pull_request() };
        assert_eq!(place(&fork), Ok(Where::Container), "a fork's own event has a token that only reads");
        for event in ["issue_comment", "workflow_run", "workflow_dispatch", "push"] {
            // No input overrides this.
            for explicit in [None, Some(Isolation::Container), Some(Isolation::Host)] {
                let error = place(&Facts { event: event.to_owned(), explicit, ..fork.clone() }).unwrap_err();
                assert!(error.to_string().contains("hardened.yml"), "{event}: {error}");
            }
            assert_eq!(place(&Facts { event: event.to_owned(), ..pull_request() }), Ok(Where::Container), "{event}");
            let measure = Facts { event: event.to_owned(), one_job: false, ..fork.clone() };
            assert_eq!(place(&measure), Ok(Where::Container), "a job of its own is the boundary: {event}");
        }
        let own = Facts { hosted: false, ..fork };
        assert_eq!(place(&own), Err(Refusal::ForkOnOwnRunner));
        assert_eq!(place(&Facts { hosted: false, ..pull_request() }), Ok(Where::Container));
    }

    #[test]
    fn pull_request_target_is_refused_in_every_form() {
        for (one_job, fork) in [(true, true), (true, false), (false, true), (false, false)] {
            let facts = Facts { event: "pull_request_target".to_owned(), one_job, fork, ..pull_request() };
            assert_eq!(place(&facts), Err(Refusal::PullRequestTarget));
        }
    }

    #[test]
    fn a_terminal_runs_directly_unless_asked() {
        let terminal = Facts { docker: true, tokens: vec!["GH_TOKEN".to_owned()], ..Facts::default() };
        assert_eq!(place(&terminal), Ok(Where::Host));
        let asked = Facts { configured: Some(Isolation::Container), ..terminal.clone() };
        assert_eq!(place(&asked), Ok(Where::Container));
        assert_eq!(place(&Facts { explicit: Some(Isolation::Host), ..asked.clone() }), Ok(Where::Host));
        assert_eq!(place(&Facts { docker: false, ..asked }), Err(Refusal::NoDockerHere));
    }

    #[test]
    fn a_registry_login_is_seen() {
        let home = tempfile::tempdir().unwrap();
        assert!(registry_logins(home.path()).is_empty());
        std::fs::create_dir(home.path().join(".docker")).unwrap();
        let file = home.path().join(".docker/config.json");
        std::fs::write(&file, r#"{"auths":{}}"#).unwrap();
        assert!(registry_logins(home.path()).is_empty());
        std::fs::write(&file, r#"{"auths":{"ghcr.io":{"auth":"eDp5"}}}"#).unwrap();
        assert_eq!(registry_logins(home.path()).len(), 1);
    }
}
