//! Where bench commands run, and when they must not.

use crate::actions::Runner;
use crate::cli::args::IsolationArg;
use crate::config::Isolation;
use crate::git;
use crate::measure::sandbox::{self, Facts, Where};
use crate::request::Request;
use anyhow::{Result, bail};
use std::path::PathBuf;

/// Where bench commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Directly, on this host.
    Host,
    /// In a container a side.
    Container,
}

impl Place {
    /// Decides where `request` is measured. `one_job`: this process also talks to GitHub.
    ///
    /// # Errors
    /// When a token and a pull request's code would share an environment.
    pub(crate) fn decide(
        request: &Request,
        asked: Option<IsolationArg>,
        runner: &Runner,
        one_job: bool,
    ) -> Result<Self> {
        if runner.in_actions() && runner.variable("BENCH_BOT_UNSAFE_HOST") == Some("1") {
            return Ok(Self::Host);
        }
        let asked = asked.map(|asked| match asked {
            IsolationArg::Auto => Isolation::Auto,
            IsolationArg::Container => Isolation::Container,
            IsolationArg::Host => Isolation::Host,
        });
        let (place, note) = sandbox::decide(&facts(request, asked, runner, one_job)?)?;
        if let Some(note) = note {
            tracing::warn!("{note}");
        }
        Ok(match place {
            Where::Host => Self::Host,
            Where::Container => Self::Container,
        })
    }
}

fn facts(request: &Request, asked: Option<Isolation>, runner: &Runner, one_job: bool) -> Result<Facts> {
    let input = match runner.input("isolation").filter(|_| runner.in_actions()) {
        None => None,
        Some("auto") => Some(Isolation::Auto),
        Some("container") => Some(Isolation::Container),
        Some("host") => Some(Isolation::Host),
        Some(other) => bail!("input `isolation` is `{other}`; it can be `auto`, `container` or `host`"),
    };
    let origin = request.origin.as_ref();
    let mut stored = Vec::new();
    if runner.in_actions() {
        if let Some(workspace) = runner.workspace().filter(|path| path.join(".git").exists()) {
            stored.extend(git::persisted_credentials(&workspace).unwrap_or_default());
        }
        stored.extend(std::env::var_os("HOME").map(|home| sandbox::registry_logins(&PathBuf::from(home))).unwrap_or_default());
    }
    Ok(Facts {
        in_actions: runner.in_actions(),
        configured: Some(request.config.isolation),
        explicit: asked.or(input),
        one_job,
        event: origin.map(|origin| origin.event.clone()).unwrap_or_default(),
        fork: origin.is_some_and(|origin| origin.fork),
        hosted: runner.variable("RUNNER_ENVIRONMENT") == Some("github-hosted"),
        tokens: sandbox::initial_tokens(),
        stored,
        docker: sandbox::socket_available(),
    })
}
