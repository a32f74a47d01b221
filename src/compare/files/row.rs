//! One row of a comparison of plain files.

use super::column::{Cell, Column, UnitHints, state};
use super::{FileOptions, level_of_one};
use crate::compare::exact::{self, Exact};
use crate::compare::kin::{self, Member};
use crate::compare::row::summary_of;
use crate::compare::units::UnitRules;
use crate::config::Correction;
use crate::format::BenchmarkId;
use crate::report::{
    Delta, Limits, Note, PKind, PValue, RoundsNeeded, Row, StageSamples, Undecided, Unjudged, Verdict,
};
use crate::results::RowKey;
use crate::side::{PerSide, Side};
use crate::stats::{Interval, finite, mann_whitney, order, power};
use crate::unit::Direction;
use std::cell::RefCell;

/// Level of the interval by which a row is unchanged.
const UNCHANGED_LEVEL: f64 = 0.90;

/// A row of two columns on its way to a verdict.
pub(super) struct Comparison {
    benchmark: BenchmarkId,
    base_benchmark: Option<BenchmarkId>,
    unit: String,
    rules: UnitRules,
    cell: PerSide<Option<Cell>>,
    notes: Vec<Note>,
    pub(super) class: Class,
    /// p after the correction.
    pub(super) adjusted: Option<f64>,
}

/// What kind of judgement a row can have.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Class {
    State(Verdict),
    Unjudged(Unjudged),
    Exact(Exact),
    /// Raw p.
    Tested(f64),
}

/// Whether a value is a number with room left for differences.
const fn is_usable(value: f64) -> bool {
    value.is_finite() && value.abs() <= 1e300
}

impl Comparison {
    pub(super) fn new(
        key: &RowKey,
        id: PerSide<Option<&BenchmarkId>>,
        mut cell: PerSide<Option<Cell>>,
        columns: PerSide<&Column>,
        units: &UnitHints,
        mut notes: Vec<Note>,
        options: &FileOptions,
    ) -> Self {
        let rules = UnitRules::of(&key.unit, units.get(&key.unit), &options.compare);
        let class = class(key, &cell, &columns, &rules, options);
        // Of a row that failed for an unusable value the others are still shown.
        for side in Side::BOTH {
            if let Some(cell) = cell.get_mut(side) {
                cell.values.retain(|value| is_usable(*value));
            }
        }
        if let PerSide { base: Some(base), head: Some(head) } = &cell {
            if base.values.len() != head.values.len() {
                notes.push(Note::UnequalN);
            }
            // The package has its own note.
            let names = base.config.keys().chain(head.config.keys()).filter(|name| *name != "pkg");
            let mut differing: Vec<&String> =
                names.filter(|name| base.config.get(*name) != head.config.get(*name)).collect();
            differing.sort_unstable();
            differing.dedup();
            notes.extend(differing.into_iter().map(|name| Note::ConfigDiffers(name.clone())));
        }
        let base_benchmark = id.base.filter(|base| id.head.is_some_and(|head| head != *base)).cloned();
        let (benchmark, unit) = (key.benchmark.clone(), key.unit.clone());
        Self { benchmark, base_benchmark, unit, rules, cell, notes, class, adjusted: None }
    }

    /// A benchmark that gave no value on either side, and so has no unit.
    pub(super) fn without_values(benchmark: BenchmarkId, state: Verdict) -> Self {
        Self {
            benchmark,
            base_benchmark: None,
            unit: String::new(),
            rules: UnitRules::of("", None, &crate::config::Compare::default()),
            cell: PerSide { base: None, head: None },
            notes: Vec::new(),
            class: Class::State(state),
            adjusted: None,
        }
    }

    pub(super) fn member(&self) -> Member<'_> {
        let cells = || [&self.cell.base, &self.cell.head].into_iter().flatten();
        Member {
            benchmark: &self.benchmark,
            unit: &self.unit,
            judged: !matches!(self.class, Class::State(_)),
            degenerate: kin::is_degenerate(
                &self.unit,
                cells().map(|cell| cell.values.as_slice()),
                cells().filter_map(|cell| cell.iterations).map(|(_, most)| most).max(),
            ),
        }
    }

    /// The raw p, if the row is in the family.
    pub(super) const fn p(&self) -> Option<f64> {
        match self.class {
            Class::Tested(p) => Some(p),
            _ => None,
        }
    }

    fn values(&self, side: Side) -> &[f64] {
        self.cell.get(side).as_ref().map_or(&[], |cell| cell.values.as_slice())
    }

    /// The smallest p that so many values can give.
    pub(super) fn smallest_p(&self) -> f64 {
        mann_whitney::smallest_p(self.values(Side::Base).len(), self.values(Side::Head).len())
    }

    /// The finished row, in a family of `size`.
    pub(super) fn row(&self, options: &FileOptions, size: usize) -> Row {
        let effect = Effect::new(self.values(Side::Base), self.values(Side::Head));
        let mut notes = self.notes.clone();
        let mut needed = None;
        let mut level = UNCHANGED_LEVEL;
        let verdict = match &self.class {
            Class::State(state) => state.clone(),
            Class::Unjudged(reason) => Verdict::Unjudged(*reason),
            Class::Exact(exact) => self.exact(*exact, &mut notes),
            Class::Tested(_) => {
                let verdict = self.judge(effect.as_ref(), options, size, &mut notes);
                if matches!(verdict, Verdict::Slower | Verdict::Faster) {
                    level = options.confidence;
                }
                if matches!(verdict, Verdict::Inconclusive(_)) {
                    needed = effect.as_ref().and_then(|effect| self.rounds_needed(effect));
                }
                verdict
            }
        };
        let sides = PerSide::from_fn(|side| summary_of(self.values(side), options.confidence));
        self.note_values(&mut notes);
        let samples = StageSamples {
            stage: None,
            values: PerSide::from_fn(|side| self.values(side).to_vec()),
            at: PerSide::default(),
            p: self.p(),
            effect: effect.as_ref().and_then(|effect| effect.ratio(effect.shift)).map(finite),
        };
        let delta = match self.class {
            Class::Exact(exact) => Some(exact.delta()),
            _ => effect.map(|effect| effect.delta(level)),
        };
        let exact = matches!(self.class, Class::Exact(_));
        let threshold = if exact { self.rules.exact_relative } else { self.rules.relative };
        let kind = if options.compare.correction == Correction::Holm { PKind::Adjusted } else { PKind::Raw };
        Row {
            benchmark: self.benchmark.clone(),
            base_benchmark: self.base_benchmark.clone(),
            unit: self.unit.clone(),
            better: self.rules.better,
            exact,
            derived: self.class == Class::Unjudged(Unjudged::Derived),
            base: sides.base,
            head: sides.head,
            limits: delta.as_ref().and_then(|delta| delta.ratio).map(|_| Limits { threshold, change: threshold }),
            delta,
            p: self.adjusted.map(|value| PValue { value, kind }),
            stage: None,
            verdict,
            notes,
            detectable: None,
            rounds_needed: needed,
            noise: None,
            samples: vec![samples],
        }
    }

    fn exact(&self, exact: Exact, notes: &mut Vec<Note>) -> Verdict {
        let (verdict, below) = exact.verdict(&self.rules, 1.0);
        if below {
            notes.push(Note::SignificantBelowThreshold);
        }
        match verdict {
            Verdict::Regression => Verdict::Slower,
            Verdict::Improvement => Verdict::Faster,
            other => other,
        }
    }

    fn judge(&self, effect: Option<&Effect>, options: &FileOptions, size: usize, notes: &mut Vec<Note>) -> Verdict {
        let Some(effect) = effect else { return Verdict::Inconclusive(Undecided::TooFewRounds) };
        if self.rules.better.is_none() {
            return Verdict::Unjudged(Unjudged::DirectionUnknown);
        }
        let Some((least, margin)) = effect.limits(&self.rules) else {
            return Verdict::Unjudged(Unjudged::NoRatio);
        };
        let significant = self.adjusted.is_some_and(|p| p <= options.compare.alpha);
        let change = effect.change();
        if significant && change != 0.0 && change.abs() >= least {
            let worse = (change > 0.0) == (self.rules.better == Some(Direction::Lower));
            return if worse { Verdict::Slower } else { Verdict::Faster };
        }
        if significant && change.abs() < least {
            notes.push(Note::SignificantBelowThreshold);
        }
        if effect.interval(UNCHANGED_LEVEL).inside(margin) {
            return Verdict::Unchanged;
        }
        Verdict::Inconclusive(if significant {
            Undecided::BelowThreshold
        } else if self.smallest_p() > level_of_one(options, size) {
            Undecided::TooFewRounds
        } else {
            Undecided::Noise
        })
    }

    fn rounds_needed(&self, effect: &Effect) -> Option<RoundsNeeded> {
        let (_, margin) = effect.limits(&self.rules)?;
        let n = self.values(Side::Base).len().min(self.values(Side::Head).len()) as u32;
        let width = effect.interval(UNCHANGED_LEVEL).half_width();
        Some(
            power::rounds_needed(n, effect.shift, width, margin).map_or(RoundsNeeded::MoreThan200, RoundsNeeded::About),
        )
    }

    fn note_values(&self, notes: &mut Vec<Note>) {
        let all = || self.values(Side::Base).iter().chain(self.values(Side::Head));
        let iterations = [&self.cell.base, &self.cell.head].into_iter().flatten().filter_map(|cell| cell.iterations);
        if let Some(least) = iterations.map(|(least, _)| least).min().filter(|least| *least < 5) {
            notes.push(Note::FewIterations(least));
        }
        if self.cell.base.is_none() || self.cell.head.is_none() {
            return;
        }
        if all().zip(all().skip(1)).all(|(a, b)| a == b) {
            notes.push(Note::AllEqual);
        } else if self.rules.exact && self.p().is_some() {
            notes.push(Note::ExactVaries);
        }
        let zero = |side| order::median_of(self.values(side)) == Some(0.0);
        if zero(Side::Base) || zero(Side::Head) {
            notes.push(Note::Zero);
        }
    }
}

fn class(
    key: &RowKey,
    cell: &PerSide<Option<Cell>>,
    columns: &PerSide<&Column>,
    rules: &UnitRules,
    options: &FileOptions,
) -> Class {
    for side in Side::BOTH {
        let Some(cell) = cell.get(side) else {
            return Class::State(match (columns.get(side).failures.get(&key.benchmark), side) {
                (Some(failure), side) => state(side, failure),
                (None, Side::Base) => Verdict::New,
                (None, Side::Head) => Verdict::Removed,
            });
        };
        if !cell.values.iter().all(|value| is_usable(*value)) {
            return Class::State(Verdict::Failed(side, "a value is not a usable number".to_owned()));
        }
    }
    let values = |side: Side| cell.get(side).as_ref().map_or(&[][..], |cell| cell.values.as_slice());
    let (base, head) = (values(Side::Base), values(Side::Head));
    if rules.exact_when_constant {
        if let Some(exact) = exact::of(base, head) {
            return Class::Exact(exact);
        }
        if rules.exact && (base.len() == 1 || head.len() == 1) {
            return Class::Unjudged(Unjudged::OneRound);
        }
    }
    mann_whitney::test(base, head, options.limit)
        .map_or(Class::Unjudged(Unjudged::OneRound), |test| Class::Tested(test.p))
}

/// Head relative to base.
struct Effect {
    /// All values are above 0: the scale is logarithms.
    log: bool,
    base: Vec<f64>,
    head: Vec<f64>,
    base_median: f64,
    head_median: f64,
    /// Hodges–Lehmann estimate on the scale.
    shift: f64,
    /// Intervals that were asked for, by level.
    intervals: RefCell<Vec<(f64, Interval)>>,
}

impl Effect {
    /// `None` if a side has no values.
    fn new(base: &[f64], head: &[f64]) -> Option<Self> {
        let (base_median, head_median) = (order::median_of(base)?, order::median_of(head)?);
        let log = base.iter().chain(head).all(|x| *x > 0.0);
        let scaled = |values: &[f64]| -> Vec<f64> {
            if log { values.iter().map(|x| libm::log(*x)).collect() } else { values.to_vec() }
        };
        let (base, head) = (scaled(base), scaled(head));
        let shift = mann_whitney::shift(&base, &head)?;
        Some(Self { log, base, head, base_median, head_median, shift, intervals: RefCell::default() })
    }

    fn interval(&self, level: f64) -> Interval {
        let mut known = self.intervals.borrow_mut();
        if let Some((_, interval)) = known.iter().find(|(l, _)| *l == level) {
            return *interval;
        }
        let interval = mann_whitney::interval(&self.base, &self.head, level).unwrap_or(Interval::EVERYTHING);
        known.push((level, interval));
        interval
    }

    /// A difference on the scale as a ratio to base minus 1; `None`: there is no ratio.
    fn ratio(&self, difference: f64) -> Option<f64> {
        if self.log {
            Some(libm::expm1(difference))
        } else {
            (self.base_median > 0.0).then(|| difference / self.base_median)
        }
    }

    /// The change that is shown: the ratio of the medians minus 1, or their difference if there is no ratio.
    fn change(&self) -> f64 {
        if self.base_median > 0.0 {
            self.head_median / self.base_median - 1.0
        } else {
            self.head_median - self.base_median
        }
    }

    /// The smallest change that counts, as [`Self::change`] is, and the same on the scale; `None`: there is neither a
    /// ratio nor an absolute threshold.
    fn limits(&self, rules: &UnitRules) -> Option<(f64, f64)> {
        if self.log {
            Some((rules.relative, libm::log1p(rules.relative)))
        } else if self.base_median > 0.0 {
            Some((rules.relative, rules.relative * self.base_median))
        } else {
            rules.absolute.map(|absolute| (absolute, absolute))
        }
    }

    fn delta(&self, level: f64) -> Delta {
        let interval = self.interval(level);
        let shown = |end: f64| end.is_finite().then(|| finite(self.ratio(end).unwrap_or(end)));
        Delta {
            ratio: (self.base_median > 0.0).then(|| finite(self.change())),
            absolute: finite(self.head_median - self.base_median),
            lo: shown(interval.lo),
            hi: shown(interval.hi),
            level,
        }
    }
}
