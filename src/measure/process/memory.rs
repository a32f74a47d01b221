//! Whether the kernel killed something for want of memory.

use crate::host::Roots;
use crate::results::StepStatus;

/// Counts of such kills at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Kills {
    /// In our own control group, where its memory is accounted.
    group: Option<u64>,
    /// On the whole system.
    system: Option<u64>,
}

impl Kills {
    /// The counts of this moment; what cannot be read is unknown.
    pub(crate) fn now() -> Self {
        let roots = Roots::live();
        let own = roots.text("proc/self/cgroup").unwrap_or_default();
        let group = own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            let file = match controllers {
                "" => format!("sys/fs/cgroup{path}/memory.events"),
                names if names.split(',').any(|name| name == "memory") => {
                    format!("sys/fs/cgroup/memory{path}/memory.oom_control")
                }
                _ => return None,
            };
            counter(&roots.text(&file)?, "oom_kill")
        });
        Self { group, system: roots.text("proc/vmstat").and_then(|text| counter(&text, "oom_kill")) }
    }
}

fn counter(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// Tells a kill for want of memory from any other failure.
///
/// A count of our own group names the cause of any failure. The system's count may be about somebody else, so it only
/// explains a SIGKILL that was not ours, seen directly or as a shell reports it.
pub(crate) fn explain(status: StepStatus, before: Kills, after: Kills) -> StepStatus {
    let rose = |before: Option<u64>, after: Option<u64>| matches!((before, after), (Some(b), Some(a)) if a > b);
    let killed = matches!(status, StepStatus::Signal(9) | StepStatus::Exit(137));
    let failed = killed || matches!(status, StepStatus::Signal(_) | StepStatus::Exit(_));
    if (failed && rose(before.group, after.group)) || (killed && rose(before.system, after.system)) {
        StepStatus::OutOfMemory
    } else {
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kills(group: Option<u64>, system: Option<u64>) -> Kills {
        Kills { group, system }
    }

    #[test]
    fn a_kill_is_called_so_only_with_evidence() {
        let none = kills(Some(0), Some(5));
        for (status, after, expected) in [
            (StepStatus::Signal(9), kills(Some(1), Some(6)), StepStatus::OutOfMemory),
            (StepStatus::Exit(1), kills(Some(1), Some(6)), StepStatus::OutOfMemory),
            (StepStatus::Exit(137), kills(Some(0), Some(6)), StepStatus::OutOfMemory),
            (StepStatus::Exit(1), kills(Some(0), Some(6)), StepStatus::Exit(1)),
            (StepStatus::Signal(9), none, StepStatus::Signal(9)),
            (StepStatus::Ok, kills(Some(1), Some(6)), StepStatus::Ok),
            (StepStatus::TimedOut(5.0), kills(Some(1), Some(6)), StepStatus::TimedOut(5.0)),
        ] {
            assert_eq!(explain(status, none, after), expected);
        }
        assert_eq!(explain(StepStatus::Signal(9), Kills::default(), none), StepStatus::Signal(9), "unknown before");
    }

    #[test]
    fn counters_are_read_in_both_layouts() {
        assert_eq!(counter("low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n", "oom_kill"), Some(2));
        assert_eq!(counter("oom_kill_disable 0\nunder_oom 0\noom_kill 7\n", "oom_kill"), Some(7));
    }
}
