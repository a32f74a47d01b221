//! However the program ends, every value is what it was.

use super::*;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid as NixPid;
use std::os::unix::process::CommandExt;
use std::panic::AssertUnwindSafe;

fn pid(child: &Child) -> NixPid {
    NixPid::from_raw(child.id() as i32)
}

#[test]
fn after_an_error_and_a_panic() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let fails = || -> Result<(), String> {
        let _session = begin(&fake, &place, &settings());
        assert_eq!(fake.read(NO_TURBO), "1");
        Err("the bench command is gone".to_owned())
    };
    fails().unwrap_err();
    assert_eq!(fake.files(), before);
    let panics = || {
        let _session = begin(&fake, &place, &settings());
        panic!("on purpose");
    };
    std::panic::catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
    assert_eq!(fake.files(), before);
    assert!(place.is_clean());
}

#[test]
fn after_the_signals_of_a_cancelled_job() {
    let _alone = crate::alone();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let (fake, place) = (Fake::amd(), Place::new());
        let before = fake.files();
        let mut helper = Helper::start(&fake, &place, &settings());
        assert_ne!(fake.files(), before);
        kill(pid(&helper.child), signal).unwrap();
        assert!(helper.child.wait().unwrap().success(), "{signal}");
        // It restored itself before it ended: nobody else had to.
        assert_eq!(fake.files(), before, "{signal}");
        assert!(place.is_clean());
    }
}

#[test]
fn after_a_kill_of_the_whole_process_group_by_the_guardian_alone() {
    let _alone = crate::alone();
    for signal in [Signal::SIGKILL, Signal::SIGABRT] {
        let (fake, place) = (Fake::intel(), Place::new());
        let before = fake.files();
        let mut command = Command::new(BIN);
        command.args(helper_arguments(&fake, &place.journal().dir)).process_group(0);
        let mut helper = Helper::begin(&mut command, &settings());
        let guardian = guardian_of(&place.journal().dir).unwrap();
        killpg(pid(&helper.child), signal).unwrap();
        assert!(!helper.child.wait().unwrap().success());
        wait_for(guardian);
        assert_eq!(fake.files(), before);
        assert!(place.is_clean());
    }
}

#[test]
fn the_guardian_keeps_nothing_of_ours_and_no_signal_but_sigkill_ends_it() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    // A descriptor that is inherited, as from a runner that did not mark its own.
    let (_keep, leak) = nix::unistd::pipe().unwrap();
    nix::fcntl::fcntl(&leak, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    let mut helper = Helper::start(&fake, &place, &settings());
    let guardian = guardian_of(&place.journal().dir).unwrap();
    let mut open: Vec<String> = fs::read_dir(format!("/proc/{guardian}/fd"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    open.sort();
    assert_eq!(open, ["0", "1", "2"]);
    for fd in ["1", "2"] {
        assert_eq!(fs::read_link(format!("/proc/{guardian}/fd/{fd}")).unwrap(), Path::new("/dev/null"));
    }
    assert_eq!(fs::read(format!("/proc/{guardian}/environ")).unwrap(), b"", "no variable that a runner looks for");
    assert_eq!(fs::read_link(format!("/proc/{guardian}/cwd")).unwrap(), Path::new("/"));
    let stat = fs::read_to_string(format!("/proc/{guardian}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let own = guardian.to_string();
    assert_eq!((fields[2], fields[3]), (&*own, &*own), "its own process group and session");
    let target = NixPid::from_raw(guardian as i32);
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGPIPE] {
        kill(target, signal).unwrap();
    }
    kill(pid(&helper.child), Signal::SIGKILL).unwrap();
    helper.child.wait().unwrap();
    wait_for(guardian);
    assert_eq!(fake.files(), before);
}

#[test]
fn when_the_guardian_is_killed_too_the_next_start_restores_first() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let mut helper = Helper::start(&fake, &place, &settings());
    let owner = helper.child.id();
    kill_both(&mut helper, &place);
    assert_ne!(fake.files(), before, "nobody was left to restore");
    let session = begin(&fake, &place, &settings());
    assert_eq!(session.notes(), [format!("Put back the settings that process {owner} had left changed.")]);
    assert_eq!(status(session.outcomes(), "governor"), applied("powersave", "performance"), "not what was left behind");
    drop(session);
    assert_eq!(fake.files(), before);
}

fn kill_both(helper: &mut Helper, place: &Place) {
    let guardian = guardian_of(&place.journal().dir).unwrap();
    // The guardian first: it must not get to act.
    kill(NixPid::from_raw(guardian as i32), Signal::SIGKILL).unwrap();
    kill(pid(&helper.child), Signal::SIGKILL).unwrap();
    helper.child.wait().unwrap();
    wait_for(guardian);
}

#[test]
fn what_another_boot_left_behind_is_dropped() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let mut helper = Helper::start(&fake, &place, &settings());
    kill_both(&mut helper, &place);
    fake.write("proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555");
    let session = begin(&fake, &place, &nothing());
    assert!(session.notes()[0].contains("started anew"), "{:?}", session.notes());
    assert_eq!(fake.read(NO_TURBO), "1", "of a boot that had it so");
}

#[test]
fn a_second_run_leaves_the_settings_to_the_first() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let mut helper = Helper::start(&fake, &place, &Host { boost: None, ..settings() });
    let held = format!("held by another run, process {}", helper.child.id());
    let session = begin(&fake, &place, &settings());
    assert_eq!(status(session.outcomes(), "boost"), denied(&held));
    assert_eq!(status(session.outcomes(), "governor"), KnobStatus::Already("performance".into()));
    drop(session);
    assert_eq!(fake.read(GOVERNOR), "performance", "the first one's settings are in force");
    helper.client.unwrap().finish().unwrap();
    helper.child.wait().unwrap();
    assert_eq!(fake.files(), before);
}

#[test]
fn the_helper_restores_at_the_end_of_its_input_and_refuses_what_is_no_question() {
    let _alone = crate::alone();
    use std::io::{Read, Write};
    let (fake, place) = (Fake::amd(), Place::new());
    let before = fake.files();
    let mut helper = Helper::start(&fake, &place, &settings());
    assert_ne!(fake.files(), before);
    drop(helper.client);
    assert!(helper.child.wait().unwrap().success());
    assert_eq!(fake.files(), before);
    for question in ["{\"side\": {}}\n", "\"finish\"\n", "nonsense\n", &"x".repeat(70_000)] {
        let mut command = Command::new(BIN);
        command.args(helper_arguments(&fake, &place.journal().dir)).stderr(Stdio::null());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // A helper that has had enough closes its end.
        let _ = child.stdin.take().unwrap().write_all(question.as_bytes());
        let mut answer = String::new();
        child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
        assert!(answer.is_empty() || answer.starts_with("{\"refused\":"), "{answer}");
        child.wait().unwrap();
        assert_eq!(fake.files(), before);
    }
}
