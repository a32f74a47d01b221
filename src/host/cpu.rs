//! Which CPUs the bench command gets.
//!
//! Not CPU 0: the boot CPU keeps most interrupts and timers. Not half a core: what runs on the sibling changes the
//! speed. Both sides get the same CPUs.

use super::cpulist;
use super::tree::Roots;
use crate::config::Cpus;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const CPU: &str = "sys/devices/system/cpu";
/// How long interrupt counters are watched.
const WINDOW: Duration = Duration::from_secs(1);

/// CPUs and cores as the kernel describes them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Topology {
    /// The threads of each CPU's core, itself included, for every CPU that is online.
    pub siblings: BTreeMap<u32, BTreeSet<u32>>,
    /// CPUs that this process may use: its affinity, within its cgroup's CPU set.
    pub allowed: BTreeSet<u32>,
    /// CPUs that the kernel was told to keep free (`isolcpus=`).
    pub isolated: BTreeSet<u32>,
    /// CPUs slower than others by design (E-cores, LITTLE cores).
    pub slow: BTreeSet<u32>,
}

impl Topology {
    /// Reads the topology. Where there is no sysfs, each allowed CPU counts as a core.
    #[must_use]
    pub fn read(roots: &Roots) -> Self {
        let list = |file: &str| roots.text(file).and_then(|text| cpulist::parse(&text).ok()).unwrap_or_default();
        let allowed = roots
            .text("proc/self/status")
            .and_then(|status| {
                let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
                cpulist::parse(line).ok()
            })
            .unwrap_or_default();
        let mut online = list(&format!("{CPU}/online"));
        if online.is_empty() {
            online.clone_from(&allowed);
        }
        let siblings = online.iter().map(|&cpu| {
            // The first name is the one since kernel 5.5.
            let core = ["core_cpus_list", "thread_siblings_list"]
                .iter()
                .map(|leaf| list(&format!("{CPU}/cpu{cpu}/topology/{leaf}")))
                .find(|core| core.contains(&cpu));
            (cpu, core.unwrap_or_else(|| BTreeSet::from([cpu])).intersection(&online).copied().collect())
        });
        let capacity: BTreeMap<u32, u32> = online
            .iter()
            .filter_map(|cpu| Some((*cpu, roots.number(&format!("{CPU}/cpu{cpu}/cpu_capacity"))?)))
            .collect();
        let largest = capacity.values().max().copied().unwrap_or_default();
        let mut slow = list("sys/devices/cpu_atom/cpus");
        slow.extend(capacity.iter().filter(|(_, one)| **one < largest).map(|(cpu, _)| *cpu));
        let siblings: BTreeMap<_, _> = siblings.collect();
        Self { siblings, allowed, isolated: list(&format!("{CPU}/isolated")), slow }
    }

    /// The number of physical cores that are online.
    #[must_use]
    pub fn cores(&self) -> usize {
        self.siblings.values().collect::<BTreeSet<_>>().len()
    }

    /// The core of a CPU.
    fn core(&self, cpu: u32) -> BTreeSet<u32> {
        self.siblings.get(&cpu).cloned().unwrap_or_else(|| BTreeSet::from([cpu]))
    }

    /// Whole cores that may be taken, without CPU 0's, and without slow ones if there are others.
    fn candidates(&self, from: &BTreeSet<u32>) -> Vec<BTreeSet<u32>> {
        let cores: BTreeSet<BTreeSet<u32>> = from.iter().map(|cpu| self.core(*cpu)).collect();
        let whole: Vec<BTreeSet<u32>> =
            cores.into_iter().filter(|core| core.is_subset(from) && !core.contains(&0)).collect();
        let fast: Vec<_> = whole.iter().filter(|core| core.is_disjoint(&self.slow)).cloned().collect();
        if fast.is_empty() { whole } else { fast }
    }
}

/// The CPUs of the bench command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// All of them; `None`: no pinning.
    pub cpus: Option<Vec<u32>>,
    /// The one for a command that has one busy thread; on the same core.
    pub single: Option<u32>,
    /// CPUs on other cores, for everything that must not disturb; empty where there is only the one core.
    pub housekeeping: Vec<u32>,
    /// Why these, in words.
    pub reason: String,
}

/// Chooses CPUs as the configuration says.
///
/// # Errors
/// A sentence that names what is wrong with an explicit list.
pub fn select(cpus: &Cpus, topology: &Topology, roots: &Roots) -> Result<Selection, String> {
    match cpus {
        Cpus::All => Ok(Selection {
            cpus: None,
            single: None,
            housekeeping: Vec::new(),
            reason: "not pinned, as configured".to_owned(),
        }),
        Cpus::List(text) => listed(text, topology),
        Cpus::Auto => Ok(choose(topology, |candidates| quietest(candidates, roots))),
    }
}

fn listed(text: &str, topology: &Topology) -> Result<Selection, String> {
    let cpus = cpulist::parse(text).map_err(|why| format!("host.cpus: {why}"))?;
    if cpus.is_empty() {
        return Err("host.cpus: the list is empty".to_owned());
    }
    // Isolated CPUs are in nobody's default affinity, but naming one is how they are used.
    let usable: BTreeSet<u32> = topology.allowed.union(&topology.isolated).copied().collect();
    let missing: Vec<u32> = cpus.iter().filter(|cpu| !usable.contains(cpu)).copied().collect();
    if missing.is_empty() {
        return Ok(selection(topology, cpus, None, "as configured".to_owned()));
    }
    Err(format!(
        "host.cpus: {} may not be used here, only {}",
        cpulist::format(missing),
        cpulist::format(topology.allowed.iter().copied())
    ))
}

/// The rule behind `cpus: auto`. `quietest` says which of several cores has the fewest interrupts.
fn choose(topology: &Topology, quietest: impl FnOnce(&[BTreeSet<u32>]) -> usize) -> Selection {
    let isolated: BTreeSet<u32> =
        topology.isolated.iter().filter(|cpu| topology.siblings.contains_key(cpu)).copied().collect();
    let isolated = topology.candidates(&isolated);
    let ordinary = topology.candidates(&topology.allowed);
    let pick = |candidates: &[BTreeSet<u32>]| {
        let index = if candidates.len() > 1 { quietest(candidates) } else { 0 };
        candidates.get(index).cloned().unwrap_or_default()
    };
    if !isolated.is_empty() {
        // The scheduler does not balance on isolated CPUs: threads would pile up on the first, so there is only one.
        let core = pick(&isolated);
        let one = core.first().copied().into_iter().collect();
        return selection(topology, one, None, "isolated by the kernel's command line".to_owned());
    }
    if !ordinary.is_empty() {
        let core = pick(&ordinary);
        let single = core.last().copied();
        return selection(topology, core, single, "a whole core, not CPU 0's".to_owned());
    }
    let own_core = topology.core(0);
    let others = topology.allowed.iter().filter(|cpu| !own_core.contains(cpu));
    let rest = others.max().or_else(|| topology.allowed.iter().max()).copied();
    let reason = match rest {
        Some(cpu) if topology.allowed.len() == 1 => format!("CPU {cpu} is the only one"),
        Some(cpu) => format!("no whole core but CPU 0's is free, so CPU {cpu} alone"),
        None => "the allowed CPUs cannot be read".to_owned(),
    };
    let Some(cpu) = rest else { return Selection { cpus: None, single: None, housekeeping: Vec::new(), reason } };
    selection(topology, BTreeSet::from([cpu]), None, reason)
}

fn selection(topology: &Topology, cpus: BTreeSet<u32>, single: Option<u32>, reason: String) -> Selection {
    let taken: BTreeSet<u32> = cpus.iter().flat_map(|cpu| topology.core(*cpu)).collect();
    let housekeeping = topology.allowed.difference(&taken).copied().collect();
    let single = single.or_else(|| cpus.last().copied());
    Selection { single, cpus: Some(cpus.into_iter().collect()), housekeeping, reason }
}

/// The core with the fewest interrupts in a second; of equal ones the last.
fn quietest(candidates: &[BTreeSet<u32>], roots: &Roots) -> usize {
    let before = interrupts(roots);
    if roots.live {
        std::thread::sleep(WINDOW);
    }
    let after = interrupts(roots);
    let count = |core: &BTreeSet<u32>| -> u64 {
        let of = |counts: &BTreeMap<u32, u64>, cpu| counts.get(cpu).copied().unwrap_or_default();
        core.iter().map(|cpu| of(&after, cpu).saturating_sub(of(&before, cpu))).sum()
    };
    let mut best = 0;
    for index in 1..candidates.len() {
        if count(&candidates[index]) <= count(&candidates[best]) {
            best = index;
        }
    }
    best
}

/// Interrupts since boot, by CPU.
fn interrupts(roots: &Roots) -> BTreeMap<u32, u64> {
    roots.text("proc/interrupts").map_or_else(BTreeMap::new, |text| parse_interrupts(&text))
}

fn parse_interrupts(text: &str) -> BTreeMap<u32, u64> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let cpus: Vec<u32> = header.split_whitespace().filter_map(|word| word.strip_prefix("CPU")?.parse().ok()).collect();
    let mut sums: BTreeMap<u32, u64> = cpus.iter().map(|cpu| (*cpu, 0)).collect();
    for line in lines {
        let counts: Vec<u64> =
            line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).take(cpus.len()).collect();
        // Lines such as `ERR:` have one count for the whole machine.
        if counts.len() == cpus.len() {
            for (cpu, count) in cpus.iter().zip(counts) {
                *sums.entry(*cpu).or_default() += count;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests;
