//! Columns of text that fit a width: the least important ones go first, then names are cut in their middle.

use super::Style;
use crate::render::chart::shorten;
use unicode_width::UnicodeWidthStr;

/// Where a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    /// At the left.
    Left,
    /// At the right: figures.
    Right,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    title: String,
    align: Align,
    /// 0: never left out; the highest goes first.
    spare: u8,
}

impl Column {
    pub(super) fn new(title: &str, align: Align, spare: u8) -> Self {
        Self { title: title.to_owned(), align, spare }
    }
}

/// A table: its first column of names is the one that may be cut.
#[derive(Debug, Clone)]
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<(Style, Vec<String>)>,
}

/// A cut name keeps at least this many columns.
const SHORTEST_NAME: usize = 14;

/// Blanks between columns.
const GAP: usize = 2;

impl Table {
    pub(super) fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(super) fn row(&mut self, style: Style, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "a cell for every column");
        self.rows.push((style, cells));
    }

    /// The lines, at most `width` columns wide if that can be.
    pub(super) fn lines(&self, width: usize, styled: impl Fn(&str, Style) -> String) -> String {
        let mut widths: Vec<usize> = self.columns.iter().enumerate().map(|(i, c)| self.natural(i, &c.title)).collect();
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(|&i| widths[i] > 0).collect();
        let total = |shown: &[usize], widths: &[usize]| {
            shown.iter().map(|&i| widths[i]).sum::<usize>() + GAP * shown.len().saturating_sub(1)
        };
        // Which column holds the names: the first that is neither figures nor short.
        let name =
            shown.iter().copied().filter(|&i| self.columns[i].spare == 0).max_by_key(|&i| widths[i]).unwrap_or(0);
        let comfortable = widths[name].min(28);
        while total(&shown, &widths) - widths[name] + comfortable > width {
            let Some(&least) =
                shown.iter().max_by_key(|&&i| self.columns[i].spare).filter(|&&i| self.columns[i].spare > 0)
            else {
                break;
            };
            shown.retain(|&i| i != least);
        }
        let over = total(&shown, &widths).saturating_sub(width);
        widths[name] = widths[name].saturating_sub(over).max(widths[name].min(SHORTEST_NAME));
        let header: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        let mut text = String::new();
        for (style, cells) in std::iter::once(&(Style::Dim, header)).chain(&self.rows) {
            let parts: Vec<String> =
                shown.iter().map(|&i| pad(&shorten(&cells[i], widths[i]), widths[i], self.columns[i].align)).collect();
            text.push_str(&styled(parts.join(&" ".repeat(GAP)).trim_end(), *style));
            text.push('\n');
        }
        text
    }

    /// The width of a column's longest text; 0 if it has no text but its title.
    fn natural(&self, column: usize, title: &str) -> usize {
        let longest = self.rows.iter().map(|(_, cells)| cells[column].width()).max().unwrap_or(0);
        if longest == 0 { 0 } else { longest.max(title.width()) }
    }
}

fn pad(text: &str, width: usize, align: Align) -> String {
    let blanks = " ".repeat(width.saturating_sub(text.width()));
    match align {
        Align::Left => format!("{text}{blanks}"),
        Align::Right => format!("{blanks}{text}"),
    }
}
