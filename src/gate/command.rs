//! `/bench` in a comment: the words of a person who may or may not be friendly.
//!
//! ```text
//! line       := "/bench" [ subcommand ] ( argument )*
//! subcommand := "run" | "help" | "cancel" | "status"
//! argument   := key "=" value | name of a suite
//! value      := bare | '"' ( any character | '\"' | '\\' )* '"'
//! ```
//!
//! Nothing of it is ever a command of a shell: names must be those of configured suites, and every other value has a
//! form of its own that is checked here.

use super::markdown;
use super::quote::code;
use crate::config::{self, MAX_ROUNDS, Rounds, parse_duration, parse_ratio, refname};
use std::time::Duration;

/// The word that calls us.
pub const WORD: &str = "/bench";

/// The keys of arguments.
pub const KEYS: &[&str] = &["suite", "filter", "base", "head", "rounds", "budget", "threshold"];

/// The subcommands.
pub const SUBCOMMANDS: &[&str] = &["run", "help", "cancel", "status"];

/// The longest line, in bytes.
pub const MAX_LINE: usize = 1024;

/// Most arguments of one line.
pub const MAX_ARGUMENTS: usize = 32;

/// What a comment asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Measure.
    Run(Box<Arguments>),
    /// Say how it is used.
    Help,
    /// Stop the run that is on its way.
    Cancel,
    /// Say what is on its way.
    Status,
}

/// The arguments of a run, each checked for its form; suites are not yet looked up.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments {
    /// Names or patterns (`*`, `?`) of suites, in the order given; empty: all.
    pub suites: Vec<String>,
    /// Regular expression over names of benchmarks.
    pub filter: Option<String>,
    /// Branch, tag or commit to compare with.
    pub base: Option<String>,
    /// The beginning of the head commit's id, 7 to 64 hexadecimal digits in lower case.
    pub head: Option<String>,
    /// Rounds a side.
    pub rounds: Option<Rounds>,
    /// Time for all rounds.
    pub budget: Option<Duration>,
    /// Smallest change that counts, as a ratio.
    pub threshold: Option<f64>,
}

/// Why a command cannot be carried out, in one line of Markdown. What the person wrote is inside code spans.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// The first word is no subcommand and nearly one.
    #[error("there is no {}; did you mean `/bench {did_you_mean}`?", code(&format!("/bench {word}")))]
    UnknownSubcommand {
        /// The word.
        word: String,
        /// The nearest subcommand.
        did_you_mean: String,
    },
    /// A key that there is not.
    #[error("there is no argument {}{}", code(&format!("{key}=")), hint(did_you_mean.as_deref(), KEYS, "="))]
    UnknownKey {
        /// The key.
        key: String,
        /// The nearest one.
        did_you_mean: Option<String>,
    },
    /// A word that is no suite's name.
    #[error("there is no suite {}{}", code(name), hint(did_you_mean.as_deref(), suites, ""))]
    UnknownSuite {
        /// The word.
        name: String,
        /// The nearest name.
        did_you_mean: Option<String>,
        /// The names that there are.
        suites: Vec<String>,
    },
    /// A key that is there twice.
    #[error("`{0}=` is there twice")]
    DuplicateKey(&'static str),
    /// A key without a value.
    #[error("`{0}=` has no value")]
    MissingValue(&'static str),
    /// A value that the key cannot have.
    #[error("`{key}=` cannot be {}: {allowed}", code(value))]
    BadValue {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What is possible.
        allowed: String,
    },
    /// A quote that is not closed.
    #[error("a quote is opened and not closed")]
    UnclosedQuote,
    /// A character that stands only inside quotes, or nowhere.
    #[error("{} is not allowed here{}", code(&shown(*.0)), about(*.0))]
    NotAllowedChar(char),
    /// An argument where there can be none.
    #[error("`/bench {subcommand}` takes no arguments, and there is {}", code(argument))]
    UnexpectedArgument {
        /// The subcommand.
        subcommand: &'static str,
        /// The argument.
        argument: String,
    },
    /// The line has too many bytes or arguments.
    #[error("the command is too long: at most {MAX_LINE} bytes and {MAX_ARGUMENTS} arguments")]
    TooLong,
    /// Several commands in one comment.
    #[error("there are {0} different commands in this comment: write one")]
    TooManyCommands(usize),
}

/// What a comment asks for; `None` if it has no command. Comments of ours never have one.
///
/// # Errors
/// When it has a command that cannot be understood, or several.
pub fn parse(body: &str) -> Result<Option<Command>, CommandError> {
    if body.trim_start().starts_with("<!-- bench-bot:") {
        return Ok(None);
    }
    let mut lines = markdown::lines(body, WORD);
    lines.dedup();
    let mut different = Vec::new();
    for line in lines {
        if !different.contains(&line) {
            different.push(line);
        }
    }
    match different.as_slice() {
        [] => Ok(None),
        [line] => parse_line(line).map(Some),
        several => Err(CommandError::TooManyCommands(several.len())),
    }
}

fn parse_line(line: &str) -> Result<Command, CommandError> {
    if line.len() > MAX_LINE {
        return Err(CommandError::TooLong);
    }
    let words = words(line.strip_prefix(WORD).unwrap_or(line))?;
    if words.len() > MAX_ARGUMENTS {
        return Err(CommandError::TooLong);
    }
    let (first, rest) = match words.split_first() {
        Some((first, rest)) if first.key.is_none() && !first.quoted => (Some(first.value.as_str()), rest),
        _ => (None, &words[..]),
    };
    let without_arguments = |subcommand: &'static str, command| match rest.first() {
        None => Ok(command),
        Some(word) => Err(CommandError::UnexpectedArgument { subcommand, argument: word.to_string() }),
    };
    match first {
        Some("help") => without_arguments("help", Command::Help),
        Some("cancel") => without_arguments("cancel", Command::Cancel),
        Some("status") => without_arguments("status", Command::Status),
        Some("run") => arguments(rest).map(|arguments| Command::Run(Box::new(arguments))),
        _ => arguments(&words).map(|arguments| Command::Run(Box::new(arguments))),
    }
}

/// One word of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    key: Option<String>,
    value: String,
    quoted: bool,
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.key {
            Some(key) => write!(f, "{key}={}", self.value),
            None => f.write_str(&self.value),
        }
    }
}

/// Whether a character may stand outside quotes.
const fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '.' | '/' | ':' | ',' | '+' | '*' | '?' | '%' | '@' | '~' | '^' | '-')
}

fn words(line: &str) -> Result<Vec<Word>, CommandError> {
    // Nobody can see these, so nobody can have meant them.
    if let Some(c) = line.chars().find(|c| (c.is_control() && *c != '\t') || config::invisible(*c)) {
        return Err(CommandError::NotAllowedChar(c));
    }
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    loop {
        while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        if chars.peek().is_none() {
            return Ok(words);
        }
        let mut word = Word { key: None, value: String::new(), quoted: false };
        while let Some(c) = chars.next_if(|c| !matches!(c, ' ' | '\t')) {
            match c {
                '"' if word.value.is_empty() && !word.quoted => {
                    word.quoted = true;
                    word.value = quoted(&mut chars)?;
                    if let Some(c) = chars.peek().filter(|c| !matches!(c, ' ' | '\t')) {
                        return Err(CommandError::NotAllowedChar(*c));
                    }
                }
                '=' if word.key.is_none() && !word.quoted => word.key = Some(std::mem::take(&mut word.value)),
                c if is_bare(c) => word.value.push(c),
                c => return Err(CommandError::NotAllowedChar(c)),
            }
        }
        words.push(word);
    }
}

/// The text up to the closing quote.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<String, CommandError> {
    let mut text = String::new();
    loop {
        match chars.next() {
            None => return Err(CommandError::UnclosedQuote),
            Some('"') => return Ok(text),
            // Any other backslash is one: regular expressions are full of them.
            Some('\\') => match chars.next_if(|c| matches!(c, '"' | '\\')) {
                Some(c) => text.push(c),
                None => text.push('\\'),
            },
            Some(c) => text.push(c),
        }
    }
}

fn arguments(words: &[Word]) -> Result<Arguments, CommandError> {
    let mut arguments = Arguments::default();
    let mut seen: Vec<&'static str> = Vec::new();
    for word in words {
        let Some(key) = &word.key else {
            if word.value.is_empty() || word.value.starts_with('-') {
                let allowed = "expected the name of a suite".to_owned();
                return Err(CommandError::BadValue { key: "suite", value: word.value.clone(), allowed });
            }
            arguments.suites.push(word.value.clone());
            continue;
        };
        let Some(key) = KEYS.iter().copied().find(|known| known == key) else {
            let did_you_mean = config::nearest(key, KEYS.iter().copied()).map(str::to_owned);
            return Err(CommandError::UnknownKey { key: key.clone(), did_you_mean });
        };
        if seen.contains(&key) {
            return Err(CommandError::DuplicateKey(key));
        }
        seen.push(key);
        if word.value.is_empty() {
            return Err(CommandError::MissingValue(key));
        }
        set(&mut arguments, key, &word.value).map_err(|allowed| CommandError::BadValue {
            key,
            value: word.value.clone(),
            allowed,
        })?;
    }
    Ok(arguments)
}

/// Checks one value for its form.
fn set(arguments: &mut Arguments, key: &str, value: &str) -> Result<(), String> {
    match key {
        "suite" => arguments.suites.extend(check_suites(value)?),
        "filter" => arguments.filter = Some(check_filter(value)?),
        "base" => arguments.base = Some(check_base(value)?),
        "head" => arguments.head = Some(check_head(value)?),
        "rounds" => arguments.rounds = Some(parse_rounds(value)?),
        "budget" => {
            let budget = parse_duration(value)?;
            if budget.is_zero() {
                return Err("must be longer than zero".to_owned());
            }
            arguments.budget = Some(budget);
        }
        _ => {
            let threshold = parse_ratio(value)?;
            if threshold > 10.0 {
                return Err("must be at most 1000%".to_owned());
            }
            arguments.threshold = Some(threshold);
        }
    }
    Ok(())
}

/// Names of suites with commas between them.
pub(super) fn check_suites(value: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(|name| name.is_empty() || name.starts_with('-')) {
        return Err("expected names of suites with commas between them".to_owned());
    }
    Ok(names)
}

/// A regular expression over names.
pub(super) fn check_filter(value: &str) -> Result<String, String> {
    if value.starts_with('-') {
        return Err("must not start with `-`".to_owned());
    }
    if value.len() > 512 {
        return Err("must have at most 512 bytes".to_owned());
    }
    match config::regex_fault(value) {
        Some(fault) => Err(fault),
        None => Ok(value.to_owned()),
    }
}

/// A branch, tag or commit.
pub(super) fn check_base(value: &str) -> Result<String, String> {
    match refname::check(value) {
        Ok(()) => Ok(value.to_owned()),
        Err(rule) => Err(format!("expected a branch, tag or commit of this repository: {rule}")),
    }
}

fn check_head(value: &str) -> Result<String, String> {
    if (7..=64).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(value.to_ascii_lowercase());
    }
    Err("expected at least 7 digits of the head commit's id".to_owned())
}

/// `20` for one stage, `8+16` for two.
pub(super) fn parse_rounds(value: &str) -> Result<Rounds, String> {
    let number = |text: &str| -> Result<u32, String> {
        let digits = !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit());
        let number = if digits { text.parse().ok() } else { None };
        match number {
            Some(rounds) if rounds >= 2 && rounds % 2 == 0 => Ok(rounds),
            _ => Err("expected an even number from 2 such as `20`, or two such as `8+16`".to_owned()),
        }
    };
    let Some((screen, confirm)) = value.split_once('+') else { return number(value).map(Rounds::Fixed) };
    let (screen, confirm) = (number(screen)?, number(confirm)?);
    if screen + confirm > MAX_ROUNDS {
        return Err(format!("two stages have at most {MAX_ROUNDS} rounds together"));
    }
    Ok(Rounds::Staged { screen, confirm })
}

fn hint<T: AsRef<str>>(near: Option<&str>, known: &[T], suffix: &str) -> String {
    match near {
        Some(near) => format!("; did you mean {}?", code(&format!("{near}{suffix}"))),
        None if known.is_empty() => String::new(),
        None => {
            let shown = known.iter().take(20).map(|one| code(&format!("{}{suffix}", one.as_ref())));
            format!("; there is {}", shown.collect::<Vec<_>>().join(", "))
        }
    }
}

fn shown(c: char) -> String {
    if c.is_control() || config::invisible(c) || c.is_whitespace() {
        format!("U+{:04X}", u32::from(c))
    } else {
        c.to_string()
    }
}

fn about(c: char) -> &'static str {
    match c {
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\'' | '\u{2018}' | '\u{2019}' => ": quotes are `\"`",
        c if c.is_control() || config::invisible(c) => "",
        _ => "; put the value in quotes, such as `filter=\"^Decode$\"`",
    }
}

#[cfg(test)]
mod tests;
