use super::command::{Annotation, Level, mask, random_word, write_foreign};
use super::{Event, Runner};
use std::ffi::OsString;
use std::path::Path;

fn runner(variables: &[(&str, &str)]) -> Runner {
    Runner::from_variables(variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
}

#[test]
fn inputs_are_found_under_the_names_that_the_runner_gives_them() {
    let runner = runner(&[
        ("INPUT_FAIL-ON-COMMENT-ERROR", "true"),
        ("INPUT_BOT_LOGIN", "my-bot"),
        ("INPUT_SUITE", "  "),
        ("INPUT_CONFIG", " a.yml "),
        ("HOME", "/root"),
    ]);
    assert_eq!(runner.flag("fail-on-comment-error").unwrap(), Some(true));
    assert_eq!(runner.input("bot-login"), Some("my-bot"), "a shell cannot write a hyphen");
    assert_eq!(runner.input("suite"), None, "an empty input is unset");
    assert_eq!(runner.input("config"), Some("a.yml"));
    assert_eq!(runner.variable("HOME"), None);
}

#[test]
fn booleans_are_those_of_yaml() {
    for (value, expected) in [("true", true), ("True", true), ("TRUE", true), ("false", false), ("FALSE", false)] {
        assert_eq!(runner(&[("INPUT_X", value)]).flag("x").unwrap(), Some(expected));
    }
    for value in ["yes", "1", "tRue", "on"] {
        let error = runner(&[("INPUT_X", value)]).flag("x").unwrap_err().to_string();
        assert!(error.contains("input `x`") && error.contains(value), "{error}");
    }
    assert_eq!(runner(&[]).flag("x").unwrap(), None);
}

#[test]
fn the_token_of_the_input_wins_and_is_never_shown() {
    use secrecy::ExposeSecret as _;
    let both = runner(&[("INPUT_TOKEN", "from-input"), ("GITHUB_TOKEN", "from-environment")]);
    assert_eq!(both.token().unwrap().expose_secret(), "from-input");
    assert_eq!(runner(&[("GH_TOKEN", "x")]).token().unwrap().expose_secret(), "x");
    assert!(runner(&[]).token().is_none());
    assert!(!format!("{both:?}").contains("from-"));
}

#[test]
fn addresses_of_the_run_and_of_the_server() {
    let hosted = runner(&[
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_REPOSITORY", "org/app"),
        ("GITHUB_RUN_ID", "99"),
        ("GITHUB_SERVER_URL", "https://ghes.example/"),
        ("GITHUB_API_URL", "https://ghes.example/api/v3"),
    ]);
    assert!(hosted.in_actions());
    assert_eq!(hosted.run_url().unwrap(), "https://ghes.example/org/app/actions/runs/99");
    assert_eq!((hosted.api_url(), hosted.run_attempt()), ("https://ghes.example/api/v3", 1));
    let terminal = runner(&[]);
    assert!(!terminal.in_actions() && terminal.run_url().is_none());
    assert_eq!(terminal.api_url(), "https://api.github.com");
}

#[test]
fn annotations_are_escaped_as_the_runner_unescapes_them() {
    // github.com/actions/toolkit, packages/core/src/command.ts: escapeData and escapeProperty.
    let annotation =
        Annotation::new(Level::Warning, "100 %\nnext\r::error::x").titled("a: b, c").at("src/a,b.rs", Some(3), Some(7));
    assert_eq!(
        annotation.command(),
        "::warning file=src/a%2Cb.rs,line=3,col=7,title=a%3A b%2C c::100 %25%0Anext%0D::error::x"
    );
    assert_eq!(Annotation::new(Level::Error, "x").command(), "::error::x");
    assert_eq!(mask("a%b"), "::add-mask::a%25b");
    assert_eq!(annotation.line(), "warning: src/a,b.rs:3:7: a: b, c: 100 %\nnext\u{fffd}::error::x");
}

#[test]
fn foreign_output_cannot_give_commands() {
    let hostile = b"::error::x\r::set-output name=run::true\n##[add-mask]a\n::stop-commands::t\n\x1b[2Jtab\there\n\xff";
    let mut out = Vec::new();
    write_foreign(&mut out, hostile, Some("secret-word")).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "::stop-commands::secret-word");
    assert_eq!(*lines.last().unwrap(), "::secret-word::");
    let inside = &lines[1..lines.len() - 1];
    assert_eq!(inside.len(), 6, "the runner ends a line at a carriage return too: {inside:?}");
    assert!(inside.iter().all(|line| line.starts_with("| ") && !line.contains("##[") && !line.contains('\x1b')));
    assert!(inside[4].contains("tab\there"));
}

#[test]
fn words_are_random_and_long_enough() {
    let (first, second) = (random_word().unwrap(), random_word().unwrap());
    assert_eq!(first.len(), 32);
    assert_ne!(first, second);
}

#[test]
fn outputs_and_summary_go_to_the_runners_files_and_nowhere_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let (output, summary) = (folder.path().join("output"), folder.path().join("summary"));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let hosted = runner(&[("GITHUB_OUTPUT", &text(&output)), ("GITHUB_STEP_SUMMARY", &text(&summary))]);
    hosted.set_output("verdict", "regression").unwrap();
    hosted.set_output("report-json", "a\nb").unwrap();
    assert!(hosted.add_summary("# Report").unwrap());
    assert!(hosted.add_summary("more").unwrap());
    let written = std::fs::read_to_string(&output).unwrap();
    let mut lines = written.lines();
    let delimiter = lines.next().unwrap().strip_prefix("verdict<<").unwrap();
    assert_eq!((lines.next(), lines.next()), (Some("regression"), Some(delimiter)));
    assert_eq!(std::fs::read_to_string(&summary).unwrap(), "# Report\nmore\n");
    assert!(hosted.set_output("a=b", "x").is_err());

    let terminal = runner(&[]);
    terminal.set_output("verdict", "regression").unwrap();
    assert!(terminal.add_summary("x").unwrap());
}

#[test]
fn an_event_is_read_from_the_runners_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/github/events/pull_request.opened.json");
    let hosted = runner(&[("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_EVENT_PATH", path)]);
    assert!(matches!(hosted.event().unwrap(), Event::PullRequest(_)));
    let wrong = runner(&[("GITHUB_EVENT_NAME", "push"), ("GITHUB_EVENT_PATH", path)]);
    let error = wrong.event().unwrap_err().to_string();
    assert!(error.contains("push") && error.contains(path), "{error}");
    let missing = runner(&[("GITHUB_EVENT_NAME", "push"), ("GITHUB_EVENT_PATH", "/no/such/file")]);
    assert!(missing.event().unwrap_err().to_string().contains("/no/such/file"));
    assert!(runner(&[]).event().unwrap_err().to_string().contains("GITHUB_EVENT_NAME"));
}
