//! Flags as inputs: the command line and `action.yml` have one set of values and one set of rules.

use crate::cli::args::{FailOnArg, PlanArgs};
use crate::config;
use crate::gate::{GateError, Inputs};
use crate::measure::seed::Seed;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;

/// What the flags of a command say.
///
/// # Errors
/// When a value is impossible; the message names the flag.
pub(crate) fn inputs(plan: &PlanArgs, fail_on: &[FailOnArg]) -> Result<Inputs> {
    if let Some(seed) = plan.seed.as_deref().filter(|seed| Seed::parse(seed).is_none()) {
        bail!("--seed {seed}: expected 32 hexadecimal digits, as a report prints them");
    }
    if let Some(shard) = &plan.shard {
        crate::cli::shard(shard).context("--shard")?;
    }
    if let Some(time) = &plan.max_time {
        config::parse_duration(time).map_err(|reason| anyhow!("--max-time {time}: {reason}"))?;
    }
    let word = |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
    let read = |name: &str| match name {
        "config" => plan.config.clone(),
        "suite" if !plan.suite.is_empty() => Some(plan.suite.join(",")),
        "filter" => plan.filter.clone(),
        "rounds" => plan.rounds.clone(),
        "budget" => plan.budget.clone(),
        "threshold" => plan.threshold.clone(),
        "isolation" => plan.isolation.and_then(|it| word(it.to_possible_value())),
        "tuning" => plan.tuning.and_then(|it| word(it.to_possible_value())),
        "fail-on" if !fail_on.is_empty() => {
            let words: Vec<String> = fail_on.iter().filter_map(|it| word(it.to_possible_value())).collect();
            Some(words.join(","))
        }
        _ => None,
    };
    Inputs::read(read).map_err(|error| match error {
        GateError::Input { name, value, reason } => anyhow!("--{name} {value}: {reason}"),
        other => other.into(),
    })
}
