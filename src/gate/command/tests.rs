use super::*;
use std::fmt::Write as _;

/// What a comment asks for, in one line.
fn asked(body: &str) -> String {
    let arguments = match parse(body) {
        Ok(None) => return "nothing".to_owned(),
        Ok(Some(Command::Help)) => return "help".to_owned(),
        Ok(Some(Command::Cancel)) => return "cancel".to_owned(),
        Ok(Some(Command::Status)) => return "status".to_owned(),
        Err(error) => return format!("error: {error}"),
        Ok(Some(Command::Run(arguments))) => *arguments,
    };
    let mut text = "run".to_owned();
    let Arguments { suites, filter, base, head, rounds, budget, threshold } = arguments;
    for suite in suites {
        write!(text, " [{suite}]").unwrap();
    }
    for (key, value) in [("filter", filter), ("base", base), ("head", head)] {
        value.into_iter().for_each(|value| write!(text, " {key}={value}").unwrap());
    }
    if let Some(rounds) = rounds {
        write!(text, " {rounds:?}").unwrap();
    }
    if let Some(budget) = budget {
        write!(text, " {}s", budget.as_secs()).unwrap();
    }
    if let Some(threshold) = threshold {
        write!(text, " {threshold}").unwrap();
    }
    text
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        assert_eq!(asked(body), *expected, "{body:?}");
    }
}

#[test]
fn a_line_of_its_own_in_a_paragraph_is_a_command() {
    check(&[
        ("/bench", "run"),
        ("  /bench  ", "run"),
        ("/bench\n", "run"),
        ("/bench\r\n", "run"),
        ("please\n/bench", "run"),
        ("please\r\n/bench\r\nthanks", "run"),
        ("please  \n/bench\\\nthanks", "nothing"),
        ("please\n      /bench", "run"),
        ("# Title\n\n/bench\n\nmore", "run"),
        ("/bench\n\n> quoted", "run"),
        ("/bench\t", "run"),
        ("<details>\n\n/bench\n\n</details>", "run"),
        ("*see\n/bench help\nbelow*", "help"),
    ]);
}

#[test]
fn words_that_only_look_like_it_are_not() {
    check(&[
        ("please /bench", "nothing"),
        ("/benchmark", "nothing"),
        ("/bench-foo", "nothing"),
        ("/benchx", "nothing"),
        ("a/bench", "nothing"),
        ("/Bench", "nothing"),
        ("/BENCH", "nothing"),
        ("bench", "nothing"),
        ("//bench", "nothing"),
        ("\\/bench", "nothing"),
        ("&#47;bench", "nothing"),
        ("/bench.", "nothing"),
        ("/bench,", "nothing"),
        ("/bench\u{a0}help", "nothing"),
        ("/bench\u{200b}", "nothing"),
        ("**/bench**", "nothing"),
        ("", "nothing"),
        ("LGTM", "nothing"),
    ]);
}

#[test]
fn quotes_code_links_headings_tables_lists_and_html_are_not() {
    check(&[
        ("> /bench", "nothing"),
        ("> quoted\n/bench", "nothing"),
        ("> > deep\n/bench", "nothing"),
        ("On Monday somebody wrote:\n\n> please\n> /bench\n\nno", "nothing"),
        ("> [!NOTE]\n> /bench", "nothing"),
        ("```\n/bench\n```", "nothing"),
        ("```sh\n/bench", "nothing"),
        ("~~~\n/bench\n~~~", "nothing"),
        ("    /bench", "nothing"),
        ("\t/bench", "nothing"),
        ("`/bench`", "nothing"),
        ("`a\n/bench\nb`", "nothing"),
        ("[text\n/bench\n](https://example.com)", "nothing"),
        ("![text\n/bench\n](https://example.com)", "nothing"),
        ("~~old\n/bench\nold~~", "nothing"),
        ("# /bench", "nothing"),
        ("/bench\n===", "nothing"),
        ("/bench\n---", "nothing"),
        ("| a |\n|---|\n| /bench |", "nothing"),
        ("/bench | a\n---|---\n1 | 2", "nothing"),
        ("- /bench", "nothing"),
        ("1. text\n\n   /bench", "nothing"),
        ("- [ ] todo\n/bench", "nothing"),
        ("<!--\n/bench\n-->", "nothing"),
        ("<!-- a\n\n/bench\n\n-->", "nothing"),
        ("text <!--\n/bench\n--> text", "nothing"),
        ("<div>\n/bench\n</div>", "nothing"),
        ("<pre>\n\n/bench\n\n</pre>", "nothing"),
        ("text <b title=\"\n/bench\n\">x</b>", "nothing"),
        ("[x]: /bench", "nothing"),
        ("[^1]: note\n\n    /bench\n\n[^1]", "nothing"),
        ("<!-- bench-bot:reply -->\n/bench", "nothing"),
        ("  <!-- bench-bot:result key=\"bench\" -->\n\n/bench", "nothing"),
    ]);
}

#[test]
fn subcommands() {
    check(&[
        ("/bench run", "run"),
        ("/bench help", "help"),
        ("/bench cancel", "cancel"),
        ("/bench  status", "status"),
        ("/bench run help", "run [help]"),
        ("/bench suite=help", "run [help]"),
        ("/bench \"help\"", "run [help]"),
        ("/bench help me", "error: `/bench help` takes no arguments, and there is `me`"),
        ("/bench cancel base=x", "error: `/bench cancel` takes no arguments, and there is `base=x`"),
        ("/bench Help", "run [Help]"),
    ]);
}

#[test]
fn arguments_reach_the_run() {
    check(&[
        ("/bench codec", "run [codec]"),
        ("/bench codec cli", "run [codec] [cli]"),
        ("/bench run co*,cl? x", "run [co*,cl?] [x]"),
        ("/bench suite=codec,cli", "run [codec] [cli]"),
        ("/bench suite=\"my suite\"", "run [my suite]"),
        ("/bench go:bindings/go", "run [go:bindings/go]"),
        ("/bench filter=^Decode", "run filter=^Decode"),
        ("/bench filter=Decode.*/size_.*_x", "run filter=Decode.*/size_.*_x"),
        ("/bench filter=\"^(A|B)$\"", "run filter=^(A|B)$"),
        ("/bench filter=\"a\\\\.b \\\"c\\\" \\d\"", "run filter=a\\.b \"c\" \\d"),
        ("/bench base=release/1.2", "run base=release/1.2"),
        ("/bench base=v1.0.0-rc.1", "run base=v1.0.0-rc.1"),
        ("/bench head=A1B2C3D", "run head=a1b2c3d"),
        ("/bench rounds=20", "run Fixed(20)"),
        ("/bench rounds=8+16", "run Staged { screen: 8, confirm: 16 }"),
        ("/bench budget=20m", "run 1200s"),
        ("/bench budget=\"1h 30m\"", "run 5400s"),
        ("/bench threshold=2.5%", "run 0.025"),
        (
            "/bench codec base=main filter=x rounds=20 budget=5m threshold=1% head=a1b2c3d4",
            "run [codec] filter=x base=main head=a1b2c3d4 Fixed(20) 300s 0.01",
        ),
    ]);
}

#[test]
fn arguments_that_cannot_be_are_explained() {
    let keys = "`suite=`, `filter=`, `base=`, `head=`, `rounds=`, `budget=`, `threshold=`";
    check(&[
        ("/bench runs=20", "error: there is no argument `runs=`; did you mean `rounds=`?"),
        ("/bench fliter=x", "error: there is no argument `fliter=`; did you mean `filter=`?"),
        ("/bench alpha=0.5", &format!("error: there is no argument `alpha=`; there is {keys}")),
        ("/bench profile=perf", &format!("error: there is no argument `profile=`; there is {keys}")),
        ("/bench Base=x", "error: there is no argument `Base=`; did you mean `base=`?"),
        ("/bench =x", &format!("error: there is no argument `=`; there is {keys}")),
        ("/bench base=a base=b", "error: `base=` is there twice"),
        ("/bench suite=a suite=a", "error: `suite=` is there twice"),
        ("/bench base=", "error: `base=` has no value"),
        ("/bench base= main", "error: `base=` has no value"),
        ("/bench base=\"\"", "error: `base=` has no value"),
        ("/bench \"\"", "error: `suite=` cannot be `(empty)`: expected the name of a suite"),
        ("/bench suite=a,,b", "error: `suite=` cannot be `a,,b`: expected names of suites with commas between them"),
        ("/bench filter=\"(\"", "error: `filter=` cannot be `(`: not a regular expression: unclosed group"),
        ("/bench filter=-x", "error: `filter=` cannot be `-x`: must not start with `-`"),
        (
            "/bench base=--upload-pack=touch",
            "error: `=` is not allowed here; put the value in quotes, such as `filter=\"^Decode$\"`",
        ),
        (
            "/bench base=\"--upload-pack=touch x\"",
            "error: `base=` cannot be `--upload-pack=touch x`: expected a branch, tag or commit of this repository: \
             a ref does not start with `-`",
        ),
        (
            "/bench base=a..b",
            "error: `base=` cannot be `a..b`: expected a branch, tag or commit of this repository: a ref holds no `..` \
             or `@{` and is not `@`",
        ),
        ("/bench head=main", "error: `head=` cannot be `main`: expected at least 7 digits of the head commit's id"),
        ("/bench head=a1b2c3", "error: `head=` cannot be `a1b2c3`: expected at least 7 digits of the head commit's id"),
        (
            "/bench rounds=7",
            "error: `rounds=` cannot be `7`: expected an even number from 2 such as `20`, or two such as `8+16`",
        ),
        (
            "/bench rounds=0",
            "error: `rounds=` cannot be `0`: expected an even number from 2 such as `20`, or two such as `8+16`",
        ),
        (
            "/bench rounds=99999999999999999999",
            "error: `rounds=` cannot be `99999999999999999999`: expected an even number from 2 such as `20`, or two \
             such as `8+16`",
        ),
        (
            "/bench rounds=8+7",
            "error: `rounds=` cannot be `8+7`: expected an even number from 2 such as `20`, or two such as `8+16`",
        ),
        ("/bench rounds=60+60", "error: `rounds=` cannot be `60+60`: two stages have at most 100 rounds together"),
        ("/bench budget=10", "error: `budget=` cannot be `10`: `10` has no unit: write `10s` or `10m`"),
        ("/bench budget=0s", "error: `budget=` cannot be `0s`: must be longer than zero"),
        ("/bench threshold=2", "error: `threshold=` cannot be `2`: `2` would be 200 %: write `2%`, or a ratio below 1"),
        ("/bench threshold=5000%", "error: `threshold=` cannot be `5000%`: must be at most 1000%"),
        ("/bench -x", "error: `suite=` cannot be `-x`: expected the name of a suite"),
    ]);
}

#[test]
fn characters_that_mean_something_to_a_shell_stand_in_quotes_or_nowhere() {
    let quotes = "; put the value in quotes, such as `filter=\"^Decode$\"`";
    for c in ['$', ';', '|', '&', '<', '>', '(', ')', '{', '}', '!', '#', '\\', '[', ']', 'ä'] {
        assert_eq!(asked(&format!("/bench filter=a{c}b")), format!("error: `{c}` is not allowed here{quotes}"));
    }
    check(&[
        (
            "/bench `touch x`",
            "error: `` ` `` is not allowed here; put the value in quotes, such as `filter=\"^Decode$\"`",
        ),
        ("/bench $(touch x)", &format!("error: `$` is not allowed here{quotes}")),
        ("/bench filter='x'", "error: `'` is not allowed here: quotes are `\"`"),
        ("/bench filter=\u{201c}x\u{201d}", "error: `\u{201c}` is not allowed here: quotes are `\"`"),
        ("/bench a\"b\"", &format!("error: `\"` is not allowed here{quotes}")),
        ("/bench filter=\"a\"b", &format!("error: `b` is not allowed here{quotes}")),
        ("/bench filter=\"a b", "error: a quote is opened and not closed"),
        ("/bench filter=\"a\\\"", "error: a quote is opened and not closed"),
        ("/bench filter=\"a\u{202e}b\"", "error: `U+202E` is not allowed here"),
        ("/bench filter=\"a\u{200b}b\"", "error: `U+200B` is not allowed here"),
        ("/bench filter=\"a\u{7}b\"", "error: `U+0007` is not allowed here"),
    ]);
    // Inside quotes they are a pattern and nothing else.
    assert_eq!(asked("/bench filter=\"$(touch x);'y'\""), "run filter=$(touch x);'y'");
}

#[test]
fn a_command_is_short() {
    let long = format!("/bench filter={}", "x".repeat(MAX_LINE));
    assert_eq!(asked(&long), "error: the command is too long: at most 1024 bytes and 32 arguments");
    assert_eq!(asked(&format!("/bench{}", " a".repeat(33))), asked(&long));
    assert!(asked(&format!("/bench{}", " a".repeat(32))).starts_with("run"));
    let filter = format!("/bench filter={}", "x".repeat(600));
    assert!(asked(&filter).ends_with("must have at most 512 bytes"), "{}", asked(&filter));
    assert_eq!(asked(&format!("{}\n/bench", "x\n".repeat(200_000))), "nothing");
}

#[test]
fn a_comment_has_one_command() {
    check(&[
        ("/bench\n\n/bench", "run"),
        ("/bench codec\ntext\n/bench codec", "run [codec]"),
        ("/bench\n/bench help", "error: there are 2 different commands in this comment: write one"),
        ("/bench a\n/bench b\n/bench a", "error: there are 2 different commands in this comment: write one"),
        ("/bench\n\n> /bench help", "run"),
    ]);
}

#[test]
fn what_a_person_wrote_is_never_markdown_in_an_answer() {
    for body in [
        "/bench @org/team=1",
        "/bench filter=\"(@everyone <img src=x> [a](b) `\"",
        "/bench base=\"-`` @team ![](http://x)\"",
        "/bench help @org/team",
    ] {
        let message = asked(body);
        assert!(message.starts_with("error: "), "{message}");
        for event in pulldown_cmark::Parser::new(&message) {
            use pulldown_cmark::Event;
            match event {
                Event::Text(text) => assert!(!text.contains('@') && !text.contains('<'), "{message}"),
                Event::Start(tag) => assert_eq!(tag, pulldown_cmark::Tag::Paragraph, "{message}"),
                Event::End(_) | Event::Code(_) => {}
                other => panic!("{message}: {other:?}"),
            }
        }
        assert!(!message.contains('\n'));
    }
}

/// The line that asks for these arguments.
fn line(arguments: &Arguments) -> String {
    let quote = |value: &str| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
    let mut line = "/bench run".to_owned();
    for suite in &arguments.suites {
        write!(line, " {}", quote(suite)).unwrap();
    }
    for (key, value) in [("filter", &arguments.filter), ("base", &arguments.base), ("head", &arguments.head)] {
        value.iter().for_each(|value| write!(line, " {key}={}", quote(value)).unwrap());
    }
    line
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, cases: 2000, ..Default::default() })]

    #[test]
    fn no_comment_makes_it_panic(body in "(/bench|[ \\t\\n>`~#*_\\[\\]()<!=\"\\\\a-z0-9|-]|\\PC){0,60}") {
        let _ = parse(&body);
    }

    #[test]
    fn a_quoted_comment_asks_for_nothing(body in "(/bench|[ \\n`a-z=\"]){0,30}") {
        let quoted: String = body.lines().map(|line| format!("> {line}\n")).collect();
        proptest::prop_assert_eq!(parse(&quoted), Ok(None));
    }

    #[test]
    fn what_is_written_is_what_is_read(
        suites in proptest::collection::vec("[a-z][a-z *?.:/ä-]{0,10}[a-z]", 0..4),
        filter in proptest::option::of("[a-z.^$|\\\\\"' ]{1,10}x"),
        base in proptest::option::of("[a-z][a-z0-9/]{0,8}[a-z]"),
        head in proptest::option::of("[0-9a-f]{7,40}"),
    ) {
        let arguments = Arguments { suites, filter, base, head, ..Arguments::default() };
        match parse(&format!("text\n{}\ntext", line(&arguments))) {
            Ok(Some(Command::Run(read))) => proptest::prop_assert_eq!(*read, arguments),
            // Random text is not always a regular expression or a ref.
            Err(CommandError::BadValue { key: "filter" | "base", .. }) => {}
            other => proptest::prop_assert!(false, "{other:?}"),
        }
    }
}
