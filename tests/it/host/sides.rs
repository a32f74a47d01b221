//! Settings of one side alone, and what others change meanwhile.

use super::*;
use bench_bot::host::Observer;
use bench_bot::host::frequency::table;
use bench_bot::host::{Frequencies, frequencies};
use bench_bot::measure::exec::{Exec, Step, StepKind};
use bench_bot::measure::process::{HostExec, SideFolders};
use bench_bot::side::{PerSide, Side};
use std::cell::RefCell;
use std::rc::Rc;

const CUR: &str = "cpufreq/scaling_cur_freq";

/// What the hardware would do: a fixed frequency under `performance` without boost, and anything otherwise.
fn run_hardware(fake: &Fake) {
    let fixed = fake.read(GOVERNOR) == "performance" && fake.read("sys/devices/system/cpu/cpufreq/boost") == "0";
    for cpu in 0..32 {
        let khz = if fixed { 3_400_000 } else { 2_000_000 + 50_000 * cpu };
        fake.write(&format!("sys/devices/system/cpu/cpu{cpu}/{CUR}"), &khz.to_string());
    }
}

#[test]
fn one_commit_under_two_settings_with_the_mhz_of_every_cpu() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::acpi(), Place::new());
    let before = fake.files();
    let as_found = nothing();
    let fixed = settings();
    let mut session = begin(&fake, &place, &as_found);
    let mut seen: Vec<Frequencies> = Vec::new();
    for host in [&as_found, &fixed, &fixed, &as_found] {
        let side = session.apply_side(host).unwrap();
        let wanted = if host.governor.is_some() { "performance" } else { "schedutil" };
        assert_eq!(fake.read(GOVERNOR), wanted);
        assert_eq!(fake.read(&GOVERNOR.replace("policy0", "policy7")), wanted.replace("schedutil", "ondemand"));
        assert_eq!(fake.read("sys/devices/system/cpu/cpufreq/boost"), if host.boost.is_some() { "0" } else { "1" });
        if host.governor.is_some() {
            let old = "schedutil, ondemand";
            assert_eq!(status(&side.outcomes, "governor"), applied(old, "performance"), "the same in every round");
            assert_eq!(status(&side.outcomes, "boost"), applied("on", "off"));
        }
        run_hardware(&fake);
        seen.push(frequencies(&fake.roots()));
    }
    assert_eq!(seen[1].summary(), "32 CPUs at 3400 MHz");
    assert_eq!(seen[0].range(), Some([2000.0, 2775.0, 3550.0]));
    let table = table(&seen[0], &seen[1], &seen[3]);
    assert_eq!(table.lines().filter(|line| line.contains("3400.000")).count(), 32, "{table}");
    assert!(session.guardian_pid().is_some());
    let _ = session.finish();
    // The frequencies are the hardware's own business.
    let without = |files: std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| -> Vec<_> {
        files.into_iter().filter(|(path, _)| !path.ends_with(CUR)).collect()
    };
    assert_eq!(without(fake.files()), without(before));
    assert!(place.is_clean());
}

/// The whole way: the process of each round reads the settings that are in force while it runs.
#[test]
fn each_round_runs_under_the_settings_of_its_side() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::acpi(), Place::new());
    let before = fake.files();
    let trees = tempfile::tempdir().unwrap();
    let folders = PerSide::from_fn(|side: Side| {
        let tree = trees.path().join(side.name());
        fs::create_dir(&tree).unwrap();
        SideFolders { tree, private: trees.path().join(format!("{side}-private")) }
    });
    let text =
        "suites: [{name: s, run: x, head: {host: {governor: performance, boost: off}}}]\nhost: {tuning: best-effort}";
    let mut config = bench_bot::config::load("b.yml", text).unwrap();
    config.host = nothing();
    let own = config.suites[0].sides.head.host.as_mut().unwrap();
    (own.cpus, own.nice) = (Cpus::List("0".to_owned()), Some(7));
    let session = Rc::new(RefCell::new(begin(&fake, &place, &config.host)));
    let observer = Observer::new(Rc::clone(&session), &config, &fake.roots(), false);
    let mut exec = HostExec::new(folders).unwrap();
    exec.hook(Box::new(observer));
    let read = |file: &str| fake.path(file).display().to_string();
    let command = format!(
        "cat {} {}; cut -d' ' -f19 /proc/self/stat; grep Cpus_allowed_list /proc/self/status | cut -f2",
        read(GOVERNOR),
        read("sys/devices/system/cpu/cpufreq/boost")
    );
    let step = |suite: &str, side: Side| Step {
        side,
        suite: suite.to_owned(),
        kind: StepKind::Round,
        command: command.clone(),
        directory: String::new(),
        env: Default::default(),
        timeout: std::time::Duration::from_secs(60),
        remove: Vec::new(),
        collect: Vec::new(),
        require: Vec::new(),
        position: 1,
    };
    let own_status = fs::read_to_string("/proc/self/status").unwrap();
    let all = own_status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let nice = own_priority();
    let (common, own) = (format!("schedutil\n1\n{nice}\n{all}\n"), "performance\n0\n7\n0\n".to_owned());
    // The other suite has no settings of its own, and gets none of those that head of the first one left.
    for (suite, side, wanted) in [
        ("s", Side::Base, &common),
        ("s", Side::Head, &own),
        ("other", Side::Head, &common),
        ("s", Side::Head, &own),
        ("s", Side::Base, &common),
    ] {
        let ran = exec.run(&step(suite, side)).unwrap();
        assert_eq!(String::from_utf8(ran.stdout).unwrap(), *wanted, "{side} of {suite}");
        assert_eq!(ran.witness.cpus.as_deref(), Some(if wanted == &own { "0" } else { all }));
    }
    // The guardian was started for the first round of head, and did not end with it.
    let guardian = session.borrow().guardian_pid().unwrap();
    assert_eq!(guardian_of(&place.journal().dir), Some(guardian));
    drop(exec);
    let outcomes = Rc::try_unwrap(session).unwrap().into_inner().finish();
    assert_eq!(status(&outcomes, "governor"), KnobStatus::Skipped("not asked for".to_owned()));
    assert_eq!(status(&outcomes, "governor (head of s)"), applied("schedutil, ondemand", "performance"));
    assert_eq!(status(&outcomes, "boost (head of s)"), applied("on", "off"));
    assert_eq!(status(&outcomes, "nice (head of s)"), applied(&nice, "7"));
    assert!(!outcomes.iter().any(|one| one.knob.contains("(base of s)")), "{outcomes:?}");
    assert_eq!(fake.files(), before);
}

/// The priority of this process, which every command inherits.
fn own_priority() -> String {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1;
    fields.split_ascii_whitespace().nth(16).unwrap().to_owned()
}

#[test]
fn sides_that_both_ask_are_switched_without_a_detour() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let mut session = begin(&fake, &place, &settings());
    let boosted = Host { boost: Some(true), ..settings() };
    let side = session.apply_side(&boosted).unwrap();
    assert_eq!(status(&side.outcomes, "boost"), KnobStatus::Already("on".into()), "as it was found");
    assert_eq!((&*fake.read(GOVERNOR), &*fake.read(NO_TURBO)), ("performance", "0"));
    let side = session.apply_side(&settings()).unwrap();
    assert_eq!(status(&side.outcomes, "boost"), applied("on", "off"));
    assert_eq!(fake.read(NO_TURBO), "1");
    assert!(session.finish().iter().all(|one| !matches!(one.status, KnobStatus::Drifted(..))));
    assert_eq!(fake.files(), before);
}

#[test]
fn a_side_that_requires_what_is_not_there_puts_everything_back() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::arm(), Place::new());
    let before = fake.files();
    let mut session = begin(&fake, &place, &Host { boost: None, ..settings() });
    let error = session.apply_side(&Host { tuning: REQUIRE, ..settings() }).unwrap_err();
    assert_eq!(required(error), [KnobOutcome { knob: "boost".into(), status: KnobStatus::Absent }]);
    assert_eq!(fake.files(), before);
}

#[test]
fn what_somebody_else_changed_is_reported_as_drifted_and_put_back() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let session = begin(&fake, &place, &settings());
    fake.write(&GOVERNOR.replace("policy0", "policy5"), "powersave");
    fake.write(NO_TURBO, "0");
    let outcomes = session.finish();
    assert_eq!(status(&outcomes, "governor"), KnobStatus::Drifted("performance".into(), "powersave".into()));
    assert_eq!(status(&outcomes, "boost"), KnobStatus::Drifted("off".into(), "on".into()));
    assert_eq!(fake.files(), before);
}

#[test]
fn what_somebody_else_changed_and_we_did_not_stays_theirs() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let session = begin(&fake, &place, &settings());
    let limit = "sys/devices/system/cpu/cpufreq/policy2/scaling_max_freq";
    fake.write(limit, "3000000");
    drop(session);
    assert_eq!((&*fake.read(limit), &*fake.read(NO_TURBO)), ("3000000", "0"));
}

#[test]
fn a_setting_that_cannot_be_put_back_is_named_and_the_next_start_tries_again() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let session = begin(&fake, &place, &settings());
    fs::remove_file(fake.path(NO_TURBO)).unwrap();
    fs::create_dir(fake.path(NO_TURBO)).unwrap();
    let outcomes = session.finish();
    assert_eq!(status(&outcomes, "restore"), denied(&format!("/{NO_TURBO} could not be put back (EISDIR); it was 0.")));
    assert_eq!(fake.read(GOVERNOR), "powersave", "the rest is put back");
    wait_for_guardian(&place.journal().dir);
    fs::remove_dir(fake.path(NO_TURBO)).unwrap();
    fake.write(NO_TURBO, "1");
    let session = begin(&fake, &place, &nothing());
    assert!(session.notes()[0].starts_with("Put back the settings that process "), "{:?}", session.notes());
    assert_eq!(fake.read(NO_TURBO), "0");
    drop(session);
    assert_eq!(fake.files(), before);
}
