//! Today's benchstat layout as comma-separated values.

use super::number::shortest;
use super::sample::{Footnote, write_percent};
use super::table::{Table, Tables};
use std::fmt::Write as _;

/// Columns of the label.
const LABEL: usize = 1;
/// Columns of a center: number and range.
const CENTER: usize = 2;
/// Columns of a comparison: delta and p.
const DELTA: usize = 2;

const fn start(col: usize) -> usize {
    if col == 0 { LABEL } else { LABEL + CENTER + (col - 1) * (CENTER + DELTA) }
}

/// Appends all tables to `out`, and their footnotes to `notes`, each with the name that a spreadsheet gives its cell.
pub(super) fn write(tables: &Tables, out: &mut String, notes: &mut String) {
    let mut writer = Writer { out, notes, row: Vec::new(), number: 1 };
    tables.each(|header, table| {
        for line in header {
            writer.row.push(line.clone());
            writer.end_row();
        }
        write_table(tables, table, &mut writer);
    });
}

struct Writer<'o> {
    out: &'o mut String,
    notes: &'o mut String,
    row: Vec<String>,
    /// Of the row being filled, from 1.
    number: usize,
}

impl Writer<'_> {
    /// Fills the row with empty fields up to column `col`.
    fn fill_to(&mut self, col: usize) {
        while self.row.len() < col {
            self.row.push(String::new());
        }
    }

    fn push(&mut self, write: impl FnOnce(&mut String)) {
        let mut text = String::new();
        write(&mut text);
        self.row.push(text);
    }

    /// Notes `footnote` on the next field.
    fn note(&mut self, footnote: &Footnote) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.notes, "{}{}: {footnote}", column_name(self.row.len()), self.number);
    }

    fn end_row(&mut self) {
        for (at, field) in self.row.drain(..).enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            write_field(self.out, &field);
        }
        self.out.push('\n');
        self.number += 1;
    }
}

/// `A` to `Z`, `AA`, `AB` …
fn column_name(column: usize) -> String {
    let mut name = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        name.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    name.iter().rev().collect()
}

/// Appends a field, quoted where it must be.
fn write_field(out: &mut String, field: &str) {
    let quoted = field == "\\." || field.contains([',', '"', '\r', '\n']) || field.starts_with(char::is_whitespace);
    if quoted {
        out.push('"');
        out.push_str(&field.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(field);
    }
}

fn write_table(tables: &Tables, table: &Table, writer: &mut Writer<'_>) {
    let symbols = &tables.builder.symbols;
    let columns = &tables.builder.col;
    for (at, _) in columns.shown() {
        for (col, key) in table.cols.iter().enumerate() {
            writer.fill_to(start(col));
            writer.push(|text| text.push_str(symbols.text(columns.value(*key, at))));
        }
        writer.fill_to(start(table.cols.len()));
        writer.end_row();
    }
    for col in 0..table.cols.len() {
        writer.fill_to(start(col));
        let titles: &[&str] = if col == 0 { &["CI"] } else { &["CI", "vs base", "P"] };
        writer.row.push(table.unit.clone());
        writer.row.extend(titles.iter().map(|title| (*title).to_owned()));
    }
    writer.end_row();
    let labels = tables.builder.row.texts(symbols);
    for row in &table.rows {
        writer.push(|text| labels.write(text, row.key));
        let base = row.base().map(|cell| cell.summary.center);
        for (col, cell) in &row.cells {
            writer.fill_to(start(*col));
            for footnote in cell.vary.iter().chain(&cell.summary.footnote) {
                writer.note(footnote);
            }
            writer.row.push(shortest(cell.summary.center));
            writer.push(|text| cell.summary.write_range(text));
            if let (Some(comparison), Some(base)) = (&cell.comparison, base) {
                for footnote in comparison.footnote.iter() {
                    writer.note(footnote);
                }
                writer.push(|text| comparison.write_delta(text, base, cell.summary.center));
                writer.push(|text| comparison.write_p(text));
            }
        }
        writer.end_row();
    }
    write_summaries(table, writer);
}

fn write_summaries(table: &Table, writer: &mut Writer<'_>) {
    writer.row.push("geomean".to_owned());
    for (col, summary) in table.summaries.iter().enumerate() {
        writer.fill_to(start(col));
        for footnote in &summary.footnotes {
            writer.note(footnote);
        }
        if let Some(center) = summary.center {
            writer.row.push(shortest(center));
        }
        if col > 0 {
            writer.fill_to(start(col) + CENTER);
            match summary.ratio {
                Some(ratio) => writer.push(|text| write_percent(text, ratio, false)),
                None => writer.row.push("?".to_owned()),
            }
        }
    }
    writer.fill_to(start(table.cols.len()));
    writer.end_row();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_as_spreadsheets_name_them() {
        for (column, name) in
            [(0, "A"), (25, "Z"), (26, "AA"), (27, "AB"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")]
        {
            assert_eq!(column_name(column), name);
        }
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        for (field, written) in
            [("a", "a"), ("a,b", "\"a,b\""), ("say \"a\"", "\"say \"\"a\"\"\""), (" a", "\" a\""), ("", "")]
        {
            let mut out = String::new();
            write_field(&mut out, field);
            assert_eq!(out, written);
        }
    }
}
