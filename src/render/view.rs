//! A report as templates see it: everything formatted, nothing decided.
//!
//! [`Prepared`] formats each row once; [`Prepared::view`] lays out as many of them as asked for, most important first, so
//! that [`fit`](super::fit) can try sizes.

pub mod inspect;
pub mod machine;
pub mod order;
pub mod prepare;
pub mod revision;
mod rounds;
pub mod row;
pub mod sentence;
pub mod suite;
pub mod word;

use super::ink::Outside;
use inspect::InspectionView;
use machine::EnvironmentView;
pub use prepare::{CHARTS, CLASSIC, Frame, Prepared};
use revision::{RevisionView, RunView};
use row::RowView;
use serde::Serialize;
use std::sync::Arc;
use suite::{FailureView, SuiteView};

/// The context of a template.
#[derive(Debug, Clone, Serialize)]
pub struct View {
    /// The report's name from the configuration, `bench` if there is none.
    pub name: Outside,
    /// The program that made it.
    pub tool: Outside,
    /// `regression`, `improvement`, `mixed`, `unchanged`, `inconclusive` or `failed`.
    pub verdict: &'static str,
    /// A picture of the verdict.
    pub icon: &'static str,
    /// The verdict in one line.
    pub headline: String,
    /// What opens the report because the rest cannot be read without it.
    pub alerts: Vec<String>,
    /// How many rows have which verdict.
    pub counts: CountsView,
    /// Base.
    pub base: RevisionView,
    /// Head.
    pub head: RevisionView,
    /// `base is 3 commits behind its branch`, or empty.
    pub behind: String,
    /// `staged`, `fixed` or `files`.
    pub design: &'static str,
    /// How the samples came about, in one short line.
    pub plan: String,
    /// The threshold, such as `2%`.
    pub threshold: String,
    /// Level of the intervals of changed rows, such as `95%`.
    pub level: String,
    /// Whether the report has more than one suite.
    pub several_suites: bool,
    /// Whether it has more than one suite or package, so that a benchmark's name alone does not tell where it is.
    pub several_places: bool,
    /// The rows that changed and are shown at once: regressions first, by size.
    pub changed: Vec<Arc<RowView>>,
    /// Further rows that changed.
    pub changed_more: Vec<Arc<RowView>>,
    /// What there is to say of changed rows, with the rows that it is said of.
    pub remarks: Vec<String>,
    /// Suspects that were not confirmed, or not decided in time.
    pub suspects: Vec<Arc<RowView>>,
    /// Further ones.
    pub suspects_more: Vec<Arc<RowView>>,
    /// Rows that failed, are flaky or timed out.
    pub broken: Vec<Arc<RowView>>,
    /// How many more of them there are, which the tables of all rows show.
    pub broken_more: usize,
    /// Rows that exist on one side only, or were skipped.
    pub one_sided: Vec<Arc<RowView>>,
    /// Sides that failed.
    pub failures: Vec<FailureView>,
    /// How many more sides failed.
    pub failures_left_out: usize,
    /// All rows, per suite and package.
    pub suites: Vec<SuiteView>,
    /// The deltas as a picture made of lines, for a fence; or nothing.
    pub chart: Option<Outside>,
    /// The text of a classic layout, for a fence; or nothing.
    pub classic: Option<Outside>,
    /// Functions that were disassembled, by suite.
    pub inspections: Vec<InspectionView>,
    /// Parameter sweeps.
    pub sweeps: Vec<SweepView>,
    /// How many more sweeps there are.
    pub sweeps_left_out: usize,
    /// How the figures are to be read, one sentence each.
    pub method: Vec<String>,
    /// The machines.
    pub environments: Vec<EnvironmentView>,
    /// How many more machines there were.
    pub environments_left_out: usize,
    /// What a reader must know.
    pub warnings: Vec<String>,
    /// What is good to know.
    pub notes: Vec<String>,
    /// How many warnings and notes more there are.
    pub warnings_left_out: usize,
    /// How to measure this again, for a fence; or nothing.
    pub reproduce: Option<Outside>,
    /// The run on GitHub.
    pub run: Option<RunView>,
    /// Where the columns and words are explained.
    pub docs: &'static str,
    /// What did not fit.
    pub left_out: LeftOut,
}

/// How many rows have which verdict.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CountsView {
    /// All of them.
    pub rows: usize,
    /// Regressions, or `slower?`.
    pub regressions: u32,
    /// Improvements, or `faster?`.
    pub improvements: u32,
    /// Unchanged.
    pub unchanged: u32,
    /// Undecided.
    pub inconclusive: u32,
    /// Failed, flaky, timed out.
    pub failed: u32,
    /// Only in head.
    pub new: u32,
    /// Only in base.
    pub removed: u32,
    /// Shown without a verdict.
    pub unjudged: u32,
}

/// Rows that did not fit, by what they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// All of them.
    pub rows: usize,
    /// Changed rows.
    pub changed: usize,
    /// Undecided rows.
    pub inconclusive: usize,
    /// Unchanged rows, and those without a verdict.
    pub unchanged: usize,
    /// Others: failed, new, removed.
    pub other: usize,
}

/// A parameter sweep.
#[derive(Debug, Clone, Serialize)]
pub struct SweepView {
    /// The family of names, with the parameter in braces.
    pub family: Outside,
    /// The parameter.
    pub parameter: Outside,
    /// The unit.
    pub unit: Outside,
    /// What the figures say.
    pub sentences: Vec<String>,
    /// The lines of a Mermaid diagram, for a fence; or nothing.
    pub mermaid: Option<Outside>,
    /// Which colour of the diagram is which line.
    pub legend: String,
}

/// Where the columns and words are explained.
pub const DOCS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/report.md");

/// How much there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extras {
    /// Which rows must not be left out for this to be a choice at all.
    pub must: Must,
    /// Whether there are tables of all rows.
    pub tables: bool,
    /// Changed rows that are shown at once.
    pub visible: usize,
    /// Failed sides.
    pub failures: usize,
    /// Whether their output is the long form.
    pub long_tails: bool,
    /// Functions that were disassembled, and whether the differences of their code are shown.
    pub functions: (usize, bool),
    /// Sweeps.
    pub sweeps: usize,
    /// Which of [`CHARTS`] is shown.
    pub chart: Option<usize>,
    /// Which of [`CLASSIC`] is shown, in a classic layout.
    pub classic: usize,
    /// Alerts, sentences of method, and warnings with notes.
    pub sentences: (usize, usize, usize),
    /// Machines.
    pub environments: usize,
    /// Whether machines have their details.
    pub details: bool,
}

/// Which rows must not be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Must {
    /// Those that changed, failed, or are unconfirmed suspects.
    Important,
    /// Those that changed.
    Changed,
    /// None: the worst ones, as many as fit.
    Worst,
}
