//! The words of benchstat's expressions: what filters and projections are made of.

use super::grid::pad;
use regex::Regex;
use std::fmt;
use std::sync::LazyLock;

/// An expression that cannot be read, with the place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SyntaxError {
    /// The whole expression.
    pub query: String,
    /// Where it went wrong, in bytes.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl SyntaxError {
    pub(super) fn new(query: &str, offset: usize, message: impl Into<String>) -> Self {
        Self { query: query.to_owned(), offset, message: message.into() }
    }
}

impl fmt::Display for SyntaxError {
    /// The expression with a caret under the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = self.query.get(..self.offset).unwrap_or(&self.query);
        let column = before.chars().filter(|c| is_graphic(*c)).count();
        let mut blanks = String::new();
        pad(&mut blanks, column);
        write!(f, "syntax error: {}\n\t{}\n\t{blanks}^", self.message, self.query)
    }
}

static GRAPHIC: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\A[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]\z").expect("the expression is constant"));

/// Whether Go counts `c` as visible: letters, marks, numbers, punctuation, symbols and blanks.
fn is_graphic(c: char) -> bool {
    if c.is_ascii() { !c.is_ascii_control() } else { GRAPHIC.is_match(c.encode_utf8(&mut [0; 4])) }
}

/// `text` in double quotes, what is not visible in it escaped, as Go's `%q` has it.
pub(super) fn quoted(text: &str) -> String {
    use fmt::Write as _;
    let mut quoted = String::from('"');
    for c in text.chars() {
        // Writing into a string cannot fail.
        let _ = match c {
            '"' | '\\' => write!(quoted, "\\{c}"),
            '\u{7}' => write!(quoted, "\\a"),
            '\u{8}' => write!(quoted, "\\b"),
            '\u{c}' => write!(quoted, "\\f"),
            '\n' => write!(quoted, "\\n"),
            '\r' => write!(quoted, "\\r"),
            '\t' => write!(quoted, "\\t"),
            '\u{b}' => write!(quoted, "\\v"),
            ' ' => write!(quoted, " "),
            c if is_graphic(c) && !c.is_whitespace() => write!(quoted, "{c}"),
            c if c.is_ascii() => write!(quoted, "\\x{:02x}", u32::from(c)),
            c if u32::from(c) < 0x10000 => write!(quoted, "\\u{:04x}", u32::from(c)),
            c => write!(quoted, "\\U{:08x}", u32::from(c)),
        };
    }
    quoted.push('"');
    quoted
}

/// One word, operator or regular expression.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Where it begins, in bytes.
    pub(super) offset: usize,
    /// Its text; a quoted word without quotes and escapes.
    pub(super) text: String,
}

/// What a token is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A bare or quoted word.
    Word,
    /// `AND`.
    And,
    /// `OR`.
    Or,
    /// One of `( ) : @ , - *`; the last two only at the beginning of a word.
    Operator(char),
    /// `/…/`.
    Regex(Regex),
    /// Nothing follows.
    End,
}

impl Token {
    pub(super) const fn is_operator(&self, operator: char) -> bool {
        matches!(self.kind, Kind::Operator(c) if c == operator)
    }
}

/// A place in an expression. Copies are places to come back to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'q> {
    pub(super) query: &'q str,
    at: usize,
    /// What cannot be though it can be read: told only where nothing breaks the grammar, wherever that stands.
    late: Option<(usize, &'static str)>,
}

impl<'q> Tokens<'q> {
    pub(super) const fn new(query: &'q str) -> Self {
        Self { query, at: 0, late: None }
    }

    /// The next token where a key or an operator may stand, without consuming it.
    pub(super) fn peek(self) -> Result<Token, SyntaxError> {
        let mut copy = self;
        copy.next()
    }

    /// The next token where a key or an operator may stand.
    pub(super) fn next(&mut self) -> Result<Token, SyntaxError> {
        self.token(false)
    }

    /// The next token where a value, and so a regular expression, may stand.
    pub(super) fn next_value(&mut self) -> Result<Token, SyntaxError> {
        self.token(true)
    }

    /// An error at the place of `token`.
    pub(super) fn error(self, token: &Token, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.query, token.offset, message)
    }

    /// Refuses anything that is left, and what was noted.
    pub(super) fn end(self) -> Result<(), SyntaxError> {
        let token = self.peek()?;
        match token.kind {
            Kind::End => Ok(()),
            _ => Err(self.error(&token, format!("unexpected {}", quoted(&token.text)))),
        }?;
        self.late.map_or(Ok(()), |(offset, message)| Err(SyntaxError::new(self.query, offset, message)))
    }

    /// Notes an error at the place of `token` that grammar allows.
    pub(super) fn note(&mut self, token: &Token, message: &'static str) {
        self.late.get_or_insert((token.offset, message));
    }

    fn token(&mut self, regex_allowed: bool) -> Result<Token, SyntaxError> {
        let rest = &self.query[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let rest = &self.query[self.at..];
        match rest.chars().next() {
            None => Ok(Token { kind: Kind::End, offset: self.at, text: String::new() }),
            Some(c) if is_operator(c) || c == '-' || c == '*' => Ok(self.take(Kind::Operator(c), c.to_string(), 1)),
            Some('/') if regex_allowed => self.regex(),
            Some('"') => self.quoted(),
            Some(_) => {
                let end = rest.find(|c: char| c.is_whitespace() || is_operator(c)).unwrap_or(rest.len());
                let kind = match &rest[..end] {
                    "AND" => Kind::And,
                    "OR" => Kind::Or,
                    _ => Kind::Word,
                };
                Ok(self.take(kind, rest[..end].to_owned(), end))
            }
        }
    }

    fn take(&mut self, kind: Kind, text: String, length: usize) -> Token {
        let token = Token { kind, offset: self.at, text };
        self.at += length;
        token
    }

    fn quoted(&mut self) -> Result<Token, SyntaxError> {
        let inside = &self.query[self.at + 1..];
        let mut escaped = false;
        let end = inside.find(|c: char| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(end) = end else { return Err(SyntaxError::new(self.query, self.at, "missing end quote")) };
        let Some(word) = unescape(&inside[..end]) else {
            return Err(SyntaxError::new(self.query, self.at, "bad escape sequence"));
        };
        Ok(self.take(Kind::Word, word, end + 2))
    }

    fn regex(&mut self) -> Result<Token, SyntaxError> {
        let inside = &self.query[self.at + 1..];
        let Some(end) = closing_slash(inside) else {
            return Err(SyntaxError::new(self.query, self.at, "missing close \"/\""));
        };
        let expression = &inside[..end];
        let regex = Regex::new(expression)
            .map_err(|error| SyntaxError::new(self.query, self.at, format!("error parsing regexp: {error}")))?;
        let after = &inside[end + 1..];
        // Without this rule a slash inside the expression would end it unnoticed.
        if after.starts_with(|c: char| !(c.is_whitespace() || is_operator(c) || c == '-' || c == '*')) {
            let message = "regexp must be followed by space or an operator (unescaped \"/\"?)";
            return Err(SyntaxError::new(self.query, self.at + end + 2, message));
        }
        Ok(self.take(Kind::Regex(regex), expression.to_owned(), end + 2))
    }
}

const fn is_operator(c: char) -> bool {
    matches!(c, '(' | ')' | ':' | '@' | ',')
}

/// Where the `/` is that ends a regular expression: outside brackets and parentheses, not escaped.
fn closing_slash(text: &str) -> Option<usize> {
    let (mut brackets, mut parentheses) = (0_i32, 0_i32);
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '/' if brackets == 0 && parentheses == 0 => return Some(at),
            '[' => brackets += 1,
            ']' => brackets = (brackets - 1).max(0),
            '(' if brackets == 0 => parentheses += 1,
            ')' if brackets == 0 => parentheses -= 1,
            '\\' => escaped = true,
            _ => {}
        }
    }
    None
}

/// What a double-quoted Go string says. `None` for an escape that Go does not know, and for a line break.
fn unescape(text: &str) -> Option<String> {
    if text.contains('\n') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let kind = rest[at + 1..].chars().next()?;
        let after = &rest[at + 1 + kind.len_utf8()..];
        let number = |digits: usize, radix: u32, from: &'_ str| -> Option<u32> {
            let all = from.get(..digits)?.chars().all(|c| c.is_digit(radix));
            all.then(|| u32::from_str_radix(&from[..digits], radix).ok()).flatten()
        };
        let (code, length, is_byte) = match kind {
            'a' => (7, 0, true),
            'b' => (8, 0, true),
            'f' => (12, 0, true),
            'n' => (10, 0, true),
            'r' => (13, 0, true),
            't' => (9, 0, true),
            'v' => (11, 0, true),
            '\\' | '"' => (kind as u32, 0, true),
            'x' => (number(2, 16, after)?, 2, true),
            'u' => (number(4, 16, after)?, 4, false),
            'U' => (number(8, 16, after)?, 8, false),
            '0'..='7' => (number(3, 8, &rest[at + 1..])?, 2, true),
            _ => return None,
        };
        if is_byte {
            bytes.push(u8::try_from(code).ok()?);
        } else {
            bytes.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
        }
        rest = after.get(length..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_go_strings() {
        for (quoted, expected) in [
            (r"a b", Some("a b")),
            (r#"a\"b"#, Some("a\"b")),
            (r"\u2603\x41\101\t\\", Some("☃AA\t\\")),
            (r"\xc3\xa9", Some("é")),
            (r"\z", None),
            (r"\'", None),
            (r"\u12", None),
            (r"\400", None),
            (r"\ud800", None),
            ("a\nb", None),
        ] {
            assert_eq!(unescape(quoted).as_deref(), expected, "{quoted}");
        }
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        let error = SyntaxError::new("é:b x", 5, "expected key:value");
        assert_eq!(error.to_string(), "syntax error: expected key:value\n\té:b x\n\t    ^");
        // What has no width does not move it.
        let error = SyntaxError::new("\u{200b}\u{1}é:b", 7, "expected key:value");
        assert_eq!(error.to_string(), "syntax error: expected key:value\n\t\u{200b}\u{1}é:b\n\t  ^");
    }

    /// What Go's `%q` gives.
    #[test]
    fn words_are_quoted_as_go_quotes_them() {
        for (word, expected) in [
            ("a b", r#""a b""#),
            ("a\"\\", r#""a\"\\""#),
            ("é\u{301}日", "\"é\u{301}日\""),
            ("\u{a0}\u{200b}\u{7f}\u{1b}\t", r#""\u00a0\u200b\x7f\x1b\t""#),
            ("\u{e0001}", r#""\U000e0001""#),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
