//! Killed between any two system calls, 200 times.

use super::*;
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid as NixPid;
use std::io::Write;

const KILLS: u32 = 200;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// A helper that is stopped before it reads its first question; every question is in its input already.
fn stopped(fake: &Fake, place: &Place) -> Child {
    let mut command = Command::new(BIN);
    command.args(helper_arguments(fake, &place.journal().dir));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let pid = NixPid::from_raw(child.id() as i32);
    ptrace::seize(pid, ptrace::Options::PTRACE_O_TRACESYSGOOD).unwrap();
    ptrace::interrupt(pid).unwrap();
    assert!(!ended(waitpid(pid, None).unwrap()));
    let (host, other) = (settings(), Host { boost: Some(true), ..nothing() });
    let json = |host: &Host| serde_json::to_string(host).unwrap();
    let questions = format!(
        "{{\"begin\":{}}}\n{{\"side\":{}}}\n{{\"side\":{}}}\n\"finish\"\n",
        json(&host),
        json(&other),
        json(&host)
    );
    let mut input = child.stdin.take().unwrap();
    input.write_all(questions.as_bytes()).unwrap();
    child
}

fn ended(status: WaitStatus) -> bool {
    matches!(status, WaitStatus::Exited(..) | WaitStatus::Signaled(..))
}

/// Lets the helper run over `stops` entries and exits of system calls; how many there were, and whether it ended.
fn run(child: &Child, stops: u32) -> (u32, bool) {
    let pid = NixPid::from_raw(child.id() as i32);
    for count in 0..stops {
        ptrace::syscall(pid, None).unwrap();
        if ended(waitpid(pid, None).unwrap()) {
            return (count, true);
        }
    }
    (stops, false)
}

#[test]
fn every_value_is_what_it_was_wherever_the_program_is_killed() {
    let first = crate::alone();
    let fake = Fake::amd();
    let before = fake.files();
    let place = Place::new();
    let mut child = stopped(&fake, &place);
    let (total, done) = run(&child, u32::MAX);
    // Reaped already.
    child.wait().unwrap_err();
    assert!(done && total > 200, "{total} stops");
    assert_eq!(fake.files(), before, "a run that is not killed");
    drop(first);
    let mut random = SEED;
    let (mut changed, mut by_guardian, mut by_next_start) = (0, 0, 0);
    for round in 0..KILLS {
        // A published generator (xorshift64), so that a failure can be repeated.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let _alone = crate::alone();
        let stops = (random % u64::from(total)) as u32;
        let place = Place::new();
        let journal = place.journal().dir;
        let mut child = stopped(&fake, &place);
        let (_, done) = run(&child, stops);
        let touched = fake.files() != before;
        changed += u32::from(touched);
        // In every fourth round nobody is left to restore.
        let guardian = guardian_of(&journal);
        if let Some(guardian) = guardian.filter(|_| round % 4 == 0) {
            kill(NixPid::from_raw(guardian as i32), Signal::SIGKILL).unwrap();
        }
        if !done {
            child.kill().unwrap();
        }
        assert_eq!(child.wait().is_err(), done, "reaped while it was traced, if it ended by itself");
        wait_for_guardian(&journal);
        if guardian.is_some() && round % 4 == 0 {
            drop(begin(&fake, &place, &nothing()));
            by_next_start += u32::from(touched);
        } else {
            by_guardian += u32::from(touched);
        }
        assert_eq!(fake.files(), before, "round {round}, killed after {stops} of {total} stops");
        assert!(place.is_clean(), "round {round}: the journal is gone");
    }
    // The kills hit what they are for.
    assert!(changed > KILLS / 4, "{changed} of {KILLS} kills came while a value was changed");
    assert!(by_guardian > 20 && by_next_start > 5, "{by_guardian} by the guardian, {by_next_start} by the next start");
}
