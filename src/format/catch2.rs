//! Catch2's XML reporter. It gives a mean and bounds, no samples.

use super::BenchmarkId;
use super::collect::{Collector, Value, in_package};
use super::error::FormatError;
use super::number;
use super::source::Source;
use super::tool::{About, Format, Raw, Tool};
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Reads `--reporter xml`.
pub(super) struct Catch2;

impl Tool for Catch2 {
    fn format(&self) -> Format {
        Format::Catch2
    }

    fn about(&self) -> About {
        About {
            title: "Catch2",
            command: "./tests '[!benchmark]' --reporter xml --out bench.xml",
            output: Some("bench.xml"),
            raw: Raw::Summary,
            value: "the mean of the samples",
        }
    }

    fn signs(&self, source: &Source) -> usize {
        let roots = ["<Catch ", "<Catch>", "<Catch2TestRun"];
        let results = source.lines().filter(|(_, line)| line.contains("<BenchmarkResults ")).count();
        let root = source.lines().any(|(_, line)| roots.iter().any(|root| line.contains(root)));
        results.max(usize::from(root))
    }

    fn text(&self, source: &Source, out: &mut Collector) -> Result<(), FormatError> {
        if self.signs(source) == 0 {
            return Ok(());
        }
        // Several test programs may follow each other, with a log between them.
        let mut at = 0;
        while let Some(next) = source.text[at..].find("<Catch").or_else(|| source.text[at..].find("<BenchmarkResults"))
        {
            let mut document = Reading { source, start: at + next, state: State::default() };
            at += next + document.read(out)?.max(1);
        }
        Ok(())
    }
}

/// Where the reader is.
#[derive(Default)]
struct State {
    /// The test case and its sections.
    path: Vec<String>,
    benchmark: Option<BenchmarkId>,
    iterations: Option<u64>,
    /// Text of an exception that is being read.
    exception: Option<String>,
    depth: usize,
}

struct Reading<'a> {
    source: &'a Source,
    start: usize,
    state: State,
}

impl Reading<'_> {
    /// Reads one document and returns its length.
    fn read(&mut self, out: &mut Collector) -> Result<usize, FormatError> {
        let before = out.len();
        let xml = &self.source.text[self.start..];
        let mut reader = Reader::from_str(xml);
        reader.config_mut().trim_text(true);
        loop {
            let at = usize::try_from(reader.buffer_position()).unwrap_or(0);
            let event = reader.read_event().map_err(|error| {
                let at = usize::try_from(reader.error_position()).unwrap_or(0);
                self.error(at, error.to_string())
            })?;
            match event {
                Event::Start(tag) => {
                    self.state.depth += 1;
                    self.open(&tag, at, out)?;
                }
                Event::Empty(tag) => {
                    self.open(&tag, at, out)?;
                    self.close(tag.name().as_ref(), out);
                }
                Event::End(tag) => {
                    self.state.depth = self.state.depth.saturating_sub(1);
                    self.close(tag.name().as_ref(), out);
                    if self.state.depth == 0 {
                        return Ok(usize::try_from(reader.buffer_position()).unwrap_or(xml.len()));
                    }
                }
                Event::Text(text) => {
                    if let Some(message) = &mut self.state.exception {
                        message.push_str(text.xml10_content().trim());
                    }
                }
                // Entities stand apart from the text around them.
                Event::GeneralRef(entity) => {
                    if let Some(message) = &mut self.state.exception {
                        message.push_str(resolve_xml_entity(&entity.xml10_content()).unwrap_or("?"));
                    }
                }
                // The program ended early: what it had measured before is kept.
                Event::Eof if self.state.depth > 0 && out.len() > before => {
                    out.warn(self.line(xml.len()), "the XML ends early: the test program did not finish");
                    return Ok(xml.len());
                }
                Event::Eof if self.state.depth > 0 => {
                    return Err(self.error(xml.len(), "the XML ends before </Catch>".to_owned()));
                }
                Event::Eof => return Ok(xml.len()),
                _ => {}
            }
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>, at: usize, out: &mut Collector) -> Result<(), FormatError> {
        match tag.name().as_ref() {
            "TestCase" | "Section" => {
                let name = self.attribute(tag, "name", at)?.unwrap_or_default();
                if tag.name().as_ref() == "TestCase" {
                    self.state.path.clear();
                }
                self.state.path.push(name);
            }
            "BenchmarkResults" => {
                let name = self.attribute(tag, "name", at)?.unwrap_or_default();
                self.state.benchmark = Some(in_package(self.state.path.join("/"), name));
                self.state.iterations = self.attribute(tag, "iterations", at)?.and_then(|count| count.parse().ok());
            }
            "mean" => {
                if let Some(id) = self.state.benchmark.clone() {
                    let text = self.attribute(tag, "value", at)?.unwrap_or_default();
                    let value = number::parse(&text).or_else(|| number::parse(text.split('(').next()?));
                    let value = value.ok_or_else(|| self.error(at, format!("expected a number, found \"{text}\"")))?;
                    let line = self.line(at);
                    out.add(Value::new(&id, "ns/iter", vec![value], line).iterations(self.state.iterations));
                }
            }
            "failed" => {
                if let Some(id) = self.state.benchmark.take() {
                    let message = self.attribute(tag, "message", at)?.unwrap_or_default();
                    out.failed(&id, message);
                }
            }
            "Exception" | "FatalErrorCondition" => self.state.exception = Some(String::new()),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, out: &mut Collector) {
        match name {
            "TestCase" | "Section" => drop(self.state.path.pop()),
            "BenchmarkResults" => self.state.benchmark = None,
            "Exception" | "FatalErrorCondition" => {
                // The test case ended here: what it would have measured afterwards is missing.
                if let (Some(message), Some(case)) = (self.state.exception.take(), self.state.path.first()) {
                    out.failed(&in_package(self.state.path.join("/"), case.clone()), message);
                }
            }
            _ => {}
        }
    }

    fn attribute(&self, tag: &BytesStart<'_>, name: &str, at: usize) -> Result<Option<String>, FormatError> {
        let attribute = tag.try_get_attribute(name).map_err(|error| self.error(at, error.to_string()))?;
        let Some(attribute) = attribute else { return Ok(None) };
        let value =
            attribute.normalized_value(XmlVersion::Explicit1_0).map_err(|error| self.error(at, error.to_string()))?;
        Ok(Some(value.into_owned()))
    }

    fn line(&self, at: usize) -> usize {
        // The position before an event is that behind the one before: white space is between.
        let end = (self.start + at).min(self.source.text.len());
        let bytes = self.source.text.as_bytes();
        let space = bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let end = if end + space < bytes.len() { end + space } else { end };
        1 + bytes[..end].iter().filter(|byte| **byte == b'\n').count()
    }

    fn error(&self, at: usize, expected: String) -> FormatError {
        FormatError::Syntax { format: Some(Format::Catch2), place: self.source.place(self.line(at)), expected }
    }
}

#[cfg(test)]
mod tests;
