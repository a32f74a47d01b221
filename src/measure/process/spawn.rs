//! Starting a command with little copying.
//!
//! This process sleeps until the command's program has taken the child's place, so that neither side pays for pages
//! that the other touches meanwhile. The child has a copy of our page tables all the same and does not borrow our memory,
//! as `posix_spawn` lets it: what a process occupied before it ran its program counts in its largest resident set, and
//! that of a command must not be ours. Only what we wrote ourselves is copied, not the pages of our program.

use crate::measure::supervise::reap;
use nix::fcntl::OFlag;
use nix::libc;
use nix::sched::{CloneFlags, clone};
use nix::sys::signal::{SigSet, SigmaskHow};
use nix::unistd::Pid;
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

const SHELL: &CStr = c"/bin/sh";
/// Bytes of stack for the few calls between the two programs.
const STACK: usize = 32 << 10;
/// Signals are numbered from 1 to this.
const SIGNALS: i32 = 64;

/// A command of a suite, started, and nobody has waited for it.
#[derive(Debug)]
pub(super) struct Spawned {
    pub(super) pid: Pid,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// What the shell is started with.
#[derive(Debug)]
pub(super) struct Order<'o> {
    pub(super) command: &'o str,
    pub(super) directory: &'o Path,
    /// The whole environment.
    pub(super) environment: Vec<(&'o str, &'o OsStr)>,
    /// Best effort.
    pub(super) cpus: Option<libc::cpu_set_t>,
    /// Best effort.
    pub(super) nice: Option<i32>,
}

/// Runs `sh -c` in a session of its own that dies with this thread, with both outputs in pipes and no input.
///
/// # Errors
/// When there is a NUL in a text, no descriptor or process to be had, no such folder, or no shell.
pub(super) fn shell(order: &Order<'_>) -> io::Result<Spawned> {
    let command = CString::new(order.command)?;
    let directory = CString::new(order.directory.as_os_str().as_bytes())?;
    let environment: Vec<CString> = order.environment.iter().map(variable).collect::<Result<_, _>>()?;
    let arguments = [SHELL.as_ptr(), c"-c".as_ptr(), command.as_ptr(), ptr::null()];
    let environment: Vec<*const libc::c_char> =
        environment.iter().map(|variable| variable.as_ptr()).chain([ptr::null()]).collect();
    let nothing = File::open("/dev/null")?;
    let (stdout, its_stdout) = nix::unistd::pipe2(OFlag::O_CLOEXEC)?;
    let (stderr, its_stderr) = nix::unistd::pipe2(OFlag::O_CLOEXEC)?;
    let child = Child {
        parent: nix::unistd::getpid().as_raw(),
        streams: [nothing.as_raw_fd(), its_stdout.as_raw_fd(), its_stderr.as_raw_fd()],
        directory: &directory,
        arguments: &arguments,
        environment: &environment,
        cpus: order.cpus,
        nice: order.nice,
    };
    Ok(Spawned { pid: child.start()?, stdout, stderr })
}

fn variable((name, value): &(&str, &OsStr)) -> Result<CString, std::ffi::NulError> {
    CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())
}

/// Everything that the child needs, made beforehand: it must not allocate.
struct Child<'c> {
    parent: libc::pid_t,
    /// Standard input, output and error, all above 2: the first three descriptors of this process are always open.
    streams: [RawFd; 3],
    directory: &'c CStr,
    /// Ends with a null pointer, as does the environment.
    arguments: &'c [*const libc::c_char],
    environment: &'c [*const libc::c_char],
    cpus: Option<libc::cpu_set_t>,
    nice: Option<i32>,
}

impl Child<'_> {
    fn start(&self) -> io::Result<Pid> {
        let (mut failure, its_failure) =
            nix::unistd::pipe2(OFlag::O_CLOEXEC).map(|(read, write)| (File::from(read), write))?;
        let mut stack = vec![0; STACK];
        let run = Box::new(|| {
            let errno = self.run();
            #[expect(unsafe_code, reason = "only raw calls are allowed between the start of a process and its program")]
            // SAFETY: the four bytes are on the stack. Should the call fail, the end of the process tells.
            unsafe {
                libc::write(its_failure.as_raw_fd(), (&raw const errno).cast(), size_of_val(&errno));
            }
            127
        });
        // A handler of ours must never run in the child.
        let mask = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        #[expect(unsafe_code, reason = "a process that is to run other settings before its program has no safe form")]
        // SAFETY: `run` makes a few system calls, allocates nothing, needs far less than its stack, and does not panic.
        let started = unsafe { clone(run, &mut stack, CloneFlags::CLONE_VFORK, Some(libc::SIGCHLD)) };
        mask.thread_set_mask()?;
        let pid = started?;
        drop(its_failure);
        let mut errno = [0; size_of::<i32>()];
        // Nothing comes from a pipe that the start of the program has closed.
        match failure.read_exact(&mut errno) {
            Err(_) => Ok(pid),
            Ok(()) => {
                reap(pid, false);
                Err(io::Error::from_raw_os_error(i32::from_ne_bytes(errno)))
            }
        }
    }

    /// In the child: becomes the command, or gives the number of an error.
    fn run(&self) -> i32 {
        #[expect(unsafe_code, reason = "only raw calls are allowed between the start of a process and its program")]
        // SAFETY: these are system calls that are async-signal-safe, and every pointer is to memory that lives until
        // the program runs.
        unsafe {
            for signal in 1..=SIGNALS {
                let mut action: libc::sigaction = std::mem::zeroed();
                let known = libc::sigaction(signal, ptr::null(), &raw mut action) == 0;
                // What is ignored stays so (`nohup`), except for what the runtime ignores for us alone.
                if known && (action.sa_sigaction != libc::SIG_IGN || signal == libc::SIGPIPE) {
                    action.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &raw const action, ptr::null_mut());
                }
            }
            libc::setsid();
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() != self.parent {
                return libc::ESRCH;
            }
            for (number, stream) in (0..).zip(self.streams) {
                if libc::dup2(stream, number) < 0 {
                    return errno();
                }
            }
            // What our own parent leaked to us must not reach the command either.
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
            if libc::chdir(self.directory.as_ptr()) != 0 {
                return errno();
            }
            if let Some(cpus) = &self.cpus {
                libc::sched_setaffinity(0, size_of_val(cpus), cpus);
            }
            if let Some(nice) = self.nice {
                libc::setpriority(libc::PRIO_PROCESS, 0, nice);
            }
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
            libc::execve(SHELL.as_ptr(), self.arguments.as_ptr(), self.environment.as_ptr());
        }
        errno()
    }
}

/// Of the last call; never 0.
fn errno() -> i32 {
    nix::errno::Errno::last_raw().max(1)
}
