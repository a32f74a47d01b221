//! The two invisible lines at a comment's start: whose comment it is, and what it shows.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The version of the metadata line.
const VERSION: u32 = 1;

/// The first line of a comment of ours. A comment is found again by it and by its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker(String);

impl Marker {
    /// The marker of the report called `name`: one comment for each name.
    #[must_use]
    pub fn report(name: &str) -> Self {
        let mut key = String::with_capacity(name.len());
        for c in name.chars() {
            // Only what can neither end the comment nor the attribute; `--` would end it too.
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | ' ') || (c == '-' && !key.ends_with('-')) {
                key.push(c);
            } else {
                // Writing to a String cannot fail.
                let _ = write!(key, "\\u{{{:x}}}", u32::from(c));
            }
        }
        Self(format!("<!-- bench-bot:result key=\"{key}\" -->"))
    }

    /// The marker of answers to commands: one comment for all of them.
    #[must_use]
    pub fn reply() -> Self {
        Self("<!-- bench-bot:reply -->".to_owned())
    }

    /// Whether a comment's text begins with this marker.
    #[must_use]
    pub fn opens(&self, body: &str) -> bool {
        body.starts_with(&self.0)
    }

    /// The marker itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The whole text of a comment: marker, metadata, and what people see.
    #[must_use]
    pub fn wrap(&self, meta: &Meta, body: &str) -> String {
        format!("{}\n{}\n{body}", self.0, meta.line())
    }
}

/// What a comment of ours shows: enough to tell the newer of two reports and to find the run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Version of this line.
    #[serde(default = "version")]
    pub v: u32,
    /// The run that measures, also when another run reports.
    pub run: u64,
    /// Its attempt, from 1.
    pub attempt: u64,
    /// The measured head commit.
    pub head: String,
    /// The base commit.
    #[serde(default)]
    pub base: String,
    /// What has become of the run.
    pub state: State,
    /// When the run was asked for, RFC 3339; for cool-downs. Empty if nobody asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
}

/// What has become of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is on its way.
    Running,
    /// It measured, and this is the report.
    Done,
    /// It broke.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// It ended without a single comparable row.
    NothingMeasured,
}

impl State {
    /// Whether the run has ended.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Running)
    }
}

const fn version() -> u32 {
    VERSION
}

impl Meta {
    /// The metadata of a run that has just begun to measure `head`.
    #[must_use]
    pub fn new(run: u64, attempt: u64, base: &str, head: &str, state: State) -> Self {
        Self { v: VERSION, run, attempt, head: head.to_owned(), base: base.to_owned(), state, at: String::new() }
    }

    /// The same run in another state.
    #[must_use]
    pub fn with_state(mut self, state: State) -> Self {
        self.state = state;
        self
    }

    /// The invisible line. Inside its strings `-`, `<` and `>` are escaped, so that nothing ends it early.
    #[must_use]
    pub fn line(&self) -> String {
        // Numbers, strings and a unit enum always serialise; an empty object would only be read as "no metadata".
        let json = serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned());
        // A minus sign occurs in no number here, so that every one is inside a string.
        let json = json.replace('-', "\\u002d").replace('<', "\\u003c").replace('>', "\\u003e");
        format!("<!-- bench-bot:meta {json} -->")
    }

    /// Reads the second line of a comment; `None` if it is missing, damaged, or of a later version.
    #[must_use]
    pub fn of(body: &str) -> Option<Self> {
        let line = body.lines().nth(1)?.trim_end();
        let json = line.strip_prefix("<!-- bench-bot:meta ")?.strip_suffix(" -->")?;
        serde_json::from_str(json).ok().filter(|meta: &Self| meta.v <= VERSION)
    }

    /// Whether what this describes must not be replaced by `other`: it is of a later run or attempt, or of the same one
    /// and the run has ended while `other` says that it is on its way.
    #[must_use]
    pub fn outranks(&self, other: &Self) -> bool {
        let rank = |meta: &Self| (meta.run, meta.attempt, meta.state.is_final());
        rank(self) > rank(other)
    }
}

#[cfg(test)]
mod tests {
    use super::{Marker, Meta, State};

    fn meta() -> Meta {
        Meta::new(123, 1, "b0", "a--b>c<d", State::NothingMeasured)
    }

    #[test]
    fn the_metadata_line_cannot_be_ended_from_inside() {
        let line = meta().line();
        let inside = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).unwrap();
        assert!(!inside.contains("--") && !inside.contains('>'), "{line}");
        assert_eq!(Meta::of(&format!("first\n{line}\nrest")), Some(meta()));
    }

    #[test]
    fn names_that_could_end_the_marker_are_escaped_and_stay_apart() {
        for name in ["a\"b", "a-->b", "a--b", "ä", "x\ny"] {
            let marker = Marker::report(name);
            let inside = marker.as_str().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).unwrap();
            assert!(!inside.contains("--") && !inside.contains('\n'), "{}", marker.as_str());
        }
        assert_ne!(Marker::report("a\"b"), Marker::report("ab"));
        assert_eq!(Marker::report("bench").as_str(), "<!-- bench-bot:result key=\"bench\" -->");
        assert!(!Marker::report("bench").opens(Marker::report("bench2").as_str()));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_inside_comes_back_and_ends_nothing(name: String, head: String, at: String, run: u64) {
            let meta = Meta { at, ..Meta::new(run, 1, "", &head, State::Done) };
            let text = Marker::report(&name).wrap(&meta, "body");
            proptest::prop_assert_eq!(Meta::of(&text), Some(meta));
            let lines: Vec<&str> = text.lines().collect();
            proptest::prop_assert_eq!(lines.len(), 3);
            for line in &lines[..2] {
                let inside = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).unwrap();
                proptest::prop_assert!(!inside.contains("--") && !inside.contains('>'), "{}", line);
            }
        }

        #[test]
        fn no_text_makes_reading_metadata_panic(text: String) {
            let _ = Meta::of(&text);
            let _ = Meta::of(&format!("x\n<!-- bench-bot:meta {text} -->"));
        }
    }

    #[test]
    fn damaged_metadata_is_none() {
        for body in ["", "one line", "m\n<!-- bench-bot:meta {} -->", "m\n<!-- bench-bot:meta nonsense -->", "m\n\n"] {
            assert_eq!(Meta::of(body), None, "{body:?}");
        }
        assert_eq!(Meta::of(&format!("m\n{}", meta().line().replace("\"v\":1", "\"v\":9"))), None);
    }

    #[test]
    fn a_newer_run_an_attempt_and_an_ended_run_outrank() {
        let done = |run, attempt| Meta::new(run, attempt, "", "", State::Done);
        assert!(done(2, 1).outranks(&done(1, 9)));
        assert!(done(1, 2).outranks(&done(1, 1)));
        assert!(!done(1, 1).outranks(&done(1, 1)));
        assert!(done(1, 1).outranks(&done(1, 1).with_state(State::Running)));
        assert!(!done(1, 1).with_state(State::Running).outranks(&done(1, 1)));
    }
}
