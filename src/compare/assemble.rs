//! The report, put together from all jobs.

use super::candidate::{Candidate, Candidates, candidates};
use super::decide::{CHANGED_LEVEL, Judged, Rules, correct};
use super::judge::Suspicion;
use super::notices::Notices;
use super::pair::Renames;
use super::{Context, Selection, environment, merge, overview, sentences};
use crate::config::{Config, Rounds};
use crate::report::{Design, Family, Policy, Report, Revision, SCHEMA, WarningLevel};
use crate::results::{Results, StageKind, SuiteResults};
use crate::side::{PerSide, Side};
use crate::stats::power::{residuals, rounds_for_level, smallest_p};
use regex::Regex;
use std::collections::{BTreeSet, HashSet};

/// One suite of one job.
pub(super) struct Part<'a> {
    pub(super) job: &'a Results,
    pub(super) suite: &'a SuiteResults,
    pub(super) found: Candidates<'a>,
    /// What the first stage makes of each row.
    suspicions: Vec<Option<Suspicion>>,
    /// The job kept invalid blocks: verdicts of change need twice the threshold.
    noisy: bool,
}

impl Part<'_> {
    /// The rows that the screen selects.
    pub(super) fn selection(&self) -> Selection {
        selection(&self.found.rows, self.suspicions.iter().copied())
    }
}

/// A row and the part that it comes from.
pub(super) struct Member<'a> {
    pub(super) part: usize,
    pub(super) judged: Judged<'a>,
}

pub(super) fn report(results: &[Results], config: &Config, context: &Context) -> Report {
    let mut notices = Notices::default();
    let mut jobs: Vec<&Results> = results.iter().collect();
    jobs.sort_by_key(|job| job.shard.map(|shard| (shard.index, shard.count)));
    let rules = rules(&jobs, config);
    let parts = parts(&jobs, config, &rules, &mut notices);
    let mut rows = members(&parts, &rules, &mut notices);
    let size = correct(rows.iter_mut().map(|row| &mut row.judged), &rules);
    let family = family(&rows, &rules, size);
    let suites = merge::suites(&parts, &rows, &rules, size, config, context);
    let all = || suites.iter().flat_map(|suite| &suite.rows);
    let (counts, noise) = (overview::counts(all()), overview::noise(all()));

    sentences::about_the_plan(&jobs, config, &rules, &family, &mut notices);
    sentences::about_jobs(&jobs, context, &mut notices);
    sentences::about_rows(&suites, &mut notices);
    sentences::about_sources(&suites, context, &mut notices);
    for part in &parts {
        sentences::about_a_part(part, &rules, jobs.len(), &mut notices);
    }
    for job in &jobs {
        environment::warn(job, &sentences::place_of(job, jobs.len()), &mut notices);
    }
    let mut report = Report {
        schema: SCHEMA,
        tool: context.tool.clone(),
        verdict: overview::overall(&counts, all().filter(|row| row.is_compared()).count()),
        counts,
        design: design(&jobs, &rules),
        revisions: revisions(&jobs, context),
        base_behind: context.base_behind,
        policy: Policy {
            alpha: rules.alpha,
            threshold: config.compare.threshold,
            confidence: CHANGED_LEVEL,
            correction: config.compare.correction,
        },
        family,
        noise,
        environments: jobs.iter().map(|job| environment::environment(job)).collect(),
        warnings: notices.finish(),
        reproduce: context.reproduce.clone(),
        run: context.run.clone(),
        suites,
    };
    report.hold_back();
    report
}

/// The plan that the data follow, with the sizes of the policy if its plan is the same.
fn rules(jobs: &[&Results], config: &Config) -> Rules {
    let stages = || jobs.iter().flat_map(|job| &job.suites).flat_map(|suite| &suite.stages);
    let planned = |kind| stages().filter(|stage| stage.kind == kind).map(|stage| stage.planned_blocks).max();
    let (first_blocks, confirm_blocks) = match (config.rounds, planned(StageKind::Screen), planned(StageKind::Fixed)) {
        (Rounds::Staged { screen, confirm }, Some(_), _) | (Rounds::Staged { screen, confirm }, None, None) => {
            (screen / 2, Some(confirm / 2))
        }
        (Rounds::Fixed(rounds), None, _) => (rounds / 2, None),
        (_, Some(screen), _) => (screen, Some(planned(StageKind::Confirm).unwrap_or(0))),
        (_, None, Some(fixed)) => (fixed, None),
    };
    Rules {
        first: if confirm_blocks.is_some() { StageKind::Screen } else { StageKind::Fixed },
        alpha: config.compare.alpha,
        correction: config.compare.correction,
        first_blocks,
        confirm_blocks: confirm_blocks.unwrap_or(0),
        runs: residuals::runs(jobs.iter().flat_map(|job| &job.suites).map(|suite| suite.rows.len()).sum()),
    }
}

/// Every suite of every job, its rows classed.
fn parts<'a>(jobs: &[&'a Results], config: &Config, rules: &Rules, notices: &mut Notices) -> Vec<Part<'a>> {
    let (renames, invalid) = Renames::new(&config.compare.rename);
    for expression in invalid {
        let message = format!("rename: {expression} is not a regular expression, so it was not applied");
        notices.add(WarningLevel::Warning, "rename", message, "");
    }
    let mut parts = Vec::new();
    for job in jobs {
        let blocks = || job.suites.iter().flat_map(|suite| &suite.stages).flat_map(|stage| &stage.blocks);
        let noisy = blocks().any(|block| block.invalid.is_some() && block.kept);
        for suite in &job.suites {
            let controls = controls(config, suite, notices);
            let found = candidates(suite, rules.first, &config.compare, controls.as_ref(), &renames);
            let suspicions = found.rows.iter().map(Candidate::suspicion).collect();
            parts.push(Part { job, suite, found, suspicions, noisy });
        }
    }
    parts
}

fn controls(config: &Config, suite: &SuiteResults, notices: &mut Notices) -> Option<Regex> {
    let expression = config.suites.iter().find(|other| other.name == suite.name)?.controls.as_deref()?;
    let controls = Regex::new(expression);
    if controls.is_err() {
        let message = format!("controls: {expression} is not a regular expression, so no row is a control");
        notices.add(WarningLevel::Warning, "controls", message, &suite.name);
    }
    controls.ok()
}

/// All rows; of a row that several jobs measured, the first.
fn members<'a>(parts: &'a [Part<'a>], rules: &Rules, notices: &mut Notices) -> Vec<Member<'a>> {
    let mut seen = HashSet::new();
    let mut rows = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for (candidate, suspicion) in part.found.rows.iter().zip(&part.suspicions) {
            let sides = candidate.pair.key.map(|key| key.is_some());
            let key = (&part.suite.name, &candidate.benchmark, &candidate.unit, sides.base, sides.head);
            if !seen.insert(key) {
                let message =
                    format!("{} ({}) was measured twice; the first is shown", candidate.benchmark.name, candidate.unit);
                notices.add(WarningLevel::Warning, "duplicate-row", message, &part.suite.name);
                continue;
            }
            let judged = Judged::new(candidate, &part.found, part.suite, rules, part.noisy, *suspicion);
            rows.push(Member { part: index, judged });
        }
    }
    rows
}

/// The selection as indices into the suite's rows.
pub(super) fn selection(rows: &[Candidate], suspicions: impl Iterator<Item = Option<Suspicion>>) -> Selection {
    let mut sets: [BTreeSet<u32>; 2] = Default::default();
    for (row, suspicion) in rows.iter().zip(suspicions) {
        let set = match suspicion {
            Some(Suspicion::Suspect) => &mut sets[0],
            Some(Suspicion::Undecided) => &mut sets[1],
            _ => continue,
        };
        set.extend(row.pair.key.base.into_iter().chain(row.pair.key.head).map(|key| key as u32));
    }
    let [suspects, equivalence] = sets.map(|set| set.into_iter().collect());
    Selection { suspects, equivalence }
}

fn family(rows: &[Member<'_>], rules: &Rules, size: usize) -> Family {
    let testable = rows.iter().filter(|row| row.judged.testable()).count();
    let in_family = rows.iter().filter(|row| row.judged.in_family(rules));
    let blocks = in_family.map(|row| row.judged.deciding_blocks(rules)).max();
    let planned = if rules.staged() { rules.confirm_blocks } else { rules.first_blocks };
    let smallest = smallest_p(blocks.filter(|blocks| *blocks > 0).unwrap_or(planned));
    let level = rules.level_of_one(size);
    Family {
        size: size as u32,
        testable: testable as u32,
        smallest_p: (size > 0).then_some(smallest),
        rounds_needed: (size > 0 && smallest > level).then(|| rounds_for_level(level)).flatten(),
    }
}

fn design(jobs: &[&Results], rules: &Rules) -> Design {
    let mut seeds: Vec<&str> = Vec::new();
    for job in jobs {
        if !seeds.contains(&job.seed.as_str()) {
            seeds.push(&job.seed);
        }
    }
    let seed = seeds.join(", ");
    if rules.staged() {
        Design::Staged {
            screen: rules.first_blocks.saturating_mul(2),
            confirm: rules.confirm_blocks.saturating_mul(2),
            seed,
        }
    } else {
        Design::Fixed { rounds: rules.first_blocks.saturating_mul(2), seed }
    }
}

fn revisions(jobs: &[&Results], context: &Context) -> PerSide<Revision> {
    PerSide::from_fn(|side: Side| {
        let mut revision = context.revisions.get(side).clone();
        if revision.sha.is_empty() {
            revision.sha = jobs.first().map(|job| job.commits.get(side).clone()).unwrap_or_default();
        }
        revision
    })
}
