//! How text from outside gets into a rendering: as a token that means nothing until it is in its place.
//!
//! A template never sees a benchmark's name. It gets a token of private-use characters, which no filter can open, and
//! [`settle`](super::settle::settle) puts the name in after the template is done, escaped for the place that the token
//! stands in. HTML and terminal reports escape by themselves and take the text as it is, made visible.

use super::escape;
use regex::Regex;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// First character of a token.
pub(super) const OPEN: char = '\u{e000}';
/// Last character of a token.
pub(super) const CLOSE: char = '\u{e001}';
/// The digit 0 of a token; nine more follow it.
pub(super) const ZERO: char = '\u{e010}';

/// Text from outside as a view holds it. Only [`Ink`] makes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Outside(String);

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One text from outside, visible but not yet escaped for a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Whether it is a block of lines.
    pub lines: bool,
}

/// What text from outside becomes.
#[derive(Debug)]
pub enum Ink {
    /// The visible text, for writers that escape by themselves.
    Plain,
    /// Tokens, for Markdown templates.
    Tokens(RefCell<Ledger>),
}

/// The texts behind the tokens of one rendering.
#[derive(Debug, Default)]
pub struct Ledger {
    pieces: Vec<Piece>,
    index: HashMap<Piece, usize>,
}

impl Ink {
    /// For Markdown.
    #[must_use]
    pub fn tokens() -> Self {
        Self::Tokens(RefCell::default())
    }

    /// A name, a message, a branch: shown on one line, cut at 120 characters.
    #[must_use]
    pub fn outside(&self, text: &str) -> Outside {
        self.put(Piece { text: escape::visible(text), lines: false })
    }

    /// A unit: one of everyday look (`sec/op`, `B/s`) stays text, any other is text from outside.
    #[must_use]
    pub fn unit(&self, text: &str) -> Outside {
        let mut parts = text.split('/');
        let word = |part: &str| (1..=12).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic());
        if parts.by_ref().take(2).all(word) && parts.next().is_none() && !text.is_empty() {
            return Outside(text.to_owned());
        }
        self.outside(text)
    }

    /// A suite's name; plain files have none.
    #[must_use]
    pub fn suite(&self, name: &str) -> Outside {
        if name.is_empty() { Outside("benchmarks".to_owned()) } else { self.outside(name) }
    }

    /// A command or a sentence of a tool: shown on one line, cut at 600 characters.
    #[must_use]
    pub fn long(&self, text: &str) -> Outside {
        self.put(Piece { text: escape::visible_to(text, 600), lines: false })
    }

    /// The words of a tool: as they are if they are nothing but words, otherwise a text from outside as a whole.
    #[must_use]
    pub fn quote(&self, text: &str) -> String {
        let prose = self.prose(text);
        if prose.contains(OPEN) { self.long(text).to_string() } else { prose }
    }

    /// A sentence that has names from outside in it: words of letters and short numbers stay text, everything else becomes
    /// a text from outside of its own. Cut at 600 characters.
    #[must_use]
    pub fn prose(&self, text: &str) -> String {
        let shown = escape::visible_to(text, 600);
        if matches!(self, Self::Plain) {
            return shown;
        }
        let mut sentence = String::with_capacity(shown.len());
        let mut foreign: Vec<&str> = Vec::new();
        for (index, word) in shown.split(' ').enumerate() {
            if harmless(word, index == 0) {
                self.flush(&mut sentence, &mut foreign);
                push_word(&mut sentence, word);
            } else {
                foreign.push(word);
            }
        }
        self.flush(&mut sentence, &mut foreign);
        sentence
    }

    fn flush(&self, sentence: &mut String, foreign: &mut Vec<&str>) {
        if !foreign.is_empty() {
            let text = foreign.join(" ");
            foreign.clear();
            // Punctuation of the sentence is not part of the name.
            let name = text.trim_end_matches([',', ';', ':', '.']);
            let (name, rest) = if name.is_empty() { (text.as_str(), "") } else { text.split_at(name.len()) };
            // What is quoted already is not quoted again.
            let name = name
                .strip_prefix('`')
                .and_then(|name| name.strip_suffix('`'))
                .filter(|n| !n.is_empty())
                .unwrap_or(name);
            push_word(sentence, &format!("{}{rest}", self.put(Piece { text: name.to_owned(), lines: false })));
        }
    }

    /// Lines that are shown in a fence. Whoever calls this has made them visible.
    #[must_use]
    pub fn lines(&self, text: String) -> Outside {
        self.put(Piece { text, lines: true })
    }

    fn put(&self, piece: Piece) -> Outside {
        match self {
            Self::Plain => Outside(piece.text),
            Self::Tokens(ledger) => Outside(ledger.borrow_mut().token(piece)),
        }
    }

    /// The texts behind the tokens, in the order of their numbers.
    #[must_use]
    pub fn into_pieces(self) -> Vec<Piece> {
        match self {
            Self::Plain => Vec::new(),
            Self::Tokens(ledger) => ledger.into_inner().pieces,
        }
    }
}

impl Ledger {
    fn token(&mut self, piece: Piece) -> String {
        let number = *self.index.entry(piece.clone()).or_insert_with(|| {
            self.pieces.push(piece);
            self.pieces.len() - 1
        });
        std::iter::once(OPEN).chain(number.to_string().bytes().map(digit)).chain([CLOSE]).collect()
    }
}

/// Whether `pattern` is found in `text` with its tokens replaced by what they stand for.
#[must_use]
pub(super) fn matches(pieces: &[Piece], text: &str, pattern: &Regex) -> bool {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match read_token(rest) {
            Some((number, length)) => {
                plain.push_str(pieces.get(number).map_or("", |piece| &piece.text));
                rest = &rest[length..];
            }
            None => {
                plain.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    pattern.is_match(&plain)
}

fn push_word(sentence: &mut String, word: &str) {
    if !sentence.is_empty() {
        sentence.push(' ');
    }
    sentence.push_str(word);
}

/// Whether a word cannot be anything but a word: no mention, reference, link, commit, list or markup.
fn harmless(word: &str, first: bool) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        let kinds = [
            r"[\p{L}\p{M}]+(?:'s)?",
            // `GNU/Linux`; three parts would be a path.
            r"[A-Za-z]+/[A-Za-z]+",
            // A number with a sign, an exponent or a unit; a version; a date.
            r"[+−-]?[0-9]{1,6}(?:e[+-]?[0-9]{1,3}|[A-Za-z%]{0,4})",
            r"[+−-]?[0-9]+(?:\.[0-9]+){1,3}(?:e[+-]?[0-9]{1,3}|[A-Za-z%]{0,4})",
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
            // Hyphens, but no number at the end: `GH-1` is a reference.
            r"[A-Za-z0-9]+(?:-[A-Za-z]+)+",
            r"[%≤≥±×→]",
        ];
        Regex::new(&format!(r"^\(?(?:{})[,;:.?)]{{0,2}}$", kinds.join("|"))).expect("a constant pattern")
    });
    static COMMIT: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[0-9a-f]{7,}").expect("a constant pattern"));
    // A number with a point or a bracket would begin a list.
    let list = first && word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(['.', ')']);
    // GitHub makes links of what begins so.
    let link = word.to_ascii_lowercase().contains("www.");
    word.len() <= 60 && !list && !link && WORD.is_match(word) && !COMMIT.is_match(word.trim_start_matches('('))
}

fn digit(ascii: u8) -> char {
    char::from_u32(u32::from(ZERO) + u32::from(ascii - b'0')).expect("ten private-use characters follow ZERO")
}

/// The number of the token at the start of `text`, and the token's length in bytes.
pub(super) fn read_token(text: &str) -> Option<(usize, usize)> {
    let inner = text.strip_prefix(OPEN)?;
    let end = inner.find(CLOSE)?;
    let mut number = 0_usize;
    for c in inner[..end].chars() {
        let digit = u32::from(c).checked_sub(u32::from(ZERO)).filter(|&d| d < 10)?;
        number = number.checked_mul(10)?.checked_add(digit as usize)?;
    }
    (end > 0).then_some((number, OPEN.len_utf8() + end + CLOSE.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_equal_texts_share_one() {
        let ink = Ink::tokens();
        let tokens: Vec<_> = ["a", "b", "a"].iter().map(|name| ink.outside(name).to_string()).collect();
        assert_eq!(tokens[0], tokens[2]);
        assert_eq!(read_token(&format!("{}rest", tokens[1])), Some((1, tokens[1].len())));
        assert_eq!(ink.into_pieces().len(), 2);
        assert_eq!(read_token("no token"), None);
        assert_eq!(read_token("\u{e000}\u{e001}"), None);
    }

    #[test]
    fn prose_keeps_words_and_hides_names() {
        let ink = Ink::tokens();
        let sentence = ink.prose("Two packages (github.com/a/b, @org/team #1) differ: see www.x.org.");
        let pieces: Vec<String> = ink.into_pieces().into_iter().map(|piece| piece.text).collect();
        assert_eq!(pieces, ["(github.com/a/b, @org/team #1)", "www.x.org"]);
        assert!(sentence.starts_with("Two packages \u{e000}"), "{sentence:?}");
        assert!(sentence.ends_with("\u{e001}."), "{sentence:?}");
        assert_eq!(Ink::Plain.prose("a @b"), "a @b");
        let ink = Ink::tokens();
        let own = "The CPU's time on Debian GNU/Linux 12 was 1.8 %";
        assert_eq!(ink.prose(own), own, "a code span would say that this is a name");
        assert!(ink.prose("see a/b/c and /bench").contains(OPEN));
    }

    #[test]
    fn a_token_shows_nothing_of_its_text() {
        let token = Ink::tokens().outside("<img src=x>").to_string();
        assert!(token.chars().all(|c| ('\u{e000}'..='\u{e019}').contains(&c)), "{token:?}");
        assert_eq!(Ink::Plain.outside("<b>").to_string(), "<b>");
    }
}
