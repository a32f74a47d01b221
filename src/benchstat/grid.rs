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
    rows: usize,
    cols: usize,
    /// Columns that are as narrow as their own cells allow; cells that span them widen others.
    narrow: Vec<bool>,
    row: usize,
    col: usize,
}

#[derive(Debug, Clone)]
struct Cell {
    row: usize,
    col: usize,
    span: usize,
    text: Range<usize>,
    /// In characters.
    width: usize,
    margin: &'static str,
    align: Align,
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
    pub(super) fn span(
        &mut self,
        span: usize,
        align: Align,
        margin: Option<&'static str>,
        write: impl FnOnce(&mut String),
    ) {
        let begin = self.text.len();
        write(&mut self.text);
        let text = begin..self.text.len();
        let default = if self.col == 0 || text.is_empty() { "" } else { " " };
        let width = self.text[text.clone()].chars().count();
        self.cells.push(Cell {
            row: self.row,
            col: self.col,
            span,
            text,
            width,
            margin: margin.unwrap_or(default),
            align,
        });
        self.col += span;
        self.cols = self.cols.max(self.col);
    }

    /// Lays the grid out and appends it to `out`.
    pub(super) fn write(mut self, out: &mut String) {
        if self.cells.is_empty() {
            return;
        }
        let mut margins = vec![0; self.cols];
        for cell in &self.cells {
            margins[cell.col] = cell.margin.chars().count().max(margins[cell.col]);
        }
        let offsets = self.offsets(&margins);
        // Cells are added in order, except that a row may be left and come back to: keep the order of columns.
        self.cells.sort_by_key(|cell| (cell.row, cell.col));
        let mut place = (0, 0);
        for cell in &self.cells {
            let text = &self.text[cell.text.clone()];
            if text.trim().is_empty() && cell.margin.trim().is_empty() {
                // Nothing to see, so no blanks at the end of a line.
                continue;
            }
            while place.0 < cell.row {
                out.push('\n');
                place = (place.0 + 1, 0);
            }
            let margin = margins[cell.col];
            // A title that no column could be widened for runs over; the tool then adds as many blanks as it ran over.
            pad(out, offsets[cell.col].abs_diff(place.1));
            pad(out, margin - cell.margin.chars().count());
            out.push_str(cell.margin);
            let end = offsets[cell.col + cell.span];
            let left = match cell.align {
                Align::Left => 0,
                Align::Center => end.abs_diff(offsets[cell.col] + margin + cell.width) / 2,
                Align::Right => end.saturating_sub(offsets[cell.col] + margin + cell.width),
            };
            pad(out, left);
            out.push_str(text);
            place.1 = offsets[cell.col] + margin + left + cell.width;
        }
        out.push('\n');
    }

    /// Where each column begins, its margin included, and where the last one ends.
    fn offsets(&self, margins: &[usize]) -> Vec<usize> {
        let mut widths = vec![0_usize; self.cols];
        let mut spanning = Vec::new();
        for cell in &self.cells {
            let needed = cell.width + margins[cell.col];
            if cell.span == 1 {
                widths[cell.col] = widths[cell.col].max(needed);
            } else {
                spanning.push((cell.span, cell.col, needed));
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

fn pad(out: &mut String, blanks: usize) {
    out.extend(std::iter::repeat_n(' ', blanks));
}
