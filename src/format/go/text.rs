//! From bytes to lines of text: encodings, colours, `go test -json`.

use super::{json, number};
use std::borrow::Cow;

/// The text of one output, ready to be read line by line.
///
/// Byte order marks, UTF-16, terminal colours and the JSON of `go test -json` are gone; what is left is what the test
/// binary printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Text<'a> {
    /// The lines. Borrowed where the input was plain UTF-8.
    pub(super) content: Cow<'a, str>,
    /// For `go test -json`: where each package's output begins in `content`, and its import path.
    pub(super) packages: Vec<(usize, String)>,
    /// For `go test -json`: the line of the input that each line of `content` began on.
    pub(super) origins: Vec<usize>,
    /// What had to be repaired.
    pub(super) warnings: Vec<(usize, String)>,
}

/// Most repairs of one kind that are reported one by one.
const REPORTED: usize = 20;

impl<'a> Text<'a> {
    /// Decodes `bytes`. Never fails: what cannot be decoded is replaced and reported.
    #[must_use]
    pub fn decode(bytes: &'a [u8]) -> Self {
        let mut warnings = Vec::new();
        let content = strip_escapes(characters(bytes, &mut warnings));
        let mut text = Self { content, packages: Vec::new(), origins: Vec::new(), warnings };
        if json::looks_like_events(&text.content) {
            let decoded = json::decode(&text.content);
            text.content = Cow::Owned(decoded.content);
            text.packages = decoded.packages;
            text.origins = decoded.origins;
            text.warnings.extend(decoded.warnings);
        }
        text
    }

    /// The line of the input that line `line` (from 1) of the text began on.
    pub(super) fn origin(&self, line: usize) -> usize {
        if self.origins.is_empty() { line } else { self.origins.get(line - 1).copied().unwrap_or(0) }
    }

    /// The lines, as the old tools read them: without what a log collector put before them.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.content.lines().map(|line| {
            let plain = line.starts_with("Benchmark");
            if plain { line } else { super::line::without_prefix(line).unwrap_or(line) }
        })
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.content.len()
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Whether some of the first lines is one that `go test` prints.
    #[must_use]
    pub fn looks_like_go(&self) -> bool {
        const SIGNS: [&str; 9] =
            ["goos: ", "goarch: ", "pkg: ", "PASS", "ok  \t", "FAIL", "?   \t", "--- FAIL: Benchmark", "Unit "];
        self.is_json()
            || self.lines().take(2000).any(|line| {
                let result = line.strip_prefix("Benchmark").map(super::line::field);
                let counted = result.is_some_and(|(_, rest)| number::count(super::line::field(rest).0).is_ok());
                counted || SIGNS.iter().any(|sign| line.starts_with(sign))
            })
    }

    /// Whether the input was `go test -json`.
    #[must_use]
    pub fn is_json(&self) -> bool {
        !self.packages.is_empty()
    }
}

/// The characters of `bytes`: UTF-16 by its byte order mark or by its zero bytes, else UTF-8.
fn characters<'a>(bytes: &'a [u8], warnings: &mut Vec<(usize, String)>) -> Cow<'a, str> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => return Cow::Owned(utf16(rest, u16::from_le_bytes, warnings)),
        [0xfe, 0xff, rest @ ..] => return Cow::Owned(utf16(rest, u16::from_be_bytes, warnings)),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => {
            return Cow::Owned(utf16(bytes, u16::from_le_bytes, warnings));
        }
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => {
            return Cow::Owned(utf16(bytes, u16::from_be_bytes, warnings));
        }
        _ => {}
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let text = String::from_utf8_lossy(bytes);
            let bad = |line: &&[u8]| std::str::from_utf8(line).is_err();
            let mut lines = bytes.split(|&b| b == b'\n').zip(1..).filter(|(line, _)| bad(line));
            for (_, line) in lines.by_ref().take(REPORTED) {
                warnings.push((line, "this is no UTF-8: the bytes that are none were replaced by U+FFFD".to_owned()));
            }
            let more = lines.count();
            if more > 0 {
                warnings.push((0, format!("{more} more lines are no UTF-8")));
            }
            text
        }
    }
}

/// UTF-16 as PowerShell writes it. Characters that are none become U+FFFD.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, warnings: &mut Vec<(usize, String)>) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut line = 1;
    let mut broken = 0_usize;
    for character in char::decode_utf16(units) {
        let character = character.unwrap_or_else(|_| {
            broken += 1;
            if broken <= REPORTED {
                warnings.push((line, "half of a UTF-16 pair was replaced by U+FFFD".to_owned()));
            }
            char::REPLACEMENT_CHARACTER
        });
        line += usize::from(character == '\n');
        text.push(character);
    }
    if bytes.len() % 2 == 1 {
        warnings.push((line, "the input ends in the middle of a UTF-16 character".to_owned()));
    }
    text
}

/// `text` without terminal escape sequences (colours, cursor movement, window titles, links).
fn strip_escapes(text: Cow<'_, str>) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if memchr::memchr(0x1b, text.as_bytes()).is_none() {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut pieces = text.split(ESCAPE);
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        plain.push_str(after_escape(piece));
    }
    Cow::Owned(plain)
}

/// What follows an escape sequence whose escape character was already taken off.
fn after_escape(piece: &str) -> &str {
    let mut characters = piece.char_indices();
    match characters.next() {
        // Control sequence: parameters, then one final byte. A line's end stops a broken one.
        Some((_, '[')) => match characters.find(|&(_, c)| matches!(c, '\u{40}'..='\u{7e}') || c < ' ') {
            Some((at, c)) if c < ' ' => &piece[at..],
            Some((at, _)) => &piece[at + 1..],
            None => "",
        },
        // Operating system command: up to a bell. (Its other end is an escape, which is taken off as the next piece.)
        Some((_, ']')) => match characters.find(|&(_, c)| c == '\u{7}' || c == '\n') {
            Some((at, '\n')) => &piece[at..],
            Some((at, _)) => &piece[at + 1..],
            None => "",
        },
        // The end of an operating system command, or a two-character sequence.
        Some((_, c)) if c > ' ' => &piece[c.len_utf8()..],
        _ => piece,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "pkg: a\nBenchmarkÄ-8 \t100\t5 µs/op\n";

    #[test]
    fn encodings_give_the_same_text() {
        let le: Vec<u8> = LINES.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = LINES.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let with_bom = |bom: &[u8], bytes: &[u8]| [bom, bytes].concat();
        for bytes in [
            LINES.as_bytes().to_vec(),
            with_bom(b"\xef\xbb\xbf", LINES.as_bytes()),
            with_bom(b"\xff\xfe", &le),
            with_bom(b"\xfe\xff", &be),
            le,
            be,
        ] {
            let text = Text::decode(&bytes);
            assert_eq!(text.content, LINES);
            assert_eq!(text.warnings, []);
        }
    }

    #[test]
    fn broken_encodings_are_repaired_and_reported() {
        let text = Text::decode(b"fine\nbroken \xff here\n");
        assert_eq!(text.content, "fine\nbroken \u{fffd} here\n");
        assert_eq!(text.warnings.len(), 1);
        assert_eq!(text.warnings[0].0, 2);

        let text = Text::decode(b"\xff\xfeA\0\n\0\0\xd8B\0C");
        assert_eq!(text.content, "A\n\u{fffd}B");
        assert_eq!(text.warnings.iter().map(|w| w.0).collect::<Vec<_>>(), [2, 2]);

        let many = Text::decode(&b"\xff\n".repeat(50)).warnings;
        assert_eq!(many.len(), REPORTED + 1);
        assert!(many[REPORTED].1.starts_with("30 more"));
    }

    #[test]
    fn colours_are_removed() {
        for (colourful, plain) in [
            ("\u{1b}[32mBenchmarkX\u{1b}[0m\t1\n", "BenchmarkX\t1\n"),
            ("\u{1b}[1;38;5;200mA\u{1b}[K\n", "A\n"),
            ("\u{1b}]0;title\u{7}A\n", "A\n"),
            ("\u{1b}]8;;http://x\u{1b}\\link\n", "link\n"),
            ("\u{1b}(BA\n", "BA\n"),
            ("\u{1b}[31\nB\n", "\nB\n"),
            ("end\u{1b}", "end"),
        ] {
            assert_eq!(Text::decode(colourful.as_bytes()).content, plain, "{colourful:?}");
        }
    }
}
