//! Why an output could not be read.

use super::Format;
use std::fmt;

/// A place in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Path of the file; `None` for standard output. Unescaped.
    pub file: Option<String>,
    /// Line from 1; 0 where there is none.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.as_deref().unwrap_or("standard output");
        if self.line == 0 { f.write_str(name) } else { write!(f, "{name}, line {}", self.line) }
    }
}

/// Why an output could not be read. The words may hold text from the output: they are unescaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The configuration names a format that does not exist.
    #[error("`{name}` is not a format{}; the formats are auto, {}", did_you_mean(.suggestion.as_deref()), names())]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// The output is another tool's.
    #[error("{place}: asked to read {asked}, but this looks like {found}; set `format: {found}` or `format: auto`")]
    LooksLike {
        /// The format that was asked for.
        asked: Format,
        /// The format that the output has.
        found: Format,
        /// Where it was seen.
        place: Place,
    },
    /// The output is broken.
    #[error("{place}: {}{expected}", .format.map(|format| format!("reading {format}: ")).unwrap_or_default())]
    Syntax {
        /// The format, if it is known.
        format: Option<Format>,
        /// Where.
        place: Place,
        /// What was expected there.
        expected: String,
    },
    /// The output is no benchmark's, or in a form that has no values.
    #[error("{place}: {}", unrecognised(*.asked, .first, .advice.as_deref()))]
    Unrecognised {
        /// The format that was asked for; `None` for `auto`.
        asked: Option<Format>,
        /// Where it was looked for.
        place: Place,
        /// Its first line, cut.
        first: String,
        /// What it seems to be and what to do.
        advice: Option<String>,
    },
    /// The format has no output: the values are measured around the process.
    #[error("format `process` has no output to read: its values are measured around the process")]
    NotAnOutput,
}

fn names() -> String {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    names.join(", ")
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

fn unrecognised(asked: Option<Format>, first: &str, advice: Option<&str>) -> String {
    let what = asked.map_or_else(
        || "no benchmark tool's output was recognised".to_owned(),
        |format| format!("no output of {format} was found"),
    );
    let seen = if first.is_empty() { String::new() } else { format!("; it starts with \"{first}\"") };
    let advice = advice.unwrap_or("set `format` and `output`, or print JSON lines (docs/formats.md)");
    format!("{what}{seen}: {advice}")
}
