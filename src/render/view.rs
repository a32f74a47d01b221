//! A report as templates see it: everything formatted, nothing decided.
//!
//! [`Prepared`] formats each row once; [`Prepared::view`] lays out as many of them as asked for, most important first, so
//! that [`fit`](super::fit) can try sizes.

pub mod machine;
pub mod order;
pub mod revision;
pub mod row;
pub mod sentence;
pub mod suite;
pub mod word;

use super::Calibration;
use super::chart::{self, Bar};
use super::ink::{Ink, Outside, Piece};
use super::number;
use super::sweep;
use crate::report::{Counts, Design, Report, Row, WarningLevel};
use machine::EnvironmentView;
use order::Weight;
use revision::{RevisionView, RunView};
use row::RowView;
use serde::Serialize;
use std::sync::Arc;
use suite::{FailureView, Skeleton, SuiteView};

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
    /// Suspects that were not confirmed, or not decided in time.
    pub suspects: Vec<Arc<RowView>>,
    /// Further ones.
    pub suspects_more: Vec<Arc<RowView>>,
    /// Rows that failed, are flaky or timed out.
    pub broken: Vec<Arc<RowView>>,
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

/// Lines of the chart in its two sizes.
pub const CHARTS: [usize; 2] = [25, 10];

/// Bytes of a failed command's output in its two sizes.
const TAILS: [usize; 2] = [3000, 600];

/// Share of the limit that the text of a classic layout may take.
pub const CLASSIC: [f64; 5] = [0.85, 0.6, 0.35, 0.15, 0.03];

/// What a [`Prepared`] report is made of beside the report.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frame<'a> {
    /// The report's name.
    pub name: &'a str,
    /// Name of the artifact, if one is uploaded.
    pub artifact: Option<&'a str>,
    /// How the method fared on identical code.
    pub calibration: Option<&'a Calibration>,
    /// The text of a classic layout.
    pub classic: Option<&'a str>,
    /// The limit that the sizes of that text are derived from, in bytes.
    pub limit: usize,
}

/// A report with every row formatted.
#[derive(Debug)]
pub struct Prepared {
    shell: View,
    suites: Vec<SuiteView>,
    /// Most important first.
    rows: Vec<Placed>,
    charts: Vec<Outside>,
    classic: Vec<Outside>,
    failures: [Vec<FailureView>; 2],
    sweeps: Vec<SweepView>,
    environments: Vec<EnvironmentView>,
    pieces: Arc<Vec<Piece>>,
}

#[derive(Debug)]
struct Placed {
    view: Arc<RowView>,
    weight: Weight,
    suite: usize,
    package: usize,
    table: usize,
    index: usize,
}

/// Tables of a package that are kept for their geometric mean when none of their rows fits.
const EMPTY_TABLES: usize = 8;

impl Prepared {
    /// `report`, formatted with `ink`.
    #[must_use]
    pub fn new(report: &Report, frame: &Frame<'_>, ink: Ink) -> Self {
        let prefix = revision::package_prefix(report);
        let skeletons: Vec<Skeleton> =
            report.suites.iter().map(|suite| suite::skeleton(suite, report, &prefix, &ink)).collect();
        let rows = place(report, &skeletons);
        let bars = bars(&rows);
        let chart = |&size: &usize| {
            let shown = &bars[..bars.len().min(size)];
            ink.lines(chart::chart(shown, report.policy.threshold, 110))
        };
        let cut = |share: &f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a limit")]
            #[expect(clippy::cast_precision_loss, reason = "a share of a limit")]
            let limit = (frame.limit as f64 * share) as usize;
            frame.classic.map(|text| ink.lines(first_lines(text, limit)))
        };
        let failures =
            TAILS.map(|tail| report.suites.iter().flat_map(|suite| suite::failures(suite, tail, &ink)).collect());
        Self {
            shell: shell(report, frame, &ink),
            suites: skeletons.into_iter().map(|skeleton| skeleton.view).collect(),
            rows: rows.into_iter().map(|(_, placed)| placed).collect(),
            charts: if bars.len() > 1 { CHARTS.iter().map(chart).collect() } else { Vec::new() },
            classic: CLASSIC.iter().filter_map(cut).collect(),
            failures,
            sweeps: sweep::find(report).iter().map(|sweep| sweep_view(sweep, &ink)).collect(),
            environments: report.environments.iter().map(|e| machine::environment(e, &ink)).collect(),
            pieces: Arc::new(ink.into_pieces()),
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows `must` names: the first ones.
    #[must_use]
    pub fn must(&self, must: Must) -> usize {
        match must {
            Must::Important => self.rows.partition_point(|placed| placed.weight <= Weight::Suspect),
            Must::Changed => self.rows.partition_point(|placed| placed.weight.changed()),
            Must::Worst => 0,
        }
    }

    /// How many rows are shown if there are no tables of all of them.
    #[must_use]
    pub fn listed(&self) -> usize {
        self.rows.partition_point(|placed| placed.weight <= Weight::OneSided)
    }

    /// The texts behind the tokens.
    #[must_use]
    pub const fn pieces(&self) -> &Arc<Vec<Piece>> {
        &self.pieces
    }

    /// The `keep` most important rows with as much else as `extras` says.
    #[must_use]
    pub fn view(&self, keep: usize, extras: &Extras) -> View {
        let keep = keep.min(if extras.tables { self.rows.len() } else { self.listed() });
        let (kept, left) = self.rows.split_at(keep);
        let mut view = self.shell.clone();
        let of = |wanted: fn(Weight) -> bool| kept.iter().filter(move |p| wanted(p.weight)).map(|p| Arc::clone(&p.view));
        view.changed = of(Weight::changed).collect();
        view.changed_more = view.changed.split_off(view.changed.len().min(extras.visible));
        view.suspects = of(|w| w == Weight::Suspect).collect();
        view.suspects_more = view.suspects.split_off(view.suspects.len().min(extras.visible.min(10)));
        view.broken = of(|w| w == Weight::Broken).collect();
        view.one_sided = of(|w| w == Weight::OneSided).collect();
        if extras.tables {
            view.suites = self.lay_out(kept, left);
        }
        view.left_out = left_out(left);
        view.failures = first(&self.failures[usize::from(!extras.long_tails)], extras.failures);
        view.failures_left_out = self.failures[0].len() - view.failures.len();
        view.sweeps = first(&self.sweeps, extras.sweeps);
        view.sweeps_left_out = if extras.sweeps == 0 { 0 } else { self.sweeps.len() - view.sweeps.len() };
        view.chart = extras.chart.and_then(|size| self.charts.get(size).cloned());
        view.classic = self.classic.get(extras.classic).cloned();
        view.environments = first(&self.environments, extras.environments);
        view.environments_left_out = self.environments.len() - view.environments.len();
        if !extras.details {
            view.environments.iter_mut().for_each(EnvironmentView::shorten);
        }
        limit(&mut view, extras.sentences);
        view
    }

    /// The tables with the kept rows in the order of the report, without packages of which nothing is kept.
    fn lay_out(&self, kept: &[Placed], left: &[Placed]) -> Vec<SuiteView> {
        let mut suites = self.suites.clone();
        let mut in_order: Vec<&Placed> = kept.iter().collect();
        in_order.sort_by_key(|placed| placed.index);
        for placed in in_order {
            suites[placed.suite].packages[placed.package].tables[placed.table].rows.push(Arc::clone(&placed.view));
        }
        for placed in left {
            suites[placed.suite].packages[placed.package].tables[placed.table].left_out += 1;
        }
        suites.iter_mut().for_each(SuiteView::drop_empty);
        suites
    }
}

fn first<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    all.iter().take(count).cloned().collect()
}

/// Every row with its place, most important first.
fn place<'a>(report: &'a Report, skeletons: &[Skeleton]) -> Vec<(&'a Row, Placed)> {
    let mut rows: Vec<(&Row, Placed)> = Vec::new();
    for (number, (suite, skeleton)) in report.suites.iter().zip(skeletons).enumerate() {
        for (row, (package, table, view)) in suite.rows.iter().zip(&skeleton.rows) {
            let placed = Placed {
                view: Arc::clone(view),
                weight: Weight::of(row),
                suite: number,
                package: *package,
                table: *table,
                index: rows.len(),
            };
            rows.push((row, placed));
        }
    }
    rows.sort_by(|a, b| order::compare(a.0, b.0));
    rows
}

/// The first `limit` bytes of `text` in whole lines, and how many lines were left out.
fn first_lines(text: &str, limit: usize) -> String {
    let text = text.trim_end();
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(limit);
    let mut lines = text.lines();
    for line in lines.by_ref() {
        if kept.len() + line.len() > limit {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    let left = lines.count() + 1;
    format!("{kept}… {} left out", number::count(left, "line", "lines"))
}

fn sweep_view(sweep: &sweep::Sweep, ink: &Ink) -> SweepView {
    let diagram = sweep::picture::diagram(sweep);
    SweepView {
        family: ink.outside(&sweep.family),
        parameter: ink.outside(&sweep.parameter),
        unit: ink.outside(&sweep.unit),
        sentences: sweep.sentences(),
        legend: diagram.as_ref().map_or_else(String::new, |diagram| diagram.legend.clone()),
        mermaid: diagram.map(|diagram| ink.lines(diagram.mermaid)),
    }
}

fn limit(view: &mut View, (alerts, method, warnings): (usize, usize, usize)) {
    view.alerts.truncate(alerts);
    view.method.truncate(method);
    let all = view.warnings.len() + view.notes.len();
    view.warnings.truncate(warnings);
    view.notes.truncate(warnings.saturating_sub(view.warnings.len()));
    view.warnings_left_out = all - view.warnings.len() - view.notes.len();
}

fn left_out(left: &[Placed]) -> LeftOut {
    let count = |wanted: fn(Weight) -> bool| left.iter().filter(|placed| wanted(placed.weight)).count();
    let mut out = LeftOut {
        rows: left.len(),
        changed: count(Weight::changed),
        inconclusive: count(|w| matches!(w, Weight::Suspect | Weight::Inconclusive)),
        unchanged: count(|w| w == Weight::Quiet),
        other: 0,
    };
    out.other = out.rows - out.changed - out.inconclusive - out.unchanged;
    out
}

/// The chart's lines: changed rows and suspects first, then the largest others. Rows that repeat another are left out.
fn bars(rows: &[(&Row, Placed)]) -> Vec<Bar> {
    let with_ratio = rows.iter().filter(|(row, _)| !row.derived);
    let bars = with_ratio.filter_map(|(row, placed)| {
        let delta = row.delta.as_ref()?;
        let effect = delta.ratio.filter(|ratio| ratio.is_finite() && *ratio > -1.0)?;
        if matches!(row.verdict, crate::report::Verdict::Unjudged(_)) || effect == 0.0 && row.exact {
            return None;
        }
        let label = super::escape::visible(&format!("{} {}", row::label(&row.benchmark, true), row.unit));
        Some(Bar {
            label,
            effect,
            lo: delta.lo,
            hi: delta.hi,
            interval: delta.level > 0.0,
            text: format!("{} {}", number::signed_percent(effect), placed.view.word),
        })
    });
    bars.take(200).collect()
}

/// Everything but rows.
fn shell(report: &Report, frame: &Frame<'_>, ink: &Ink) -> View {
    let (icon, headline) = sentence::headline(report, ink);
    let warning = |level: WarningLevel| {
        let with = move |w: &&crate::report::Warning| w.level == level;
        report.warnings.iter().filter(with).map(|w| warning_text(w, ink)).collect::<Vec<_>>()
    };
    let mut alerts: Vec<String> = sentence::unreachable(report).into_iter().collect();
    alerts.extend(revision::moved(report, ink));
    alerts.extend(warning(WarningLevel::Headline).into_iter().take(5));
    View {
        name: ink.outside(frame.name),
        tool: ink.outside(&report.tool),
        verdict: word::overall_kind(report.verdict),
        icon,
        headline,
        alerts,
        counts: counts(&report.counts),
        base: revision::revision(&report.revisions.base, report.run.as_ref(), ink),
        head: revision::revision(&report.revisions.head, report.run.as_ref(), ink),
        behind: revision::behind(report.base_behind),
        design: match report.design {
            Design::Staged { .. } => "staged",
            Design::Fixed { .. } => "fixed",
            Design::Files => "files",
        },
        plan: sentence::plan(report),
        threshold: number::plain_percent(report.policy.threshold),
        level: number::plain_percent(report.policy.confidence),
        several_suites: report.suites.len() > 1,
        several_places: report.suites.len() > 1 || revision::several_packages(report),
        changed: Vec::new(),
        changed_more: Vec::new(),
        suspects: Vec::new(),
        suspects_more: Vec::new(),
        broken: Vec::new(),
        one_sided: Vec::new(),
        failures: Vec::new(),
        failures_left_out: 0,
        suites: Vec::new(),
        chart: None,
        classic: None,
        sweeps: Vec::new(),
        sweeps_left_out: 0,
        method: sentence::method(report, frame.calibration, ink),
        environments: Vec::new(),
        environments_left_out: 0,
        warnings: warning(WarningLevel::Warning),
        notes: warning(WarningLevel::Note),
        warnings_left_out: 0,
        reproduce: report.reproduce.as_ref().map(|command| ink.lines(super::escape::visible_lines(command, 2000))),
        run: revision::run(report.run.as_ref(), frame.artifact, ink),
        docs: DOCS,
        left_out: LeftOut::default(),
    }
}

fn warning_text(warning: &crate::report::Warning, ink: &Ink) -> String {
    let message = ink.prose(&warning.message);
    if warning.place.is_empty() { message } else { format!("{message} ({})", ink.outside(&warning.place)) }
}

fn counts(counts: &Counts) -> CountsView {
    CountsView {
        rows: sentence::total(counts),
        regressions: counts.regressions,
        improvements: counts.improvements,
        unchanged: counts.unchanged,
        inconclusive: counts.inconclusive,
        failed: counts.failed,
        new: counts.new,
        removed: counts.removed,
        unjudged: counts.unjudged,
    }
}
