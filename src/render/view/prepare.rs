//! Formats each row of a report once, and lays out as many of them as asked for.

use super::inspect::{self, InspectionView};
use super::machine::{self, EnvironmentView};
use super::order::{self, Weight};
use super::revision;
use super::rounds;
use super::row::{self, RowView};
use super::sentence;
use super::suite::{self, FailureView, Skeleton, SuiteView};
use super::word;
use super::{CountsView, DOCS, Extras, LeftOut, Must, SweepView, View};
use crate::render::chart::{self, Bar};
use crate::render::escape;
use crate::render::ink::{Ink, Outside, Piece};
use crate::render::number;
use crate::render::sweep;
use crate::report::{Counts, Design, Limits, Report, Row, Verdict, WarningLevel};
use crate::results::StepStatus;
use crate::side::Side;
use std::sync::Arc;

/// Lines of the chart in its two sizes.
pub const CHARTS: [usize; 2] = [25, 10];

/// Bytes of a failed command's output in its two sizes.
const TAILS: [usize; 2] = [3000, 600];

/// Share of the limit that the text of a classic layout may take.
pub const CLASSIC: [f64; 5] = [0.85, 0.6, 0.35, 0.15, 0.03];

/// Share of the limit that all differences of machine code may take.
const DIFFERENCES: usize = 5;

/// What a [`Prepared`] report is made of beside the report.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frame<'a> {
    /// The report's name.
    pub name: &'a str,
    /// Name of the artifact, if one is uploaded.
    pub artifact: Option<&'a str>,
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
    inspections: Vec<InspectionView>,
    sweeps: Vec<SweepView>,
    environments: Vec<EnvironmentView>,
    pieces: Arc<Vec<Piece>>,
}

#[derive(Debug)]
struct Placed {
    view: Arc<RowView>,
    weight: Weight,
    /// Whether the failure of the suite's setup explains the row's.
    explained: bool,
    suite: usize,
    package: usize,
    table: usize,
    index: usize,
}

/// Tables of a package that are kept for their geometric mean when none of their rows fits.
pub(super) const EMPTY_TABLES: usize = 8;

impl Prepared {
    /// `report`, formatted with `ink`.
    #[must_use]
    pub fn new(report: &Report, frame: &Frame<'_>, ink: Ink) -> Self {
        let prefix = revision::package_prefix(report);
        let skeletons: Vec<Skeleton> =
            report.suites.iter().map(|suite| suite::skeleton(suite, report, &prefix, &ink)).collect();
        let rows = place(report, &skeletons);
        let bars = bars(report, &rows, &skeletons);
        let chart = |&size: &usize| {
            let shown = &bars[..bars.len().min(size)];
            ink.lines(with_legend(report, shown, 110))
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
            inspections: inspections(report, frame.limit, &ink),
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

    /// All rows in the order of the report.
    #[must_use]
    pub fn in_order(&self) -> Vec<Arc<RowView>> {
        let mut placed: Vec<&Placed> = self.rows.iter().collect();
        placed.sort_by_key(|placed| placed.index);
        placed.into_iter().map(|placed| Arc::clone(&placed.view)).collect()
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
        let of =
            |wanted: fn(Weight) -> bool| kept.iter().filter(move |p| wanted(p.weight)).map(|p| Arc::clone(&p.view));
        view.changed = of(Weight::changed).collect();
        view.changed_more = view.changed.split_off(view.changed.len().min(extras.visible));
        view.remarks = remarks(view.changed.iter().chain(&view.changed_more).map(AsRef::as_ref));
        view.suspects = of(|w| w == Weight::Suspect).collect();
        view.suspects_more = view.suspects.split_off(view.suspects.len().min(extras.visible.min(10)));
        // A side whose setup failed is told of once, not for each of its rows.
        let broken = kept.iter().filter(|placed| placed.weight == Weight::Broken && !placed.explained);
        view.broken = broken.take(10).map(|placed| Arc::clone(&placed.view)).collect();
        view.broken_more = of(|w| w == Weight::Broken).count() - view.broken.len();
        view.one_sided = of(|w| w == Weight::OneSided).collect();
        if extras.tables {
            view.suites = self.lay_out(kept, left);
        }
        view.left_out = left_out(left);
        view.failures = first(&self.failures[usize::from(!extras.long_tails)], extras.failures);
        view.failures_left_out = self.failures[0].len() - view.failures.len();
        view.inspections = inspect::first(&self.inspections, extras.functions.0, extras.functions.1);
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

/// The notes of rows, each once, with the rows that have it.
fn remarks<'a>(rows: impl Iterator<Item = &'a RowView>) -> Vec<String> {
    const NAMED: usize = 4;
    let mut notes: Vec<(&str, Vec<String>)> = Vec::new();
    for row in rows {
        for note in &row.notes {
            let name = format!("{} {}", row.name, row.unit);
            match notes.iter_mut().find(|(known, _)| known == note) {
                Some((_, names)) => names.push(name),
                None => notes.push((note, vec![name])),
            }
        }
    }
    let line = |(note, names): (&str, Vec<String>)| {
        let more = names.len().saturating_sub(NAMED);
        let more =
            if more > 0 { format!(" and {}", number::count(more, "more row", "more rows")) } else { String::new() };
        format!("{}{more}: {note}", names[..names.len().min(NAMED)].join(", "))
    };
    notes.into_iter().take(12).map(line).collect()
}

fn first<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    all.iter().take(count).cloned().collect()
}

/// The functions of every suite; without a `limit` their differences have all the room that they need.
fn inspections(report: &Report, limit: usize, ink: &Ink) -> Vec<InspectionView> {
    let functions = report.suites.iter().flat_map(|suite| &suite.inspection.functions);
    let differences = functions.filter(|function| !function.diff.is_empty()).count().max(1);
    let room = if limit == 0 { usize::MAX } else { limit / DIFFERENCES / differences };
    report.suites.iter().filter_map(|suite| inspect::inspection(suite, room, ink)).collect()
}

/// Every row with its place, most important first.
fn place<'a>(report: &'a Report, skeletons: &[Skeleton]) -> Vec<(&'a Row, Placed)> {
    let mut rows: Vec<(&Row, Placed)> = Vec::new();
    for (number, (suite, skeleton)) in report.suites.iter().zip(skeletons).enumerate() {
        let explained =
            Side::BOTH.iter().any(|&side| !matches!(suite.setup.get(side).status, StepStatus::Ok | StepStatus::NotRun));
        for (row, (package, table, view)) in suite.rows.iter().zip(&skeleton.rows) {
            let placed = Placed {
                view: Arc::clone(view),
                weight: Weight::of(row),
                explained,
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
        unit: ink.unit(&sweep.unit),
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

/// The chart of `report` for lines of `width` columns; nothing if fewer than two rows have an interval.
#[must_use]
pub fn chart_of(report: &Report, width: usize) -> Option<String> {
    let skeletons: Vec<Skeleton> =
        report.suites.iter().map(|suite| suite::skeleton(suite, report, "", &Ink::Plain)).collect();
    let bars = bars(report, &place(report, &skeletons), &skeletons);
    (bars.len() > 1).then(|| with_legend(report, &bars, width))
}

/// The picture, with a line that says what its marks are where they are not at the report's own threshold.
fn with_legend(report: &Report, bars: &[Bar], width: usize) -> String {
    let mut picture = chart::chart(bars, width);
    if bars.iter().any(|bar| bar.limits.change != report.policy.threshold) {
        picture.push_str(&format!("\n┊ {}", chart::limits_of(bars)));
    }
    picture
}

/// The lines of the chart with the kinds of their verdicts.
#[must_use]
pub fn marked_bars(report: &Report) -> Vec<(Bar, &'static str)> {
    let skeletons: Vec<Skeleton> =
        report.suites.iter().map(|suite| suite::skeleton(suite, report, "", &Ink::Plain)).collect();
    let rows = place(report, &skeletons);
    let told = rows.iter().filter(|(_, placed)| placed.weight <= Weight::Suspect).count();
    all_bars(report, &rows, &skeletons).into_iter().take(told.clamp(20, 60)).collect()
}

/// The chart's lines: changed rows and suspects first, then the largest others. Rows that repeat another are left out, and
/// so are exact ones: a −100 % without an interval would flatten all that has one.
fn bars(report: &Report, rows: &[(&Row, Placed)], skeletons: &[Skeleton]) -> Vec<Bar> {
    let told = rows.iter().filter(|(_, placed)| placed.weight <= Weight::Suspect).count();
    let all = all_bars(report, rows, skeletons).into_iter().map(|(bar, _)| bar);
    all.take(told.clamp(CHARTS[1], CHARTS[0])).collect()
}

fn all_bars(report: &Report, rows: &[(&Row, Placed)], skeletons: &[Skeleton]) -> Vec<(Bar, &'static str)> {
    let charted = |row: &Row| {
        let delta = row.delta.as_ref().filter(|_| !row.derived && !row.exact)?;
        delta.ratio.filter(|ratio| ratio.is_finite() && *ratio > -1.0 && !matches!(row.verdict, Verdict::Unjudged(_)))
    };
    let mut units = rows.iter().filter(|(row, _)| charted(row).is_some()).map(|(row, _)| &row.unit);
    let first = units.next();
    let several_units = units.any(|unit| Some(unit) != first);
    let common = Limits { threshold: report.policy.threshold, change: report.policy.threshold };
    let bar = |(row, placed): &(&Row, Placed)| {
        if matches!(placed.weight, Weight::Broken | Weight::OneSided) {
            return None;
        }
        let effect = charted(row)?;
        let delta = row.delta.as_ref()?;
        let name = row::label(&row.benchmark, skeletons[placed.suite].with_procs);
        let name = if several_units { format!("{name} {}", row.unit) } else { name };
        let bar = Bar {
            label: escape::visible(&name),
            effect,
            lo: delta.lo,
            hi: delta.hi,
            interval: delta.level > 0.0,
            limits: row.limits.unwrap_or(common),
            text: format!("{} {}", number::signed_percent(effect), placed.view.word),
        };
        Some((bar, placed.view.verdict))
    };
    rows.iter().filter_map(bar).take(100).collect()
}

/// Everything but rows.
fn shell(report: &Report, frame: &Frame<'_>, ink: &Ink) -> View {
    let (icon, headline) = sentence::headline(report, ink);
    let warning = |level: WarningLevel| {
        let with =
            move |w: &&crate::report::Warning| w.level == level && !sentence::IN_THE_PLAN.contains(&w.code.as_str());
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
        plan: rounds::plan(report),
        threshold: number::plain_percent(report.policy.threshold),
        level: number::plain_percent(report.policy.confidence),
        several_suites: report.suites.len() > 1,
        several_places: report.suites.len() > 1 || revision::several_packages(report),
        changed: Vec::new(),
        changed_more: Vec::new(),
        remarks: Vec::new(),
        suspects: Vec::new(),
        suspects_more: Vec::new(),
        broken: Vec::new(),
        broken_more: 0,
        one_sided: Vec::new(),
        failures: Vec::new(),
        failures_left_out: 0,
        suites: Vec::new(),
        chart: None,
        classic: None,
        inspections: Vec::new(),
        sweeps: Vec::new(),
        sweeps_left_out: 0,
        method: sentence::method(report, ink),
        environments: Vec::new(),
        environments_left_out: 0,
        warnings: warning(WarningLevel::Warning),
        notes: warning(WarningLevel::Note),
        warnings_left_out: 0,
        reproduce: report.reproduce.as_ref().map(|command| ink.lines(escape::visible_lines(command, 2000))),
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
