//! Foreign text inside our own Markdown.

use crate::config::invisible;

/// Most characters of a foreign text that are shown.
const MAX_SHOWN: usize = 80;

/// `text` as a code span: cut at 80 characters, on one line, without anything invisible. Nothing in it is a link, a
/// mention, HTML or a column of a table.
#[must_use]
pub(crate) fn code(text: &str) -> String {
    let clean = |c: char| if c.is_control() || invisible(c) || c == '\u{2028}' { '\u{fffd}' } else { c };
    let mut shown: String = text.chars().take(MAX_SHOWN).map(clean).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    if shown.trim().is_empty() {
        return "`(empty)`".to_owned();
    }
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A span that begins or ends with a backtick needs a blank there; both are taken away again.
    let pad = if shown.starts_with('`') || shown.ends_with('`') || (shown.starts_with(' ') && shown.ends_with(' ')) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{shown}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    fn is_one_code_span(markdown: &str) -> bool {
        let events: Vec<_> = Parser::new(markdown).collect();
        matches!(events.as_slice(), [Event::Start(Tag::Paragraph), Event::Code(_), Event::End(TagEnd::Paragraph)])
    }

    #[test]
    fn foreign_text_is_one_code_span() {
        for text in [
            "a",
            "`",
            "``a`",
            "a`",
            " a ",
            "@org/team #1 GH-1 https://x",
            "<img src=x>",
            "a\nb\r\n- c",
            "<!-- x -->",
            "",
            " ",
            "[a](b)",
            "\u{202e}x",
            "| a |",
            "\\",
        ] {
            assert!(is_one_code_span(&code(text)), "{text:?} {}", code(text));
        }
        assert!(code(&"x".repeat(500)).chars().count() < 90);
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_text_is_one_code_span(text in "[ -~`\\n\u{e4}\u{202e}]{0,100}") {
            proptest::prop_assert!(is_one_code_span(&code(&text)), "{:?}", code(&text));
        }
    }
}
