//! The helper container for the host's settings, on a copied tree in place of the host's.
//!
//! Its image is an empty one with the static program in it.

use super::*;
use bench_bot::config::{Cpus, Host, Tuning};
use bench_bot::measure::sandbox::{HelperOptions, HostHelper};
use bench_bot::results::KnobStatus;

const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";

use crate::host::fake;

use bench_bot::host::Roots;
use fake::Fake;

fn image(program: &Path) -> String {
    let temp = tempfile::tempdir().unwrap();
    fs::copy(program, temp.path().join("bench-bot")).unwrap();
    fs::write(temp.path().join("Dockerfile"), "FROM scratch\nCOPY bench-bot /bin/bench-bot\nENV PATH=/bin\n").unwrap();
    let tag = "bench-test/helper:1";
    let built = Command::new("docker")
        .args(["build", "-q", "-t", tag])
        .arg(temp.path())
        .env("DOCKER_BUILDKIT", "0")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    tag.to_owned()
}

struct HelperRig {
    fake: Fake,
    options: HelperOptions,
}

impl HelperRig {
    fn new(test: &str) -> Option<Self> {
        let program = ready(test)?;
        let fake = Fake::intel();
        let Roots { sys, proc, .. } = fake.roots();
        let journal = format!("bench-test-journal-{}", test.len());
        Some(Self {
            options: HelperOptions { image: Some(image(&program)), sys, proc, journal, run: "test".to_owned() },
            fake,
        })
    }

    fn begin(&self, host: &Host) -> anyhow::Result<HostHelper> {
        HostHelper::begin(&self.options, host)
    }
}

impl Drop for HelperRig {
    fn drop(&mut self) {
        let _ = Command::new("docker").args(["volume", "rm", &self.options.journal]).output();
    }
}

fn settings() -> Host {
    Host { cpus: Cpus::All, nice: None, boost: None, ..Host::default() }
}

#[test]
fn settings_are_made_and_put_back_through_a_container() {
    let Some(rig) = HelperRig::new("settings_are_made_and_put_back_through_a_container") else { return };
    let before = rig.fake.read(GOVERNOR);
    let mut helper = rig.begin(&settings()).unwrap();
    let status = helper.outcomes().iter().find(|it| it.knob == "governor").map(|it| it.status.clone());
    assert_eq!(status, Some(KnobStatus::Applied(before.clone(), "performance".to_owned())));
    assert_eq!(rig.fake.read(GOVERNOR), "performance");
    helper.apply_side(&Host { governor: None, ..settings() }).unwrap();
    assert_eq!(rig.fake.read(GOVERNOR), before);
    helper.apply_side(&settings()).unwrap();
    helper.finish().unwrap();
    assert_eq!(rig.fake.read(GOVERNOR), before);
}

#[test]
fn the_end_of_its_input_makes_the_helper_restore() {
    let Some(rig) = HelperRig::new("the_end_of_its_input_makes_the_helper_restore") else { return };
    let before = rig.fake.read(GOVERNOR);
    let helper = rig.begin(&settings()).unwrap();
    assert_eq!(rig.fake.read(GOVERNOR), "performance");
    let shown = containers();
    let name = shown.iter().find(|line| line.contains("-helper")).unwrap().split(' ').next().unwrap();
    let mounts = docker(&["inspect", "--format", "{{range .Mounts}}{{.Destination}} {{.RW}}\n{{end}}", name]);
    let mut mounts: Vec<&str> = mounts.lines().filter(|line| !line.is_empty()).collect();
    mounts.sort_unstable();
    assert_eq!(
        mounts,
        [
            "/host/journal true",
            "/host/proc/sys/kernel/perf_cpu_time_max_percent true",
            "/host/proc/sys/kernel/perf_event_max_sample_rate true",
            "/host/proc/sys/kernel/random/boot_id false",
            "/host/sys/devices/system/cpu true",
        ]
    );
    drop(helper);
    assert_eq!(rig.fake.read(GOVERNOR), before);
}

/// As `mode: restore` does it.
#[test]
fn a_helper_that_was_killed_is_made_good_by_the_next_one_which_sets_nothing() {
    let Some(rig) = HelperRig::new("a_helper_that_was_killed_is_made_good_by_the_next") else { return };
    let before = rig.fake.read(GOVERNOR);
    let helper = rig.begin(&settings()).unwrap();
    let shown = containers();
    let name = shown.iter().find(|line| line.contains("-helper")).unwrap().split(' ').next().unwrap();
    docker(&["kill", "--signal=KILL", name]);
    drop(helper);
    assert_eq!(rig.fake.read(GOVERNOR), "performance");
    let next = rig.begin(&Host { tuning: Tuning::Off, ..settings() }).unwrap();
    assert!(!next.notes().is_empty() && rig.fake.read(GOVERNOR) == before, "{:?}", next.notes());
    next.finish().unwrap();
    assert_eq!(rig.fake.read(GOVERNOR), before);
}

#[test]
fn what_is_required_and_refused_ends_the_run() {
    let Some(rig) = HelperRig::new("what_is_required_and_refused_ends_the_run") else { return };
    let host = Host { governor: Some("nonsense".to_owned()), tuning: Tuning::Require, ..settings() };
    let error = format!("{:#}", rig.begin(&host).unwrap_err());
    assert!(error.contains("governor"), "{error}");
}
