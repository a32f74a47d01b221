//! The part of bench-bot that runs inside a sandbox: our own static binary, mounted read-only.
//!
//! As process 1 it only keeps the container alive and reaps. For each command it is started once more, as root, reads
//! a [`Job`], gives the command its CPUs and priority, drops every right and the user id, and only then runs it. Files
//! are deleted and read by a second process of the suite's own user. When the command has ended everything but
//! process 1 is killed, and the list of processes is read back.

mod copy;
mod files;
mod init;
mod rest;
mod rights;

use super::frame::{self, Frame, Head, Job};
use crate::config::Host;
use crate::host::cpu::Selection;
use crate::measure::process::memory::{self, Kills};
use crate::measure::process::usage;
use crate::measure::supervise::{Ended, Reaped, pidfd, reap, watch};
use crate::results::{RoundWitness, StepStatus};
use anyhow::{Context, Result, ensure};
use files::FileWork;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Where the binary is mounted.
pub(crate) const BINARY: &str = "/.bench-bot/launcher";
/// A memory file system of limited size that holds the output of a command until it has ended.
pub(crate) const SCRATCH: &str = "/.bench-bot/scratch";
/// Size of that file system: each stream is kept up to [`frame::BLOB_LIMIT`], and some more is counted as lost.
pub(crate) const SCRATCH_BYTES: u64 = 3 * frame::BLOB_LIMIT;
/// The hidden subcommand.
pub const SUBCOMMAND: &str = "__launcher";

/// Runs the launcher; `args` are the mode and what it needs.
#[must_use]
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    // Nobody of another user may look into this process.
    let _ = nix::sys::prctl::set_dumpable(false);
    let args: Option<Vec<String>> = args.map(|arg| arg.into_string().ok()).collect();
    let args: Vec<&str> = args.iter().flatten().map(String::as_str).collect();
    match args[..] {
        ["init", uid, gid] => init::main(uid.parse().ok().zip(gid.parse().ok())),
        ["hold"] => init::main(None),
        ["job"] => job(),
        ["probe"] => probe(),
        ["files"] => files::main(),
        ["copy", from, to] => copy::main(Path::new(from), Path::new(to)),
        ["wipe", ..] => copy::wipe(&args[1..]),
        _ => ExitCode::from(2),
    }
}

/// One command: a [`Job`] on standard input, frames on standard output.
fn job() -> ExitCode {
    let job = Job::read(&mut io::stdin()).context("reading the job");
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let sent = match job.and_then(|job| Work::run(&job)) {
        Ok(work) => work.send(&mut out),
        Err(error) => send_broken(&mut out, &error),
    };
    if sent.and_then(|()| out.flush()).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn send_broken(out: &mut impl Write, error: &anyhow::Error) -> io::Result<()> {
    let head = Head { broken: Some(format!("{error:#}")), ..Head::default() };
    frame::write(out, &Frame::Head(Box::new(head))).and_then(|()| frame::write(out, &Frame::End))
}

/// Tries a job's CPUs and priority without a command: outcomes as JSON on the "standard output" of the answer.
fn probe() -> ExitCode {
    let mut out = io::stdout().lock();
    let sent = match Job::read(&mut io::stdin()).context("reading the job") {
        Err(error) => send_broken(&mut out, &error),
        Ok(job) => {
            let nice = job.nice.and_then(|nice| i8::try_from(nice).ok());
            let cpus: Vec<u32> = job.cpus.iter().filter_map(|cpu| u32::try_from(*cpu).ok()).collect();
            let selection = Selection {
                single: cpus.last().copied(),
                cpus: Some(cpus).filter(|cpus| !cpus.is_empty()),
                housekeeping: Vec::new(),
                reason: String::new(),
            };
            let (_, outcomes) = crate::host::process::probe(&Host { nice, ..Host::default() }, &Ok(selection));
            let text = serde_json::to_vec(&outcomes).unwrap_or_default();
            frame::write(&mut out, &Frame::Head(Box::default()))
                .and_then(|()| frame::write(&mut out, &Frame::Stdout(text)))
                .and_then(|()| frame::write(&mut out, &Frame::End))
        }
    };
    if sent.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A job that was done.
struct Work {
    head: Head,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    files: Vec<(String, Vec<u8>)>,
}

impl Work {
    fn run(job: &Job) -> Result<Self> {
        ensure!(job.uid != 0 && job.gid != 0, "a bench command never runs as root in a sandbox");
        if job.offline {
            no_network()?;
        }
        nix::sys::prctl::set_child_subreaper(true).context("becoming a subreaper")?;
        rest::end_everything()?;
        if !job.remove.is_empty() {
            let removed = files::as_suite(job, FileWork::Remove)?;
            rest::end_everything()?;
            if let Some(reason) = removed.refused {
                return Ok(Self::not_started(reason));
            }
        }
        let mut work = Self::command(job)?;
        if !(job.collect.is_empty() && job.require.is_empty()) {
            let found = files::as_suite(job, FileWork::Read)?;
            // The reader ran as the suite's user; nothing of it may stay either.
            rest::end_everything()?;
            work.head.notes.extend(found.notes);
            work.head.notes.extend(found.refused);
            if let Some(missing) = found.missing.filter(|_| work.head.status.ok()) {
                work.head.status = StepStatus::Missing(missing);
            }
            work.files = found.files;
        }
        Ok(work)
    }

    fn not_started(reason: String) -> Self {
        let head = Head { status: StepStatus::NotStarted(reason), ..Head::default() };
        Self { head, stdout: Vec::new(), stderr: Vec::new(), files: Vec::new() }
    }

    fn command(job: &Job) -> Result<Self> {
        let kills = Kills::now();
        let (mut stdout, mut stderr) = (scratch("stdout")?, scratch("stderr")?);
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(&job.command).env_clear().envs(&job.env);
        command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        rights::drop_in_child(&mut command, job, Some(&Path::new(&job.tree).join(&job.directory)))?;
        let begin = Instant::now();
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let folder = if job.directory.is_empty() { "the checkout" } else { &job.directory };
                return Ok(Self::not_started(format!("starting /bin/sh in {folder}: {error}")));
            }
        };
        let pid = Pid::from_raw(i32::try_from(child.id())?);
        let handle = pidfd(pid).context("watching the command")?;
        let ended = watch(&handle, &mut [], Some(begin + Duration::from_millis(job.timeout_ms)), None)?;
        let wall = begin.elapsed();
        let cpu = last_cpu(pid);
        if ended != Ended::Exited {
            let _ = kill(pid, Signal::SIGKILL);
        }
        let leader = reap(pid, false);
        let mut all: Vec<Reaped> = leader.into_iter().collect();
        all.extend(rest::end_everything()?);
        let status = match (ended, leader.context("the command was reaped by somebody else")?.status) {
            (Ended::TimedOut, _) => StepStatus::TimedOut(job.timeout_ms as f64 / 1e3),
            (_, Ok(0)) => StepStatus::Ok,
            (_, Ok(code)) => StepStatus::Exit(code),
            (_, Err(signal)) => StepStatus::Signal(signal),
        };
        let mut notes = Vec::new();
        if scratch_is_full() {
            notes.push(format!(
                "the output filled the {} MiB that it may have, and the command was told so",
                SCRATCH_BYTES >> 20
            ));
        }
        let ((stdout, cut_out), (stderr, cut_err)) = (read_scratch(&mut stdout)?, read_scratch(&mut stderr)?);
        Ok(Self {
            head: Head {
                status: memory::explain(status, kills, Kills::now()),
                wall_ns: u64::try_from(wall.as_nanos())?,
                witness: account(&all, cpu, job),
                lost: cut_out + cut_err,
                notes,
                ..Head::default()
            },
            stdout,
            stderr,
            files: Vec::new(),
        })
    }

    fn send(self, out: &mut impl Write) -> io::Result<()> {
        frame::write(out, &Frame::Head(Box::new(self.head)))?;
        frame::write(out, &Frame::Stdout(self.stdout))?;
        frame::write(out, &Frame::Stderr(self.stderr))?;
        for (path, bytes) in self.files {
            frame::write(out, &Frame::File(path, bytes))?;
        }
        frame::write(out, &Frame::End)
    }
}

/// Only the loopback may be there.
fn no_network() -> Result<()> {
    let names: Vec<String> = fs::read_dir("/sys/class/net")
        .context("listing the network interfaces")?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    // Tunnel devices of the kernel's own exist in every new namespace and lead nowhere while they are down.
    let leads_somewhere = |name: &&String| {
        let state = fs::read_to_string(format!("/sys/class/net/{name}/operstate"));
        *name != "lo" && !state.is_ok_and(|state| state.trim() == "down")
    };
    let left: Vec<&str> = names.iter().filter(leads_somewhere).map(String::as_str).collect();
    ensure!(left.is_empty(), "the sandbox still has a network ({}), and rounds must not have one", left.join(", "));
    Ok(())
}

/// A file for the output of a command, in a folder that only root can enter.
///
/// The suite's user may write to the file itself: a command that opens `/dev/stdout` opens this.
fn scratch(name: &str) -> Result<File> {
    let path = Path::new(SCRATCH).join(name);
    let _ = fs::remove_file(&path);
    let file = File::options().read(true).append(true).create_new(true).mode(0o622).open(&path);
    let file = file.with_context(|| format!("making {}", path.display()))?;
    // The mode asked for is subject to our umask.
    file.set_permissions(fs::Permissions::from_mode(0o622))?;
    Ok(file)
}

fn scratch_is_full() -> bool {
    nix::sys::statvfs::statvfs(SCRATCH).is_ok_and(|found| found.blocks_free() == 0)
}

/// At most [`frame::BLOB_LIMIT`] bytes, and how many more there were.
fn read_scratch(file: &mut File) -> Result<(Vec<u8>, u64)> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(frame::BLOB_LIMIT).read_to_end(&mut bytes)?;
    // Give the memory back: the next command's output counts against the same limit.
    file.set_len(0)?;
    Ok((bytes, length.saturating_sub(frame::BLOB_LIMIT)))
}

fn last_cpu(pid: Pid) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(36)?.parse().ok()
}

fn account(reaped: &[Reaped], cpu: Option<u32>, job: &Job) -> RoundWitness {
    let cpus = job.cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    RoundWitness { cpu, cpus: Some(cpus).filter(|cpus| !cpus.is_empty()), ..usage(reaped.iter()) }
}
