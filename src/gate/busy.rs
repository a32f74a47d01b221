//! One run on a pull request at a time, and not too often. The comment remembers the last run.

use super::GateError;
use super::refusal::Refusal;
use crate::config::Config;
use crate::github::Repository;
use crate::github::comment::{self, Marker, Meta, State};
use jiff::Timestamp;
use std::time::Duration;

/// How long after its limit a run that cannot be asked about counts as running.
const GRACE: Duration = Duration::from_secs(30 * 60);

/// The last run on a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Last {
    /// What the comment says of it.
    pub(super) meta: Meta,
    /// When it was asked for, or else when the comment was last edited.
    pub(super) at: Option<Timestamp>,
}

/// The last run that the comment called `name` on pull request `number` shows.
///
/// # Errors
/// When GitHub does not answer.
pub(super) fn last(
    repository: &Repository<'_>,
    number: u64,
    name: &str,
    bot_login: Option<&str>,
) -> Result<Option<Last>, GateError> {
    let comments = comment::find(repository, number, &Marker::report(name), bot_login)?;
    Ok(comments.first().and_then(|comment| {
        let meta = Meta::of(&comment.body)?;
        let time = |text: &str| text.parse::<Timestamp>().ok();
        let at = time(&meta.at).or_else(|| time(&comment.updated_at));
        Some(Last { meta, at })
    }))
}

/// Whether the last run is still on its way. A run that cannot be asked about is, while it may last.
pub(super) fn is_running(repository: &Repository<'_>, last: &Last, config: &Config, now: Timestamp) -> bool {
    if last.meta.state != State::Running {
        return false;
    }
    match repository.run(last.meta.run) {
        Ok(run) => run.run_attempt == last.meta.attempt && run.status.as_deref() != Some("completed"),
        Err(error) => {
            tracing::info!("{error}");
            let limit = config.max_time + GRACE;
            last.at.is_some_and(|at| age(at, now) < limit)
        }
    }
}

/// Checks that another run may start now. Somebody who starts this very run again has a reason.
///
/// # Errors
/// When one is on its way, or the last was asked for just now.
pub(super) fn check(
    repository: &Repository<'_>,
    last: Option<&Last>,
    config: &Config,
    (now, this_run): (Timestamp, u64),
    url: impl Fn(u64) -> Option<String>,
) -> Result<(), Refusal> {
    let Some(last) = last.filter(|last| last.meta.run != this_run) else { return Ok(()) };
    if is_running(repository, last, config, now) {
        return Err(Refusal::Busy { url: url(last.meta.run) });
    }
    let cooldown = config.command.cooldown;
    // A run that somebody stopped used nothing up.
    if last.meta.state == State::Cancelled {
        return Ok(());
    }
    match last.at.map(|at| age(at, now)) {
        Some(ago) if ago < cooldown => Err(Refusal::Cooldown { ago, cooldown }),
        _ => Ok(()),
    }
}

/// Time from `at` to `now`, zero if `at` is in the future.
fn age(at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(at)).unwrap_or(Duration::ZERO)
}
