//! A report as one page in one file: every row, raw samples round by round, charts, the machine over time.
//!
//! Nothing is loaded from anywhere, and the page forbids it to itself: a content security policy allows exactly the style
//! sheet and the script that are in it, by their hashes.

mod drift;
mod svg;

use super::chart;
use super::escape;
use super::ink::Ink;
use super::number;
use super::sweep;
use super::view::prepare;
use super::view::row::RowView;
use super::view::{Extras, Frame, Must, Prepared, View};
use super::{CommentOptions, RenderError};
use crate::report::{Report, Row, StageSamples};
use crate::results::StageKind;
use base64::Engine as _;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tera::{Context, Tera};

const PAGE: &str = include_str!("../../templates/report.html.tera");
const INSPECT: &str = include_str!("../../templates/partials/inspect.html.tera");
const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

/// Everything there is.
const ALL: Extras = Extras {
    must: Must::Important,
    tables: true,
    visible: usize::MAX,
    failures: usize::MAX,
    long_tails: true,
    functions: (usize::MAX, true),
    sweeps: usize::MAX,
    chart: None,
    classic: 0,
    sentences: (usize::MAX, usize::MAX, usize::MAX),
    environments: usize::MAX,
    details: true,
};

/// What the page has beside the view. Strings named `svg` are markup that is already escaped.
#[derive(Serialize)]
struct Page {
    style: &'static str,
    script: &'static str,
    policy: String,
    data: String,
    deltas: String,
    /// What the band of that chart is.
    band: String,
    sweeps: Vec<SweepPart>,
    timelines: Vec<Timeline>,
    rows: Vec<RowPart>,
    suites: Vec<String>,
    units: Vec<String>,
}

#[derive(Serialize)]
struct SweepPart {
    title: String,
    sentences: Vec<String>,
    svg: String,
}

#[derive(Serialize)]
struct Timeline {
    title: String,
    svg: String,
}

/// What the table's script needs of a row, beside what the view says.
#[derive(Serialize)]
struct RowPart {
    /// Number of the row in the script's data.
    number: usize,
    /// Logarithm of the ratio, to sort by; absent without one.
    change: Option<f64>,
    base: Option<f64>,
    head: Option<f64>,
    p: Option<f64>,
    package: String,
    view: Arc<RowView>,
}

/// Raw samples of a row for the script.
#[derive(Serialize)]
struct RowData<'a> {
    unit: &'a str,
    time: bool,
    /// Reason and notes, one sentence each.
    said: Vec<&'a str>,
    stages: Vec<StageData<'a>>,
}

#[derive(Serialize)]
struct StageData<'a> {
    name: &'static str,
    base: &'a [f64],
    head: &'a [f64],
    base_at: &'a [f64],
    head_at: &'a [f64],
}

/// The page of a report.
///
/// # Errors
/// If the built-in template is broken, which the tests exclude.
pub fn html(report: &Report, options: &CommentOptions) -> Result<String, RenderError> {
    let frame = Frame { name: &options.name, artifact: options.artifact.as_deref(), ..Frame::default() };
    let prepared = Prepared::new(report, &frame, Ink::Plain);
    let view = prepared.view(usize::MAX, &ALL);
    let internal = |error: tera::Error| RenderError::Internal(error.to_string());
    let mut context = Context::from_serialize(&view).map_err(internal)?;
    context.insert("page", &page(report, &view, &prepared)?);
    let mut tera = Tera::new();
    tera.autoescape_on([""]);
    tera.add_raw_templates([("partials/inspect.html.tera", INSPECT), ("report.html.tera", PAGE)]).map_err(internal)?;
    tera.render("report.html.tera", &context).map_err(internal)
}

fn page(report: &Report, view: &View, prepared: &Prepared) -> Result<Page, RenderError> {
    let rows = || report.suites.iter().flat_map(|suite| &suite.rows);
    let mut suites: Vec<String> = view.suites.iter().map(|suite| suite.name.to_string()).collect();
    suites.dedup();
    let mut units: Vec<String> = Vec::new();
    for row in rows() {
        let unit = escape::visible(&row.unit);
        if !units.contains(&unit) && units.len() < 100 {
            units.push(unit);
        }
    }
    let views = prepared.in_order();
    let data = rows().zip(&views).map(|(row, view)| RowData {
        unit: &row.unit,
        time: number::is_time(&row.unit),
        said: std::iter::once(&view.reason).chain(&view.notes).map(String::as_str).filter(|s| !s.is_empty()).collect(),
        stages: row.samples.iter().map(stage_data).collect(),
    });
    let data: Vec<RowData<'_>> = data.collect();
    let json = serde_json::to_string(&data).map_err(|error| RenderError::Internal(error.to_string()))?;
    let bars = prepare::marked_bars(report);
    Ok(Page {
        style: STYLE,
        script: SCRIPT,
        policy: format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        ),
        data: escape::json_island(&json),
        deltas: if bars.len() > 1 { svg::deltas(&bars) } else { String::new() },
        band: chart::limits_of(&bars.into_iter().map(|(bar, _)| bar).collect::<Vec<_>>()),
        sweeps: sweep::find(report).iter().map(sweep_part).collect(),
        timelines: timelines(report),
        rows: rows()
            .zip(views.iter().map(Arc::clone))
            .enumerate()
            .map(|(number, (row, view))| row_part(number, row, view))
            .collect(),
        suites,
        units,
    })
}

fn row_part(number: usize, row: &Row, view: Arc<RowView>) -> RowPart {
    let finite = |value: f64| value.is_finite().then_some(value);
    RowPart {
        number,
        view,
        change: row
            .delta
            .as_ref()
            .and_then(|delta| delta.ratio)
            .and_then(|ratio| finite(ratio.max(-0.999_999).ln_1p())),
        base: row.base.as_ref().and_then(|side| finite(side.center)),
        head: row.head.as_ref().and_then(|side| finite(side.center)),
        p: row.p.and_then(|p| finite(p.value)),
        package: if row.benchmark.package.is_empty() { String::new() } else { escape::visible(&row.benchmark.package) },
    }
}

const fn stage_name(stage: Option<StageKind>) -> &'static str {
    match stage {
        Some(StageKind::Screen) => "screen",
        Some(StageKind::Confirm) => "confirm",
        Some(StageKind::Fixed) => "one stage",
        None => "file",
    }
}

fn stage_data(stage: &StageSamples) -> StageData<'_> {
    StageData {
        name: stage_name(stage.stage),
        base: &stage.values.base,
        head: &stage.values.head,
        base_at: &stage.at.base,
        head_at: &stage.at.head,
    }
}

fn sweep_part(sweep: &sweep::Sweep) -> SweepPart {
    SweepPart {
        title: format!("{} ({})", escape::visible(&sweep.family), escape::visible(&sweep.unit)),
        sentences: sweep.sentences(),
        svg: svg::sweep(sweep),
    }
}

/// The machine over time: our own drift first, then what was witnessed.
fn timelines(report: &Report) -> Vec<Timeline> {
    let drift = drift::drift(report);
    let mut timelines = vec![Timeline {
        title: "Drift: each round against the medians of its rows, median over rows".to_owned(),
        svg: svg::timeline("Drift", &drift.base, &drift.head, true),
    }];
    for environment in &report.environments {
        let of = environment.shard.map_or_else(String::new, |s| format!(", shard {} of {}", s.index, s.count));
        for (name, points) in &environment.timeline {
            let title = format!("{}{of}", escape::visible(super::view::machine::witness_name(name)));
            let svg = svg::timeline(&title, &points.base, &points.head, matches!(name.as_str(), "steal" | "pressure"));
            timelines.push(Timeline { title, svg });
        }
    }
    timelines.retain(|timeline| !timeline.svg.is_empty());
    timelines.truncate(40);
    timelines
}

/// The hash by which a content security policy names an inline element.
fn hash(content: &str) -> String {
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(content.as_bytes())))
}

#[cfg(test)]
mod tests;
