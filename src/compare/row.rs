//! One row of the report, put together from what was decided.

use super::analysis::Analysis;
use super::candidate::{Candidate, Class};
use super::exact::Exact;
use super::samples::Samples;
use crate::report::{Delta, Limits, Note, PValue, RoundsNeeded, Row, StageSamples, Summary, Unjudged, Verdict};
use crate::results::StageKind;
use crate::side::{PerSide, Side};
use crate::stats::power::Plan;
use crate::stats::power::residuals::{Demand, Residuals};
use crate::stats::{finite, order};

/// Level of the interval of a side's median.
const SIDE_LEVEL: f64 = 0.95;

/// What decides which effects a row can show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Power {
    pub(super) plan: Plan,
    /// Level of significance of one row.
    pub(super) level: f64,
    /// Runs of a simulation.
    pub(super) runs: u32,
}

/// What a row shows.
pub(super) struct Shown<'a> {
    candidate: &'a Candidate,
    first: StageKind,
    /// What its fresh rounds say, if it was measured again.
    pub(super) confirm: Option<&'a Analysis>,
    /// The row shows its fresh rounds instead of its first stage.
    pub(super) fresh: bool,
    /// Level of the interval.
    pub(super) level: f64,
    pub(super) p: Option<PValue>,
    /// For the smallest detectable effect.
    pub(super) power: Option<Power>,
    /// How many thresholds a change must have to be called one: two on a noisy machine.
    pub(super) thresholds: f64,
}

impl<'a> Shown<'a> {
    /// The first stage, with an interval at `level` and no p.
    pub(super) const fn new(candidate: &'a Candidate, first: StageKind, level: f64) -> Self {
        Self { candidate, first, confirm: None, fresh: false, level, p: None, power: None, thresholds: 1.0 }
    }

    fn analysis(&self) -> Option<&'a Analysis> {
        if self.fresh { self.confirm } else { self.candidate.first.as_ref() }
    }

    fn stage(&self) -> StageKind {
        if self.fresh { StageKind::Confirm } else { self.first }
    }

    /// The finished row.
    pub(super) fn row(&self, verdict: Verdict, notes: Vec<Note>) -> Row {
        let analysis = self.analysis();
        let samples = self.candidate.stage(self.stage());
        let sides = PerSide::from_fn(|side| samples.and_then(|samples| summary(samples, side)));
        let delta = match (&sides.base, &sides.head) {
            (Some(base), Some(head)) => analysis.map(|analysis| self.delta(analysis, head.center - base.center)),
            _ => None,
        };
        let margin = analysis.and_then(|analysis| analysis.margin(&self.candidate.rules));
        let undecided = matches!(verdict, Verdict::Inconclusive(_));
        let residuals = analysis.filter(|_| self.power.is_some()).and_then(Analysis::residuals);
        let noise = residuals.as_ref().zip(margin);
        let needed = analysis
            .zip(noise)
            .filter(|_| undecided)
            .map(|(analysis, (residuals, margin))| self.rounds_needed(analysis, residuals, margin));
        let mut all_notes = self.candidate.notes_of(samples);
        all_notes.extend(notes);
        let judged = !matches!(self.candidate.class, Class::Exact(_));
        if let Some((low, high)) = analysis.filter(|_| judged).and_then(Analysis::modes_in_unit) {
            all_notes.push(Note::Bimodal(low, high));
        }
        if [&sides.base, &sides.head].into_iter().flatten().any(|side| side.center == 0.0) {
            all_notes.push(Note::Zero);
        }
        let candidate = self.candidate;
        Row {
            benchmark: candidate.benchmark.clone(),
            base_benchmark: candidate.base_benchmark.clone(),
            unit: candidate.unit.clone(),
            better: candidate.rules.better,
            exact: false,
            derived: candidate.class == Class::Unjudged(Unjudged::Derived),
            base: sides.base,
            head: sides.head,
            delta,
            limits: analysis.zip(margin).and_then(|(analysis, margin)| self.limits(analysis, margin)),
            p: self.p,
            stage: samples.map(|samples| samples.kind),
            verdict,
            notes: all_notes,
            detectable: analysis
                .zip(noise)
                .and_then(|(analysis, (noise, margin))| self.detectable(analysis, noise, margin)),
            rounds_needed: needed,
            noise: analysis.and_then(|analysis| analysis.ratio(analysis.noise.floor)).map(finite),
            samples: self.samples(),
        }
    }

    /// The finished row of an exact comparison.
    pub(super) fn exact(&self, exact: Exact, verdict: Verdict, notes: Vec<Note>) -> Row {
        let mut row = self.row(verdict, notes);
        row.exact = true;
        let threshold = self.candidate.rules.exact_relative;
        row.limits = exact.delta().ratio.map(|_| Limits { threshold, change: self.thresholds * threshold });
        row.delta = Some(exact.delta());
        row.noise = None;
        row.rounds_needed = None;
        for stage in &mut row.samples {
            stage.p = None;
        }
        row
    }

    fn delta(&self, analysis: &Analysis, between_medians: f64) -> Delta {
        let interval = analysis.interval(self.level);
        let shown = |end: f64| end.is_finite().then(|| finite(analysis.ratio(end).unwrap_or(end)));
        let ratio = analysis.ratio(analysis.effect).map(finite);
        Delta {
            ratio,
            absolute: finite(analysis.absolute(between_medians)),
            lo: shown(interval.lo),
            hi: shown(interval.hi),
            level: self.level,
        }
    }

    fn limits(&self, analysis: &Analysis, margin: f64) -> Option<Limits> {
        let threshold = self.candidate.rules.relative;
        let several = finite(analysis.ratio(self.thresholds * margin)?);
        Some(Limits { threshold, change: if self.thresholds == 1.0 { threshold } else { several } })
    }

    fn detectable(&self, analysis: &Analysis, residuals: &Residuals, margin: f64) -> Option<f64> {
        let Power { plan, level, runs } = self.power?;
        let demand = Demand { plan, level, margin: self.thresholds * margin };
        analysis.ratio(residuals.detectable(&demand, runs)?).map(finite)
    }

    /// On a machine that is not noisy, where the ordinary threshold holds. Fewer rounds than the row had did not decide it.
    fn rounds_needed(&self, analysis: &Analysis, residuals: &Residuals, margin: f64) -> RoundsNeeded {
        let needed = self.power.and_then(|Power { plan, level, runs }| {
            let demand = Demand { plan, level, margin };
            residuals.rounds_needed(&demand, analysis.effect, self.level, runs)
        });
        needed.map_or(RoundsNeeded::MoreThan200, |rounds| RoundsNeeded::About(rounds.max(analysis.n() + 2)))
    }

    fn samples(&self) -> Vec<StageSamples> {
        let of = |samples: &Samples| {
            let analysis = if samples.kind == self.first { self.candidate.first.as_ref() } else { self.confirm };
            StageSamples {
                stage: Some(samples.kind),
                values: samples.values.clone(),
                at: samples.at.clone(),
                p: analysis.map(|analysis| analysis.p),
                effect: analysis.and_then(|analysis| analysis.ratio(analysis.effect)).map(finite),
            }
        };
        let filled = |samples: &&Samples| !(samples.values.base.is_empty() && samples.values.head.is_empty());
        self.candidate.stages.iter().filter(filled).map(of).collect()
    }
}

/// Median and interval of one side.
fn summary(samples: &Samples, side: Side) -> Option<Summary> {
    summary_of(&samples.shown(side), SIDE_LEVEL)
}

/// Median and interval of `values`; `None` if there are none.
pub(super) fn summary_of(values: &[f64], level: f64) -> Option<Summary> {
    let (center, interval) = order::summary(&order::sorted(values), level)?;
    let end = |end: f64| end.is_finite().then_some(end);
    Some(Summary { center, lo: end(interval.lo), hi: end(interval.hi), n: values.len() as u32 })
}
