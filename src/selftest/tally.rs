//! What the suites of one regime showed, against the truth that was put into them.

use super::laboratory::Measured;
use super::share::Share;
use crate::report::{Row, Verdict};
use crate::results::{Stage, StageKind, SuiteResults};
use crate::stats::permutation::{Block, p_value};
use crate::stats::{noise, order, shift};

/// Level of a p-value, and of an interval, that is counted.
const ALPHA: f64 = 0.05;

/// Effects that are looked for, in thousandths, each with the noisiest row (standard deviation of a pair) that counts.
pub(super) const FOUND: [(u64, f64); 3] = [(50, 0.02), (100, 0.06), (200, f64::INFINITY)];

/// An effect that is 1.1 times the threshold, in thousandths.
pub(super) const ABOVE_THRESHOLD: u64 = 22;

/// Everything that is counted in one regime.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Rows of unchanged suites with a screen p of at most 5 %.
    pub(super) small_p: Share,
    /// Unchanged suites with a coloured row.
    pub(super) coloured: Share,
    /// Changed rows that were found, by [`FOUND`].
    pub(super) found: [Share; 3],
    /// 95 % intervals that held the truth, of the screen and of Confirm.
    pub(super) held: [Share; 2],
    /// Effects as large as the printed smallest one that were found.
    pub(super) printed: Share,
    /// Effects of 1.1 times the threshold that were called unchanged.
    pub(super) called_unchanged: Share,
    /// Coloured rows whose direction was wrong.
    pub(super) wrong_sign: Share,
    /// Unchanged rows of changed suites that were coloured.
    pub(super) others: Share,
    /// Suites that were headed "noisy machine".
    pub(super) noisy: Share,
    /// Rounds a side for each benchmark of unchanged suites.
    rounds: Vec<f64>,
    /// Standard deviation of a pair of rounds of the same code, by row and suite.
    deviations: Vec<f64>,
    /// Seconds from the end of a command to the start of the next in its block.
    gaps: Vec<f64>,
}

impl Tally {
    /// Counts a suite of identical sides; gives the smallest effect that the report prints for each row.
    pub(super) fn unchanged(&mut self, measured: &Measured) -> Vec<Option<f64>> {
        let (suite, rows) = (&measured.results.suites[0], rows(measured));
        self.small_p.next_suite();
        for row in 0..rows.len() {
            if let Some(p) = blocks(suite, StageKind::Screen, row).map(|blocks| p_value(&blocks)) {
                self.small_p.add(p <= ALPHA);
            }
        }
        let counts = measured.report.counts;
        self.coloured.next_suite();
        self.coloured.add(counts.regressions + counts.improvements > 0);
        let suspects = stage(suite, StageKind::Confirm).map_or(0, |stage| stage.suspects.len());
        // Without what was disturbed and run again, which is counted apart.
        let sizes = |kind| {
            let blocks = stage(suite, kind).into_iter().flat_map(|stage| &stage.blocks);
            2.0 * blocks.filter(|block| block.invalid.is_none() || block.kept).count() as f64
        };
        let again = sizes(StageKind::Confirm) * suspects as f64 / rows.len().max(1) as f64;
        self.rounds.push(sizes(StageKind::Screen) + again);
        self.common(measured, &vec![0; rows.len()]);
        rows.iter().map(|row| row.detectable).collect()
    }

    /// Counts a suite whose rows have these effects, in thousandths.
    pub(super) fn changed(&mut self, measured: &Measured, effects: &[u64]) {
        self.found.iter_mut().for_each(Share::next_suite);
        self.called_unchanged.next_suite();
        self.wrong_sign.next_suite();
        self.others.next_suite();
        for (index, (row, effect)) in rows(measured).iter().zip(effects).enumerate() {
            let coloured = matches!(row.verdict, Verdict::Regression | Verdict::Improvement);
            if let Some(place) = FOUND.iter().position(|(wanted, _)| wanted == effect) {
                let deviation = deviation(&measured.results.suites[0], index);
                if deviation.is_some_and(|deviation| deviation <= FOUND[place].1) {
                    self.found[place].add(row.verdict == Verdict::Regression);
                }
            }
            match *effect {
                0 => self.others.add(coloured),
                ABOVE_THRESHOLD => self.called_unchanged.add(row.verdict == Verdict::Unchanged),
                _ => {}
            }
            if *effect > 0 && coloured {
                self.wrong_sign.add(row.verdict == Verdict::Improvement);
            }
        }
        self.common(measured, effects);
    }

    /// Counts a suite whose rows have the effects that a report had printed as the smallest that could be found.
    pub(super) fn printed(&mut self, measured: &Measured, effects: &[u64]) {
        self.printed.next_suite();
        for (row, _) in rows(measured).iter().zip(effects).filter(|(_, effect)| **effect > 0) {
            self.printed.add(row.verdict == Verdict::Regression);
        }
        self.common(measured, effects);
    }

    /// What is counted of every suite: intervals, noise, the machine, our own time.
    fn common(&mut self, measured: &Measured, effects: &[u64]) {
        let suite = &measured.results.suites[0];
        for (held, kind) in self.held.iter_mut().zip([StageKind::Screen, StageKind::Confirm]) {
            held.next_suite();
            for (row, effect) in effects.iter().enumerate() {
                let truth = libm::log1p(*effect as f64 / 1000.0);
                if let Some(blocks) = blocks(suite, kind, row) {
                    let interval = shift::interval(&blocks, 1.0 - ALPHA);
                    held.add(interval.lo <= truth && truth <= interval.hi);
                }
            }
        }
        self.deviations.extend((0..effects.len()).filter_map(|row| deviation(suite, row)));
        let headed = measured.report.warnings.iter().any(|warning| warning.code == "noisy-machine");
        self.noisy.next_suite();
        self.noisy.add(headed);
        self.gaps.extend(gaps(suite));
    }

    /// Median over the unchanged suites of the rounds a side for a benchmark, and the number of suites.
    pub(super) fn rounds(&self) -> (Option<f64>, usize) {
        (order::median_of(&self.rounds), self.rounds.len())
    }

    /// Median standard deviation of a pair of rounds.
    pub(super) fn deviation(&self) -> Option<f64> {
        order::median_of(&self.deviations)
    }

    /// Median time between two commands of a block, in seconds.
    pub(super) fn gap(&self) -> Option<f64> {
        order::median_of(&self.gaps)
    }
}

fn rows(measured: &Measured) -> &[Row] {
    measured.report.suites.first().map_or(&[], |suite| &suite.rows)
}

fn stage(suite: &SuiteResults, kind: StageKind) -> Option<&Stage> {
    suite.stages.iter().find(|stage| stage.kind == kind)
}

/// The blocks of a row that count, as logarithms; `None` if the stage was not run.
fn blocks(suite: &SuiteResults, kind: StageKind, row: usize) -> Option<Vec<Block>> {
    let counted = stage(suite, kind)?.blocks.iter().filter(|block| block.invalid.is_none() || block.kept);
    let blocks: Vec<Block> = counted
        .filter_map(|block| {
            let of = |side| {
                let rounds = block.rounds.iter().filter(move |round| round.side == side);
                let values = rounds.filter_map(|round| round.values.iter().find(|value| value.row as usize == row));
                <[f64; 2]>::try_from(values.map(|value| libm::log(value.value)).collect::<Vec<f64>>()).ok()
            };
            Some(Block { base: of(crate::side::Side::Base)?, head: of(crate::side::Side::Head)? })
        })
        .collect();
    (!blocks.is_empty()).then_some(blocks)
}

/// Standard deviation of a pair of rounds of the same code, from all stages of a row.
fn deviation(suite: &SuiteResults, row: usize) -> Option<f64> {
    let all: Vec<Block> = [StageKind::Screen, StageKind::Confirm]
        .into_iter()
        .filter_map(|kind| blocks(suite, kind, row))
        .flatten()
        .collect();
    noise::of(&all).map(|noise| noise.sigma)
}

/// Times from the end of a command to the start of the next one in its block.
pub(super) fn gaps(suite: &SuiteResults) -> impl Iterator<Item = f64> {
    let blocks = suite.stages.iter().flat_map(|stage| &stage.blocks);
    blocks.flat_map(|block| block.rounds.windows(2).map(|two| two[1].at - two[0].at - two[0].outcome.seconds))
}
