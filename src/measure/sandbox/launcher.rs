//! The part of bench-bot that runs inside a sandbox: our own static binary, mounted read-only.
//!
//! As process 1 it only keeps the container alive and reaps. For each command it is started once more, as root, reads
//! a [`Job`], gives the command its CPUs and priority, drops every right and the user id, and only then runs it. Files
//! are deleted and read by a second process of the suite's own user. When the command has ended everything but
//! process 1 is killed, and the list of processes is read back.

use super::frame::{self, Frame, Head, Job};
use crate::measure::process::files::{Collected, Folder};
use crate::measure::process::memory::{self, Kills};
use crate::measure::supervise::{Ended, Reaped, pidfd, reap, watch};
use crate::results::{RoundWitness, StepStatus};
use anyhow::{Context, Result, bail, ensure};
use nix::libc;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Where the binary is mounted.
pub(crate) const BINARY: &str = "/.bench-bot/launcher";
/// A memory file system of limited size that holds the output of a command until it has ended.
pub(crate) const SCRATCH: &str = "/.bench-bot/scratch";
/// The hidden subcommand.
pub(crate) const SUBCOMMAND: &str = "__launcher";

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the launcher in the mode that `mode` names.
#[must_use]
pub fn main(mode: &str) -> ExitCode {
    // Nobody of another user may look into this process.
    let _ = nix::sys::prctl::set_dumpable(false);
    match mode {
        "init" => init(),
        "job" => job(),
        "files" => files(),
        _ => ExitCode::from(2),
    }
}

/// Process 1: sleeps, reaps, ends on SIGTERM.
fn init() -> ExitCode {
    let mut wanted = SigSet::empty();
    for signal in [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT] {
        wanted.add(signal);
    }
    if wanted.thread_block().is_err() {
        return ExitCode::FAILURE;
    }
    loop {
        match wanted.wait() {
            Ok(Signal::SIGCHLD) => {
                while let Ok(status) = nix::sys::wait::waitpid(None, Some(nix::sys::wait::WaitPidFlag::WNOHANG)) {
                    if status == nix::sys::wait::WaitStatus::StillAlive {
                        break;
                    }
                }
            }
            Ok(_) => return ExitCode::SUCCESS,
            Err(_) => return ExitCode::FAILURE,
        }
    }
}

/// One command: a [`Job`] on standard input, frames on standard output.
fn job() -> ExitCode {
    let mut text = Vec::new();
    let read = io::stdin().take(1 << 20).read_to_end(&mut text).context("reading the job");
    let job: Result<Job> = read.and_then(|_| serde_json::from_slice(&text).context("the job is no JSON of ours"));
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let sent = match job.and_then(|job| Work::run(&job)) {
        Ok(work) => work.send(&mut out),
        Err(error) => {
            let head = Head { broken: Some(format!("{error:#}")), ..Head::default() };
            frame::write(&mut out, &Frame::Head(Box::new(head))).and_then(|()| frame::write(&mut out, &Frame::End))
        }
    };
    if sent.and_then(|()| out.flush()).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
        add_user(job.uid, job.gid)?;
        if !job.remove.is_empty() {
            let removed = as_suite(job, FileWork::Remove)?;
            if let Some(reason) = removed.refused {
                return Ok(Self::not_started(reason));
            }
        }
        let mut work = Self::command(job)?;
        if !(job.collect.is_empty() && job.require.is_empty()) {
            let found = as_suite(job, FileWork::Read)?;
            // The reader ran as the suite's user; nothing of it may stay either.
            end_everything()?;
            work.head.notes.extend(found.notes);
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
        command.current_dir(Path::new(&job.tree).join(&job.directory));
        command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        drop_rights(&mut command, job, true);
        let begin = Instant::now();
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                return Ok(Self::not_started(format!("starting /bin/sh in {}: {error}", job.directory)));
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
        all.extend(end_everything()?);
        let status = match (ended, leader.context("the command was reaped by somebody else")?.status) {
            (Ended::TimedOut, _) => StepStatus::TimedOut(job.timeout_ms.div_ceil(1000)),
            (_, Ok(0)) => StepStatus::Ok,
            (_, Ok(code)) => StepStatus::Exit(code),
            (_, Err(signal)) => StepStatus::Signal(signal),
        };
        let ((stdout, cut_out), (stderr, cut_err)) = (read_scratch(&mut stdout)?, read_scratch(&mut stderr)?);
        Ok(Self {
            head: Head {
                status: memory::explain(status, kills, Kills::now()),
                wall_ns: u64::try_from(wall.as_nanos())?,
                witness: account(&all, cpu, job),
                lost: cut_out + cut_err,
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
    let mut names: Vec<String> = fs::read_dir("/sys/class/net")
        .context("listing the network interfaces")?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    // Tunnel devices of the kernel's own that exist in every new namespace and lead nowhere while they are down.
    names.retain(|name| name != "lo" && fs::read_to_string(format!("/sys/class/net/{name}/operstate")).is_ok_and(|s| s.trim() != "down"));
    ensure!(names.is_empty(), "the sandbox still has a network ({}), and rounds must not have one", names.join(", "));
    Ok(())
}

/// Many tools want a name and a home for the user that they run as.
fn add_user(uid: u32, gid: u32) -> Result<()> {
    let append = |path: &str, id: u32, line: &str| -> Result<()> {
        let known = fs::read_to_string(path).unwrap_or_default();
        if known.lines().any(|line| line.split(':').nth(2) == Some(&id.to_string())) {
            return Ok(());
        }
        let newline = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
        let mut file = File::options().append(true).create(true).open(path).with_context(|| format!("opening {path}"))?;
        file.write_all(format!("{newline}{line}\n").as_bytes()).with_context(|| format!("writing {path}"))
    };
    append("/etc/passwd", uid, &format!("bench:x:{uid}:{gid}:bench:/:/bin/sh"))?;
    append("/etc/group", gid, &format!("bench:x:{gid}:"))
}

/// A file that only root can open, for the output of a command.
fn scratch(name: &str) -> Result<File> {
    let path = Path::new(SCRATCH).join(name);
    let _ = fs::remove_file(&path);
    File::options()
        .read(true)
        .append(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("making {}", path.display()))
}

/// At most [`frame::BLOB_LIMIT`] bytes, and how many more there were.
fn read_scratch(file: &mut File) -> Result<(Vec<u8>, u64)> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(frame::BLOB_LIMIT).read_to_end(&mut bytes)?;
    Ok((bytes, length.saturating_sub(frame::BLOB_LIMIT)))
}

/// In the child, before it becomes the command: CPUs, priority, then no capability, no group, no other user than the
/// suite's, and no open file but the three standard ones.
fn drop_rights(command: &mut Command, job: &Job, placed: bool) {
    let (uid, gid) = (job.uid, job.gid);
    let nice = job.nice.filter(|_| placed);
    let cpus = crate::measure::process::cpu_set(if placed { &job.cpus } else { &[] });
    #[expect(unsafe_code, reason = "rights can only be dropped in the child")]
    // SAFETY: the closure allocates nothing and makes only raw system calls, which are async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            libc::setsid();
            if let Some(cpus) = &cpus {
                libc::sched_setaffinity(0, size_of_val(cpus), cpus);
            }
            if let Some(nice) = nice {
                libc::setpriority(libc::PRIO_PROCESS, 0, nice);
            }
            // The bounding set goes while we may still change it; setting the user empties the other sets.
            let mut capability = 0;
            while libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) == 0 {
                capability += 1;
            }
            libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::setgroups(0, std::ptr::null()) != 0
                || libc::setresgid(gid, gid, gid) != 0
                || libc::setresuid(uid, uid, uid) != 0
            {
                return Err(io::Error::last_os_error());
            }
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
            Ok(())
        });
    }
}

/// Kills everything but process 1 and this process, and reads the list back.
fn end_everything() -> Result<Vec<Reaped>> {
    let mut reaped = Vec::new();
    let begin = Instant::now();
    loop {
        // -1 reaches every process that we may signal except process 1 and ourselves.
        let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        let others = others();
        for pid in &others {
            reaped.extend(reap(Pid::from_raw(*pid), true));
        }
        let left: Vec<String> = self::others().iter().map(|pid| format!("{pid} ({})", name(*pid))).collect();
        if left.is_empty() {
            return Ok(reaped);
        }
        if begin.elapsed() > PATIENCE {
            bail!("processes outlived their round: {}", left.join(", "));
        }
        std::thread::yield_now();
    }
}

fn others() -> Vec<i32> {
    let own = nix::unistd::getpid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(|pid| *pid != 1 && *pid != own).collect()
}

fn name(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).map(|name| name.trim().to_owned()).unwrap_or_default()
}

fn last_cpu(pid: Pid) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(36)?.parse().ok()
}

fn account(reaped: &[Reaped], cpu: Option<u32>, job: &Job) -> RoundWitness {
    let mut witness = crate::measure::process::usage(reaped);
    witness.cpu = cpu;
    if !job.cpus.is_empty() {
        witness.cpus = Some(job.cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(","));
    }
    witness
}

/// What the process of the suite's user is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum FileWork {
    Remove,
    Read,
}

/// What it found.
#[derive(Debug, Default)]
struct Found {
    refused: Option<String>,
    missing: Option<String>,
    notes: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
}

/// Deletes or reads files as the suite's user: root must not follow where foreign code leads.
fn as_suite(job: &Job, work: FileWork) -> Result<Found> {
    let mut command = Command::new(BINARY);
    command.args([SUBCOMMAND, "files"]).env_clear().current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    drop_rights(&mut command, job, false);
    let mut child = command.spawn().context("starting the reader of files")?;
    let request = serde_json::to_vec(&(work, job))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(&request).context("asking the reader of files")?;
    }
    let mut reader = frame::Reader::default();
    let mut output = child.stdout.take().context("the reader of files has no output")?;
    let mut chunk = vec![0; 1 << 16];
    loop {
        match output.read(&mut chunk)? {
            0 => break,
            n => reader.push(&chunk[..n]).map_err(anyhow::Error::msg).context("the reader of files")?,
        }
    }
    let _ = child.wait();
    let answer = reader.finish().map_err(anyhow::Error::msg).context("the reader of files")?;
    let missing = match answer.head.status {
        StepStatus::Missing(path) => Some(path),
        _ => None,
    };
    Ok(Found { refused: answer.head.broken, missing, notes: answer.head.notes, files: answer.files.into_iter().collect() })
}

/// The process of the suite's user.
fn files() -> ExitCode {
    let mut text = Vec::new();
    let work: Result<(FileWork, Job)> = io::stdin()
        .take(1 << 20)
        .read_to_end(&mut text)
        .context("reading the request")
        .and_then(|_| serde_json::from_slice(&text).context("the request"));
    let mut head = Head::default();
    let mut collected = Collected::default();
    match work.and_then(|(work, job)| Ok((work, Folder::open(Path::new(&job.tree), &job.directory)?, job))) {
        Err(error) => head.broken = Some(format!("{error:#}")),
        Ok((FileWork::Remove, folder, job)) => {
            head.broken = job.remove.iter().find_map(|path| {
                let error = folder.remove(path).err()?;
                Some(format!("{path} of an earlier round could not be deleted: {error}"))
            });
        }
        Ok((FileWork::Read, folder, job)) => {
            collected = folder.collect(&job.collect);
            head.notes = std::mem::take(&mut collected.notes);
            if let Some(missing) = job.require.iter().find_map(|path| folder.missing(path)) {
                head.status = StepStatus::Missing(missing);
            }
        }
    }
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let sent = frame::write(&mut out, &Frame::Head(Box::new(head)))
        .and_then(|()| {
            collected.files.into_iter().try_for_each(|(path, bytes)| frame::write(&mut out, &Frame::File(path, bytes)))
        })
        .and_then(|()| frame::write(&mut out, &Frame::End))
        .and_then(|()| out.flush());
    if sent.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
