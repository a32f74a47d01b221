//! States of a row that no test can change: new, removed, failed, flaky, skipped, timed out.

use super::pair::Pair;
use super::samples::{Failures, Lacking, Samples, Table};
use crate::report::Verdict;
use crate::results::{StepOutcome, StepStatus};
use crate::side::{PerSide, Side};

/// The state of `pair` by the stages that count for it; `None` if both sides have all their values.
pub(super) fn of(pair: &Pair, table: &Table<'_>, setup: &PerSide<StepOutcome>, stages: &[&Samples]) -> Option<Verdict> {
    let failures = PerSide::from_fn(|side| failures(pair, table, side));
    // A side that never gave the row comes first, then one that gave something unusable, then one with gaps.
    let absent = |side: Side| {
        let state = || absent_state(side, table, setup.get(side), failures.get(side), &lacking(stages, side));
        (!has_values(pair, table, side)).then(state)
    };
    if let Some(state) = first_of(absent(Side::Base), absent(Side::Head)) {
        return Some(state);
    }
    let unusable = |side: Side| {
        let any = stages.iter().any(|samples| *samples.unusable.get(side));
        any.then(|| Verdict::Failed(side, "a value is not a usable number".to_owned()))
    };
    if let Some(state) = first_of(unusable(Side::Base), unusable(Side::Head)) {
        return Some(state);
    }
    let side = Side::BOTH.into_iter().find(|side| lacking(stages, *side).all > 0)?;
    let (lacking, rounds) = (lacking(stages, side), rounds(stages, side));
    if lacking.all < rounds {
        return Some(Verdict::Flaky(side, lacking.all, rounds));
    }
    // Only the warm-up gave a value.
    Some(match absent_state(side, table, setup.get(side), failures.get(side), &lacking) {
        Verdict::New | Verdict::Removed => Verdict::Flaky(side, lacking.all, rounds),
        state => state,
    })
}

/// The state of the side that has one; of two, base's, which then names what head did if both failed.
fn first_of(base: Option<Verdict>, head: Option<Verdict>) -> Option<Verdict> {
    match (base, head) {
        (Some(Verdict::Failed(side, why)), Some(Verdict::Failed(_, other))) => {
            Some(Verdict::Failed(side, both(&why, &other)))
        }
        (base, head) => base.or(head),
    }
}

/// What a row says that failed on both sides: the sides' own words, once if they are the same.
pub(super) fn both(base: &str, head: &str) -> String {
    let apart = |text: &str| if text.is_empty() { String::new() } else { format!(": {text}") };
    match (base, head) {
        ("", "") => "and on head".to_owned(),
        _ if base == head => format!("{base} (and on head, with the same words)"),
        ("", _) => format!("and on head{}", apart(head)),
        _ => format!("{base} (and on head{})", apart(head)),
    }
}

fn has_values(pair: &Pair, table: &Table<'_>, side: Side) -> bool {
    pair.key.get(side).is_some_and(|key| *table.seen[key].get(side))
}

fn lacking(stages: &[&Samples], side: Side) -> Lacking {
    stages.iter().fold(Lacking::default(), |sum, samples| sum.and(samples.lacking.get(side)))
}

fn rounds(stages: &[&Samples], side: Side) -> u32 {
    stages.iter().map(|samples| samples.rounds.get(side)).sum()
}

/// What the benchmark's name on either side said on `side`.
pub(super) fn failures<'a>(pair: &Pair, table: &Table<'a>, side: Side) -> Failures<'a> {
    let names = [*pair.key.get(side), *pair.key.get(side.other())];
    let found = names.into_iter().flatten().find_map(|key| table.failures_of(key, side));
    found.unwrap_or_default()
}

/// Why `side` has no values of a row.
fn absent_state(
    side: Side,
    table: &Table<'_>,
    setup: &StepOutcome,
    failures: &Failures<'_>,
    lacking: &Lacking,
) -> Verdict {
    if failures.failed > 0 {
        return Verdict::Failed(side, failures.message.to_owned());
    }
    if failures.timed_out > 0 {
        return Verdict::TimedOut(side);
    }
    if failures.skipped > 0 {
        return Verdict::Skipped(side, failures.message.to_owned());
    }
    if is_failure(&setup.status) {
        return Verdict::Failed(side, format!("setup: {}", describe(&setup.status)));
    }
    let warmup = table.warmup(side).map(|round| &round.outcome.status);
    if lacking.ok > 0 || warmup.is_some_and(StepStatus::ok) {
        return if side == Side::Base { Verdict::New } else { Verdict::Removed };
    }
    if lacking.timed_out > 0 || matches!(warmup, Some(StepStatus::TimedOut(_))) {
        return Verdict::TimedOut(side);
    }
    let status = lacking.first_failure.as_ref().or(warmup).unwrap_or(&StepStatus::NotRun);
    Verdict::Failed(side, describe(status))
}

/// Whether a command failed; one that was not needed did not.
pub(super) const fn is_failure(status: &StepStatus) -> bool {
    !matches!(status, StepStatus::Ok | StepStatus::NotRun)
}

/// How a command ended, in words.
pub(super) fn describe(status: &StepStatus) -> String {
    match status {
        StepStatus::Ok => "ended well".to_owned(),
        StepStatus::NotRun => "not run".to_owned(),
        StepStatus::Exit(code) => format!("exit code {code}"),
        StepStatus::Signal(signal) => format!("killed by signal {signal}"),
        StepStatus::TimedOut(seconds) => format!("took longer than {seconds} s"),
        StepStatus::OutOfMemory => "killed for want of memory".to_owned(),
        StepStatus::NotStarted(reason) => format!("could not be started: {reason}"),
        StepStatus::Missing(path) => format!("{path} is missing"),
    }
}
