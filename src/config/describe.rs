//! What would run, in words: the output of `bench-bot check-config`.

use super::error::printable;
use super::{Config, Cpus, Host, Rounds, Suite, SuiteSide};
use crate::side::{PerSide, Side};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

/// Where the values of a configuration came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The file, if there is one.
    pub file: Option<String>,
    /// The paths of the keys that the file sets, such as `suites[0].run`.
    pub set: BTreeSet<String>,
    /// One sentence on what was detected, if anything was.
    pub detected: Option<String>,
    /// By suite: why it was detected.
    pub reasons: BTreeMap<String, Vec<String>>,
    /// What was seen and left out, and why.
    pub left_out: Vec<String>,
}

impl Source {
    pub(super) fn file(path: &str, set: BTreeSet<String>) -> Self {
        Self { file: Some(path.to_owned()), set, ..Self::default() }
    }

    /// The word for the origin of the value at `path`.
    fn of(&self, path: &str) -> &'static str {
        if self.set.contains(path) { "file" } else { "default" }
    }
}

/// Says what `config` would run and where each value came from. Control characters are replaced.
#[must_use]
pub fn describe(config: &Config, source: &Source) -> String {
    let mut text = String::new();
    let mut line = |indent: usize, name: &str, value: &str, origin: &str| {
        let origin = if origin.is_empty() { String::new() } else { format!("   [{origin}]") };
        for (i, part) in value.lines().enumerate() {
            let (name, origin) = if i == 0 { (name, origin.as_str()) } else { ("", "") };
            let _ = writeln!(text, "{:indent$}{name:<14}{}{origin}", "", clean(part));
        }
    };
    line(0, "configuration", source.file.as_deref().unwrap_or("none; everything is default or detected"), "");
    if let Some(sentence) = &source.detected {
        line(0, "detected", sentence, "");
    }
    for reason in &source.left_out {
        line(0, "left out", reason, "");
    }
    for (index, suite) in config.suites.iter().enumerate() {
        describe_suite(suite, index, source, &mut line);
    }
    if config.suites.is_empty() {
        line(0, "suites", "none in the file: found in the tree when it is there", "");
    }
    describe_policy(config, source, &mut line);
    text
}

/// Writes one line: indent, name, value, origin.
type Line<'a> = dyn FnMut(usize, &str, &str, &str) + 'a;

fn describe_suite(suite: &Suite, index: usize, source: &Source, line: &mut Line<'_>) {
    let path = format!("suites[{index}]");
    line(0, "", " ", "");
    line(0, "suite", &suite.name, source.of(&format!("{path}.name")));
    for reason in source.reasons.get(&suite.name).into_iter().flatten() {
        line(2, "because", reason, "");
    }
    let origin = |key: &str, side: Option<Side>| {
        let own = side.map(|side| format!("{path}.{side}.{key}"));
        let set = |path: &String| source.set.contains(path);
        if own.as_ref().is_some_and(set) || set(&format!("{path}.{key}")) {
            "file"
        } else if suite.detected {
            "detected"
        } else {
            "default"
        }
    };
    let sides: PerSide<Vec<(&str, String)>> = suite.sides.as_ref().map(side_lines);
    for (key, value) in &sides.base {
        if sides.head.contains(&(key, value.clone())) {
            line(2, key, value, origin(key, None));
        }
    }
    for side in Side::BOTH {
        for (key, value) in sides.get(side) {
            if !sides.get(side.other()).contains(&(key, value.clone())) {
                line(2, &format!("{side} {key}"), value, origin(key, Some(side)));
            }
        }
    }
    for (key, value) in suite_lines(suite) {
        line(2, key, &value, origin(key, None));
    }
}

/// What a side does, without what is empty.
fn side_lines(side: &SuiteSide) -> Vec<(&'static str, String)> {
    let env = side.env.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("\n");
    let directory = if side.directory.is_empty() { "." } else { &side.directory };
    let run = if side.run.is_empty() { "found in the tree when it is there" } else { &side.run };
    let all = [
        ("directory", directory.to_owned()),
        ("image", side.image.clone().unwrap_or_default()),
        ("dockerfile", side.dockerfile.as_ref().map(|file| file.path.clone()).unwrap_or_default()),
        ("setup", side.setup.clone().unwrap_or_default()),
        ("require", side.require.join(" ")),
        ("run", run.to_owned()),
        ("format", side.format.clone()),
        ("output", side.output.clone().unwrap_or_else(|| "standard output".to_owned())),
        ("env", env),
        ("timeout", time(side.timeout)),
        ("network", if side.network { "in rounds too".to_owned() } else { "during setup only".to_owned() }),
        ("host", side.host.as_ref().map(host).unwrap_or_default()),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn suite_lines(suite: &Suite) -> Vec<(&'static str, String)> {
    let checkout = &suite.checkout;
    let mut parts = Vec::new();
    if checkout.submodules {
        parts.push("submodules".to_owned());
    }
    if checkout.lfs {
        parts.push("lfs".to_owned());
    }
    parts.extend(checkout.extra.iter().map(|extra| format!("{}@{} at {}", extra.repo, extra.reference, extra.path)));
    let parameter = |(name, values): (&String, &Vec<String>)| format!("{name} = {}", values.join(", "));
    let all = [
        ("prepare", suite.prepare.clone().unwrap_or_default()),
        ("checkout", parts.join("\n")),
        ("filter", suite.filter.clone().unwrap_or_default()),
        ("controls", suite.controls.clone().unwrap_or_default()),
        ("list", suite.list.clone().unwrap_or_default()),
        ("parameters", suite.parameters.iter().map(parameter).collect::<Vec<_>>().join("\n")),
        ("metrics", suite.metrics.iter().map(|(name, path)| format!("{name}: {path}")).collect::<Vec<_>>().join("\n")),
        (
            "overlay",
            suite.overlay.as_ref().map(|o| format!("{} → {}: {}", o.from, o.to, o.paths.join(" "))).unwrap_or_default(),
        ),
        ("sweep", suite.sweep.as_ref().map(|sweep| format!("{}: {}", sweep.name, sweep.capture)).unwrap_or_default()),
        ("inspect", suite.inspect.join("\n")),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn describe_policy(config: &Config, source: &Source, line: &mut Line<'_>) {
    line(0, "", " ", "");
    let rounds = match config.rounds {
        Rounds::Staged { screen, confirm } => {
            format!("{screen} a side to screen, then {confirm} fresh ones a side for suspects")
        }
        Rounds::Fixed(rounds) => format!("{rounds} a side, one stage"),
    };
    line(0, "rounds", &rounds, source.of("rounds"));
    line(0, "budget", &time(config.budget), source.of("budget"));
    line(0, "max-time", &time(config.max_time), source.of("max-time"));
    line(0, "isolation", &word(&config.isolation), source.of("isolation"));
    line(0, "host", &host(&config.host), source.of("host"));
    let compare = &config.compare;
    line(0, "base", &compare.base, source.of("compare.base"));
    line(0, "alpha", &compare.alpha.to_string(), source.of("compare.alpha"));
    line(0, "threshold", &percent(compare.threshold), source.of("compare.threshold"));
    line(0, "correction", &word(&compare.correction), source.of("compare.correction"));
    for (unit, policy) in &compare.units {
        let parts = [
            policy.better.map(|better| format!("better {}", word(&better))),
            policy.threshold.map(|ratio| format!("threshold {}", percent(ratio))),
            policy.absolute.map(|value| format!("absolute {value}")),
            policy.exact.map(|exact| if exact { "exact".to_owned() } else { "not exact".to_owned() }),
        ];
        line(0, "unit", &format!("{unit}: {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")), "file");
    }
    for rename in &compare.rename {
        line(0, "rename", &format!("{} → {}", rename.from, rename.to), "file");
    }
    let report = &config.report;
    line(0, "layout", &word(&report.layout), source.of("report.layout"));
    if let Some(template) = &report.template {
        line(0, "template", &template.path, "file");
    }
    let fail_on = report.fail_on.iter().map(word).collect::<Vec<_>>().join(", ");
    line(0, "fail-on", &fail_on, source.of("report.fail-on"));
    let comment = format!("{}, {}, named {}", word(&report.comment_on), word(&report.comment_mode), report.name);
    line(0, "comment", &comment, source.of("report"));
    let command = &config.command;
    let who = format!(
        "/bench for {} and above, once in {}, forks by {}, at most {} rounds and {}",
        word(&command.permission),
        time(command.cooldown),
        word(&command.fork_approval),
        command.max_rounds,
        time(command.max_budget.unwrap_or(config.max_time)),
    );
    line(0, "command", &who, source.of("command"));
    line(0, "suites-from", &word(&command.suites_from), source.of("suites-from"));
}

fn host(host: &Host) -> String {
    let cpus = match &host.cpus {
        Cpus::Auto => "auto",
        Cpus::All => "all",
        Cpus::List(list) => list,
    };
    let parts = [
        Some(format!("tuning {}", word(&host.tuning))),
        Some(format!("cpus {cpus}")),
        host.nice.map(|nice| format!("nice {nice}")),
        host.governor.as_ref().map(|governor| format!("governor {governor}")),
        host.boost.map(|boost| if boost { "boost on".to_owned() } else { "boost off".to_owned() }),
        host.epp.as_ref().map(|epp| format!("epp {epp}")),
        host.min_khz.map(|khz| format!("from {} MHz", khz / 1000)),
        host.max_khz.map(|khz| format!("to {} MHz", khz / 1000)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The word that stands in the file for a value of an enumeration.
fn word<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|json| json.as_str().map(str::to_owned)).unwrap_or_default()
}

fn percent(ratio: f64) -> String {
    // Ten significant digits hide what 0.07 × 100 leaves behind.
    let text = format!("{:.8}", ratio * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A duration as a user writes it.
pub(crate) fn time(time: Duration) -> String {
    let milliseconds = time.as_millis();
    let (hours, minutes, seconds) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1000 % 60);
    let mut text = String::new();
    for (value, unit) in [(hours, "h"), (minutes, "m"), (seconds, "s"), (milliseconds % 1000, "ms")] {
        if value > 0 {
            let _ = write!(text, "{value}{unit}");
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

fn clean(line: &str) -> String {
    line.split('\t').map(printable_all).collect::<Vec<_>>().join("    ").trim_end().to_owned()
}

/// As [`printable`], without the cut.
fn printable_all(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(80).map(|chunk| printable(&chunk.iter().collect::<String>())).collect()
}
