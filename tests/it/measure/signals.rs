//! Ctrl-C, SIGTERM and SIGKILL in every stage. A second copy of this test program is the run, so that the signals and the
//! clean-up are real.

use super::rig::{Rig, both, measured, request, suite};
use bench_bot::measure::exec::ExecError;
use bench_bot::measure::{MeasureError, Options};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Folder of the run, for the second copy.
const FOLDER: &str = "BENCH_BOT_TEST_FOLDER";
const STAGE: &str = "BENCH_BOT_TEST_STAGE";

/// The run itself: only in the second copy.
#[test]
#[ignore = "is started by the tests below"]
fn a_run_that_will_be_stopped() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let stage = std::env::var(STAGE).expect("a stage");
    let rig = Rig {
        user: folder.join("user"),
        base: fs::read_to_string(folder.join("base")).expect("base"),
        head: fs::read_to_string(folder.join("head")).expect("head"),
        temp: tempfile::tempdir().expect("temp"),
    };
    // The command tells that it is there, and does not end by itself; a daemon of it neither.
    let hang = format!("setsid sleep 1000 & echo $$ $! > {}; sleep 1000", folder.join("fifo").display());
    let mut one = suite();
    let counted =
        format!("echo A 1 sec/op; n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $n -eq 0 ] || {{ {hang}; }}");
    both(&mut one, |side| match stage.as_str() {
        "setup" => side.setup = Some(hang.clone()),
        "warm-up" => side.run = hang.clone(),
        _ => side.run = counted.clone(),
    });
    let mut request = request(&rig, vec![one]);
    if stage == "checkout" {
        request.config.suites[0].checkout.extra = vec![bench_bot::config::ExtraRepository {
            repo: "ssh://nowhere/o/r".to_owned(),
            reference: "main".to_owned(),
            path: "data".to_owned(),
        }];
    }
    let work = folder.join("work");
    let options = Options { journal: Some(folder.join("results.json")), ..Options::default() };
    let error = measured(&rig, &work, &request, &options).expect_err("it was stopped");
    let number = match (error.downcast_ref::<MeasureError>(), error.downcast_ref::<bench_bot::git::GitError>()) {
        (Some(MeasureError::Exec(ExecError::Interrupted(number))), _) => *number,
        (_, Some(bench_bot::git::GitError::Interrupted(number))) => *number,
        _ => panic!("{error:?}"),
    };
    std::process::exit(128 + number);
}

struct Stopped {
    folder: tempfile::TempDir,
    child: Child,
    /// The command and its daemon.
    pids: Vec<i32>,
}

/// Starts a run and waits until it hangs in `stage`.
fn hanging(stage: &str) -> Stopped {
    let rig = super::rig::rig(&[("x", "1")], &[("x", "2")]);
    let folder = tempfile::tempdir().expect("temp");
    for (name, text) in [("base", &rig.base), ("head", &rig.head)] {
        fs::write(folder.path().join(name), text).expect("file");
    }
    fs::rename(&rig.user, folder.path().join("user")).expect("moved");
    fs::create_dir(folder.path().join("work")).expect("folder");
    let fifo = folder.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("fifo");
    // Stands in for ssh, which git runs for an address of that kind.
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("folder");
    fs::write(bin.join("ssh"), format!("#!/bin/sh\necho $$ > {}\nexec sleep 1000\n", fifo.display())).expect("script");
    fs::set_permissions(bin.join("ssh"), fs::Permissions::from_mode(0o755)).expect("mode");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("PATH"));
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "measure::signals::a_run_that_will_be_stopped", "--ignored", "--nocapture"])
        .env(FOLDER, folder.path())
        .env(STAGE, stage)
        .env("PATH", path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut line = String::new();
    BufReader::new(fs::File::open(&fifo).expect("fifo")).read_line(&mut line).expect("the command is there");
    Stopped { folder, child, pids: line.split_whitespace().map(|pid| pid.parse().expect("a pid")).collect() }
}

fn alive(pid: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

fn work(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder.join("work")).expect("folder").flatten().map(|entry| entry.path()).collect()
}

fn stop(stage: &str, signal: Signal) {
    let mut run = hanging(stage);
    assert_eq!(work(run.folder.path()).len(), 1, "there is a checkout while it runs");
    kill(Pid::from_raw(run.child.id().cast_signed()), signal).expect("signal");
    let status = run.child.wait().expect("ended");
    assert_eq!(status.code(), Some(128 + signal as i32), "{stage}");
    assert_eq!(work(run.folder.path()), Vec::<PathBuf>::new(), "{stage}: the checkouts are gone");
    for pid in &run.pids {
        assert!(!alive(*pid), "{stage}: process {pid} is gone");
    }
}

#[test]
fn ctrl_c_and_sigterm_clean_up_in_every_stage() {
    for stage in ["checkout", "setup", "warm-up", "round"] {
        stop(stage, Signal::SIGINT);
        stop(stage, Signal::SIGTERM);
    }
}

#[test]
fn complete_blocks_survive_a_signal_and_the_half_one_does_not() {
    let mut run = hanging("round");
    kill(Pid::from_raw(run.child.id().cast_signed()), Signal::SIGTERM).expect("signal");
    run.child.wait().expect("ended");
    let bytes = fs::read(run.folder.path().join("results.json")).expect("the journal");
    let results = bench_bot::results::read(&bytes).expect("valid");
    assert!(results.suites[0].warmup.head.is_some());
    assert!(results.suites[0].stages.iter().all(|stage| stage.blocks.is_empty()));
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next_and_its_command_dies_with_it() {
    let mut run = hanging("round");
    run.child.kill().expect("killed");
    assert_eq!(run.child.wait().expect("ended").signal(), Some(9));
    assert_eq!(work(run.folder.path()).len(), 1, "nobody was there to clean up");
    drop(bench_bot::git::Workspace::create(&run.folder.path().join("work")).expect("the next run"));
    assert_eq!(work(run.folder.path()), Vec::<PathBuf>::new());
    // The shell is killed by the kernel as its parent dies; what it started has lost its supervisor and is ended here.
    let command = Pid::from_raw(run.pids[0]);
    while alive(command.as_raw()) {
        std::thread::yield_now();
    }
    let _ = kill(Pid::from_raw(run.pids[1]), Signal::SIGKILL);
}
