//! What a command sees and can do, and what comes back of it.

use super::*;
use bench_bot::measure::process::Placement;
use bench_bot::results::{KnobStatus, StepStatus};
use std::io::Read;
use std::net::TcpListener;

#[test]
fn output_status_and_accounts_come_back() {
    let Some(rig) = Rig::new("output_status_and_accounts_come_back") else { return };
    let mut exec = rig.sandbox();
    let done = exec.run(&round(Side::Head, "echo out; echo err >&2; exit 3")).unwrap();
    assert_eq!((done.status.clone(), out(&done), err(&done)), (StepStatus::Exit(3), "out\n".into(), "err\n".into()));
    assert!(done.witness.user.is_some() && done.witness.max_rss.is_some_and(|bytes| bytes > 1 << 16));
    assert!(done.witness.cpu.is_some());
    assert!(done.wall > Duration::ZERO && done.wall < Duration::from_secs(60));
    assert_eq!(exec.run(&round(Side::Base, "kill -TERM $$")).unwrap().status, StepStatus::Signal(15));
    assert_eq!(exec.run(&round(Side::Base, "cat")).unwrap().status, StepStatus::Ok);
    let mut endless = round(Side::Base, "sleep 1000 & yes > /dev/null");
    endless.timeout = Duration::from_secs(2);
    assert_eq!(exec.run(&endless).unwrap().status, StepStatus::TimedOut(2.0));
    // The streams can be opened by name too.
    let named = exec.run(&round(Side::Base, "echo two > /dev/stdout; echo three | tee /dev/stderr")).unwrap();
    assert!(out(&named).contains("three") && err(&named) == "three\n", "{} {}", out(&named), err(&named));
    exec.finish().unwrap();
}

#[test]
fn a_command_has_no_right_and_no_variable_that_it_does_not_need() {
    let Some(rig) = Rig::new("a_command_has_no_right_and_no_variable_that_it_does_not_need") else { return };
    let mut exec = rig.sandbox();
    for side in Side::BOTH {
        let status = said(&mut exec, &round(side, "cat /proc/self/status"));
        let field = |name: &str| {
            status
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            assert_eq!(field(set), "0000000000000000", "{set}");
        }
        assert_eq!((field("NoNewPrivs"), field("Seccomp")), ("1".to_owned(), "2".to_owned()));
        assert_eq!(field("Uid"), "1001\t1001\t1001\t1001");
        assert_eq!((field("Gid"), field("Groups")), ("118\t118\t118\t118".to_owned(), String::new()));
    }
    let about = "pwd; whoami; id -un; ulimit -c; ulimit -n; ls /proc/self/fd; ls /dev | grep -cE '^(sd|vd|kvm|mem)'; \
                 cat /proc/1/comm; mount | grep -c docker.sock; touch ~/x $TMPDIR/y && echo writable";
    let seen = said(&mut exec, &round(Side::Base, &format!("{about}; true")));
    assert_eq!(seen, "/bench/tree\nbench\nbench\n0\n16384\n0\n1\n2\n3\n0\nlauncher\n0\nwritable\n");
    let names = said(&mut exec, &round(Side::Base, "env | cut -d= -f1 | sort | tr '\\n' ' '"));
    let expected = "CARGO_HOME CARGO_INSTALL_ROOT CCACHE_DIR CI GEM_HOME GOCACHE GOMODCACHE GOPATH GRADLE_OPTS \
         GRADLE_USER_HOME HOME MAVEN_OPTS NPM_CONFIG_CACHE NPM_CONFIG_PREFIX PATH \
         PIP_BREAK_SYSTEM_PACKAGES PIP_CACHE_DIR PWD PYTHONPYCACHEPREFIX PYTHONUSERBASE TERM TMPDIR \
         UV_CACHE_DIR XDG_CACHE_HOME";
    assert_eq!(names.trim(), expected);
    exec.finish().unwrap();
}

/// The launcher itself keeps what it needs to end everything, and nothing else.
#[test]
fn the_container_has_exactly_its_mounts_and_rights() {
    let Some(rig) = Rig::new("the_container_has_exactly_its_mounts_and_rights") else { return };
    let exec = rig.sandbox();
    let name = containers().iter().find(|line| line.contains("-base-")).unwrap().split(' ').next().unwrap().to_owned();
    let shown = docker(&["inspect", "--format", "{{json .HostConfig}}", &name]);
    let host: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let mut added: Vec<&str> = host["CapAdd"].as_array().unwrap().iter().filter_map(|cap| cap.as_str()).collect();
    added.sort_unstable();
    let added: Vec<&str> = added.iter().map(|cap| cap.trim_start_matches("CAP_")).collect();
    assert_eq!(added, ["KILL", "SETGID", "SETPCAP", "SETUID", "SYS_NICE"]);
    assert_eq!(host["CapDrop"], serde_json::json!(["ALL"]));
    assert_eq!(host["SecurityOpt"], serde_json::json!(["no-new-privileges:true"]));
    assert_eq!((host["Privileged"].as_bool(), host["LogConfig"]["Type"].as_str()), (Some(false), Some("none")));
    assert_eq!((host["PidMode"].as_str(), host["IpcMode"].as_str()), (Some(""), Some("private")));
    assert_eq!((host["CgroupnsMode"].as_str(), host["PidsLimit"].as_i64()), (Some("private"), Some(4096)));
    assert_eq!(host["Memory"], host["MemorySwap"]);
    assert!(host["Memory"].as_u64().is_some_and(|memory| memory > 0));
    assert!(host["Binds"].is_null() && host["Devices"].as_array().is_none_or(Vec::is_empty));
    let shown = docker(&["inspect", "--format", "{{range .Mounts}}{{.Destination}} {{.RW}}\n{{end}}", &name]);
    let mut mounts: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    mounts.sort_unstable();
    assert_eq!(mounts, ["/.bench-bot/launcher false", "/bench/private true", "/bench/tree true"]);
    let tmpfs: Vec<&String> = host["Tmpfs"].as_object().unwrap().keys().collect();
    assert_eq!(tmpfs, ["/.bench-bot/scratch"]);
    // Process 1 as the kernel sees it from outside.
    let pid = docker(&["inspect", "--format", "{{.State.Pid}}", &name]);
    let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:\t")).unwrap();
    // KILL 5, SETGID 6, SETUID 7, SETPCAP 8, SYS_NICE 23.
    assert_eq!(u64::from_str_radix(effective, 16).unwrap(), 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 23);
    exec.finish().unwrap();
}

#[test]
fn files_are_deleted_before_and_read_after_by_the_suites_user() {
    let Some(rig) = Rig::new("files_are_deleted_before_and_read_after_by_the_suites_user") else { return };
    fs::create_dir(rig.tree(Side::Head).join("sub")).unwrap();
    fs::write(rig.tree(Side::Head).join("sub/bench.json"), "stale").unwrap();
    let mut exec = rig.sandbox();
    let mut one = round(Side::Head, "true");
    one.directory = "sub".to_owned();
    one.remove = vec!["bench.json".to_owned()];
    one.collect = vec!["bench.json".to_owned(), "out".to_owned()];
    assert!(exec.run(&one).unwrap().files.is_empty(), "a command that writes nothing gives nothing");
    one.command = "echo fresh > bench.json; mkdir -p out/deep; echo 1 > out/deep/a.json".to_owned();
    let done = exec.run(&one).unwrap();
    assert_eq!(done.files["bench.json"], b"fresh\n");
    assert_eq!(done.files["out/deep/a.json"], b"1\n");
    one.require = vec!["absent.gz".to_owned()];
    assert_eq!(exec.run(&one).unwrap().status, StepStatus::Missing("absent.gz".to_owned()));
    one.directory = "absent".to_owned();
    let status = exec.run(&one).unwrap().status;
    assert!(matches!(&status, StepStatus::NotStarted(why) if why.contains("absent")), "{status:?}");
    exec.finish().unwrap();
    assert_eq!(owners(&rig.work.path().join("tree")).len(), 2, "only the two empty folders are left");
}

#[test]
fn a_flood_is_cut_and_said_so() {
    let Some(rig) = Rig::new("a_flood_is_cut_and_said_so") else { return };
    let mut exec = rig.sandbox();
    let done = exec.run(&round(Side::Base, "head -c 100000000 /dev/zero")).unwrap();
    assert_eq!(
        (done.status.clone(), done.stdout.len(), done.lost),
        (StepStatus::Ok, 64 << 20, 100_000_000 - (64 << 20))
    );
    let done = exec.run(&round(Side::Base, "head -c 500000000 /dev/zero")).unwrap();
    assert_eq!(done.status, StepStatus::Exit(1));
    assert!(done.notes[0].contains("192 MiB"), "{:?}", done.notes);
    assert_eq!(said(&mut exec, &round(Side::Base, "echo fine")), "fine\n");
}

#[test]
fn the_other_side_is_frozen_while_one_runs() {
    let Some(rig) = Rig::new("the_other_side_is_frozen_while_one_runs") else { return };
    let mut exec = rig.sandbox();
    for side in Side::BOTH {
        // The command goes on when it is told that somebody has looked.
        let told = rig.tree(side).join("told");
        let watcher = std::thread::spawn(move || {
            let began = told.with_file_name("began");
            while !began.exists() {
                std::thread::yield_now();
            }
            let seen = containers();
            fs::write(told, "").unwrap();
            seen
        });
        said(&mut exec, &round(side, "touch began; while [ ! -e told ]; do :; done"));
        let seen = watcher.join().unwrap();
        let frozen = |side: Side| seen.iter().any(|l| l.contains(&format!("-{side}-")) && l.contains("(Paused)"));
        assert!(!frozen(side) && frozen(side.other()), "{side}: {seen:?}");
    }
}

#[test]
fn setup_has_a_network_and_rounds_have_none() {
    let Some(rig) = Rig::new("setup_has_a_network_and_rounds_have_none") else { return };
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = std::thread::spawn(move || {
        let mut all = Vec::new();
        while !all.contains(&"end".to_owned()) {
            let mut text = String::new();
            listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
            all.push(text.trim().to_owned());
        }
        all
    });
    // The gateway of the bridge is this host.
    let gateway = docker(&["network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}"]);
    let gateway = gateway.trim();
    let call = |word: &str| format!("bash -c 'echo {word} > /dev/tcp/{gateway}/{port}'");
    let mut online = suite("online");
    for side in Side::BOTH {
        online.sides.get_mut(side).network = true;
    }
    let mut exec = rig.begin(&[suite("s"), online]).unwrap();
    said(&mut exec, &setup(Side::Base, &call("setup")));
    for kind in [StepKind::Probe, StepKind::Warmup, StepKind::Round] {
        let done = exec.run(&step(Side::Base, kind, &call("round"))).unwrap();
        assert!(!done.status.ok() && err(&done).contains("unreachable"), "{}", err(&done));
        assert_eq!(said(&mut exec, &step(Side::Base, kind, "ls /sys/class/net")), "lo\n");
    }
    let mut allowed = round(Side::Base, &call("allowed"));
    allowed.suite = "online".to_owned();
    said(&mut exec, &allowed);
    assert!(!exec.run(&round(Side::Base, &call("again"))).unwrap().status.ok());
    said(&mut exec, &setup(Side::Head, &call("end")));
    assert_eq!(heard.join().unwrap(), ["setup", "allowed", "end"]);
}

#[test]
fn placement_is_tried_and_holds_for_rounds() {
    let Some(rig) = Rig::new("placement_is_tried_and_holds_for_rounds") else { return };
    let mut exec = rig.sandbox();
    // Building is free to use every CPU, at the engine's own priority.
    let usual = said(&mut exec, &setup(Side::Base, "nice"));
    let one = Placement { cpus: vec![1], nice: Some(-15) };
    exec.place(PerSide { base: one.clone(), head: one }).unwrap();
    let all = std::thread::available_parallelism().unwrap().to_string();
    assert_eq!(said(&mut exec, &setup(Side::Base, "nproc; nice")), format!("{all}\n{usual}"));
    let granted: Vec<(&str, bool)> = exec
        .process_outcomes()
        .iter()
        .map(|it| (it.knob.as_str(), matches!(it.status, KnobStatus::Applied(..))))
        .collect();
    assert_eq!(granted, [("cpu affinity", true), ("nice", true)]);
    for side in Side::BOTH {
        let done =
            exec.run(&round(side, "nproc; nice; cat /sys/fs/cgroup/cpuset/cpuset.cpus 2>/dev/null || true")).unwrap();
        assert!(out(&done).starts_with("1\n-15\n"), "{}", out(&done));
        assert_eq!(done.witness.cpus.as_deref(), Some("1"));
        assert_eq!(done.witness.cpu, Some(1));
        // The container cannot leave them either.
        assert!(!exec.run(&round(side, "taskset -c 0 true")).unwrap().status.ok());
    }
}

#[test]
fn head_begins_with_bases_caches_and_base_never_sees_what_head_wrote() {
    let Some(rig) = Rig::new("head_begins_with_bases_caches_and_base_never_sees_what_head_wrote") else { return };
    let mut exec = rig.sandbox();
    let fill = "mkdir -p $GOMODCACHE/m@v1 && echo good > $GOMODCACHE/m@v1/m.go && chmod 555 $GOMODCACHE/m@v1 && \
                mkdir -p $PYTHONUSERBASE && echo built > $PYTHONUSERBASE/installed";
    said(&mut exec, &setup(Side::Base, fill));
    let look = "cat $GOMODCACHE/m@v1/m.go; ls $PYTHONUSERBASE | grep -v bin || echo nothing built; stat -c %a $GOMODCACHE/m@v1";
    assert_eq!(said(&mut exec, &setup(Side::Head, look)), "good\nnothing built\n555\n");
    let poison = "chmod 755 $GOMODCACHE/m@v1 && echo evil > $GOMODCACHE/m@v1/m.go && echo evil > $GOMODCACHE/new.go";
    said(&mut exec, &setup(Side::Head, poison));
    // Base downloads more, and head gets that too, without losing what it has.
    said(&mut exec, &setup(Side::Base, "echo more > $GOMODCACHE/more.go"));
    let look = "cat $GOMODCACHE/m@v1/m.go $GOMODCACHE/more.go; ls $GOMODCACHE/new.go 2>/dev/null || echo unseen";
    assert_eq!(said(&mut exec, &setup(Side::Base, look)), "good\nmore\nunseen\n");
    assert_eq!(said(&mut exec, &setup(Side::Head, "cat $GOMODCACHE/m@v1/m.go $GOMODCACHE/more.go")), "evil\nmore\n");
    exec.finish().unwrap();
}
