//! `bench-bot host show`, `tune` and `restore`, as functions that return what is printed.

use super::helper::{self, Client, without_process};
use super::journal::{self, Journal};
use super::knob::Knob;
use super::process::probe;
use super::{HostError, JournalPlace, Roots, cpu, cpulist, describe, frequencies, knob, machine};
use crate::config::{Cpus, Host, Tuning};
use crate::results::{KnobOutcome, KnobStatus};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fmt::Write;
use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// How long a process that keeps settings may take to put them back. It needs milliseconds.
const PATIENCE: u16 = 10_000;

/// The machine, its settings and whether they could be changed, the CPUs that a benchmark would get, and what is held.
#[must_use]
pub fn show(roots: &Roots, place: &JournalPlace) -> String {
    let found = machine(roots);
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name:<20} {value}");
        }
    };
    line("cpu", &found.cpu);
    let cores = found.cores.map(|cores| format!(", {cores} cores")).unwrap_or_default();
    line("cpus", &format!("{}{cores}", found.cpus));
    line("kernel", &found.kernel);
    line("os", &found.os);
    line("memory", &found.memory.map(|bytes| format!("{} MiB", bytes >> 20)).unwrap_or_default());
    line(
        "virtualization",
        match found.virtualization.as_deref() {
            None => "cannot be told",
            Some("") => "none",
            Some(name) => name,
        },
    );
    line("container", if found.container { "yes" } else { "no" });
    line("steal time", if found.steal_observable { "observable" } else { "not observable" });
    line("frequency", &frequencies(roots).summary());
    for (name, value) in &found.details {
        line(name, value);
    }
    let topology = cpu::Topology::read(roots);
    match cpu::select(&Cpus::Auto, &topology, roots) {
        Ok(cpu::Selection { cpus: Some(cpus), reason, .. }) => {
            line("benchmark's cpus", &format!("{} ({reason})", cpulist::format(cpus)));
        }
        Ok(cpu::Selection { reason, .. }) | Err(reason) => line("benchmark's cpus", &reason),
    }
    text.push('\n');
    text += &settings(roots);
    if let Ok(Some(journal)) = Journal::load(&place.dir) {
        let state = if journal.owner.alive() { "held by" } else { "left changed by dead" };
        let _ = writeln!(text, "\nSettings are {state} process {}.", journal.owner.pid);
    }
    text
}

/// One line a setting: values with the places that have them, and whether they can be written.
fn settings(roots: &Roots) -> String {
    let mut text = String::new();
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for setting in knob::survey(roots) {
        let access = setting.refused.map(|why| format!(", cannot be set: {why}")).unwrap_or_default();
        let line = format!("{:<20} {}{access}", setting.knob.name(), setting.knob.show(&setting.prior));
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, places)) => places.push(setting.place),
            None => lines.push((line, vec![setting.place])),
        }
    }
    let known = |name: &str| lines.iter().any(|(line, _)| line[..line.len().min(20)].trim_end() == name);
    let absent: Vec<&str> = Knob::NAMES.into_iter().filter(|name| !known(name)).collect();
    for (line, places) in lines {
        let places = match places.as_slice() {
            [one] if one.is_empty() => String::new(),
            [one] => format!(" ({one})"),
            many => format!(" ({} and {} more)", many[0], many.len() - 1),
        };
        let _ = writeln!(text, "{line}{places}");
    }
    for name in absent {
        let _ = writeln!(text, "{name:<20} absent: this machine has no such setting");
    }
    text += &outcome_lines(&process_settings(roots));
    text
}

/// What a bench command's process could set for itself, tried on a thread that is thrown away.
fn process_settings(roots: &Roots) -> Vec<KnobOutcome> {
    let host = Host::default();
    probe(&host, &cpu::select(&host.cpus, &cpu::Topology::read(roots), roots)).1
}

/// One line an outcome.
fn outcome_lines(outcomes: &[KnobOutcome]) -> String {
    let line = |one: &KnobOutcome| format!("{:<20} {}\n", one.knob, describe(&one.status));
    outcomes.iter().map(line).collect()
}

/// Sets what `host` asks for and leaves a process behind that keeps it until [`restore`]. The text says what became of
/// each setting, and how to run a benchmark on the chosen CPUs.
///
/// # Errors
/// With `tuning: require`, when a setting is refused or absent; when settings are held already; when the keeper cannot
/// be started.
pub fn tune(host: &Host, roots: &Roots, place: &JournalPlace) -> Result<String, HostError> {
    if host.tuning == Tuning::Off {
        return Ok("`tuning: off`: nothing was changed.\n".to_owned());
    }
    if let Some(owner) = holder(place)? {
        return Err(HostError::Refused(format!("process {owner} holds them; `bench-bot host restore` ends that")));
    }
    let (mut child, stdin, stdout) = keeper(roots, place).map_err(not_started)?;
    let client = Client::begin(BufReader::new(stdout), stdin, &without_process(host))?;
    let mut text = String::new();
    for note in client.notes() {
        let _ = writeln!(text, "{note}");
    }
    text += &outcome_lines(client.outcomes());
    let changed = client.outcomes().iter().any(|one| matches!(one.status, KnobStatus::Applied(..)));
    if changed {
        let _ = writeln!(text, "\nKept by process {} until `bench-bot host restore`.", child.id());
    } else {
        // Nothing to keep.
        client.finish()?;
        child.wait().map_err(not_started)?;
        text += "\nNothing had to be changed.\n";
    }
    let selection = cpu::select(&host.cpus, &cpu::Topology::read(roots), roots);
    let (settings, _) = probe(host, &selection);
    let nice = settings.nice.map(|nice| format!("nice -n {nice} ")).unwrap_or_default();
    let cpus = settings.cpus.map(|cpus| format!("taskset -c {} ", cpulist::format(cpus))).unwrap_or_default();
    if !nice.is_empty() || !cpus.is_empty() {
        let _ = writeln!(text, "Run a benchmark with: {nice}{cpus}COMMAND");
    }
    Ok(text)
}

const fn not_started(source: io::Error) -> HostError {
    HostError::Process { what: "The process that keeps the settings does not start.", source }
}

/// Starts the process that keeps settings: a helper in a session of its own.
fn keeper(roots: &Roots, place: &JournalPlace) -> io::Result<(Child, ChildStdin, ChildStdout)> {
    let mut child = Command::new(&place.program)
        .arg0("bench-bot")
        .args([helper::ARGUMENT, "--detach", "--sys"])
        .arg(&roots.sys)
        .arg("--proc")
        .arg(&roots.proc)
        .arg("--journal")
        .arg(&place.dir)
        // Without the runner's variables: it looks for one of them to end what a job left behind.
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(stdin), Some(stdout)) => Ok((child, stdin, stdout)),
        _ => Err(io::ErrorKind::BrokenPipe.into()),
    }
}

/// The living process that holds changed settings.
fn holder(place: &JournalPlace) -> Result<Option<u32>, HostError> {
    let journal = Journal::load(&place.dir).map_err(|error| HostError::Journal(unusable(place, &error)))?;
    Ok(journal.filter(|journal| journal.owner.alive()).map(|journal| journal.owner.pid))
}

fn unusable(place: &JournalPlace, error: &io::Error) -> String {
    format!("The journal in {} cannot be used: {error}.", place.dir.display())
}

/// Puts back what `tune` changed, or what a process left changed that could not put it back.
///
/// # Errors
/// When a run is at work now, or when something cannot be put back.
pub fn restore(roots: &Roots, place: &JournalPlace) -> Result<String, HostError> {
    let unusable = |error: io::Error| HostError::Journal(unusable(place, &error));
    let Some(journal) = Journal::load(&place.dir).map_err(unusable)? else {
        return Ok("Nothing is changed, nothing to put back.\n".to_owned());
    };
    let pid = journal.owner.pid;
    if journal.owner.alive() {
        if !journal.owner.holds {
            let why = format!("process {pid} is measuring now and puts them back when it ends");
            return Err(HostError::Refused(why));
        }
        end(pid).map_err(|source| HostError::Process {
            what: "The process that keeps the settings does not end.",
            source,
        })?;
        if Journal::load(&place.dir).map_err(unusable)?.is_none() {
            return Ok(format!("Process {pid} put back what it had changed.\n"));
        }
    }
    let owner = journal::Owner::current(false);
    let claimed =
        journal::claim(place, &owner).map_err(|error| HostError::Journal(journal::no_place(place, &error)))?;
    let journal::Claim::Ours(_lock) = claimed else {
        return Err(HostError::Refused("another process took them over meanwhile".to_owned()));
    };
    let leftover = journal::recover(place, roots).map_err(unusable)?;
    if !leftover.entries.is_empty() {
        return Err(HostError::NotRestored(leftover.notes));
    }
    if leftover.notes.is_empty() {
        return Ok(format!("The guardian of process {pid} put everything back.\n"));
    }
    Ok(leftover.notes.join("\n") + "\n")
}

/// Asks a process to end and waits until it has.
fn end(pid: u32) -> io::Result<()> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    pidfd_send_signal(&process, Signal::TERM)?;
    let mut ready = [PollFd::new(process.as_fd(), PollFlags::POLLIN)];
    if poll(&mut ready, PollTimeout::from(PATIENCE))? == 0 {
        return Err(io::ErrorKind::TimedOut.into());
    }
    Ok(())
}
