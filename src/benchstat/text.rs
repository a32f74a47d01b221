//! Today's benchstat layout: one table for each unit and configuration, in text.

use super::grid::{Align, Grid, Margin};
use super::parallel;
use super::sample::{Footnote, write_percent};
use super::table::{Cell, ColumnSummary, Table, Tables};
use crate::unit::Scale;
use std::fmt::Write as _;

/// Columns of the label.
const LABEL: usize = 1;
/// Columns of a center: the number, its range, its footnotes.
const CENTER: usize = 3;
/// Columns of a comparison: delta, p, its footnotes.
const DELTA: usize = 3;

/// The first column of the grid that belongs to column `col` of the table. Only the first has no comparison.
const fn start(col: usize) -> usize {
    if col == 0 { LABEL } else { LABEL + CENTER + (col - 1) * (CENTER + DELTA) }
}

/// Appends all tables.
pub(super) fn write(tables: &Tables, out: &mut String) {
    let mut parts = Vec::new();
    tables.each(|header, table| parts.push((header.to_vec(), table)));
    let texts = parallel::map(parts, 1, |parts| {
        let mut text = String::new();
        for (header, table) in parts {
            for line in header {
                text.push_str(&line);
                text.push('\n');
            }
            write_table(tables, table, &mut text);
        }
        text
    });
    for text in texts {
        out.push_str(&text);
    }
}

impl Tables {
    /// Calls `show` for each table with the lines before it: an empty one between tables, then every table key whose
    /// value is not that of the table before.
    pub(super) fn each<'t>(&'t self, mut show: impl FnMut(&[String], &'t Table)) {
        let projection = &self.builder.table;
        let mut previous: Option<&Table> = None;
        for table in &self.tables {
            let mut lines = Vec::new();
            if previous.is_some() {
                lines.push(String::new());
            }
            for (at, name) in projection.shown() {
                let value = projection.value(table.key, at);
                if previous.is_none_or(|previous| projection.value(previous.key, at) != value) {
                    lines.push(format!("{name}: {}", self.builder.symbols.text(value)));
                }
            }
            show(&lines, table);
            previous = Some(table);
        }
    }
}

/// Footnotes of one table, numbered by first use.
#[derive(Default)]
struct Notes(Vec<Footnote>);

impl Notes {
    /// Adds a cell with the marks of `footnotes`.
    fn cell<'f>(&mut self, grid: &mut Grid, footnotes: impl Iterator<Item = &'f Footnote>) {
        grid.cell(Align::Left, |text| {
            for (at, footnote) in footnotes.enumerate() {
                let known = self.0.iter().position(|f| f == footnote);
                let number = known.unwrap_or(self.0.len());
                if known.is_none() {
                    self.0.push(footnote.clone());
                }
                if at > 0 {
                    text.push(' ');
                }
                superscript(text, number + 1);
            }
        });
    }
}

fn superscript(text: &mut String, number: usize) {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    for digit in number.to_string().bytes() {
        text.push(DIGITS[usize::from(digit - b'0')]);
    }
}

fn write_table(tables: &Tables, table: &Table, out: &mut String) {
    let mut grid = Grid::default();
    let mut notes = Notes::default();
    write_header(tables, table, &mut grid);
    let labels = tables.builder.row.texts(&tables.builder.symbols);
    let class = table.class();
    for row in &table.rows {
        grid.next_row();
        grid.cell(Align::Left, |text| labels.write(text, row.key));
        let scale = row.scale(class);
        let base = row.base().map(|cell| cell.summary.center);
        for (col, cell) in &row.cells {
            grid.at(start(*col));
            write_cell(cell, base, &scale, &mut grid, &mut notes);
        }
    }
    if table.rows.len() > 1 {
        grid.next_row();
        grid.cell(Align::Left, |text| text.push_str("geomean"));
        for (col, summary) in table.summaries.iter().enumerate() {
            write_summary(table, col, summary, &mut grid, &mut notes);
        }
    }
    grid.write(out);
    for (at, footnote) in notes.0.iter().enumerate() {
        superscript(out, at + 1);
        // Writing into a string cannot fail.
        let _ = writeln!(out, " {footnote}");
    }
}

/// One line for each field of the columns, equal neighbours put together; then the units.
fn write_header(tables: &Tables, table: &Table, grid: &mut Grid) {
    let projection = &tables.builder.col;
    let right_edge = start(table.cols.len() + 1);
    let fields = projection.shown();
    for level in 0..fields.len() {
        grid.next_row();
        let mut first = 0;
        // Columns stay together on a level if they are the same in every field down to it.
        for columns in table.cols.chunk_by(|a, b| {
            fields[..=level].iter().all(|(at, _)| projection.value(*a, *at) == projection.value(*b, *at))
        }) {
            let (begin, end) = (start(first), start(first + columns.len()));
            grid.at(begin);
            let value = tables.builder.symbols.text(projection.value(columns[0], fields[level].0));
            grid.span(end - begin, Align::Center, Some(Margin::Rule), |text| text.push_str(value));
            first += columns.len();
        }
        grid.at(right_edge);
        grid.span(1, Align::Left, Some(Margin::Edge), |_| ());
    }
    grid.next_row();
    for col in 0..table.cols.len() {
        grid.at(start(col));
        grid.span(CENTER, Align::Center, Some(Margin::Rule), |text| text.push_str(&table.unit));
        if col > 0 {
            grid.span(DELTA, Align::Left, Some(Margin::Blanks), |text| text.push_str("vs base"));
        }
        for inner in start(col) + 1..grid.col() {
            grid.narrow(inner);
        }
    }
    grid.at(right_edge);
    grid.span(1, Align::Left, Some(Margin::Edge), |_| ());
}

fn write_cell(cell: &Cell, base: Option<f64>, scale: &Scale, grid: &mut Grid, notes: &mut Notes) {
    let summary = &cell.summary;
    grid.cell(Align::Right, |text| scale.write(text, summary.center));
    // With ± in the margin, ranges line up and the geometric mean, which has none, stands under the centers.
    grid.span(1, Align::Right, Some(Margin::PlusMinus), |text| summary.write_range(text));
    notes.cell(grid, cell.vary.iter().chain(&summary.footnote));
    if let (Some(comparison), Some(base)) = (&cell.comparison, base) {
        grid.cell(Align::Right, |text| comparison.write_delta(text, base, summary.center));
        grid.cell(Align::Left, |text| {
            text.push('(');
            comparison.write_p(text);
            text.push(')');
        });
        notes.cell(grid, comparison.footnote.iter());
    }
}

fn write_summary(table: &Table, col: usize, summary: &ColumnSummary, grid: &mut Grid, notes: &mut Notes) {
    if let Some(center) = summary.center {
        grid.at(start(col));
        // Scaled for itself: a mean over rows has no row.
        grid.cell(Align::Right, |text| Scale::common([center], table.class()).write(text, center));
    }
    if col > 0 {
        grid.at(start(col) + CENTER);
        match summary.ratio {
            Some(ratio) => grid.cell(Align::Right, |text| write_percent(text, ratio, false)),
            None => grid.cell(Align::Left, |text| text.push('?')),
        }
    }
    grid.at(start(col + 1) - 1);
    notes.cell(grid, summary.footnotes.iter());
}
