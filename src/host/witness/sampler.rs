//! Frequency while the command runs, from another CPU, at most once a second.

use super::Watch;
use crate::host::{frequency, process};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Between two readings. Reading is cheap, but it is not nothing.
const INTERVAL: Duration = Duration::from_secs(1);

/// A thread that sleeps, and looks once a second.
#[derive(Debug)]
pub(super) struct Sampler {
    stop: Sender<()>,
    thread: JoinHandle<Option<Seen>>,
}

/// What it saw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seen {
    /// The highest frequency of the command's CPUs at any time, in MHz.
    pub(super) highest: f64,
    /// Smallest, median and largest of all CPUs at the last look, in MHz.
    pub(super) all: Option<[f64; 3]>,
}

impl Sampler {
    /// Starts it; `None` where there is no other CPU, or no thread to be had.
    pub(super) fn start(watch: &Watch) -> Option<Self> {
        if watch.housekeeping.is_empty() || watch.cpus.is_empty() {
            return None;
        }
        let (stop, stopped) = mpsc::channel();
        let watch = watch.clone();
        let sample = move || {
            // On a CPU of its own, or not at all.
            process::pin(&watch.housekeeping).ok()?;
            let tick = || (stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout)).then_some(());
            look(std::iter::from_fn(tick), &watch)
        };
        let thread = thread::Builder::new().name("frequency".to_owned()).spawn(sample).ok()?;
        Some(Self { stop, thread })
    }

    /// Ends it.
    pub(super) fn stop(self) -> Option<Seen> {
        drop(self.stop);
        self.thread.join().ok()?
    }
}

/// Looks at every tick.
fn look(ticks: impl Iterator<Item = ()>, watch: &Watch) -> Option<Seen> {
    let mut seen = None;
    for () in ticks {
        let all = frequency::frequencies(&watch.roots);
        let now = watch.cpus.iter().filter_map(|cpu| all.mhz.get(cpu).copied()).max_by(f64::total_cmp);
        let before = seen.map(|seen: Seen| seen.highest);
        let highest = now.into_iter().chain(before).max_by(f64::total_cmp);
        seen = highest.map(|highest| Seen { highest, all: all.range() });
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fake::Fake;

    #[test]
    fn the_highest_of_all_samples_counts() {
        let fake = Fake::intel();
        let watch = Watch { roots: fake.roots(), cpus: vec![3, 7], housekeeping: vec![0], steal_observable: true };
        let ticks = [2_000_000, 4_600_000, 1_800_000].into_iter().map(|khz| {
            fake.write("sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq", &khz.to_string());
        });
        let seen = look(ticks, &watch).expect("three looks");
        assert_eq!(seen.highest, 4600.0);
        assert_eq!(seen.all, frequency::frequencies(&watch.roots).range());
        assert_eq!(look(std::iter::empty(), &watch), None);
    }

    #[test]
    fn it_ends_when_the_round_does_and_needs_another_cpu() {
        let fake = Fake::intel();
        let here = nix::sched::sched_getcpu().unwrap() as u32;
        let mut watch = Watch { roots: fake.roots(), cpus: vec![3], housekeeping: vec![here], steal_observable: true };
        // Shorter than the first interval: nothing was seen, and nothing is made up.
        assert_eq!(Sampler::start(&watch).expect("there is another CPU").stop(), None);
        watch.housekeeping.clear();
        assert!(Sampler::start(&watch).is_none());
    }
}
