//! Nothing is left, however a run ends; and one run at a time.

use super::*;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Instant;

#[test]
fn nothing_is_left_after_success_and_everything_belongs_to_the_owner() {
    let Some(rig) = Rig::new("nothing_is_left_after_success_and_everything_belongs_to_the_owner") else { return };
    fs::write(rig.tree(Side::Base).join("file"), "root wrote this").unwrap();
    let mut exec = rig.sandbox();
    for side in Side::BOTH {
        said(&mut exec, &round(side, "mkdir -p a/b && echo x > a/b/c && echo y > ~/z"));
    }
    let run = containers()[0].clone();
    drop(exec);
    for part in ["tree", "side"] {
        for (uid, path) in owners(&rig.work.path().join(part)) {
            // The folders of the two sides themselves are in ours.
            assert_eq!(uid, OWNER.0, "{}", path.display());
        }
    }
    assert!(!containers().contains(&run));
}

#[test]
fn a_second_run_waits_and_gives_up_in_the_end() {
    let name = "a_second_run_waits_and_gives_up_in_the_end";
    let (Some(first), Some(mut second)) = (Rig::new(name), Rig::new(name)) else { return };
    let exec = first.sandbox();
    second.patience = Duration::from_millis(1);
    let refused = second.begin(&[suite("s")]);
    assert!(matches!(refused, Err(SandboxError::Busy { .. })), "{refused:?}");
    second.patience = Duration::from_secs(900);
    // It is waiting when the first one ends.
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| second.begin(&[suite("s")]).map(drop).map_err(|error| error.to_string()));
        drop(exec);
        assert_eq!(waits.join().unwrap(), Ok(()));
    });
}

#[test]
fn what_a_dead_run_left_is_removed_and_what_a_living_one_uses_is_not() {
    let Some(rig) = Rig::new("what_a_dead_run_left_is_removed_and_what_a_living_one_uses_is_not") else { return };
    let gone = "0".repeat(64);
    let living = docker(&["run", "-d", "--name", "bench-test-owner", "--network", "none", IMAGE, "sleep", "1000"]);
    let make = |name: &str, owner: &str| {
        let label = format!("bench-bot.owner=container:{owner}");
        docker(&["create", "--name", name, "--label", "bench-bot.run=x", "--label", &label, IMAGE, "true"]);
    };
    make("bench-test-orphan", &gone);
    make("bench-test-kept", living.trim());
    let exec = rig.sandbox();
    let names = containers().join("\n");
    drop(exec);
    docker(&["rm", "-f", "bench-test-kept", "bench-test-owner"]);
    assert!(names.contains("bench-test-kept") && !names.contains("bench-test-orphan"), "{names}");
}

/// A run in a process of its own, which this test program becomes when it is started once more.
fn run_apart(rig: &Rig) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sandbox::ends::apart", "--ignored", "--nocapture", "--test-threads=1"])
        .env("BENCH_BOT_TEST_WORK", rig.work.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("the round runs") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the run ended before its round");
    }
    (child, lines)
}

#[test]
#[ignore = "it is the run that the tests below stop"]
fn apart() {
    let Some(work) = std::env::var_os("BENCH_BOT_TEST_WORK").map(PathBuf::from) else { return };
    let Some(rig) = Rig::new("apart") else { return };
    bench_bot::measure::signal::install().unwrap();
    let began = rig.tree(Side::Base).join("began");
    std::thread::spawn(move || {
        while !began.exists() {
            std::thread::yield_now();
        }
        println!("the round runs");
    });
    let mut exec = rig.sandbox();
    said(&mut exec, &setup(Side::Head, "true"));
    let error = exec.run(&round(Side::Base, "touch began; while :; do :; done")).unwrap_err();
    fs::write(work.join("error"), format!("{error:?}")).unwrap();
    drop(exec);
    drop(rig);
    // A stopped program says so by its exit code; here the end of the test is enough.
}

#[test]
fn a_cancelled_job_has_its_containers_removed_in_time() {
    let Some(rig) = Rig::new("a_cancelled_job_has_its_containers_removed_in_time") else { return };
    for signal in [nix::sys::signal::Signal::SIGTERM, nix::sys::signal::Signal::SIGINT] {
        let (mut child, _lines) = run_apart(&rig);
        let mine = format!("bench-bot-test-{:x}", child.id());
        let has = |mine: &str| containers().iter().any(|line| line.starts_with(mine));
        assert!(has(&mine), "{:?}", containers());
        let begin = Instant::now();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), signal).unwrap();
        assert!(child.wait().unwrap().success());
        let took = begin.elapsed();
        assert!(!has(&mine), "{:?}", containers());
        assert_eq!(
            fs::read_to_string(rig.work.path().join("error")).unwrap(),
            format!("Interrupted({})", signal as i32)
        );
        // GitHub kills a cancelled step after this time.
        assert!(took < Duration::from_millis(7500), "{took:?}");
    }
}

#[test]
fn a_killed_run_keeps_no_lock_and_the_next_one_removes_the_rest() {
    let Some(rig) = Rig::new("a_killed_run_keeps_no_lock_and_the_next_one_removes_the_rest") else { return };
    let (mut child, _lines) = run_apart(&rig);
    let mine = format!("bench-bot-test-{:x}", child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    let mut exec = rig.sandbox();
    assert!(!containers().iter().any(|line| line.starts_with(&mine)), "{:?}", containers());
    assert_eq!(said(&mut exec, &round(Side::Base, "echo fine")), "fine\n");
}
