//! A report is shown: as a comment, a step summary, a page, lines of a terminal, and in the classic layouts.
//!
//! [`view`] formats a report once; templates, the terminal and the page lay it out. Text from outside is escaped by
//! construction: see [`ink`] and [`settle`].

pub mod chart;
pub mod escape;
pub mod fit;
pub mod html;
pub mod ink;
pub mod layout;
pub mod number;
pub mod settle;
pub mod state;
pub mod sweep;
pub mod terminal;
pub mod view;

#[cfg(test)]
mod fit_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod seed_tests;
#[cfg(test)]
mod template_tests;
#[cfg(test)]
mod tests;

pub use html::html;
pub use state::{State, StateFrame, state};
pub use terminal::{colour_wanted, terminal};

use crate::config::{Layout, Template};
use crate::report::Report;
use ink::{Ink, Piece};
use layout::{Output, Templates};
use std::sync::Arc;
use view::{Frame, LeftOut, Prepared, View};

/// Bytes of a comment that are left to its body: the publisher's marker lines need some of the 60,000.
pub const COMMENT_LIMIT: usize = 59_000;

/// Bytes of a step summary: GitHub drops one of more than 1 MiB.
pub const SUMMARY_LIMIT: usize = 1_000_000;

/// Why a report could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A user's template is at fault.
    #[error("{}: {message}", place(path, *line, *column))]
    Template {
        /// The template.
        path: String,
        /// Its line, from 1; 0 where there is none.
        line: usize,
        /// Its column, from 1; 0 where there is none.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A template writes too much even without any row.
    #[error("the template writes more than {limit} bytes even without rows; print fewer of them, or less of each")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// A built-in template is broken.
    #[error("a built-in template failed: {0}")]
    Internal(String),
}

fn place(path: &str, line: usize, column: usize) -> String {
    if line == 0 { path.to_owned() } else { format!("{path}:{line}:{column}") }
}

/// Gives the text of a classic layout: `benchstat`, `benchstat-v1` or `benchcmp`.
pub type Classic = fn(&Report, Layout) -> String;

/// How a comment is to look.
#[derive(Debug, Clone)]
pub struct CommentOptions {
    /// The layout, unless there is a template.
    pub layout: Layout,
    /// The user's template.
    pub template: Option<Template>,
    /// The report's name.
    pub name: String,
    /// Most bytes of the body.
    pub limit: usize,
    /// Name of the artifact that the workflow uploads, if it does.
    pub artifact: Option<String>,
    /// Makes the text of the classic layouts.
    pub classic: Option<Classic>,
}

impl Default for CommentOptions {
    fn default() -> Self {
        Self {
            layout: Layout::Default,
            template: None,
            name: "bench".to_owned(),
            limit: COMMENT_LIMIT,
            artifact: None,
            classic: None,
        }
    }
}

/// A rendered comment.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The Markdown.
    pub body: String,
    /// Rows that are not in it.
    pub left_out: LeftOut,
    /// Why the user's template was not used, if it could not be.
    pub problem: Option<RenderError>,
    smallest: bool,
    source: Arc<Source>,
}

/// What a comment can be rendered from again.
#[derive(Debug)]
struct Source {
    prepared: Prepared,
    templates: Templates,
}

impl Rendered {
    /// A shorter form of the same comment, for a server that refuses this one; nothing if there is none.
    #[must_use]
    pub fn smaller(&self) -> Option<Self> {
        let mut limit = self.body.len();
        while !self.smallest && limit > 500 {
            limit = limit / 3 * 2;
            // It rendered before, with more in it.
            let next = render(&self.source, limit, self.problem.clone()).ok()?;
            if next.body.len() < self.body.len() {
                return Some(next);
            }
        }
        None
    }
}

/// The comment of a report. If the user's template fails, the default layout is used, says so, and
/// [`Rendered::problem`] tells why.
///
/// # Errors
/// If a built-in template is broken, which the tests exclude.
pub fn comment(report: &Report, options: &CommentOptions) -> Result<Rendered, RenderError> {
    let Some(template) = &options.template else {
        return built_in(report, options, None);
    };
    match user_template(&template.text, &template.path, report, options) {
        Ok(rendered) => Ok(rendered),
        Err(problem) => built_in(report, options, Some(problem)),
    }
}

fn built_in(report: &Report, options: &CommentOptions, problem: Option<RenderError>) -> Result<Rendered, RenderError> {
    let classic = match options.classic {
        Some(classic) if options.layout != Layout::Default => Some(classic(report, options.layout)),
        _ => None,
    };
    let start = if classic.is_some() { "classic.md.tera" } else { "comment.md.tera" };
    let report = problem.as_ref().map_or_else(|| report.clone(), |problem| with_problem(report, problem));
    let prepared = Prepared::new(&report, &frame(options, classic.as_deref()), Ink::tokens());
    render(&Arc::new(Source { prepared, templates: Templates::built_in(start)? }), options.limit, problem)
}

/// `report` with a warning that opens it.
fn with_problem(report: &Report, problem: &RenderError) -> Report {
    let mut report = report.clone();
    report.warnings.insert(
        0,
        crate::report::Warning {
            level: crate::report::WarningLevel::Headline,
            code: "template".to_owned(),
            message: "The configured template could not be used, so this is the default layout".to_owned(),
            place: problem.to_string(),
        },
    );
    report
}

/// The comment of a report by a user's template `text` from `path`.
///
/// # Errors
/// If the template does not parse, uses what there is not, takes too long, or writes too much.
pub fn user_template(
    text: &str,
    path: &str,
    report: &Report,
    options: &CommentOptions,
) -> Result<Rendered, RenderError> {
    let prepared = Prepared::new(report, &frame(options, None), Ink::tokens());
    let template = Template { path: path.to_owned(), text: text.to_owned() };
    let templates = Templates::user(&template, prepared.pieces())?;
    render(&Arc::new(Source { prepared, templates }), options.limit, None)
}

/// The step summary of a report: the comment with room for many more rows.
///
/// # Errors
/// As [`comment`].
pub fn summary(report: &Report, options: &CommentOptions) -> Result<Rendered, RenderError> {
    comment(report, &CommentOptions { limit: SUMMARY_LIMIT, ..options.clone() })
}

/// A form that a report is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The Markdown of the comment, as long as a step summary may be.
    Markdown,
    /// Lines for a terminal.
    Text,
    /// `report.json`.
    Json,
    /// One self-contained page.
    Html,
}

/// Where text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns.
    pub width: usize,
    /// Whether it has colours, see [`colour_wanted`].
    pub colour: bool,
}

/// `report` in `format`. `screen` matters to text alone, `options` to the others.
///
/// # Errors
/// Those of [`user_template`] if `options` has a template, which is used for Markdown; never because of the report.
pub fn write(report: &Report, format: Format, options: &CommentOptions, screen: Screen) -> Result<String, RenderError> {
    match format {
        Format::Markdown => {
            let options = CommentOptions { limit: SUMMARY_LIMIT, ..options.clone() };
            match &options.template {
                Some(template) => Ok(user_template(&template.text, &template.path, report, &options)?.body),
                None => Ok(comment(report, &options)?.body),
            }
        }
        Format::Text => Ok(terminal(report, screen.width, screen.colour)),
        Format::Json => {
            let json =
                serde_json::to_string_pretty(report).map_err(|error| RenderError::Internal(error.to_string()))?;
            Ok(json + "\n")
        }
        Format::Html => html(report, options),
    }
}

fn frame<'a>(options: &'a CommentOptions, classic: Option<&'a str>) -> Frame<'a> {
    Frame { name: &options.name, artifact: options.artifact.as_deref(), classic, limit: options.limit }
}

fn render(source: &Arc<Source>, limit: usize, problem: Option<RenderError>) -> Result<Rendered, RenderError> {
    let pieces = source.prepared.pieces();
    let fitted = fit::fit(&source.prepared, limit, &mut |view| markdown(&source.templates, view, pieces, limit))?;
    Ok(Rendered {
        body: fitted.body,
        left_out: fitted.left_out,
        problem,
        smallest: fitted.smallest,
        source: Arc::clone(source),
    })
}

/// `view` by `templates`, with the texts in place of their tokens; nothing if it is far too long.
fn markdown(
    templates: &Templates,
    view: &View,
    pieces: &Arc<Vec<Piece>>,
    limit: usize,
) -> Result<Option<String>, RenderError> {
    // A token may be longer than its text: what is too long here may still fit, within reason.
    match templates.render(&layout::context(view)?, limit.saturating_mul(4) + 16_384)? {
        Output::Text(text) => Ok(Some(settle::settle(&text, pieces))),
        Output::TooLong => Ok(None),
    }
}
