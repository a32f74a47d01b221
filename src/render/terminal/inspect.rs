//! Functions that were disassembled, in a terminal.

use super::table::{Align, Column, Table};
use super::{Page, Style};
use crate::render::view::View;
use crate::render::view::inspect::{FunctionView, UseView};

/// Lines of a difference that are printed; the other reports have all of them.
const DIFF_LINES: usize = 60;

impl Page {
    pub(super) fn inspections(&mut self, view: &View) {
        for inspection in &view.inspections {
            let of = if view.several_suites { format!(" of {}", inspection.suite) } else { String::new() };
            self.heading(&format!("Machine code{of}"));
            let mut table = Table::new(vec![
                Column::new("function", Align::Left, 0),
                Column::new("listed by", Align::Left, 2),
                Column::new("instructions", Align::Right, 0),
                Column::new("", Align::Left, 0),
                Column::new("listing lines", Align::Right, 3),
                Column::new("code", Align::Right, 1),
                Column::new("stack frame", Align::Right, 4),
            ]);
            for function in &inspection.functions {
                table.row(
                    style(function),
                    vec![
                        function.function.to_string(),
                        function.tool.to_owned(),
                        function.instructions.clone(),
                        format!("{} {}", function.delta, function.word).trim().to_owned(),
                        function.lines.clone(),
                        function.bytes.clone(),
                        function.frame.clone(),
                    ],
                );
            }
            self.table(&table);
            for function in &inspection.functions {
                self.uses(function, "gone", &function.gone);
                self.uses(function, "otherwise changed", &function.changed);
            }
            for note in &inspection.notes {
                self.paragraph(&format!("- {note}"), "  ", Style::Plain);
            }
            for function in &inspection.functions {
                self.difference(function);
            }
        }
    }

    fn uses(&mut self, function: &FunctionView, what: &str, uses: &[UseView]) {
        if !uses.is_empty() {
            let uses: Vec<String> = uses.iter().map(|one| format!("{} {} {}", one.kind, one.name, one.count)).collect();
            let text = format!("- {} ({}), {what}: {}", function.function, function.tool, uses.join(", "));
            self.paragraph(&text, "  ", Style::Plain);
        }
    }

    fn difference(&mut self, function: &FunctionView) {
        let Some(diff) = &function.diff else { return };
        let diff = diff.to_string();
        self.paragraph(&format!("{}, difference of the code:", function.function), "  ", Style::Bold);
        for line in diff.lines().take(DIFF_LINES) {
            let style = match line.as_bytes().first() {
                Some(b'@') => Style::Dim,
                Some(b'-' | b'+') => Style::Bold,
                _ => Style::Plain,
            };
            let line = self.styled(&format!("  {line}"), style);
            self.text.push_str(&line);
            self.text.push('\n');
        }
        let more = diff.lines().count().saturating_sub(DIFF_LINES);
        if more > 0 {
            self.paragraph(&format!("{more} more lines in the HTML report"), "  ", Style::Dim);
        }
        if !function.diff_left_out.is_empty() {
            self.paragraph(&function.diff_left_out, "  ", Style::Dim);
        }
    }
}

/// Fewer instructions are no promise of speed: no colour of a verdict.
fn style(function: &FunctionView) -> Style {
    if function.word == "same code" { Style::Dim } else { Style::Plain }
}
