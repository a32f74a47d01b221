//! What is wrong with a configuration, and where.

use std::fmt;

/// A configuration that cannot be used: the file, the place in it, the key, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, as it was named to [`super::load`].
    pub file: String,
    /// The line, counted from 1; 0 if the fault has no place.
    pub line: usize,
    /// The column in characters, counted from 1; 0 if the fault has no place.
    pub column: usize,
    /// The path of the offending key, such as `suites[0].head.env`; empty for the file as a whole.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        f.write_str(": ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

/// The path of a value in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Place(Vec<Step>);

/// One step of a [`Place`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Into a mapping, to this key's value.
    Key(String),
    /// Into a sequence, from 0.
    Index(usize),
}

impl Place {
    /// The file as a whole.
    pub(super) const ROOT: Self = Self(Vec::new());

    /// The value of `key` here.
    pub(super) fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.to_owned()));
        Self(steps)
    }

    /// The item `index`, from 0, here.
    pub(super) fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }

    /// A place from a path that `serde_path_to_error` recorded.
    pub(super) fn from_serde(path: &serde_path_to_error::Path) -> Self {
        use serde_path_to_error::Segment;
        let step = |segment: &Segment| match segment {
            Segment::Seq { index } => Some(Step::Index(*index)),
            Segment::Map { key } => Some(Step::Key(key.clone())),
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        Self(path.iter().filter_map(step).collect())
    }

    /// The steps from the root.
    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The last key on the way, if there is one.
    pub(super) fn last_key(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        })
    }

    /// A complaint about the value here.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { place: self.clone(), part: Part::Value, message: message.into() }
    }

    /// A complaint about the key that leads here.
    pub(super) fn key_fault(&self, message: impl Into<String>) -> Fault {
        Fault { place: self.clone(), part: Part::Key, message: message.into() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if i == 0 => f.write_str(&shown_key(key))?,
                Step::Key(key) => write!(f, ".{}", shown_key(key))?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A key as part of a path: in quotes where it could not be seen.
fn shown_key(key: &str) -> String {
    if key.trim().is_empty() { format!("\"{}\"", printable(key)) } else { printable(key) }
}

/// A complaint that still lacks line and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The value or key that it is about.
    pub(super) place: Place,
    /// Which of the two.
    pub(super) part: Part,
    /// What is wrong and what would be right.
    pub(super) message: String,
}

/// Whether a fault is about a key or about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// `text` with control characters replaced and cut at 80 characters, for messages.
pub(crate) fn printable(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(80)
        .map(|c| if c.is_control() || crate::config::invisible(c) { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(80).is_some() {
        shown.push('…');
    }
    shown
}

/// The candidate that `word` most likely meant, if one is near: a slip of the finger, or one is the other's beginning.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase().replace('_', "-");
    let length = folded.chars().count();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let distance = strsim::damerau_levenshtein(&folded, &candidate.to_lowercase());
            let shorter = length.min(candidate.chars().count());
            let beginning = shorter >= 2 && (folded.starts_with(candidate) || candidate.starts_with(&folded));
            let near = distance <= candidate.chars().count().max(length).div_ceil(3);
            // One slip is nearer than a beginning, and a beginning is nearer than two slips.
            let by_slips = near.then_some(2 * distance);
            let by_beginning = beginning.then_some(if shorter >= 4 { 3 } else { 100 });
            Some((by_slips.into_iter().chain(by_beginning).min()?, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_slips_of_the_finger_and_nothing_else() {
        let keys = ["budget", "max-time", "rounds", "run", "report"];
        assert_eq!(nearest("bugdet", keys), Some("budget"));
        assert_eq!(nearest("max_time", keys), Some("max-time"));
        assert_eq!(nearest("Rounds", keys), Some("rounds"));
        assert_eq!(nearest("benchmarks", keys), None);
        assert_eq!(nearest("rounds-per-side", keys), Some("rounds"));
        assert_eq!(nearest("", keys), None);
    }

    #[test]
    fn a_message_never_carries_control_characters() {
        assert_eq!(printable("a\u{1b}[31m\u{202e}b"), "a\u{fffd}[31m\u{fffd}b");
        assert_eq!(printable(&"x".repeat(100)).chars().count(), 81);
    }
}
