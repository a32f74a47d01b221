//! The rows of one suite before any decision: paired, collected, and classed by their first stage alone.

use super::analysis::Analysis;
use super::exact::{self, Exact};
use super::judge::{Suspicion, suspicion};
use super::kin::{self, Member};
use super::pair::{Pair, Renames, pair};
use super::samples::{Samples, Table};
use super::state;
use super::units::UnitRules;
use crate::config::{Compare, PrimaryTime};
use crate::format::BenchmarkId;
use crate::report::{Note, Unjudged, Verdict};
use crate::results::{StageKind, SuiteResults};
use crate::side::PerSide;
use regex::Regex;

/// Level of the interval by which a row of a two-stage plan is unchanged: there are two looks.
pub(super) const STAGED_LEVEL: f64 = 0.95;

/// One row of a suite.
pub(super) struct Candidate {
    pub(super) pair: Pair,
    /// As head names it where both have it.
    pub(super) benchmark: BenchmarkId,
    /// As base names it, if that differs.
    pub(super) base_benchmark: Option<BenchmarkId>,
    pub(super) unit: String,
    pub(super) rules: UnitRules,
    /// A row that must not move.
    pub(super) control: bool,
    /// Samples of every stage, in order.
    pub(super) stages: Vec<Samples>,
    pub(super) class: Class,
    /// What its first stage says, if it has complete blocks and is not exact.
    pub(super) first: Option<Analysis>,
}

/// What kind of judgement a row can have.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Class {
    /// A state that no test can change.
    State(Verdict),
    /// Shown without a verdict.
    Unjudged(Unjudged),
    /// Constant on both sides, and compared as such.
    Exact(Exact),
    /// Judged by the test, in the family.
    Testable,
}

/// The rows of a suite, and what they came from.
pub(super) struct Candidates<'a> {
    pub(super) table: Table<'a>,
    pub(super) rows: Vec<Candidate>,
}

/// Collects and classes the rows of `suite`, whose first stage is `first`.
pub(super) fn candidates<'a>(
    suite: &'a SuiteResults,
    first: StageKind,
    compare: &Compare,
    controls: Option<&Regex>,
    renames: &Renames,
) -> Candidates<'a> {
    let table = Table::new(suite);
    let pairs = pair(&suite.rows, &table.seen, renames);
    let mut rows: Vec<Candidate> = pairs
        .into_iter()
        .map(|pair| {
            let base = pair.key.base.map(|key| &suite.rows[key].benchmark);
            let head = pair.key.head.map(|key| &suite.rows[key].benchmark);
            let key = pair.key.head.or(pair.key.base).unwrap_or_default();
            let (benchmark, unit) = (suite.rows[key].benchmark.clone(), suite.rows[key].unit.clone());
            let stages = table.samples(&pair);
            let rules = UnitRules::of(&unit, suite.units.get(&unit), compare);
            let counted: Vec<&Samples> = stages.iter().filter(|samples| samples.kind == first).collect();
            let class = match state::of(&pair, &table, &suite.setup, &counted) {
                Some(state) => Class::State(state),
                None => match counted.first().and_then(|samples| exact::compare(samples, &rules)) {
                    Some(exact) => Class::Exact(exact),
                    None => Class::Testable,
                },
            };
            let first = counted.first().and_then(|samples| Analysis::new(&samples.blocks));
            let base_benchmark = base.filter(|base| head.is_some_and(|head| head != *base)).cloned();
            let control = controls.is_some_and(|controls| controls.is_match(&benchmark.name));
            Candidate { pair, benchmark, base_benchmark, unit, rules, control, stages, class, first }
        })
        .collect();
    class_by_benchmark(&mut rows, first, compare.primary);
    rows.extend(
        table.only_failures().into_iter().map(|(benchmark, state)| Candidate::without_values(benchmark, state)),
    );
    Candidates { table, rows }
}

/// Takes out of the judgement what only the other units of the same benchmark can tell.
fn class_by_benchmark(rows: &mut [Candidate], first: StageKind, primary: PrimaryTime) {
    let members: Vec<Member<'_>> = rows
        .iter()
        .map(|row| {
            let first = row.stages.iter().find(|samples| samples.kind == first);
            let values = first.map(|samples| &samples.values);
            Member {
                benchmark: &row.benchmark,
                unit: &row.unit,
                judged: !matches!(row.class, Class::State(_)),
                degenerate: kin::is_degenerate(
                    &row.unit,
                    values.into_iter().flat_map(|values| [values.base.as_slice(), values.head.as_slice()]),
                    first.and_then(|samples| samples.iterations).map(|(_, most)| most),
                ),
            }
        })
        .collect();
    let reasons = kin::unjudged(&members, primary);
    for (row, reason) in rows.iter_mut().zip(reasons) {
        if let Some(reason) = reason {
            row.class = Class::Unjudged(reason);
        }
    }
}

impl Candidate {
    /// A benchmark that gave no value on either side, and so has no unit.
    fn without_values(benchmark: BenchmarkId, state: Verdict) -> Self {
        Self {
            pair: Pair { key: PerSide::default(), notes: Vec::new() },
            benchmark,
            base_benchmark: None,
            unit: String::new(),
            rules: UnitRules::of("", None, &Compare::default()),
            control: false,
            stages: Vec::new(),
            class: Class::State(state),
            first: None,
        }
    }

    /// What the screen makes of the row; `None` if it is not in the family.
    pub(super) fn suspicion(&self) -> Option<Suspicion> {
        let analysis = self.first.as_ref().filter(|_| self.class == Class::Testable)?;
        Some(suspicion(analysis.p, || {
            // Without a direction or a threshold there is no verdict word, so nothing to measure again for.
            let margin = analysis.margin(&self.rules).filter(|margin| *margin > 0.0 && self.rules.better.is_some())?;
            Some(analysis.interval(STAGED_LEVEL).inside(margin))
        }))
    }

    /// The notes that its pairing and its values carry.
    pub(super) fn notes_of(&self, shown: Option<&Samples>) -> Vec<Note> {
        let mut notes = self.pair.notes.clone();
        let Some(samples) = shown else { return notes };
        if samples.dropped > 0 {
            notes.push(Note::BlocksDropped(samples.dropped));
        }
        if let Some((least, _)) = samples.iterations.filter(|(least, _)| *least < 5) {
            notes.push(Note::FewIterations(least));
        }
        let all = || samples.values.base.iter().chain(&samples.values.head);
        if let Some(first) = all().next().filter(|_| !samples.blocks.is_empty()) {
            if all().all(|value| value == first) {
                notes.push(Note::AllEqual);
            } else if self.rules.exact && self.class == Class::Testable {
                notes.push(Note::ExactVaries);
            }
        }
        notes
    }
}
