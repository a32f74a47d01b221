//! What we say in answer to a comment. Nothing here may be a command when it is read again.

use super::command::{MAX_ARGUMENTS, MAX_LINE};
use super::quote::code;
use super::refusal::{Refusal, permission, short};
use crate::config::{Config, show_duration};
use crate::github::comment::{Meta, State};
use std::fmt::Write as _;

/// Most suites that are listed.
const MAX_SUITES: usize = 30;

/// Why it was not done.
pub(super) fn refused(refusal: &Refusal) -> String {
    let text = refusal.to_string();
    let mut first = text.chars();
    // A sentence begins with a capital letter, unless it begins with a code span.
    let text: String = first.next().map(|c| c.to_uppercase().collect::<String>() + first.as_str()).unwrap_or_default();
    format!("**Not done.** {text}.\n\nSee `/bench help`.\n")
}

/// How it is used.
pub(super) fn help(config: &Config) -> String {
    let mut text = "Write one of these as a line of its own in a comment:\n\n\
                    ```text\n\
                    /bench                     measure every suite\n\
                    /bench SUITE…              measure these suites; * and ? stand for other characters\n\
                    /bench cancel              stop the run that is on its way\n\
                    /bench status              say what is on its way\n\
                    /bench help                say this\n\
                    ```\n\n\
                    A run takes these arguments:\n\n\
                    | argument | meaning |\n|---|---|\n\
                    | `suite=a,b` | only these suites |\n\
                    | `filter=\"^Decode\"` | only benchmarks whose name has this regular expression |\n\
                    | `base=v1.2.0` | compare with this branch, tag or commit instead |\n\
                    | `head=1a2b3c4` | only if this is still the pull request's head |\n"
        .to_owned();
    let most = show_duration(config.command.max_budget.unwrap_or(config.max_time));
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "| `rounds=20` or `rounds=8+16` | rounds a side, in one stage or two; {} at most |\n\
         | `budget=10m` | time for all rounds; {most} at most |\n\
         | `threshold=2%` | smallest change that counts |\n\n",
        config.command.max_rounds,
    );
    if config.suites.is_empty() {
        text.push_str("The suites are found out from the repository's files.\n");
    } else {
        text.push_str("Suites:\n\n");
        for suite in config.suites.iter().take(MAX_SUITES) {
            let run = &suite.sides.head.run;
            let run =
                if run.is_empty() { "found out from the repository's files".to_owned() } else { code(first_line(run)) };
            let _ = writeln!(text, "* {}: {run}", code(&suite.name));
        }
        if let Some(more) = config.suites.len().checked_sub(MAX_SUITES).filter(|more| *more > 0) {
            let _ = writeln!(text, "* and {more} more");
        }
    }
    let who = permission(config.command.permission);
    let _ = write!(
        text,
        "\nIt takes the permission `{who}` on this repository. A command has at most {MAX_LINE} bytes and \
         {MAX_ARGUMENTS} arguments; what is not a plain word stands in `\"` quotes.\n"
    );
    text
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// What is on its way.
pub(super) fn status(last: Option<&Meta>, url: Option<&str>) -> String {
    let Some(meta) = last else { return "Nothing was measured on this pull request yet.\n".to_owned() };
    let what = match meta.state {
        State::Running => "is on its way",
        State::Done => "has ended with a report",
        State::Failed => "has failed",
        State::Cancelled => "was cancelled",
        State::TimedOut => "took too long",
        State::NothingMeasured => "ended without a comparable row",
    };
    let link = url.map(|url| format!("[run]({url})")).unwrap_or_else(|| "run".to_owned());
    format!("The last {link} {what}: {} (head) against {} (base).\n", code(short(&meta.head)), code(short(&meta.base)))
}

/// That a run was cancelled.
pub(super) fn cancelled(url: Option<&str>, was_running: bool) -> String {
    let link = url.map(|url| format!("[run]({url})")).unwrap_or_else(|| "run".to_owned());
    if was_running { format!("The {link} is being cancelled.\n") } else { format!("The {link} had ended already.\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::command::{CommandError, parse};
    use crate::side::PerSide;

    /// Every text that can be posted, made of the nastiest parts.
    fn texts() -> Vec<String> {
        let nasty = "/bench\n\n/bench help\n```\n/bench\n`";
        let config = crate::config::load("b.yml", "suites: [{name: a, run: x}]").unwrap();
        let mut hostile = config.clone();
        nasty.clone_into(&mut hostile.suites[0].name);
        hostile.suites[0].sides = PerSide::from_fn(|_| {
            let mut side = config.suites[0].sides.head.clone();
            nasty.clone_into(&mut side.run);
            side
        });
        let text = || nasty.to_owned();
        let command = |error: CommandError| Refusal::Command(error);
        let refusals = [
            command(CommandError::UnknownSubcommand { word: text(), did_you_mean: "help".to_owned() }),
            command(CommandError::UnknownKey { key: text(), did_you_mean: None }),
            command(CommandError::UnknownSuite { name: text(), did_you_mean: Some(text()), suites: vec![text()] }),
            command(CommandError::UnknownSuite { name: text(), did_you_mean: None, suites: vec![text()] }),
            command(CommandError::DuplicateKey("base")),
            command(CommandError::MissingValue("base")),
            command(CommandError::BadValue { key: "base", value: text(), allowed: "x".to_owned() }),
            command(CommandError::UnclosedQuote),
            command(CommandError::NotAllowedChar('\n')),
            command(CommandError::UnexpectedArgument { subcommand: "help", argument: text() }),
            command(CommandError::TooLong),
            command(CommandError::TooManyCommands(2)),
            Refusal::NotPermitted { login: text(), reason: "x".to_owned() },
            Refusal::HeadMoved { asked: text(), now: text() },
            Refusal::ForkNotAllowed { head: text() },
            Refusal::Busy { url: Some("https://github.com/o/r/actions/runs/1".to_owned()) },
            Refusal::Cooldown { ago: std::time::Duration::from_secs(5), cooldown: std::time::Duration::from_secs(300) },
            Refusal::UnknownRef(text()),
            Refusal::Unreachable { sha: text(), branches: vec![text()] },
            Refusal::SameCommit(text()),
            Refusal::Unrelated { base: text(), head: text() },
            Refusal::Config(crate::config::load("b.yml", "a: 1").unwrap_err()),
            Refusal::NothingRunning,
            Refusal::MayNotCancel,
        ];
        let mut texts: Vec<_> = refusals.iter().map(refused).collect();
        texts.push(help(&config));
        texts.push(help(&hostile));
        texts.push(help(&Config::default()));
        let meta = Meta::new(1, 1, nasty, nasty, State::Running);
        texts.push(status(Some(&meta), None));
        texts.push(status(None, None));
        texts.push(cancelled(Some("https://github.com/o/r/actions/runs/1"), true));
        texts.push(cancelled(None, false));
        texts
    }

    #[test]
    fn nothing_that_we_say_is_a_command() {
        for text in texts() {
            assert_eq!(parse(&text), Ok(None), "{text}");
            // Nor does it become one when somebody quotes it, or the marker is cut off.
            let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
            assert_eq!(parse(&quoted), Ok(None), "{quoted}");
        }
    }

    #[test]
    fn help_names_what_there_is() {
        let config = crate::config::load(
            "b.yml",
            "suites: [{name: codec, run: make bench}]\ncommand: {permission: maintain, max-rounds: 40, max-budget: 20m}",
        );
        let text = help(&config.unwrap());
        for part in ["* `codec`: `make bench`", "40 at most", "20m at most", "permission `maintain`", "/bench cancel"] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        for key in super::super::command::KEYS {
            assert!(text.contains(&format!("`{key}=")), "{key}");
        }
    }

    #[test]
    fn a_refusal_is_a_sentence() {
        assert_eq!(
            refused(&Refusal::Command(CommandError::DuplicateKey("base"))),
            "**Not done.** `base=` is there twice.\n\nSee `/bench help`.\n"
        );
        assert!(refused(&Refusal::NothingRunning).starts_with("**Not done.** Nothing is running here.\n"));
    }
}
