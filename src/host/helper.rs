//! Settings by another process: a helper that has the right to write, and does nothing else.
//!
//! Inside Actions the host's files are out of reach of the container that measures. One helper container of bench-bot's
//! own image has just the needed folders, mounted outside `/sys` and `/proc`, and runs `bench-bot __host-helper`. It is
//! asked by lines of JSON on standard input and answers each on standard output. The end of the input, or SIGINT or
//! SIGTERM, makes it restore and exit, so that it never outlives whoever asked. `host tune` uses the same program in a
//! session of its own (`--detach`), which keeps the settings until SIGTERM.

mod client;

pub use client::Client;

use super::{HostError, JournalPlace, Roots, Session};
use crate::config::{Cpus, Host};
use crate::results::KnobOutcome;
use clap::Parser;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;

/// The hidden first argument that makes the program a helper.
pub const ARGUMENT: &str = "__host-helper";
/// No question is longer; a longer line is not from us.
const LONGEST_LINE: usize = 64 << 10;

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ask {
    /// Set this; the first question.
    Begin(Host),
    /// Set this for the next round.
    Side(Host),
    /// Put everything back; the last question.
    Finish,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// What became of each setting.
    Done {
        /// The settings.
        outcomes: Vec<KnobOutcome>,
        /// What a reader must know.
        notes: Vec<String>,
    },
    /// It cannot be: why. The helper ends.
    Refused(String),
}

/// Command line of the helper.
#[derive(Debug, Parser)]
#[command(name = "bench-bot __host-helper")]
struct Arguments {
    /// Where the host's /sys is mounted.
    #[arg(long, default_value = "/sys")]
    sys: PathBuf,
    /// Where the host's /proc is mounted.
    #[arg(long, default_value = "/proc")]
    proc: PathBuf,
    /// Folder of the journal.
    #[arg(long)]
    journal: PathBuf,
    /// Keep the settings after the input's end, until SIGTERM.
    #[arg(long)]
    detach: bool,
}

/// The helper's own life. `args` are what follows the hidden argument.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from([OsString::from("bench-bot")].into_iter().chain(args)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-bot {ARGUMENT}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: Arguments) -> io::Result<()> {
    // Blocked before any thread is started, and read from a descriptor: as a container's first process, a helper would
    // otherwise ignore them.
    let ends = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
    ends.thread_block()?;
    let signals = SignalFd::with_flags(&ends, SfdFlags::SFD_CLOEXEC)?;
    if arguments.detach {
        nix::unistd::setsid()?;
    }
    let roots = Roots { live: false, sys: arguments.sys, proc: arguments.proc, root: "/".into() };
    let place = JournalPlace::at(arguments.journal);
    let mut asked = Questions { buffer: Vec::new(), signals: &signals };
    let mut session = None;
    while let Some(line) = asked.next()? {
        let ask = serde_json::from_slice(&line).map_err(|error| HostError::Refused(format!("not a question: {error}")));
        let answer = ask.and_then(|ask| answer(ask, &mut session, &roots, &place, arguments.detach));
        let (answer, last) = match answer {
            Ok((answer, last)) => (answer, last),
            Err(error) => (Answer::Refused(error.to_string()), true),
        };
        let mut out = io::stdout().lock();
        // Whoever asked may be gone by now, which the next reading sees.
        let _ = writeln!(out, "{}", serde_json::to_string(&answer)?).and_then(|()| out.flush());
        if last {
            return Ok(());
        }
    }
    if arguments.detach && session.is_some() {
        // Nobody may wait for the end of our output.
        nix::unistd::dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
        signals.read_signal()?;
    }
    drop(session);
    Ok(())
}

fn answer(
    ask: Ask,
    session: &mut Option<Session>,
    roots: &Roots,
    place: &JournalPlace,
    holds: bool,
) -> Result<(Answer, bool), HostError> {
    let order = || HostError::Refused("the questions are out of order".to_owned());
    match ask {
        Ask::Begin(host) if session.is_none() => {
            let begun = Session::start(&without_process(&host), roots.clone(), place.clone(), holds)?;
            let answer = Answer::Done { outcomes: begun.outcomes().to_vec(), notes: begun.notes().to_vec() };
            *session = Some(begun);
            Ok((answer, false))
        }
        Ask::Side(host) => {
            let side = session.as_mut().ok_or_else(order)?.apply_side(&without_process(&host))?;
            Ok((Answer::Done { outcomes: side.outcomes, notes: Vec::new() }, false))
        }
        Ask::Finish => {
            let outcomes = session.take().ok_or_else(order)?.finish();
            Ok((Answer::Done { outcomes, notes: Vec::new() }, true))
        }
        Ask::Begin(_) => Err(order()),
    }
}

/// Affinity and priority belong to the process that runs the command, not to the helper.
pub(crate) fn without_process(host: &Host) -> Host {
    Host { cpus: Cpus::All, nice: None, ..host.clone() }
}

/// Lines of standard input, until it ends or a signal comes.
struct Questions<'a> {
    buffer: Vec<u8>,
    signals: &'a SignalFd,
}

impl Questions<'_> {
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(end + 1);
                return Ok(Some(std::mem::replace(&mut self.buffer, rest)));
            }
            if self.buffer.len() > LONGEST_LINE {
                return Err(io::Error::other("a question is too long"));
            }
            let stdin = io::stdin();
            let mut ready =
                [PollFd::new(stdin.as_fd(), PollFlags::POLLIN), PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
            match poll(&mut ready, PollTimeout::NONE) {
                Err(Errno::EINTR) => continue,
                done => done?,
            };
            if ready[1].any().unwrap_or(true) {
                return Ok(None);
            }
            // Not through the buffered reader: what it holds back, `poll` does not see.
            let mut chunk = [0; 4096];
            let read = nix::unistd::read(stdin.as_fd(), &mut chunk)?;
            if read == 0 {
                return Ok(None);
            }
            self.buffer.extend_from_slice(&chunk[..read]);
        }
    }
}
