//! From raw samples to judged rows.
//!
//! [`select`] chooses after the screen which rows are measured again; [`report`] makes the report from results files;
//! [`files`] compares plain files, whose rounds have no known order. All are pure functions of their arguments.
//!
//! The way of a row: paired over the sides (`pair`), its samples collected by block (`samples`), given a state if a side
//! lacks it (`state`), classed by its first stage (`candidate`), tested (`analysis`), corrected within the family
//! and judged (`decide`, by the rules in `judge`), and written down (`row`).

use crate::config::Config;
use crate::report::{Report, Revision, RunInfo};
use crate::results::{Results, StageKind, SuiteResults};
use crate::side::PerSide;

mod analysis;
mod assemble;
mod candidate;
mod decide;
mod environment;
mod exact;
pub mod files;
mod geomeans;
mod judge;
mod kin;
mod merge;
mod notices;
mod overview;
mod pair;
mod row;
mod samples;
mod sentences;
pub mod simulate;
mod state;
mod units;

pub use crate::results::SourceDifference;
pub use files::{FileColumn, FileOptions, files};
pub use overview::trips;

/// What a report says beside what the samples say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// The program that makes the report, such as `bench-bot 0.1.0`.
    pub tool: String,
    /// What was compared. An empty commit id is filled in from the results.
    pub revisions: PerSide<Revision>,
    /// How many commits base is behind the target branch, where known.
    pub base_behind: Option<u64>,
    /// What the reader must know, found out before measuring. Unescaped.
    pub notes: Vec<String>,
    /// Benchmark sources that differ between the sides.
    pub sources: Vec<SourceDifference>,
    /// How to measure this again: one shell command, unescaped.
    pub reproduce: Option<String>,
    /// The run that makes the report, where GitHub runs it.
    pub run: Option<RunInfo>,
}

/// The rows of a suite that are measured again, as indices into its `rows`. A row whose keys differ between the sides
/// has both indices in the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Set S: rows that may have changed. Only they can become a regression or an improvement.
    pub suspects: Vec<u32>,
    /// Set E: rows that show no change and whose equivalence is undecided.
    pub equivalence: Vec<u32>,
}

/// Chooses what is measured again, from the screens of `suites`; one selection for each suite, in their order.
///
/// Suspects are the testable rows with a screen p of at most 0.10 that are not unchanged already; rows for equivalence
/// have a larger p and are not shown to be unchanged. Nothing else is chosen: not rows that a side lacks, exact,
/// derived and degenerate ones.
#[must_use]
pub fn select(suites: &[SuiteResults], config: &Config) -> Vec<Selection> {
    let (renames, _) = pair::Renames::new(&config.compare.rename);
    suites
        .iter()
        .map(|suite| {
            let found = candidate::candidates(suite, StageKind::Screen, &config.compare, None, &renames);
            assemble::selection(&found.rows, found.rows.iter().map(candidate::Candidate::suspicion))
        })
        .collect()
}

/// Makes the report from the results of one or more measuring jobs: nothing but raw samples and witnesses is believed.
///
/// All jobs together are one family for the correction. Jobs and suites are put in the order of shards and of the
/// configuration, so that the order of the arguments does not matter.
#[must_use]
pub fn report(results: &[Results], config: &Config, context: &Context) -> Report {
    assemble::report(results, config, context)
}

#[cfg(test)]
mod tests;
