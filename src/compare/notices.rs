//! Collects what a reader must know.

use crate::report::{Warning, WarningLevel};

/// At most this many notices of one code are listed; the others are counted.
const LISTED: usize = 10;

/// A number of things: `1 row`, `2 rows`.
pub(super) fn number_of(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// The warnings of a report in the order they came up, the gravest first.
#[derive(Debug, Default)]
pub(super) struct Notices {
    all: Vec<Warning>,
    /// Notices beyond the limit, by code.
    more: Vec<(WarningLevel, String, usize)>,
}

impl Notices {
    /// Adds a notice, unless the same is there.
    pub(super) fn add(&mut self, level: WarningLevel, code: &str, message: String, place: &str) {
        let warning = Warning { level, code: code.to_owned(), message, place: place.to_owned() };
        if self.all.contains(&warning) {
            return;
        }
        if self.all.iter().filter(|other| other.code == code).count() < LISTED {
            self.all.push(warning);
        } else if let Some((.., count)) = self.more.iter_mut().find(|(_, other, _)| other == code) {
            *count += 1;
        } else {
            self.more.push((level, code.to_owned(), 1));
        }
    }

    /// All of them.
    pub(super) fn finish(mut self) -> Vec<Warning> {
        for (level, code, count) in self.more {
            let message = format!("{count} more of this kind");
            self.all.push(Warning { level, code, message, place: String::new() });
        }
        self.all.sort_by_key(|warning| std::cmp::Reverse(warning.level));
        self.all
    }
}
