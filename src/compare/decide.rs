//! From candidates to judged rows: the family, its correction, and the verdict of every row.

use super::analysis::Analysis;
use super::candidate::{Candidate, Candidates, Class, STAGED_LEVEL};
use super::judge::{Evidence, Finding, Limits, Suspicion, finding};
use super::row::{Power, Shown};
use super::samples::Samples;
use super::state;
use crate::config::Correction;
use crate::report::{Note, PKind, PValue, Row, Undecided, Unjudged, Verdict};
use crate::results::{StageKind, SuiteResults};
use crate::stats::multiplicity::holm;
use crate::stats::power::{Plan, SCREEN_LEVEL, smallest_p};
use crate::unit::Direction;

/// Level of the interval by which a row of a one-stage plan is unchanged.
const FIXED_LEVEL: f64 = 0.90;

/// Level of the interval of a row that changed.
pub(super) const CHANGED_LEVEL: f64 = 0.95;

/// A row measured again for equivalence shows its fresh rounds if there are at least so many blocks.
const EQUIVALENCE_BLOCKS: u32 = 4;

/// What applies to all rows of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The first stage: `Screen` of a two-stage plan or `Fixed`.
    pub(super) first: StageKind,
    pub(super) alpha: f64,
    pub(super) correction: Correction,
    /// Blocks of the first stage by the policy.
    pub(super) first_blocks: u32,
    /// Blocks of the second stage by the policy.
    pub(super) confirm_blocks: u32,
    /// Runs of the simulation of a row.
    pub(super) runs: u32,
}

impl Rules {
    pub(super) const fn staged(&self) -> bool {
        matches!(self.first, StageKind::Screen)
    }

    /// Level of the interval by which rows are unchanged.
    pub(super) const fn level(&self) -> f64 {
        if self.staged() { STAGED_LEVEL } else { FIXED_LEVEL }
    }

    /// The level that a single row of a family of `size` must reach.
    pub(super) fn level_of_one(&self, size: usize) -> f64 {
        match self.correction {
            Correction::Holm => self.alpha / size.max(1) as f64,
            Correction::None => self.alpha,
        }
    }
}

/// A row on its way to a verdict.
pub(super) struct Judged<'a> {
    pub(super) candidate: &'a Candidate,
    /// Measured on a noisy machine: verdicts of change need twice the threshold.
    noisy: bool,
    /// What the first stage makes of it; `None`: not in the family of testable rows.
    pub(super) suspicion: Option<Suspicion>,
    /// The state after all stages that count for the row.
    state: Option<Verdict>,
    /// What a benchmark with gaps said where it gave no value.
    cause: Option<&'a str>,
    /// What its fresh rounds say, if it was measured again.
    confirm: Option<Analysis>,
    /// p after the correction, if the row is in the family.
    adjusted: Option<f64>,
}

impl<'a> Judged<'a> {
    /// Takes up `candidate` of `suite`; `suspicion` is its own.
    pub(super) fn new(
        candidate: &'a Candidate,
        all: &Candidates<'a>,
        suite: &SuiteResults,
        rules: &Rules,
        noisy: bool,
        suspicion: Option<Suspicion>,
    ) -> Self {
        let again = rules.staged() && matches!(suspicion, Some(Suspicion::Suspect | Suspicion::Undecided));
        let mut state = None;
        let mut confirm = None;
        if again {
            // A row that was not asked for again lacks nothing there.
            let asked = all.table.asked(&candidate.pair);
            let counts =
                |samples: &&Samples| samples.kind == StageKind::Screen || (asked && samples.kind == StageKind::Confirm);
            let counted: Vec<&Samples> = candidate.stages.iter().filter(counts).collect();
            state = state::of(&candidate.pair, &all.table, &suite.setup, &counted);
            confirm = candidate.stage(StageKind::Confirm).and_then(|samples| Analysis::new(&samples.blocks));
        }
        if let Class::State(found) = &candidate.class {
            state = Some(found.clone());
        }
        let cause = match &state {
            Some(Verdict::Flaky(side, ..)) => state::failures(&candidate.pair, &all.table, *side).message,
            _ => "",
        };
        let cause = Some(cause).filter(|cause| !cause.is_empty());
        Self { candidate, noisy, suspicion, state, cause, confirm, adjusted: None }
    }

    /// Whether Holm's m counts the row.
    pub(super) fn in_family(&self, rules: &Rules) -> bool {
        if rules.staged() { self.suspicion == Some(Suspicion::Suspect) } else { self.testable() }
    }

    pub(super) fn testable(&self) -> bool {
        self.candidate.class == Class::Testable
    }

    /// The analysis that the family's p comes from.
    fn deciding(&self, rules: &Rules) -> Option<&Analysis> {
        if rules.staged() { self.confirm.as_ref() } else { self.candidate.first.as_ref() }
    }

    /// Blocks behind the p that the family uses.
    pub(super) fn deciding_blocks(&self, rules: &Rules) -> u32 {
        self.deciding(rules).map_or(0, Analysis::blocks)
    }

    /// The p that counts in a family of `size`: 1 for a row that failed or has too few blocks to be decided.
    fn family_p(&self, rules: &Rules, size: usize) -> f64 {
        let usable = self.state.is_none() && self.reaches(rules, size);
        self.deciding(rules).filter(|_| usable).map_or(1.0, |analysis| analysis.p)
    }

    fn reaches(&self, rules: &Rules, size: usize) -> bool {
        smallest_p(self.deciding_blocks(rules)) <= rules.level_of_one(size)
    }
}

/// Corrects the family's p-values; returns the size of the family.
pub(super) fn correct<'r, 'a: 'r>(rows: impl Iterator<Item = &'r mut Judged<'a>>, rules: &Rules) -> usize {
    let mut family: Vec<&mut Judged<'_>> = rows.filter(|row| row.in_family(rules)).collect();
    let size = family.len();
    let raw: Vec<f64> = family.iter().map(|row| row.family_p(rules, size)).collect();
    let adjusted = match rules.correction {
        Correction::Holm => holm(&raw, size),
        Correction::None => raw,
    };
    for (row, p) in family.iter_mut().zip(adjusted) {
        row.adjusted = Some(p);
    }
    size
}

impl Judged<'_> {
    /// The finished row, in a family of `size`.
    pub(super) fn row(&self, rules: &Rules, size: usize) -> Row {
        let candidate = self.candidate;
        let mut shown = Shown::new(candidate, rules.first, rules.level());
        shown.thresholds = if self.noisy { 2.0 } else { 1.0 };
        if let Some(state) = &self.state {
            shown.confirm = self.confirm.as_ref();
            return shown
                .row(state.clone(), self.cause.map(|cause| Note::Text(cause.to_owned())).into_iter().collect());
        }
        match &candidate.class {
            Class::State(state) => shown.row(state.clone(), Vec::new()),
            Class::Unjudged(reason) => shown.row(Verdict::Unjudged(*reason), Vec::new()),
            Class::Exact(exact) => {
                let (verdict, below) = exact.verdict(&candidate.rules, if self.noisy { 2.0 } else { 1.0 });
                let mut notes = Vec::new();
                if below {
                    notes.push(Note::SignificantBelowThreshold);
                }
                let verdict = self.control(verdict, &mut notes);
                shown.exact(*exact, verdict, notes)
            }
            Class::Testable => {
                shown.confirm = self.confirm.as_ref();
                self.tested(shown, rules, size)
            }
        }
    }

    /// A row that the test judges.
    fn tested(&self, mut shown: Shown<'_>, rules: &Rules, size: usize) -> Row {
        let suspect = rules.staged() && self.suspicion == Some(Suspicion::Suspect);
        let fresh = match self.suspicion {
            Some(Suspicion::Suspect) => self.reaches(rules, size),
            Some(Suspicion::Undecided) => self.deciding_blocks(rules) >= EQUIVALENCE_BLOCKS,
            _ => false,
        };
        let fresh = self.confirm.as_ref().filter(|_| rules.staged() && fresh);
        let Some(analysis) = fresh.or(self.candidate.first.as_ref()) else {
            return shown.row(Verdict::Inconclusive(self.too_few(rules)), Vec::new());
        };
        shown.power = Some(Power { plan: self.plan(rules), level: rules.level_of_one(size), runs: rules.runs });
        if fresh.is_some() {
            shown.fresh = true;
        }
        if suspect && fresh.is_none() {
            // Its screen made it a suspect; what would decide is missing.
            shown.p = Some(PValue { value: analysis.p, kind: PKind::Screen });
            return shown.row(self.word(Verdict::Inconclusive(self.too_few(rules)), analysis), Vec::new());
        }
        let mut notes = Vec::new();
        let kind = match rules.correction {
            Correction::Holm => PKind::Adjusted,
            Correction::None => PKind::Raw,
        };
        shown.p = Some(match self.adjusted {
            Some(value) => PValue { value, kind },
            None => PValue { value: analysis.p, kind: if fresh.is_some() { PKind::Raw } else { PKind::Screen } },
        });
        if !suspect && fresh.is_some() {
            notes.push(Note::EquivalenceOnly);
        }
        let verdict = self.verdict(analysis, rules, size, suspect, &mut notes);
        let verdict = self.control(verdict, &mut notes);
        if matches!(verdict, Verdict::Regression | Verdict::Improvement) {
            shown.level = CHANGED_LEVEL;
        }
        shown.row(self.word(verdict, analysis), notes)
    }

    fn verdict(
        &self,
        analysis: &Analysis,
        rules: &Rules,
        size: usize,
        suspect: bool,
        notes: &mut Vec<Note>,
    ) -> Verdict {
        let margin = analysis.margin(&self.candidate.rules).unwrap_or_default();
        let limits =
            Limits { alpha: rules.alpha, margin, change_margin: if self.noisy { 2.0 * margin } else { margin } };
        let evidence = Evidence {
            adjusted_p: self.adjusted,
            effect: analysis.effect,
            screen_effect: self.candidate.first.as_ref().filter(|_| rules.staged()).map(|first| first.effect),
        };
        match finding(&evidence, &limits, || analysis.interval(rules.level())) {
            Finding::Changed { up } => match (self.candidate.rules.better, up) {
                (Some(Direction::Lower), true) | (Some(Direction::Higher), false) => Verdict::Regression,
                _ => Verdict::Improvement,
            },
            Finding::Unchanged { significant } => {
                if significant {
                    notes.push(Note::SignificantBelowThreshold);
                }
                Verdict::Unchanged
            }
            Finding::BelowThreshold => {
                notes.push(Note::SignificantBelowThreshold);
                Verdict::Inconclusive(Undecided::BelowThreshold)
            }
            Finding::NoisyMachine => Verdict::Inconclusive(Undecided::NoisyMachine),
            Finding::Open if suspect => Verdict::Inconclusive(Undecided::NotConfirmed),
            Finding::Open => {
                let needed = if rules.staged() { SCREEN_LEVEL } else { rules.level_of_one(size) };
                let few = smallest_p(analysis.blocks()) > needed;
                Verdict::Inconclusive(if few { self.too_few(rules) } else { Undecided::Noise })
            }
        }
    }

    /// Without a direction or a threshold a row has figures and no verdict word.
    fn word(&self, verdict: Verdict, analysis: &Analysis) -> Verdict {
        if self.candidate.rules.better.is_none() {
            Verdict::Unjudged(Unjudged::DirectionUnknown)
        } else if analysis.margin(&self.candidate.rules).is_none() {
            Verdict::Unjudged(Unjudged::NoRatio)
        } else {
            verdict
        }
    }

    /// A control row cannot have changed: if it moved, the machine did.
    fn control(&self, verdict: Verdict, notes: &mut Vec<Note>) -> Verdict {
        if self.candidate.control && matches!(verdict, Verdict::Regression | Verdict::Improvement) {
            notes.push(Note::ControlMoved);
            return Verdict::Inconclusive(Undecided::NoisyMachine);
        }
        verdict
    }

    /// Why there are too few blocks: the plan is too small, or the time ran out before it was carried out.
    fn too_few(&self, rules: &Rules) -> Undecided {
        let (blocks, planned) = if rules.staged() && self.suspicion == Some(Suspicion::Suspect) {
            (self.deciding_blocks(rules), rules.confirm_blocks)
        } else {
            (self.candidate.first.as_ref().map_or(0, Analysis::blocks), rules.first_blocks)
        };
        if blocks >= planned { Undecided::TooFewRounds } else { Undecided::Budget }
    }

    /// The plan whose power the row has.
    fn plan(&self, rules: &Rules) -> Plan {
        let first = self.candidate.first.as_ref().map_or(0, Analysis::blocks);
        if rules.staged() {
            let confirm = self.confirm.as_ref().map_or(rules.confirm_blocks, Analysis::blocks);
            Plan::Staged { screen: first, confirm }
        } else {
            Plan::Fixed { blocks: first }
        }
    }
}

impl Candidate {
    /// Its samples of a stage.
    pub(super) fn stage(&self, kind: StageKind) -> Option<&Samples> {
        self.stages.iter().find(|samples| samples.kind == kind)
    }
}
