//! What a command of the suite may no longer do.

use crate::measure::sandbox::frame::Job;
use anyhow::{Context, Result};
use nix::libc;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// `_LINUX_CAPABILITY_VERSION_3`, whose sets are two 32-bit words each.
const CAPABILITY_VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: libc::c_int,
}

/// Effective, permitted and inheritable sets, low words and then high words.
type CapabilityWords = [u32; 6];

/// In the child, before it becomes the command: CPUs, priority and the first place in the queue for want of memory;
/// then no capability, no group, no other user than the suite's, and no open file but the three standard ones. The
/// working folder is entered last, with the rights of that user.
///
/// # Errors
/// When the folder's path holds a zero byte.
pub(super) fn drop_in_child(command: &mut Command, job: &Job, folder: Option<&Path>) -> Result<()> {
    let (uid, gid, nice) = (job.uid, job.gid, job.nice);
    let cpus = crate::measure::process::cpu_set(&job.cpus);
    let folder = CString::new(folder.unwrap_or(Path::new("/")).as_os_str().as_bytes()).context("the folder's path")?;
    #[expect(unsafe_code, reason = "rights can only be dropped in the child")]
    // SAFETY: the closure allocates nothing and makes only raw system calls, which are async-signal-safe; every
    // pointer is to a live value of the size that the call expects.
    unsafe {
        command.pre_exec(move || {
            libc::setsid();
            if let Some(cpus) = &cpus {
                libc::sched_setaffinity(0, size_of_val(cpus), cpus);
            }
            if let Some(nice) = nice {
                libc::setpriority(libc::PRIO_PROCESS, 0, nice);
            }
            first_to_die();
            // The bounding set goes while we may still change it.
            let mut capability = 0;
            while libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) == 0 {
                capability += 1;
            }
            libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
            let header = CapabilityHeader { version: CAPABILITY_VERSION, pid: 0 };
            let none: CapabilityWords = [0; 6];
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::setgroups(0, std::ptr::null()) != 0
                || libc::setresgid(gid, gid, gid) != 0
                || libc::setresuid(uid, uid, uid) != 0
                // Changing the user leaves the inheritable set.
                || libc::syscall(libc::SYS_capset, &raw const header, &raw const none) != 0
                || libc::chdir(folder.as_ptr()) != 0
            {
                return Err(io::Error::last_os_error());
            }
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
            Ok(())
        });
    }
    Ok(())
}

/// The kernel shall end the command, not the launcher, when the container's memory is used up.
fn first_to_die() {
    #[expect(unsafe_code, reason = "this runs between fork and exec, where nothing may allocate")]
    // SAFETY: the strings are constant and end with a zero byte; the descriptor is used only if it is one.
    unsafe {
        let file = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file >= 0 {
            libc::write(file, c"1000".as_ptr().cast(), 4);
            libc::close(file);
        }
    }
}
