//! Time that a busy CPU loses to others, measured by ourselves.
//!
//! A guest kernel cannot see that its host runs somebody else, and Hyper-V does not tell. A loop that only reads the
//! clock sees it: between two readings there are some 50 ns, so a jump means that the loop did not run.

use crate::host::process;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// A jump of the clock beyond this is a loss. Timer ticks and short interrupts stay below.
pub const GAP: Duration = Duration::from_micros(50);
/// How long the probe runs before the first round and between blocks.
pub const PROBE: Duration = Duration::from_millis(100);

/// What the probe found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LostTime {
    /// Lost time as a share of the probe, 0 to 1.
    pub share: f64,
    /// How often the loop was interrupted.
    pub gaps: u32,
    /// The longest interruption.
    pub longest: Duration,
}

/// Spins on `cpu` for `duration` and adds up the jumps of the clock. `None`: on any CPU. Use [`PROBE`] unless there is
/// a reason.
///
/// # Errors
/// When the CPU cannot be had, or no thread.
pub fn lost_time(cpu: Option<u32>, duration: Duration) -> io::Result<LostTime> {
    let spin = move || {
        if let Some(cpu) = cpu {
            process::pin(&[cpu])?;
        }
        let start = Instant::now();
        // The clock as an iterator: what is added up is tested with a clock that is known.
        Ok(add_up(std::iter::repeat_with(|| start.elapsed()), duration))
    };
    // A thread of its own: the affinity goes with it.
    let thread = thread::Builder::new().name("lost time".to_owned()).spawn(spin)?;
    thread.join().map_err(|_| io::Error::other("the probe's thread broke"))?
}

fn add_up(clock: impl Iterator<Item = Duration>, duration: Duration) -> LostTime {
    let (mut last, mut lost, mut gaps, mut longest) = (Duration::ZERO, Duration::ZERO, 0, Duration::ZERO);
    for now in clock {
        let step = now.saturating_sub(last);
        if step > GAP {
            lost += step;
            gaps += 1;
            longest = longest.max(step);
        }
        last = now;
        if now >= duration {
            break;
        }
    }
    let share = if last.is_zero() { 0.0 } else { lost.as_secs_f64() / last.as_secs_f64() };
    LostTime { share, gaps, longest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_jumps_of_the_clock_are_lost_time() {
        let micros = [1, 2, 3, 1003, 1004, 1054, 1300, 2000].map(Duration::from_micros);
        let lost = add_up(micros.into_iter(), Duration::from_micros(2000));
        // 1000, 246 and 700 µs are jumps; the step of exactly 50 µs is not.
        assert_eq!((lost.gaps, lost.longest), (3, Duration::from_micros(1000)));
        assert!((lost.share - 1946.0 / 2000.0).abs() < 1e-12, "{lost:?}");
    }

    #[test]
    fn the_probe_refuses_a_cpu_that_is_not_there() {
        assert!(lost_time(Some(1000), Duration::from_micros(1)).is_err());
        assert!(lost_time(None, Duration::from_micros(100)).unwrap().share <= 1.0);
    }
}
