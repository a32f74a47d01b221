//! Which lines of a comment a person can have meant as a command.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

/// The longest comment that is looked at, in bytes; GitHub keeps at most 262,144.
const MAX_BODY: usize = 256 * 1024;

/// The lines of `body` that begin with `word` as a word of its own, in top-level paragraphs only: not in quotes, lists,
/// code, links, images, headings, tables or HTML. The lines are as they were typed, without blanks around them.
///
/// The source is taken and not the parsed text, since Markdown would eat the stars of a regular expression.
pub(super) fn lines<'a>(body: &'a str, word: &str) -> Vec<&'a str> {
    if body.len() > MAX_BODY || !body.contains(word) {
        return Vec::new();
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let mut depth = 0usize;
    let mut paragraph: Option<Range<usize>> = None;
    let mut covered: Vec<Range<usize>> = Vec::new();
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                match tag {
                    Tag::Paragraph if depth == 0 => paragraph = Some(range),
                    Tag::Link { .. } | Tag::Image { .. } | Tag::Strikethrough => covered.push(range),
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) => {
                depth -= 1;
                if depth == 0
                    && let Some(paragraph) = paragraph.take()
                {
                    found.extend(commands(body, &paragraph, &covered, word));
                    covered.clear();
                }
            }
            Event::Code(_) | Event::InlineHtml(_) | Event::Html(_) | Event::FootnoteReference(_) => covered.push(range),
            _ => {}
        }
    }
    found
}

/// The command lines of one paragraph, without those that begin inside `covered`.
fn commands<'a>(body: &'a str, paragraph: &Range<usize>, covered: &[Range<usize>], word: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut start = paragraph.start;
    for line in body[paragraph.clone()].split_inclusive(['\n', '\r']) {
        let trimmed = line.trim_matches([' ', '\t', '\n', '\r']);
        let at = start + line.len() - line.trim_start_matches([' ', '\t']).len();
        let boundary = trimmed.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        if boundary && !covered.iter().any(|range| range.contains(&at)) {
            found.push(trimmed);
        }
        start += line.len();
    }
    found
}
