//! Raw values into a checked [`Config`]: what is possible, and the defaults.

use super::error::{Fault, Place};
use super::raw::{RawCommand, RawCompare, RawConfig, RawHost, RawPermission, RawReport, RawRounds, RawUnit};
use super::{
    CommandPolicy, Compare, Config, Cpus, FailOn, Host, MAX_ROUNDS, Permission, Rename, ReportConfig, Rounds, Template,
    UnitPolicy, refname, suite, value,
};
use crate::unit::normalise;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest time that any key may name: a job on one's own runner may last five days.
const LONGEST: Duration = Duration::from_secs(5 * 86_400);

/// Checks every value.
pub(super) fn check(raw: RawConfig) -> Result<Config, Fault> {
    let root = Place::ROOT;
    let default = Config::default();
    let host = host(raw.host.unwrap_or_default(), Host::default(), &root.key("host"))?;
    let max_time = time(raw.max_time, &root.key("max-time"))?;
    let unset = default.budget.min(max_time.unwrap_or(default.max_time));
    let budget = time(raw.budget, &root.key("budget"))?.unwrap_or(unset);
    if budget > max_time.unwrap_or(default.max_time) {
        let limit = max_time.map_or("`max-time`, which is 60m if it is not set", |_| "`max-time`");
        return Err(root.key("budget").fault(format!("is longer than {limit}: the job would end before it")));
    }
    let suites = suite::suites(raw.suites, &host, &root.key("suites"))?;
    Ok(Config {
        suites,
        rounds: rounds(raw.rounds, &root.key("rounds"))?,
        budget,
        max_time: max_time.unwrap_or(default.max_time),
        isolation: raw.isolation.unwrap_or(default.isolation),
        host,
        compare: compare(raw.compare.unwrap_or_default(), &root.key("compare"))?,
        report: report(raw.report.unwrap_or_default(), &root.key("report"))?,
        command: CommandPolicy {
            suites_from: raw.suites_from.unwrap_or(default.command.suites_from),
            ..command(raw.command.unwrap_or_default(), &root.key("command"))?
        },
    })
}

/// A time above zero.
pub(super) fn time(raw: Option<value::Time>, place: &Place) -> Result<Option<Duration>, Fault> {
    match raw {
        Some(value::Time(Duration::ZERO)) => Err(place.fault("must be longer than zero")),
        Some(value::Time(time)) if time > LONGEST => Err(place.fault("must be at most 120h")),
        other => Ok(other.map(|time| time.0)),
    }
}

fn rounds(raw: Option<RawRounds>, place: &Place) -> Result<Rounds, Fault> {
    let even = |place: &Place, rounds: u32| match rounds {
        0 => Err(place.fault("must be at least 2: a block has two rounds of each side")),
        _ if rounds > MAX_ROUNDS => Err(place.fault(format!("must be at most {MAX_ROUNDS}"))),
        _ if rounds % 2 == 1 => Err(place.fault(format!("must be even, such as {}", rounds + 1))),
        _ => Ok(rounds),
    };
    let raw = match raw {
        None => return Ok(Rounds::default()),
        Some(RawRounds::Number(fixed)) => return even(place, fixed).map(Rounds::Fixed),
        Some(RawRounds::Stages(stages)) => stages,
    };
    let both = |rounds: Option<u32>, key: &str, default: u32| {
        rounds.map_or(Ok(default), |rounds| even(&place.key(key), rounds))
    };
    if let Some(fixed) = raw.fixed {
        if raw.screen.is_some() || raw.confirm.is_some() {
            return Err(place.key_fault("`fixed` is one stage; it cannot stand beside `screen` or `confirm`"));
        }
        return even(&place.key("fixed"), fixed).map(Rounds::Fixed);
    }
    let (screen, confirm) = (both(raw.screen, "screen", 8)?, both(raw.confirm, "confirm", 16)?);
    if screen + confirm > MAX_ROUNDS {
        let message = format!("`screen` and `confirm` are {} rounds together; at most {MAX_ROUNDS}", screen + confirm);
        return Err(place.fault(message));
    }
    Ok(Rounds::Staged { screen, confirm })
}

/// Settings of the host, where `default` says what is not set.
pub(super) fn host(raw: RawHost, default: Host, place: &Place) -> Result<Host, Fault> {
    let word = |value: Option<String>, key: &str| match value {
        Some(word) if !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b"_-".contains(&b)) => {
            Ok(Some(word))
        }
        Some(_) => Err(place.key(key).fault("expected one lower-case word, such as `performance`")),
        None => Ok(None),
    };
    if let Some(nice) = raw.nice
        && !(-20..=19).contains(&nice)
    {
        return Err(place.key("nice").fault("must be from -20 (highest priority) to 19"));
    }
    let cpus = match raw.cpus.as_deref() {
        None => default.cpus,
        Some("auto") => Cpus::Auto,
        Some("all") => Cpus::All,
        Some(list) if is_cpu_list(list) => Cpus::List(list.to_owned()),
        Some(_) => return Err(place.key("cpus").fault("expected `auto`, `all`, or a list such as `2-3,6`")),
    };
    let host = Host {
        tuning: raw.tuning.unwrap_or(default.tuning),
        cpus,
        nice: raw.nice.or(default.nice),
        governor: word(raw.governor, "governor")?.or(default.governor),
        boost: raw.boost.map(|switch| switch.0).or(default.boost),
        epp: word(raw.epp, "epp")?.or(default.epp),
        min_khz: raw.min_frequency.map(|frequency| frequency.0).or(default.min_khz),
        max_khz: raw.max_frequency.map(|frequency| frequency.0).or(default.max_khz),
    };
    if let (Some(min), Some(max)) = (host.min_khz, host.max_khz)
        && min > max
    {
        return Err(place.key("min-frequency").fault("is above `max-frequency`"));
    }
    Ok(host)
}

/// Whether `list` is `2`, `2-3` or `0,2-3`, each range rising and below 4096.
fn is_cpu_list(list: &str) -> bool {
    list.split(',').all(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u16>().ok()).flatten();
        matches!((number(first), number(last)), (Some(first), Some(last)) if first <= last && last < 4096)
    })
}

/// Checks a regular expression.
pub(super) fn pattern(text: Option<String>, place: &Place) -> Result<Option<String>, Fault> {
    let Some(text) = text else { return Ok(None) };
    regex_fault(&text).map_or(Ok(()), |message| Err(place.fault(message)))?;
    Ok(Some(text))
}

/// Why `text` is no usable regular expression.
pub(crate) fn regex_fault(text: &str) -> Option<String> {
    let error = regex::RegexBuilder::new(text).size_limit(1 << 20).build().err()?;
    // The parser draws the expression over several lines; its last line says what is wrong.
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
    Some(format!("not a regular expression: {reason}"))
}

fn compare(raw: RawCompare, place: &Place) -> Result<Compare, Fault> {
    let default = Compare::default();
    let base = raw.base.unwrap_or(default.base);
    refname::check(&base).map_err(|rule| {
        place.key("base").fault(format!("expected `merge-base`, `target`, or a branch, tag or commit: {rule}"))
    })?;
    let alpha = raw.alpha.unwrap_or(default.alpha);
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(place.key("alpha").fault("must lie between 0 and 1, such as 0.05"));
    }
    let rename = raw.rename.unwrap_or_default().into_iter().enumerate().map(|(i, rename)| {
        let place = place.key("rename").index(i).key("from");
        Ok(Rename { from: pattern(Some(rename.from), &place)?.unwrap_or_default(), to: rename.to })
    });
    Ok(Compare {
        base,
        alpha,
        threshold: ratio(raw.threshold, &place.key("threshold"))?.unwrap_or(default.threshold),
        correction: raw.correction.unwrap_or(default.correction),
        units: units(raw.units.unwrap_or_default(), &place.key("units"))?,
        rename: rename.collect::<Result<_, _>>()?,
        primary: raw.primary.unwrap_or(default.primary),
    })
}

fn ratio(raw: Option<value::Ratio>, place: &Place) -> Result<Option<f64>, Fault> {
    match raw {
        Some(value::Ratio(ratio)) if ratio > 10.0 => Err(place.fault("must be at most 1000%")),
        other => Ok(other.map(|ratio| ratio.0)),
    }
}

/// Policies by normalised unit: rows have no other, so `ns/op` here means `sec/op`.
fn units(raw: BTreeMap<String, RawUnit>, place: &Place) -> Result<BTreeMap<String, UnitPolicy>, Fault> {
    let mut units = BTreeMap::new();
    for (name, raw) in raw {
        let place = place.key(&name);
        if name.trim().is_empty() || name.contains(char::is_whitespace) {
            return Err(place.key_fault("a unit is one word, such as `sec/op`"));
        }
        let normal = normalise(&name);
        if let Some(absolute) = raw.absolute
            && !(absolute.is_finite() && absolute >= 0.0)
        {
            return Err(place.key("absolute").fault("must be a number from 0, in the unit"));
        }
        let policy = UnitPolicy {
            better: raw.better,
            threshold: ratio(raw.threshold, &place.key("threshold"))?,
            absolute: raw.absolute.map(|absolute| normal.apply(absolute)),
            exact: raw.exact,
        };
        if units.insert(normal.unit.clone(), policy).is_some() {
            return Err(place.key_fault(format!("is there twice: it is another name of `{}`", normal.unit)));
        }
    }
    Ok(units)
}

fn report(raw: RawReport, place: &Place) -> Result<ReportConfig, Fault> {
    let default = ReportConfig::default();
    let template = match raw.template {
        Some(path) => Some(Template { path: suite::relative_path(path, &place.key("template"))?, text: String::new() }),
        None => None,
    };
    let fail_on = raw.fail_on.map_or(default.fail_on, |words| words.0);
    let place_fail = place.key("fail-on");
    if fail_on.is_empty() {
        return Err(place_fail.fault("is an empty list; write `never`"));
    }
    if fail_on.contains(&FailOn::Never) && fail_on.len() > 1 {
        return Err(place_fail.fault("`never` cannot stand beside others"));
    }
    let name = raw.name.unwrap_or(default.name);
    if !is_report_name(&name) {
        return Err(place.key("name").fault("expected 1 to 60 letters, digits, spaces or any of . _ - /"));
    }
    Ok(ReportConfig {
        layout: raw.layout.unwrap_or(default.layout),
        template,
        fail_on,
        comment_mode: raw.comment_mode.unwrap_or(default.comment_mode),
        comment_on: raw.comment_on.unwrap_or(default.comment_on),
        name,
    })
}

/// Whether `name` can name a comment: it stands inside the comment's marker and in the name of the check.
#[must_use]
pub fn is_report_name(name: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || " ._-/".contains(c);
    // Two dashes would end the marker, which is an HTML comment.
    (1..=60).contains(&name.chars().count())
        && name.chars().all(allowed)
        && name.trim() == name
        && !name.contains("--")
        && !name.starts_with('-')
}

fn command(raw: RawCommand, place: &Place) -> Result<CommandPolicy, Fault> {
    let default = CommandPolicy::default();
    let permission = raw.permission.map_or(default.permission, |permission| match permission {
        RawPermission::Read => Permission::Read,
        RawPermission::Triage => Permission::Triage,
        RawPermission::Write => Permission::Write,
        RawPermission::Maintain => Permission::Maintain,
        RawPermission::Admin => Permission::Admin,
    });
    let max_rounds = raw.max_rounds.unwrap_or(default.max_rounds);
    if !(2..=MAX_ROUNDS).contains(&max_rounds) {
        return Err(place.key("max-rounds").fault(format!("must be from 2 to {MAX_ROUNDS}")));
    }
    let cooldown = raw.cooldown.map_or(default.cooldown, |time| time.0);
    if cooldown > LONGEST {
        return Err(place.key("cooldown").fault("must be at most 120h"));
    }
    Ok(CommandPolicy {
        permission,
        cooldown,
        fork_approval: raw.fork_approval.unwrap_or(default.fork_approval),
        max_rounds,
        max_budget: time(raw.max_budget, &place.key("max-budget"))?,
        suites_from: default.suites_from,
    })
}
