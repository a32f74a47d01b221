//! Criterion.rs: its text, and the samples that it keeps under `target/criterion`.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number;
use super::source::Source;
use super::tool::{About, Format, Raw, Sources, Tool};
use regex::{Captures, Regex};
use std::sync::LazyLock;

pub(super) mod tree;

/// Reads Criterion's text and folder.
pub(super) struct Criterion;

/// `name  time:   [24.100 µs 24.310 µs 24.560 µs]`; a change has percentages, which have no space before their sign.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<name>.*?)\s*time:\s+\[\S+ \S+ (?P<value>\S+) (?P<unit>\S+) \S+ [^\]]+\]")
        .expect("the pattern is constant")
});
static RATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s+thrpt:\s+\[\S+ \S+ (?P<value>\S+) (?P<unit>\S+) \S+ [^\]]+\]").expect("the pattern is constant")
});

impl Tool for Criterion {
    fn format(&self) -> Format {
        Format::Criterion
    }

    fn about(&self) -> About {
        About {
            title: "Criterion.rs",
            command: "cargo bench --bench NAME -- --noplot",
            output: Some("target/criterion"),
            raw: Raw::Samples,
            value: "the median of times[i] / iters[i]; from text, the middle of the three numbers",
        }
    }

    fn signs(&self, source: &Source) -> usize {
        source.lines().filter(|(_, line)| TIME.is_match(line)).count()
    }

    fn claims(&self, sources: &Sources) -> usize {
        let text: usize = sources.output.iter().map(|source| self.signs(source)).sum();
        text + tree::samples(sources).count()
    }

    fn read(&self, sources: &Sources, out: &mut Collector) -> Result<(), FormatError> {
        if tree::samples(sources).next().is_some() {
            return tree::read(sources, out);
        }
        for source in &sources.output {
            text(source, out);
        }
        Ok(())
    }
}

fn text(source: &Source, out: &mut Collector) {
    let mut previous = "";
    let mut current = None;
    for (number, line) in source.lines() {
        if let Some(captures) = TIME.captures(line) {
            let name = name_of(&captures, previous).to_owned();
            add(&name, &captures, "/iter", number, out);
            current = Some(name);
        } else if let Some(captures) = RATE.captures(line) {
            if let Some(name) = &current {
                add(name, &captures, "", number, out);
            }
        } else if !line.trim().is_empty() {
            previous = line;
        }
    }
}

/// The names that have results in the text, as Criterion prints them.
fn titles(source: &Source) -> Vec<String> {
    let mut previous = "";
    let mut titles = Vec::new();
    for (_, line) in source.lines() {
        if let Some(captures) = TIME.captures(line) {
            titles.push(name_of(&captures, previous).to_owned());
        } else if let Some(name) = super::libtest::named(line) {
            titles.push(name.to_owned());
        } else if !line.trim().is_empty() {
            previous = line;
        }
    }
    titles
}

/// The name on the line, or on the line before where it is too long for one.
fn name_of<'text>(captures: &Captures<'text>, previous: &'text str) -> &'text str {
    let name = captures.name("name").map_or("", |name| name.as_str().trim());
    if !name.is_empty() {
        return name;
    }
    let previous = previous.trim();
    previous.strip_prefix("Benchmarking ").and_then(|rest| rest.strip_suffix(": Analyzing")).unwrap_or(previous)
}

fn add(name: &str, captures: &Captures<'_>, per: &str, line: usize, out: &mut Collector) {
    match number::parse(&captures["value"]) {
        Some(value) => out.add(Value::new(&id(name), format!("{}{per}", &captures["unit"]), vec![value], line)),
        None => out.warn(line, format!("{name}: expected a number, found {}", &captures["value"])),
    }
}

#[cfg(test)]
mod tests;
