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
    thread: JoinHandle<Option<f64>>,
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
            highest(std::iter::from_fn(tick), &watch)
        };
        let thread = thread::Builder::new().name("frequency".to_owned()).spawn(sample).ok()?;
        Some(Self { stop, thread })
    }

    /// Ends it: the highest frequency that it saw, in MHz.
    pub(super) fn stop(self) -> Option<f64> {
        drop(self.stop);
        self.thread.join().ok()?
    }
}

/// The highest frequency at any tick.
fn highest(ticks: impl Iterator<Item = ()>, watch: &Watch) -> Option<f64> {
    ticks.filter_map(|()| frequency::highest(&watch.roots, &watch.cpus)).max_by(f64::total_cmp)
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
        assert_eq!(highest(ticks, &watch), Some(4600.0));
        assert_eq!(highest(std::iter::empty(), &watch), None);
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
