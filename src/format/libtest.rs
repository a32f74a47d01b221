//! Rust's built-in benchmarks, and what prints like them: `test NAME ... bench: 1,234 ns/iter (+/- 56) = 78 MB/s`.

use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number::{self, Num};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Sources, Tool};
use regex::Regex;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Reads libtest's text and JSON.
pub(super) struct Libtest;

static BENCH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:test (?P<name>.*?)\s+\.\.\. )?bench:\s+(?P<value>[-0-9.,_]+)\s+(?P<unit>\S+)(?:\s+\(\+/- [^)]*\))?(?:\s+= (?P<rate>[-0-9.,_]+) (?P<per>\S+))?")
        .expect("the pattern is constant")
});
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^test (?P<name>.*?)\s+\.\.\. (?P<state>FAILED|ignored)(?:, (?P<why>.*))?$")
        .expect("the pattern is constant")
});
/// A name whose result follows on another line, after messages.
static OPEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^test (?P<name>.*?)\s+\.\.\. ?(?:\S.*)?$").expect("the pattern is constant"));
/// Cargo's line on standard error, which names the target.
static RUNNING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*Running (?:.*\()?[^()]*[/\\](?P<target>[^()/\\]+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)?\s*$")
        .expect("the pattern is constant")
});

impl Tool for Libtest {
    fn format(&self) -> Format {
        Format::Libtest
    }

    fn about(&self) -> About {
        About {
            title: "libtest and bencher",
            command: "cargo +nightly bench",
            output: None,
            raw: Raw::Summary,
            value: "the time that the line gives",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        matches!(shape.text("type"), Some("suite" | "test" | "bench"))
            && (shape.has(&["event"]) || shape.has(&["median"]))
    }

    fn signs(&self, source: &Source) -> usize {
        let results = source.lines().filter(|(_, line)| BENCH.is_match(line)).count();
        let frame = |line: &str| line.starts_with("test result: ") || is_header(line);
        if results > 0 { results } else { usize::from(source.lines().any(|(_, line)| frame(line))) }
    }

    fn read(&self, sources: &Sources, out: &mut Collector) -> Result<(), FormatError> {
        for source in &sources.output {
            let mut blocks = Blocks::default();
            let mut reader = Reader::default();
            for (line, text) in source.lines() {
                reader.line(line, text, &mut blocks, out);
            }
            blocks.close(out);
            reader.finish(&mut blocks, out);
            for document in source.documents.iter().filter(|document| document.owner == Some(self.format())) {
                message(source, document, &mut blocks, out)?;
            }
            blocks.close(out);
        }
        Ok(())
    }
}

/// The names in a line that gives a value.
pub(super) fn named(line: &str) -> Option<&str> {
    BENCH.captures(line)?.name("name").map(|name| name.as_str())
}

fn is_header(line: &str) -> bool {
    line.strip_prefix("running ")
        .and_then(|rest| rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test")))
        .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What one test binary said.
#[derive(Default)]
struct Block {
    package: String,
    values: Vec<Value>,
    failed: Vec<String>,
    ignored: Vec<(String, String)>,
}

/// The binaries of one output.
#[derive(Default)]
struct Blocks {
    current: Block,
    /// Names of earlier binaries that did not say who they are.
    anonymous: Vec<HashSet<String>>,
    /// Failures whose message comes later, by name.
    failed: Vec<(String, String)>,
}

impl Blocks {
    /// Ends the current binary. One that measures nothing holds plain tests, and what it ignores is no benchmark.
    fn close(&mut self, out: &mut Collector) {
        let block = std::mem::take(&mut self.current);
        self.current.package.clone_from(&block.package);
        if block.values.is_empty() && block.failed.is_empty() {
            return;
        }
        let suffix = self.collision(&block, out);
        let rename = |name: &str| match &suffix {
            Some((names, suffix)) if names.contains(name) => format!("{name}{suffix}"),
            _ => name.to_owned(),
        };
        for mut value in block.values {
            value.id = in_package(&block.package, rename(&value.id.name));
            out.add(value);
        }
        for name in block.failed {
            self.failed.push((block.package.clone(), rename(&name)));
        }
        for (name, why) in block.ignored {
            out.skipped(&in_package(&block.package, rename(&name)), why);
        }
    }

    /// Names that another binary had before, and what tells them apart. The same set of names is the same binary again.
    fn collision(&mut self, block: &Block, out: &mut Collector) -> Option<(HashSet<String>, String)> {
        if !block.package.is_empty() {
            return None;
        }
        let names: HashSet<String> = block.values.iter().map(|value| value.id.name.clone()).collect();
        if self.anonymous.contains(&names) {
            return None;
        }
        let earlier = self.anonymous.iter().filter(|earlier| !earlier.is_disjoint(&names)).count();
        let common: HashSet<String> =
            self.anonymous.iter().flat_map(|earlier| earlier.intersection(&names)).cloned().collect();
        self.anonymous.push(names);
        if earlier == 0 {
            return None;
        }
        let line = block.values.first().map_or(0, |value| value.line);
        let mut shown: Vec<&str> = common.iter().map(String::as_str).collect();
        shown.sort_unstable();
        let number = earlier + 1;
        out.warn(
            line,
            format!(
                "{} in more than one test binary; named \" #{number}\" here (add 2>&1, so that cargo names the target)",
                shown.join(", ")
            ),
        );
        Some((common, format!(" #{number}")))
    }
}

/// Reads lines.
#[derive(Default)]
struct Reader {
    open: Option<String>,
    nameless: usize,
    /// The failed benchmark whose output is being read, and what it said.
    telling: Option<String>,
    messages: Vec<(String, String)>,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str, blocks: &mut Blocks, out: &mut Collector) {
        if is_header(line) {
            blocks.close(out);
            self.telling = None;
        } else if let Some(captures) = RUNNING.captures(line) {
            blocks.close(out);
            captures["target"].clone_into(&mut blocks.current.package);
        } else if let Some(captures) = BENCH.captures(line) {
            let name = captures.name("name").map(|name| name.as_str().to_owned()).or_else(|| self.open.take());
            self.open = None;
            self.result(number, name, &captures, blocks, out);
        } else if let Some(captures) = OTHER.captures(line) {
            self.open = None;
            let name = captures["name"].to_owned();
            if &captures["state"] == "FAILED" {
                blocks.current.failed.push(name);
            } else {
                let why = captures.name("why").map_or("", |why| why.as_str());
                blocks.current.ignored.push((name, why.to_owned()));
            }
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            self.telling = Some(name.to_owned());
        } else if line == "failures:" || line.starts_with("test result: ") {
            self.telling = None;
        } else if let Some(name) = &self.telling {
            self.messages.push((name.clone(), line.to_owned()));
        } else if let Some(captures) = OPEN.captures(line) {
            self.open = Some(captures["name"].to_owned());
        }
    }

    fn result(
        &mut self,
        number: usize,
        name: Option<String>,
        captures: &regex::Captures<'_>,
        blocks: &mut Blocks,
        out: &mut Collector,
    ) {
        let Some(name) = name else {
            self.nameless += 1;
            return;
        };
        let Some(value) = number::parse(&captures["value"]) else {
            out.warn(number, format!("{name}: expected a number, found {}", &captures["value"]));
            return;
        };
        let id = in_package("", name);
        blocks.current.values.push(Value::new(&id, &captures["unit"], vec![value], number));
        if let (Some(rate), Some(per)) = (captures.name("rate"), captures.name("per"))
            && let Some(rate) = number::parse(rate.as_str())
        {
            blocks.current.values.push(Value::new(&id, per.as_str(), vec![rate], number));
        }
    }

    /// Failures are reported with what they printed, which comes after all results of their binary.
    fn finish(self, blocks: &mut Blocks, out: &mut Collector) {
        let mut told: HashMap<&str, Vec<&str>> = HashMap::new();
        for (name, line) in &self.messages {
            told.entry(name).or_default().push(line);
        }
        for (package, name) in std::mem::take(&mut blocks.failed) {
            let said = without_backtrace(told.get(name.as_str()).into_iter().flatten().copied());
            out.failed(&in_package(package, name), said);
        }
        if self.nameless > 0 {
            out.warn(
                0,
                format!(
                    "{} results have no name and are left out (Criterion's --quick prints none in this format)",
                    self.nameless
                ),
            );
        }
    }
}

/// What a benchmark printed, up to the backtrace.
fn without_backtrace<'line>(lines: impl Iterator<Item = &'line str>) -> String {
    let end = |line: &&str| !line.starts_with("stack backtrace:") && !line.starts_with("note: ");
    lines.take_while(end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// `-Z unstable-options --format json`.
#[derive(Deserialize)]
struct Message {
    r#type: String,
    #[serde(default)]
    name: String,
    event: Option<String>,
    median: Option<Num>,
    /// Megabytes per second, in spite of its name.
    mib_per_second: Option<Num>,
    reason: Option<String>,
    stdout: Option<String>,
    message: Option<String>,
}

fn message(source: &Source, document: &Document, blocks: &mut Blocks, out: &mut Collector) -> Result<(), FormatError> {
    let message: Message = source.decode(Format::Libtest, document)?;
    let id = in_package("", message.name.clone());
    match (message.r#type.as_str(), message.event.as_deref()) {
        ("suite", Some("started")) => blocks.close(out),
        ("test", Some("ignored")) => {
            blocks.current.ignored.push((message.name, message.message.unwrap_or_default()));
        }
        ("test" | "bench", Some("failed" | "timeout")) => {
            let said = message.message.or(message.reason).or(message.stdout).unwrap_or_default();
            out.failed(&id, without_backtrace(said.lines()));
        }
        ("bench", _) => {
            let median = message.median.map(|value| value.0);
            blocks.current.values.extend(median.map(|value| Value::new(&id, "ns/iter", vec![value], document.line)));
            let rate = message.mib_per_second.map(|value| value.0).filter(|rate| *rate != 0.0);
            blocks.current.values.extend(rate.map(|rate| Value::new(&id, "MB/s", vec![rate], document.line)));
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
