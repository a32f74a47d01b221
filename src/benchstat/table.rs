//! Tables of summaries and comparisons, ready to be laid out.

use super::builder::{Builder, Cell as Samples, Group};
use super::interval::Intervals;
use super::projection::KeyId;
use super::sample::{Assumption, Comparison, Footnote, Summary};
use super::utest::Tester;
use crate::unit::{Class, Scale, class};
use std::collections::HashMap;

/// How samples are judged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Options {
    /// A change is significant if p is at most this.
    pub(super) alpha: f64,
    /// Level of the intervals.
    pub(super) confidence: f64,
    /// What `Unit` lines say: whether values of a tidied unit are exact.
    pub(super) assumptions: HashMap<String, Assumption>,
}

/// All tables in the order in which they are shown.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) tables: Vec<Table>,
    /// The builder, for the texts of keys.
    pub(super) builder: Builder,
}

/// One table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) key: KeyId,
    pub(super) unit: String,
    pub(super) cols: Vec<KeyId>,
    pub(super) rows: Vec<Row>,
    /// By column.
    pub(super) summaries: Vec<ColumnSummary>,
}

/// One row.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) key: KeyId,
    /// Its cells with their columns, rising; columns without results have none.
    pub(super) cells: Vec<(usize, Cell)>,
}

/// One cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) summary: Summary,
    /// Results in the cell differ where no expression looks.
    pub(super) vary: Option<Footnote>,
    /// The comparison with the first column, unless this is it or the row has none there.
    pub(super) comparison: Option<Comparison>,
    /// How many values.
    pub(super) n: usize,
    /// Input and line of the first value.
    pub(super) origin: (u32, u32),
}

/// What is said of a column.
#[derive(Debug, Default)]
pub(super) struct ColumnSummary {
    /// Geometric mean of the centers.
    pub(super) center: Option<f64>,
    /// Geometric mean of the ratios to the first column.
    pub(super) ratio: Option<f64>,
    pub(super) footnotes: Vec<Footnote>,
}

impl Table {
    /// Which prefixes its values take.
    pub(super) fn class(&self) -> Class {
        class(&self.unit)
    }
}

impl Row {
    /// The scale that its cells share.
    pub(super) fn scale(&self, class: Class) -> Scale {
        Scale::common(self.cells.iter().map(|(_, cell)| cell.summary.center), class)
    }

    /// The cell of the first column.
    pub(super) fn base(&self) -> Option<&Cell> {
        self.cells.first().filter(|(col, _)| *col == 0).map(|(_, cell)| cell)
    }
}

/// Computes all tables of what `builder` has sorted.
pub(super) fn tables(mut builder: Builder, options: &Options) -> Tables {
    let mut groups = std::mem::take(&mut builder.tables);
    let mut cells: Vec<Option<Samples>> = std::mem::take(&mut builder.cells).into_iter().map(Some).collect();
    let mut order: Vec<KeyId> = groups.iter().map(|group| group.key).collect();
    builder.table.sort(&mut order, &builder.symbols);
    let places: HashMap<KeyId, usize> = order.iter().enumerate().map(|(place, key)| (*key, place)).collect();
    groups.sort_by_key(|group| places.get(&group.key).copied());
    let mut work = Work { intervals: Intervals::new(options.confidence), tester: Tester::default() };
    let tables = groups.into_iter().map(|group| work.table(&builder, group, &mut cells, options)).collect();
    Tables { tables, builder }
}

/// What is reused from cell to cell.
struct Work {
    intervals: Intervals,
    tester: Tester,
}

impl Work {
    fn table(&mut self, builder: &Builder, group: Group, cells: &mut [Option<Samples>], options: &Options) -> Table {
        let unit = builder.symbols.text(builder.table.unit(group.key)).to_owned();
        let assumption = options.assumptions.get(&unit).copied().unwrap_or(Assumption::Nothing);
        let distinct = |keys: &mut dyn Iterator<Item = KeyId>| -> Vec<KeyId> {
            let mut all: Vec<KeyId> = keys.collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut row_keys = distinct(&mut group.cells.keys().map(|(row, _)| *row));
        let mut cols = distinct(&mut group.cells.keys().map(|(_, col)| *col));
        builder.row.sort(&mut row_keys, &builder.symbols);
        builder.col.sort(&mut cols, &builder.symbols);
        let place = |keys: &[KeyId]| -> HashMap<KeyId, usize> {
            keys.iter().enumerate().map(|(place, key)| (*key, place)).collect()
        };
        let (row_places, col_places) = (place(&row_keys), place(&cols));
        let mut samples: Vec<Vec<(usize, Samples)>> = Vec::new();
        samples.resize_with(row_keys.len(), Vec::new);
        for ((row, col), cell) in group.cells {
            if let (Some(row), Some(col), Some(cell)) =
                (row_places.get(&row), col_places.get(&col), cells.get_mut(cell).and_then(Option::take))
            {
                samples[*row].push((*col, cell));
            }
        }
        let rows: Vec<Row> = row_keys
            .into_iter()
            .zip(samples)
            .map(|(key, samples)| Row { key, cells: self.row(builder, samples, assumption, options.alpha) })
            .collect();
        let summaries = summaries(&rows, cols.len());
        Table { key: group.key, unit, cols, rows, summaries }
    }

    fn row(
        &mut self,
        builder: &Builder,
        mut samples: Vec<(usize, Samples)>,
        assumption: Assumption,
        alpha: f64,
    ) -> Vec<(usize, Cell)> {
        samples.sort_unstable_by_key(|(col, _)| *col);
        for (_, sample) in &mut samples {
            sample.values.sort_unstable_by(f64::total_cmp);
        }
        let base = samples.first().filter(|(col, _)| *col == 0).map(|(_, sample)| sample.values.as_slice());
        let cell = |(col, sample): &(usize, Samples)| {
            let compared = base.filter(|_| *col > 0);
            let comparison =
                compared.map(|base| Comparison::new(base, &sample.values, assumption, alpha, &mut self.tester));
            let cell = Cell {
                summary: Summary::new(&sample.values, assumption, &mut self.intervals),
                vary: vary(builder, sample),
                comparison,
                n: sample.values.len(),
                origin: sample.origin,
            };
            (*col, cell)
        };
        samples.iter().map(cell).collect()
    }
}

/// The remark that results in a cell differ where no expression looks.
fn vary(builder: &Builder, sample: &Samples) -> Option<Footnote> {
    if sample.varying.is_empty() {
        return None;
    }
    let shown = builder.residue.shown();
    let names: Vec<&str> = shown.iter().filter(|(at, _)| sample.varying.contains(at)).map(|(_, name)| *name).collect();
    Some(Footnote::Vary(names.join(", ")))
}

/// The last row: geometric means by column.
fn summaries(rows: &[Row], cols: usize) -> Vec<ColumnSummary> {
    let mut centers: Vec<GeometricMean> = vec![GeometricMean::default(); cols];
    let mut ratios = centers.clone();
    let mut zero_base = vec![false; cols];
    // Rows that the column shares with the first, and rows that the first lacks.
    let mut shared = vec![0_usize; cols];
    let mut new = vec![0_usize; cols];
    let base_rows = rows.iter().filter(|row| row.base().is_some()).count();
    for row in rows {
        let base = row.base().map(|cell| cell.summary.center);
        for (col, cell) in &row.cells {
            let center = cell.summary.center;
            centers[*col].add(center);
            let Some(base) = base else {
                new[*col] += 1;
                continue;
            };
            shared[*col] += 1;
            if center == base {
                // Nothing to nothing is no change.
                ratios[*col].add(1.0);
            } else if base == 0.0 {
                zero_base[*col] = true;
            } else {
                // Two negative centers have a positive ratio that means the opposite.
                ratios[*col].add(if base < 0.0 { f64::NAN } else { center / base });
            }
        }
    }
    (0..cols)
        .map(|col| {
            let mut summary = ColumnSummary { center: centers[col].value(), ..ColumnSummary::default() };
            if col > 0 && (shared[col] != base_rows || new[col] > 0) {
                summary.footnotes.push(Footnote::SetDiffers);
            }
            if summary.center.is_none() {
                summary.footnotes.push(Footnote::CentersNotPositive);
            }
            if col > 0 && !zero_base[col] {
                summary.ratio = ratios[col].value();
                if summary.ratio.is_none() {
                    summary.footnotes.push(Footnote::RatiosNotPositive);
                }
            }
            summary
        })
        .collect()
}

/// A geometric mean that is built up value by value: a running mean of logarithms, as benchstat has it, so that the last
/// digits agree too.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GeometricMean {
    n: u32,
    mean: f64,
    undefined: bool,
}

impl GeometricMean {
    pub(super) fn add(&mut self, value: f64) {
        if value > 0.0 {
            self.n += 1;
            self.mean += (value.ln() - self.mean) / f64::from(self.n);
        } else {
            self.undefined = true;
        }
    }

    /// The mean; `None` if there is no value, or one that is not positive.
    pub(super) fn value(self) -> Option<f64> {
        let value = self.mean.exp();
        (self.n > 0 && !self.undefined && !value.is_nan()).then_some(value)
    }
}
