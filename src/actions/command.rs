//! Workflow commands: lines on standard output that the runner obeys. Ours are escaped; foreign ones are disarmed.

use std::fmt;
use std::io::{self, Write};

/// A message of the job, shown at a file's line where one is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// How much it matters.
    pub level: Level,
    /// What happened and what to do.
    pub message: String,
    /// Title; empty for none.
    pub title: String,
    /// The file that it is about, relative to the repository.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u64>,
    /// Column, from 1.
    pub column: Option<u64>,
}

/// How much an annotation matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Notice,
    /// Something did not work; the job goes on.
    Warning,
    /// The job fails.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl Annotation {
    /// A message without a place.
    pub fn new(level: Level, message: impl Into<String>) -> Self {
        Self { level, message: message.into(), title: String::new(), file: None, line: None, column: None }
    }

    /// The same with a title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same at a place of a file; line and column count from 1.
    #[must_use]
    pub fn at(mut self, file: impl Into<String>, line: Option<u64>, column: Option<u64>) -> Self {
        (self.file, self.line, self.column) = (Some(file.into()), line, column);
        self
    }

    /// The workflow command.
    #[must_use]
    pub fn command(&self) -> String {
        let mut properties = Vec::new();
        let mut add = |name: &str, value: &str| properties.push(format!("{name}={}", escape_property(value)));
        if let Some(file) = &self.file {
            add("file", file);
        }
        if let Some(line) = self.line {
            add("line", &line.to_string());
        }
        if let Some(column) = self.column {
            add("col", &column.to_string());
        }
        if !self.title.is_empty() {
            add("title", &self.title);
        }
        let separator = if properties.is_empty() { "" } else { " " };
        format!("::{}{separator}{}::{}", self.level, properties.join(","), escape(&self.message))
    }

    /// The line for a terminal.
    #[must_use]
    pub fn line(&self) -> String {
        let place =
            self.file.iter().cloned().chain([self.line, self.column].into_iter().flatten().map(|n| n.to_string()));
        let place = place.collect::<Vec<_>>().join(":");
        let separator = if place.is_empty() { "" } else { ": " };
        let title = if self.title.is_empty() { String::new() } else { format!("{}: ", self.title) };
        printable(&format!("{}: {place}{separator}{title}{}", self.level, self.message))
    }
}

/// The command that keeps `secret` out of the log.
#[must_use]
pub fn mask(secret: &str) -> String {
    format!("::add-mask::{}", escape(secret))
}

/// Writes foreign output line by line behind `| `. With a token (a word that the output cannot guess) the runner is told
/// to obey nothing but that word meanwhile.
///
/// # Errors
/// Those of `out`.
pub fn write_foreign(out: &mut impl Write, output: &[u8], token: Option<&str>) -> io::Result<()> {
    if let Some(token) = token {
        writeln!(out, "::stop-commands::{token}")?;
    }
    let text = String::from_utf8_lossy(output);
    // The runner ends a line at a carriage return too.
    let lines = text.strip_suffix('\n').unwrap_or(&text);
    for line in lines.replace("\r\n", "\n").split(['\n', '\r']) {
        // The older form of a command counts anywhere in a line.
        writeln!(out, "| {}", printable(line).replace("##[", "# #["))?;
    }
    if let Some(token) = token {
        writeln!(out, "::{token}::")?;
    }
    out.flush()
}

/// A word that nobody can guess: 32 hexadecimal digits.
///
/// # Errors
/// When the system gives no randomness.
pub fn random_word() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(format!("no randomness: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape(text).replace(':', "%3A").replace(',', "%2C")
}

/// `text` without control characters: they could repaint a terminal. Tabs stay.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' && c != '\n' { '\u{fffd}' } else { c }).collect()
}
