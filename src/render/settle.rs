//! Puts text from outside into rendered Markdown, escaped for the place that it stands in.
//!
//! The Markdown is parsed with the tokens still in it. A token in text becomes a code span, in an HTML block `<code>`
//! with references, in a fence plain lines that cannot close it; wherever else one stands (a link's destination, a tag)
//! it is reduced to characters without any meaning. What a place is not known to be safe for is not put there.

use super::escape;
use super::ink::{CLOSE, OPEN, Piece, ZERO, read_token};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::ops::Range;

/// The GitHub extensions that change what is a structure.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}

/// Where in Markdown something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text { table: bool },
    Code { table: bool },
    Block { fence: char, length: usize },
    Html { block: usize },
    Structure,
}

/// `rendered` with every token replaced by its text, and all other characters of tokens dropped.
#[must_use]
pub fn settle(rendered: &str, pieces: &[Piece]) -> String {
    let places = places(rendered);
    let stray = stray_runs(rendered, &places);
    let mut settled = String::with_capacity(rendered.len() * 2);
    let mut next_place = 0;
    let mut copied = 0;
    while let Some(offset) = rendered[copied..].find(|c| (OPEN..='\u{e019}').contains(&c)) {
        let at = copied + offset;
        settled.push_str(&rendered[copied..at]);
        let Some((number, length)) = read_token(&rendered[at..]) else {
            copied = at + OPEN.len_utf8();
            continue;
        };
        copied = at + length;
        while places.get(next_place).is_some_and(|(range, _)| range.end <= at) {
            next_place += 1;
        }
        let place = places.get(next_place).filter(|(range, _)| range.start <= at).map_or(Place::Structure, |(_, p)| *p);
        if let Some(piece) = pieces.get(number) {
            let around = Around { before: &rendered[..at], after: &rendered[copied..], stray: &stray };
            around.push(&mut settled, piece, place);
        }
    }
    settled.push_str(&rendered[copied..]);
    debug_assert!(!settled.contains([OPEN, CLOSE, ZERO]), "a token was left");
    settled
}

/// Every stretch of text, code and HTML, in order.
fn places(rendered: &str) -> Vec<(Range<usize>, Place)> {
    let mut places = Vec::new();
    let mut table = false;
    let mut block = None;
    let mut html_block = None;
    for (event, range) in Parser::new_ext(rendered, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::TableCell) => table = true,
            Event::End(TagEnd::TableCell) => table = false,
            Event::Start(Tag::CodeBlock(kind)) => block = Some(block_place(&rendered[range], &kind)),
            Event::End(TagEnd::CodeBlock) => block = None,
            Event::Start(Tag::HtmlBlock) => html_block = Some(range.start),
            Event::End(TagEnd::HtmlBlock) => html_block = None,
            Event::Text(_) => places.push((range, block.unwrap_or(Place::Text { table }))),
            Event::Code(_) => places.push((range, Place::Code { table })),
            Event::Html(_) | Event::InlineHtml(_) => {
                let block = html_block.unwrap_or(range.start);
                places.push((range, Place::Html { block }));
            }
            _ => {}
        }
    }
    places
}

/// Lengths of runs of backticks that are text: unpaired, they would pair with one of a span that is put behind them.
fn stray_runs(rendered: &str, places: &[(Range<usize>, Place)]) -> BTreeSet<usize> {
    let texts = places.iter().filter(|(_, place)| matches!(place, Place::Text { .. }));
    let mut lengths = BTreeSet::new();
    for (range, _) in texts {
        // An event may end inside a run, so the run is measured in the whole.
        for (at, _) in rendered[range.clone()].match_indices('`') {
            let (before, after) = rendered.split_at(range.start + at);
            let run = |chars: &mut dyn Iterator<Item = char>| chars.take_while(|&c| c == '`').count();
            lengths.insert(run(&mut before.chars().rev()) + run(&mut after.chars()));
        }
    }
    lengths
}

fn block_place(source: &str, kind: &CodeBlockKind<'_>) -> Place {
    if matches!(kind, CodeBlockKind::Indented) {
        return Place::Block { fence: '`', length: usize::MAX };
    }
    let start = source.trim_start();
    let fence = start.chars().next().unwrap_or('`');
    Place::Block { fence, length: start.chars().take_while(|&c| c == fence).count() }
}

/// What stands before and after a token.
struct Around<'a> {
    before: &'a str,
    after: &'a str,
    stray: &'a BTreeSet<usize>,
}

impl Around<'_> {
    fn push(&self, out: &mut String, piece: &Piece, place: Place) {
        let one_line = || if piece.lines { escape::visible_to(&piece.text, 400) } else { piece.text.clone() };
        match place {
            Place::Text { .. } if self.in_url() => out.push_str(&escape::url_part(&piece.text)),
            Place::Text { table } => self.push_span(out, &self.span(&one_line(), table)),
            Place::Code { table } => push_in_span(out, &one_line(), table),
            Place::Block { fence, length } => self.push_block(out, piece, fence, length),
            Place::Html { block } => push_html(out, &self.before[block..], &one_line()),
            Place::Structure => out.push_str(&escape::url_part(&piece.text)),
        }
    }

    /// Whether the token continues a bare URL.
    fn in_url(&self) -> bool {
        let word = self.before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '<' | '>')).next();
        word.is_some_and(|word| word.contains("://") || word.contains("www."))
    }

    /// A code span of `text` that no stray backtick of the template can pair with.
    fn span(&self, text: &str, table: bool) -> String {
        if self.stray.is_empty() {
            return escape::code_span(text, table);
        }
        let length = (1..).find(|length| !self.stray.contains(length)).unwrap_or(1);
        let fence = "`".repeat(length);
        let mut span = fence.clone();
        push_in_span(&mut span, text, table);
        span + &fence
    }

    /// A code span, kept apart from characters that would change where it begins or ends.
    fn push_span(&self, out: &mut String, span: &str) {
        let touches = |c: char| matches!(c, '`' | '\\' | '$');
        // The text before may be another token's span by now.
        if out.ends_with(touches) {
            out.push(' ');
        }
        out.push_str(span);
        if self.after.starts_with(|c| touches(c) || c == OPEN) {
            out.push(' ');
        }
    }

    /// Lines of a fence, each with the indentation of the first, none of which can close it.
    fn push_block(&self, out: &mut String, piece: &Piece, fence: char, length: usize) {
        let start = self.before.rfind('\n').map_or(0, |at| at + 1);
        let line = &self.before[start..];
        let prefix = &line[..line.len() - line.trim_start_matches([' ', '\t', '>']).len()];
        let mut fresh = prefix.len() == line.len();
        for (index, text) in piece.text.split('\n').enumerate() {
            if index > 0 {
                out.push('\n');
                out.push_str(prefix);
                fresh = true;
            }
            let run = text.trim_start().chars().take_while(|&c| c == fence).count();
            if fresh && run >= length {
                let indent = text.len() - text.trim_start().len();
                out.push_str(&text[..indent]);
                out.extend(fence.escape_unicode());
                out.push_str(&text[indent + fence.len_utf8()..]);
            } else {
                out.push_str(text);
            }
        }
    }
}

/// Inside a span that the template opened.
fn push_in_span(out: &mut String, text: &str, table: bool) {
    for c in text.chars() {
        match c {
            '`' => out.push_str("\\u{60}"),
            '|' if table && out.ends_with('\\') => out.push_str("u{7c}"),
            '|' if table => out.push_str("\\|"),
            _ => out.push(c),
        }
    }
}

/// In HTML: `<code>` between tags, bare characters inside a tag or a comment.
fn push_html(out: &mut String, before: &str, text: &str) {
    let open = |start: &str, end: &str| match (before.rfind(start), before.rfind(end)) {
        (Some(start), Some(end)) => start > end,
        (start, _) => start.is_some(),
    };
    if open("<!--", "-->") || open("<", ">") {
        let attribute = before.rsplit([' ', '\t', '\n', '<']).next().unwrap_or_default().to_ascii_lowercase();
        if attribute.starts_with("href") || attribute.starts_with("src") {
            out.push_str(&escape::url_part(text));
        } else {
            // Should this be text after all, nothing in it may be a mention, a reference or a URL.
            out.push_str(
                &escape::html(text).replace('@', "\\u{40}").replace("://", ":\\u{2f}/").replace("--", "-\\u{2d}"),
            );
        }
    } else {
        out.push_str("<code>");
        out.push_str(&escape::html(text));
        out.push_str("</code>");
    }
}

#[cfg(test)]
mod tests {
    use super::super::ink::Ink;
    use super::*;

    /// `template` with `NAME` replaced by a token for `name`, settled.
    fn place(template: &str, name: &str) -> String {
        let ink = Ink::tokens();
        let token = ink.outside(name).to_string();
        settle(&template.replace("NAME", &token), &ink.into_pieces())
    }

    fn place_lines(template: &str, lines: &str) -> String {
        let ink = Ink::tokens();
        let token = ink.lines(lines.to_owned()).to_string();
        settle(&template.replace("NAME", &token), &ink.into_pieces())
    }

    #[test]
    fn a_name_is_escaped_for_its_place() {
        let name = "<img src=x>|`@all";
        assert_eq!(place("see NAME.", name), "see ``<img src=x>|`@all``.");
        assert_eq!(place("|a|b|\n|--|--|\n|NAME|x|", name), "|a|b|\n|--|--|\n|``<img src=x>\\|`@all``|x|");
        assert_eq!(
            place("<details><summary>NAME</summary>\n\nx\n\n</details>", name),
            "<details><summary><code>&lt;img src=x&gt;|&#96;@all</code></summary>\n\nx\n\n</details>"
        );
        assert_eq!(place("see `NAME`.", name), "see `<img src=x>|\\u{60}@all`.");
        assert_eq!(place("[x](NAME)", "javascript:alert(1)"), "[x](javascript%3Aalert%281%29)");
        assert_eq!(place("[x](https://host/NAME)", "a)b ../c"), "[x](https://host/a%29b%20..%2Fc)");
        assert_eq!(place("https://host/NAME", "x y"), "https://host/x%20y");
        assert_eq!(place("<a href=\"NAME\">", "\"><script>"), "<a href=\"%22%3E%3Cscript%3E\">");
        assert_eq!(place("<!-- NAME -->", "--> <b>@x"), "<!-- -\\u{2d}&gt; &lt;b&gt;\\u{40}x -->");
    }

    #[test]
    fn a_span_cannot_be_broken_from_beside() {
        assert_eq!(place("a\\NAME", "x"), "a\\ `x`");
        assert_eq!(place("NAMENAME", "x"), "`x` `x`");
        assert_eq!(place("$NAME$", "x"), "$ `x` $");
        assert_eq!(place("`` NAME", "a``b"), "`` `a\\u{60}\\u{60}b`");
        assert_eq!(place("` NAME", "x"), "` ``x``");
    }

    #[test]
    fn lines_cannot_close_their_fence() {
        assert_eq!(place_lines("```\nNAME\n```", "a\n```\n# b"), "```\na\n\\u{60}``\n# b\n```");
        assert_eq!(place_lines("````\nNAME\n````", "a\n```\n# b"), "````\na\n```\n# b\n````");
        assert_eq!(place_lines("> ```\n> NAME\n> ```", "a\nb"), "> ```\n> a\n> b\n> ```");
        assert_eq!(place_lines("see NAME", "a\nb"), "see `a\\u{a}b`");
    }

    #[test]
    fn broken_tokens_vanish() {
        assert_eq!(settle("a\u{e000}\u{e012}b\u{e001}c", &[]), "abc");
        assert_eq!(settle("a\u{e000}\u{e012}\u{e001}c", &[]), "ac");
    }
}
