//! Go's `testing`: detection here, reading in [`super::go`].

use super::collect::Collector;
use super::error::FormatError;
use super::shape::Shape;
use super::source::Source;
use super::tool::{About, Format, Raw, Sources, Tool};
use regex::Regex;
use std::sync::LazyLock;

/// Reads `go test -bench` as text and with `-json`.
pub(super) struct Go;

/// A result line, or one that was cut after its name.
static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^Benchmark\S*\s+\d+\s+(?:[-+0-9.eE]+|[-+]?(?i:nan|inf|infinity))\s+\S+")
        .expect("the pattern is constant")
});

/// Lines around results; alone they are a run without benchmarks.
static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(goos: |goarch: |pkg: |PASS$|ok  \t|FAIL\t|\?   \t|--- (FAIL|SKIP|BENCH): Benchmark)")
        .expect("the pattern is constant")
});

impl Tool for Go {
    fn format(&self) -> Format {
        Format::Go
    }

    fn about(&self) -> About {
        About {
            title: "Go testing",
            command: "go test -run='^$' -bench=. -benchmem ./...",
            output: None,
            raw: Raw::Samples,
            value: "each line's value; the median if a name repeats",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.has(&["Action"]) && (shape.has(&["Package"]) || shape.has(&["ImportPath"]))
    }

    fn signs(&self, source: &Source) -> usize {
        let results = source.lines().filter(|(_, line)| RESULT.is_match(line)).count();
        if results > 0 { results } else { usize::from(source.lines().any(|(_, line)| FRAME.is_match(line))) }
    }

    fn read(&self, sources: &Sources, out: &mut Collector) -> Result<(), FormatError> {
        for source in sources.output.iter().filter(|source| !source.is_blank()) {
            out.extend(super::go::parse(source.text.as_bytes()));
        }
        Ok(())
    }
}
