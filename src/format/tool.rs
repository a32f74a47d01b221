//! The one trait behind which every tool's parser stands, and the list of them.

use super::collect::Collector;
use super::error::FormatError;
use super::shape::Shape;
use super::source::{Document, Source};
use std::fmt;

/// The format of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Go's `testing`: text or `-json`.
    Go,
    /// Rust's built-in `#[bench]` and everything that prints like it (`--output-format bencher`).
    Libtest,
    /// Criterion.rs: standard output, or the folder `target/criterion`.
    Criterion,
    /// `cargo criterion --message-format=json`.
    CargoCriterion,
    /// divan.
    Divan,
    /// gungraun, iai-callgrind and iai.
    Gungraun,
    /// Google Benchmark.
    GoogleBenchmark,
    /// Catch2's XML reporter.
    Catch2,
    /// hyperfine.
    Hyperfine,
    /// pytest-benchmark.
    PytestBenchmark,
    /// pyperf.
    Pyperf,
    /// airspeed velocity.
    Asv,
    /// JMH.
    Jmh,
    /// BenchmarkDotNet.
    BenchmarkDotNet,
    /// tinybench.
    Tinybench,
    /// `vitest bench`.
    Vitest,
    /// mitata.
    Mitata,
    /// benchmark.js.
    BenchmarkJs,
    /// `deno bench`.
    Deno,
    /// BenchmarkTools.jl.
    BenchmarkTools,
    /// tachometer.
    Tachometer,
    /// `perf stat`.
    Perf,
    /// github-action-benchmark's custom JSON; direction from each row, else from its unit.
    Custom,
    /// The same; smaller is better unless a row says otherwise.
    CustomSmaller,
    /// The same; bigger is better unless a row says otherwise.
    CustomBigger,
    /// Bencher Metric Format.
    Bmf,
    /// One JSON object a line: our own, for everything else.
    JsonLines,
    /// No output: the process itself is measured.
    Process,
    /// Nothing was printed, or nothing that holds a benchmark.
    Nothing,
}

impl Format {
    /// Every format that can be asked for, in the order of the documentation.
    pub const ALL: [Self; 28] = [
        Self::Go,
        Self::Libtest,
        Self::Criterion,
        Self::CargoCriterion,
        Self::Divan,
        Self::Gungraun,
        Self::GoogleBenchmark,
        Self::Catch2,
        Self::Hyperfine,
        Self::PytestBenchmark,
        Self::Pyperf,
        Self::Asv,
        Self::Jmh,
        Self::BenchmarkDotNet,
        Self::Tinybench,
        Self::Vitest,
        Self::Mitata,
        Self::BenchmarkJs,
        Self::Deno,
        Self::BenchmarkTools,
        Self::Tachometer,
        Self::Perf,
        Self::Custom,
        Self::CustomSmaller,
        Self::CustomBigger,
        Self::Bmf,
        Self::JsonLines,
        Self::Process,
    ];

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::Libtest => "libtest",
            Self::Criterion => "criterion",
            Self::CargoCriterion => "cargo-criterion",
            Self::Divan => "divan",
            Self::Gungraun => "gungraun",
            Self::GoogleBenchmark => "google-benchmark",
            Self::Catch2 => "catch2",
            Self::Hyperfine => "hyperfine",
            Self::PytestBenchmark => "pytest-benchmark",
            Self::Pyperf => "pyperf",
            Self::Asv => "asv",
            Self::Jmh => "jmh",
            Self::BenchmarkDotNet => "benchmarkdotnet",
            Self::Tinybench => "tinybench",
            Self::Vitest => "vitest",
            Self::Mitata => "mitata",
            Self::BenchmarkJs => "benchmark.js",
            Self::Deno => "deno",
            Self::BenchmarkTools => "benchmarktools",
            Self::Tachometer => "tachometer",
            Self::Perf => "perf",
            Self::Custom => "custom",
            Self::CustomSmaller => "custom-smaller",
            Self::CustomBigger => "custom-bigger",
            Self::Bmf => "bmf",
            Self::JsonLines => "json-lines",
            Self::Process => "process",
            Self::Nothing => "none",
        }
    }

    /// The format of a name, also of the names that github-action-benchmark and Bencher have for it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let canonical = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, format)| *format);
        canonical.or_else(|| Self::ALL.into_iter().find(|format| format.name() == name))
    }

    /// What a user should know of the tool; `None` for formats without output.
    #[must_use]
    pub fn about(self) -> Option<About> {
        tool(self).map(Tool::about)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Other names of formats.
const ALIASES: &[(&str, Format)] = &[
    ("bencher", Format::Libtest),
    ("cargo", Format::Libtest),
    ("rust_bench", Format::Libtest),
    ("go_bench", Format::Go),
    ("rust_criterion", Format::Criterion),
    ("iai", Format::Gungraun),
    ("iai-callgrind", Format::Gungraun),
    ("rust_iai", Format::Gungraun),
    ("rust_iai_callgrind", Format::Gungraun),
    ("rust_gungraun", Format::Gungraun),
    ("google", Format::GoogleBenchmark),
    ("googlecpp", Format::GoogleBenchmark),
    ("cpp_google", Format::GoogleBenchmark),
    ("cpp_catch2", Format::Catch2),
    ("shell_hyperfine", Format::Hyperfine),
    ("pytest", Format::PytestBenchmark),
    ("python_pytest", Format::PytestBenchmark),
    ("python_asv", Format::Asv),
    ("java_jmh", Format::Jmh),
    ("dotnet", Format::BenchmarkDotNet),
    ("c_sharp_dot_net", Format::BenchmarkDotNet),
    ("js_vitest", Format::Vitest),
    ("benchmarkjs", Format::BenchmarkJs),
    ("js_benchmark", Format::BenchmarkJs),
    ("julia", Format::BenchmarkTools),
    ("customsmallerisbetter", Format::CustomSmaller),
    ("custombiggerisbetter", Format::CustomBigger),
    ("json", Format::Bmf),
    ("lines", Format::JsonLines),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
];

/// What a tool's output holds of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raw {
    /// Every sample.
    Samples,
    /// One summary value.
    Summary,
    /// Exact counts.
    Exact,
}

/// What a user should know of a tool: the row of `docs/formats.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The tool's own name.
    pub title: &'static str,
    /// The command that makes it write what we read.
    pub command: &'static str,
    /// The file or folder that it writes; `None`: standard output.
    pub output: Option<&'static str>,
    /// What of its samples is there.
    pub raw: Raw,
    /// What one execution's value is.
    pub value: &'static str,
}

/// What there is to read.
#[derive(Debug)]
pub(super) struct Sources {
    /// The output.
    pub(super) output: Vec<Source>,
    /// Standard output, where the output is files.
    pub(super) log: Option<Source>,
}

/// A tool's parser.
pub(super) trait Tool: Sync {
    /// The format that it reads.
    fn format(&self) -> Format;

    /// What a user should know.
    fn about(&self) -> About;

    /// Whether a JSON document of this outline is this tool's.
    fn owns(&self, _shape: &Shape) -> bool {
        false
    }

    /// Reads a document of this tool.
    ///
    /// # Errors
    /// When the document is not as the tool writes it.
    fn document(&self, _source: &Source, _document: &Document, _out: &mut Collector) -> Result<(), FormatError> {
        Ok(())
    }

    /// How many lines of text are of a kind that only this tool prints.
    fn signs(&self, _source: &Source) -> usize {
        0
    }

    /// Reads the text between documents.
    ///
    /// # Errors
    /// When the text is not as the tool writes it.
    fn text(&self, _source: &Source, _out: &mut Collector) -> Result<(), FormatError> {
        Ok(())
    }

    /// How much of the output is this tool's; 0: nothing.
    fn claims(&self, sources: &Sources) -> usize {
        let of = |source: &Source| {
            let documents = source.documents.iter().filter(|document| document.owner == Some(self.format())).count();
            documents + self.signs(source)
        };
        sources.output.iter().map(of).sum()
    }

    /// Reads everything that is this tool's.
    ///
    /// # Errors
    /// When a document or text is not as the tool writes it.
    fn read(&self, sources: &Sources, out: &mut Collector) -> Result<(), FormatError> {
        for source in &sources.output {
            for document in source.documents.iter().filter(|document| document.owner == Some(self.format())) {
                self.document(source, document, out)?;
            }
            self.text(source, out)?;
        }
        Ok(())
    }
}

/// Every tool that reads an output. A document belongs to the first that owns it.
pub(super) const TOOLS: &[&dyn Tool] = &[
    &super::gotool::Go,
    &super::libtest::Libtest,
    &super::criterion::Criterion,
    &super::cargo_criterion::CargoCriterion,
    &super::divan::Divan,
    &super::gungraun::Gungraun,
    &super::google::GoogleBenchmark,
    &super::catch2::Catch2,
    &super::hyperfine::Hyperfine,
    &super::pytest::PytestBenchmark,
    &super::pyperf::Pyperf,
    &super::asv::Asv,
    &super::jmh::Jmh,
    &super::dotnet::BenchmarkDotNet,
    &super::vitest::Vitest,
    &super::mitata::Mitata,
    &super::tinybench::Tinybench,
    &super::benchmarkjs::BenchmarkJs,
    &super::deno::Deno,
    &super::julia::BenchmarkTools,
    &super::tachometer::Tachometer,
    &super::perf::Perf,
    &super::custom::CUSTOM,
    &super::custom::SMALLER,
    &super::custom::BIGGER,
    &super::bmf::Bmf,
    &super::lines::JsonLines,
];

/// The parser of a format; `None` for formats without output.
pub(super) fn tool(format: Format) -> Option<&'static dyn Tool> {
    TOOLS.iter().copied().find(|tool| tool.format() == format)
}
