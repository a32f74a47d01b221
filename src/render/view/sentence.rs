//! The sentences of a report: what was found, how, and how sure that is.

use super::order::{self, Weight};
use super::row::{delta_text, figures, label};
use super::word;
use crate::config::Correction;
use crate::format::BenchmarkId;
use crate::render::ink::Ink;
use crate::render::number;
use crate::report::{Counts, Design, FailedRounds, Noise, Overall, Report, Row, Verdict};
use crate::results::StepStatus;
use crate::side::Side;

/// The verdict over all rows in one line, and its picture.
#[must_use]
pub fn headline(report: &Report, ink: &Ink) -> (&'static str, String) {
    match report.verdict {
        Overall::Failed => ("❌", format!("Nothing could be compared: {}", first_failure(report, ink))),
        Overall::Unchanged | Overall::Inconclusive if report.counts.failed > 0 || report.has_gaps() => {
            ("⚠️", quiet(report, ink))
        }
        Overall::Improvement if report.has_gaps() => ("⚠️", changed(report, ink)),
        Overall::Unchanged | Overall::Inconclusive => ("⚪", quiet(report, ink)),
        Overall::Regression if report.design == Design::Files => ("🔸", changed(report, ink)),
        Overall::Improvement if report.design == Design::Files => ("🔹", changed(report, ink)),
        Overall::Mixed if report.design == Design::Files => ("🔸", changed(report, ink)),
        Overall::Regression => ("🔴", changed(report, ink)),
        Overall::Improvement => ("🟢", changed(report, ink)),
        Overall::Mixed => ("🔴", changed(report, ink)),
    }
}

/// All rows of a report.
#[must_use]
pub fn total(counts: &Counts) -> usize {
    [
        counts.regressions,
        counts.improvements,
        counts.unchanged,
        counts.inconclusive,
        counts.failed,
        counts.new,
        counts.removed,
        counts.unjudged,
    ]
    .iter()
    .map(|&n| n as usize)
    .sum()
}

fn changed(report: &Report, ink: &Ink) -> String {
    let counts = &report.counts;
    let files = report.design == Design::Files;
    let nouns = |n: u32, staged: (&str, &str), files_word: &str| {
        if files {
            format!("{} {files_word}", number::count(n as usize, "row", "rows"))
        } else {
            number::count(n as usize, staged.0, staged.1)
        }
    };
    let mut found = Vec::new();
    if counts.regressions > 0 {
        found.push(nouns(counts.regressions, ("regression", "regressions"), "slower?"));
    }
    if counts.improvements > 0 {
        found.push(nouns(counts.improvements, ("improvement", "improvements"), "faster?"));
    }
    let unconfirmed = if files { ", not confirmed" } else { "" };
    let mut text = format!("{} among {}{unconfirmed}", found.join(", "), number::count(total(counts), "row", "rows"));
    let best_and_worst: Vec<String> = [("worst", Weight::Worse), ("best", Weight::Better)]
        .iter()
        .filter_map(|(which, weight)| Some(format!("{which} {}", largest(report, ink, *weight)?)))
        .collect();
    if !best_and_worst.is_empty() {
        text.push_str(": ");
        text.push_str(&best_and_worst.join(", "));
    }
    if counts.failed > 0 {
        text.push_str(&format!("; {} failed", counts.failed));
    }
    text + &uncompared(report, ink)
}

/// That whole suites gave nothing to compare.
fn uncompared(report: &Report, ink: &Ink) -> String {
    let suites: Vec<_> = report.uncompared().collect();
    match suites[..] {
        [] => String::new(),
        [suite] if suite.name.is_empty() => String::new(),
        [suite] => format!("; suite {} could not be compared", ink.suite(&suite.name)),
        _ => format!("; {} suites could not be compared", suites.len()),
    }
}

/// The name of a benchmark, with its number of processors where that tells it from another row.
fn name_in(report: &Report, id: &BenchmarkId) -> String {
    let twin = |row: &Row| row.benchmark.name == id.name && row.benchmark.procs != id.procs;
    label(id, rows(report).any(twin))
}

/// The largest change of a kind: name, delta, unit, word.
fn largest(report: &Report, ink: &Ink, weight: Weight) -> Option<String> {
    let rows = report.suites.iter().flat_map(|suite| &suite.rows);
    let row = rows
        .filter(|row| Weight::of(row) == weight)
        .reduce(|a, b| if order::size(b) > order::size(a) { b } else { a })?;
    let delta = row.delta.as_ref()?;
    Some(format!(
        "{} {} {} ({})",
        ink.outside(&name_in(report, &row.benchmark)),
        delta_text(delta, &figures(row)),
        ink.unit(&row.unit),
        word::of_row(row)
    ))
}

fn quiet(report: &Report, ink: &Ink) -> String {
    let counts = &report.counts;
    let mut parts = Vec::new();
    for (n, word) in [
        (counts.unchanged, "unchanged"),
        (counts.inconclusive, "inconclusive"),
        (counts.failed, "failed"),
        (counts.new, "new"),
        (counts.removed, "removed"),
    ] {
        if n > 0 {
            parts.push(format!("{} {word}", number::grouped(n as usize)));
        }
    }
    let found = match detectable(report) {
        Some(size) => {
            format!("No change found; this run could have seen {} or more (median row)", number::percent(size))
        }
        None => "No change found".to_owned(),
    };
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{found}{parts}{}", uncompared(report, ink))
}

/// The smallest change that the run could have found in its median row.
fn detectable(report: &Report) -> Option<f64> {
    report.noise.as_ref().and_then(|noise| noise.detectable).or_else(|| {
        let rows = report.suites.iter().flat_map(|suite| &suite.rows);
        let mut sizes: Vec<f64> = rows.filter(|row| !row.derived).filter_map(|row| row.detectable).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len() / 2).copied()
    })
}

/// Why there is nothing to compare, as far as the report knows.
fn first_failure(report: &Report, ink: &Ink) -> String {
    for suite in &report.suites {
        for side in Side::BOTH {
            let setup = suite.setup.get(side);
            if !matches!(setup.status, StepStatus::Ok | StepStatus::NotRun) {
                return format!(
                    "setup of {} failed on {side} ({})",
                    ink.suite(&suite.name),
                    status(&setup.status, ink)
                );
            }
        }
        for side in Side::BOTH {
            if let Some(rounds) = suite.failed_rounds.get(side) {
                let first = if rounds.differ { "the first: " } else { "" };
                return format!(
                    "{} of {} failed on {side} ({first}{})",
                    failed_rounds(rounds),
                    ink.suite(&suite.name),
                    status(&rounds.first.status, ink)
                );
            }
        }
    }
    match (report.counts.new, report.counts.removed) {
        (0, 0) if report.design == Design::Files => "no two files have results".to_owned(),
        (new, 0) if report.design == Design::Files => {
            format!("the first file has no result, another one {}", number::count(new as usize, "row", "rows"))
        }
        (0, removed) if report.design == Design::Files => {
            format!("only the first file has results ({})", number::count(removed as usize, "row", "rows"))
        }
        (0, 0) => no_pair(report, ink),
        (new, 0) => format!("base printed no result, head {}", number::count(new as usize, "row", "rows")),
        (0, removed) => format!("head printed no result, base {}", number::count(removed as usize, "row", "rows")),
        (new, removed) => format!("base and head have no row in common ({new} new, {removed} removed)"),
    }
}

/// Why no row could be compared though the commands ended well on both sides.
fn no_pair(report: &Report, ink: &Ink) -> String {
    let failed = |row: &&Row| matches!(row.verdict, Verdict::Failed(..) | Verdict::Flaky(..) | Verdict::TimedOut(_));
    if let Some(row) = rows(report).find(failed) {
        let why = match &row.verdict {
            Verdict::Failed(_, why) if !why.trim().is_empty() => format!(": {}", ink.quote(why)),
            _ => String::new(),
        };
        let among = number::count(report.counts.failed as usize, "row", "rows");
        let name = ink.outside(&name_in(report, &row.benchmark));
        return format!("of {among} none has its values on both sides; {name} {}{why}", word::of_row(row));
    }
    if report.suites.is_empty() {
        return match report.environments.first().and_then(|one| one.shard) {
            Some(shard) => format!("part {} of {} has no suite", shard.index, shard.count),
            None => "there is no suite".to_owned(),
        };
    }
    match rows(report).next() {
        None if report.suites.iter().any(|suite| suite.filtered_out > 0) => {
            "the filter of the suite hides every benchmark that the bench command printed".to_owned()
        }
        None => "the bench command printed no result on either side".to_owned(),
        Some(Row { verdict: Verdict::Inconclusive(_), .. }) => {
            "measuring ended before a block of rounds was complete".to_owned()
        }
        Some(_) => "no row has values on both sides".to_owned(),
    }
}

/// Which rounds failed.
#[must_use]
pub fn failed_rounds(rounds: &FailedRounds) -> String {
    let FailedRounds { failed, of, .. } = rounds;
    match (rounds.warmup, of) {
        (true, 1) => "the warm-up round".to_owned(),
        (true, _) => format!("{failed} of {of} warm-up rounds"),
        (false, _) => format!("{failed} of {}", number::count(*of as usize, "round", "rounds")),
    }
}

/// How a command ended, in words.
#[must_use]
pub fn status(status: &StepStatus, ink: &Ink) -> String {
    match status {
        StepStatus::Ok => "exit code 0".to_owned(),
        StepStatus::NotRun => "not run".to_owned(),
        StepStatus::Exit(code) => format!("exit code {code}"),
        StepStatus::Signal(signal) => format!("killed by signal {signal}"),
        StepStatus::TimedOut(seconds) => format!("timed out after {}", number::duration(*seconds)),
        StepStatus::OutOfMemory => "out of memory".to_owned(),
        StepStatus::NotStarted(why) => format!("could not be started: {}", ink.prose(why)),
        StepStatus::Missing(path) => format!("missing file {}", ink.outside(path)),
    }
}

/// What opens the report because nothing below can be read without it.
#[must_use]
pub fn unreachable(report: &Report) -> Option<String> {
    if told(report, "too-few-rounds") {
        return None;
    }
    let needed = report.family.rounds_needed?;
    let family = report.family.size.max(report.family.testable);
    let smallest =
        report.family.smallest_p.map_or_else(String::new, |p| format!(" (its smallest p is {})", number::p_value(p)));
    Some(format!(
        "This plan cannot call any change of {}{smallest}. {needed} rounds a side could.",
        number::count(family as usize, "row", "rows")
    ))
}

/// How the figures are to be read, one sentence each.
#[must_use]
pub fn method(report: &Report, ink: &Ink) -> Vec<String> {
    let mut sentences = vec![super::rounds::how_measured(report)];
    sentences.extend(report.noise.as_ref().map(|noise| noise_sentence(report, noise, ink)));
    if told(report, "error-rate") {
        sentences.push(family(report));
    } else {
        sentences.push(error_rate(report));
    }
    sentences.push(delta_footnote(report).to_owned());
    if !told(report, "layout") && rows(report).any(|row| !row.exact) {
        sentences.push(
            "Differences below about 2% to 5% can come from code layout, not from the change: each side is one build, \
             and no number of rounds averages that out."
                .to_owned(),
        );
    }
    sentences
}

/// Whether the report itself says it, as a warning or a note with this code.
fn told(report: &Report, code: &str) -> bool {
    report.warnings.iter().any(|warning| warning.code == code)
}

/// Warnings that say what the line on the plan says.
pub(super) const IN_THE_PLAN: [&str; 2] = ["one-stage", "order-unknown"];

/// The size of the family, where the report itself tells the rate.
fn family(report: &Report) -> String {
    let family = &report.family;
    let of = |n: u32, one, many| number::count(n as usize, one, many);
    match report.design {
        Design::Staged { .. } => format!(
            "The correction is over {} of {} that were screened.",
            of(family.size, "suspect", "suspects"),
            of(family.testable, "row", "rows")
        ),
        _ => format!("The correction is over {}.", of(family.size, "row", "rows")),
    }
}

fn rows(report: &Report) -> impl Iterator<Item = &Row> {
    report.suites.iter().flat_map(|suite| &suite.rows)
}

fn noise_sentence(report: &Report, noise: &Noise, ink: &Ink) -> String {
    format!(
        "Noise of this run: two rounds of the same code differ by {} in the median row, by {} in the worst ({}).",
        number::percent(noise.median),
        number::percent(noise.worst),
        ink.outside(&name_in(report, &noise.worst_row))
    )
}

fn error_rate(report: &Report) -> String {
    let alpha = number::plain_percent(report.policy.alpha);
    let family = &report.family;
    match (report.policy.correction, &report.design) {
        (Correction::None, _) => format!(
            "Every row is tested at {alpha} without a correction for their number: among {} some will look changed by \
             chance.",
            number::count(family.testable as usize, "row", "rows")
        ),
        (Correction::Holm, Design::Staged { .. }) => format!(
            "One error rate for the whole report: by the correction of Holm over {} ({} screened) an unchanged pull request \
             has a red or green row in at most {alpha} of reports. That is the rate of the method, not a promise for this \
             machine.",
            number::count(family.size as usize, "suspect", "suspects"),
            number::count(family.testable as usize, "row", "rows")
        ),
        (Correction::Holm, _) => format!(
            "One error rate for the whole report: the correction of Holm over {}, nominally at most {alpha} of reports with a \
             false change. That is the rate of the method, not a promise for this machine.",
            number::count(family.size as usize, "row", "rows")
        ),
    }
}

const fn delta_footnote(report: &Report) -> &'static str {
    match report.design {
        Design::Files => "Delta is the ratio of the two medians.",
        Design::Staged { .. } | Design::Fixed { .. } => {
            "Delta is the median of within-block ratios, not the ratio of the two medians beside it."
        }
    }
}
