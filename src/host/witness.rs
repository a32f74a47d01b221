//! What the machine did during a round.

mod lost;
mod sampler;

pub use lost::{GAP, LostTime, PROBE, lost_time};

use super::tree::Roots;
use super::{cgroup, frequency};
use crate::results::{Clocks, RoundWitness};
use sampler::Sampler;
use std::fs;
use std::time::{Duration, Instant};

const CPU: &str = "sys/devices/system/cpu";
/// The kernel counts CPU time in `/proc/stat` in hundredths of a second on every architecture that we run on.
const TICKS_PER_SECOND: f64 = 100.0;

/// What is watched, the same for every round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    /// The host's files.
    pub roots: Roots,
    /// The CPUs of the bench command; empty if it is not pinned: then no clock and no throttle counter of its own is
    /// watched, and stolen time is that of all CPUs.
    pub cpus: Vec<u32>,
    /// Other CPUs, for the sampler; empty: frequencies are read only before and after, since sampling would disturb.
    pub housekeeping: Vec<u32>,
    /// Whether stolen time can be observed ([`crate::results::Machine::steal_observable`]).
    pub steal_observable: bool,
}

/// What `wait4` or the control group says of the command after its end. `None`: not observable.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// CPU time in user mode, of the command and its children.
    pub user: Option<Duration>,
    /// CPU time in the kernel.
    pub system: Option<Duration>,
    /// Largest resident set, in bytes (`ru_maxrss` is in KiB).
    pub max_rss: Option<u64>,
    /// Involuntary context switches.
    pub involuntary_switches: Option<u64>,
    /// Major page faults.
    pub major_faults: Option<u64>,
    /// Minor page faults.
    pub minor_faults: Option<u64>,
}

/// Counters that only grow, before a round or after it.
#[derive(Debug, Clone, Copy, Default)]
struct Counters {
    steal: Option<f64>,
    throttled: Option<u64>,
    quota_throttled: Option<u64>,
    swapped_in: Option<u64>,
}

/// Watches one round.
#[derive(Debug)]
pub struct RoundProbe {
    watch: Watch,
    before: Counters,
    mhz: Option<f64>,
    all_mhz: Option<[f64; 3]>,
    sampler: Option<Sampler>,
    started: Instant,
    cpus: Option<String>,
    cpu: Option<u32>,
}

impl RoundProbe {
    /// Reads everything once and starts the sampler. Call it just before the command starts.
    #[must_use]
    pub fn start(watch: &Watch) -> Self {
        let before = counters(watch);
        let (mhz, all_mhz) = clocks(watch);
        // Where the first reading gives nothing, there is nothing to sample.
        let sampler = mhz.and_then(|_| Sampler::start(watch));
        Self { watch: watch.clone(), before, mhz, all_mhz, sampler, started: Instant::now(), cpus: None, cpu: None }
    }

    /// Reads where the command was. Call it when the command has ended and has not been waited for yet: a zombie still
    /// has its last CPU and its affinity.
    pub fn exited(&mut self, pid: u32) {
        // A process is real, also when the host's files are in another tree.
        let text = |leaf: &str| {
            // It may have given itself a name that is no text.
            let bytes = fs::read(format!("/proc/{pid}/{leaf}")).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let status = text("status");
        self.cpus = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
            .map(|list| list.trim().to_owned())
            .filter(|list| !list.is_empty());
        // Field 39 of stat; counted from behind the name, which may hold anything.
        let stat = text("stat");
        self.cpu = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_ascii_whitespace().nth(36))
            .and_then(|cpu| cpu.parse().ok());
    }

    /// Reads everything again and gives the round's witness. Call it when the command has ended.
    #[must_use]
    pub fn finish(self, usage: Usage) -> RoundWitness {
        let wall = self.started.elapsed();
        let seen = self.sampler.and_then(Sampler::stop);
        let roots = &self.watch.roots;
        let (last, all_last) = clocks(&self.watch);
        let after = counters(&self.watch);
        let grown = |after: Option<u64>, before: Option<u64>| Some(after?.saturating_sub(before?));
        let share = |after: f64, before: f64| {
            let seconds = (after - before).max(0.0) / TICKS_PER_SECOND;
            (seconds / wall.as_secs_f64()).min(1.0)
        };
        RoundWitness {
            user: usage.user.map(|time| time.as_secs_f64()),
            system: usage.system.map(|time| time.as_secs_f64()),
            max_rss: usage.max_rss,
            involuntary_switches: usage.involuntary_switches,
            major_faults: usage.major_faults,
            minor_faults: usage.minor_faults,
            mhz: self.mhz.zip(last).map(|(before, last)| {
                let highest = seen.map_or(before, |seen| seen.highest).max(before).max(last);
                [before, highest, last]
            }),
            all_mhz: self.all_mhz.zip(all_last).map(|(before, after)| Clocks {
                before,
                during: seen.and_then(|seen| seen.all),
                after,
            }),
            steal: after.steal.zip(self.before.steal).map(|(after, before)| share(after, before)),
            load: roots.text("proc/loadavg").and_then(|text| text.split_whitespace().next()?.parse().ok()),
            pressure: pressure(roots),
            throttled: grown(after.throttled, self.before.throttled),
            quota_throttled: grown(after.quota_throttled, self.before.quota_throttled),
            swapped_in: grown(after.swapped_in, self.before.swapped_in),
            // Whoever ran the probe before this round puts it in.
            lost: None,
            cpus: self.cpus,
            cpu: self.cpu,
        }
    }
}

/// The highest frequency of the command's CPUs, and smallest, median and largest of all, in MHz.
fn clocks(watch: &Watch) -> (Option<f64>, Option<[f64; 3]>) {
    let all = frequency::frequencies(&watch.roots);
    let own = watch.cpus.iter().filter_map(|cpu| all.mhz.get(cpu).copied());
    (own.max_by(f64::total_cmp), all.range())
}

fn counters(watch: &Watch) -> Counters {
    let roots = &watch.roots;
    Counters {
        steal: watch.steal_observable.then(|| steal(roots, &watch.cpus)).flatten(),
        throttled: throttled(roots, &watch.cpus),
        quota_throttled: cgroup::throttled(roots),
        swapped_in: roots
            .text("proc/vmstat")
            .and_then(|text| text.lines().find_map(|line| line.strip_prefix("pswpin "))?.trim().parse().ok()),
    }
}

/// Stolen time of one of `cpus` since boot, on average, in ticks: field 8 of their lines in `/proc/stat`. Without any,
/// of all CPUs.
fn steal(roots: &Roots, cpus: &[u32]) -> Option<f64> {
    let text = roots.text("proc/stat")?;
    let lines = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let cpu: u32 = words.next()?.strip_prefix("cpu")?.parse().ok()?;
        Some((cpu, words.nth(7)?.parse::<f64>().ok()?))
    });
    let stolen: Vec<f64> =
        lines.filter(|(cpu, _)| cpus.is_empty() || cpus.contains(cpu)).map(|(_, ticks)| ticks).collect();
    let complete = !stolen.is_empty() && (cpus.is_empty() || stolen.len() == cpus.len());
    complete.then(|| stolen.iter().sum::<f64>() / stolen.len() as f64)
}

/// How often the cores of `cpus`, and their package, were slowed down for heat since boot. Siblings share a counter,
/// so the largest counts.
fn throttled(roots: &Roots, cpus: &[u32]) -> Option<u64> {
    let largest = |leaf: &str| -> Option<u64> {
        cpus.iter().filter_map(|cpu| roots.number(&format!("{CPU}/cpu{cpu}/thermal_throttle/{leaf}"))).max()
    };
    match (largest("core_throttle_count"), largest("package_throttle_count")) {
        (None, None) => None,
        (core, package) => Some(core.unwrap_or_default() + package.unwrap_or_default()),
    }
}

/// `some avg10` of the CPU pressure, as a share.
fn pressure(roots: &Roots) -> Option<f64> {
    let text = roots.text("proc/pressure/cpu")?;
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let percent: f64 = line.split_whitespace().find_map(|word| word.strip_prefix("avg10="))?.parse().ok()?;
    Some(percent / 100.0)
}

#[cfg(test)]
mod tests;
