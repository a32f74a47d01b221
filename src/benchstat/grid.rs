//! Text in columns: cells that span columns, vertical rules, footnote marks that take no room when they are not there.

use std::ops::Range;

/// Where the text of a cell stands in its room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Center,
    Right,
}

/// A grid that is filled row by row, then laid out at once.
#[derive(Debug, Default)]
pub(super) struct Grid {
    /// The text of all cells, one after the other.
    text: String,
    cells: Vec<Cell>,
    rows: u32,
    cols: usize,
    /// Columns that are as narrow as their own cells allow; cells that span them widen others.
    narrow: Vec<bool>,
    row: u32,
    col: usize,
}

/// A cell, as small as can be, since large tables have hundreds of thousands.
#[derive(Debug, Clone, Copy)]
struct Cell {
    row: u32,
    col: u32,
    span: u32,
    /// Where its text ends in the text of all cells; it begins where the one before ends.
    end: u32,
    /// In characters.
    width: u32,
    margin: Margin,
    align: Align,
}

/// What stands before a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Margin {
    None,
    Blank,
    Blanks,
    PlusMinus,
    Rule,
    /// A rule that nothing follows.
    Edge,
}

impl Margin {
    const fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Blank => " ",
            Self::Blanks => "  ",
            Self::PlusMinus => " ± ",
            Self::Rule => " │ ",
            Self::Edge => " │",
        }
    }

    const fn width(self) -> usize {
        match self {
            Self::None => 0,
            Self::Blank => 1,
            Self::Blanks | Self::Edge => 2,
            Self::PlusMinus | Self::Rule => 3,
        }
    }
}

impl Grid {
    /// Begins a row.
    pub(super) fn next_row(&mut self) {
        if self.rows > 0 {
            self.row += 1;
        }
        self.rows = self.row + 1;
        self.col = 0;
    }

    /// Goes on at column `col`.
    pub(super) fn at(&mut self, col: usize) {
        self.col = col;
    }

    /// The column at which the next cell begins.
    pub(super) const fn col(&self) -> usize {
        self.col
    }

    /// Makes a column as narrow as its own cells allow.
    pub(super) fn narrow(&mut self, col: usize) {
        if self.narrow.len() <= col {
            self.narrow.resize(col + 1, false);
        }
        self.narrow[col] = true;
    }

    /// Adds a cell of one column whose text `write` appends. A margin of one blank stands before it, none if it is empty
    /// or the first of its row.
    pub(super) fn cell(&mut self, align: Align, write: impl FnOnce(&mut String)) {
        self.span(1, align, None, write);
    }

    /// Adds a cell over `span` columns, with `margin` before it if given.
    pub(super) fn span(&mut self, span: usize, align: Align, margin: Option<Margin>, write: impl FnOnce(&mut String)) {
        let begin = self.text.len();
        write(&mut self.text);
        let written = &self.text[begin..];
        let width = if written.is_ascii() { written.len() } else { written.chars().count() };
        let default = if self.col == 0 || written.is_empty() { Margin::None } else { Margin::Blank };
        self.cells.push(Cell {
            row: self.row,
            col: narrowed(self.col),
            span: narrowed(span),
            end: narrowed(self.text.len()),
            width: narrowed(width),
            margin: margin.unwrap_or(default),
            align,
        });
        self.col += span;
        self.cols = self.cols.max(self.col);
    }

    /// Lays the grid out and appends it to `out`. Cells were added row by row, from left to right.
    pub(super) fn write(self, out: &mut String) {
        if self.cells.is_empty() {
            return;
        }
        let mut margins = vec![0; self.cols];
        for cell in &self.cells {
            let widest = &mut margins[cell.col as usize];
            *widest = cell.margin.width().max(*widest);
        }
        let offsets = self.offsets(&margins);
        out.reserve(offsets[self.cols] * self.rows as usize);
        let mut place = (0, 0);
        let mut begin = 0;
        for cell in &self.cells {
            let text = &self.text[begin..cell.end as usize];
            begin = cell.end as usize;
            let blank = |text: &str| text.bytes().all(|b| b == b' ') || text.trim().is_empty();
            if blank(text) && blank(cell.margin.text()) {
                // Nothing to see, so no blanks at the end of a line.
                continue;
            }
            while place.0 < cell.row {
                out.push('\n');
                place = (place.0 + 1, 0);
            }
            let (col, width) = (cell.col as usize, cell.width as usize);
            let margin = margins[col];
            // A title that no column could be widened for runs over; the tool then adds as many blanks as it ran over.
            pad(out, offsets[col].abs_diff(place.1));
            pad(out, margin - cell.margin.width());
            out.push_str(cell.margin.text());
            let end = offsets[col + cell.span as usize];
            let left = match cell.align {
                Align::Left => 0,
                Align::Center => end.abs_diff(offsets[col] + margin + width) / 2,
                Align::Right => end.saturating_sub(offsets[col] + margin + width),
            };
            pad(out, left);
            out.push_str(text);
            place.1 = offsets[col] + margin + left + width;
        }
        out.push('\n');
    }

    /// Where each column begins, its margin included, and where the last one ends.
    fn offsets(&self, margins: &[usize]) -> Vec<usize> {
        let mut widths = vec![0_usize; self.cols];
        let mut spanning = Vec::new();
        for cell in &self.cells {
            let (col, span) = (cell.col as usize, cell.span as usize);
            let needed = cell.width as usize + margins[col];
            if span == 1 {
                widths[col] = widths[col].max(needed);
            } else {
                spanning.push((span, col, needed));
            }
        }
        // Short spans first, so that long ones see what room there is already.
        spanning.sort_by_key(|(span, ..)| *span);
        for (span, col, needed) in spanning {
            self.widen(&mut widths, col..col + span, needed);
        }
        let mut offsets = vec![0];
        let mut end = 0;
        for width in widths {
            end += width;
            offsets.push(end);
        }
        offsets
    }

    /// Widens the columns in `range` that may grow until all of it is `needed` wide, the narrow ones of them most.
    fn widen(&self, widths: &mut [usize], range: Range<usize>, needed: usize) {
        if widths[range.clone()].iter().sum::<usize>() >= needed {
            return;
        }
        let is_narrow = |col: &usize| self.narrow.get(*col).copied().unwrap_or(false);
        let fixed: usize = range.clone().filter(is_narrow).map(|col| widths[col]).sum();
        let mut growing: Vec<usize> = range.filter(|col| !is_narrow(col)).collect();
        // The widest first: what they have beyond an equal share need not be shared out to the others.
        growing.sort_by_key(|col| std::cmp::Reverse(widths[*col]));
        let mut left = needed.saturating_sub(fixed);
        for (at, col) in growing.iter().enumerate() {
            let share = left.div_ceil(growing.len() - at);
            widths[*col] = widths[*col].max(share);
            left = left.saturating_sub(widths[*col]);
        }
    }
}

/// A place in a text of less than 4 GiB.
fn narrowed(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Appends `text` in `width` characters, or as many as it has. (A width in a format string may not exceed 65535.)
pub(super) fn write_cell(out: &mut String, text: &str, align: Align, width: usize) {
    let blanks = width.saturating_sub(text.chars().count());
    let before = match align {
        Align::Left => 0,
        Align::Center => blanks / 2,
        Align::Right => blanks,
    };
    pad(out, before);
    out.push_str(text);
    pad(out, blanks - before);
}

pub(super) fn pad(out: &mut String, blanks: usize) {
    const BLANKS: &str = "                                                                ";
    let mut left = blanks;
    while left > 0 {
        let some = left.min(BLANKS.len());
        out.push_str(&BLANKS[..some]);
        left -= some;
    }
}
