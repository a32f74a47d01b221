//! Process 1 of a container: sleeps, reaps, and ends on SIGTERM or when its standard input ends, which it does when
//! whoever started the container is gone.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::ExitCode;

/// `user`: user and group that get an entry in the container's lists.
pub(super) fn main(user: Option<(u32, u32)>) -> ExitCode {
    if let Some((uid, gid)) = user {
        // Best effort: an image may have no such files, and few tools miss them.
        let _ = add_user(uid, gid);
    }
    if live().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn live() -> io::Result<()> {
    let wanted = SigSet::from_iter([Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT]);
    wanted.thread_block()?;
    let signals = SignalFd::with_flags(&wanted, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    let input = io::stdin();
    loop {
        let mut ready =
            [PollFd::new(signals.as_fd(), PollFlags::POLLIN), PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, PollTimeout::NONE) {
            Err(Errno::EINTR) => continue,
            done => done?,
        };
        if ready[1].any().unwrap_or(true) {
            let mut nothing = [0; 64];
            match nix::unistd::read(input.as_fd(), &mut nothing) {
                Ok(0) => return Ok(()),
                Ok(_) | Err(Errno::EINTR | Errno::EAGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
        while let Some(signal) = signals.read_signal()? {
            if signal.ssi_signo != Signal::SIGCHLD as u32 {
                return Ok(());
            }
        }
        while !matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Err(_) | Ok(WaitStatus::StillAlive)) {}
    }
}

/// Many tools want a name for the user that they run as. Done before any foreign code has run.
fn add_user(uid: u32, gid: u32) -> io::Result<()> {
    append("/etc/passwd", uid, &format!("bench:x:{uid}:{gid}:bench:{}:/bin/sh", super::super::HOME))?;
    append("/etc/group", gid, &format!("bench:x:{gid}:"))
}

fn append(path: &str, id: u32, line: &str) -> io::Result<()> {
    let known = fs::read_to_string(path).unwrap_or_default();
    let id = id.to_string();
    if known.lines().any(|line| line.split(':').nth(2) == Some(&id)) {
        return Ok(());
    }
    let newline = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_CLOEXEC;
    let mut file = File::options().append(true).create(true).mode(0o644).custom_flags(flags).open(path)?;
    file.write_all(format!("{newline}{line}\n").as_bytes())
}
