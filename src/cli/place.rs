//! Where bench commands run, and when they must not.

use crate::actions::Runner;
use crate::cli::args::IsolationArg;
use crate::config::Isolation;
use crate::measure::process::HostExec;
use crate::request::Request;
use anyhow::{Result, bail};

/// Where bench commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Directly, on this host.
    Host,
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
        let asked = asked.map(|asked| match asked {
            IsolationArg::Auto => Isolation::Auto,
            IsolationArg::Container => Isolation::Container,
            IsolationArg::Host => Isolation::Host,
        });
        let wanted = asked.unwrap_or(request.config.isolation);
        if wanted == Isolation::Container {
            bail!("`isolation: container` is not there yet; `isolation: host` runs commands directly");
        }
        if !runner.in_actions() || runner.variable("BENCH_BOT_UNSAFE_HOST") == Some("1") {
            return Ok(Self::Host);
        }
        let tokens = HostExec::hidden_tokens();
        if tokens.is_empty() && !one_job {
            return Ok(Self::Host);
        }
        bail!(
            "a pull request's code would run beside a token ({}), and code that runs in this job can read it, whatever \
             is unset. Use the three-job form (docs/examples): its measuring job has no token",
            if tokens.is_empty() { "the one that comments".to_owned() } else { tokens.join(", ") }
        )
    }
}
