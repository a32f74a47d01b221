//! Filters: which results and which of their values are used.

use super::projection::Observation;
use super::syntax::{Kind, SyntaxError, Token, Tokens, quoted};
use crate::format::go::name;
use regex::Regex;

/// A condition on results and on single values.
///
/// `key:value`, `key:"value"`, `key:/regexp/`, `key:(a OR b)`, put together by juxtaposition or `AND`, `OR`, `-`,
/// parentheses; `*` holds for everything. A key that a result lacks has an empty value.
#[derive(Debug, Clone)]
pub struct Filter(Node);

#[derive(Debug, Clone)]
enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Match { key: Key, pattern: Pattern },
}

#[derive(Debug, Clone)]
enum Pattern {
    Literal(String),
    Regex(Regex),
    /// One of these, from a projection's fixed order.
    OneOf(Vec<String>),
}

impl Pattern {
    fn matches(&self, value: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == value,
            Self::Regex(regex) => regex.is_match(value),
            Self::OneOf(values) => values.iter().any(|v| v == value),
        }
    }
}

/// Something that a result has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// The base of the name.
    Name,
    /// The whole name.
    FullName,
    /// A part of the name, with its `/`.
    Sub(String),
    /// The label of the input.
    File,
    /// A configuration key.
    Config(String),
    /// The unit of a value.
    Unit,
}

impl Key {
    pub(super) fn new(word: &str) -> Result<Self, &'static str> {
        Ok(match word {
            "" => return Err("key must not be empty"),
            ".name" => Self::Name,
            ".fullname" => Self::FullName,
            ".file" => Self::File,
            ".unit" => Self::Unit,
            _ if word.starts_with('/') => Self::Sub(word.to_owned()),
            _ => Self::Config(word.to_owned()),
        })
    }

    /// The key's value in `observation`, empty where it has none. A unit has no single value.
    pub(super) fn value<'o>(&self, observation: &Observation<'o>) -> &'o str {
        match self {
            Self::Name => name::base(observation.name),
            Self::FullName => observation.name,
            Self::Sub(key) => name::sub(observation.name, key).unwrap_or(""),
            Self::File => observation.file,
            Self::Config(key) => {
                observation.configuration.iter().find(|(k, _)| k == key).map_or("", |(_, value)| value)
            }
            Self::Unit => "",
        }
    }
}

/// Which values of a result a condition holds for.
enum Held {
    /// All or none.
    Whole(bool),
    /// Value by value.
    Each(Vec<bool>),
}

impl Filter {
    /// The filter that holds for everything.
    #[must_use]
    pub const fn everything() -> Self {
        Self(Node::And(Vec::new()))
    }

    /// Reads a filter expression.
    ///
    /// # Errors
    /// The expression does not follow the grammar, or `.config` is used, which has no single value.
    pub fn parse(query: &str) -> Result<Self, SyntaxError> {
        let mut tokens = Tokens::new(query);
        let node = any(&mut tokens)?;
        tokens.end()?;
        Ok(Self(node))
    }

    /// This filter, and `key` is one of `values`: what a projection with a fixed order asks for.
    pub(super) fn and_one_of(&mut self, key: Key, values: Vec<String>) {
        let known = std::mem::replace(&mut self.0, Node::And(Vec::new()));
        self.0 = Node::And(vec![Node::Match { key, pattern: Pattern::OneOf(values) }, known]);
    }

    /// Whether everything is used, so that nothing need be asked.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        matches!(&self.0, Node::And(nodes) if nodes.is_empty())
    }

    /// Which values are used: `units` are each value's unit as printed and tidied.
    pub(super) fn values(&self, observation: &Observation<'_>, units: &[(&str, &str)]) -> Vec<bool> {
        match evaluate(&self.0, observation, units) {
            Held::Whole(held) => vec![held; units.len()],
            Held::Each(held) => held,
        }
    }
}

fn evaluate(node: &Node, observation: &Observation<'_>, units: &[(&str, &str)]) -> Held {
    match node {
        Node::Match { key: Key::Unit, pattern } => Held::Each(
            units.iter().map(|(printed, tidied)| pattern.matches(tidied) || pattern.matches(printed)).collect(),
        ),
        Node::Match { key, pattern } => Held::Whole(pattern.matches(key.value(observation))),
        Node::Not(inner) => match evaluate(inner, observation, units) {
            Held::Whole(held) => Held::Whole(!held),
            Held::Each(held) => Held::Each(held.into_iter().map(|h| !h).collect()),
        },
        Node::And(nodes) => combine(nodes, observation, units, true),
        Node::Or(nodes) => combine(nodes, observation, units, false),
    }
}

/// All (`all`) or any of `nodes`; the first whole answer that decides ends it.
fn combine(nodes: &[Node], observation: &Observation<'_>, units: &[(&str, &str)], all: bool) -> Held {
    let mut each: Option<Vec<bool>> = None;
    for node in nodes {
        match evaluate(node, observation, units) {
            Held::Whole(held) if held != all => return Held::Whole(held),
            Held::Whole(_) => {}
            Held::Each(held) => match &mut each {
                None => each = Some(held),
                Some(known) => {
                    for (k, h) in known.iter_mut().zip(held) {
                        *k = if all { *k && h } else { *k || h };
                    }
                }
            },
        }
    }
    each.map_or(Held::Whole(all), Held::Each)
}

/// expr = and {"OR" and}
fn any(tokens: &mut Tokens<'_>) -> Result<Node, SyntaxError> {
    let mut terms = vec![all(tokens)?];
    while matches!(tokens.peek()?.kind, Kind::Or) {
        tokens.next()?;
        terms.push(all(tokens)?);
    }
    Ok(single_or(terms, Node::Or))
}

/// and = match {"AND"? match}
fn all(tokens: &mut Tokens<'_>) -> Result<Node, SyntaxError> {
    let mut terms = vec![condition(tokens)?];
    loop {
        let token = tokens.peek()?;
        match token.kind {
            Kind::And => {
                tokens.next()?;
            }
            Kind::Word | Kind::Operator('(' | '-' | '*') => terms.push(condition(tokens)?),
            Kind::Or | Kind::End | Kind::Operator(')') => return Ok(single_or(terms, Node::And)),
            _ => return Err(tokens.error(&token, format!("unexpected {}", quoted(&token.text)))),
        }
    }
}

fn single_or(mut terms: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    match terms.pop() {
        Some(only) if terms.is_empty() => only,
        Some(last) => {
            terms.push(last);
            many(terms)
        }
        None => many(terms),
    }
}

/// match = "(" expr ")" | "-" match | "*" | key ":" value | key ":" "(" value {"OR" value} ")"
fn condition(tokens: &mut Tokens<'_>) -> Result<Node, SyntaxError> {
    let token = tokens.next()?;
    match token.kind {
        Kind::Operator('(') => {
            let inner = any(tokens)?;
            let close = tokens.peek()?;
            if !close.is_operator(')') {
                return Err(tokens.error(&close, "missing \")\""));
            }
            tokens.next()?;
            Ok(inner)
        }
        Kind::Operator('-') => Ok(Node::Not(Box::new(condition(tokens)?))),
        Kind::Operator('*') => Ok(Node::And(Vec::new())),
        Kind::Word => matches(tokens, &token),
        _ => Err(tokens.error(&token, "expected key:value or subexpression")),
    }
}

/// What follows a key.
fn matches(tokens: &mut Tokens<'_>, key: &Token) -> Result<Node, SyntaxError> {
    if !tokens.next()?.is_operator(':') {
        return Err(tokens.error(key, "expected key:value"));
    }
    let value = tokens.next_value()?;
    if let Some(pattern) = pattern(&value) {
        return Ok(match_node(tokens, key, pattern));
    }
    if !value.is_operator('(') {
        return Err(tokens.error(key, "expected key:value"));
    }
    let mut alternatives = Vec::new();
    loop {
        let value = tokens.next_value()?;
        let Some(pattern) = pattern(&value) else { return Err(tokens.error(&value, "expected value")) };
        alternatives.push(match_node(tokens, key, pattern));
        let separator = tokens.next_value()?;
        match separator.kind {
            Kind::Operator(')') => return Ok(Node::Or(alternatives)),
            Kind::Or => {}
            _ => return Err(tokens.error(&separator, "value list must be separated by OR")),
        }
    }
}

fn pattern(token: &Token) -> Option<Pattern> {
    match &token.kind {
        Kind::Word => Some(Pattern::Literal(token.text.clone())),
        Kind::Regex(regex) => Some(Pattern::Regex(regex.clone())),
        _ => None,
    }
}

/// The condition that `key` is `pattern`. A key that cannot be is noted: it is an error where all else can be read.
fn match_node(tokens: &mut Tokens<'_>, key: &Token, pattern: Pattern) -> Node {
    let known = if key.text == ".config" { Err(".config is only allowed in projections") } else { Key::new(&key.text) };
    let key = known.unwrap_or_else(|message| {
        tokens.note(key, message);
        Key::FullName
    });
    Node::Match { key, pattern }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: [(&str, &str); 2] = [("ns/op", "sec/op"), ("B/op", "B/op")];

    fn held(query: &str) -> Vec<bool> {
        let configuration = [("goos", "linux"), ("a", "x y"), ("c", "d")];
        let observation = Observation { file: "old", configuration: &configuration, name: "Copy/size=4k/fast-8" };
        let filter = Filter::parse(query).unwrap_or_else(|error| panic!("{error}"));
        filter.values(&observation, &UNITS)
    }

    #[test]
    fn conditions_are_put_together() {
        for query in [
            "*",
            "goos:linux",
            "goos : linux",
            "goos:/in/",
            "goos:/^l[/n-z]*(in|/)ux$/",
            "a:\"x y\"",
            "\"a\":\"x y\"",
            "goos:(windows OR linux)",
            "goos:(windows OR /lin/)",
            ".name:Copy",
            ".fullname:Copy/size=4k/fast-8",
            "/size:4k",
            "/gomaxprocs:8",
            ".file:old",
            "missing:\"\"",
            "-goos:windows",
            "--goos:linux",
            "goos:linux c:d",
            "goos:linux AND AND c:d",
            "goos:windows OR c:d",
            "goos:windows c:d OR c:d",
            "-(goos:windows OR c:e)",
            "(goos:linux)-c:e",
        ] {
            assert_eq!(held(query), [true, true], "{query}");
        }
        for query in ["-*", "goos:lin", "goos:linux c:e", "-(goos:linux)", "/siz:4k", "a:x"] {
            assert_eq!(held(query), [false, false], "{query}");
        }
    }

    #[test]
    fn units_choose_single_values() {
        assert_eq!(held(".unit:ns/op"), [true, false]);
        assert_eq!(held(".unit:sec/op"), [true, false]);
        assert_eq!(held("-.unit:ns/op"), [false, true]);
        assert_eq!(held(".unit:/op$/ goos:linux"), [true, true]);
        assert_eq!(held(".unit:ns/op goos:windows"), [false, false]);
        assert_eq!(held(".unit:ns/op OR goos:windows"), [true, false]);
        assert_eq!(held(".unit:ns/op OR .unit:B/op"), [true, true]);
        assert_eq!(held(".unit:ns/op .unit:B/op"), [false, false]);
        assert_eq!(held("goos:linux OR .unit:ns/op"), [true, true]);
    }

    #[test]
    fn errors_name_the_place() {
        for (query, message, offset) in [
            ("a", "expected key:value", 0),
            ("a :", "expected key:value", 0),
            ("", "expected key:value or subexpression", 0),
            ("()", "expected key:value or subexpression", 1),
            ("AND", "expected key:value or subexpression", 0),
            ("a \"b", "missing end quote", 2),
            ("\"a\\z\":b", "bad escape sequence", 0),
            ("(a:b", "missing \")\"", 4),
            ("(a:b))", "unexpected \")\"", 5),
            ("a:b , c:d", "unexpected \",\"", 4),
            ("a:/b", "missing close \"/\"", 2),
            ("a:/b/c", "regexp must be followed by space or an operator (unescaped \"/\"?)", 5),
            ("a:(b c)", "value list must be separated by OR", 5),
            ("a:(b AND c)", "value list must be separated by OR", 5),
            ("a:(b OR AND)", "expected value", 8),
            ("a:()", "expected value", 3),
            ("c:d .config:x", ".config is only allowed in projections", 4),
            ("\"\":x", "key must not be empty", 0),
            // What breaks the grammar comes first, wherever it stands.
            (".config:a b", "expected key:value", 10),
            ("\"\":x .config:y", "key must not be empty", 0),
            ("a:b ,\u{301} c:d", "unexpected \",\"", 4),
        ] {
            let error = Filter::parse(query).expect_err(query);
            assert_eq!((error.message.as_str(), error.offset), (message, offset), "{query}");
        }
        assert!(Filter::parse("a:/x{2,1}/").expect_err("bad range").message.starts_with("error parsing regexp"));
    }
}
