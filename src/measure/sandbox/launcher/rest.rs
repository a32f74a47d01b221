//! The end of everything that a command left behind.

use crate::measure::supervise::{Reaped, reap};
use anyhow::{Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::time::{Duration, Instant};

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(10);

/// Kills everything but process 1 and this process, and reads the list back. Gives what was reaped.
///
/// # Errors
/// With the names of what is still there after ten seconds.
pub(super) fn end_everything() -> Result<Vec<Reaped>> {
    let mut reaped = Vec::new();
    let begin = Instant::now();
    loop {
        // -1 reaches every process of this namespace, which is the container's control group, except process 1 and
        // ourselves. The kernel does it under one lock, so that no fork runs ahead of it.
        let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        for pid in others() {
            reaped.extend(reap(Pid::from_raw(pid), true));
        }
        let left = others();
        if left.is_empty() {
            return Ok(reaped);
        }
        if begin.elapsed() > PATIENCE {
            let names: Vec<String> = left.iter().take(10).map(|pid| format!("{pid} ({})", name(*pid))).collect();
            bail!("{} processes outlived their round: {}", left.len(), names.join(", "));
        }
        std::thread::yield_now();
    }
}

fn others() -> Vec<i32> {
    let own = nix::unistd::getpid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != 1 && *pid != own)
        .collect()
}

fn name(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).map(|name| name.trim().to_owned()).unwrap_or_default()
}
