//! A report as lines of a terminal: the same content as the comment, as wide as the terminal, in colour if asked for.

mod inspect;
mod table;

use super::ink::Ink;
use super::number;
use super::view::row::RowView;
use super::view::suite::{PackageView, SuiteView, TableView};
use super::view::{Extras, Frame, Must, Prepared, View};
use crate::report::Report;
use std::ffi::OsString;
use std::fmt::Write as _;
use table::{Align, Column, Table};
use unicode_width::UnicodeWidthStr;

/// Everything there is.
const ALL: Extras = Extras {
    must: Must::Important,
    tables: true,
    visible: usize::MAX,
    failures: usize::MAX,
    long_tails: true,
    functions: (usize::MAX, true),
    sweeps: usize::MAX,
    chart: Some(0),
    classic: 0,
    sentences: (usize::MAX, usize::MAX, usize::MAX),
    environments: usize::MAX,
    details: true,
};

/// From this width on the tables say what would decide a row.
const WIDE: usize = 140;

/// Whether to use colour, by the usual conventions: `NO_COLOR` forbids it, `CLICOLOR_FORCE` and `FORCE_COLOR` demand it,
/// otherwise a terminal that is not `dumb` has it. `variable` reads the environment.
pub fn colour_wanted(variable: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let forced = |name: &str| variable(name).is_some_and(|value| !value.is_empty() && value != "0");
    if set("NO_COLOR") {
        return false;
    }
    forced("CLICOLOR_FORCE")
        || forced("FORCE_COLOR")
        || is_terminal && variable("TERM").is_none_or(|term| term != "dumb")
}

/// `report` for a terminal of `width` columns.
#[must_use]
pub fn terminal(report: &Report, width: usize, colour: bool) -> String {
    let prepared = Prepared::new(report, &Frame { name: "bench", ..Frame::default() }, Ink::Plain);
    let view = prepared.view(usize::MAX, &ALL);
    let mut page = Page { text: String::new(), width: width.max(40), colour };
    page.top(&view);
    page.failures(&view);
    page.changed(&view);
    page.suspects(&view);
    page.broken(&view);
    page.warnings(&view);
    if let Some(chart) = super::view::prepare::chart_of(report, page.width) {
        page.text.push('\n');
        page.text.push_str(&chart);
        page.text.push('\n');
    }
    page.inspections(&view);
    page.sweeps(&view);
    for suite in &view.suites {
        page.suite(suite, &view);
    }
    page.bottom(&view);
    let mut text = page.text.replace('\u{a0}', " ");
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

/// What is being written.
struct Page {
    text: String,
    width: usize,
    colour: bool,
}

/// How text is set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "1;31",
            Self::Green => "1;32",
            Self::Yellow => "33",
        }
    }

    /// Red and green are for confirmed changes and failures alone.
    fn of(verdict: &str) -> Self {
        match verdict {
            "regression" | "failed" | "timed-out" => Self::Red,
            "improvement" => Self::Green,
            "slower" | "faster" | "flaky" => Self::Yellow,
            "unchanged" | "unjudged" => Self::Dim,
            _ => Self::Plain,
        }
    }
}

impl Page {
    fn styled(&self, text: &str, style: Style) -> String {
        if self.colour && style != Style::Plain && !text.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", style.code())
        } else {
            text.to_owned()
        }
    }

    /// A paragraph, wrapped, with `indent` on all lines but the first.
    fn paragraph(&mut self, text: &str, indent: &str, style: Style) {
        for line in wrap(text, self.width, indent) {
            let line = self.styled(&line, style);
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    fn heading(&mut self, text: &str) {
        self.text.push('\n');
        self.paragraph(text, "", Style::Bold);
    }

    fn table(&mut self, table: &Table) {
        let width = self.width;
        let lines = table.lines(width, |text, style| self.styled(text, style));
        self.text.push_str(&lines);
    }

    fn top(&mut self, view: &View) {
        let style = match view.verdict {
            "regression" | "mixed" | "failed" if view.design != "files" => Style::Red,
            "improvement" if view.design != "files" => Style::Green,
            _ => Style::Bold,
        };
        self.paragraph(&view.headline, "", style);
        let side = |revision: &super::view::revision::RevisionView| {
            let label = revision.label.as_ref().map(ToString::to_string);
            let parts: Vec<String> =
                label.into_iter().chain([revision.short.clone()]).filter(|part| !part.is_empty()).collect();
            parts.join(" ")
        };
        let mut compared = format!("{} → {} · {}", side(&view.base), side(&view.head), view.plan);
        if !view.behind.is_empty() {
            let _ = write!(compared, " · {}", view.behind);
        }
        self.paragraph(&compared, "", Style::Dim);
        for alert in &view.alerts {
            self.paragraph(&format!("! {alert}"), "  ", Style::Yellow);
        }
    }

    fn failures(&mut self, view: &View) {
        for failure in &view.failures {
            self.heading(&format!("{}: {}", failure.suite, failure.what));
            for line in
                failure.tail.iter().flat_map(|tail| tail.to_string().lines().map(str::to_owned).collect::<Vec<_>>())
            {
                let _ = writeln!(self.text, "  | {line}");
            }
        }
    }

    fn changed(&mut self, view: &View) {
        let rows: Vec<_> = view.changed.iter().chain(&view.changed_more).collect();
        if rows.is_empty() {
            return;
        }
        self.text.push('\n');
        let mut table = Table::new(vec![
            Column::new("change", Align::Left, 0),
            Column::new("benchmark", Align::Left, 0),
            Column::new(&format!("{} interval", view.level), Align::Left, 1),
            Column::new("base", Align::Right, 2),
            Column::new("head", Align::Right, 2),
            Column::new("p", Align::Right, 3),
            Column::new("n", Align::Right, 4),
        ]);
        for row in &rows {
            let interval = if row.exact { "exact" } else { &row.interval };
            let name = if view.several_places {
                format!("{} {} ({})", row.name, row.unit, row.place)
            } else {
                format!("{} {}", row.name, row.unit)
            };
            let change = format!("{} {}", row.delta, row.word);
            table.row(
                Style::of(row.verdict),
                vec![
                    change,
                    name,
                    interval.to_owned(),
                    row.base.clone(),
                    row.head.clone(),
                    row.p.clone(),
                    row.n.clone(),
                ],
            );
        }
        self.table(&table);
        for row in rows {
            for note in &row.notes {
                self.paragraph(&format!("- {} {}: {note}", row.name, row.unit), "  ", Style::Plain);
            }
        }
    }

    fn suspects(&mut self, view: &View) {
        if view.suspects.is_empty() {
            return;
        }
        self.heading("Looked changed at first, not confirmed:");
        for row in view.suspects.iter().chain(&view.suspects_more) {
            self.paragraph(&suspect_line(row), "  ", Style::Plain);
        }
    }

    fn broken(&mut self, view: &View) {
        for (title, rows) in [("Without a comparison:", &view.broken), ("New, removed or skipped:", &view.one_sided)] {
            if rows.is_empty() {
                continue;
            }
            self.heading(title);
            for row in rows {
                self.paragraph(&state_line(row), "  ", Style::of(row.verdict));
            }
        }
        if view.broken_more > 0 {
            self.paragraph(&format!("{} more of these are in the tables below.", view.broken_more), "", Style::Plain);
        }
    }

    fn warnings(&mut self, view: &View) {
        if !view.warnings.is_empty() {
            self.text.push('\n');
        }
        for warning in &view.warnings {
            self.paragraph(&format!("! {warning}"), "  ", Style::Yellow);
        }
    }

    fn sweeps(&mut self, view: &View) {
        for sweep in &view.sweeps {
            self.heading(&format!("{} ({}) over {}", sweep.family, sweep.unit, sweep.parameter));
            for sentence in &sweep.sentences {
                self.paragraph(&format!("- {sentence}"), "  ", Style::Plain);
            }
        }
    }

    fn suite(&mut self, suite: &SuiteView, view: &View) {
        for package in &suite.packages {
            self.package(suite, package, view);
        }
        for mean in &suite.geomeans {
            let text = format!(
                "geomean of {} over all packages: {} → {}, {} ({}), {}",
                mean.unit,
                mean.base,
                mean.head,
                mean.delta,
                mean.interval,
                number::count(mean.rows as usize, "row", "rows")
            );
            self.paragraph(&text, "  ", Style::Plain);
        }
        for remark in &suite.remarks {
            self.paragraph(remark, "  ", Style::Plain);
        }
    }

    fn package(&mut self, suite: &SuiteView, package: &PackageView, view: &View) {
        let mut title = match &package.package {
            Some(package) if view.several_suites => format!("{} · {package}", suite.name),
            Some(package) => package.to_string(),
            None => suite.name.to_string(),
        };
        let _ = write!(title, " · {}", package.summary);
        self.heading(&title);
        for table in &package.tables {
            self.unit(table);
        }
    }

    fn unit(&mut self, unit: &TableView) {
        let interval = if unit.level.is_empty() { "interval".to_owned() } else { format!("{} interval", unit.level) };
        let mut table = Table::new(vec![
            Column::new(&unit.unit.to_string(), Align::Left, 0),
            Column::new("base", Align::Right, 0),
            Column::new("head", Align::Right, 0),
            Column::new("delta", Align::Right, 0),
            Column::new(&interval, Align::Left, 2),
            Column::new(if unit.screen { "p (screen)" } else { "p" }, Align::Right, 3),
            Column::new("n", Align::Right, 4),
            Column::new("", Align::Left, 1),
        ]);
        let with_spread = |value: &str, spread: &str, exact: bool| {
            if spread.is_empty() || exact { value.to_owned() } else { format!("{value} ± {spread}") }
        };
        for row in &unit.rows {
            let mark = if row.p_kind == "screen" && !unit.screen { " (screen)" } else { "" };
            let word = if row.hint.is_empty() || self.width < WIDE {
                row.word.clone()
            } else {
                format!("{}: {}", row.word, row.hint)
            };
            table.row(
                Style::of(row.verdict),
                vec![
                    row.name.to_string(),
                    with_spread(&row.base, &row.base_spread, row.exact),
                    with_spread(&row.head, &row.head_spread, row.exact),
                    row.delta.clone(),
                    row.interval.clone(),
                    format!("{}{mark}", row.p),
                    row.n.clone(),
                    word,
                ],
            );
        }
        if let Some(mean) = &unit.geomean {
            let rest = if mean.left_out.is_empty() { String::new() } else { format!("; {}", mean.left_out) };
            let cells = ["geomean", &mean.base, &mean.head, &mean.delta, &mean.interval, "", ""];
            let cells = cells
                .iter()
                .map(|cell| (*cell).to_owned())
                .chain([format!("{}{rest}", number::count(mean.rows as usize, "row", "rows"))]);
            table.row(Style::Bold, cells.collect());
        }
        self.table(&table);
        self.text.push('\n');
    }

    fn bottom(&mut self, view: &View) {
        for environment in &view.environments {
            let of = if environment.shard.is_empty() { String::new() } else { format!(" of {}", environment.shard) };
            self.paragraph(&format!("Machine{of}: {}", environment.line), "  ", Style::Plain);
            if !environment.missing.is_empty() {
                self.paragraph(&format!("Not set: {}", environment.missing), "  ", Style::Plain);
            }
            let tools: Vec<String> = environment.tools.iter().map(|tool| tool.value.clone()).collect();
            if !tools.is_empty() {
                self.paragraph(&format!("Tools: {}", tools.join(", ")), "  ", Style::Plain);
            }
        }
        self.text.push('\n');
        for sentence in view.method.iter().chain(&view.notes) {
            self.paragraph(&format!("- {sentence}"), "  ", Style::Dim);
        }
        if let Some(reproduce) = &view.reproduce {
            let _ = write!(self.text, "\nMeasure this again:\n  {reproduce}\n");
        }
    }
}

fn suspect_line(row: &RowView) -> String {
    let delta = if row.delta.is_empty() { "–" } else { &row.delta };
    let figures = [("", &row.interval), ("p ", &row.p), ("n ", &row.n)];
    let figures: Vec<String> =
        figures.iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name}{text}")).collect();
    let figures = if figures.is_empty() { String::new() } else { format!(" ({})", figures.join(", ")) };
    let reason = if row.reason.is_empty() { String::new() } else { format!("; {}", row.reason) };
    format!("- {} {}: {delta}{figures}{reason}", row.name, row.unit)
}

fn state_line(row: &RowView) -> String {
    let values = match (row.base.as_str(), row.head.as_str()) {
        ("", "") => String::new(),
        ("", head) => format!(" (head {head})"),
        (base, "") => format!(" (base {base})"),
        (base, head) => format!(" (base {base}, head {head})"),
    };
    let reason = if row.reason.is_empty() { String::new() } else { format!(": {}", row.reason) };
    format!("- {} {}: {}{values}{reason}", row.name, row.unit, row.word)
}

/// `text` in lines of at most `width` columns, broken at blanks.
fn wrap(text: &str, width: usize, indent: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        if !last.trim().is_empty() && last.width() + 1 + word.width() > width {
            lines.push(format!("{indent}{word}"));
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples;

    #[test]
    fn it_has_no_escapes_without_colour_and_no_bare_red_for_what_is_unconfirmed() {
        for (name, report) in samples::all() {
            let plain = terminal(&report, 100, false);
            assert!(!plain.contains('\u{1b}'), "{name}");
            assert!(plain.lines().all(|line| line == line.trim_end()), "{name}: {plain}");
        }
        let files = terminal(&samples::files(), 100, true);
        assert!(!files.contains("\u{1b}[1;31m") && !files.contains("\u{1b}[1;32m"), "{files}");
        assert!(terminal(&samples::mixed(), 100, true).contains("\u{1b}[1;31m"));
    }

    #[test]
    fn colour_does_not_change_what_is_said() {
        let report = samples::mixed();
        let coloured = terminal(&report, 90, true);
        let escapes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
        assert_eq!(escapes.replace_all(&coloured, ""), terminal(&report, 90, false));
    }

    #[test]
    fn tables_are_as_wide_as_the_terminal_at_most() {
        for width in [60, 80, 120] {
            let text = terminal(&samples::mixed(), width, false);
            for line in text.lines().filter(|line| line.contains("Decode/") && !line.contains("rounds")) {
                assert!(line.width() <= width, "{width}: {} {line}", line.width());
            }
        }
        let wide = terminal(&samples::mixed(), 140, false);
        let narrow = terminal(&samples::mixed(), 60, false);
        assert!(wide.contains("interval") && wide.contains("95%"));
        for delta in ["+13.8%", "−53.5%"] {
            assert!(wide.contains(delta) && narrow.contains(delta), "{narrow}");
        }
    }

    #[test]
    fn hostile_names_cannot_write_to_the_terminal() {
        let text = terminal(&samples::hostile("\u{1b}]0;owned\u{7}\u{9b}31m\r\nnext\u{202e}"), 100, true);
        let ours = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
        let rest = ours.replace_all(&text, "");
        assert!(rest.chars().all(|c| c == '\n' || !c.is_control()), "{rest:?}");
        assert!(!rest.contains('\u{202e}'));
    }

    #[test]
    fn a_suspect_without_figures_has_no_empty_places() {
        let mut report = samples::mixed();
        let mut rows = report.suites.iter_mut().flat_map(|suite| &mut suite.rows);
        let suspect = |row: &&mut crate::report::Row| row.benchmark.name == "Encode/small" && row.unit == "sec/op";
        let row = rows.find(suspect).expect("a suspect");
        (row.delta, row.p, row.base, row.head) = (None, None, None, None);
        row.verdict = crate::report::Verdict::Inconclusive(crate::report::Undecided::Budget);
        let text = terminal(&report, 200, false);
        let line = text.lines().find(|line| line.starts_with("- Encode/small")).expect("the suspect's line");
        assert!(line.starts_with("- Encode/small sec/op: –; the time budget ended"), "{line}");
    }

    #[test]
    fn no_color_wins_over_a_terminal() {
        let with = |set: &'static [(&'static str, &'static str)]| {
            move |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        };
        assert!(colour_wanted(with(&[]), true));
        assert!(!colour_wanted(with(&[]), false));
        assert!(!colour_wanted(with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), true));
        assert!(colour_wanted(with(&[("NO_COLOR", "")]), true));
        assert!(colour_wanted(with(&[("CLICOLOR_FORCE", "1")]), false));
        assert!(!colour_wanted(with(&[("TERM", "dumb")]), true));
    }
}
