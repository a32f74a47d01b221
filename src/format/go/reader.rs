//! Reading the Go benchmark format record by record.
//!
//! The rules are those of benchstat's reader; where it is silent, this one reports. Records borrow from the text, and the
//! lists of values and of configuration are reused, so that millions of lines are read without allocating.

use super::line::{configuration, field, is_tail, tail_after_output, without_prefix};
use super::number;
use super::outcome;
use super::text::Text;
use crate::format::FailureKind;
use std::collections::VecDeque;

/// One thing that the text says.
#[derive(Debug, Clone, PartialEq)]
pub enum Record<'t> {
    /// A result. Its values are in [`Reader::values`], its configuration in [`Reader::configuration`].
    Result(ResultLine<'t>),
    /// One `key=value` of a `Unit` line.
    Unit(UnitLine<'t>),
    /// A benchmark that failed or was skipped.
    Failure(FailureLine<'t>),
    /// A line that could not be used, or that a reader should look at.
    Warning(Warning),
}

/// A benchmark's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultLine<'t> {
    /// The name without `Benchmark`, with its `-N` suffix.
    pub name: &'t str,
    /// Iterations as printed; not always positive.
    pub iterations: i64,
    /// The line that the name stands on, from 1.
    pub line: usize,
    /// The benchmark's own output had cut the result off from its name. benchstat loses such a result.
    pub recovered: bool,
}

/// A value as printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value<'t> {
    /// The number; where it is NaN, a warning tells.
    pub value: f64,
    /// The unit, not tidied.
    pub unit: &'t str,
}

/// One statement on a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitLine<'t> {
    /// The unit as printed.
    pub unit: &'t str,
    /// What is stated, such as `better` or `assume`.
    pub key: &'t str,
    /// The statement.
    pub value: &'t str,
    /// The line, from 1.
    pub line: usize,
}

/// A benchmark without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureLine<'t> {
    /// The name without `Benchmark`.
    pub name: &'t str,
    /// Failed or skipped.
    pub kind: FailureKind,
    /// What it printed, at most 4 KiB.
    pub message: String,
    /// Its package, where it is not the one of the configuration: Go prints `pkg:` with the first result only.
    pub package: Option<&'t str>,
    /// The line, from 1.
    pub line: usize,
}

/// Something to tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line, from 1; 0 where it is about the whole.
    pub line: usize,
    /// What kind it is.
    pub kind: WarningKind,
    /// In words.
    pub message: String,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningKind {
    /// benchstat reports the same, in the same words.
    Syntax,
    /// A sample is missing or was put together again.
    Sample,
    /// A line that changes what is compared, though it may be a log line.
    Configuration,
    /// A package or process failed.
    Failure,
    /// The encoding was repaired.
    Encoding,
}

/// A name whose result has not been seen.
#[derive(Clone, Copy)]
struct Open<'t> {
    name: &'t str,
    line: usize,
    /// Something else stands where the result should be.
    broken: bool,
}

/// Reads the records of one text.
pub struct Reader<'t> {
    text: &'t Text<'t>,
    rest: &'t str,
    line: usize,
    /// Index of the next package of `go test -json`.
    next_package: usize,
    configuration: Vec<(&'t str, &'t str)>,
    version: u32,
    values: Vec<Value<'t>>,
    /// Results of the text, or of the package in `go test -json`.
    results: u64,
    queue: VecDeque<Record<'t>>,
    /// A result that follows the records in `queue`: its values are read when it is returned.
    deferred: Option<(ResultLine<'t>, &'t str)>,
    open: Option<Open<'t>>,
    /// Several results were cut off since the last whole one, so that none can be told from the others.
    ambiguous: bool,
    /// Whether the test binary that is being read has said its package.
    package_stated: bool,
    /// The next line that names one: what is left of the text there, and the package.
    package_ahead: Option<(usize, Option<&'t str>)>,
}

impl<'t> Reader<'t> {
    /// A reader at the beginning of `text`.
    #[must_use]
    pub fn new(text: &'t Text<'t>) -> Self {
        let encoding = |(line, message): &(usize, String)| {
            Record::Warning(Warning { line: *line, kind: WarningKind::Encoding, message: message.clone() })
        };
        Self {
            text,
            rest: &text.content,
            line: 0,
            next_package: 0,
            configuration: Vec::new(),
            version: 0,
            values: Vec::new(),
            results: 0,
            queue: text.warnings.iter().map(encoding).collect(),
            deferred: None,
            open: None,
            ambiguous: false,
            package_stated: false,
            package_ahead: None,
        }
    }

    /// The values of the result that was returned last, in the order printed.
    #[must_use]
    pub fn values(&self) -> &[Value<'t>] {
        &self.values
    }

    /// The configuration in force: keys in the order of their first setting.
    #[must_use]
    pub fn configuration(&self) -> &[(&'t str, &'t str)] {
        &self.configuration
    }

    /// Changes whenever [`Reader::configuration`] changes.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// The next record, `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "records refer to lists that the reader owns and reuses")]
    pub fn next(&mut self) -> Option<Record<'t>> {
        loop {
            if let Some(record) = self.queue.pop_front() {
                return Some(record);
            }
            if let Some((result, tail)) = self.deferred.take() {
                if let Some(record) = self.recovered(result, tail) {
                    return Some(record);
                }
                continue;
            }
            let line = self.next_line()?;
            if let Some(record) = self.read(line) {
                return Some(record);
            }
        }
    }

    /// The next line without its end.
    fn next_line(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        while let Some((at, package)) = self.text.packages.get(self.next_package)
            && *at <= self.text.content.len() - self.rest.len()
        {
            self.next_package += 1;
            self.begin_package(package);
        }
        let end = memchr::memchr(b'\n', self.rest.as_bytes());
        let (line, rest) = end.map_or((self.rest, ""), |at| (&self.rest[..at], &self.rest[at + 1..]));
        self.rest = rest;
        self.line += 1;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Forgets the configuration of the package before. The binary of this one states its own, as a rule with `pkg`.
    fn begin_package(&mut self, package: &'t str) {
        self.configuration.clear();
        self.version += 1;
        self.results = 0;
        (self.open, self.ambiguous) = (None, false);
        let end = self.text.packages.get(self.next_package).map_or(self.text.content.len(), |next| next.0);
        let own = &self.text.content[self.text.content.len() - self.rest.len()..end];
        let states_package = own.lines().any(|line| line.starts_with("pkg: "));
        self.package_stated = !package.is_empty() && !states_package;
        if self.package_stated {
            self.configuration.push(("pkg", package));
        }
    }

    /// The package of a benchmark that failed before its binary has said one: the next that is named.
    fn package_ahead(&mut self) -> Option<&'t str> {
        if self.package_stated {
            return None;
        }
        match self.package_ahead {
            Some((left, package)) if left <= self.rest.len() => package,
            _ => {
                let named = outcome::next_package(self.rest);
                self.package_ahead =
                    Some(named.map_or((0, None), |(at, package)| (self.rest.len() - at, Some(package))));
                named.map(|(_, package)| package)
            }
        }
    }

    fn failure(&mut self, name: &'t str, kind: FailureKind, message: String, line: usize) -> Record<'t> {
        let package = self.package_ahead();
        Record::Failure(FailureLine { name, kind, message, package, line })
    }

    /// The line of the input that is being read.
    fn place(&self) -> usize {
        self.text.origin(self.line)
    }

    fn warning(&self, kind: WarningKind, message: impl Into<String>) -> Record<'t> {
        Record::Warning(Warning { line: self.place(), kind, message: message.into() })
    }

    /// Reads one line in the order in which benchstat tests its kinds.
    fn read(&mut self, line: &'t str) -> Option<Record<'t>> {
        if let Some(rest) = line.strip_prefix("Benchmark") {
            return self.result(rest);
        }
        if line.starts_with('U') && field(line).0 == "Unit" {
            self.unit(field(line).1);
            return self.queue.pop_front();
        }
        if let Some((key, value)) = configuration(line) {
            return self.configure(line, key, value);
        }
        if let Some(rest) = without_prefix(line) {
            return self.read_after_prefix(rest);
        }
        self.other(line)
    }

    /// Reads what followed a time or a byte order mark: one more mark may follow, but not a second time.
    fn read_after_prefix(&mut self, line: &'t str) -> Option<Record<'t>> {
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        if let Some(rest) = line.strip_prefix("Benchmark") {
            self.result(rest)
        } else if field(line).0 == "Unit" {
            self.unit(field(line).1);
            self.queue.pop_front()
        } else if let Some((key, value)) = configuration(line) {
            self.configure(line, key, value)
        } else {
            self.other(line)
        }
    }

    /// A line that begins with `Benchmark`, without that word.
    fn result(&mut self, text: &'t str) -> Option<Record<'t>> {
        let (name, rest) = field(text);
        if name.len() == text.len() {
            // `-v` announces a benchmark so.
            self.open = Some(Open { name, line: self.place(), broken: false });
            return None;
        }
        match self.measurements(rest) {
            Ok(iterations) => {
                (self.open, self.ambiguous) = (None, false);
                self.results += 1;
                Some(Record::Result(ResultLine { name, iterations, line: self.place(), recovered: false }))
            }
            Err(message) => {
                self.broken(name, rest);
                Some(self.warning(WarningKind::Syntax, message))
            }
        }
    }

    /// Reads iterations and values into `self.values`; the words of the error are benchstat's.
    fn measurements(&mut self, text: &'t str) -> Result<i64, String> {
        self.values.clear();
        let (iterations, mut rest) = field(text);
        if iterations.is_empty() {
            return Err("missing iteration count".to_owned());
        }
        let iterations =
            number::count(iterations).map_err(|error| format!("parsing iteration count: {}", error.words()))?;
        let mut pairs = 0_usize;
        loop {
            let (value, after) = field(rest);
            if value.is_empty() {
                break;
            }
            let value = number::value(value).map_err(|error| format!("parsing measurement: {}", error.words()))?;
            let (unit, after) = field(after);
            if unit.is_empty() {
                return Err("missing units".to_owned());
            }
            rest = after;
            pairs += 1;
            if value.is_nan() {
                let message = format!("NaN {unit} was left out: it can neither be ordered nor compared");
                self.queue.push_back(self.warning(WarningKind::Sample, message));
            }
            self.values.push(Value { value, unit });
        }
        if pairs == 0 { Err("missing measurements".to_owned()) } else { Ok(iterations) }
    }

    /// A name that something else than its result follows.
    fn broken(&mut self, name: &'t str, rest: &'t str) {
        let line = self.place();
        if let Some((kind, message)) = outcome::after_name(rest) {
            let message = outcome::with_details(message, self.rest);
            let failure = self.failure(name, kind, message, line);
            self.queue.push_back(failure);
            self.open = None;
            return;
        }
        if !outcome::is_benchmark(name) {
            return;
        }
        if let Some(tail) = tail_after_output(rest) {
            self.deferred = Some((ResultLine { name, iterations: 0, line, recovered: true }, tail));
            self.open = None;
            return;
        }
        self.ambiguous |= self.open.is_some_and(|open| open.broken);
        self.open = Some(Open { name, line, broken: true });
    }

    /// A result that was put together from two places.
    fn recovered(&mut self, result: ResultLine<'t>, tail: &'t str) -> Option<Record<'t>> {
        let iterations = self.measurements(tail).ok()?;
        self.results += 1;
        self.queue.push_front(Record::Warning(Warning {
            line: result.line,
            kind: WarningKind::Sample,
            message: format!(
                "output of Benchmark{} stands before its result, which was put together again; benchstat loses it, \
                 `go test -v` keeps it whole",
                result.name
            ),
        }));
        Some(Record::Result(ResultLine { iterations, ..result }))
    }

    /// One `Unit` line without that word: puts its records into the queue.
    fn unit(&mut self, text: &'t str) {
        let (unit, mut rest) = field(text);
        if unit.is_empty() {
            self.queue.push_back(self.warning(WarningKind::Syntax, "missing unit"));
        }
        loop {
            let (pair, after) = field(rest);
            if pair.is_empty() {
                return;
            }
            rest = after;
            let record = match pair.split_once('=') {
                Some((key, value)) if !key.is_empty() => {
                    Record::Unit(UnitLine { unit, key, value, line: self.place() })
                }
                _ => self.warning(WarningKind::Syntax, "expected key=value"),
            };
            self.queue.push_back(record);
        }
    }

    /// A line that sets or deletes configuration. Log lines can look the same, so an unusual one is reported.
    fn configure(&mut self, line: &'t str, key: &'t str, value: &'t str) -> Option<Record<'t>> {
        self.package_stated |= key == "pkg";
        let position = self.configuration.iter().position(|(k, _)| *k == key);
        match position {
            Some(at) if value.is_empty() => {
                self.configuration.swap_remove(at);
            }
            Some(at) if self.configuration[at].1 == value => return None,
            Some(at) => self.configuration[at].1 = value,
            None if value.is_empty() => return None,
            None => self.configuration.push((key, value)),
        }
        self.version += 1;
        if let Some(failure) = self.panic(line) {
            self.queue.push_back(failure);
        }
        let usual = matches!(key, "goos" | "goarch" | "pkg" | "cpu") || position.is_some() || self.results == 0;
        if usual {
            return self.queue.pop_front();
        }
        Some(self.warning(
            WarningKind::Configuration,
            format!("{line:?} reads as configuration: results after this line carry {key:?} and are compared apart"),
        ))
    }

    /// A failure of the benchmark that is running if `line` is a panic.
    fn panic(&mut self, line: &'t str) -> Option<Record<'t>> {
        if !outcome::is_panic(line) {
            return None;
        }
        let (name, place) = match self.open.take() {
            Some(open) => (open.name, open.line),
            // Without -v nothing is printed of a benchmark before its first result: the stack has its name.
            None => (outcome::on_stack(self.rest)?, self.place()),
        };
        let message = outcome::with_details(line, self.rest);
        Some(self.failure(name, FailureKind::Failed, message, place))
    }

    /// A line that benchstat ignores.
    fn other(&mut self, line: &'t str) -> Option<Record<'t>> {
        if let Some((kind, name)) = outcome::announced(line) {
            self.open = self.open.filter(|open| !outcome::same_benchmark(open.name, name));
            let mut message = outcome::with_details("", self.rest);
            if message.is_empty() {
                // With -v the words come first.
                let read = self.text.content.len() - self.rest.len();
                message = outcome::said_before(name, &self.text.content[..read]);
            }
            return Some(self.failure(name, kind, message, self.place()));
        }
        if outcome::ends_binary(line) {
            self.package_stated = false;
        }
        if let Some(failure) = self.panic(line) {
            return Some(failure);
        }
        if let Some(package) = outcome::failed_package(line) {
            return Some(self.warning(
                WarningKind::Failure,
                format!("package {package} failed: benchmarks that it did not reach are missing"),
            ));
        }
        let trimmed = line.trim_start();
        if trimmed.starts_with(|c: char| c.is_ascii_digit()) && is_tail(trimmed) {
            return self.tail(trimmed);
        }
        if let Some(rest) = trimmed.strip_prefix("Benchmark").filter(|_| trimmed.len() < line.len()) {
            let (name, tail) = field(rest);
            if outcome::is_benchmark(name) && is_tail(tail) {
                return Some(self.warning(
                    WarningKind::Sample,
                    format!("an indented result of Benchmark{name} was left out: indented lines are log output"),
                ));
            }
        }
        None
    }

    /// A result without a name: it belongs to the one name that waits for it, if there is just one.
    fn tail(&mut self, text: &'t str) -> Option<Record<'t>> {
        let open = self.open.take_if(|open| open.broken);
        match open {
            Some(open) if !self.ambiguous => {
                self.recovered(ResultLine { name: open.name, iterations: 0, line: open.line, recovered: true }, text)
            }
            _ => Some(self.warning(
                WarningKind::Sample,
                "a result without a benchmark's name was left out: output came between the two; run with -v",
            )),
        }
    }
}
