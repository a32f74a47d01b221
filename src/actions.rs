//! The runner of GitHub Actions: what it tells us in the environment, and what we tell it in files and on standard
//! output. In a terminal there is no runner; then everything here is empty and warnings are plain lines.

pub mod command;
pub mod event;
mod file;

pub use command::{Annotation, Level};
pub use event::Event;

use secrecy::SecretString;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Largest event file that is read, in bytes; GitHub's own limit for a payload is 25 MB.
const MAX_EVENT: u64 = 32 * 1024 * 1024;

/// What can be wrong with what the runner gives.
#[derive(Debug, thiserror::Error)]
pub enum ActionsError {
    /// An input has a value that it cannot have.
    #[error("input `{name}`: {value:?} is not {expected}")]
    Input {
        /// The input.
        name: String,
        /// Its value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A file of the runner cannot be read or written.
    #[error("{what} {path}: {source}")]
    File {
        /// What was tried, as in `cannot read the event`.
        what: &'static str,
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The event is not what its name says.
    #[error("the event {name} in {path} cannot be read: {reason}")]
    Event {
        /// Name of the event.
        name: String,
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// Something that the runner always tells is missing.
    #[error("{0} is not set; GitHub's runner always sets it")]
    Missing(&'static str),
    /// An output's name or value cannot be written.
    #[error("output {0:?} cannot be written: {1}")]
    Output(String, String),
}

/// What the runner tells.
#[derive(Clone, Default)]
pub struct Runner {
    variables: BTreeMap<String, String>,
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Variables hold tokens.
        f.debug_struct("Runner").field("in_actions", &self.in_actions()).finish_non_exhaustive()
    }
}

impl Runner {
    /// The runner of this process.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_variables(std::env::vars_os())
    }

    /// A runner that set these variables. Only what is meant for us is kept; an empty value is an unset one.
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let ours = |name: &str| {
            ["GITHUB_", "INPUT_", "RUNNER_", "BENCH_BOT_"].iter().any(|prefix| name.starts_with(prefix))
                || name == "GH_TOKEN"
        };
        let variables = variables
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, value)| ours(name) && !value.trim().is_empty())
            .collect();
        Self { variables }
    }

    /// A variable, if it is set and not empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from)
    }

    /// Whether this is a job of GitHub Actions.
    #[must_use]
    pub fn in_actions(&self) -> bool {
        self.variable("GITHUB_ACTIONS") == Some("true")
    }

    /// Name of the event that started the job.
    #[must_use]
    pub fn event_name(&self) -> Option<&str> {
        self.variable("GITHUB_EVENT_NAME")
    }

    /// `owner/name` of the repository whose workflow this is.
    #[must_use]
    pub fn repository(&self) -> Option<&str> {
        self.variable("GITHUB_REPOSITORY")
    }

    /// Address of the REST API.
    #[must_use]
    pub fn api_url(&self) -> &str {
        self.variable("GITHUB_API_URL").unwrap_or("https://api.github.com")
    }

    /// Address of GraphQL, if the runner tells.
    #[must_use]
    pub fn graphql_url(&self) -> Option<&str> {
        self.variable("GITHUB_GRAPHQL_URL")
    }

    /// Web address of the server.
    #[must_use]
    pub fn server_url(&self) -> &str {
        self.variable("GITHUB_SERVER_URL").unwrap_or("https://github.com").trim_end_matches('/')
    }

    /// Number of the run.
    #[must_use]
    pub fn run_id(&self) -> Option<u64> {
        self.variable("GITHUB_RUN_ID")?.parse().ok()
    }

    /// Attempt of the run, from 1.
    #[must_use]
    pub fn run_attempt(&self) -> u64 {
        self.variable("GITHUB_RUN_ATTEMPT").and_then(|text| text.parse().ok()).unwrap_or(1)
    }

    /// Web address of this run, if this is one.
    #[must_use]
    pub fn run_url(&self) -> Option<String> {
        Some(format!("{}/{}/actions/runs/{}", self.server_url(), self.repository()?, self.run_id()?))
    }

    /// The commit that the job runs for. On `pull_request` it is the merge commit, which nobody wants to measure.
    #[must_use]
    pub fn sha(&self) -> Option<&str> {
        self.variable("GITHUB_SHA")
    }

    /// The ref that the job runs for, in full.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.variable("GITHUB_REF")
    }

    /// Where the repository is checked out, if it is.
    #[must_use]
    pub fn workspace(&self) -> Option<PathBuf> {
        self.path("GITHUB_WORKSPACE")
    }

    /// An input by its name in `action.yml`, if it is set and not empty. The runner keeps hyphens in the variable's
    /// name; a shell cannot, so that underscores do as well.
    #[must_use]
    pub fn input(&self, name: &str) -> Option<&str> {
        let upper = name.to_uppercase().replace(' ', "_");
        let kept = self.variable(&format!("INPUT_{upper}"));
        kept.or_else(|| self.variable(&format!("INPUT_{}", upper.replace('-', "_")))).map(str::trim)
    }

    /// A boolean input, by the core schema of YAML 1.2.
    ///
    /// # Errors
    /// When it is neither true nor false.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, ActionsError> {
        match self.input(name) {
            None => Ok(None),
            Some("true" | "True" | "TRUE") => Ok(Some(true)),
            Some("false" | "False" | "FALSE") => Ok(Some(false)),
            Some(value) => {
                let (name, value) = (name.to_owned(), value.to_owned());
                Err(ActionsError::Input { name, value, expected: "true or false" })
            }
        }
    }

    /// The token, from the input or from the environment.
    #[must_use]
    pub fn token(&self) -> Option<SecretString> {
        let found = self.input("token").or_else(|| self.variable("GITHUB_TOKEN")).or_else(|| self.variable("GH_TOKEN"));
        found.map(SecretString::from)
    }

    /// The event that started the job.
    ///
    /// # Errors
    /// When the runner does not tell, or the file cannot be read.
    pub fn event(&self) -> Result<Event, ActionsError> {
        let name = self.event_name().ok_or(ActionsError::Missing("GITHUB_EVENT_NAME"))?;
        let path = self.path("GITHUB_EVENT_PATH").ok_or(ActionsError::Missing("GITHUB_EVENT_PATH"))?;
        let bytes = file::read(&path, MAX_EVENT).map_err(|source| ActionsError::File {
            what: "cannot read the event",
            path: path.display().to_string(),
            source,
        })?;
        Event::parse(name, &bytes).map_err(|error| ActionsError::Event {
            name: name.to_owned(),
            path: path.display().to_string(),
            reason: error.to_string(),
        })
    }

    /// Shows an annotation: a workflow command in Actions, a line on standard error in a terminal.
    pub fn annotate(&self, annotation: &Annotation) {
        if self.in_actions() {
            // A log that is gone cannot be told.
            let _ = writeln!(io::stdout().lock(), "{}", annotation.command());
        } else {
            let _ = writeln!(io::stderr().lock(), "{}", annotation.line());
        }
    }

    /// Shows a warning.
    pub fn warn(&self, message: impl Into<String>) {
        self.annotate(&Annotation::new(Level::Warning, message));
    }

    /// Keeps a text out of the log from now on.
    pub fn mask(&self, secret: &str) {
        if self.in_actions() && !secret.trim().is_empty() {
            let _ = writeln!(io::stdout().lock(), "{}", command::mask(secret));
        }
    }

    /// Shows output of a command that we do not trust, so that no line of it can be taken for a workflow command.
    ///
    /// # Errors
    /// When standard output is gone or there is no randomness.
    pub fn show_foreign(&self, output: &[u8]) -> io::Result<()> {
        let token = self.in_actions().then(command::random_word).transpose()?;
        command::write_foreign(&mut io::stdout().lock(), output, token.as_deref())
    }

    /// Sets an output of the step. Without a runner nothing happens.
    ///
    /// # Errors
    /// When the file cannot be written, or `name` is no name.
    pub fn set_output(&self, name: &str, value: &str) -> Result<(), ActionsError> {
        let Some(path) = self.path("GITHUB_OUTPUT") else { return Ok(()) };
        let delimiter =
            command::random_word().map_err(|error| ActionsError::Output(name.to_owned(), error.to_string()))?;
        let entry = file::output_entry(name, value, &delimiter)
            .map_err(|reason| ActionsError::Output(name.to_owned(), reason.to_owned()))?;
        file::append(&path, &entry).map_err(|source| ActionsError::File {
            what: "cannot write the outputs to",
            path: path.display().to_string(),
            source,
        })
    }

    /// Appends Markdown to the step's summary; what is too long for it is cut at a line's end, with a note, and the
    /// answer is `false`. Without a runner nothing happens.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add_summary(&self, markdown: &str) -> Result<bool, ActionsError> {
        let Some(path) = self.path("GITHUB_STEP_SUMMARY") else { return Ok(true) };
        file::append_summary(&path, markdown).map_err(|source| ActionsError::File {
            what: "cannot write the step summary to",
            path: path.display().to_string(),
            source,
        })
    }
}

#[cfg(test)]
mod tests;
