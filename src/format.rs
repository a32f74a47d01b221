//! What benchmark tools print, read into one shape.
//!
//! Every tool has a module of its own that turns its output into [`Parsed`]. Units are normalised here once
//! (see [`crate::unit`]), so that nothing above this module knows which tool ran.

pub mod go;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod asv;
mod benchmarkjs;
mod bmf;
mod cargo_criterion;
mod catch2;
mod collect;
mod criterion;
mod custom;
mod deno;
mod detect;
mod divan;
mod dotnet;
mod error;
mod google;
mod gotool;
mod gungraun;
mod hyperfine;
mod jmh;
mod julia;
mod libtest;
mod lines;
mod mitata;
mod number;
mod perf;
pub mod process;
mod pyperf;
mod pytest;
mod shape;
mod source;
mod tachometer;
mod tinybench;
mod tool;
mod vitest;

pub use detect::parse;
pub use error::{FormatError, Place};
pub use tool::{About, Format, Raw};

/// What a command left behind.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Its standard output.
    pub stdout: &'a [u8],
    /// The files that the suite names as its output, by path; empty where the output is standard output.
    pub files: &'a BTreeMap<String, Vec<u8>>,
}

/// The identity of a benchmark inside a suite: what pairs base with head.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BenchmarkId {
    /// The package, crate, module or file that holds the benchmark; empty where the tool names none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub package: String,
    /// The name as the tool prints it, parameters included, without Go's `Benchmark` prefix and `-N` suffix.
    pub name: String,
    /// The number of processors from Go's `-N` suffix; `None` where there was no suffix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procs: Option<u32>,
}

/// One benchmark and unit in one output of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The benchmark.
    pub id: BenchmarkId,
    /// The normalised unit, such as `sec/op`, `B/op`, `allocs/op`, `B/s`.
    pub unit: String,
    /// Every inner value that the tool reported, per iteration and in `unit`, in the order reported.
    /// Never empty. A round's value is their median (`spec` rule 1: for an exact unit the lower median).
    pub values: Vec<f64>,
    /// The smallest number of iterations behind one value, where the tool tells.
    pub iterations: Option<u64>,
    /// Configuration in force, such as Go's `goos`, `goarch`, `cpu` lines or Google Benchmark's context.
    pub config: std::sync::Arc<BTreeMap<String, String>>,
    /// The line of the first value, counted from 1; 0 where the format has no lines.
    pub line: usize,
}

/// What a tool said of a benchmark that gave no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The benchmark.
    pub id: BenchmarkId,
    /// Failed or skipped.
    pub kind: FailureKind,
    /// The tool's own words, unescaped and possibly hostile; empty where it gave none.
    pub message: String,
}

/// Why a benchmark gave no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// It reported an error or panicked.
    Failed,
    /// It was skipped or ignored.
    Skipped,
    /// It was ended by its time limit.
    TimedOut,
}

/// Something in the input that could not be used, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseWarning {
    /// The line, counted from 1; 0 where there is none.
    pub line: usize,
    /// What was expected, in words for a user.
    pub message: String,
}

/// What the input itself says of a unit: Go's `Unit` lines, JMH's mode, a custom format's direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UnitHint {
    /// The direction that the input states, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<crate::unit::Direction>,
    /// Whether the input states that values are exact (`assume=exact`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
}

/// Everything read from one output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// The measurements in the order of first appearance. A key (benchmark and unit) appears once: later values of
    /// the same key are appended to its `values`.
    pub measurements: Vec<Measurement>,
    /// Benchmarks that failed or were skipped.
    pub failures: Vec<Failure>,
    /// Benchmarks and units of which a value was no finite number, where other units of the benchmark have one.
    pub non_finite: Vec<(BenchmarkId, String)>,
    /// What the input says of its units, by normalised unit.
    pub units: BTreeMap<String, UnitHint>,
    /// What could not be parsed.
    pub warnings: Vec<ParseWarning>,
}

#[cfg(test)]
mod tests;
