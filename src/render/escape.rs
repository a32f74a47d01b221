//! Text from outside, made harmless for each place that it is shown in.
//!
//! Names, messages, branch names and output of commands are chosen by whoever opened the pull request. [`visible`] turns
//! what cannot be seen into what can; the other functions make the result inert in one kind of place.

use regex::Regex;
use std::io::Write;
use std::sync::LazyLock;

/// The longest name that is shown, in characters.
pub const NAME_LIMIT: usize = 120;

/// `text` on one line with everything invisible spelled out as `\u{…}`, cut after [`NAME_LIMIT`] characters;
/// `(unnamed)` if nothing is left to see.
///
/// Invisible are control characters, line breaks, blanks other than the space, zero-width and bidirectional format
/// characters, tags, private-use characters and noncharacters.
#[must_use]
pub fn visible(text: &str) -> String {
    visible_to(text, NAME_LIMIT)
}

/// [`visible`], cut after `limit` characters of the original.
#[must_use]
pub fn visible_to(text: &str, limit: usize) -> String {
    let mut shown = String::with_capacity(text.len());
    for (index, c) in text.trim_matches(' ').chars().enumerate() {
        if index == limit {
            shown.push('…');
            break;
        }
        push_visible(&mut shown, c);
    }
    if shown.is_empty() { "(unnamed)".to_owned() } else { shown }
}

fn push_visible(shown: &mut String, c: char) {
    if invisible(c) {
        shown.extend(c.escape_unicode());
    } else {
        shown.push(c);
    }
}

/// Whether a reader could not see `c`, or could be deceived by it.
fn invisible(c: char) -> bool {
    let listed = matches!(u32::from(c),
        0x00ad | 0x034f | 0x061c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
        | 0x2028..=0x202e | 0x2060..=0x206f | 0x2800 | 0x3164 | 0xe000..=0xf8ff | 0xfdd0..=0xfdef | 0xfe00..=0xfe0f
        | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1_bca0..=0x1_bca3 | 0x1_d173..=0x1_d17a | 0xe_0000..=0x10_ffff);
    listed || c.is_control() || (c.is_whitespace() && c != ' ') || u32::from(c) & 0xfffe == 0xfffe
}

/// Output of a command over several lines: terminal escapes and trailing blanks removed, secrets blotted out, tabs made
/// spaces, the rest of what is invisible spelled out; the last `limit` bytes, whole lines where possible.
#[must_use]
pub fn visible_lines(text: &str, limit: usize) -> String {
    static TERMINAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])").expect("a constant pattern")
    });
    let plain = TERMINAL.replace_all(text, "");
    let mut shown = String::with_capacity(plain.len());
    for line in redact(&plain).replace("\r\n", "\n").split('\n') {
        // A progress bar rewrites its line: what is left standing is what a terminal would show.
        let line = line.trim_end().rsplit('\r').next().unwrap_or_default();
        for c in line.chars() {
            if c == '\t' { shown.push_str("    ") } else { push_visible(&mut shown, c) }
        }
        shown.push('\n');
    }
    let kept = shown.trim_matches('\n');
    last_lines(kept, limit).to_owned()
}

/// The end of `text`, at most `limit` bytes, from the start of a line if there is one.
fn last_lines(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut start = text.len() - limit;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = &text[start..];
    tail.split_once('\n').map_or(tail, |(_, rest)| rest)
}

/// Blots out what looks like a credential. Whoever recorded the output should have done so already.
#[must_use]
pub fn redact(text: &str) -> String {
    static SECRET: LazyLock<Regex> = LazyLock::new(|| {
        let kinds = [
            r"gh[opsur]_[A-Za-z0-9]{16,}",
            r"github_pat_[A-Za-z0-9_]{20,}",
            r"glpat-[A-Za-z0-9_-]{16,}",
            r"xox[abprs]-[A-Za-z0-9-]{10,}",
            r"AKIA[0-9A-Z]{16}",
            r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}",
        ];
        Regex::new(&format!(r"\b(?:{})", kinds.join("|"))).expect("a constant pattern")
    });
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(authorization:\s*(?:basic|bearer|token)\s+|x-access-token:)\S+")
            .expect("a constant pattern")
    });
    LABELLED.replace_all(&SECRET.replace_all(text, "[redacted]"), "${1}[redacted]").into_owned()
}

/// A Markdown code span of `text`, which [`visible`] gave.
///
/// Nothing in a code span is a mention, a link, a reference or HTML. In a table `|` ends a cell even in code, so it is
/// escaped there; after a backslash it cannot be, since parsers read `\\` as a pair, and is spelled out instead.
#[must_use]
pub fn code_span(text: &str, in_table: bool) -> String {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    // A span strips one space at each end if both ends have one, and a backtick must not touch the fence.
    let edge = |c: char| c == '`' || c == ' ';
    let pad = if text.starts_with(edge) || text.ends_with(edge) { " " } else { "" };
    if !in_table || !text.contains('|') {
        return format!("{fence}{pad}{text}{pad}{fence}");
    }
    let mut cell = String::with_capacity(text.len() + 8);
    let mut after_backslash = false;
    for c in text.chars() {
        match c {
            '|' if after_backslash => cell.push_str("u{7c}"),
            '|' => cell.push_str("\\|"),
            _ => cell.push(c),
        }
        after_backslash = c == '\\';
    }
    format!("{fence}{pad}{cell}{pad}{fence}")
}

/// The length of the longest run of `of` in `text`.
#[must_use]
pub fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A fence of backticks longer than any run of them in `text`, at least three.
#[must_use]
pub fn fence_for(text: &str) -> String {
    "`".repeat((longest_run(text, '`') + 1).max(3))
}

/// `text` for HTML, in an element or in a quoted attribute.
#[must_use]
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '`' => escaped.push_str("&#96;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Percent-encodes everything but the unreserved characters of a URL.
#[must_use]
pub fn url_part(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A label inside a quoted string of a Mermaid diagram: only characters that have no meaning to Mermaid, to Markdown or to
/// HTML, at most 40 of them.
#[must_use]
pub fn mermaid_label(text: &str) -> String {
    let harmless = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '=' | ',' | '(' | ')');
    let text = text.replace('{', "(").replace('}', ")");
    let label: String = visible_to(&text, 40).chars().map(|c| if harmless(c) { c } else { '·' }).collect();
    // Two slashes would start a URL, two dashes an arrow.
    label.replace("//", "/·").replace("--", "-·")
}

/// JSON for a `<script type="application/json">` element: no text in it can end the element or open a comment.
#[must_use]
pub fn json_island(json: &str) -> String {
    // In JSON these characters occur in strings only, where an escape means the same.
    json.replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Escapes plain text for Markdown and HTML alike: what a template prints and what is neither a number nor from outside.
///
/// Character references cannot be markup in Markdown, and mean the same in an HTML block, where a backslash would show.
///
/// # Errors
/// Those of the writer.
pub fn markdown(text: &str, output: &mut dyn Write) -> std::io::Result<()> {
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        match c {
            // Before a digit or a blank it cannot open a tag; inside a word it is no emphasis, heading or reference.
            '<' if next.is_ascii_digit() || next == ' ' => output.write_all(b"<")?,
            '_' if before.is_ascii_alphanumeric() && next.is_ascii_alphanumeric() => output.write_all(b"_")?,
            '#' if before.is_ascii_alphanumeric() && next.is_ascii_alphabetic() => output.write_all(b"#")?,
            '&' | '<' | '>' | '"' | '\'' | '@' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '$' | '!' => {
                write!(output, "&#{};", u32::from(c))?;
            }
            '\n' | '\r' => output.write_all(b" ")?,
            _ => write!(output, "{c}")?,
        }
        before = c;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(visible("a\u{202e}b\u{200b}c\nd\u{7}"), "a\\u{202e}b\\u{200b}c\\u{a}d\\u{7}");
        assert_eq!(visible("no\u{a0}break\u{2028}"), "no\\u{a0}break\\u{2028}");
        assert_eq!(visible("tag\u{e0041}"), "tag\\u{e0041}");
        assert_eq!(visible("Größe/日本語"), "Größe/日本語");
        assert_eq!(visible(""), "(unnamed)");
        assert_eq!(visible("   "), "(unnamed)");
        assert_eq!(visible(&"x".repeat(121)), format!("{}…", "x".repeat(120)));
    }

    #[test]
    fn a_code_span_outlasts_the_backticks_inside() {
        assert_eq!(code_span("a", false), "`a`");
        assert_eq!(code_span("a``b", false), "```a``b```");
        assert_eq!(code_span("`", false), "`` ` ``");
    }

    #[test]
    fn a_pipe_never_ends_a_cell() {
        assert_eq!(code_span("a|b", true), "`a\\|b`");
        assert_eq!(code_span("a|b", false), "`a|b`");
        assert_eq!(code_span("a\\|b", true), "`a\\u{7c}b`");
    }

    #[test]
    fn output_keeps_its_lines_and_loses_its_colours() {
        assert_eq!(visible_lines("\u{1b}[31mred\u{1b}[0m\r\n\tx\u{8}\n\n", 100), "red\n    x\\u{8}");
        assert_eq!(visible_lines(" 10%\r 50%\r100% done", 100), "100% done");
        assert_eq!(visible_lines("one\ntwo\nthree", 8), "three");
        assert_eq!(visible_lines("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}", 100), "link");
    }

    #[test]
    fn credentials_are_blotted_out() {
        let text = format!("token gh{}_{} ok", "p", "a1".repeat(18));
        assert_eq!(redact(&text), "token [redacted] ok");
        assert_eq!(redact("Authorization: Bearer abc.def"), "Authorization: Bearer [redacted]");
        assert_eq!(redact("https://x-access-token:secret@host"), "https://x-access-token:[redacted]");
    }

    #[test]
    fn json_cannot_leave_its_element() {
        let json = serde_json::to_string("</script><!--\u{2028}").expect("a string");
        let island = json_island(&json);
        assert!(!island.contains('<') && !island.contains('\u{2028}'));
        assert_eq!(serde_json::from_str::<String>(&island).expect("still JSON"), "</script><!--\u{2028}");
    }

    #[test]
    fn labels_of_diagrams_have_no_syntax() {
        assert_eq!(mermaid_label("a\"]%%{init}%%--> http://x"), "a····(init)··-·· http·/·x");
    }
}
