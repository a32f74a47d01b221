//! Tables of summaries and comparisons, ready to be laid out.

use super::builder::{Builder, Cell as Samples, Group};
use super::hash::FastMap;
use super::interval::Intervals;
use super::logarithm::{exp, ln};
use super::parallel;
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

impl Tables {
    /// How many different columns the tables have.
    pub(super) fn columns(&self) -> usize {
        let mut keys: Vec<KeyId> = self.tables.iter().flat_map(|table| table.cols.iter().copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    }
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
    let mut order: Vec<KeyId> = groups.iter().map(|group| group.key).collect();
    builder.table.sort(&mut order, &builder.symbols);
    let places = places(&order);
    groups.sort_by_key(|group| places.get(&group.key).copied());
    let layouts: Vec<Layout> = groups.into_iter().map(|group| Layout::new(&builder, group)).collect();
    let mut values = gather(&mut builder, &layouts);
    let mut rest = values.as_mut_slice();
    let mut tables = Vec::new();
    for layout in layouts {
        let n = layout.entries.iter().map(|entry| builder.cells[entry.cell].n as usize).sum();
        let (own, others) = std::mem::take(&mut rest).split_at_mut(n);
        rest = others;
        tables.push(table(&builder, layout, own, options));
    }
    Tables { tables, builder }
}

/// Where each key is in a list.
fn places(keys: &[KeyId]) -> FastMap<KeyId, usize> {
    keys.iter().enumerate().map(|(place, key)| (*key, place)).collect()
}

/// The distinct ones of `keys`.
fn distinct(keys: impl Iterator<Item = KeyId>) -> Vec<KeyId> {
    let mut all: Vec<KeyId> = keys.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Which cell stands where in a table.
struct Layout {
    key: KeyId,
    rows: Vec<KeyId>,
    cols: Vec<KeyId>,
    /// By row, then column.
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    row: usize,
    col: usize,
    /// Its place in `Builder::cells`.
    cell: usize,
}

impl Layout {
    fn new(builder: &Builder, group: Group) -> Self {
        let mut rows = distinct(group.cells.keys().map(|(row, _)| *row));
        let mut cols = distinct(group.cells.keys().map(|(_, col)| *col));
        builder.row.sort(&mut rows, &builder.symbols);
        builder.col.sort(&mut cols, &builder.symbols);
        let (row_places, col_places) = (places(&rows), places(&cols));
        let entry = |((row, col), cell): ((KeyId, KeyId), usize)| {
            Some(Entry { row: *row_places.get(&row)?, col: *col_places.get(&col)?, cell })
        };
        let mut entries: Vec<Entry> = group.cells.into_iter().filter_map(entry).collect();
        entries.sort_unstable();
        Self { key: group.key, rows, cols, entries }
    }
}

/// All values, those of a cell side by side, cells in the order of the layouts.
fn gather(builder: &mut Builder, layouts: &[Layout]) -> Vec<f64> {
    let mut next = vec![0_usize; builder.cells.len()];
    let mut end = 0;
    for entry in layouts.iter().flat_map(|layout| &layout.entries) {
        next[entry.cell] = end;
        end += builder.cells[entry.cell].n as usize;
    }
    let mut values = vec![0.0; end];
    for (cell, value) in std::mem::take(&mut builder.samples) {
        let place = &mut next[cell as usize];
        values[*place] = value;
        *place += 1;
    }
    values
}

/// A row whose samples are not summarised yet: its key, its cells, their values one cell after the other.
struct Raw<'v> {
    key: KeyId,
    entries: &'v [Entry],
    values: &'v mut [f64],
}

fn table(builder: &Builder, layout: Layout, values: &mut [f64], options: &Options) -> Table {
    let unit = builder.symbols.text(builder.table.unit(layout.key)).to_owned();
    let assumption = options.assumptions.get(&unit).copied().unwrap_or(Assumption::Nothing);
    let mut rest = values;
    let raw: Vec<Raw<'_>> = layout
        .entries
        .chunk_by(|a, b| a.row == b.row)
        .map(|entries| {
            let n = entries.iter().map(|entry| builder.cells[entry.cell].n as usize).sum();
            let (values, others) = std::mem::take(&mut rest).split_at_mut(n);
            rest = others;
            Raw { key: layout.rows[entries[0].row], entries, values }
        })
        .collect();
    let parts = parallel::map(raw, 500, |part| {
        let mut work =
            Work { intervals: Intervals::new(options.confidence), tester: Tester::default(), alpha: options.alpha };
        let row = |raw: Raw<'_>| Row { key: raw.key, cells: work.cells(builder, raw, assumption) };
        part.into_iter().map(row).collect::<Vec<Row>>()
    });
    let rows: Vec<Row> = parts.into_iter().flatten().collect();
    let summaries = summaries(&rows, layout.cols.len());
    Table { key: layout.key, unit, cols: layout.cols, rows, summaries }
}

/// What is reused from row to row.
struct Work {
    intervals: Intervals,
    tester: Tester,
    alpha: f64,
}

impl Work {
    /// The cells of a row with their columns.
    fn cells(&mut self, builder: &Builder, raw: Raw<'_>, assumption: Assumption) -> Vec<(usize, Cell)> {
        let mut rest = raw.values;
        let mut base: Option<&[f64]> = None;
        let mut cells = Vec::with_capacity(raw.entries.len());
        for entry in raw.entries {
            let samples = &builder.cells[entry.cell];
            let (values, others) = std::mem::take(&mut rest).split_at_mut(samples.n as usize);
            rest = others;
            values.sort_unstable_by(f64::total_cmp);
            let values: &[f64] = values;
            let comparison = base.map(|base| Comparison::new(base, values, assumption, self.alpha, &mut self.tester));
            if entry.col == 0 {
                base = Some(values);
            }
            let summary = Summary::new(values, assumption, &mut self.intervals);
            let cell =
                Cell { summary, vary: vary(builder, samples), comparison, n: values.len(), origin: samples.origin };
            cells.push((entry.col, cell));
        }
        cells
    }
}

/// The remark that results in a cell differ where no expression looks.
fn vary(builder: &Builder, sample: &Samples) -> Option<Footnote> {
    if sample.varying.is_empty() {
        return None;
    }
    let shown = builder.residue.shown();
    let names: Vec<&str> = shown.iter().filter(|(at, _)| sample.varying.contains(at)).map(|(_, name)| *name).collect();
    Some(Footnote::Vary(names.join(", ").into()))
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
            self.mean += (ln(value) - self.mean) / f64::from(self.n);
        } else {
            self.undefined = true;
        }
    }

    /// The mean; `None` if there is no value, or one that is not positive.
    pub(super) fn value(self) -> Option<f64> {
        let value = exp(self.mean);
        (self.n > 0 && !self.undefined && !value.is_nan()).then_some(value)
    }
}
