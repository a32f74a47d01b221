//! Settings of the host, on whole copies of its trees: what is set, what is said about it, and that every value is what
//! it was, however the program ended.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

#[path = "../../src/host/fake.rs"]
pub(crate) mod fake;

mod command;
mod guard;
mod kill;
mod outcomes;
mod process;
mod sides;

use bench_bot::config::{Cpus, Host, Tuning};
use bench_bot::host::helper::Client;
use bench_bot::host::{HostError, JournalPlace, Roots, Session};
use bench_bot::results::{KnobOutcome, KnobStatus};
use fake::Fake;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fs;
use std::io::BufReader;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_bench-bot");
const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";

/// A folder for a journal, guarded by the real program.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn journal(&self) -> JournalPlace {
        JournalPlace { dir: self.dir.path().join("journal"), program: BIN.into() }
    }

    /// Whether anything is still to be put back.
    fn is_clean(&self) -> bool {
        !self.dir.path().join("journal/journal.json").exists()
    }
}

/// The defaults but for what belongs to a process, which a copied tree cannot tell.
fn settings() -> Host {
    Host { cpus: Cpus::All, nice: None, ..Host::default() }
}

fn nothing() -> Host {
    Host { governor: None, boost: None, ..settings() }
}

fn begin(fake: &Fake, place: &Place, host: &Host) -> Session {
    Session::begin(host, fake.roots(), place.journal()).unwrap()
}

fn status(outcomes: &[KnobOutcome], knob: &str) -> KnobStatus {
    let found = outcomes.iter().find(|one| one.knob == knob);
    found.unwrap_or_else(|| panic!("no outcome of {knob}: {outcomes:?}")).status.clone()
}

fn applied(old: &str, new: &str) -> KnobStatus {
    KnobStatus::Applied(old.to_owned(), new.to_owned())
}

fn denied(why: &str) -> KnobStatus {
    KnobStatus::Denied(why.to_owned())
}

/// The command line of a helper, after whatever starts it.
fn helper_arguments(fake: &Fake, journal: &Path) -> Vec<String> {
    let roots = fake.roots();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    ["__host-helper", "--sys", &text(&roots.sys), "--proc", &text(&roots.proc), "--journal", &text(journal)]
        .map(str::to_owned)
        .into()
}

/// A helper in a process of its own.
struct Helper {
    child: Child,
    client: Result<Client<BufReader<ChildStdout>, ChildStdin>, HostError>,
}

impl Helper {
    fn begin(command: &mut Command, host: &Host) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { client: Client::begin(BufReader::new(output), input, host), child }
    }

    fn start(fake: &Fake, place: &Place, host: &Host) -> Self {
        Self::begin(Command::new(BIN).args(helper_arguments(fake, &place.journal().dir)), host)
    }

    fn outcomes(&self) -> Vec<KnobOutcome> {
        self.client.as_ref().unwrap().outcomes().to_vec()
    }
}

/// The guardian of a journal, found by its command line.
fn guardian_of(journal: &Path) -> Option<u32> {
    let numbered = |entry: std::io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<u32>().ok();
    fs::read_dir("/proc").unwrap().filter_map(numbered).find(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let parts: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        parts.get(1..3) == Some(&[b"__guardian", journal.as_os_str().as_encoded_bytes()])
    })
}

/// Waits for the end of a process that may be nobody's child.
fn wait_for(pid: u32) {
    // It may be gone already.
    let Ok(process) = pidfd_open(Pid::from_raw(pid as i32).unwrap(), PidfdFlags::empty()) else { return };
    let mut ready = [PollFd::new(process.as_fd(), PollFlags::POLLIN)];
    assert_eq!(poll(&mut ready, PollTimeout::from(30_000u16)).unwrap(), 1, "process {pid} does not end");
}

/// Waits until nobody guards the journal.
fn wait_for_guardian(journal: &Path) {
    if let Some(pid) = guardian_of(journal) {
        wait_for(pid);
    }
}

/// Whether the tests run as root, which some need; says so where they do not.
fn is_root(test: &str) -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        eprintln!("SKIPPED {test}: it needs root to become another user or to mount");
    }
    root
}

fn required(error: HostError) -> Vec<KnobOutcome> {
    match error {
        HostError::Required(outcomes) => outcomes,
        other => panic!("{other}"),
    }
}

const REQUIRE: Tuning = Tuning::Require;
