//! A process of its own that puts settings back when the one that changed them is gone, for whatever reason.
//!
//! It holds the reading end of a pipe. The kernel closes the other end when its owner ends, also by SIGKILL; then it
//! restores from the journal. It is in a session of its own with every signal blocked and an empty environment, so that
//! neither a round's process-group kill nor the runner's clean-up of orphans (which looks for a variable) finds it.

use super::journal::{self, Journal, JournalPlace};
use nix::sys::signal::SigSet;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

/// The hidden first argument that makes the program a guardian.
pub const ARGUMENT: &str = "__guardian";
const READY: u8 = b'r';
const DONE: u8 = b'd';

/// The guardian as seen by the process that it guards.
#[derive(Debug)]
pub(crate) struct Guardian {
    child: Child,
}

impl Guardian {
    /// Starts the guardian and waits until it is ready; nothing may be written before.
    pub(crate) fn start(place: &JournalPlace, session: &str) -> io::Result<Self> {
        let mut child = Command::new(&place.program)
            .arg0("bench-bot")
            .arg(ARGUMENT)
            .arg(&place.dir)
            .arg(session)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut answer = [0];
        let ready = child.stdout.take().map(|mut stdout| stdout.read_exact(&mut answer));
        if !matches!(ready, Some(Ok(()))) || answer != [READY] {
            // Its end of the pipe is closed or it says something else: it is not our program.
            let _ = child.kill();
            let status = child.wait()?;
            return Err(io::Error::other(format!("it ended before it was ready ({status})")));
        }
        Ok(Self { child })
    }

    /// The guardian's process id: whoever kills left-over children must spare it.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends the guardian home: everything is put back.
    pub(crate) fn dismiss(mut self) -> io::Result<()> {
        if let Some(mut stdin) = self.child.stdin.take() {
            // One that was killed meanwhile cannot be told, and is waited for all the same.
            let _ = stdin.write_all(&[DONE]);
        }
        self.child.wait().map(drop)
    }
}

/// The guardian's own life: `args` are the journal's folder and the session. Returns when everything is put back or
/// there is nothing to do; 1 when something could not be put back.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let [dir, session] = args.as_slice() else {
        eprintln!("bench-bot {ARGUMENT} is started by bench-bot itself, with the journal's folder and a session.");
        return ExitCode::from(2);
    };
    match guard(Path::new(dir), &session.to_string_lossy()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) | Err(_) => ExitCode::FAILURE,
    }
}

fn guard(dir: &Path, session: &str) -> io::Result<bool> {
    // Blocked is as good as ignored, and needs no handler. SIGKILL is what the next start is for.
    SigSet::all().thread_block()?;
    // Fails only for the leader of a group, which a child that was just started is not.
    nix::unistd::setsid()?;
    close_inherited();
    io::stdout().write_all(&[READY])?;
    io::stdout().flush()?;
    // The reader of our standard output may wait for its end.
    nix::unistd::dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
    let mut said = Vec::new();
    io::stdin().read_to_end(&mut said)?;
    if said == [DONE] {
        return Ok(true);
    }
    // The owner's lock ends with it. Whoever got it before us has restored, and its journal is another one.
    let lock = journal::wait(dir)?;
    let Some(journal) = Journal::load(dir)?.filter(|journal| journal.session == session) else { return Ok(true) };
    let restored = journal.restore().is_empty();
    if restored {
        Journal::remove(dir)?;
    }
    drop(lock);
    Ok(restored)
}

/// Closes what came through from above us: a runner's pipe must not stay open because we live on.
fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<RawFd> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2) {
        // The listing's own descriptor is in the list and closed already: EBADF is expected.
        let _ = nix::unistd::close(fd);
    }
}
