//! benchmark.js: `name x 11,465 ops/sec ±1.12% (91 runs sampled)`, a line for each benchmark.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number;
use super::source::Source;
use super::tool::{About, Format, Raw, Tool};
use regex::Regex;
use std::sync::LazyLock;

/// Reads benchmark.js' text.
pub(super) struct BenchmarkJs;

/// A name may hold ` x ` itself: the last one counts.
static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?P<name>\S.*?|) x (?P<rate>[0-9.,]+|Infinity|NaN) ops/sec (?:±|\+-|\+/-|�+)\s*(?:[0-9.,]+|NaN|Infinity)% \((?P<runs>[0-9,]+) runs? sampled\)\s*$")
        .expect("the pattern is constant")
});
/// What `String(benchmark)` is after an error.
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<name>\S.*?): (?P<error>(?:[A-Z]\w*Error\b.*)?)$").expect("the pattern is constant")
});

impl Tool for BenchmarkJs {
    fn format(&self) -> Format {
        Format::BenchmarkJs
    }

    fn about(&self) -> About {
        About {
            title: "benchmark.js",
            command: "node bench.js # suite.on('cycle', event => console.log(String(event.target)))",
            output: None,
            raw: Raw::Summary,
            value: "the rate that the line gives",
        }
    }

    fn signs(&self, source: &Source) -> usize {
        source.lines().filter(|(_, line)| RESULT.is_match(line)).count()
    }

    fn text(&self, source: &Source, out: &mut Collector) -> Result<(), FormatError> {
        if self.signs(source) == 0 {
            return Ok(());
        }
        for (number, line) in source.lines() {
            if let Some(captures) = RESULT.captures(line) {
                let id = id(&captures["name"]);
                match number::parse(&captures["rate"]) {
                    Some(rate) => out.add(Value::new(&id, "ops/s", vec![rate], number)),
                    None => out.warn(number, format!("{}: expected a rate, found {}", id.name, &captures["rate"])),
                }
            } else if let Some(captures) = FAILED.captures(line) {
                out.failed(&id(&captures["name"]), &captures["error"]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
