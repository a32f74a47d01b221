//! Affinity and priority on real processes, read from `/proc`.

use super::*;
use bench_bot::host::cpu::{Selection, Topology};
use bench_bot::host::{ProcessSettings, cpu, cpulist};

/// A tree that describes the CPUs that this test may really use, and has nothing else to set.
fn real_cpus() -> Fake {
    let fake = Fake::vm();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned();
    fake.write("proc/self/status", &status);
    fake.write("sys/devices/system/cpu/online", &allowed);
    fake
}

/// Affinity and priority of a process that a thread with these settings starts, as the process itself reads them.
fn seen_by_a_child(settings: &ProcessSettings) -> (String, i32) {
    let settings = settings.clone();
    let start = move || {
        settings.apply().unwrap();
        Command::new("cat").args(["/proc/self/status", "/proc/self/stat"]).output().unwrap()
    };
    let output = std::thread::spawn(start).join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned();
    // Field 19 of stat, after the name in parentheses and the state.
    let nice = text.rsplit_once(')').unwrap().1.split_whitespace().nth(16).unwrap().parse().unwrap();
    (list, nice)
}

#[test]
fn a_bench_command_runs_where_and_how_it_was_said() {
    let (fake, place) = (real_cpus(), Place::new());
    let host = Host { cpus: Cpus::Auto, nice: Some(7), ..nothing() };
    let session = begin(&fake, &place, &host);
    let settings = session.process_settings();
    let chosen = settings.cpus.clone().expect("some CPU may be used");
    assert_eq!(settings.nice, Some(7));
    let (list, nice) = seen_by_a_child(&settings);
    assert_eq!((cpulist::format(chosen.iter().copied()), 7), (list, nice));
    let single = settings.single.unwrap();
    assert!(chosen.contains(&single));
    assert_eq!(seen_by_a_child(&settings.on_one_cpu()), (single.to_string(), 7));
    assert!(matches!(status(session.outcomes(), "nice"), KnobStatus::Applied(_, new) if new == "7"));
    let Selection { housekeeping, .. } = session.selection().unwrap();
    assert!(housekeeping.iter().all(|cpu| !chosen.contains(cpu)));
    // The attempt was made on a thread that is gone: this one is as it was.
    let own = fs::read_to_string("/proc/thread-self/status").unwrap();
    assert!(own.contains(
        &fake.read("proc/self/status").lines().find(|l| l.starts_with("Cpus_allowed_list")).unwrap().to_owned()
    ));
}

#[test]
fn a_side_can_have_another_priority_than_the_run() {
    let (fake, place) = (real_cpus(), Place::new());
    let mut session = begin(&fake, &place, &Host { nice: Some(3), ..nothing() });
    let side = session.apply_side(&Host { nice: Some(9), ..nothing() }).unwrap();
    assert_eq!((side.process.nice, seen_by_a_child(&side.process).1), (Some(9), 9));
    assert_eq!(session.apply_side(&Host { nice: Some(3), ..nothing() }).unwrap().process.nice, Some(3));
}

#[test]
fn a_cpu_that_is_not_there_is_refused_and_nothing_is_pinned() {
    let (fake, place) = (real_cpus(), Place::new());
    let host = Host { cpus: Cpus::List("8000".into()), ..nothing() };
    let session = begin(&fake, &place, &host);
    let KnobStatus::Denied(why) = status(session.outcomes(), "cpu affinity") else { panic!() };
    assert!(why.starts_with("host.cpus: 8000 may not be used here, only "), "{why}");
    assert_eq!(session.process_settings().cpus, None);
    assert!(
        session.notes().iter().any(|note| note.contains("not pinned") && note.contains(&*why)),
        "{:?}",
        session.notes()
    );
    let error = Session::begin(&Host { tuning: REQUIRE, ..host }, fake.roots(), place.journal()).unwrap_err();
    assert_eq!(required(error)[0].knob, "cpu affinity");
    // The tree says that there is a CPU, and the kernel says that there is not.
    fake.write("proc/self/status", "Cpus_allowed_list:\t0,1000");
    fake.write("sys/devices/system/cpu/online", "0,1000");
    let session = begin(&fake, &place, &Host { cpus: Cpus::Auto, ..nothing() });
    assert_eq!(status(session.outcomes(), "cpu affinity"), denied("EINVAL"));
}

/// Not a test: what [`a_denied_priority_is_seen_as_denied`] starts as another user.
#[test]
#[ignore = "a part of a_denied_priority_is_seen_as_denied, which starts it as another user"]
fn in_another_process() {
    let (fake, place) = (real_cpus(), Place::new());
    let session = begin(&fake, &place, &Host { nice: Some(-20), ..nothing() });
    println!("ANSWER {}", serde_json::to_string(session.outcomes()).unwrap());
    println!("NICE {:?}", session.process_settings().nice);
}

#[test]
fn a_denied_priority_is_seen_as_denied() {
    let place = Place::new();
    if !is_root("a_denied_priority_is_seen_as_denied") {
        return;
    }
    fs::set_permissions(place.dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let program = place.dir.path().join("it");
    // Copied by another process: a descriptor of ours that is open for writing would be in every child that another test
    // starts meanwhile, and such a file cannot be run.
    let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status().unwrap();
    assert!(copied.success());
    let answer = |user: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(user).arg(&program).env("TMPDIR", place.dir.path()).current_dir("/");
        command.args(["host::process::in_another_process", "--exact", "--ignored", "--nocapture"]);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let outcomes: Vec<KnobOutcome> = serde_json::from_str(&line("ANSWER ")).unwrap();
        (status(&outcomes, "nice"), line("NICE "))
    };
    let other_user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    assert_eq!(answer(&other_user), (denied("EACCES"), "None".to_owned()));
    // Root without the capability, as in a container.
    assert_eq!(answer(&["--bounding-set=-sys_nice"]), (denied("EACCES"), "None".to_owned()));
    let (allowed, nice) = answer(&["--keep-groups"]);
    match allowed {
        KnobStatus::Applied(_, new) | KnobStatus::Already(new) => assert_eq!((&*new, &*nice), ("-20", "Some(-20)")),
        // Where the tests themselves run without it.
        other => assert_eq!(other, denied("EACCES")),
    }
}

#[test]
fn the_real_machine_has_a_cpu_for_the_benchmark() {
    let roots = Roots { live: false, ..Roots::live() };
    let topology = Topology::read(&roots);
    let chosen = cpu::select(&Cpus::Auto, &topology, &roots).unwrap();
    let cpus = chosen.cpus.expect("the affinity can be read");
    assert!(!cpus.is_empty() && cpus.iter().all(|cpu| topology.allowed.contains(cpu)), "{cpus:?} of {topology:?}");
    assert!(topology.allowed.len() == 1 || !cpus.contains(&0), "{cpus:?}");
}
