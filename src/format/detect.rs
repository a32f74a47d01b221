//! From an output to its parser: by content, never by a file's name.

use super::collect::Collector;
use super::error::{FormatError, Place};
use super::source::Source;
use super::tool::{Format, Sources, TOOLS, Tool, tool};
use super::{Input, Parsed};

mod advice;

/// Reads the output of one execution.
///
/// `format` is a format's name, or `auto` to look at the content. Files win over standard output where there are any.
/// An output without benchmarks is a result without measurements and with a warning, of format [`Format::Nothing`]
/// under `auto`.
///
/// # Errors
/// When the format is unknown, the output is another tool's or nobody's, or it is broken; the error names the place and
/// what was expected there.
pub fn parse(format: &str, input: &Input<'_>) -> Result<(Format, Parsed), FormatError> {
    if format.trim().eq_ignore_ascii_case("auto") || format.trim().is_empty() {
        return automatic(sources(input));
    }
    let asked = Format::from_name(format).ok_or_else(|| unknown(format))?;
    let asked = tool(asked).ok_or(FormatError::NotAnOutput)?;
    forced(asked, sources(input))
}

/// The files if there are any, else standard output.
fn sources(input: &Input<'_>) -> Sources {
    let log = Source::new(None, input.stdout);
    if input.files.is_empty() {
        return Sources { output: vec![log], log: None };
    }
    let output = input.files.iter().map(|(path, bytes)| Source::new(Some(path), bytes)).collect();
    Sources { output, log: Some(log) }
}

fn automatic(mut sources: Sources) -> Result<(Format, Parsed), FormatError> {
    assign(&mut sources, None);
    let mut claims = claims(&sources);
    let mut from_log = false;
    if claims.is_empty() && sources.output.iter().all(Source::is_blank) {
        // A tool that was not told to write its file prints to standard output.
        if let Some(log) = sources.log.take_if(|log| !log.is_blank()) {
            sources.output = vec![log];
            claims = self::claims(&sources);
            from_log = true;
        }
    }
    let Some(&(mut most, _)) = claims.first() else { return nothing(&sources) };
    let mut out = Collector::default();
    let (mut counts, mut largest) = (Vec::new(), 0);
    for (tool, _) in &claims {
        let before = out.len();
        out.begin(tool.format());
        tool.read(&sources, &mut out)?;
        let count = out.len() - before;
        if count > 0 {
            counts.push(format!("{} ({count} values)", tool.format()));
        }
        if count > largest {
            (most, largest) = (*tool, count);
        }
    }
    if counts.len() > 1 {
        out.warn(0, format!("the output holds more than one format, all were read: {}", counts.join(", ")));
    }
    warn_of_broken(&sources, &mut out);
    let mut parsed = out.finish();
    note_log(from_log, &mut parsed);
    note_empty(most.format(), &mut parsed);
    Ok((most.format(), parsed))
}

fn forced(asked: &'static dyn Tool, mut sources: Sources) -> Result<(Format, Parsed), FormatError> {
    let format = asked.format();
    assign(&mut sources, Some(asked));
    if asked.claims(&sources) == 0 && sources.output.iter().all(Source::is_blank) {
        if let Some(log) = sources.log.take_if(|log| !log.is_blank()) {
            sources.output = vec![log];
        } else {
            let mut parsed = Parsed::default();
            note_empty(format, &mut parsed);
            return Ok((format, parsed));
        }
    }
    if asked.claims(&sources) == 0 {
        return Err(not_as_asked(asked, sources));
    }
    let mut out = Collector::default();
    out.begin(format);
    asked.read(&sources, &mut out)?;
    warn_of_broken(&sources, &mut out);
    let mut parsed = out.finish();
    note_empty(format, &mut parsed);
    Ok((format, parsed))
}

/// Says whose document each one is: of the tool that was asked for, else of the first tool that owns it.
fn assign(sources: &mut Sources, asked: Option<&dyn Tool>) {
    for document in sources.output.iter_mut().chain(sources.log.as_mut()).flat_map(|source| &mut source.documents) {
        document.owner = match asked {
            Some(asked) => asked.owns(&document.shape).then(|| asked.format()),
            None => TOOLS.iter().find(|tool| tool.owns(&document.shape)).map(|tool| tool.format()),
        };
    }
}

/// The tools that find something of theirs, the one with most first.
fn claims(sources: &Sources) -> Vec<(&'static dyn Tool, usize)> {
    let mut claims: Vec<(&'static dyn Tool, usize)> =
        TOOLS.iter().map(|tool| (*tool, tool.claims(sources))).filter(|(_, count)| *count > 0).collect();
    claims.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    claims
}

/// Nobody's output: empty, broken, a form without values, or something else.
fn nothing(sources: &Sources) -> Result<(Format, Parsed), FormatError> {
    if sources.output.iter().all(|source| source.is_blank() || source.is_empty_list()) {
        let mut parsed = Parsed::default();
        note_empty(Format::Nothing, &mut parsed);
        return Ok((Format::Nothing, parsed));
    }
    Err(broken(None, sources).unwrap_or_else(|| unrecognised(None, sources)))
}

fn not_as_asked(asked: &'static dyn Tool, mut sources: Sources) -> FormatError {
    if let Some(error) = broken(Some(asked.format()), &sources) {
        return error;
    }
    assign(&mut sources, None);
    if let Some(&(found, _)) = claims(&sources).first() {
        let owned = |source: &&Source| {
            let documents = source.documents.iter().any(|document| document.owner == Some(found.format()));
            documents || found.signs(source) > 0
        };
        let place = sources.output.iter().find(owned).map_or(Place { file: None, line: 0 }, |source| source.place(0));
        return FormatError::LooksLike { asked: asked.format(), found: found.format(), place };
    }
    // The only document there is tells best what it lacks.
    let mut documents = sources.output.iter().flat_map(|source| source.documents.iter().map(move |doc| (source, doc)));
    if let (Some((source, document)), None) = (documents.next(), documents.next()) {
        let mut out = Collector::default();
        if let Err(error) = asked.document(source, document, &mut out) {
            return error;
        }
    }
    unrecognised(Some(asked.format()), &sources)
}

fn broken(format: Option<Format>, sources: &Sources) -> Option<FormatError> {
    sources.output.iter().find_map(|source| {
        let broken = source.broken.as_ref()?;
        Some(FormatError::Syntax { format, place: source.place(broken.line), expected: broken.expected.clone() })
    })
}

fn unrecognised(asked: Option<Format>, sources: &Sources) -> FormatError {
    let written = sources.output.iter().find(|source| !source.is_blank());
    let first = written.and_then(|source| source.text.lines().find(|line| !line.trim().is_empty()));
    FormatError::Unrecognised {
        asked,
        place: written.map_or(Place { file: None, line: 0 }, |source| source.place(0)),
        first: first.unwrap_or_default().trim().chars().take(80).collect(),
        advice: sources.output.iter().chain(&sources.log).find_map(advice::advice),
    }
}

fn warn_of_broken(sources: &Sources, out: &mut Collector) {
    for source in &sources.output {
        if let Some(broken) = &source.broken {
            out.warn(broken.line, format!("{}: {}", source.place(broken.line), broken.expected));
        }
    }
}

fn note_log(from_log: bool, parsed: &mut Parsed) {
    if from_log {
        let message = "the output file is empty; standard output was read instead".to_owned();
        parsed.warnings.push(super::ParseWarning { line: 0, message });
    }
}

fn note_empty(format: Format, parsed: &mut Parsed) {
    if parsed.measurements.is_empty() && parsed.failures.is_empty() {
        let message = match format {
            Format::Nothing => "the command printed nothing".to_owned(),
            format => format!("no benchmark in the output ({format})"),
        };
        parsed.warnings.push(super::ParseWarning { line: 0, message });
    }
}

fn unknown(name: &str) -> FormatError {
    let name: String = name.chars().take(60).collect();
    let near = Format::ALL.iter().map(|format| (strsim::jaro_winkler(&name, format.name()), format.name()));
    let best = near.max_by(|left, right| left.0.total_cmp(&right.0)).filter(|(likeness, _)| *likeness > 0.8);
    FormatError::Unknown { suggestion: best.map(|(_, name)| name.to_owned()), name }
}
