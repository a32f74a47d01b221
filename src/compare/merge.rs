//! The suites of a report: what several jobs measured of one suite, in one.

use super::assemble::{Member, Part};
use super::decide::Rules;
use super::state::is_failure;
use super::{Context, geomeans};
use crate::config::{Config, Sweep};
use crate::report::{BlockCounts, FailedRounds, Note, Row, SuiteReport};
use crate::results::{StepOutcome, SuiteResults};
use crate::side::{PerSide, Side};

/// The suites in the order of the configuration, then of appearance; rows judged in a family of `size`.
pub(super) fn suites(
    parts: &[Part<'_>],
    rows: &[Member<'_>],
    rules: &Rules,
    size: usize,
    config: &Config,
    context: &Context,
) -> Vec<SuiteReport> {
    let mut names: Vec<&str> = Vec::new();
    let configured = config.suites.iter().map(|suite| suite.name.as_str());
    for name in configured.chain(parts.iter().map(|part| part.suite.name.as_str())) {
        if !names.contains(&name) && parts.iter().any(|part| part.suite.name == name) {
            names.push(name);
        }
    }
    names
        .into_iter()
        .filter_map(|name| {
            let of_suite = |part: &&Part<'_>| part.suite.name == name;
            let merged: Vec<&SuiteResults> = parts.iter().filter(of_suite).map(|part| part.suite).collect();
            let mut rows: Vec<Row> = rows
                .iter()
                .filter(|row| parts[row.part].suite.name == name)
                .map(|row| row.judged.row(rules, size))
                .collect();
            note_sources(&mut rows, name, context);
            let sweep = config.suites.iter().find(|suite| suite.name == name).and_then(|suite| suite.sweep.clone());
            suite(&merged, rows, sweep)
        })
        .collect()
}

fn suite(merged: &[&SuiteResults], rows: Vec<Row>, sweep: Option<Sweep>) -> Option<SuiteReport> {
    let first = merged.first()?;
    Some(SuiteReport {
        name: first.name.clone(),
        run: first.run.clone(),
        setup: PerSide::from_fn(|side| {
            let failed = merged.iter().map(|suite| suite.setup.get(side)).find(|setup| is_failure(&setup.status));
            failed.unwrap_or_else(|| first.setup.get(side)).clone()
        }),
        failed_rounds: PerSide::from_fn(|side| failed_rounds(merged, side)),
        geomeans: geomeans::of(&rows),
        rows,
        filtered_out: merged.iter().fold(0, |sum, suite| sum.saturating_add(suite.filtered_out)),
        blocks: block_counts(merged),
        sweep,
        // Every shard builds the same code: one that looked at it is enough.
        inspection: merged
            .iter()
            .find(|suite| !crate::inspect::is_empty(&suite.inspected))
            .map(|suite| crate::inspect::Inspection::of(&suite.inspected))
            .unwrap_or_default(),
    })
}

/// The rounds of all blocks, invalid ones included: a failed command is never a reason to leave a block out. Where none of
/// them failed, the warm-up rounds: that one was not counted does not make its failure a success.
fn failed_rounds(merged: &[&SuiteResults], side: Side) -> Option<FailedRounds> {
    let stages = merged.iter().flat_map(|suite| &suite.stages);
    let rounds = stages.flat_map(|stage| &stage.blocks).flat_map(|block| &block.rounds);
    let counted = rounds.filter(|round| round.side == side);
    let warmups = merged.iter().filter_map(|suite| suite.warmup.get(side).as_ref());
    let of = |outcomes: Vec<&StepOutcome>, warmup: bool| {
        let failed = || outcomes.iter().filter(|outcome| is_failure(&outcome.status));
        let first = (*failed().next()?).clone();
        let differ = failed().any(|outcome| outcome.status != first.status);
        Some(FailedRounds { failed: failed().count() as u32, of: outcomes.len() as u32, first, differ, warmup })
    };
    let counted = of(counted.map(|round| &round.outcome).collect(), false);
    counted.or_else(|| of(warmups.map(|round| &round.outcome).collect(), true))
}

fn block_counts(merged: &[&SuiteResults]) -> BlockCounts {
    let blocks = || merged.iter().flat_map(|suite| &suite.stages).flat_map(|stage| &stage.blocks);
    let invalid = |kept: bool| blocks().filter(|block| block.invalid.is_some() && block.kept == kept).count() as u32;
    BlockCounts { run: blocks().count() as u32, invalid: invalid(false), kept: invalid(true) }
}

fn note_sources(rows: &mut [Row], suite: &str, context: &Context) {
    // All are named once for the suite: a row has the one that a reader should look at first.
    for row in rows.iter_mut() {
        let concerns = |package: &str| package.is_empty() || row.benchmark.package == package;
        let first = context.sources.iter().find(|source| source.suite == suite && concerns(&source.package));
        row.notes.extend(first.map(|source| Note::SourceDiffers(source.path.clone())));
    }
}
