//! The machine, as far as it can be seen.

pub(crate) mod cpuinfo;
pub(crate) mod details;
pub(crate) mod hypervisor;

use super::cpu::Topology;
use super::tree::Roots;
use crate::results::Machine;
use std::collections::BTreeSet;

const CPU: &str = "sys/devices/system/cpu";

/// Everything about the machine that explains a measurement. What cannot be read is `None` or missing.
///
/// [`Machine::container`] says whether bench-bot itself is in a container; whoever starts bench commands elsewhere sets
/// it and [`Machine::images`].
#[must_use]
pub fn machine(roots: &Roots) -> Machine {
    let info = cpuinfo::read(roots);
    let topology = Topology::read(roots);
    let virtualization = hypervisor::detect(roots);
    let online = topology.siblings.len().max(info.processors);
    let cores = topology_cores(roots, &topology).or(info.cores);
    Machine {
        cpu: info.model,
        cpus: u32::try_from(online).unwrap_or(u32::MAX),
        cores,
        memory: memory(roots),
        kernel: roots.text("proc/sys/kernel/osrelease").unwrap_or_default(),
        os: os(roots),
        container: container(roots),
        images: None,
        governor: governor(roots),
        boost: boost(roots),
        steal_observable: hypervisor::steal_observable(virtualization.as_deref()),
        virtualization,
        details: details::read(roots, &topology),
    }
}

/// Cores by sysfs; `None` where it does not describe any.
fn topology_cores(roots: &Roots, topology: &Topology) -> Option<u32> {
    let first = topology.siblings.keys().next()?;
    roots.exists(&format!("{CPU}/cpu{first}/topology")).then(|| u32::try_from(topology.cores()).ok())?
}

/// `MemTotal`, in bytes.
fn memory(roots: &Roots) -> Option<u64> {
    let text = roots.text("proc/meminfo")?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The operating system's own name for itself.
fn os(roots: &Roots) -> String {
    let text = roots.text("etc/os-release").or_else(|| roots.text("usr/lib/os-release")).unwrap_or_default();
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        Some(line.trim().trim_matches(['"', '\'']).to_owned())
    };
    value("PRETTY_NAME").or_else(|| value("NAME")).unwrap_or_default()
}

/// Whether this process is in a container: the marks that Docker, Podman, LXC and Kubernetes leave.
fn container(roots: &Roots) -> bool {
    let cgroup = roots.text("proc/1/cgroup").unwrap_or_default();
    roots.exists(".dockerenv")
        || roots.exists("run/.containerenv")
        || ["/docker/", "/docker-", "/kubepods", "/lxc/", "/lxc.payload", "/libpod"]
            .iter()
            .any(|mark| cgroup.contains(mark))
}

/// The governors of all policies, usually one.
fn governor(roots: &Roots) -> Option<String> {
    let governors = policy_values(roots, "scaling_governor");
    (!governors.is_empty()).then(|| governors.into_iter().collect::<Vec<_>>().join(", "))
}

/// `on` or `off`, or `mixed` where policies differ.
fn boost(roots: &Roots) -> Option<String> {
    let word = |on: bool| Some(if on { "on" } else { "off" }.to_owned());
    if let Some(no_turbo) = roots.text(&format!("{CPU}/intel_pstate/no_turbo")) {
        return word(no_turbo == "0");
    }
    let each = policy_values(roots, "boost");
    match roots.text(&format!("{CPU}/cpufreq/boost")) {
        Some(all) if all != "1" || each.is_empty() => word(all == "1"),
        _ if each.len() > 1 => Some("mixed".to_owned()),
        _ => word(each.first()? == "1"),
    }
}

/// The distinct values of a file of every frequency policy.
pub(crate) fn policy_values(roots: &Roots, leaf: &str) -> BTreeSet<String> {
    let policies = roots.numbered(&format!("{CPU}/cpufreq"), "policy");
    let folders: Vec<String> = if policies.is_empty() {
        roots.numbered(CPU, "cpu").iter().map(|cpu| format!("{CPU}/cpu{cpu}/cpufreq")).collect()
    } else {
        policies.iter().map(|policy| format!("{CPU}/cpufreq/policy{policy}")).collect()
    };
    folders.iter().filter_map(|folder| roots.text(&format!("{folder}/{leaf}"))).collect()
}

#[cfg(test)]
mod tests;
