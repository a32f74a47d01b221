//! Waiting for one child: a single `ppoll` over its pidfd, its pipes, the stop signals and the deadline.
//!
//! While the child works this process sleeps. A pipe that has just given a little is left alone for a moment, so that
//! a tool that prints byte by byte does not wake us for each of them; the pipe's buffer is large enough to hold what
//! is printed meanwhile.

use super::signal;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use nix::unistd::Pid;
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// Size asked for the pipe's buffer.
const PIPE_BYTES: i32 = 1 << 20;
/// A read smaller than this lets the pipe rest.
const LITTLE: usize = 64 << 10;
/// How long it rests.
const REST: Duration = Duration::from_millis(20);

/// Why waiting ended. The child is not reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The child has ended.
    Exited,
    /// The deadline passed; the child still runs.
    TimedOut,
    /// A stop signal arrived; the child still runs.
    Stopped(i32),
}

/// One captured stream of a child.
#[derive(Debug)]
pub(crate) struct Capture {
    pipe: Option<OwnedFd>,
    /// What was read, at most the cap.
    pub(crate) bytes: Vec<u8>,
    /// Bytes beyond the cap that were thrown away.
    pub(crate) lost: u64,
    cap: usize,
    rests_until: Option<Instant>,
}

impl Capture {
    /// Captures what comes out of `pipe`, up to `cap` bytes.
    ///
    /// # Errors
    /// When the pipe cannot be made non-blocking.
    pub(crate) fn new(pipe: OwnedFd, cap: usize) -> io::Result<Self> {
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        // Best effort: an unprivileged user may be over the limit of pipe memory.
        let _ = fcntl(&pipe, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
        Ok(Self { pipe: Some(pipe), bytes: Vec::new(), lost: 0, cap, rests_until: None })
    }

    /// Reads all that is there without waiting.
    pub(crate) fn drain(&mut self, now: Instant) {
        let mut got = 0;
        let mut chunk = [0_u8; 64 << 10];
        while let Some(pipe) = &self.pipe {
            match nix::unistd::read(pipe, &mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(n) => {
                    got += n;
                    let room = self.cap.saturating_sub(self.bytes.len()).min(n);
                    self.bytes.extend_from_slice(&chunk[..room]);
                    self.lost += (n - room) as u64;
                    // A child that prints without end must not keep us from the deadline.
                    if got >= 16 * chunk.len() {
                        break;
                    }
                }
                Err(nix::errno::Errno::EINTR) => {}
                Err(nix::errno::Errno::EAGAIN) => break,
                Err(_) => self.pipe = None,
            }
        }
        self.rests_until = (got < LITTLE).then(|| now + REST);
    }

    /// Reads what the pipe's buffer still holds, after the last writer is gone.
    pub(crate) fn finish(&mut self) {
        // One drain can take the whole buffer; the bound is for a writer that could not be killed.
        for _ in 0..4 {
            self.drain(Instant::now());
        }
        self.pipe = None;
    }
}

/// Something to be done at most every so often while the child runs.
pub(crate) struct Tick<'a> {
    /// How often.
    pub(crate) every: Duration,
    /// What.
    pub(crate) act: &'a mut dyn FnMut(),
}

/// Waits until the child behind `pidfd` ends, `deadline` passes, or a stop signal arrives.
///
/// # Errors
/// When the kernel refuses to poll.
pub(crate) fn watch(
    pidfd: &OwnedFd,
    captures: &mut [&mut Capture],
    deadline: Option<Instant>,
    mut tick: Option<Tick<'_>>,
) -> io::Result<Ended> {
    let mut next_tick = tick.as_ref().map(|tick| Instant::now() + tick.every);
    loop {
        if let Some(number) = signal::received() {
            return Ok(Ended::Stopped(number));
        }
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return Ok(Ended::TimedOut);
        }
        if let (Some(at), Some(tick)) = (next_tick, tick.as_mut())
            && now >= at
        {
            (tick.act)();
            next_tick = Some(now + tick.every);
        }
        let resting = captures.iter().filter_map(|c| c.rests_until.filter(|until| c.pipe.is_some() && *until > now));
        let wake_at = resting.chain(deadline).chain(next_tick).min();
        let readable = poll(pidfd, captures, now, wake_at)?;
        let now = Instant::now();
        for index in readable.pipes {
            captures[index].drain(now);
        }
        if readable.child {
            return Ok(Ended::Exited);
        }
    }
}

/// What a poll found.
struct Readable {
    child: bool,
    pipes: Vec<usize>,
}

fn poll(pidfd: &OwnedFd, captures: &[&mut Capture], now: Instant, wake_at: Option<Instant>) -> io::Result<Readable> {
    let mut fds = vec![PollFd::new(pidfd.as_fd(), PollFlags::POLLIN)];
    let mut polled = Vec::new();
    for (index, capture) in captures.iter().enumerate() {
        if let Some(pipe) = &capture.pipe
            && capture.rests_until.is_none_or(|until| until <= now)
        {
            polled.push(index);
            fds.push(PollFd::new(pipe.as_fd(), PollFlags::POLLIN));
        }
    }
    if let Some(wake) = signal::wake() {
        fds.push(PollFd::new(wake, PollFlags::POLLIN));
    }
    let timeout = wake_at.map(|at| TimeSpec::from_duration(at.saturating_duration_since(now)));
    match ppoll(&mut fds, timeout, None) {
        Ok(_) | Err(nix::errno::Errno::EINTR) => {}
        Err(error) => return Err(error.into()),
    }
    let ready = |fd: &PollFd<'_>| fd.revents().is_some_and(|events| !events.is_empty());
    let pipes = polled.iter().zip(&fds[1..]).filter(|(_, fd)| ready(fd)).map(|(index, _)| *index).collect();
    Ok(Readable { child: ready(&fds[0]), pipes })
}

/// A descriptor that becomes readable when the process ends.
///
/// # Errors
/// When the process is gone, or the kernel is older than 5.3.
pub(crate) fn pidfd(pid: Pid) -> io::Result<OwnedFd> {
    #[expect(unsafe_code, reason = "neither std nor nix wraps pidfd_open in a stable form")]
    // SAFETY: the call takes two integers and returns a new descriptor (close-on-exec by definition) or -1.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let fd = i32::try_from(fd).map_err(io::Error::other)?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// How a reaped process ended, and what it and the children that it waited for used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reaped {
    /// Exit code, or the signal as `Err`.
    pub(crate) status: Result<i32, i32>,
    /// Resource usage.
    pub(crate) usage: libc::rusage,
}

/// Reaps one child of ours, without waiting if `now` is set; `None` if it still runs or is no child of ours.
pub(crate) fn reap(pid: Pid, now: bool) -> Option<Reaped> {
    let mut status = 0;
    let flags = if now { libc::WNOHANG } else { 0 };
    #[expect(unsafe_code, reason = "nix has no wait4, which alone gives the usage of one child")]
    // SAFETY: both pointers are valid for writes; an all-zero rusage is a valid value.
    let (result, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let mut result;
        loop {
            result = libc::wait4(pid.as_raw(), &raw mut status, flags, &raw mut usage);
            if result >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break;
            }
        }
        (result, usage)
    };
    (result == pid.as_raw()).then(|| Reaped {
        status: if libc::WIFSIGNALED(status) { Err(libc::WTERMSIG(status)) } else { Ok(libc::WEXITSTATUS(status)) },
        usage,
    })
}
