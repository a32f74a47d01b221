//! `bench-bot compare`.

use super::builder::{Builder, Expressions};
use super::error::CompareError;
use super::input::{Input, inputs};
use super::load::Loader;
use super::table::{Options, Tables, tables};
use super::{benchcmp, csv, mismatch, text, v1};
use crate::config::{Correction, FailOn};
use crate::report::{Warning, WarningLevel};
use clap::{Args, ValueEnum};
use std::io::{Read, Write};

/// What `compare` is told.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// Files to compare, the first is the baseline: a path, label=path, or - for standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["base", "head"])]
    pub files: Vec<String>,
    /// Files of the base side, each of them one round
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "head")]
    pub base: Vec<String>,
    /// Files of the head side, each of them one round
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "base")]
    pub head: Vec<String>,
    /// Format of all files
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub format: String,
    /// Error rate: a change is significant if p is at most this
    #[arg(long, value_name = "P", default_value = "0.05", value_parser = share)]
    pub alpha: f64,
    /// Level of the intervals
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = share)]
    pub confidence: f64,
    /// Use only results that match, such as '.name:/Marshal/ -.unit:B/op'
    #[arg(long, value_name = "FILTER", default_value = "*", allow_hyphen_values = true)]
    pub filter: String,
    /// Split results into tables by these keys
    #[arg(long, value_name = "KEYS", default_value = ".config")]
    pub table: String,
    /// Split results into rows by these keys
    #[arg(long, value_name = "KEYS", default_value = ".fullname")]
    pub row: String,
    /// Split results into columns by these keys
    #[arg(long, value_name = "KEYS", default_value = ".file")]
    pub col: String,
    /// Ignore differences in these keys
    #[arg(long, value_name = "KEYS", default_value = "")]
    pub ignore: String,
    /// How the result is shown
    #[arg(long, value_name = "LAYOUT", default_value = "default")]
    pub layout: FileLayout,
    /// Smallest change that counts, such as 2%
    #[arg(long, value_name = "CHANGE", default_value = "2%", value_parser = change)]
    pub threshold: f64,
    /// Correction of p for many rows
    #[arg(long, value_name = "METHOD", default_value = "holm")]
    pub correction: CorrectionArg,
    /// What makes the exit code 1
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "never")]
    pub fail_on: Vec<FailOnArg>,
    /// Add the geometric mean of each column (layout benchstat-v1)
    #[arg(long)]
    pub geomean: bool,
    /// Compare the fastest line of each benchmark only (layout benchcmp)
    #[arg(long)]
    pub best: bool,
}

/// How a comparison of files is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileLayout {
    /// Verdicts, changed rows first
    Default,
    /// The text of today's benchstat
    Benchstat,
    /// The text of the first benchstat: old time/op, new time/op, delta
    BenchstatV1,
    /// The text of benchcmp
    Benchcmp,
    /// The comma-separated values of today's benchstat
    Csv,
    /// The whole report as JSON
    Json,
    /// The report as Markdown
    Markdown,
}

/// Correction for many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CorrectionArg {
    /// Holm's step-down method
    Holm,
    /// None: every row at alpha
    None,
}

impl From<CorrectionArg> for Correction {
    fn from(argument: CorrectionArg) -> Self {
        match argument {
            CorrectionArg::Holm => Self::Holm,
            CorrectionArg::None => Self::None,
        }
    }
}

/// What makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOnArg {
    /// Nothing
    Never,
    /// A failed benchmark
    Failure,
    /// A change for the worse
    Regression,
    /// A row that could not be decided
    Inconclusive,
}

impl From<FailOnArg> for FailOn {
    fn from(argument: FailOnArg) -> Self {
        match argument {
            FailOnArg::Never => Self::Never,
            FailOnArg::Failure => Self::Failure,
            FailOnArg::Regression => Self::Regression,
            FailOnArg::Inconclusive => Self::Inconclusive,
        }
    }
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "this is no number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("it must be from 0 to 1".to_owned()) }
}

/// A relative change: `2%` or `0.02`.
fn change(text: &str) -> Result<f64, String> {
    let (digits, scale) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim_end(), 0.01),
        None => (text.trim(), 1.0),
    };
    let value: f64 = digits.parse().map_err(|_| "this is no change such as 2% or 0.02".to_owned())?;
    let value = value * scale;
    if (0.0..1e6).contains(&value) { Ok(value) } else { Err("it must not be negative".to_owned()) }
}

/// Compares what `args` name, shows the result on `out` and what else there is to say on `err`; the exit code.
///
/// # Errors
/// The arguments cannot be, or an input cannot be read. The caller shows the error and exits with
/// [`CompareError::exit_code`].
pub fn run(
    args: &CompareArgs,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, CompareError> {
    let sources = Sources::new(args)?;
    let mut shown = match args.layout {
        FileLayout::Benchstat | FileLayout::Csv => show_benchstat(args, &sources, stdin)?,
        FileLayout::BenchstatV1 => show_v1(args, &sources, stdin)?,
        FileLayout::Benchcmp => show_benchcmp(args, &sources, stdin)?,
        FileLayout::Default | FileLayout::Json | FileLayout::Markdown => {
            return Err(CompareError::Usage("this layout shows a report".to_owned()));
        }
    };
    let write = |error: std::io::Error| CompareError::Write(error.to_string());
    for warning in &shown.warnings {
        let separator = if warning.place.is_empty() { "" } else { ": " };
        writeln!(err, "{}{separator}{}", warning.place, warning.message).map_err(write)?;
    }
    out.write_all(shown.text.as_bytes()).map_err(write)?;
    err.write_all(shown.notes.as_bytes()).map_err(write)?;
    shown.nothing.take().map_or(Ok(0), |reason| Err(CompareError::Nothing(reason)))
}

/// What a layout made.
#[derive(Debug, Default)]
struct Shown {
    text: String,
    /// Remarks that a layout keeps apart from its text.
    notes: String,
    warnings: Vec<Warning>,
    /// Why nothing was compared, if so.
    nothing: Option<String>,
}

/// The inputs, and whether each of them is one round of a side.
struct Sources {
    inputs: Vec<Input>,
    rounds: bool,
}

impl Sources {
    fn new(args: &CompareArgs) -> Result<Self, CompareError> {
        if args.base.is_empty() && args.head.is_empty() {
            if args.files.is_empty() {
                return Err(CompareError::Usage(
                    "name at least one file: bench-bot compare OLD NEW, or --base FILE… --head FILE…".to_owned(),
                ));
            }
            let sources = Self { inputs: inputs(&args.files), rounds: false };
            return sources.checked();
        }
        let side = |label: &str, paths: &[String]| -> Vec<Input> {
            paths.iter().map(|path| Input { label: label.to_owned(), path: path.clone() }).collect()
        };
        let inputs = [side("base", &args.base), side("head", &args.head)].concat();
        Self { inputs, rounds: true }.checked()
    }

    fn checked(self) -> Result<Self, CompareError> {
        if self.inputs.iter().filter(|input| input.path == "-").count() > 1 {
            return Err(CompareError::Usage("standard input (-) can be read only once".to_owned()));
        }
        Ok(self)
    }

    /// Labels of the columns, in order.
    fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = Vec::new();
        for input in &self.inputs {
            if !labels.contains(&input.label.as_str()) {
                labels.push(&input.label);
            }
        }
        labels
    }
}

fn expressions(args: &CompareArgs) -> Expressions {
    Expressions {
        table: args.table.clone(),
        row: args.row.clone(),
        col: args.col.clone(),
        ignore: args.ignore.clone(),
        filter: args.filter.clone(),
    }
}

/// Reads all inputs into tables. Results that output had cut off are used if `recover`.
fn tabulate(
    args: &CompareArgs,
    sources: &Sources,
    recover: bool,
    stdin: &mut dyn Read,
) -> Result<(Tables, Vec<Warning>), CompareError> {
    let mut builder = Builder::new(&expressions(args))?;
    let mut loader = Loader::new(&args.format, recover, stdin);
    for (index, input) in (0..).zip(&sources.inputs) {
        let results = loader.open(input, |loader, content| {
            if sources.rounds {
                loader.sort_round(input, index, content, &mut builder)
            } else {
                loader.sort(input, index, content, &mut builder)
            }
        })?;
        if results == 0 {
            loader.warnings.push(no_results(input));
        }
    }
    let options =
        Options { alpha: args.alpha, confidence: args.confidence, assumptions: loader.statements.assumptions() };
    let tables = tables(builder, &options);
    let mut warnings = loader.warnings;
    warnings.extend(mismatch::warnings(&tables, &sources.inputs));
    Ok((tables, warnings))
}

fn no_results(input: &Input) -> Warning {
    Warning {
        level: WarningLevel::Warning,
        code: "no-results".to_owned(),
        message: "no benchmark results in this input".to_owned(),
        place: input.path.clone(),
    }
}

fn show_benchstat(args: &CompareArgs, sources: &Sources, stdin: &mut dyn Read) -> Result<Shown, CompareError> {
    let (tables, warnings) = tabulate(args, sources, false, stdin)?;
    let mut shown = Shown { warnings, nothing: nothing(args, sources, &tables), ..Shown::default() };
    if args.layout == FileLayout::Csv {
        csv::write(&tables, &mut shown.text, &mut shown.notes);
    } else {
        text::write(&tables, &mut shown.text);
    }
    Ok(shown)
}

/// Why `tables` compare nothing, if so.
fn nothing(args: &CompareArgs, sources: &Sources, tables: &Tables) -> Option<String> {
    let cells = || tables.tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    if cells().next().is_none() {
        return Some("no benchmark results were found".to_owned());
    }
    let compared = cells().any(|(_, cell)| cell.comparison.is_some());
    let by_file = args.col == ".file";
    let columns = if by_file { sources.labels().len() } else { tables.columns() };
    (columns > 1 && !compared).then(|| "no row has results in the first column and in another one".to_owned())
}

fn show_v1(args: &CompareArgs, sources: &Sources, stdin: &mut dyn Read) -> Result<Shown, CompareError> {
    let mut collection = v1::Collection::default();
    let mut loader = Loader::new(&args.format, false, stdin);
    for (index, input) in (0..).zip(&sources.inputs) {
        loader.open(input, |loader, content| loader.collect(input, index, content, &mut collection))?;
    }
    let mut shown = Shown { warnings: loader.warnings, ..Shown::default() };
    if !collection.is_comparable() {
        shown.nothing = Some("no row has results in both inputs".to_owned());
    }
    if args.geomean && collection.sets_differ() {
        shown.warnings.push(Warning {
            level: WarningLevel::Warning,
            code: "sets-differ".to_owned(),
            message: "the geometric means are over different rows, so their change means little".to_owned(),
            place: String::new(),
        });
    }
    shown.text = collection.text(v1::Options { alpha: args.alpha, geomean: args.geomean });
    Ok(shown)
}

fn show_benchcmp(args: &CompareArgs, sources: &Sources, stdin: &mut dyn Read) -> Result<Shown, CompareError> {
    let [old, new] = sources.inputs.as_slice() else {
        return Err(CompareError::Usage("the layout benchcmp compares exactly two files".to_owned()));
    };
    let mut loader = Loader::new(&args.format, false, stdin);
    let mut runs = Vec::new();
    for (index, input) in [(0, old), (1, new)] {
        let mut run = loader.open(input, |loader, content| loader.run(input, index, content))?;
        if args.best {
            run.keep_best();
        }
        runs.push(run);
    }
    let (text, ignored) = benchcmp::text(&runs[0], &runs[1]);
    let mut warnings = loader.warnings;
    warnings.extend(ignored.into_iter().map(|message| Warning {
        level: WarningLevel::Warning,
        code: "rows-apart".to_owned(),
        message,
        place: String::new(),
    }));
    let nothing = text.is_none().then(|| "no benchmark is in both files".to_owned());
    Ok(Shown { text: text.unwrap_or_default(), warnings, nothing, ..Shown::default() })
}
