//! For any text from outside, a comment has no link, image, tag, mention, reference or command that we did not put there.

use super::*;
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Links that a comment of the samples may have.
fn ours(url: &str) -> bool {
    url.starts_with("https://github.com/octo/codec/commit/")
        || url.starts_with("https://github.com/octo/codec/actions/runs/19283746501")
        || url == view::DOCS
}

/// Tags that the templates have.
fn tag_is_ours(html: &str) -> bool {
    let plain = ["<details>", "<details open>", "</details>", "<br>", "<sub>", "</sub>"];
    plain.contains(&html.trim())
        || html.starts_with("<details") && html.trim_end().ends_with("</summary>") && summary_is_ours(html)
}

/// `<details><summary>…</summary>` with nothing but text and `<code>` in it.
fn summary_is_ours(html: &str) -> bool {
    let inner = html.trim().trim_start_matches("<details>").trim_start_matches("<details open>");
    let inner = inner.trim_start_matches("<summary>").trim_end_matches("</summary>");
    !inner.replace("<code>", "").replace("</code>", "").contains('<')
}

/// Everything wrong with a comment.
pub(super) fn problems(body: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut prose = String::new();
    let mut code_block = 0;
    let mut folds = 0_i32;
    let mut columns: Option<usize> = None;
    let mut cells = 0;
    let options = settle::options() | pulldown_cmark::Options::ENABLE_WIKILINKS;
    for event in Parser::new_ext(body, options) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) if !ours(&dest_url) => problems.push(format!("link {dest_url}")),
            Event::Start(Tag::Image { dest_url, .. }) => problems.push(format!("image {dest_url}")),
            Event::Start(Tag::FootnoteDefinition(_)) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {
                problems.push(format!("{event:?}"));
            }
            Event::Start(Tag::Heading { .. }) if !prose.is_empty() => problems.push("a second heading".into()),
            Event::Start(Tag::List(Some(_)) | Tag::Strikethrough) => problems.push(format!("{event:?}")),
            Event::Start(Tag::CodeBlock(_)) => code_block += 1,
            Event::End(TagEnd::CodeBlock) => code_block -= 1,
            Event::Html(html) | Event::InlineHtml(html) => {
                folds += i32::try_from(html.matches("<details").count()).unwrap()
                    - i32::try_from(html.matches("</details>").count()).unwrap();
                if !tag_is_ours(&html) {
                    problems.push(format!("html {html}"));
                }
            }
            Event::Start(Tag::Table(alignment)) => columns = Some(alignment.len()),
            Event::Start(Tag::TableRow | Tag::TableHead) => cells = 0,
            Event::Start(Tag::TableCell) => cells += 1,
            Event::End(TagEnd::TableRow | TagEnd::TableHead) if Some(cells) != columns => {
                problems.push("a torn row".into())
            }
            Event::Text(text) if code_block == 0 => prose.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::End(_) => prose.push('\n'),
            Event::Code(_) => prose.push('\u{fffc}'),
            _ => {}
        }
    }
    if folds != 0 {
        problems.push(format!("{folds} folds left open"));
    }
    let forbidden = r"@[A-Za-z0-9]|#\d|(?i:GH-\d)|https?://|www\.|(?m:^\s*/bench)|\b[0-9a-f]{7,40}\b";
    let forbidden = regex::Regex::new(forbidden).unwrap();
    for hit in forbidden.find_iter(&prose) {
        let known = ["1a2b3c4", "5d6e7f8", "51f3a0c49d2e7b8856aa01c3f4e9d2b7", "19283746501"];
        if !known.contains(&hit.as_str()) {
            problems.push(format!("in prose: {}", hit.as_str()));
        }
    }
    // A row whose cells were torn apart by a pipe is cut to its width by the parser, so count in the source as well.
    problems.extend(torn_rows(body));
    problems
}

/// Table rows with more or fewer unescaped pipes than their header, as GitHub's parser counts: a backslash takes the
/// character after it along.
fn torn_rows(body: &str) -> Vec<String> {
    let pipes = |line: &str| {
        let mut count = 0;
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    chars.next();
                }
                '|' => count += 1,
                _ => {}
            }
        }
        count
    };
    let mut header = None;
    let mut torn = Vec::new();
    let mut fence: Option<usize> = None;
    for line in body.lines() {
        let run = line.chars().take_while(|&c| c == '`').count();
        match fence {
            Some(length) if run >= length && line.len() == run => fence = None,
            None if run >= 3 => fence = Some(run),
            None if line.starts_with('|') => {
                if *header.get_or_insert_with(|| pipes(line)) != pipes(line) {
                    torn.push(format!("a torn row: {line}"));
                }
            }
            _ => header = None,
        }
    }
    torn
}

fn check(text: &str) -> Vec<String> {
    let mut bodies = Vec::new();
    let report = samples::hostile(text);
    for layout in ["default", "classic"] {
        let options = CommentOptions {
            layout: if layout == "classic" { Layout::Benchstat } else { Layout::Default },
            classic: (layout == "classic").then_some(classic),
            ..CommentOptions::default()
        };
        let rendered = comment(&report, &options).unwrap();
        assert!(rendered.body.len() <= COMMENT_LIMIT);
        assert_eq!(problems(&rendered.body), Vec::<String>::new(), "{layout} of {text:?}:\n{}", rendered.body);
        bodies.push(rendered.body);
    }
    let frame = StateFrame {
        revisions: report.revisions.clone(),
        run: report.run.clone(),
        suites: vec![text.to_owned(); 3],
        replaced: Some(text.to_owned()),
    };
    for one in [
        State::Running { estimate: Some(60.0) },
        State::Failed { what: text.to_owned(), tail: text.to_owned() },
        State::NothingMeasured { why: text.to_owned() },
    ] {
        let body = state(&one, &frame).unwrap();
        assert_eq!(problems(&body), Vec::<String>::new(), "{one:?}:\n{body}");
        bodies.push(body);
    }
    bodies
}

/// A classic layout that repeats what it is given.
fn classic(report: &Report, _: Layout) -> String {
    let names: Vec<&str> = report.suites.iter().flat_map(|s| &s.rows).map(|r| r.benchmark.name.as_str()).collect();
    escape::visible_lines(&names.join("\n"), usize::MAX)
}

#[test]
fn no_attack_gets_through() {
    let attacks = [
        "@org/team",
        "#1",
        "GH-1",
        "octo/codec#7",
        "0123456789abcdef0123456789abcdef01234567",
        "http://evil.example",
        "www.evil.example",
        "mail@evil.example",
        "![x](http://evil.example/b.png)",
        "[x](http://evil.example)",
        "[x]: http://evil.example\n[x]",
        "<img src=http://evil.example>",
        "<details>",
        "</details>",
        "</code></summary><img src=x>",
        "<!-- bench-bot:result -->",
        "--> <b>",
        "a|b|c",
        "\\|",
        "\\\\|",
        "|",
        "\\",
        "`",
        "```",
        "``` `` `",
        "~~~",
        "```\n# heading\n```",
        "\n\n# heading\n\n",
        "\r\n/bench run",
        "/bench",
        "* * *",
        "1. one",
        "- [ ] task",
        "[^1]",
        "[[wiki]]",
        "$x$",
        "$$x$$",
        "&lt;b&gt;",
        "&#64;org",
        "{{ name }}",
        "{% raw %}",
        "\u{e000}\u{e010}\u{e001}",
        "\u{e000}",
        "\u{202e}gpj.exe",
        "\u{200b}",
        "",
        " ",
        "   ",
        "\u{0}",
        "\u{1b}[31m",
        "%%{init: {}}%%",
        "click A href \"http://evil.example\"",
        "]]>",
        "<![CDATA[x]]>",
        "<?php ?>",
        "javascript:alert(1)",
        "\" onmouseover=\"x",
        "Benchmark\tTab",
        "名前|`<b>`",
        "\u{301}\u{301}",
        "> quote",
        "+ x",
        "=====",
        "-----",
    ];
    for (number, attack) in attacks.iter().enumerate() {
        for (form, body) in check(attack).iter().enumerate() {
            // The rig shows them to GitHub's own way of reading Markdown.
            if let Some(directory) = tests::directory() {
                std::fs::write(directory.join(format!("attack_{number}_{form}.md")), body).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn nothing_made_of_markup_gets_through(
        text in prop::collection::vec(
            prop::sample::select(vec![
                "`", "``", "```", "|", "\\", "\n", " ", "<", ">", "[", "]", "(", ")", "!", "*", "_", "~", "#", "1", "@", "a", "org",
                "http://", "www.", ".x", "&", ";", "-", "--", "<!--", "-->", "</summary>", "</code>", "<b>", "$", "{", "}", "%", "/bench",
                "\u{e000}", "\u{e010}", "\u{e001}", "\u{202e}", "é", "日", "=", ":", "\"", "'", "+", ">", "\t", "\r",
            ]),
            0..24,
        )
    ) {
        check(&text.concat());
    }

    #[test]
    fn nothing_at_all_gets_through(text in any::<String>()) {
        check(&text);
    }
}

#[test]
fn the_check_finds_what_it_looks_for() {
    for bad in [
        "hello @org",
        "see #1",
        "- 1. x",
        "a ~~b~~",
        "see GH-1",
        "at http://x",
        "at www.x",
        "commit 0123abc4",
        "[a](http://x)",
        "![a](http://x)",
        "<b>x</b>",
        "<details>\n\nx",
        "a\n/bench run",
        "- 1. x",
        "a ~~b~~",
        "|a|b|\n|-|-|\n|1|2|3|",
        "|a|b|\n|-|-|\n|`\\\\|`|2|",
        "a\n\n# b",
        "x[^1]\n\n[^1]: y",
        "<details><summary><img></summary>\n\n</details>",
    ] {
        assert!(!problems(bad).is_empty(), "{bad}");
    }
    assert_eq!(problems("### a `@org` #b\n\n- c"), Vec::<String>::new());
}
