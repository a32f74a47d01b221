//! Arguments and inputs over the configuration: who wins, and how far.

use super::command::{Arguments, CommandError, SUBCOMMANDS};
use super::inputs::Inputs;
use crate::config::{Config, Isolation, Rounds, nearest, show_duration};

/// What is to be measured of a configuration.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Selection {
    /// Names of suites; empty: all.
    pub(super) suites: Vec<String>,
    /// Regular expression over names of benchmarks; empty: all.
    pub(super) filter: String,
    /// What the report must say of it.
    pub(super) notes: Vec<String>,
}

/// Puts inputs, then the arguments of a command, over `config`. Arguments are capped by what `config` allows; inputs
/// stand in the workflow file, which is as trusted as the configuration.
///
/// # Errors
/// When a name is no suite's.
pub(super) fn apply(config: &mut Config, inputs: &Inputs, arguments: &Arguments) -> Result<Selection, CommandError> {
    let mut notes = Vec::new();
    if config.isolation == Isolation::Host && inputs.isolation.is_none() {
        // The file of the repository cannot choose to run beside the job's token.
        config.isolation = Isolation::Auto;
        notes.push("isolation: host counts in the workflow file only, and was ignored in the configuration".to_owned());
    }
    set_inputs(config, inputs);
    if let Some(rounds) = arguments.rounds {
        config.rounds = cap_rounds(rounds, config.command.max_rounds);
        if config.rounds != rounds {
            let asked = show_rounds(rounds);
            notes.push(format!("rounds={asked} was asked for; max-rounds allows {}", show_rounds(config.rounds)));
        }
    }
    if let Some(budget) = arguments.budget {
        let most = config.command.max_budget.unwrap_or(config.max_time);
        config.budget = budget.min(most);
        if budget > most {
            let (asked, most) = (show_duration(budget), show_duration(most));
            notes.push(format!("budget={asked} was asked for; max-budget allows {most}"));
        }
    }
    if let Some(threshold) = arguments.threshold {
        config.compare.threshold = threshold;
    }
    let wanted = if arguments.suites.is_empty() { &inputs.suites } else { &arguments.suites };
    let filter = arguments.filter.as_ref().or(inputs.filter.as_ref());
    let suites = resolve_suites(wanted, config)?;
    Ok(Selection { suites, filter: filter.cloned().unwrap_or_default(), notes })
}

/// Puts inputs (in a terminal: flags) over a configuration, and gives the names of the suites that they choose.
///
/// # Errors
/// When a name is no suite's.
pub fn apply_inputs(config: &mut Config, inputs: &Inputs) -> Result<Vec<String>, CommandError> {
    set_inputs(config, inputs);
    resolve_suites(&inputs.suites, config)
}

fn set_inputs(config: &mut Config, inputs: &Inputs) {
    macro_rules! set {
        ($($input:ident => $($target:ident).+),* $(,)?) => {
            $(if let Some(value) = &inputs.$input { config.$($target).+ = value.clone(); })*
        };
    }
    set! {
        rounds => rounds,
        budget => budget,
        threshold => compare.threshold,
        fail_on => report.fail_on,
        comment_on => report.comment_on,
        comment_mode => report.comment_mode,
        name => report.name,
        isolation => isolation,
        tuning => host.tuning,
    }
    if config.budget > config.max_time {
        config.max_time = config.budget;
    }
}

/// The nearest plan that has at most `most` rounds a side.
fn cap_rounds(rounds: Rounds, most: u32) -> Rounds {
    let most = most - most % 2;
    match rounds {
        Rounds::Fixed(rounds) => Rounds::Fixed(rounds.min(most)),
        Rounds::Staged { screen, confirm } if screen + confirm <= most => rounds_of(screen, confirm),
        // Two stages take 4 and 8 at least.
        Rounds::Staged { .. } if most < 12 => Rounds::Fixed(most),
        Rounds::Staged { screen, .. } => {
            let screen = screen.min(most - 8);
            rounds_of(screen, most - screen)
        }
    }
}

const fn rounds_of(screen: u32, confirm: u32) -> Rounds {
    Rounds::Staged { screen, confirm }
}

fn show_rounds(rounds: Rounds) -> String {
    match rounds {
        Rounds::Fixed(rounds) => rounds.to_string(),
        Rounds::Staged { screen, confirm } => format!("{screen}+{confirm}"),
    }
}

/// The suites that names and patterns (`*`, `?`) stand for, in the order of the configuration; none for all. Where the
/// configuration leaves the suites to detection nobody knows their names yet: then `wanted` is passed on as it is, to be
/// resolved when they are found.
///
/// # Errors
/// When a name is no suite's.
pub fn resolve_suites(wanted: &[String], config: &Config) -> Result<Vec<String>, CommandError> {
    if config.suites.is_empty() || wanted.is_empty() {
        return Ok(wanted.to_vec());
    }
    let names: Vec<&str> = config.suites.iter().map(|suite| suite.name.as_str()).collect();
    for word in wanted {
        if names.iter().any(|name| matches(word, name)) {
            continue;
        }
        let near = nearest(word, names.iter().copied()).map(str::to_owned);
        let subcommand = nearest(word, SUBCOMMANDS.iter().copied());
        return Err(match subcommand {
            Some(subcommand) if near.is_none() => {
                CommandError::UnknownSubcommand { word: word.clone(), did_you_mean: subcommand.to_owned() }
            }
            _ => {
                let suites = names.iter().map(|name| (*name).to_owned()).collect();
                CommandError::UnknownSuite { name: word.clone(), did_you_mean: near, suites }
            }
        });
    }
    let chosen = names.iter().filter(|name| wanted.iter().any(|word| matches(word, name)));
    Ok(chosen.map(|name| (*name).to_owned()).collect())
}

/// Whether `pattern`, with `*` for any text and `?` for one character, is `name`; a name that is written out wins.
fn matches(pattern: &str, name: &str) -> bool {
    if pattern == name {
        return true;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                // The last star takes one character more.
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn config(text: &str) -> Config {
        crate::config::load("b.yml", text).unwrap()
    }

    const SUITES: &str = "suites: [{name: codec, run: a}, {name: codec-fast, run: b}, {name: cli, run: c}]\n";

    fn suites(wanted: &[&str]) -> Result<Vec<String>, String> {
        let suites = wanted.iter().map(|word| (*word).to_owned()).collect();
        let arguments = Arguments { suites, ..Arguments::default() };
        apply(&mut config(SUITES), &Inputs::default(), &arguments)
            .map(|selection| selection.suites)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn names_and_patterns_choose_suites() {
        assert_eq!(suites(&[]).unwrap(), Vec::<String>::new());
        assert_eq!(suites(&["codec"]).unwrap(), ["codec"]);
        assert_eq!(suites(&["cli", "codec*"]).unwrap(), ["codec", "codec-fast", "cli"]);
        assert_eq!(suites(&["c?i"]).unwrap(), ["cli"]);
        assert_eq!(suites(&["*"]).unwrap().len(), 3);
        assert_eq!(suites(&["kodec"]).unwrap_err(), "there is no suite `kodec`; did you mean `codec`?");
        assert_eq!(
            suites(&["parser"]).unwrap_err(),
            "there is no suite `parser`; there is `codec`, `codec-fast`, `cli`"
        );
        assert_eq!(suites(&["halp"]).unwrap_err(), "there is no `/bench halp`; did you mean `/bench help`?");
        assert!(suites(&["x*"]).is_err());
    }

    #[test]
    fn arguments_win_over_inputs_and_inputs_over_the_file() {
        let mut config =
            config("rounds: {fixed: 10}\nbudget: 5m\ncompare: {threshold: 5%}\nreport: {fail-on: failure}");
        let inputs = Inputs {
            rounds: Some(Rounds::Fixed(12)),
            budget: Some(Duration::from_secs(420)),
            fail_on: Some(vec![crate::config::FailOn::Regression]),
            filter: Some("input".into()),
            suites: vec!["go".into()],
            ..Inputs::default()
        };
        let arguments =
            Arguments { rounds: Some(Rounds::Fixed(14)), filter: Some("argument".into()), ..Arguments::default() };
        let selection = apply(&mut config, &inputs, &arguments).unwrap();
        assert_eq!((config.rounds, config.budget), (Rounds::Fixed(14), Duration::from_secs(420)));
        assert_eq!(
            (config.compare.threshold, &config.report.fail_on[..]),
            (0.05, &[crate::config::FailOn::Regression][..])
        );
        assert_eq!((selection.filter.as_str(), selection.suites), ("argument", vec!["go".to_owned()]));
    }

    #[test]
    fn arguments_are_capped_and_the_report_says_so() {
        let mut config = config("command: {max-rounds: 30, max-budget: 15m}");
        let arguments = Arguments {
            rounds: Some(Rounds::Fixed(80)),
            budget: Some(Duration::from_secs(7200)),
            ..Arguments::default()
        };
        let selection = apply(&mut config, &Inputs::default(), &arguments).unwrap();
        assert_eq!((config.rounds, config.budget), (Rounds::Fixed(30), Duration::from_secs(900)));
        assert_eq!(
            selection.notes,
            ["rounds=80 was asked for; max-rounds allows 30", "budget=2h was asked for; max-budget allows 15m"]
        );
        // Without a limit of its own the budget ends with the job.
        let arguments = Arguments { budget: Some(Duration::from_secs(7200)), ..Arguments::default() };
        let mut default = Config::default();
        apply(&mut default, &Inputs::default(), &arguments).unwrap();
        assert_eq!(default.budget, Duration::from_secs(3600));
    }

    #[test]
    fn a_capped_plan_is_still_a_plan() {
        let staged = |screen, confirm| Rounds::Staged { screen, confirm };
        for (asked, most, expected) in [
            (staged(8, 16), 24, staged(8, 16)),
            (staged(8, 16), 20, staged(8, 12)),
            (staged(20, 16), 14, staged(6, 8)),
            (staged(8, 16), 13, staged(4, 8)),
            (staged(8, 16), 10, Rounds::Fixed(10)),
            (Rounds::Fixed(20), 7, Rounds::Fixed(6)),
            (Rounds::Fixed(4), 7, Rounds::Fixed(4)),
        ] {
            assert_eq!(cap_rounds(asked, most), expected, "{asked:?} {most}");
        }
    }

    #[test]
    fn the_file_cannot_choose_to_run_beside_the_token() {
        let mut host = config("isolation: host");
        let selection = apply(&mut host, &Inputs::default(), &Arguments::default()).unwrap();
        assert_eq!((host.isolation, selection.notes.len()), (Isolation::Auto, 1));
        let inputs = Inputs { isolation: Some(Isolation::Host), ..Inputs::default() };
        let mut host = config("isolation: container");
        apply(&mut host, &inputs, &Arguments::default()).unwrap();
        assert_eq!(host.isolation, Isolation::Host);
    }

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "abc", true),
            ("a*c", "abbc", true),
            ("a*c", "abcd", false),
            ("**b", "ab", true),
            ("?", "", false),
            ("a?c", "abc", true),
            ("*a*b*", "xaxbx", true),
            ("*a*b*", "xbxax", false),
            ("a", "A", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
