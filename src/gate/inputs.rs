//! What the workflow file says, beside the event.

use super::GateError;
use super::command::{check_base, check_filter, check_suites, parse_rounds};
use crate::actions::Runner;
use crate::config::{
    CommentMode, CommentOn, FailOn, Isolation, PATH, Rounds, Tuning, is_report_name, nearest, parse_duration,
    parse_ratio,
};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::time::Duration;

/// Inputs of the action, or flags of the command line; what is `None` or empty is not set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inputs {
    /// Path of the configuration in the repository.
    pub config: Option<String>,
    /// Branch, tag or commit to compare with; `merge-base`; `target`.
    pub base: Option<String>,
    /// Branch, tag or commit to measure; only without a pull request.
    pub head: Option<String>,
    /// The pull request to measure, where the event names none.
    pub pull_request: Option<u64>,
    /// Names or patterns of suites.
    pub suites: Vec<String>,
    /// Regular expression over names of benchmarks.
    pub filter: Option<String>,
    /// Rounds a side.
    pub rounds: Option<Rounds>,
    /// Time for all rounds.
    pub budget: Option<Duration>,
    /// Smallest change that counts, as a ratio.
    pub threshold: Option<f64>,
    /// What makes the exit code 1.
    pub fail_on: Option<Vec<FailOn>>,
    /// When there is a comment.
    pub comment_on: Option<CommentOn>,
    /// Edit, or post anew.
    pub comment_mode: Option<CommentMode>,
    /// Name of the report.
    pub name: Option<String>,
    /// Where commands run.
    pub isolation: Option<Isolation>,
    /// What to do with settings of the host.
    pub tuning: Option<Tuning>,
    /// The login that we comment as, if it is not the job's own.
    pub bot_login: Option<String>,
    /// Base and head may be one commit.
    pub calibration: bool,
}

impl Inputs {
    /// The inputs of the action's step.
    ///
    /// # Errors
    /// When one has a value that it cannot have.
    pub fn from_runner(runner: &Runner) -> Result<Self, GateError> {
        Self::read(|name| runner.input(name).map(str::to_owned))
    }

    /// Inputs by their name in `action.yml`; an empty one is not set.
    ///
    /// # Errors
    /// When one has a value that it cannot have.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Self, GateError> {
        let text = |name: &str| get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let inputs = Self {
            config: text("config"),
            base: parse(&text, "base", check_base)?,
            head: parse(&text, "head", check_base)?,
            pull_request: parse(&text, "pr", |value| {
                let digits = value.strip_prefix('#').unwrap_or(value);
                digits
                    .parse()
                    .ok()
                    .filter(|number| *number > 0)
                    .ok_or("expected the number of a pull request".to_owned())
            })?,
            suites: parse(&text, "suite", |value| check_suites(&value.replace('\n', ",")))?.unwrap_or_default(),
            filter: parse(&text, "filter", check_filter)?,
            rounds: parse(&text, "rounds", parse_rounds)?,
            budget: parse(&text, "budget", |value| match parse_duration(value)? {
                Duration::ZERO => Err("must be longer than zero".to_owned()),
                budget => Ok(budget),
            })?,
            threshold: parse(&text, "threshold", parse_ratio)?,
            fail_on: parse(&text, "fail-on", |value| {
                let words = value.split([',', '\n', ' ']).filter(|word| !word.is_empty());
                words.map(|word| one_of(word, &["never", "failure", "regression", "inconclusive"])).collect()
            })?,
            comment_on: parse(&text, "comment-on", |value| one_of(value, &["always", "change", "regression"]))?,
            comment_mode: parse(&text, "comment-mode", |value| one_of(value, &["update", "recreate"]))?,
            name: parse(&text, "name", |value| {
                let rule = "expected 1 to 60 letters, digits, spaces or any of . _ - /";
                if is_report_name(value) { Ok(value.to_owned()) } else { Err(rule.to_owned()) }
            })?,
            isolation: parse(&text, "isolation", |value| one_of(value, &["auto", "container", "host"]))?,
            tuning: parse(&text, "tuning", |value| one_of(value, &["best-effort", "require", "off"]))?,
            bot_login: text("bot-login"),
            calibration: false,
        };
        Ok(inputs)
    }

    /// The path of the configuration.
    #[must_use]
    pub fn config_path(&self) -> &str {
        self.config.as_deref().unwrap_or(PATH)
    }

    /// These inputs, and what somebody filled into the form of `workflow_dispatch` where they are not set.
    ///
    /// # Errors
    /// When a field has a value that it cannot have.
    pub fn or_form(mut self, form: &BTreeMap<String, String>) -> Result<Self, GateError> {
        const FIELDS: &[&str] = &["pr", "base", "head", "suite", "filter", "rounds", "budget", "threshold"];
        let form = Self::read(|name| FIELDS.contains(&name).then(|| form.get(name).cloned()).flatten())?;
        self.pull_request = self.pull_request.or(form.pull_request);
        self.base = self.base.or(form.base);
        self.head = self.head.or(form.head);
        self.filter = self.filter.or(form.filter);
        self.rounds = self.rounds.or(form.rounds);
        self.budget = self.budget.or(form.budget);
        self.threshold = self.threshold.or(form.threshold);
        if self.suites.is_empty() {
            self.suites = form.suites;
        }
        Ok(self)
    }
}

fn parse<T>(
    text: &impl Fn(&str) -> Option<String>,
    name: &'static str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, GateError> {
    let Some(value) = text(name) else { return Ok(None) };
    parse(&value).map(Some).map_err(|reason| GateError::Input { name, value, reason })
}

/// The value that a word of the configuration stands for.
fn one_of<T: DeserializeOwned>(word: &str, words: &[&str]) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::from(word)).ok().filter(|_| words.contains(&word)).ok_or_else(|| {
        match nearest(word, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected one of {}", words.join(", ")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Inputs, String> {
        let get = |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Inputs::read(get).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_input_is_not_set() {
        let names = ["config", "base", "pr", "suite", "rounds", "fail-on", "name", "isolation", "bot-login"];
        assert_eq!(read(&names.map(|name| (name, "  "))), Ok(Inputs::default()));
    }

    #[test]
    fn every_input_is_read() {
        let inputs = read(&[
            ("config", "bench.yml"),
            ("base", "target"),
            ("head", "v2"),
            ("pr", "#12"),
            ("suite", "a\nb,c"),
            ("filter", "^A"),
            ("rounds", "8+16"),
            ("budget", "5m"),
            ("threshold", "3%"),
            ("fail-on", "failure, regression"),
            ("comment-on", "change"),
            ("comment-mode", "recreate"),
            ("name", "nightly"),
            ("isolation", "host"),
            ("tuning", "off"),
            ("bot-login", "app[bot]"),
        ]);
        let expected = Inputs {
            config: Some("bench.yml".into()),
            base: Some("target".into()),
            head: Some("v2".into()),
            pull_request: Some(12),
            suites: vec!["a".into(), "b".into(), "c".into()],
            filter: Some("^A".into()),
            rounds: Some(Rounds::Staged { screen: 8, confirm: 16 }),
            budget: Some(Duration::from_secs(300)),
            threshold: Some(0.03),
            fail_on: Some(vec![FailOn::Failure, FailOn::Regression]),
            comment_on: Some(CommentOn::Change),
            comment_mode: Some(CommentMode::Recreate),
            name: Some("nightly".into()),
            isolation: Some(Isolation::Host),
            tuning: Some(Tuning::Off),
            bot_login: Some("app[bot]".into()),
            calibration: false,
        };
        assert_eq!(inputs, Ok(expected));
    }

    #[test]
    fn an_input_that_cannot_be_is_named() {
        for (name, value, reason) in [
            ("pr", "main", "expected the number of a pull request"),
            ("pr", "0", "expected the number of a pull request"),
            ("rounds", "7", "expected an even number from 2 such as `20`, or two such as `8+16`"),
            ("fail-on", "regresion", "did you mean `regression`?"),
            ("isolation", "vm", "expected one of auto, container, host"),
            ("name", "a --> b", "expected 1 to 60 letters, digits, spaces or any of . _ - /"),
            ("base", "-x", "expected a branch, tag or commit of this repository: a ref does not start with `-`"),
        ] {
            assert_eq!(read(&[(name, value)]), Err(format!("input `{name}`: {value:?}: {reason}")));
        }
    }

    #[test]
    fn the_form_fills_what_the_workflow_leaves_open() {
        let form = [("pr", "7"), ("rounds", "20"), ("suite", "a"), ("token", "x"), ("isolation", "host")];
        let form = form.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let inputs = Inputs { rounds: Some(Rounds::Fixed(8)), ..Inputs::default() }.or_form(&form).unwrap();
        assert_eq!((inputs.pull_request, inputs.rounds), (Some(7), Some(Rounds::Fixed(8))));
        assert_eq!((inputs.suites, inputs.isolation), (vec!["a".to_owned()], None));
    }
}
