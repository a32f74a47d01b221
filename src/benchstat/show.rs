//! Inputs in, a layout out.

use super::builder::{Builder, Expressions};
use super::cli::{CompareArgs, FailOnArg, FileLayout};
use super::error::CompareError;
use super::input::{Input, inputs};
use super::load::{Loader, Unknown};
use super::measured::MeasuredFile;
use super::table::{Options, Tables, tables};
use super::{benchcmp, columns, csv, measured, mismatch, report as classic, text, v1};
use crate::compare::{self, FileOptions};
use crate::config::{Compare, FailOn, Layout};
use crate::report::{Report, Warning, WarningLevel};
use std::io::{Read, Write};

/// Where a comparison reads and writes.
pub struct Streams<'s> {
    /// Standard input, which `-` names.
    pub stdin: &'s mut dyn Read,
    /// The result.
    pub out: &'s mut dyn Write,
    /// What else there is to say.
    pub err: &'s mut dyn Write,
}

/// What a comparison leaves to others.
pub struct Others<'o> {
    /// Shows a report in one of the layouts `default`, `json` and `markdown`.
    pub render: &'o dyn Fn(&Report, FileLayout) -> Result<String, String>,
    /// Makes the report of files that bench-bot measured itself (`results.json`).
    pub measured: &'o dyn Fn(&[MeasuredFile]) -> Result<Report, String>,
}

/// Compares what `args` name; the exit code.
///
/// # Errors
/// The arguments cannot be, an input cannot be read, or there is nothing to compare. What there is to show has been shown;
/// the caller shows the error and exits with [`CompareError::exit_code`].
pub fn run(args: &CompareArgs, streams: &mut Streams<'_>, others: &Others<'_>) -> Result<u8, CompareError> {
    let sources = Sources::new(args)?;
    let shown = show(args, &sources, streams.stdin, others)?;
    let write = |error: std::io::Error| CompareError::Write(error.to_string());
    for warning in &shown.warnings {
        let separator = if warning.place.is_empty() { "" } else { ": " };
        writeln!(streams.err, "{}{separator}{}", warning.place, warning.message).map_err(write)?;
    }
    streams.out.write_all(shown.text.as_bytes()).map_err(write)?;
    streams.err.write_all(shown.notes.as_bytes()).map_err(write)?;
    streams.out.flush().map_err(write)?;
    match shown.nothing {
        Some(reason) => Err(CompareError::Nothing(reason)),
        None => Ok(u8::from(shown.trips)),
    }
}

fn show(
    args: &CompareArgs,
    sources: &Sources,
    stdin: &mut dyn Read,
    others: &Others<'_>,
) -> Result<Shown, CompareError> {
    if let Some(measured) = measured::read(&sources.inputs)? {
        return show_measured(args, &measured, others);
    }
    let layout = match args.layout {
        FileLayout::Default | FileLayout::Json | FileLayout::Markdown => {
            let report = report(args, sources, stdin, Unknown::Refuse)?;
            return shown(args, &report, others);
        }
        FileLayout::Benchstat | FileLayout::Csv => show_benchstat,
        FileLayout::BenchstatV1 => show_v1,
        FileLayout::Benchcmp => show_benchcmp,
    };
    let trips = trips_apart(args, sources)?;
    Ok(Shown { trips, ..layout(args, sources, stdin)? })
}

/// Whether something of `--fail-on` is found, for a layout that has no verdicts of its own: the report that would have
/// them is made beside it.
fn trips_apart(args: &CompareArgs, sources: &Sources) -> Result<bool, CompareError> {
    if args.fail_on.iter().all(|reason| *reason == FailOnArg::Never) {
        return Ok(false);
    }
    let is_file = |input: &&Input| input.path != "-" && std::fs::metadata(&input.path).is_ok_and(|m| m.is_file());
    if let Some(once) = sources.inputs.iter().find(|input| !is_file(input)) {
        // A missing file is told as such.
        std::fs::metadata(&once.path)
            .map(|_| ())
            .or_else(|error| if once.path == "-" { Ok(()) } else { Err(error) })
            .map_err(|error| CompareError::Read { path: once.path.clone(), error: error.to_string() })?;
        return Err(CompareError::Usage(format!(
            "--fail-on needs verdicts, which this layout lacks: for them files are read a second time, and {} can be read \
             only once; put it into a file, or take the layout default, json or markdown",
            once.path
        )));
    }
    let report = report(args, sources, &mut std::io::empty(), Unknown::AsGo)?;
    Ok(compare::trips(&report, &fail_on(args)))
}

fn fail_on(args: &CompareArgs) -> Vec<FailOn> {
    args.fail_on.iter().copied().map(FailOn::from).collect()
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
    /// Something of `--fail-on` was found.
    trips: bool,
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
        if let Some(input) = self.inputs.iter().find(|input| input.path.is_empty()) {
            let label = if input.label.is_empty() { String::new() } else { format!(" after {}=", input.label) };
            return Err(CompareError::Usage(format!("a file has no name: the path{label} is empty")));
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

/// Reads all inputs into tables.
fn tabulate(
    args: &CompareArgs,
    sources: &Sources,
    stdin: &mut dyn Read,
) -> Result<(Tables, Vec<Warning>), CompareError> {
    let mut builder = Builder::new(&expressions(args))?;
    let mut loader = Loader::new(&args.format, Unknown::AsGo, stdin);
    for (index, input) in (0..).zip(&sources.inputs) {
        let results = loader.open(input, |loader, content| {
            loader.read_ahead(sources.inputs.get(index as usize + 1));
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
    let tables = tables(builder, &judged(args, &loader));
    let mut warnings = loader.warnings;
    warnings.extend(mismatch::warnings(&tables, &sources.inputs, mismatch::Effect::Apart));
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

/// The report: an unconfirmed comparison, since nothing is known of the order of the rounds.
fn report(
    args: &CompareArgs,
    sources: &Sources,
    stdin: &mut dyn Read,
    unknown: Unknown,
) -> Result<Report, CompareError> {
    let mut loader = Loader::new(&args.format, unknown, stdin);
    let (columns, builder) = columns::read(&mut loader, &sources.inputs, sources.rounds, &expressions(args))?;
    let mut policy = Compare::default();
    args.apply(&mut policy);
    let options = FileOptions {
        tool: concat!("bench-bot ", env!("CARGO_PKG_VERSION")).to_owned(),
        compare: policy,
        confidence: args.confidence,
        ..FileOptions::default()
    };
    let mut report = compare::files(&columns, &options);
    // Of unequal samples the warning that has file and line is kept.
    report.warnings.retain(|warning| warning.code != "unequal-n");
    report.warnings.append(&mut loader.warnings);
    let tables = tables(builder, &judged(args, &loader));
    report.warnings.extend(mismatch::warnings(&tables, &sources.inputs, mismatch::Effect::Paired));
    Ok(report)
}

fn judged(args: &CompareArgs, loader: &Loader<'_>) -> Options {
    Options { alpha: args.error_rate(), confidence: args.confidence, assumptions: loader.statements.assumptions() }
}

/// A report of files that bench-bot measured itself.
fn show_measured(args: &CompareArgs, measured: &[MeasuredFile], others: &Others<'_>) -> Result<Shown, CompareError> {
    if let Some(option) = args.of_plain_files() {
        return Err(CompareError::Usage(format!(
            "{option} is for plain files; results that bench-bot measured are analysed by their own plan"
        )));
    }
    let report = (others.measured)(measured).map_err(CompareError::Usage)?;
    let text = match args.layout {
        FileLayout::Default | FileLayout::Json | FileLayout::Markdown => return shown(args, &report, others),
        FileLayout::Csv => classic::csv(&report),
        FileLayout::Benchstat => classic::text(&report, Layout::Benchstat),
        FileLayout::BenchstatV1 => classic::text(&report, Layout::BenchstatV1),
        FileLayout::Benchcmp => classic::text(&report, Layout::Benchcmp),
    };
    Ok(Shown { text, trips: compare::trips(&report, &fail_on(args)), ..Shown::default() })
}

fn shown(args: &CompareArgs, report: &Report, others: &Others<'_>) -> Result<Shown, CompareError> {
    let text = (others.render)(report, args.layout).map_err(CompareError::Render)?;
    let trips = compare::trips(report, &fail_on(args));
    let compared =
        report.suites.iter().flat_map(|suite| &suite.rows).any(|row| row.base.is_some() && row.head.is_some());
    let nothing = (!compared).then(|| "no benchmark has results in the first file and in another one".to_owned());
    Ok(Shown { text, nothing, trips, ..Shown::default() })
}

fn show_benchstat(args: &CompareArgs, sources: &Sources, stdin: &mut dyn Read) -> Result<Shown, CompareError> {
    let (tables, warnings) = tabulate(args, sources, stdin)?;
    let mut shown = Shown { warnings, nothing: nothing(args, sources, &tables), ..Shown::default() };
    if args.layout == FileLayout::Csv {
        csv::write(&tables, &mut shown.text, &mut shown.notes);
    } else {
        text::write(&tables, &mut shown.text);
    }
    // The program ends soon, and the kernel takes memory back sooner than the allocator gives tens of thousands of pieces.
    std::mem::forget(tables);
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
    let mut loader = Loader::new(&args.format, Unknown::AsGo, stdin);
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
    shown.text = collection.text(v1::Options { alpha: args.error_rate(), geomean: args.geomean });
    Ok(shown)
}

fn show_benchcmp(args: &CompareArgs, sources: &Sources, stdin: &mut dyn Read) -> Result<Shown, CompareError> {
    let [old, new] = sources.inputs.as_slice() else {
        return Err(CompareError::Usage("the layout benchcmp compares exactly two files".to_owned()));
    };
    let mut loader = Loader::new(&args.format, Unknown::AsGo, stdin);
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
