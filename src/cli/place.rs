//! Where bench commands run, and when they must not: the facts are gathered here, [`sandbox::decide`] decides.

use crate::actions::Runner;
use crate::cli::args::IsolationArg;
use crate::config::Isolation;
use crate::measure::sandbox::{self, Facts, Where, registry_logins};
use crate::request::Request;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// Where bench commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Directly, on this host.
    Host,
    /// In one container a side.
    Container,
}

impl Place {
    /// Decides where `request` is measured, and notes in it what a reader must know. `one_job`: this process also
    /// talks to GitHub; `clone`: the clone that an earlier step made, if it did.
    ///
    /// # Errors
    /// When a token and a pull request's code would share an environment, or there is no container to be had.
    pub(crate) fn decide(
        request: &mut Request,
        asked: Option<IsolationArg>,
        runner: &Runner,
        one_job: bool,
        clone: &Path,
    ) -> Result<Self> {
        let asked = asked.map(|asked| match asked {
            IsolationArg::Auto => Isolation::Auto,
            IsolationArg::Container => Isolation::Container,
            IsolationArg::Host => Isolation::Host,
        });
        let (place, note) = sandbox::decide(&facts(request, asked, runner, one_job, clone)?)?;
        request.notes.extend(note);
        Ok(match place {
            Where::Host => Self::Host,
            Where::Container => Self::Container,
        })
    }

    /// The folder below which the checkouts go: the runner's for temporary files, or, where that one is not the host's
    /// too and containers could not see it, the workspace.
    ///
    /// # Errors
    /// When containers would see neither.
    pub(crate) fn parent(self, runner: &Runner, workspace: &Path) -> Result<PathBuf> {
        let usual = runner.variable("RUNNER_TEMP").map_or_else(std::env::temp_dir, PathBuf::from);
        match self {
            Self::Host => Ok(usual),
            Self::Container => sandbox::visible(&[usual, workspace.to_owned()]),
        }
    }
}

fn facts(request: &Request, asked: Option<Isolation>, runner: &Runner, one_job: bool, clone: &Path) -> Result<Facts> {
    let input = match runner.input("isolation").filter(|_| runner.in_actions()) {
        None | Some("") => None,
        Some("auto") => Some(Isolation::Auto),
        Some("container") => Some(Isolation::Container),
        Some("host") => Some(Isolation::Host),
        Some(other) => bail!("input `isolation` is `{other}`; it can be `auto`, `container` or `host`"),
    };
    let mut stored = Vec::new();
    if runner.in_actions() {
        if clone.join(".git").exists() {
            let keys = crate::git::persisted_credentials(clone)?;
            stored.extend(keys.into_iter().map(|key| format!("{key} in {}", clone.display())));
        }
        let home = std::env::var_os("HOME").map(PathBuf::from);
        stored.extend(home.map(|home| registry_logins(&home)).unwrap_or_default());
    }
    let origin = request.origin.as_ref();
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
