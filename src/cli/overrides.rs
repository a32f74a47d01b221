//! What flags and inputs change in the configuration. A flag wins over an input, an input over the file.

use crate::cli::args::{FailOnArg, IsolationArg, PlanArgs, TuningArg};
use crate::config::{self, CommentMode, CommentOn, Config, FailOn, Isolation, Rounds, Tuning};
use crate::results::Shard;
use anyhow::{Context, Result, bail, ensure};
use std::time::Duration;

/// Values that were given; `None` and empty leave the configuration as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Overrides {
    pub(crate) suites: Vec<String>,
    pub(crate) filter: Option<String>,
    pub(crate) rounds: Option<Rounds>,
    pub(crate) budget: Option<Duration>,
    pub(crate) max_time: Option<Duration>,
    pub(crate) threshold: Option<f64>,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) tuning: Option<Tuning>,
    pub(crate) fail_on: Vec<FailOn>,
    pub(crate) comment_on: Option<CommentOn>,
    pub(crate) comment_mode: Option<CommentMode>,
    pub(crate) name: Option<String>,
}

impl Overrides {
    /// What the flags of a command say.
    ///
    /// # Errors
    /// When a value cannot be read; the message names the flag.
    pub(crate) fn from_flags(plan: &PlanArgs, fail_on: &[FailOnArg]) -> Result<Self> {
        Ok(Self {
            suites: plan.suite.clone(),
            filter: plan.filter.as_deref().map(regular_expression).transpose().context("--filter")?,
            rounds: plan.rounds.as_deref().map(rounds).transpose().context("--rounds")?,
            budget: plan.budget.as_deref().map(duration).transpose().context("--budget")?,
            max_time: plan.max_time.as_deref().map(duration).transpose().context("--max-time")?,
            threshold: plan.threshold.as_deref().map(ratio).transpose().context("--threshold")?,
            isolation: plan.isolation.map(|it| match it {
                IsolationArg::Auto => Isolation::Auto,
                IsolationArg::Container => Isolation::Container,
                IsolationArg::Host => Isolation::Host,
            }),
            tuning: plan.tuning.map(|it| match it {
                TuningArg::BestEffort => Tuning::BestEffort,
                TuningArg::Require => Tuning::Require,
                TuningArg::Off => Tuning::Off,
            }),
            fail_on: fail_on
                .iter()
                .map(|it| match it {
                    FailOnArg::Never => FailOn::Never,
                    FailOnArg::Failure => FailOn::Failure,
                    FailOnArg::Regression => FailOn::Regression,
                    FailOnArg::Inconclusive => FailOn::Inconclusive,
                })
                .collect(),
            ..Self::default()
        })
    }

    /// What the inputs of the action say. `input` gives the value of an input, `None` where it is unset.
    ///
    /// # Errors
    /// When a value cannot be read; the message names the input.
    pub(crate) fn from_inputs(input: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let get = |name: &'static str| input(name).map(|value| (name, value));
        fn read<T>(given: Option<(&'static str, String)>, parse: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
            given.map(|(name, value)| parse(&value).with_context(|| format!("input `{name}`"))).transpose()
        }
        Ok(Self {
            suites: input("suite").map(|list| words(&list)).unwrap_or_default(),
            filter: read(get("filter"), regular_expression)?,
            rounds: read(get("rounds"), rounds)?,
            budget: read(get("budget"), duration)?,
            max_time: None,
            threshold: read(get("threshold"), ratio)?,
            isolation: read(get("isolation"), isolation)?,
            tuning: read(get("tuning"), tuning)?,
            fail_on: read(get("fail-on"), |list| words(list).iter().map(|word| fail_on(word)).collect())?
                .unwrap_or_default(),
            comment_on: read(get("comment-on"), comment_on)?,
            comment_mode: read(get("comment-mode"), comment_mode)?,
            name: read(get("name"), comment_name)?,
        })
    }

    /// These values where given, else those of `other`.
    pub(crate) fn or(self, other: Self) -> Self {
        let list = |mine: Vec<String>, other: Vec<String>| if mine.is_empty() { other } else { mine };
        Self {
            suites: list(self.suites, other.suites),
            filter: self.filter.or(other.filter),
            rounds: self.rounds.or(other.rounds),
            budget: self.budget.or(other.budget),
            max_time: self.max_time.or(other.max_time),
            threshold: self.threshold.or(other.threshold),
            isolation: self.isolation.or(other.isolation),
            tuning: self.tuning.or(other.tuning),
            fail_on: if self.fail_on.is_empty() { other.fail_on } else { self.fail_on },
            comment_on: self.comment_on.or(other.comment_on),
            comment_mode: self.comment_mode.or(other.comment_mode),
            name: self.name.or(other.name),
        }
    }

    /// Changes `config` to what was given. Suites and the filter are not part of it: they select, see
    /// [`crate::request::Request`].
    pub(crate) fn apply(&self, config: &mut Config) {
        fn set<T: Clone>(target: &mut T, value: Option<&T>) {
            if let Some(value) = value {
                target.clone_from(value);
            }
        }
        set(&mut config.rounds, self.rounds.as_ref());
        set(&mut config.budget, self.budget.as_ref());
        set(&mut config.max_time, self.max_time.as_ref());
        set(&mut config.compare.threshold, self.threshold.as_ref());
        set(&mut config.isolation, self.isolation.as_ref());
        set(&mut config.host.tuning, self.tuning.as_ref());
        set(&mut config.report.comment_on, self.comment_on.as_ref());
        set(&mut config.report.comment_mode, self.comment_mode.as_ref());
        set(&mut config.report.name, self.name.as_ref());
        if !self.fail_on.is_empty() {
            config.report.fail_on.clone_from(&self.fail_on);
        }
    }
}

/// Refuses names that no suite has, with the nearest one that exists.
///
/// # Errors
/// When a name is unknown.
pub(crate) fn check_suites(wanted: &[String], config: &Config) -> Result<()> {
    for name in wanted {
        if config.suites.iter().any(|suite| &suite.name == name) {
            continue;
        }
        let names: Vec<&str> = config.suites.iter().map(|suite| suite.name.as_str()).collect();
        let nearest = names.iter().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
        let hint = nearest.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
        bail!("there is no suite `{name}`.{hint} Suites: {}.", names.join(", "));
    }
    Ok(())
}

/// `8` is one stage, `8+16` are two.
fn rounds(text: &str) -> Result<Rounds> {
    let number = |part: &str| -> Result<u32> {
        let n = part.trim().parse().with_context(|| format!("`{text}`: expected `8` or `8+16`"))?;
        ensure!(n > 0 && n % 2 == 0, "{n} rounds a side: a block has two rounds of each side, so the number must be even");
        ensure!(n <= config::MAX_ROUNDS, "{n} rounds a side: at most {} are allowed", config::MAX_ROUNDS);
        Ok(n)
    };
    match text.split_once('+') {
        Some((screen, confirm)) => {
            let (screen, confirm) = (number(screen)?, number(confirm)?);
            ensure!(
                screen + confirm <= config::MAX_ROUNDS,
                "{screen} + {confirm} rounds a side: at most {} are allowed",
                config::MAX_ROUNDS
            );
            Ok(Rounds::Staged { screen, confirm })
        }
        None => Ok(Rounds::Fixed(number(text)?)),
    }
}

/// `2/4` is the second of four parts.
///
/// # Errors
/// When it is not two numbers, or the first is not within the second.
pub(crate) fn shard(text: &str) -> Result<Shard> {
    let expected = || format!("`{text}`: expected K/N with 1 ≤ K ≤ N, such as `2/4`");
    let (index, count) = text.split_once('/').with_context(expected)?;
    let (index, count) =
        (index.trim().parse().with_context(expected)?, count.trim().parse().with_context(expected)?);
    ensure!(index >= 1 && index <= count && count <= 256, expected());
    Ok(Shard { index, count })
}

fn duration(text: &str) -> Result<Duration> {
    let value = config::parse_duration(text).map_err(anyhow::Error::msg)?;
    ensure!(!value.is_zero(), "must be longer than nothing");
    Ok(value)
}

fn ratio(text: &str) -> Result<f64> {
    config::parse_ratio(text).map_err(anyhow::Error::msg)
}

fn regular_expression(text: &str) -> Result<String> {
    regex::Regex::new(text).context("not a regular expression")?;
    Ok(text.to_owned())
}

fn one_of<T: Copy>(text: &str, choices: &[(&str, T)]) -> Result<T> {
    match choices.iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<_> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
            bail!("`{text}` is not one of {}", names.join(", "))
        }
    }
}

fn isolation(text: &str) -> Result<Isolation> {
    one_of(text, &[("auto", Isolation::Auto), ("container", Isolation::Container), ("host", Isolation::Host)])
}

fn tuning(text: &str) -> Result<Tuning> {
    one_of(text, &[("best-effort", Tuning::BestEffort), ("require", Tuning::Require), ("off", Tuning::Off)])
}

fn fail_on(text: &str) -> Result<FailOn> {
    one_of(
        text,
        &[
            ("never", FailOn::Never),
            ("failure", FailOn::Failure),
            ("regression", FailOn::Regression),
            ("inconclusive", FailOn::Inconclusive),
        ],
    )
}

fn comment_on(text: &str) -> Result<CommentOn> {
    one_of(
        text,
        &[("always", CommentOn::Always), ("change", CommentOn::Change), ("regression", CommentOn::Regression)],
    )
}

fn comment_mode(text: &str) -> Result<CommentMode> {
    one_of(text, &[("update", CommentMode::Update), ("recreate", CommentMode::Recreate)])
}

fn comment_name(text: &str) -> Result<String> {
    ensure!(
        text.len() <= 50 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)),
        "`{text}`: at most 50 letters, digits, `.`, `_` and `-`"
    );
    Ok(text.to_owned())
}

/// Words separated by blanks, commas or line ends; a YAML-like list in brackets is taken too.
fn words(list: &str) -> Vec<String> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    list.split(|c: char| c.is_whitespace() || c == ',')
        .map(|word| word.trim_matches(['"', '\'']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_is_one_stage_and_two_are_two() {
        assert_eq!(rounds("8").unwrap(), Rounds::Fixed(8));
        assert_eq!(rounds("8+16").unwrap(), Rounds::Staged { screen: 8, confirm: 16 });
    }

    #[test]
    fn odd_zero_and_too_many_rounds_are_refused_with_the_reason() {
        for (text, reason) in [("7", "even"), ("0", "even"), ("102", "at most 100"), ("60+60", "at most 100"), ("x", "8+16")] {
            let error = format!("{:#}", rounds(text).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_shard_lies_within_its_count() {
        assert_eq!(shard("2/4").unwrap(), Shard { index: 2, count: 4 });
        for text in ["0/4", "5/4", "2", "a/b", "1/257"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_flag_wins_over_an_input_and_an_empty_one_over_nothing() {
        let flags = Overrides { threshold: Some(0.05), ..Overrides::default() };
        let inputs = Overrides::from_inputs(|name| match name {
            "threshold" => Some("1%".to_owned()),
            "fail-on" => Some("regression, failure".to_owned()),
            _ => None,
        })
        .unwrap();
        let both = flags.or(inputs);
        assert_eq!(both.threshold, Some(0.05));
        assert_eq!(both.fail_on, [FailOn::Regression, FailOn::Failure]);
    }

    #[test]
    fn a_bad_input_is_named() {
        let error = Overrides::from_inputs(|name| (name == "isolation").then(|| "docker".to_owned())).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("input `isolation`") && text.contains("`container`"), "{text}");
    }
}
