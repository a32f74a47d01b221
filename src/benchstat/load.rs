//! Inputs are read, whatever their format, and handed to a layout.

use super::CompareError;
use super::batch;
use super::builder::{Builder, Origin};
use super::input::{self, Ahead, Input};
use super::projection::Observation;
use super::sample::Assumption;
use super::units::Statements;
use super::v1::{Collection, group_title};
use super::{benchcmp, sample};
use crate::format::go::{self, Reader, Record, Text, WarningKind};
use crate::format::{self, Failure, Format, FormatError, Measurement, ParseWarning, Parsed, Place};
use crate::report::{Warning, WarningLevel};
use crate::stats::order;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

/// Most warnings of one input that are told one by one.
const TOLD: usize = 500;

/// Reads inputs one after the other.
pub(super) struct Loader<'i> {
    /// The format that every input has, or `auto`.
    pub(super) format: &'i str,
    pub(super) stdin: &'i mut dyn Read,
    /// What is to be told of the inputs so far.
    pub(super) warnings: Vec<Warning>,
    /// What `Unit` lines said so far. They hold for all inputs, whatever the order.
    pub(super) statements: Statements,
    /// Benchmarks that failed or were skipped, by input.
    pub(super) failures: Vec<(u32, Failure)>,
    /// What is done with an input in no known format.
    unknown: Unknown,
    told: usize,
    untold: usize,
    /// The input that is being read in the background.
    ahead: Option<Ahead>,
}

/// What is done with an input that is in no known format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It is read as Go's format, in which every line may be something else: what the tools of old do.
    AsGo,
    /// It is an error.
    Refuse,
}

/// One input, read.
pub(super) enum Content<'b> {
    /// Go's format, not yet parsed.
    Go(Text<'b>),
    /// Another format.
    Parsed(Parsed),
}

impl<'i> Loader<'i> {
    pub(super) fn new(format: &'i str, unknown: Unknown, stdin: &'i mut dyn Read) -> Self {
        Self {
            format,
            stdin,
            warnings: Vec::new(),
            statements: Statements::default(),
            failures: Vec::new(),
            unknown,
            told: 0,
            untold: 0,
            ahead: None,
        }
    }

    /// Begins to read `input`, if it is a file of a size that is worth it, while another one is worked on.
    pub(super) fn read_ahead(&mut self, input: Option<&Input>) {
        self.ahead = input.and_then(Ahead::begin);
    }

    /// Reads `input` and hands what it holds to `take`.
    pub(super) fn open<T>(
        &mut self,
        input: &Input,
        take: impl FnOnce(&mut Self, Content<'_>) -> T,
    ) -> Result<T, CompareError> {
        (self.told, self.untold) = (0, 0);
        let ahead = self.ahead.take_if(|ahead| ahead.path == input.path);
        let bytes = ahead
            .and_then(Ahead::end)
            .unwrap_or_else(|| input::read(input, self.stdin))
            .map_err(|error| CompareError::Read { path: input.path.clone(), error: error.to_string() })?;
        let content = content(&bytes, self.format, self.unknown)
            .map_err(|message| CompareError::Format { path: input.path.clone(), message })?;
        let taken = take(self, content);
        if self.untold > 0 {
            let message = format!("{} more lines could not be used or are unusual", self.untold);
            self.push(input, 0, "unparsed-line", WarningLevel::Warning, message);
        }
        Ok(taken)
    }

    fn push(&mut self, input: &Input, line: usize, code: &str, level: WarningLevel, message: String) {
        let place = if line == 0 { input.path.clone() } else { format!("{}:{line}", input.path) };
        self.warnings.push(Warning { level, code: code.to_owned(), message, place });
    }

    /// Adds a warning of the reader's.
    fn warn(&mut self, input: &Input, warning: go::Warning) {
        self.told += 1;
        if self.told > TOLD {
            self.untold += 1;
            return;
        }
        let code = match warning.kind {
            WarningKind::Syntax => "unparsed-line",
            WarningKind::Sample => "lost-sample",
            WarningKind::Configuration => "configuration-line",
            WarningKind::Failure => "failed-package",
            WarningKind::Encoding => "encoding",
        };
        self.push(input, warning.line, code, WarningLevel::Warning, warning.message);
    }

    /// Sorts the results of an input into `builder`; how many there were.
    pub(super) fn sort(&mut self, input: &Input, index: u32, content: Content<'_>, builder: &mut Builder) -> u64 {
        match content {
            Content::Go(text) => self.sort_text(input, index, &text, builder),
            Content::Parsed(parsed) => self.sort_parsed(input, index, parsed, false, builder),
        }
    }

    fn sort_text(&mut self, input: &Input, index: u32, text: &Text<'_>, builder: &mut Builder) -> u64 {
        let mut results = 0;
        builder.expect(text.len());
        batch::each_record(text, &mut |entry| match entry.record {
            // benchstat loses it. The warning that comes with it says so.
            Record::Result(result) if result.recovered && self.unknown == Unknown::AsGo => {}
            Record::Result(result) => {
                results += 1;
                let origin = Origin {
                    state: (index, entry.version),
                    line: result.line,
                    iterations: u64::try_from(result.iterations).ok(),
                };
                let observation =
                    Observation { file: &input.label, configuration: entry.configuration, name: result.name };
                builder.add(origin, &observation, entry.values.iter().map(|v| (v.value, v.unit)));
            }
            other => self.note(input, index, entry.configuration, other),
        });
        results
    }

    /// Takes a record that is no result.
    fn note(&mut self, input: &Input, index: u32, configuration: &[(&str, &str)], record: Record<'_>) {
        match record {
            Record::Unit(line) => {
                if let Err(message) = self.statements.add(line.unit, line.key, line.value) {
                    self.warn(input, go::Warning { line: line.line, kind: WarningKind::Syntax, message });
                }
            }
            Record::Failure(failure) => {
                let configured = || configuration.iter().find(|(key, _)| *key == "pkg").map_or("", |(_, v)| v);
                let package = failure.package.unwrap_or_else(configured);
                let id = go::benchmark_id(package, failure.name);
                self.failures.push((index, Failure { id, kind: failure.kind, message: failure.message }));
            }
            Record::Warning(warning) => self.warn(input, warning),
            Record::Result(_) => {}
        }
    }

    /// Sorts an input that is one round: the median of what it holds of a benchmark and unit is one sample (the lower
    /// median where values are exact).
    pub(super) fn sort_round(&mut self, input: &Input, index: u32, content: Content<'_>, builder: &mut Builder) -> u64 {
        let parsed = match content {
            Content::Go(text) => go::parse_text(&text),
            Content::Parsed(parsed) => parsed,
        };
        self.sort_parsed(input, index, parsed, true, builder)
    }

    fn sort_parsed(&mut self, input: &Input, index: u32, parsed: Parsed, round: bool, builder: &mut Builder) -> u64 {
        for warning in parsed.warnings {
            self.warn(input, go::Warning { line: warning.line, kind: WarningKind::Syntax, message: warning.message });
        }
        for (unit, hint) in &parsed.units {
            self.statements.hint(unit, *hint);
        }
        self.failures.extend(parsed.failures.into_iter().map(|failure| (index, failure)));
        let mut results = 0;
        for (at, measurement) in (0..).zip(&parsed.measurements) {
            let configuration = configuration(measurement);
            let name = full_name(measurement);
            let observation = Observation { file: &input.label, configuration: &configuration, name: &name };
            let origin = Origin { state: (index, at), line: measurement.line, iterations: measurement.iterations };
            let unit = measurement.unit.as_str();
            if round {
                let sorted = order::sorted(&measurement.values);
                let exact = self.statements.assumption(unit) == Assumption::Exact
                    || crate::unit::normal::properties(unit).exact;
                let value = if exact { order::lower_median(&sorted) } else { Some(sample::median(&sorted)) };
                builder.add(origin, &observation, value.into_iter().map(|value| (value, unit)));
            } else {
                builder.add(origin, &observation, measurement.values.iter().map(|value| (*value, unit)));
            }
            results += 1;
        }
        results
    }

    /// Adds an input to the layout of the first benchstat.
    pub(super) fn collect(&mut self, input: &Input, index: u32, content: Content<'_>, collection: &mut Collection) {
        collection.add_column(&input.label);
        match content {
            Content::Go(text) => {
                self.look_through(input, index, &text);
                collection.add_text(&text);
            }
            Content::Parsed(parsed) => {
                for measurement in &parsed.measurements {
                    let get = |key: &str| match key {
                        "pkg" => Some(measurement.id.package.as_str()),
                        key => measurement.config.get(key).map(String::as_str),
                    };
                    let (unit, factor) = printed_unit(&measurement.unit);
                    let (group, name) = (group_title(get), full_name(measurement));
                    for value in &measurement.values {
                        collection.add(&group, &name, &unit, value * factor);
                    }
                }
            }
        }
    }

    /// The lines of an input for the layout of benchcmp.
    pub(super) fn run(&mut self, input: &Input, index: u32, content: Content<'_>) -> benchcmp::Run {
        match content {
            Content::Go(text) => {
                self.look_through(input, index, &text);
                benchcmp::Run::of_text(&text)
            }
            Content::Parsed(parsed) => lines(&parsed.measurements),
        }
    }

    /// Takes the warnings of a text that a layout reads by rules of its own.
    fn look_through(&mut self, input: &Input, index: u32, text: &Text<'_>) {
        let mut reader = Reader::new(text);
        while let Some(record) = reader.next() {
            self.note(input, index, reader.configuration(), record);
        }
    }
}

/// What `bytes` hold. An input in Go's format is not parsed here: layouts stream it.
fn content<'b>(bytes: &'b [u8], name: &str, unknown: Unknown) -> Result<Content<'b>, String> {
    let text = Text::decode(bytes);
    let automatic = name.trim().is_empty() || name.trim().eq_ignore_ascii_case("auto");
    if name == "go" || automatic && text.looks_like_go() {
        return Ok(Content::Go(text));
    }
    match format::parse(name, &format::Input { stdout: bytes, files: &BTreeMap::new() }) {
        Ok((Format::Go, _)) => Ok(Content::Go(text)),
        Ok((Format::Nothing, mut parsed)) => {
            parsed.warnings = vec![ParseWarning { line: 0, message: "the input is empty".to_owned() }];
            Ok(Content::Parsed(parsed))
        }
        Ok((_, parsed)) => Ok(Content::Parsed(parsed)),
        Err(_) if automatic && unknown == Unknown::AsGo => Ok(Content::Go(text)),
        Err(error) => Err(refusal(&error)),
    }
}

/// Why an input cannot be read, in the words of a command line: the errors of formats speak of a suite's configuration.
fn refusal(error: &FormatError) -> String {
    let at = |place: &Place| if place.line == 0 { String::new() } else { format!("line {}: ", place.line) };
    match error {
        FormatError::LooksLike { asked, found, .. } => {
            format!("asked to read {asked}, but this looks like {found}; set --format {found} or --format auto")
        }
        FormatError::Syntax { format, place, expected } => {
            let format = format.map(|format| format!("reading {format}: ")).unwrap_or_default();
            format!("{}{format}{expected}", at(place))
        }
        FormatError::Unrecognised { asked, first, advice, .. } => {
            let what = asked.map_or_else(
                || "this is no output of a benchmark tool that is known".to_owned(),
                |format| format!("there is no output of {format} in it"),
            );
            let seen = if first.is_empty() { String::new() } else { format!("; it starts with {first:?}") };
            let advice = advice.as_deref().unwrap_or("name its format with --format if it has one (docs/formats.md)");
            format!("{what}{seen}: {advice}")
        }
        FormatError::Unknown { .. } | FormatError::NotAnOutput => error.to_string(),
    }
}

/// The configuration of a measurement, in the order in which `go test` prints it.
fn configuration(measurement: &Measurement) -> Vec<(&str, &str)> {
    const FIRST: [&str; 4] = ["goos", "goarch", "pkg", "cpu"];
    let mut pairs: Vec<(&str, &str)> = measurement.config.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    if !measurement.id.package.is_empty() && !measurement.config.contains_key("pkg") {
        pairs.push(("pkg", &measurement.id.package));
    }
    pairs.sort_by_key(|(key, _)| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()));
    pairs
}

/// The name with its suffix, as Go's format has it.
pub(super) fn full_name(measurement: &Measurement) -> String {
    match measurement.id.procs {
        Some(procs) => format!("{}-{procs}", measurement.id.name),
        None => measurement.id.name.clone(),
    }
}

/// The unit that `go test` prints for a tidied one, and what a value is multiplied by: the old layouts know no other.
pub(super) fn printed_unit(unit: &str) -> (Cow<'_, str>, f64) {
    let ends = |end: &str| unit.strip_suffix(end).filter(|before| before.is_empty() || before.ends_with('-'));
    if let Some(before) = ends("sec/op") {
        (Cow::Owned(format!("{before}ns/op")), 1e9)
    } else if let Some(before) = ends("B/s") {
        (Cow::Owned(format!("{before}MB/s")), 1e-6)
    } else {
        (Cow::Borrowed(unit), 1.0)
    }
}

/// Measurements as the lines that `go test` would have printed: the i-th value of each unit on the i-th line.
pub(super) fn lines(measurements: &[Measurement]) -> benchcmp::Run {
    let mut order: Vec<String> = Vec::new();
    let mut lines: HashMap<String, Vec<benchcmp::Line>> = HashMap::new();
    for measurement in measurements {
        let name = format!("Benchmark{}", full_name(measurement));
        let of_name = lines.entry(name).or_insert_with_key(|name| {
            order.push(name.clone());
            Vec::new()
        });
        if of_name.len() < measurement.values.len() {
            of_name.resize(measurement.values.len(), benchcmp::Line::default());
        }
        for (line, value) in of_name.iter_mut().zip(&measurement.values) {
            line.set(&measurement.unit, *value);
        }
    }
    let mut run = benchcmp::Run::default();
    for name in order {
        for line in &lines[&name] {
            run.add(&name, *line);
        }
    }
    run
}
