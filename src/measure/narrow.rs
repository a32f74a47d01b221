//! Restricting a suite's command to some of its benchmarks.
//!
//! Noise cancels only over the time that lies between base and head, so a block should hold as little as the tool can
//! run alone. Every process has a price of its own, though (a start, a link, a warm cache lost), so benchmarks are put
//! into as many groups as cost at most a quarter more than running everything at once.

use crate::config::Narrow;
use crate::format::BenchmarkId;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// The variable that a narrowed command reads its regular expression from.
pub const VARIABLE: &str = "BENCH_BOT_FILTER";
/// The expression that no benchmark matches: what a process costs by itself.
pub const NOTHING: &str = "^$";
/// A command line is not longer than this on Linux.
const LONGEST: usize = 100_000;
/// Below this time a group is near enough in time.
const SHORT: Duration = Duration::from_secs(5);

/// The regular expression for some benchmarks; `None` if it would be too long.
#[must_use]
pub fn expression(narrow: Narrow, benchmarks: &[&BenchmarkId]) -> Option<String> {
    let names: BTreeSet<&str> = benchmarks.iter().map(|id| id.name.as_str()).collect();
    let expression = match narrow {
        Narrow::Variable => any(names.iter().copied()),
        Narrow::GoBench => go(&names),
    };
    (expression.len() <= LONGEST).then_some(expression)
}

/// Go matches level by level, and a name's first level is the function's.
fn go(names: &BTreeSet<&str>) -> String {
    let (tops, seconds) = levels(names);
    let functions: Vec<String> = tops.iter().map(|name| format!("Benchmark{name}")).collect();
    let first = any(functions.iter().map(String::as_str));
    match seconds {
        Some(seconds) => format!("{first}/{}", any(seconds.into_iter())),
        None => first,
    }
}

/// The functions of some names, and, if they are parts of one function, their second levels: deeper ones run with their
/// parent.
fn levels<'n>(names: &BTreeSet<&'n str>) -> (BTreeSet<&'n str>, Option<BTreeSet<&'n str>>) {
    let tops: BTreeSet<&str> = names.iter().map(|name| top(name)).collect();
    let seconds = names.iter().map(|name| second(name)).collect();
    let seconds: Option<BTreeSet<&str>> = if tops.len() == 1 { seconds } else { None };
    (tops, seconds)
}

/// Whether what [`expression`] gives for `named` runs `id` too: one of the same name in another package, or another
/// part of the same function.
#[must_use]
pub fn reaches(narrow: Narrow, named: &[&BenchmarkId], id: &BenchmarkId) -> bool {
    let names: BTreeSet<&str> = named.iter().map(|id| id.name.as_str()).collect();
    match narrow {
        Narrow::Variable => names.contains(id.name.as_str()),
        Narrow::GoBench => {
            let (tops, seconds) = levels(&names);
            let wanted = |seconds: BTreeSet<&str>| second(&id.name).is_some_and(|name| seconds.contains(name));
            tops.contains(top(&id.name)) && seconds.is_none_or(wanted)
        }
    }
}

/// A name's second level.
fn second(name: &str) -> Option<&str> {
    name.split_once('/').map(|(_, rest)| top(rest))
}

/// A name's first level.
fn top(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

fn any<'n>(names: impl Iterator<Item = &'n str>) -> String {
    format!("^({})$", names.map(escape).collect::<Vec<_>>().join("|"))
}

/// Escapes what is special in every dialect, and nothing else: an escaped letter or `-` is an error in some.
fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Benchmarks that a tool can only run together: for Go those of one function.
fn indivisible(narrow: Narrow, benchmarks: &[BenchmarkId]) -> Vec<Vec<usize>> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, id) in benchmarks.iter().enumerate() {
        let key = match narrow {
            Narrow::GoBench => top(&id.name),
            Narrow::Variable => id.name.as_str(),
        };
        let group = *known.entry(key).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(index);
    }
    groups
}

/// Puts benchmarks into groups that are run apart.
///
/// `whole` is the time of one round of everything, `alone` that of one process that runs nothing; both are sums over the
/// sides, so that no side decides. The groups are neighbours in the tool's own order.
#[must_use]
pub fn groups(narrow: Narrow, benchmarks: &[BenchmarkId], whole: Duration, alone: Duration) -> Vec<Vec<usize>> {
    let parts = indivisible(narrow, benchmarks);
    let affordable = (0.25 * whole.as_secs_f64() / alone.as_secs_f64().max(1e-3)).floor();
    let useful = (whole.as_secs_f64() / (2.0 * SHORT.as_secs_f64())).ceil();
    let count = affordable.min(useful).clamp(1.0, parts.len().max(1) as f64) as usize;
    // Every group but the last has the same number of parts, or one more.
    let (share, more) = (parts.len() / count, parts.len() % count);
    let mut parts = parts.into_iter();
    (0..count).map(|index| parts.by_ref().take(share + usize::from(index < more)).flatten().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<BenchmarkId> {
        names
            .iter()
            .map(|name| BenchmarkId { package: "p".to_owned(), name: (*name).to_owned(), procs: None })
            .collect()
    }

    fn of(narrow: Narrow, names: &[&str]) -> String {
        let ids = ids(names);
        expression(narrow, &ids.iter().collect::<Vec<_>>()).expect("short")
    }

    #[test]
    fn expressions_match_the_wanted_names() {
        assert_eq!(of(Narrow::GoBench, &["Foo", "Bar/x"]), "^(BenchmarkBar|BenchmarkFoo)$");
        assert_eq!(of(Narrow::GoBench, &["Foo/a=1/deep", "Foo/b.c"]), r"^(BenchmarkFoo)$/^(a=1|b\.c)$");
        assert_eq!(of(Narrow::GoBench, &["Foo", "Foo/x"]), "^(BenchmarkFoo)$");
        let pattern = of(Narrow::Variable, &["a+b (c)", "x-y/z"]);
        let regex = regex::Regex::new(&pattern).expect("valid");
        assert!(regex.is_match("a+b (c)") && regex.is_match("x-y/z") && !regex.is_match("aab (c)"));
        assert!(
            expression(Narrow::Variable, &ids(&["x".repeat(LONGEST).as_str()]).iter().collect::<Vec<_>>()).is_none()
        );
    }

    #[test]
    fn what_an_expression_runs_beside_what_it_names_is_known() {
        let reaches = |narrow, named: &[&str], name: &str| {
            let named = ids(named);
            super::reaches(narrow, &named.iter().collect::<Vec<_>>(), &ids(&[name])[0])
        };
        for (named, with, without) in [
            (&["F/x/1"][..], &["F/x/1", "F/x/2", "F/x"][..], &["F/y/1", "F", "G/x"][..]),
            (&["F/x", "F/y"], &["F/x", "F/y/z"], &["F/z"]),
            (&["F/x", "G/x"], &["F/x", "F/y", "G", "G/y/z"], &["H/x"]),
            (&["F", "F/x"], &["F", "F/y"], &["G"]),
        ] {
            assert!(with.iter().all(|name| reaches(Narrow::GoBench, named, name)), "{named:?}");
            assert!(!without.iter().any(|name| reaches(Narrow::GoBench, named, name)), "{named:?}");
        }
        assert!(reaches(Narrow::Variable, &["F/x"], "F/x") && !reaches(Narrow::Variable, &["F/x"], "F/x/1"));
    }

    #[test]
    fn groups_cost_at_most_a_quarter_more() {
        let names: Vec<String> = (0..30).map(|i| format!("B{i}/sub")).collect();
        let ids = ids(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let count = |whole, alone| {
            groups(Narrow::GoBench, &ids, Duration::from_secs(whole), Duration::from_millis(alone)).len()
        };
        assert_eq!(count(6, 10), 1, "a short suite stays whole");
        assert_eq!(count(600, 100), 30, "a long one with a cheap start is split as far as it goes");
        assert_eq!(count(600, 10_000), 15, "0.25 x 600 s / 10 s");
        assert_eq!(count(600, 600_000), 1);
        let all: Vec<usize> = groups(Narrow::GoBench, &ids, Duration::from_secs(600), Duration::from_secs(20)).concat();
        assert_eq!(all, (0..30).collect::<Vec<_>>(), "each once, in order");
    }

    #[test]
    fn benchmarks_of_one_go_function_stay_together() {
        let ids = ids(&["A/x", "B", "A/y", "C"]);
        let groups = groups(Narrow::GoBench, &ids, Duration::from_secs(600), Duration::from_millis(1));
        assert_eq!(groups, [vec![0, 2], vec![1], vec![3]]);
    }
}
