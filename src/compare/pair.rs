//! Which row of base is which row of head.
//!
//! Rows pair by benchmark and unit, after the configured renames. Rows that are left over pair by the stated rules
//! below where exactly one row on each side fits, and every such pair carries a note.

use crate::config::Rename;
use crate::format::BenchmarkId;
use crate::report::Note;
use crate::results::RowKey;
use crate::side::{PerSide, Side};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A row on one side or both.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    /// Index of the key on each side.
    pub(super) key: PerSide<Option<usize>>,
    /// How it was paired, where the keys differ.
    pub(super) notes: Vec<Note>,
}

/// Renames, ready to use.
pub(super) struct Renames(Vec<(Regex, String)>);

impl Renames {
    /// Compiles `rename`; also returns the expressions that are not valid, which are then not applied.
    pub(super) fn new(rename: &[Rename]) -> (Self, Vec<String>) {
        let mut rules = Vec::new();
        let mut invalid = Vec::new();
        for rule in rename {
            match Regex::new(&rule.from) {
                Ok(from) => rules.push((from, rule.to.clone())),
                Err(_) => invalid.push(rule.from.clone()),
            }
        }
        (Self(rules), invalid)
    }

    fn apply(&self, name: &str) -> String {
        self.0.iter().fold(name.to_owned(), |name, (from, to)| from.replace_all(&name, to.as_str()).into_owned())
    }
}

/// A key after the renames: package, name, processors, unit.
type Normal<'a> = (&'a str, String, Option<u32>, &'a str);

/// A row that has no partner yet: index, and its key after the renames.
struct Single<'a> {
    index: usize,
    key: Normal<'a>,
}

/// Pairs `keys`, of which `seen` says on which sides each has values, in the order of first appearance.
pub(super) fn pair(keys: &[RowKey], seen: &[PerSide<bool>], renames: &Renames) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut singles: PerSide<Vec<Single<'_>>> = PerSide::default();
    for (index, (key, seen)) in keys.iter().zip(seen).enumerate() {
        if seen.base && seen.head {
            pairs.push(Pair { key: PerSide { base: Some(index), head: Some(index) }, notes: Vec::new() });
            continue;
        }
        for side in Side::BOTH.into_iter().filter(|side| *seen.get(*side)) {
            let BenchmarkId { package, name, procs } = &key.benchmark;
            let key = (package.as_str(), renames.apply(name), *procs, key.unit.as_str());
            singles.get_mut(side).push(Single { index, key });
        }
    }
    let renamed_packages = only_on_one_side(keys, seen);
    for rule in Rule::ALL {
        let found = rule.matches(&singles, &renamed_packages);
        for &(base, head) in &found {
            pairs.push(Pair {
                key: PerSide { base: Some(base), head: Some(head) },
                notes: notes(&keys[base], &keys[head]),
            });
        }
        let paired: BTreeSet<usize> = found.into_iter().flat_map(|(base, head)| [base, head]).collect();
        for side in Side::BOTH {
            singles.get_mut(side).retain(|single| !paired.contains(&single.index));
        }
    }
    pairs.extend(
        singles.base.iter().map(|s| Pair { key: PerSide { base: Some(s.index), head: None }, notes: Vec::new() }),
    );
    pairs.extend(
        singles.head.iter().map(|s| Pair { key: PerSide { base: None, head: Some(s.index) }, notes: Vec::new() }),
    );
    pairs.sort_by_key(|pair| pair.key.base.into_iter().chain(pair.key.head).min());
    pairs
}

/// A reason to pair two rows whose keys differ, in the order of trial.
#[derive(Clone, Copy)]
enum Rule {
    /// Equal after the configured renames.
    Renamed,
    /// But for the package: base's exists only on base, and head's only on head.
    Package,
    /// But for the number of processors.
    Processors,
    /// But for both.
    PackageAndProcessors,
}

impl Rule {
    const ALL: [Self; 4] = [Self::Renamed, Self::Package, Self::Processors, Self::PackageAndProcessors];

    /// Pairs of indices: rows that are equal under the rule and the only ones of their side.
    fn matches(self, singles: &PerSide<Vec<Single<'_>>>, one_sided: &PerSide<BTreeSet<&str>>) -> Vec<(usize, usize)> {
        let by_package = matches!(self, Self::Package | Self::PackageAndProcessors);
        let by_processors = matches!(self, Self::Processors | Self::PackageAndProcessors);
        let mut groups: HashMap<Normal<'_>, PerSide<Vec<usize>>> = HashMap::new();
        let mut order = Vec::new();
        for side in Side::BOTH {
            for Single { index, key: (package, name, procs, unit) } in singles.get(side) {
                if by_package && !one_sided.get(side).contains(package) {
                    continue;
                }
                let package = if by_package { "" } else { *package };
                let procs = if by_processors { None } else { *procs };
                let group = groups.entry((package, name.clone(), procs, *unit)).or_insert_with_key(|key| {
                    order.push(key.clone());
                    PerSide::default()
                });
                group.get_mut(side).push(*index);
            }
        }
        order
            .iter()
            .filter_map(|key| match groups.get(key)? {
                PerSide { base, head } if base.len() == 1 && head.len() == 1 => Some((base[0], head[0])),
                _ => None,
            })
            .collect()
    }
}

/// The packages that have rows on one side alone.
fn only_on_one_side<'a>(keys: &'a [RowKey], seen: &[PerSide<bool>]) -> PerSide<BTreeSet<&'a str>> {
    let mut sides: BTreeMap<&str, PerSide<bool>> = BTreeMap::new();
    for (key, seen) in keys.iter().zip(seen) {
        let entry = sides.entry(key.benchmark.package.as_str()).or_default();
        entry.base |= seen.base;
        entry.head |= seen.head;
    }
    PerSide::from_fn(|side| {
        sides.iter().filter(|(_, on)| *on.get(side) && !*on.get(side.other())).map(|(package, _)| *package).collect()
    })
}

fn notes(base: &RowKey, head: &RowKey) -> Vec<Note> {
    let mut notes = Vec::new();
    let (base, head) = (&base.benchmark, &head.benchmark);
    if base.name != head.name {
        notes.push(Note::Renamed);
    }
    if base.package != head.package {
        notes.push(Note::PackageDiffers(base.package.clone()));
    }
    if base.procs != head.procs {
        notes.push(Note::ProcsDiffer(base.procs));
    }
    notes
}
