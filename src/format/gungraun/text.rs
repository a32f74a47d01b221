//! The text: a name, and under it a line for each event with the new count left of the old one.

use super::{add, identity};
use crate::format::BenchmarkId;
use crate::format::collect::Collector;
use crate::format::number;
use crate::format::source::Source;
use regex::Regex;
use std::sync::LazyLock;

/// `  Instructions:   1734|1650   (+5.09090%) [+1.04844x]`; iai has no `|`.
static EVENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s{2,}(?P<event>[A-Za-z][A-Za-z0-9 +-]*):\s+(?P<new>[0-9][0-9.]*|N/A)(?:\|(?P<old>[0-9][0-9.]*|N/A))?(?:\s+\([^)]*\))?(?:\s+\[[^\]]*\])?\s*$")
        .expect("the pattern is constant")
});
/// `  ======= DHAT ====`: whose events follow.
static SECTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s{2,}={3,} (?P<tool>[A-Z]+) =+\s*$").expect("the pattern is constant"));
/// A module path, and the id before its colon.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<path>[A-Za-z_]\w*(?:::\w+)+)(?:\s+(?P<id>[\w-]+)(?::.*)?$|\s.*$|$)")
        .expect("the pattern is constant")
});

/// How many lines are only this tool's.
pub(super) fn signs(source: &Source) -> usize {
    source
        .lines()
        .filter_map(|(_, line)| EVENT.captures(line))
        .filter(|captures| captures.name("old").is_some() || &captures["event"] == "Estimated Cycles")
        .count()
}

/// Reads every benchmark of the text.
pub(super) fn read(source: &Source, out: &mut Collector) {
    if signs(source) == 0 {
        return;
    }
    let mut heading: Vec<&str> = Vec::new();
    let mut current: Option<BenchmarkId> = None;
    let mut tool = String::new();
    for (number, line) in source.lines() {
        if let Some(captures) = SECTION.captures(line) {
            (current, tool) = (start(&mut heading).or(current), captures["tool"].to_owned());
        } else if let Some(captures) = EVENT.captures(line) {
            if let Some(id) = start(&mut heading) {
                // A new name ends the sections of the one before; its own section line comes first.
                (current, tool) = (Some(id), String::new());
            }
            let Some(id) = &current else { continue };
            match number::parse(&captures["new"]) {
                Some(value) => add(id, &tool, &captures["event"], value, number, out),
                // Only the old run has it: this run did not count it.
                None => out.warn(number, format!("{}: no new value of {}", id.name, &captures["event"])),
            }
        } else if line.trim().is_empty() {
            heading.clear();
        } else if !line.starts_with([' ', '\t']) {
            heading.push(line);
        }
    }
}

/// The benchmark that the lines before name: from the last module path on, since arguments may span lines.
fn start(heading: &mut Vec<&str>) -> Option<BenchmarkId> {
    let lines = std::mem::take(heading);
    if let Some(captures) = lines.iter().rev().find_map(|line| NAME.captures(line)) {
        return Some(identity(&captures["path"], captures.name("id").map(|id| id.as_str())));
    }
    lines.last().map(|line| identity(line.trim(), None))
}
