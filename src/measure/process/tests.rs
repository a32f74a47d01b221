//! The host executor on real processes.

use super::*;
use crate::measure::exec::StepKind;
use std::process::Command;

struct Rig {
    temp: tempfile::TempDir,
    exec: HostExec,
}

fn rig() -> Rig {
    let temp = tempfile::tempdir().expect("temp");
    let folders = PerSide::from_fn(|side| SideFolders {
        tree: temp.path().join("tree").join(side.name()),
        private: temp.path().join("side").join(side.name()),
    });
    for side in Side::BOTH {
        fs::create_dir_all(&folders.get(side).tree).expect("tree");
    }
    Rig { exec: HostExec::new(folders).expect("executor"), temp }
}

fn step(command: &str) -> Step {
    Step {
        side: Side::Base,
        suite: "s".to_owned(),
        kind: StepKind::Round,
        command: command.to_owned(),
        directory: String::new(),
        env: BTreeMap::new(),
        timeout: Duration::from_secs(60),
        remove: Vec::new(),
        collect: Vec::new(),
        require: Vec::new(),
        position: 0,
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Whether a process exists and is no zombie.
fn alive(pid: i32) -> bool {
    reap::process(pid).is_some_and(|process| !process.zombie)
}

fn printed_pid(execution: &Execution) -> i32 {
    text(&execution.stdout).trim().parse().expect("a pid")
}

#[test]
fn output_status_and_accounts_come_back() {
    let mut rig = rig();
    let done = rig.exec.run(&step("echo out; echo err >&2; exit 3")).expect("ran");
    assert_eq!(done.status, StepStatus::Exit(3));
    assert_eq!((text(&done.stdout), text(&done.stderr)), ("out\n", "err\n"));
    assert!(done.witness.minor_faults.is_some_and(|faults| faults > 10), "a shell touches some pages");
    assert!(done.witness.user.is_some() && done.witness.max_rss.is_some_and(|bytes| bytes > 1 << 16));
    assert!(done.witness.cpu.is_some());
    assert_eq!(rig.exec.run(&step("kill -TERM $$")).expect("ran").status, StepStatus::Signal(15));
    assert_eq!(rig.exec.run(&step("cat")).expect("stdin is closed").status, StepStatus::Ok);
}

#[test]
fn writing_to_the_named_streams_loses_nothing() {
    let mut rig = rig();
    let done = rig.exec.run(&step("echo one; echo two > /dev/stdout; echo three | tee /dev/stderr")).expect("ran");
    assert_eq!(text(&done.stdout), "one\ntwo\nthree\n");
    assert_eq!(text(&done.stderr), "three\n");
}

#[test]
fn a_flood_is_cut_at_the_cap_and_counted() {
    let mut rig = rig();
    let done = rig.exec.run(&step("head -c 100000000 /dev/zero")).expect("ran");
    assert_eq!(done.status, StepStatus::Ok);
    assert_eq!(done.stdout.len(), OUTPUT_LIMIT);
    assert_eq!(done.lost, 100_000_000 - OUTPUT_LIMIT as u64);
}

#[test]
fn an_endless_command_is_killed_with_its_whole_family() {
    let mut rig = rig();
    let mut endless = step("sh -c 'echo $$; exec sleep 1000' & yes >&2 & wait");
    // Long enough for a busy machine to start the shell and let it print.
    endless.timeout = Duration::from_secs(3);
    let done = rig.exec.run(&endless).expect("ran");
    assert_eq!(done.status, StepStatus::TimedOut(3.0));
    assert!(!alive(printed_pid(&done)));
}

#[test]
fn a_daemon_does_not_outlive_its_round() {
    let mut rig = rig();
    // A session of its own, its parent gone, its streams closed: nothing but the process tree leads to it.
    let daemon = "setsid sh -c 'echo $$ > daemon.pid; exec sleep 1000' </dev/null >/dev/null 2>&1 & \
                  while [ ! -s daemon.pid ]; do :; done; cat daemon.pid";
    let done = rig.exec.run(&step(daemon)).expect("ran");
    assert_eq!(done.status, StepStatus::Ok);
    assert!(!alive(printed_pid(&done)));
}

#[test]
fn a_daemon_cannot_hide_behind_a_name_that_is_no_text() {
    let mut rig = rig();
    let daemon = "setsid sh -c 'printf \"\\377) \" > /proc/$$/comm; echo $$ > daemon.pid; sleep 1000 & wait' \
                  </dev/null >/dev/null 2>&1 & while [ ! -s daemon.pid ]; do :; done; cat daemon.pid";
    let done = rig.exec.run(&step(daemon)).expect("ran");
    assert_eq!(done.status, StepStatus::Ok);
    assert!(!alive(printed_pid(&done)));
}

#[test]
fn a_daemon_cannot_hide_behind_its_first_thread() {
    let mut rig = rig();
    fs::write(
        rig.temp.path().join("tree/base/daemon.py"),
        "import ctypes, os, threading, time\n\
         threading.Thread(target=lambda: time.sleep(1000)).start()\n\
         open('new.pid', 'w').write(str(os.getpid()))\n\
         os.rename('new.pid', 'daemon.pid')\n\
         ctypes.CDLL(None).pthread_exit(0)\n",
    )
    .expect("program");
    // The process is a zombie by its first thread, and lives on in the other.
    let daemon = "setsid python3 daemon.py </dev/null >/dev/null 2>&1 & while [ ! -s daemon.pid ]; do :; done; \
                  pid=$(cat daemon.pid); until grep -q '^State:.Z' /proc/$pid/status; do :; done; echo $pid";
    let done = rig.exec.run(&step(daemon)).expect("ran");
    assert_eq!(done.status, StepStatus::Ok);
    assert!(!Path::new(&format!("/proc/{}", printed_pid(&done))).exists());
}

#[test]
fn a_daemon_cannot_hide_behind_our_environment() {
    let mut rig = rig();
    fs::write(
        rig.temp.path().join("tree/base/daemon.py"),
        "import os, sys\n\
         variables = open(f'/proc/{sys.argv[1]}/environ', 'rb').read().split(b'\\0')\n\
         open('daemon.pid', 'w').write(str(os.getpid()))\n\
         os.execve('/bin/sleep', ['sleep', '1000'], dict(v.split(b'=', 1) for v in variables if v))\n",
    )
    .expect("program");
    let daemon = "setsid python3 daemon.py $PPID </dev/null >/dev/null 2>&1 & while [ ! -s daemon.pid ]; do :; done; \
                  pid=$(cat daemon.pid); until cmp -s /proc/$PPID/environ /proc/$pid/environ; do :; done; echo $pid";
    let done = rig.exec.run(&step(daemon)).expect("ran");
    assert_eq!(done.status, StepStatus::Ok);
    assert!(!alive(printed_pid(&done)));
}

#[test]
fn a_command_starts_with_the_default_signals_and_none_blocked() {
    let mut rig = rig();
    let done = rig.exec.run(&step("exec cat /proc/self/status")).expect("ran");
    let wanted = |line: &&str| ["SigBlk:", "SigIgn:", "SigCgt:"].iter().any(|name| line.starts_with(name));
    let masks: Vec<&str> = text(&done.stdout).lines().filter(wanted).collect();
    assert_eq!(masks.len(), 3);
    for line in masks {
        let mask = line.split_whitespace().nth(1).map(|mask| u64::from_str_radix(mask, 16).expect("a mask"));
        // What whoever started the tests ignores is left alone; SIGPIPE (13) is ignored by this process alone.
        assert_eq!(mask.map(|mask| mask & (1 << 12)), Some(0), "{line}");
        assert!(line.starts_with("SigIgn") || mask == Some(0), "{line}");
    }
}

#[test]
fn our_own_program_is_no_part_of_a_commands_memory() {
    let mut rig = rig();
    // The largest resident set so far: it only grows, and most of it are the pages of this program.
    let status = fs::read_to_string("/proc/self/status").expect("procfs");
    let own = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    let own: u64 = own.trim().trim_end_matches(" kB").parse().expect("KiB");
    let done = rig.exec.run(&step("exec sleep 0")).expect("ran");
    assert!(done.witness.max_rss.expect("known") < own * 1024, "{:?} of {own} KiB", done.witness.max_rss);
}

#[test]
fn what_cannot_be_started_says_why() {
    let mut rig = rig();
    let mut nul = step("true");
    nul.env.insert("A".to_owned(), "b\0c".to_owned());
    let StepStatus::NotStarted(reason) = rig.exec.run(&nul).expect("ran").status else { panic!("started") };
    assert!(reason.contains("starting /bin/sh") && reason.contains("nul byte"), "{reason}");
    let gone = spawn::shell(&Order {
        command: "true",
        directory: Path::new("/no/such/folder"),
        environment: Vec::new(),
        cpus: None,
        nice: None,
    });
    assert_eq!(gone.expect_err("no folder").kind(), std::io::ErrorKind::NotFound);
    // Nothing stays behind, neither a process nor a descriptor.
    assert_eq!(rig.exec.run(&step("echo fine")).expect("ran").stdout, b"fine\n");
}

#[test]
fn a_child_of_ours_that_was_there_before_is_left_alone() {
    let mut rig = rig();
    // Between two rounds of the other tests, as helpers of ours are.
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut helper = Command::new("setsid").args(["sleep", "1000"]).spawn().expect("helper");
    drop(turn);
    rig.exec.run(&step("true")).expect("ran");
    assert!(helper.try_wait().expect("child").is_none());
    helper.kill().expect("kill");
    helper.wait().expect("wait");
}

#[test]
fn only_the_allowlist_the_sides_folders_and_the_suite_are_in_the_environment() {
    let mut rig = rig();
    rig.exec.parent = environment::allowed(
        [
            ("PATH", "/usr/bin:/bin"),
            ("HOME", "/home/u"),
            ("GITHUB_TOKEN", "secret"),
            ("GITHUB_ENV", "/e"),
            ("RUSTFLAGS", "-g"),
        ]
        .map(|(name, value)| (name.into(), value.into())),
    );
    let mut env = step("env");
    env.env.insert("SUITE".to_owned(), "yes".to_owned());
    let done = rig.exec.run(&env).expect("ran");
    let mut names: Vec<&str> =
        text(&done.stdout).lines().filter_map(|line| line.split_once('=')).map(|pair| pair.0).collect();
    names.sort_unstable();
    insta::assert_snapshot!(names.join(" "), @"CARGO_INSTALL_ROOT CARGO_TARGET_DIR CCACHE_DIR GEM_HOME GOCACHE GOMODCACHE GOPATH GRADLE_OPTS HOME MAVEN_OPTS NPM_CONFIG_PREFIX PATH PIP_CACHE_DIR PWD PYTHONPYCACHEPREFIX PYTHONUSERBASE RUSTFLAGS SUITE TERM TMPDIR UV_CACHE_DIR XDG_CACHE_HOME");
    assert!(!text(&done.stdout).contains("secret"));
}

#[test]
fn no_descriptor_of_ours_leaks() {
    let mut rig = rig();
    let _open = fs::File::open("/dev/null").expect("a file of ours");
    let done = rig.exec.run(&step("ls /proc/self/fd")).expect("ran");
    // 3 is the folder that `ls` reads.
    assert_eq!(text(&done.stdout).split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[test]
fn a_stale_output_is_deleted_before_and_a_fresh_one_read_after() {
    let mut rig = rig();
    let tree = rig.temp.path().join("tree/base");
    fs::write(tree.join("bench.json"), "stale").expect("file");
    let mut round = step("true");
    round.remove = vec!["bench.json".to_owned()];
    round.collect = vec!["bench.json".to_owned()];
    assert!(rig.exec.run(&round).expect("ran").files.is_empty(), "a command that writes nothing gives nothing");
    round.command = "echo fresh > bench.json".to_owned();
    assert_eq!(rig.exec.run(&round).expect("ran").files["bench.json"], b"fresh\n");
    // A pipe in its place neither blocks nor is read.
    round.command = "mkfifo bench.json".to_owned();
    let done = rig.exec.run(&round).expect("ran");
    assert!(done.files.is_empty() && done.notes[0].contains("not a regular file"));
}

#[test]
fn an_artefact_that_cannot_be_deleted_stops_the_round() {
    let mut rig = rig();
    std::os::unix::fs::symlink("/tmp", rig.temp.path().join("tree/base/out")).expect("link");
    let mut round = step("echo ran");
    round.remove = vec!["out/bench.json".to_owned()];
    let done = rig.exec.run(&round).expect("ran");
    assert!(matches!(&done.status, StepStatus::NotStarted(why) if why.contains("symbolic link")), "{:?}", done.status);
}

#[test]
fn a_required_file_that_is_missing_is_a_state() {
    let mut rig = rig();
    let mut setup = step("true");
    setup.require = vec!["testdata/big.json.gz".to_owned()];
    assert_eq!(rig.exec.run(&setup).expect("ran").status, StepStatus::Missing("testdata/big.json.gz".to_owned()));
}

#[test]
fn a_folder_outside_of_the_checkout_is_refused() {
    let mut rig = rig();
    std::os::unix::fs::symlink("/etc", rig.temp.path().join("tree/base/link")).expect("link");
    for directory in ["link", "..", "absent"] {
        let mut outside = step("pwd");
        outside.directory = directory.to_owned();
        let done = rig.exec.run(&outside).expect("ran");
        assert!(matches!(done.status, StepStatus::NotStarted(_)), "{directory}: {:?}", done.status);
    }
}

#[test]
fn sides_do_not_share_a_target_folder_that_the_caller_set() {
    let mut rig = rig();
    rig.exec.parent.insert("CARGO_TARGET_DIR".to_owned(), "/shared".into());
    let mut seen = Vec::new();
    for side in Side::BOTH {
        let mut build = step(
            "mkdir -p $CARGO_TARGET_DIR; [ -e $CARGO_TARGET_DIR/app ] || echo $0 > $CARGO_TARGET_DIR/app; pwd; echo $CARGO_TARGET_DIR",
        );
        build.side = side;
        let done = rig.exec.run(&build).expect("ran");
        let lines: Vec<String> = text(&done.stdout).lines().map(str::to_owned).collect();
        assert_eq!(lines[1], format!("{}/target", lines[0]));
        seen.push(lines[1].clone());
    }
    assert_ne!(seen[0], seen[1]);
    assert_eq!(seen[0].len(), seen[1].len(), "path lengths move the stack");
}

#[test]
fn head_begins_with_a_copy_of_bases_compiler_cache_and_base_sees_nothing_of_head() {
    let mut rig = rig();
    let mut run = |side: Side, command: &str| {
        let mut setup = step(command);
        setup.side = side;
        setup.kind = StepKind::Setup;
        let done = rig.exec.run(&setup).expect("ran");
        (text(&done.stdout).to_owned(), done.notes)
    };
    run(Side::Base, "mkdir -p $GOCACHE/00 && echo base > $GOCACHE/00/a && ln -s /etc/passwd $GOCACHE/link");
    let (seen, notes) =
        run(Side::Head, "cat $GOCACHE/00/a; ls $GOCACHE; echo head > $GOCACHE/00/a; echo head > $GOCACHE/b");
    assert_eq!((seen.as_str(), notes.len()), ("base\n00\n", 0));
    assert_eq!(run(Side::Base, "cat $GOCACHE/00/a; ls $GOCACHE").0, "base\n00\nlink\n");
    assert_eq!(run(Side::Head, "cat $GOCACHE/00/a").0, "head\n", "copied once");
}

#[test]
fn placement_takes_effect_and_a_refusal_does_not_stop_the_command() {
    let mut rig = rig();
    let ours = nix::sched::sched_getaffinity(Pid::from_raw(0)).expect("affinity");
    let cpu = (0..libc::CPU_SETSIZE as usize).find(|cpu| ours.is_set(*cpu).unwrap_or(false)).expect("a CPU");
    let placement = Placement { cpus: vec![cpu], nice: Some(7) };
    rig.exec.place(PerSide { base: placement, head: Placement { cpus: vec![1000], nice: None } });
    let done = rig.exec.run(&step("grep Cpus_allowed_list /proc/self/status; nice")).expect("ran");
    assert_eq!(text(&done.stdout), format!("Cpus_allowed_list:\t{cpu}\n7\n"));
    assert_eq!(done.witness.cpus.as_deref(), Some(cpu.to_string().as_str()));
    let mut head = step("true");
    head.side = Side::Head;
    assert_eq!(rig.exec.run(&head).expect("ran").status, StepStatus::Ok);
}

#[test]
fn the_hook_surrounds_rounds_only_and_its_witness_is_kept() {
    struct Hook(std::sync::Arc<Mutex<Vec<&'static str>>>);
    impl RoundHook for Hook {
        fn before(&mut self, step: &Step) -> anyhow::Result<Option<Placement>> {
            self.0.lock().expect("log").push("before");
            anyhow::ensure!(step.side == Side::Base, "governor: EACCES");
            Ok(None)
        }
        fn after(&mut self, _step: &Step, own: RoundWitness) -> RoundWitness {
            self.0.lock().expect("log").push("after");
            RoundWitness { steal: Some(0.25), ..own }
        }
    }
    let mut rig = rig();
    let log = std::sync::Arc::<Mutex<Vec<&'static str>>>::default();
    rig.exec.hook(Box::new(Hook(log.clone())));
    let mut setup = step("true");
    setup.kind = StepKind::Setup;
    rig.exec.run(&setup).expect("ran");
    assert!(log.lock().expect("log").is_empty());
    let done = rig.exec.run(&step("true")).expect("ran");
    assert_eq!((done.witness.steal, done.witness.user.is_some()), (Some(0.25), true));
    assert_eq!(*log.lock().expect("log"), ["before", "after"]);
    let mut head = step("true");
    head.side = Side::Head;
    assert_eq!(rig.exec.run(&head).expect("ran").status, StepStatus::NotStarted("governor: EACCES".to_owned()));
}

#[test]
fn an_editable_install_that_no_command_names_is_not_seen_either() {
    let mut rig = rig();
    for side in Side::BOTH {
        let tree = rig.temp.path().join("tree").join(side.name());
        fs::write(tree.join("setup.py"), "").expect("file");
        fs::write(tree.join("which_side.py"), format!("NAME = '{side}'\n")).expect("file");
        // Modules of the tree that have names of the library's.
        for name in ["sysconfig.py", "json.py", "venv.py"] {
            fs::write(tree.join(name), "raise SystemExit('shadowed')\n").expect("file");
        }
        fs::write(
            tree.join("install.sh"),
            "python3 -I -c \"import sysconfig, os; \
             open(os.path.join(sysconfig.get_path('purelib'), '__editable__.pth'), 'w').write(os.getcwd())\"\n",
        )
        .expect("file");
        fs::write(tree.join("measure.sh"), "python3 -I -c 'import which_side; print(which_side.NAME)'\n")
            .expect("file");
        let mut setup = step("sh install.sh");
        (setup.side, setup.kind) = (side, StepKind::Setup);
        let done = rig.exec.run(&setup).expect("ran");
        assert!(done.status.ok() && done.notes.is_empty(), "{} {:?}", text(&done.stderr), done.notes);
    }
    for side in Side::BOTH {
        let mut round = step("sh measure.sh");
        round.side = side;
        let done = rig.exec.run(&round).expect("ran");
        assert_eq!(text(&done.stdout).trim(), side.name(), "{}", text(&done.stderr));
    }
}

#[test]
fn an_interpreter_that_does_not_start_is_said() {
    let mut rig = rig();
    let bin = rig.temp.path().join("bin");
    fs::create_dir(&bin).expect("folder");
    for name in ["python3", "python"] {
        fs::write(bin.join(name), "#!/bin/sh\necho broken python >&2\nexit 3\n").expect("file");
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).expect("mode");
    }
    rig.exec.parent.insert("PATH".to_owned(), format!("{}:/usr/bin:/bin", bin.display()).into());
    let done = rig.exec.run(&step("python3 --version || true")).expect("ran");
    assert!(done.notes.iter().any(|note| note.contains("python3 does not start: broken python")), "{:?}", done.notes);
}

/// The second install must not win: each side imports its own tree, though both install under one name.
#[test]
fn an_editable_install_of_one_side_is_not_seen_by_the_other() {
    let mut rig = rig();
    for side in Side::BOTH {
        let tree = rig.temp.path().join("tree").join(side.name());
        fs::write(tree.join("which_side.py"), format!("NAME = '{side}'\n")).expect("file");
        // What `pip install -e .` leaves behind, without needing an index: a pointer to the tree.
        let mut setup = step(
            "python3 -c \"import sysconfig, os; \
             open(os.path.join(sysconfig.get_path('purelib'), '__editable__.pth'), 'w').write(os.getcwd())\"",
        );
        setup.side = side;
        setup.kind = StepKind::Setup;
        let done = rig.exec.run(&setup).expect("ran");
        assert!(done.status.ok(), "{} {:?}", text(&done.stderr), done.notes);
    }
    for side in Side::BOTH {
        let mut round = step("cd / && python3 -c 'import which_side; print(which_side.NAME)'");
        round.side = side;
        let done = rig.exec.run(&round).expect("ran");
        assert_eq!(text(&done.stdout).trim(), side.name(), "{}", text(&done.stderr));
    }
}

#[test]
fn read_only_folders_are_removed_too() {
    let temp = tempfile::tempdir().expect("temp");
    let cache = temp.path().join("cache/mod@v1");
    fs::create_dir_all(&cache).expect("folder");
    fs::write(cache.join("file"), "x").expect("file");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o555)).expect("mode");
    open_folders(&temp.path().join("cache"));
    remove_tree(&temp.path().join("cache")).expect("removed");
    assert!(!temp.path().join("cache").exists());
    remove_tree(&temp.path().join("cache")).expect("nothing to remove");
}
