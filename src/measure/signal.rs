//! Requests to stop: SIGINT, SIGTERM and SIGHUP are noted, and whoever waits is woken.
//!
//! Nothing is cleaned up inside a handler. Every wait of this program looks at [`received`], returns an error, and the
//! guards on the stack remove the checkouts and restore the host on the way up. The third signal ends the process at
//! once, for a user who will not wait.

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

/// Signals that ask this program to stop.
const STOP: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

static RECEIVED: AtomicI32 = AtomicI32::new(0);
static COUNT: AtomicI32 = AtomicI32::new(0);
static WAKE_WRITE: AtomicI32 = AtomicI32::new(-1);
static WAKE: OnceLock<(OwnedFd, OwnedFd)> = OnceLock::new();

/// Starts noting stop signals, once for the whole process. A signal that was ignored before (`nohup`) stays ignored.
///
/// # Errors
/// When the kernel refuses a pipe or a handler.
pub fn install() -> std::io::Result<()> {
    if WAKE.get().is_some() {
        return Ok(());
    }
    let flags = nix::fcntl::OFlag::O_CLOEXEC | nix::fcntl::OFlag::O_NONBLOCK;
    let (read, write) = nix::unistd::pipe2(flags)?;
    let number = write.as_raw_fd();
    if WAKE.set((read, write)).is_err() {
        return Ok(());
    }
    WAKE_WRITE.store(number, Ordering::SeqCst);
    let action = SigAction::new(SigHandler::Handler(note), SaFlags::SA_RESTART, SigSet::empty());
    for signal in STOP {
        #[expect(unsafe_code, reason = "installing a handler has no safe form")]
        // SAFETY: `note` only touches atomics and calls `write` and `_exit`, which are async-signal-safe.
        let before = unsafe { sigaction(signal, &action) }?;
        if matches!(before.handler(), SigHandler::SigIgn) {
            #[expect(unsafe_code, reason = "installing a handler has no safe form")]
            // SAFETY: puts back what was there.
            unsafe { sigaction(signal, &before) }?;
        }
    }
    Ok(())
}

/// The first stop signal that arrived, if any.
#[must_use]
pub fn received() -> Option<i32> {
    match RECEIVED.load(Ordering::SeqCst) {
        0 => None,
        number => Some(number),
    }
}

/// Readable once a stop signal has arrived; `None` before [`install`].
pub(crate) fn wake() -> Option<BorrowedFd<'static>> {
    WAKE.get().map(|(read, _)| read.as_fd())
}

extern "C" fn note(number: libc::c_int) {
    let _ = RECEIVED.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
    let count = COUNT.fetch_add(1, Ordering::SeqCst);
    #[expect(unsafe_code, reason = "only raw calls are allowed inside a signal handler")]
    // SAFETY: `write` and `_exit` are async-signal-safe; the descriptor lives as long as the process.
    unsafe {
        if count >= 2 {
            libc::_exit(128 + number);
        }
        let byte = 1_u8;
        libc::write(WAKE_WRITE.load(Ordering::SeqCst), std::ptr::from_ref(&byte).cast(), 1);
    }
}
