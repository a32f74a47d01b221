//! Reading results that somebody else may have written.

use super::strict;
use super::{Block, Machine, Results, Round, SCHEMA, Stage, StepOutcome, StepStatus, SuiteResults};
use crate::format::BenchmarkId;
use crate::measure::plan::ROUNDS_LIMIT;
use crate::measure::{NAME_LIMIT, ROWS_LIMIT};
use crate::side::Side;
use std::collections::{BTreeMap, HashSet};

/// Most suites, and shards of a matrix.
const SUITES_LIMIT: usize = 1000;
/// Longest text of any kind, in bytes: commands are the longest.
const TEXT_LIMIT: usize = 64 << 10;
/// Longest tail and message, in bytes.
const MESSAGE_LIMIT: usize = crate::measure::tail::LIMIT;
/// Most entries of a list for people: warnings, settings, tools.
const NOTES_LIMIT: usize = 1000;

/// Why results cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultsError {
    /// It is no JSON, too large, too deep, or has a key twice.
    #[error("the results are no usable JSON: {0}")]
    Json(String),
    /// It was written by another version.
    #[error(
        "the results have schema {found}, and this version reads {SCHEMA}: measure and report with the same version"
    )]
    Schema {
        /// The number that was found.
        found: u64,
    },
    /// It has the right shape, and says something impossible.
    #[error("the results are invalid at {place}: {reason}")]
    Invalid {
        /// Where, as a path.
        place: String,
        /// Why.
        reason: String,
    },
}

/// Reads and checks `results.json`.
///
/// What comes back is finite, its indices are in range, its counts and lengths are within the limits, and every block has
/// two rounds a side. Nothing is said of whether it is true.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(bytes: &[u8]) -> Result<Results, ResultsError> {
    strict::check(bytes).map_err(ResultsError::Json)?;
    let version: Version = serde_json::from_slice(bytes).map_err(|error| ResultsError::Json(error.to_string()))?;
    if version.schema != u64::from(SCHEMA) {
        return Err(ResultsError::Schema { found: version.schema });
    }
    let results: Results = serde_json::from_slice(bytes).map_err(|error| ResultsError::Json(error.to_string()))?;
    Check::default().results(&results)?;
    Ok(results)
}

/// The one field that every version has.
#[derive(serde::Deserialize)]
struct Version {
    schema: u64,
}

/// Where the check is.
#[derive(Default)]
struct Check {
    rows: usize,
}

type Checked = Result<(), ResultsError>;

fn ensure(good: bool, place: &str, reason: &str) -> Checked {
    if good {
        return Ok(());
    }
    Err(ResultsError::Invalid { place: place.to_owned(), reason: reason.to_owned() })
}

fn short(text: &str, limit: usize, place: &str) -> Checked {
    ensure(text.len() <= limit, place, &format!("longer than {limit} bytes"))
}

fn seconds(value: f64, place: &str) -> Checked {
    ensure(value.is_finite() && value >= 0.0, place, "not a time")
}

fn hexadecimal(text: &str, lengths: &[usize], place: &str) -> Checked {
    let good = lengths.contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    ensure(good, place, "not a hexadecimal number of the right length")
}

fn notes<'t>(texts: impl IntoIterator<Item = &'t String>, place: &str) -> Checked {
    for (index, text) in texts.into_iter().enumerate() {
        ensure(index < NOTES_LIMIT, place, "too many entries")?;
        short(text, MESSAGE_LIMIT, place)?;
    }
    Ok(())
}

fn map(map: &BTreeMap<String, String>, place: &str) -> Checked {
    notes(map.keys().chain(map.values()), place)
}

impl Check {
    fn results(&mut self, results: &Results) -> Checked {
        short(&results.tool, NAME_LIMIT, "tool")?;
        for side in Side::BOTH {
            hexadecimal(results.commits.get(side), &[40, 64], &format!("commits.{side}"))?;
        }
        hexadecimal(&results.config_hash, &[64], "config_hash")?;
        hexadecimal(&results.seed, &[32], "seed")?;
        for (text, place) in [(&results.started, "started"), (&results.finished, "finished")] {
            ensure(text.len() <= 64 && text.parse::<jiff::Timestamp>().is_ok(), place, "not a point in time")?;
        }
        if let Some(shard) = results.shard {
            let good = shard.index >= 1 && shard.index <= shard.count && shard.count as usize <= SUITES_LIMIT;
            ensure(good, "shard", "no such shard")?;
        }
        self.machine(&results.machine)?;
        ensure(results.tuning.len() <= NOTES_LIMIT, "tuning", "too many entries")?;
        for outcome in &results.tuning {
            short(&format!("{outcome:?}"), TEXT_LIMIT, "tuning")?;
        }
        notes(&results.warnings, "warnings")?;
        ensure(results.suites.len() <= SUITES_LIMIT, "suites", "too many suites")?;
        let mut names = HashSet::new();
        for (index, suite) in results.suites.iter().enumerate() {
            let place = format!("suites[{index}]");
            ensure(names.insert(&suite.name), &place, "a second suite of that name")?;
            self.suite(suite, &place)?;
        }
        Ok(())
    }

    fn machine(&self, machine: &Machine) -> Checked {
        let images = machine.images.iter().flat_map(|images| [&images.base, &images.head]);
        let texts = [&machine.cpu, &machine.kernel, &machine.os].into_iter().chain(&machine.virtualization);
        notes(texts.chain(&machine.governor).chain(&machine.boost).chain(images), "machine")?;
        map(&machine.details, "machine.details")
    }

    fn suite(&mut self, suite: &SuiteResults, place: &str) -> Checked {
        ensure(!suite.name.is_empty() && suite.name.len() <= NAME_LIMIT, place, "a name that is empty or too long")?;
        for side in Side::BOTH {
            short(suite.run.get(side), TEXT_LIMIT, &format!("{place}.run.{side}"))?;
            outcome(suite.setup.get(side), &format!("{place}.setup.{side}"))?;
        }
        short(suite.format.as_deref().unwrap_or_default(), NAME_LIMIT, &format!("{place}.format"))?;
        notes(&suite.warnings, &format!("{place}.warnings"))?;
        map(&suite.tools, &format!("{place}.tools"))?;
        crate::inspect::check(&suite.inspected)
            .map_err(|reason| ResultsError::Invalid { place: format!("{place}.inspected"), reason })?;
        self.rows += suite.rows.len();
        ensure(self.rows <= ROWS_LIMIT && suite.units.len() <= ROWS_LIMIT, &format!("{place}.rows"), "too many rows")?;
        let mut keys = HashSet::new();
        for (index, row) in suite.rows.iter().enumerate() {
            let place = format!("{place}.rows[{index}]");
            benchmark(&row.benchmark, &place)?;
            ensure(!row.unit.is_empty() && row.unit.len() <= NAME_LIMIT, &place, "a unit that is empty or too long")?;
            ensure(keys.insert(row), &place, "a second row of that key")?;
        }
        for unit in suite.units.keys() {
            short(unit, NAME_LIMIT, &format!("{place}.units"))?;
        }
        for side in Side::BOTH {
            if let Some(warmup) = suite.warmup.get(side) {
                let place = format!("{place}.warmup.{side}");
                ensure(warmup.side == side, &place, "a round of the other side")?;
                round(warmup, suite, &place)?;
            }
        }
        let mut kinds = HashSet::new();
        for (index, stage) in suite.stages.iter().enumerate() {
            let place = format!("{place}.stages[{index}]");
            ensure(kinds.insert(stage.kind), &place, "a second stage of that kind")?;
            self.stage(stage, suite, &place)?;
        }
        Ok(())
    }

    fn stage(&self, stage: &Stage, suite: &SuiteResults, place: &str) -> Checked {
        let most = ROUNDS_LIMIT / 2;
        ensure(stage.planned_blocks <= most, place, "more blocks planned than a plan can have")?;
        let mut chosen = HashSet::new();
        for row in stage.suspects.iter().chain(&stage.equivalence) {
            ensure((*row as usize) < suite.rows.len(), place, "a chosen row that does not exist")?;
            ensure(chosen.insert(row), place, "a row chosen twice")?;
        }
        let mut counted: BTreeMap<&str, u32> = BTreeMap::new();
        let mut repeated = 0;
        for (index, block) in stage.blocks.iter().enumerate() {
            let place = format!("{place}.blocks[{index}]");
            short(&block.unit_of_work, MESSAGE_LIMIT, &place)?;
            let count = counted.entry(&block.unit_of_work).or_default();
            if block.invalid.is_none() || block.kept {
                *count += 1;
            } else {
                repeated += 1;
            }
            ensure(*count <= most, &place, "more blocks than a plan can have")?;
            self.block(block, suite, &place)?;
        }
        let all: u32 = counted.values().sum();
        ensure(repeated <= all.max(most), place, "more repeated blocks than a plan can have")?;
        Ok(())
    }

    fn block(&self, block: &Block, suite: &SuiteResults, place: &str) -> Checked {
        short(block.invalid.as_deref().unwrap_or_default(), MESSAGE_LIMIT, place)?;
        let base = block.rounds.iter().filter(|round| round.side == Side::Base).count();
        ensure(block.rounds.len() == 4 && base == 2, place, "not two rounds a side")?;
        for (index, one) in block.rounds.iter().enumerate() {
            round(one, suite, &format!("{place}.rounds[{index}]"))?;
        }
        Ok(())
    }
}

fn benchmark(id: &BenchmarkId, place: &str) -> Checked {
    short(&id.package, NAME_LIMIT, place)?;
    short(&id.name, NAME_LIMIT, place)
}

fn outcome(outcome: &StepOutcome, place: &str) -> Checked {
    seconds(outcome.seconds, place)?;
    short(&outcome.tail, MESSAGE_LIMIT, place)?;
    match &outcome.status {
        StepStatus::NotStarted(text) | StepStatus::Missing(text) => short(text, MESSAGE_LIMIT, place),
        _ => Ok(()),
    }
}

fn round(round: &Round, suite: &SuiteResults, place: &str) -> Checked {
    seconds(round.at, place)?;
    outcome(&round.outcome, place)?;
    let mut rows = HashSet::with_capacity(round.values.len().min(ROWS_LIMIT));
    for value in &round.values {
        ensure((value.row as usize) < suite.rows.len(), place, "a value of a row that does not exist")?;
        ensure(rows.insert(value.row), place, "two values of one row")?;
        if let Some(inner) = &value.inner {
            let ordered = [inner.min, inner.q1, inner.q3, inner.max].windows(2).all(|pair| pair[0] <= pair[1]);
            ensure(ordered && inner.count > 1, place, "a summary that is out of order")?;
        }
    }
    ensure(round.failures.len() <= ROWS_LIMIT && round.unparsed.len() <= NOTES_LIMIT, place, "too many failures")?;
    for failure in &round.failures {
        benchmark(&failure.benchmark, place)?;
        short(&failure.message, MESSAGE_LIMIT, place)?;
    }
    notes(round.unparsed.iter().map(|(_, text)| text), place)?;
    let witness = &round.witness;
    short(witness.cpus.as_deref().unwrap_or_default(), MESSAGE_LIMIT, place)
}
