//! One output, taken apart: JSON documents and the lines of text between them.
//!
//! Tools print JSON among compiler messages, several documents in a row, and text with colour codes. Everything is cut
//! once here, with its line numbers, so that each parser sees only what may be its own.

use super::error::{FormatError, Place};
use super::google::GoogleBenchmark;
use super::shape::Shape;
use super::tool::{Format, Tool};
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::ops::Range;

/// One file or stream.
#[derive(Debug)]
pub(super) struct Source {
    /// Path of the file; `None` for standard output.
    pub(super) name: Option<String>,
    /// The text: valid UTF-8, without colour codes, lines as they were.
    pub(super) text: String,
    /// The JSON documents, in order.
    pub(super) documents: Vec<Document>,
    /// The first JSON document that could not be read to its end.
    pub(super) broken: Option<Broken>,
    /// What JSON is read from: `text`, with bare `NaN` and `Infinity` made strings of the same length if there are any.
    json: Option<String>,
    /// Lines outside of documents: number and place.
    lines: Vec<(usize, Range<usize>)>,
}

/// A JSON document inside a source.
#[derive(Debug)]
pub(super) struct Document {
    /// The line that it starts on, from 1.
    pub(super) line: usize,
    /// Its outline.
    pub(super) shape: Shape,
    /// Whose it is.
    pub(super) owner: Option<Format>,
    range: Range<usize>,
    /// The document with its open brackets closed, if its end is missing.
    closed: Option<String>,
}

/// A JSON document that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    /// Where reading failed, from 1.
    pub(super) line: usize,
    /// What was expected there.
    pub(super) expected: String,
    /// Where the document starts (line and byte) if the input ended inside it.
    cut_off: Option<(usize, usize)>,
}

impl Source {
    /// Takes `bytes` apart.
    pub(super) fn new(name: Option<&str>, bytes: &[u8]) -> Self {
        let text = strip_escapes(decode(bytes));
        let mut source = Self {
            name: name.map(str::to_owned),
            json: None,
            text,
            documents: Vec::new(),
            broken: None,
            lines: Vec::new(),
        };
        if source.scan() {
            // Python, C++ and JavaScript print numbers that JSON does not have.
            source.json = quote_non_finite(&source.text);
            if source.json.is_some() {
                source.scan();
            }
        }
        source.salvage();
        source
    }

    /// Google Benchmark writes its rows while it runs. Where it ended early, the rows that are whole are kept; the
    /// source stays marked as broken.
    fn salvage(&mut self) {
        let Some((line, start)) = self.broken.as_ref().and_then(|broken| broken.cut_off) else { return };
        let Some(closed) = closed(&self.json()[start..]) else { return };
        let Ok(shape) = serde_json::from_str::<Shape>(&closed) else { return };
        if GoogleBenchmark.owns(&shape) {
            let range = start..self.json().len();
            self.documents.push(Document { line, shape, owner: None, range, closed: Some(closed) });
        }
    }

    /// The lines outside of JSON documents, with numbers from 1, without line ends.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        self.lines.iter().map(|(number, range)| (*number, &self.text[range.clone()]))
    }

    /// Whether there is nothing but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether there is nothing but an empty JSON list or object.
    pub(super) fn is_empty_list(&self) -> bool {
        let text: String = self.text.split_whitespace().collect();
        text == "[]" || text == "{}"
    }

    /// A place in this source, for messages.
    pub(super) fn place(&self, line: usize) -> Place {
        Place { file: self.name.clone(), line }
    }

    /// Reads `document` into `T`.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub(super) fn decode<T: DeserializeOwned>(&self, format: Format, document: &Document) -> Result<T, FormatError> {
        let json = document.closed.as_deref().unwrap_or(&self.json()[document.range.clone()]);
        serde_json::from_str(json).map_err(|error| FormatError::Syntax {
            format: Some(format),
            place: self.place(document.line + error.line().saturating_sub(1)),
            expected: describe(&error),
        })
    }

    fn json(&self) -> &str {
        self.json.as_deref().unwrap_or(&self.text)
    }

    /// Finds documents: wherever a line starts with a bracket, JSON is tried from there. Whether one of them was none.
    fn scan(&mut self) -> bool {
        let mut found = Scan::default();
        found.run(self.json());
        let Scan { documents, broken, lines, failed, .. } = found;
        (self.documents, self.broken, self.lines) = (documents, broken, lines);
        failed
    }
}

#[derive(Default)]
struct Scan {
    documents: Vec<Document>,
    broken: Option<Broken>,
    lines: Vec<(usize, Range<usize>)>,
    failed: bool,
    /// Where the unread part starts, and its line.
    at: usize,
    line: usize,
}

impl Scan {
    fn run(&mut self, json: &str) {
        (self.at, self.line) = (0, 1);
        let mut ended = false;
        while self.at < json.len() {
            let end = json[self.at..].find('\n').map_or(json.len(), |length| self.at + length);
            let indent = json[self.at..end].len() - json[self.at..end].trim_start().len();
            let opens = !ended && json[self.at + indent..end].starts_with(['{', '[']);
            if opens {
                match self.document(json, self.at + indent) {
                    Ok(()) => continue,
                    Err(Some((line, offset))) if line > self.line => {
                        self.text_until(json, line, offset);
                        continue;
                    }
                    Err(Some(_)) => {}
                    // The rest is inside a document that never ends: what looks like one there is only a part of it.
                    Err(None) => ended = true,
                }
            }
            self.push(json, self.at..end);
            self.at = end + 1;
            self.line += 1;
        }
    }

    /// Reads a document that starts at `start`. On failure: the line of the error and where that line starts, or
    /// `None` if the text ended too early.
    fn document(&mut self, json: &str, start: usize) -> Result<(), Option<(usize, usize)>> {
        let mut documents = serde_json::Deserializer::from_str(&json[start..]).into_iter::<Shape>();
        match documents.next() {
            Some(Ok(shape)) => {
                let end = start + documents.byte_offset();
                self.documents.push(Document { line: self.line, shape, owner: None, range: start..end, closed: None });
                self.line += json[start..end].matches('\n').count();
                self.at = end;
                // What follows on the same line may be another document, or text.
                let rest = json[end..].find('\n').map_or(json.len(), |length| end + length);
                if json[end..rest].trim().is_empty() {
                    self.at = rest + 1;
                    self.line += 1;
                }
                Ok(())
            }
            Some(Err(error)) => {
                self.failed = true;
                let line = self.line + error.line().saturating_sub(1);
                let cut_off = error.is_eof().then_some((self.line, start));
                // A line of a log may start with a bracket: it is called broken JSON only if it went on for a while.
                if self.broken.is_none() && (cut_off.is_some() || line > self.line || error.column() > 24) {
                    self.broken = Some(Broken { line, expected: describe(&error), cut_off });
                }
                if cut_off.is_some() {
                    return Err(None);
                }
                let offset = json[start..].match_indices('\n').nth(error.line().saturating_sub(2));
                Err(Some((line, offset.map_or(start, |(at, _)| start + at + 1))))
            }
            None => Err(Some((self.line, start))),
        }
    }

    /// Takes everything before `line`, which starts at `offset`, as text.
    fn text_until(&mut self, json: &str, line: usize, offset: usize) {
        while self.line < line && self.at < offset {
            let end = json[self.at..].find('\n').map_or(json.len(), |length| self.at + length);
            self.push(json, self.at..end);
            self.at = end + 1;
            self.line += 1;
        }
        self.at = offset;
        self.line = line;
    }

    fn push(&mut self, json: &str, range: Range<usize>) {
        let end = range.start + json[range.clone()].trim_end_matches('\r').len();
        self.lines.push((self.line, range.start..end));
    }
}

/// The bytes as text: a byte order mark decides, UTF-8 otherwise; what is not valid is replaced.
fn decode(bytes: &[u8]) -> String {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        // PowerShell redirects into UTF-16.
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Removes terminal escape sequences (colours, cursor movement, titles). What is not one stays.
fn strip_escapes(text: String) -> String {
    if !text.contains('\u{1b}') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        let sequence = &rest[at + 1..];
        let length = match sequence.chars().next() {
            Some('[') => sequence[1..]
                .find(|c: char| !matches!(c, '\u{20}'..='\u{3f}'))
                .map_or(sequence.len(), |end| 1 + end + sequence[1 + end..].chars().next().map_or(0, char::len_utf8)),
            Some(']') => sequence.find(['\u{7}', '\n']).map_or(sequence.len(), |end| match sequence.as_bytes()[end] {
                b'\n' => end,
                _ => end + 1,
            }),
            Some(other) if other.is_ascii_graphic() => 1,
            _ => 0,
        };
        rest = &sequence[length..];
    }
    out.push_str(rest);
    out
}

/// Bare numbers that JSON lacks, and strings of the same length that [`super::number::Num`] reads.
const NON_FINITE: &[(&str, &str)] = &[
    ("-Infinity", "\"-Infini\""),
    ("Infinity", "\"Infini\""),
    ("-nan(ind)", "\"NaN----\""),
    ("-nan", "\"-N\""),
    ("-inf", "\"-I\""),
    ("NaN", "\"N\""),
    ("nan", "\"N\""),
    ("inf", "\"I\""),
];

/// `text` with bare non-finite numbers quoted, every byte of the rest in its place; `None` if there are none.
fn quote_non_finite(text: &str) -> Option<String> {
    let mut out: Cow<'_, str> = Cow::Borrowed(text);
    let bytes = text.as_bytes();
    let (mut in_string, mut escaped) = (false, false);
    // The last byte that was not white space.
    let mut before = b'\n';
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'\n' {
            // JSON strings do not span lines: a stray quote in a log does no harm beyond its line.
            (in_string, escaped) = (false, false);
        } else if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
        } else if byte == b'"' {
            in_string = true;
        } else if matches!(before, b':' | b',' | b'[')
            && let Some((bare, quoted)) = NON_FINITE.iter().find(|(bare, _)| bytes[at..].starts_with(bare.as_bytes()))
            && bytes
                .get(at + bare.len())
                .is_none_or(|next| matches!(next, b',' | b']' | b'}') || next.is_ascii_whitespace())
        {
            out.to_mut().replace_range(at..at + bare.len(), quoted);
            before = b'"';
            at += bare.len();
            continue;
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
    match out {
        Cow::Owned(out) => Some(out),
        Cow::Borrowed(_) => None,
    }
}

/// Deepest nesting that JSON is read to.
const DEPTH: usize = 128;

/// A document whose end is missing, cut after the last whole object in a list, with the open brackets closed.
fn closed(json: &str) -> Option<String> {
    let mut open: Vec<u8> = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    // Where to cut, and how to close what is open there.
    let mut cut: Option<(usize, Vec<u8>)> = None;
    for (at, byte) in json.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        if open.len() > DEPTH {
            return None;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                let whole_element = byte == b'}' && open.last() == Some(&b']');
                if whole_element {
                    cut = Some((at + 1, open.clone()));
                }
            }
            _ => {}
        }
    }
    let (at, open) = cut?;
    Some(json[..at].chars().chain(open.iter().rev().map(|bracket| char::from(*bracket))).collect())
}

/// What a JSON error expected, without its own line numbers (they count from the document's start).
fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    if error.is_eof() { format!("the JSON ends too early ({text})") } else { text.to_owned() }
}

#[cfg(test)]
mod tests;
