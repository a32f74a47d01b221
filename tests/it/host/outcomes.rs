//! What is set on each kind of machine, and what is said of what cannot be.

use super::*;

/// Begins, checks the outcomes, ends, and checks that nothing is left.
fn tuned(fake: &Fake, host: &Host, expected: &[(&str, KnobStatus)]) {
    let place = Place::new();
    let before = fake.files();
    let session = begin(fake, &place, host);
    for (knob, wanted) in expected {
        assert_eq!(status(session.outcomes(), knob), *wanted, "{knob}");
    }
    let finished = session.finish();
    for (knob, wanted) in expected {
        assert_eq!(status(&finished, knob), *wanted, "{knob} after the end");
    }
    assert_eq!(fake.files(), before);
    assert!(place.is_clean());
    assert_eq!(guardian_of(&place.journal().dir), None);
}

#[test]
fn intel_with_hardware_p_states() {
    let _alone = crate::alone();
    let fake = Fake::intel();
    let host = Host { max_khz: Some(1_900_000), ..settings() };
    tuned(
        &fake,
        &host,
        &[
            ("governor", applied("powersave", "performance")),
            ("boost", applied("on", "off")),
            ("max frequency", applied("4800 MHz", "1900 MHz")),
            ("min frequency", KnobStatus::Skipped("not asked for".into())),
            ("perf CPU share", applied("25 %", "1 %")),
            ("perf sample rate", applied("100000", "1")),
            ("nice", KnobStatus::Skipped("not asked for".into())),
            ("cpu affinity", KnobStatus::Skipped("not pinned, as configured".into())),
        ],
    );
}

#[test]
fn while_a_session_lasts_every_value_is_in_force() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let session = begin(&fake, &place, &Host { epp: Some("performance".into()), ..settings() });
    for policy in 0..8 {
        let folder = format!("sys/devices/system/cpu/cpufreq/policy{policy}");
        assert_eq!(fake.read(&format!("{folder}/scaling_governor")), "performance");
        assert_eq!(fake.read(&format!("{folder}/energy_performance_preference")), "performance");
    }
    assert_eq!(fake.read(NO_TURBO), "1");
    assert!(!place.is_clean(), "the journal is on disk while anything is changed");
    assert!(session.guardian_pid().is_some());
    drop(session);
    assert!(place.is_clean());
}

#[test]
fn amd_with_boost_for_all_and_for_each() {
    let _alone = crate::alone();
    let expected = [("governor", applied("powersave", "performance")), ("boost", applied("on", "off"))];
    tuned(&Fake::amd(), &settings(), &expected);
    // The other way: the one for all must be on before the others may be.
    let fake = Fake::amd();
    fake.write("sys/devices/system/cpu/cpufreq/boost", "0");
    (0..4).for_each(|cpu| fake.write(&format!("sys/devices/system/cpu/cpufreq/policy{cpu}/boost"), "0"));
    tuned(&fake, &Host { boost: Some(true), ..settings() }, &[("boost", applied("off", "on"))]);
}

#[test]
fn each_policy_gets_back_what_it_had() {
    let _alone = crate::alone();
    let expected = [("governor", applied("schedutil, ondemand", "performance")), ("boost", applied("on", "off"))];
    tuned(&Fake::acpi(), &settings(), &expected);
}

#[test]
fn arm_has_no_boost() {
    let _alone = crate::alone();
    let expected = [("governor", applied("schedutil", "performance")), ("boost", KnobStatus::Absent)];
    tuned(&Fake::arm(), &settings(), &expected);
}

#[test]
fn a_virtual_machine_has_nothing_to_set_and_nothing_is_left_there() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::vm(), Place::new());
    let session = begin(&fake, &place, &settings());
    assert_eq!(status(session.outcomes(), "governor"), KnobStatus::Absent);
    assert_eq!(status(session.outcomes(), "boost"), KnobStatus::Absent);
    let perf = KnobStatus::Skipped("only on bare metal".into());
    assert_eq!(status(session.outcomes(), "perf sample rate"), perf);
    assert_eq!(session.guardian_pid(), None, "nothing was written, so nobody guards");
    drop(session);
    assert!(place.is_clean());
}

#[test]
fn a_value_that_is_there_already_is_not_written() {
    let _alone = crate::alone();
    let fake = Fake::intel();
    (0..8).for_each(|cpu| {
        fake.write(&format!("sys/devices/system/cpu/cpufreq/policy{cpu}/scaling_governor"), "performance");
    });
    fake.write(NO_TURBO, "1");
    let already = |value: &str| KnobStatus::Already(value.to_owned());
    tuned(&fake, &settings(), &[("governor", already("performance")), ("boost", already("off"))]);
}

#[test]
fn required_settings_that_are_refused_stop_the_run_and_everything_is_put_back() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::arm(), Place::new());
    let before = fake.files();
    let host = Host { tuning: REQUIRE, ..settings() };
    let error = Session::begin(&host, fake.roots(), place.journal()).unwrap_err();
    assert_eq!(error.to_string(), "`tuning: require`, but boost is absent; everything was put back");
    assert_eq!(required(error), [KnobOutcome { knob: "boost".into(), status: KnobStatus::Absent }]);
    assert_eq!(fake.files(), before);
    assert!(place.is_clean());
}

#[test]
fn tuning_that_is_off_touches_nothing() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let host = Host { tuning: Tuning::Off, ..Host::default() };
    let session = begin(&fake, &place, &host);
    assert!(session.outcomes().iter().all(|one| one.status == KnobStatus::Skipped("tuning is off".into())));
    assert_eq!(session.process_settings(), Default::default());
    assert_eq!(fake.files(), before);
    assert!(!place.journal().dir.exists(), "not even a folder for the journal");
}

#[test]
fn another_users_files_are_denied_with_the_error() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    if !is_root("another_users_files_are_denied_with_the_error") {
        return;
    }
    let before = fake.files();
    let journal = place.journal().dir;
    fs::create_dir(&journal).unwrap();
    // The folders above are for their owner alone, the tree itself is not.
    for path in [fake.path(""), place.dir.path().to_owned()] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::chown(&journal, Some(65534), Some(65534)).unwrap();
    let program = place.dir.path().join("bench-bot");
    fs::copy(BIN, &program).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    let mut helper = Helper::begin(command.args(helper_arguments(&fake, &journal)), &settings());
    let outcomes = helper.outcomes();
    for knob in ["governor", "boost", "perf sample rate"] {
        assert_eq!(status(&outcomes, knob), denied("EACCES"), "{knob}");
    }
    helper.client.unwrap().finish().unwrap();
    assert!(helper.child.wait().unwrap().success());
    assert_eq!(fake.files(), before);
}

#[test]
fn a_read_only_mount_is_denied_with_the_error() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::amd(), Place::new());
    if !is_root("a_read_only_mount_is_denied_with_the_error") {
        return;
    }
    let before = fake.files();
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]).arg(fake.path("sys")).arg(BIN);
    let helper = Helper::begin(command.args(helper_arguments(&fake, &place.journal().dir)), &settings());
    let Ok(client) = helper.client else {
        eprintln!("SKIPPED a_read_only_mount_is_denied_with_the_error: no mounts here");
        return;
    };
    assert_eq!(status(client.outcomes(), "governor"), denied("EROFS"));
    assert_eq!(status(client.outcomes(), "boost"), denied("EROFS"));
    // Only the one tree is read-only.
    assert_eq!(status(client.outcomes(), "perf CPU share"), applied("25 %", "1 %"));
    client.finish().unwrap();
    assert_eq!(fake.files(), before);
}

#[test]
fn a_file_that_takes_no_value_is_denied_and_the_rest_is_set() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    // Writing fails as on a full disk; reading gives nothing that could be put back.
    fs::remove_file(fake.path(NO_TURBO)).unwrap();
    std::os::unix::fs::symlink("/dev/full", fake.path(NO_TURBO)).unwrap();
    let session = begin(&fake, &place, &Host { governor: Some("performance".into()), ..settings() });
    assert_eq!(status(session.outcomes(), "governor"), applied("powersave", "performance"));
    assert!(matches!(status(session.outcomes(), "boost"), KnobStatus::Denied(_)));
    drop(session);
    fs::remove_file(fake.path(NO_TURBO)).unwrap();
    fake.write(NO_TURBO, "0");
    assert_eq!(fake.files(), before);
}

#[test]
fn without_a_place_for_a_journal_nothing_is_written() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let nowhere = JournalPlace { dir: place.dir.path().join("no/such/folder"), program: BIN.into() };
    let session = Session::begin(&settings(), fake.roots(), nowhere.clone()).unwrap();
    let why = format!("no journal in {}: ENOENT", nowhere.dir.display());
    assert_eq!(status(session.outcomes(), "governor"), denied(&why));
    drop(session);
    let no_guardian = JournalPlace { program: "/bin/true".into(), ..place.journal() };
    let session = Session::begin(&settings(), fake.roots(), no_guardian).unwrap();
    let KnobStatus::Denied(why) = status(session.outcomes(), "boost") else { panic!("{:?}", session.outcomes()) };
    assert!(why.starts_with("no guardian: "), "{why}");
    drop(session);
    assert_eq!(fake.files(), before);
    assert!(place.is_clean());
}
