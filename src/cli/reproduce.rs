//! The command that measures the same again.

use crate::config::{Config, Isolation, Rounds, Tuning, show_duration};
use crate::request::{ConfigSource, Request};
use crate::results::Results;

/// One shell command, for a clone that has both commits: whatever differs from the defaults is in it, so that another
/// state of the configuration does not change the plan.
pub(crate) fn command(request: &Request, results: &[Results]) -> String {
    let (config, default) = (&request.config, Config::default());
    let mut words: Vec<String> = Vec::new();
    let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    let commits = &request.commits;
    if !request.calibration {
        flag("base", commits.base.sha.clone());
    }
    flag("head", if commits.head.uncommitted { ".".to_owned() } else { commits.head.sha.clone() });
    for suite in &request.suites {
        flag("suite", suite.clone());
    }
    if !request.filter.is_empty() {
        flag("filter", request.filter.clone());
    }
    if config.rounds != default.rounds {
        let rounds = match config.rounds {
            Rounds::Fixed(rounds) => rounds.to_string(),
            Rounds::Staged { screen, confirm } => format!("{screen}+{confirm}"),
        };
        flag("rounds", rounds);
    }
    if config.max_time != default.max_time {
        flag("max-time", show_duration(config.max_time));
    }
    // A short limit shortens the budget by itself.
    if config.budget != default.budget && config.budget != default.budget.min(config.max_time) {
        flag("budget", show_duration(config.budget));
    }
    if (config.compare.threshold - default.compare.threshold).abs() > f64::EPSILON {
        // Without the dust of 0.07 × 100.
        flag("threshold", format!("{}%", (config.compare.threshold * 1e12).round() / 1e10));
    }
    match config.isolation {
        Isolation::Auto => {}
        Isolation::Container => flag("isolation", "container".to_owned()),
        Isolation::Host => flag("isolation", "host".to_owned()),
    }
    match config.host.tuning {
        tuning if tuning == default.host.tuning => {}
        Tuning::BestEffort => flag("tuning", "best-effort".to_owned()),
        Tuning::Require => flag("tuning", "require".to_owned()),
        Tuning::Off => flag("tuning", "off".to_owned()),
    }
    if let ConfigSource::File(path) = &request.config_source
        && path != crate::config::PATH
    {
        flag("config", path.clone());
    }
    if let Some(shard) = request.shard {
        flag("shard", format!("{}/{}", shard.index, shard.count));
    }
    if let [only] = results {
        flag("seed", only.seed.clone());
    }
    let verb = if request.calibration { "calibrate" } else { "run" };
    shell_words::join(["bench-bot".to_owned(), verb.to_owned()].into_iter().chain(words))
}
