//! Settings that are read and reported, and never written: they are part of what is measured, or a change cannot be
//! undone with certainty.

use super::policy_values;
use crate::host::cgroup;
use crate::host::cpu::Topology;
use crate::host::cpulist;
use crate::host::tree::Roots;
use std::collections::BTreeMap;

const CPU: &str = "sys/devices/system/cpu";

/// Files that are shown as they are, by the name they are shown under.
const PLAIN: [(&str, &str); 14] = [
    ("smt", "sys/devices/system/cpu/smt/control"),
    ("aslr", "proc/sys/kernel/randomize_va_space"),
    ("clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource"),
    ("intel_pstate", "sys/devices/system/cpu/intel_pstate/status"),
    ("amd_pstate", "sys/devices/system/cpu/amd_pstate/status"),
    ("isolated cpus", "sys/devices/system/cpu/isolated"),
    ("nohz_full cpus", "sys/devices/system/cpu/nohz_full"),
    ("idle driver", "sys/devices/system/cpu/cpuidle/current_driver"),
    ("idle governor", "sys/devices/system/cpu/cpuidle/current_governor_ro"),
    ("irq affinity", "proc/irq/default_smp_affinity"),
    ("numa balancing", "proc/sys/kernel/numa_balancing"),
    ("autogroup", "proc/sys/kernel/sched_autogroup_enabled"),
    ("swappiness", "proc/sys/vm/swappiness"),
    ("perf paranoid", "proc/sys/kernel/perf_event_paranoid"),
];

/// What is worth a line.
pub(super) fn read(roots: &Roots, topology: &Topology) -> BTreeMap<String, String> {
    let mut details = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty() && value != "(null)") {
            details.insert(name.to_owned(), value);
        }
    };
    for (name, file) in PLAIN {
        put(name, roots.text(file));
    }
    let joined = |leaf: &str| Some(policy_values(roots, leaf).into_iter().collect::<Vec<_>>().join(", "));
    put("cpufreq driver", joined("scaling_driver"));
    put("energy preference", joined("energy_performance_preference"));
    put("thp", roots.text("sys/kernel/mm/transparent_hugepage/enabled").and_then(|text| bracketed(&text)));
    put("thp defrag", roots.text("sys/kernel/mm/transparent_hugepage/defrag").and_then(|text| bracketed(&text)));
    put("idle states", idle_states(roots));
    put("swap", swap(roots));
    put("numa nodes", numa_nodes(roots));
    put("cpu quota", cgroup::quota(roots).map(|cpus| format!("{cpus} CPUs")));
    put("allowed cpus", Some(cpulist::format(topology.allowed.iter().copied())));
    put("siblings", siblings(topology));
    put("slow cpus", Some(cpulist::format(topology.slow.iter().copied())));
    put(
        "cgroup partition",
        roots
            .text("sys/fs/cgroup/cpuset.cpus.isolated")
            .map(|cpus| format!("isolated {cpus}"))
            .filter(|text| text != "isolated "),
    );
    details
}

/// The chosen word of `always [madvise] never`.
fn bracketed(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

/// The idle states of CPU 0, deepest last; switched off ones are marked.
fn idle_states(roots: &Roots) -> Option<String> {
    let folder = format!("{CPU}/cpu0/cpuidle");
    let states = roots.numbered(&folder, "state").into_iter().filter_map(|state| {
        let name = roots.text(&format!("{folder}/state{state}/name"))?;
        let off = roots.text(&format!("{folder}/state{state}/disable")).is_some_and(|text| text == "1");
        Some(if off { format!("{name} (off)") } else { name })
    });
    Some(states.collect::<Vec<_>>().join(", "))
}

/// Whether there is swap, and how much, in MiB.
fn swap(roots: &Roots) -> Option<String> {
    let text = roots.text("proc/swaps")?;
    let kib: u64 = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok()).sum();
    Some(if kib == 0 { "none".to_owned() } else { format!("{} MiB", kib / 1024) })
}

/// The number of memory nodes, if there is more than one.
fn numa_nodes(roots: &Roots) -> Option<String> {
    let nodes = roots.numbered("sys/devices/system/node", "node").len();
    (nodes > 1).then(|| nodes.to_string())
}

/// How many threads a core has, if more than one.
fn siblings(topology: &Topology) -> Option<String> {
    let most = topology.siblings.values().map(std::collections::BTreeSet::len).max()?;
    (most > 1).then(|| format!("{most} threads a core"))
}
