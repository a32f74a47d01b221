//! Layouts are templates. The built-in ones are compiled in; a user's may include their parts.
//!
//! A template gets [`View`](super::view::View). What it prints is escaped, what came from outside is a token
//! ([`ink`](super::ink)), so a template cannot let a name act, whatever filters it uses.

use super::RenderError;
use super::escape;
use super::ink::{self, Piece};
use super::view::View;
use crate::config::Template;
use regex::Regex;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tera::{Context, Kwargs, State, Tera, TeraResult};

/// The largest user template, in bytes.
pub const TEMPLATE_LIMIT: usize = 64 * 1024;

/// How long one rendering of a user's template may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same for a template of a few lines in a test.
#[cfg(test)]
pub(super) const SHORT_PATIENCE: Duration = Duration::from_millis(300);

/// Name, in includes, and text of every built-in template.
const BUILT_IN: [(&str, &str); 16] = [
    ("comment.md.tera", include_str!("../../templates/comment.md.tera")),
    ("classic.md.tera", include_str!("../../templates/classic.md.tera")),
    ("state.md.tera", include_str!("../../templates/state.md.tera")),
    ("partials/changed.md.tera", include_str!("../../templates/partials/changed.md.tera")),
    ("partials/commit.md.tera", include_str!("../../templates/partials/commit.md.tera")),
    ("partials/compared.md.tera", include_str!("../../templates/partials/compared.md.tera")),
    ("partials/environment.md.tera", include_str!("../../templates/partials/environment.md.tera")),
    ("partials/failures.md.tera", include_str!("../../templates/partials/failures.md.tera")),
    ("partials/footer.md.tera", include_str!("../../templates/partials/footer.md.tera")),
    ("partials/inspect.md.tera", include_str!("../../templates/partials/inspect.md.tera")),
    ("partials/left_out.md.tera", include_str!("../../templates/partials/left_out.md.tera")),
    ("partials/method.md.tera", include_str!("../../templates/partials/method.md.tera")),
    ("partials/states.md.tera", include_str!("../../templates/partials/states.md.tera")),
    ("partials/suites.md.tera", include_str!("../../templates/partials/suites.md.tera")),
    ("partials/suspects.md.tera", include_str!("../../templates/partials/suspects.md.tera")),
    ("partials/sweeps.md.tera", include_str!("../../templates/partials/sweeps.md.tera")),
];
const TABLE: (&str, &str) = ("partials/table.md.tera", include_str!("../../templates/partials/table.md.tera"));

/// Templates, ready to render one of them.
#[derive(Debug, Clone)]
pub struct Templates {
    tera: Arc<Tera>,
    /// The one that is rendered.
    start: String,
    /// How long it may take, if it is a user's.
    patience: Option<Duration>,
}

/// What a rendering gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// The text, tokens still in it.
    Text(String),
    /// It was longer than allowed.
    TooLong,
}

impl Templates {
    /// The built-in template `start`.
    ///
    /// # Errors
    /// If a built-in template is broken, which the tests exclude.
    pub fn built_in(start: &str) -> Result<Self, RenderError> {
        let mut tera = engine(Arc::default());
        add_built_in(&mut tera)?;
        Ok(Self { tera: Arc::new(tera), start: start.to_owned(), patience: None })
    }

    /// A user's template, which may include built-in ones and use the test `matching` on texts behind `pieces`.
    ///
    /// # Errors
    /// If it is too large, or does not parse: with its line.
    pub fn user(template: &Template, pieces: &Arc<Vec<Piece>>) -> Result<Self, RenderError> {
        if template.text.len() > TEMPLATE_LIMIT {
            return Err(RenderError::Template {
                path: template.path.clone(),
                line: 0,
                column: 0,
                message: format!("the template has {} bytes; at most {TEMPLATE_LIMIT} are read", template.text.len()),
            });
        }
        let mut tera = engine(Arc::clone(pieces));
        add_built_in(&mut tera)?;
        tera.add_raw_template(&template.path, &template.text)
            .map_err(|error| template_error(&template.path, &error))?;
        Ok(Self { tera: Arc::new(tera), start: template.path.clone(), patience: Some(PATIENCE) })
    }

    /// The same with another patience.
    #[cfg(test)]
    pub(super) fn patient_for(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// `context`, rendered, at most `limit` bytes long.
    ///
    /// # Errors
    /// If the template uses what there is not, or takes too long.
    pub fn render(&self, context: &Context, limit: usize) -> Result<Output, RenderError> {
        let outcome = if let Some(patience) = self.patience {
            self.render_guarded(context.clone(), limit, patience)?
        } else {
            let mut writer = Limited::new(limit, Arc::default());
            self.tera.render_to(&self.start, context, &mut writer).map(|()| writer.text)
        };
        match outcome {
            Ok(bytes) => Ok(Output::Text(tidy(&String::from_utf8_lossy(&bytes)))),
            Err(error) if matches!(error.kind(), tera::ErrorKind::Io(std::io::ErrorKind::FileTooLarge)) => {
                Ok(Output::TooLong)
            }
            Err(error) => Err(template_error(&self.start, &error)),
        }
    }

    /// Renders on a thread of its own: the engine cannot be stopped inside a loop that prints nothing, but it can be left
    /// behind. The thread ends with the process.
    fn render_guarded(
        &self,
        context: Context,
        limit: usize,
        patience: Duration,
    ) -> Result<TeraResult<Vec<u8>>, RenderError> {
        let (send, receive) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let (tera, start, stopped) = (Arc::clone(&self.tera), self.start.clone(), Arc::clone(&stop));
        let work = move || {
            let mut writer = Limited::new(limit, stopped);
            let outcome = tera.render_to(&start, &context, &mut writer).map(|()| writer.text);
            // Nobody listens any more if this took too long.
            let _ = send.send(outcome);
        };
        let failed = |message: String| RenderError::Template { path: self.start.clone(), line: 0, column: 0, message };
        std::thread::Builder::new()
            .name("template".to_owned())
            .spawn(work)
            .map_err(|error| failed(format!("no thread could be started to render it: {error}")))?;
        receive.recv_timeout(patience).map_err(|_| {
            stop.store(true, Ordering::Relaxed);
            failed(format!("it was not rendered within {} s: does a loop run too often?", patience.as_secs_f64()))
        })
    }
}

/// The context of a template.
///
/// # Errors
/// If the engine cannot take it.
pub fn context(view: &View) -> Result<Context, RenderError> {
    Context::from_serialize(view).map_err(|error| RenderError::Internal(error.to_string()))
}

fn engine(pieces: Arc<Vec<Piece>>) -> Tera {
    let mut tera = Tera::new();
    // Every template is escaped, whatever its name ends with.
    tera.autoescape_on([""]);
    tera.set_escape_fn(escape::markdown);
    tera.register_filter("grouped", |n: usize, _: Kwargs, _: &State| super::number::grouped(n));
    tera.register_test("matching", move |text: &str, kwargs: Kwargs, _: &State| -> TeraResult<bool> {
        let pattern = kwargs.must_get::<&str>("pattern")?;
        let pattern = regex::RegexBuilder::new(pattern)
            .size_limit(1 << 20)
            .build()
            .map_err(|error| tera::Error::message(format!("`{pattern}` is not a regular expression: {error}")))?;
        Ok(ink::matches(&pieces, text, &pattern))
    });
    tera
}

fn add_built_in(tera: &mut Tera) -> Result<(), RenderError> {
    tera.add_raw_templates(BUILT_IN.into_iter().chain([TABLE]))
        .map_err(|error| RenderError::Internal(error.to_string()))
}

/// The engine's error with the line that it is about.
fn template_error(path: &str, error: &tera::Error) -> RenderError {
    use tera::ErrorKind::{RenderingError, SyntaxError};
    match error.kind() {
        SyntaxError(report) | RenderingError(report) => RenderError::Template {
            path: if report.filename().is_empty() { path.to_owned() } else { report.filename().to_owned() },
            line: report.span().start_line,
            column: report.span().start_col + 1,
            message: report.message().to_owned(),
        },
        _ => located(path, &error.to_string()),
    }
}

/// An error that tells its place in its text alone: `error: what` and ` --> file:line:column`.
fn located(path: &str, text: &str) -> RenderError {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^(?:error: )?(.*)\n\s*--> (.+):(\d+):(\d+)$").expect("a constant pattern"));
    let template = |path: &str, line, column, message: &str| RenderError::Template {
        path: path.to_owned(),
        line,
        column,
        message: message.to_owned(),
    };
    match PLACE.captures(text) {
        Some(found) => template(&found[2], found[3].parse().unwrap_or(0), found[4].parse().unwrap_or(0), &found[1]),
        None => template(path, 0, 0, text),
    }
}

/// Removes trailing blanks and repeated empty lines, which tags leave behind.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut empty = 2;
    for line in text.lines() {
        let line = line.trim_end();
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            tidied.push_str(line);
            tidied.push('\n');
        }
    }
    tidied.truncate(tidied.trim_end().len());
    tidied.push('\n');
    tidied
}

/// A buffer that refuses to grow beyond a limit, and to grow at all when told to stop.
struct Limited {
    text: Vec<u8>,
    limit: usize,
    stop: Arc<AtomicBool>,
}

impl Limited {
    const fn new(limit: usize, stop: Arc<AtomicBool>) -> Self {
        Self { text: Vec::new(), limit, stop }
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.text.len() + bytes.len() > self.limit || self.stop.load(Ordering::Relaxed) {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
