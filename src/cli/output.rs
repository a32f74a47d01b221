//! Where a report goes: files, and standard output in the form that was asked for.

use crate::benchstat;
use crate::cli::args::{Colour, Form, OutputArgs};
use crate::cli::say;
use crate::config::ReportConfig;
use crate::render::{self, CommentOptions};
use crate::report::Report;
use anyhow::{Context, Result, bail, ensure};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// How the configuration wants comments to look.
pub(crate) fn comment_options(config: &ReportConfig) -> CommentOptions {
    CommentOptions {
        layout: config.layout,
        template: config.template.clone(),
        name: config.name.clone(),
        classic: Some(benchstat::report_text),
        ..CommentOptions::default()
    }
}

/// Shows the report on standard output, then writes the files that were asked for: whatever becomes of a file, the
/// report has been seen.
///
/// # Errors
/// When a file cannot be written; the message names it, and the other files are written all the same.
pub(crate) fn deliver(report: &Report, options: &CommentOptions, args: &OutputArgs) -> Result<()> {
    if !args.files_only {
        show(report, options, args.format, args.color)?;
    }
    let mut failure = None;
    let mut file = |path: &Option<PathBuf>, text: &dyn Fn() -> Result<String>| {
        let written = path.as_ref().map_or(Ok(()), |path| write(path, text()?.as_bytes()));
        failure = failure.take().or(written.err());
    };
    file(&args.json, &|| json(report));
    file(&args.markdown, &|| Ok(render::comment(report, options)?.body));
    file(&args.html, &|| Ok(render::html(report, options)?));
    failure.map_or(Ok(()), Err)
}

/// Prints a report in one form.
///
/// # Errors
/// When standard output cannot be written, or a template fails.
pub(crate) fn show(report: &Report, options: &CommentOptions, form: Form, colour: Colour) -> Result<()> {
    let text = match form {
        // Names of benchmarks stand where a line begins.
        Form::Text => say::plain(&render::terminal(report, width(), coloured(colour))).into_owned(),
        Form::Markdown => say::plain(&render::comment(report, options)?.body).into_owned(),
        Form::Json => json(report)?,
        Form::Html => render::html(report, options)?,
    };
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // `| head` is no failure of ours.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("writing to standard output"),
    }
}

/// The report for standard output, coloured where that is a terminal.
pub(crate) fn text(report: &Report) -> String {
    render::terminal(report, width(), coloured(Colour::Auto))
}

/// The report as JSON, with a line end.
pub(crate) fn json(report: &Report) -> Result<String> {
    Ok(serde_json::to_string_pretty(report).context("writing the report as JSON")? + "\n")
}

/// Makes sure that every file that was asked for can be written, before anything is measured. Changes nothing that is
/// there.
///
/// # Errors
/// When a file cannot be written; the message names it and what is wrong.
pub(crate) fn probe<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<()> {
    paths.into_iter().try_for_each(|path| {
        writable(path).with_context(|| format!("cannot write {}; nothing was measured", path.display()))
    })
}

impl OutputArgs {
    /// Every file that is to be written.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.json, &self.markdown, &self.html, &self.results].into_iter().flatten().map(PathBuf::as_path)
    }
}

fn writable(path: &Path) -> Result<()> {
    ensure!(!path.as_os_str().is_empty(), "the name is empty");
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => bail!("it is a folder"),
        // A device or a pipe: opening it could already do something.
        Ok(found) if !found.is_file() => return Ok(()),
        _ => {}
    }
    let folder = folder_of(path);
    ensure!(folder.is_dir(), "there is no folder {}: make it first", folder.display());
    // The file itself is replaced as a whole, so what counts is the folder.
    let file = tempfile::Builder::new().prefix(".bench-bot").tempfile_in(folder);
    file.map(drop).with_context(|| format!("the folder {} takes no file", folder.display()))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file and the folders above it, whole or not at all.
///
/// # Errors
/// When that fails; the message names the file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = folder_of(path);
    let attempt = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let regular = std::fs::metadata(path).map_or(true, |metadata| metadata.is_file());
        if !regular {
            // `/dev/stdout` and its like cannot be replaced.
            return std::fs::write(path, bytes);
        }
        let mut file = tempfile::Builder::new().prefix(".bench-bot").tempfile_in(folder)?;
        file.write_all(bytes)?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(mode)?;
        file.persist(path)?;
        Ok(())
    };
    attempt().with_context(|| format!("writing {}", path.display()))
}

fn coloured(colour: Colour) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Columns of the terminal; 100 where there is none.
fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    asked.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))).unwrap_or(100)
}
