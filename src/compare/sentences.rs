//! What a reader must know, in words: of the plan, the jobs, the suites and the rows.

use super::Context;
use super::assemble::Part;
use super::decide::Rules;
use super::notices::{Notices, number_of};
use super::simulate::calibration;
use crate::config::{Config, Correction, Rounds};
use crate::report::{Family, Note, Report, Row, SuiteReport, Unjudged, Verdict, WarningLevel};
use crate::results::{Results, StageKind, Stopped};
use crate::side::{PerSide, Side};
use crate::stats::order;
use crate::stats::power::{SCREEN_LEVEL, smallest_p};
use std::collections::{BTreeMap, BTreeSet};

/// How a job is named where there are several.
pub(super) fn place_of(job: &Results, jobs: usize) -> String {
    match job.shard {
        Some(shard) if jobs > 1 => format!("shard {} of {}", shard.index, shard.count),
        _ => String::new(),
    }
}

/// Sources of benchmarks that differ between the sides, whatever the rows say.
pub(super) fn about_sources(suites: &[SuiteReport], context: &Context, notices: &mut Notices) {
    const NAMED: usize = 5;
    for suite in suites {
        let paths: Vec<&str> = context
            .sources
            .iter()
            .filter(|source| source.suite == suite.name)
            .map(|source| source.path.as_str())
            .collect();
        let more = paths.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if !paths.is_empty() {
            let named = paths[..paths.len().min(NAMED)].join(", ");
            let message = format!(
                "These differ between the sides, which can move a number without a change of the code: {named}{more}"
            );
            notices.add(WarningLevel::Note, "sources-differ", message, &suite.name);
        }
    }
}

/// The plan: what it cannot find, and how often it errs.
pub(super) fn about_the_plan(
    jobs: &[&Results],
    config: &Config,
    rules: &Rules,
    family: &Family,
    notices: &mut Notices,
) {
    if let Some(message) = too_few_rounds(rules, family) {
        notices.add(WarningLevel::Headline, "too-few-rounds", message, "");
    }
    let noisy = |job: &&&Results| {
        let blocks = job.suites.iter().flat_map(|suite| &suite.stages).flat_map(|stage| &stage.blocks);
        blocks.into_iter().any(|block| block.invalid.is_some() && block.kept)
    };
    for job in jobs.iter().filter(noisy) {
        let message = "Noisy machine: more blocks were disturbed than could be run again, so a change needs twice the \
                       threshold to be called one";
        notices.add(WarningLevel::Headline, "noisy-machine", message.to_owned(), &place_of(job, jobs.len()));
    }
    if !rules.staged() {
        let message = "One stage, not confirmed: no fresh rounds were run for the rows that changed";
        notices.add(WarningLevel::Warning, "one-stage", message.to_owned(), "");
    }
    if rules.staged() != matches!(config.rounds, Rounds::Staged { .. }) {
        let message = "The rounds were measured by another plan than the configuration has; the report follows them";
        notices.add(WarningLevel::Warning, "plan-differs", message.to_owned(), "");
    }
    if rules.staged() && smallest_p(rules.first_blocks) > SCREEN_LEVEL {
        let message = "Too few rounds in the screen: no row can become a suspect, so nothing is confirmed; 4 rounds a side \
                       (`rounds: {screen: 4}`) is the least";
        notices.add(WarningLevel::Headline, "too-few-rounds", message.to_owned(), "");
    }
    let defaults = config.compare.threshold == calibration::THRESHOLD && rules.alpha == calibration::ALPHA;
    if rules.staged() && rules.correction == Correction::Holm && defaults {
        notices.add(WarningLevel::Note, "calibration", calibration::sentence(), "");
    }
}

/// That no p of the deciding stage could survive the correction, and what would help.
fn too_few_rounds(rules: &Rules, family: &Family) -> Option<String> {
    let (p, rounds) = family.smallest_p.zip(family.rounds_needed)?;
    let size = family.size as usize;
    let (few, key, planned) = if rules.staged() {
        let few = format!("Too few fresh rounds to confirm {}", number_of(size, "suspect"));
        (few, "confirm", rules.confirm_blocks)
    } else {
        (format!("Too few rounds in the one stage for {}", number_of(size, "row")), "fixed", rules.first_blocks)
    };
    let more = if smallest_p(planned) <= rules.level_of_one(size) {
        "the plan has enough, but the time did not suffice for it".to_owned()
    } else {
        format!("{rounds} rounds a side in this stage (`rounds: {{{key}: {rounds}}}`) would do")
    };
    Some(format!(
        "{few}: the smallest p that this stage could give ({p:.2e}) does not survive the correction, so the test can call no \
         row changed; {more}"
    ))
}

/// The jobs: whether they belong together and are complete.
pub(super) fn about_jobs(jobs: &[&Results], context: &Context, notices: &mut Notices) {
    for note in &context.notes {
        notices.add(WarningLevel::Warning, "note", note.clone(), "");
    }
    for side in Side::BOTH {
        let mut commits: BTreeSet<&str> = jobs.iter().map(|job| job.commits.get(side).as_str()).collect();
        let wanted = context.revisions.get(side).sha.as_str();
        if !wanted.is_empty() {
            commits.insert(wanted);
        }
        if commits.len() > 1 {
            let list = commits.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!("The results are of different commits of {side}: {list}");
            notices.add(WarningLevel::Headline, "mixed-commits", message, "");
        }
    }
    if jobs.iter().any(|job| job.config_hash != jobs[0].config_hash) {
        let message = "The jobs measured by different configurations";
        notices.add(WarningLevel::Warning, "mixed-policies", message.to_owned(), "");
    }
    shards(jobs, notices);
    for job in jobs {
        let place = place_of(job, jobs.len());
        let stopped = match job.stopped {
            Stopped::Completed => None,
            Stopped::Budget => Some(("budget", "The time budget ended measuring before the plan was carried out")),
            Stopped::MaxTime => {
                Some(("max-time", "The job's time limit ended measuring before the plan was carried out"))
            }
            Stopped::Interrupted => {
                Some(("interrupted", "Measuring was interrupted: these are the results until then"))
            }
        };
        if let Some((code, message)) = stopped {
            notices.add(WarningLevel::Warning, code, message.to_owned(), &place);
        }
        for warning in &job.warnings {
            notices.add(WarningLevel::Warning, "measuring", warning.clone(), &place);
        }
    }
}

fn shards(jobs: &[&Results], notices: &mut Notices) {
    let shards: Vec<_> = jobs.iter().filter_map(|job| job.shard).collect();
    let there: BTreeSet<u32> = shards.iter().map(|shard| shard.index).collect();
    let count = shards.iter().map(|shard| shard.count).max().unwrap_or(0);
    // A count from a file may be any number: only the first few that are missing are named.
    let missing: Vec<String> =
        (1..=count).filter(|index| !there.contains(index)).take(5).map(|i| i.to_string()).collect();
    if !missing.is_empty() {
        let message = format!("Of {count} shards these are missing, with all their benchmarks: {}", missing.join(", "));
        notices.add(WarningLevel::Headline, Report::MISSING_SHARDS, message, "");
    }
    let machines: BTreeSet<&str> = jobs.iter().map(|job| job.machine.cpu.as_str()).collect();
    if machines.len() > 1 {
        let list = machines.into_iter().collect::<Vec<_>>().join("; ");
        let message = format!("The shards ran on different machines, each row on one: {list}");
        notices.add(WarningLevel::Note, "different-machines", message, "");
    }
}

/// One suite of one job: what its rounds printed and how far they went.
pub(super) fn about_a_part(part: &Part<'_>, rules: &Rules, jobs: usize, notices: &mut Notices) {
    let suite = part.suite;
    let shard = place_of(part.job, jobs);
    let place = if shard.is_empty() { suite.name.clone() } else { format!("{}, {shard}", suite.name) };
    for warning in &suite.warnings {
        notices.add(WarningLevel::Warning, "suite", warning.clone(), &place);
    }
    if part.found.table.malformed > 0 {
        let message = format!(
            "{} without two rounds of each side: not used",
            number_of(part.found.table.malformed as usize, "block")
        );
        notices.add(WarningLevel::Warning, "malformed-block", message, &place);
    }
    no_benchmarks(part, &place, notices);
    unparsed(part, &place, notices);
    for stage in &part.found.table.stages {
        let planned = if stage.kind == StageKind::Confirm { rules.confirm_blocks } else { rules.first_blocks };
        if stage.planned < planned {
            let name = match stage.kind {
                StageKind::Screen => "Screen",
                StageKind::Confirm => "Confirm",
                StageKind::Fixed => "The one stage",
            };
            let message = format!("{name} had time for {} of {}", stage.planned, number_of(planned as usize, "block"));
            notices.add(WarningLevel::Warning, "fewer-blocks", message, &place);
        }
    }
    let confirm = suite.stages.iter().find(|stage| stage.kind == StageKind::Confirm && rules.staged());
    if let Some(confirm) = confirm {
        let set = |list: &[u32]| list.iter().copied().collect::<BTreeSet<u32>>();
        let chosen = part.selection();
        let same =
            set(&confirm.suspects) == set(&chosen.suspects) && set(&confirm.equivalence) == set(&chosen.equivalence);
        if !same {
            let message = "The rows that were measured again are not those that the screen's samples select; the report \
                           follows the samples";
            notices.add(WarningLevel::Warning, "selection-differs", message.to_owned(), &place);
        }
    }
}

/// A command that ends well and prints no benchmark is not a comparison without a change.
fn no_benchmarks(part: &Part<'_>, place: &str, notices: &mut Notices) {
    for side in Side::BOTH {
        let ended_well = part.found.table.rounds_of(side).any(|round| round.outcome.status.ok());
        if ended_well && !part.found.table.seen.iter().any(|seen| *seen.get(side)) {
            let hidden = part.suite.filtered_out > 0;
            let kept = if hidden { " that the suite's filter keeps" } else { "" };
            let message = format!("0 benchmarks on {side}{kept}, though the command ended well");
            notices.add(WarningLevel::Headline, "no-benchmarks", message, place);
        }
    }
}

fn unparsed(part: &Part<'_>, place: &str, notices: &mut Notices) {
    // Every round prints much the same: a line is told once, with the number of counted rounds a side that have it.
    let mut lines: BTreeMap<(u64, &str), PerSide<Option<u32>>> = BTreeMap::new();
    for side in Side::BOTH {
        let warmup = part.found.table.warmup(side).map_or(0, |_| 1);
        for (nth, round) in part.found.table.rounds_of(side).enumerate() {
            for (line, expected) in &round.unparsed {
                let sides = lines.entry((*line, expected)).or_default();
                *sides.get_mut(side).get_or_insert(0) += u32::from(nth >= warmup);
            }
        }
    }
    for ((line, expected), sides) in lines {
        let (there, counted) = match (sides.base, sides.head) {
            (Some(base), Some(head)) => ("base and head", base + head),
            (Some(base), None) => ("base", base),
            (None, head) => ("head", head.unwrap_or_default()),
        };
        let rounds = match counted {
            0 => "in the warm-up".to_owned(),
            counted => format!("in {}", number_of(counted as usize, "round")),
        };
        let line = if line == 0 { String::new() } else { format!(", line {line}") };
        notices.add(
            WarningLevel::Warning,
            "unparsed-line",
            format!("{expected} ({rounds})"),
            &format!("{place}, {there}{line}"),
        );
    }
}

/// How rows were paired whose keys differ.
pub(super) fn about_pairs(suite: &SuiteReport, notices: &mut Notices) {
    let mut paired = |code: &str, what: fn(&Note) -> bool, why: &str| {
        let rows = count(suite, what);
        if rows > 0 {
            notices.add(
                WarningLevel::Note,
                code,
                format!("{} paired though {why}", number_of(rows, "row")),
                &suite.name,
            );
        }
    };
    let package = "the package differs: it exists on one side only";
    paired("paired-package", |note| matches!(note, Note::PackageDiffers(_)), package);
    let processors = "the number of processors in the name differs";
    paired("paired-processors", |note| matches!(note, Note::ProcsDiffer(_)), processors);
    let renamed = "the name differs, by the configured renames";
    paired("paired-renamed", |note| matches!(note, Note::Renamed), renamed);
}

fn count(suite: &SuiteReport, what: fn(&Note) -> bool) -> usize {
    suite.rows.iter().filter(|row| row.notes.iter().any(what)).count()
}

/// The rows: how they were paired, controls that moved, and a suite that moved as a whole.
pub(super) fn about_rows(suites: &[SuiteReport], notices: &mut Notices) {
    for suite in suites {
        about_pairs(suite, notices);
        let moved = count(suite, |note| matches!(note, Note::ControlMoved));
        if moved > 0 {
            let message = format!(
                "{} moved, which the change cannot have moved: distrust this run",
                number_of(moved, "control row")
            );
            notices.add(WarningLevel::Headline, "control-moved", message, &suite.name);
        }
        common_shift(suite, notices);
    }
}

/// Rows that must move together before it is said that the whole suite moved.
const COMMON_ROWS: usize = 5;

/// The share of rows that must move the same way.
const COMMON_SHARE: f64 = 0.6;

fn common_shift(suite: &SuiteReport, notices: &mut Notices) {
    let mut units: Vec<&str> = suite.rows.iter().map(|row| row.unit.as_str()).collect();
    units.sort_unstable();
    units.dedup();
    for unit in units {
        let rows: Vec<(f64, f64)> = suite.rows.iter().filter(|row| row.unit == unit).filter_map(first_move).collect();
        if rows.len() < COMMON_ROWS {
            continue;
        }
        let median = |values: Vec<f64>| order::median_of(&values).unwrap_or_default();
        let shift = median(rows.iter().map(|(effect, _)| *effect).collect());
        let noise = median(rows.iter().map(|(_, noise)| *noise).collect());
        let same = rows.iter().filter(|(effect, _)| effect * shift > 0.0).count() as f64;
        if same >= COMMON_SHARE * rows.len() as f64 && shift.abs() > noise {
            let message = format!(
                "The whole suite moved by about {:+.1} % in {unit}: compiler flags, a runtime version, code layout, or the \
                 machine",
                100.0 * shift
            );
            notices.add(WarningLevel::Headline, "common-shift", message, &suite.name);
        }
    }
}

/// Effect and noise of a tested row by its first stage.
fn first_move(row: &Row) -> Option<(f64, f64)> {
    let judged = !row.exact
        && !row.derived
        && !matches!(row.verdict, Verdict::Unjudged(Unjudged::Degenerate | Unjudged::Secondary | Unjudged::OneRound));
    Some((row.samples.first().filter(|_| judged)?.effect?, row.noise?))
}
