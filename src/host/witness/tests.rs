use super::*;
use crate::host::fake::Fake;

fn watch(fake: &Fake, cpus: &[u32]) -> Watch {
    Watch { roots: fake.roots(), cpus: cpus.to_vec(), housekeeping: vec![], steal_observable: true }
}

#[test]
fn a_round_is_described_by_what_changed_meanwhile() {
    let fake = Fake::intel();
    let folder = "sys/fs/cgroup/system.slice/runner.service";
    fake.write(&format!("{folder}/cpu.stat"), "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 7");
    let watch = watch(&fake, &[3, 7]);
    let probe = RoundProbe::start(&watch);
    fake.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "4800000");
    fake.write("sys/devices/system/cpu/cpu7/thermal_throttle/core_throttle_count", "4");
    fake.write("sys/devices/system/cpu/cpu7/thermal_throttle/package_throttle_count", "3");
    fake.write(&format!("{folder}/cpu.stat"), "nr_throttled 5");
    fake.write("proc/vmstat", "pswpin 112\npswpout 3");
    let usage = Usage { user: Some(Duration::from_millis(1500)), max_rss: Some(4096), ..Usage::default() };
    let found = probe.finish(usage);
    assert_eq!(found.mhz, Some([1900.0, 4800.0, 4800.0]));
    let clocks = found.all_mhz.expect("observable");
    assert_eq!((clocks.before[2], clocks.during, clocks.after[2]), (1900.0, None, 4800.0));
    // Four times the core, once the package.
    assert_eq!((found.throttled, found.quota_throttled, found.swapped_in), (Some(5), Some(2), Some(100)));
    assert_eq!((found.load, found.pressure), (Some(0.42), Some(0.015)));
    assert_eq!((found.user, found.system, found.max_rss), (Some(1.5), None, Some(4096)));
    assert_eq!(found.steal, Some(0.0));
}

#[test]
fn stolen_ticks_are_those_of_the_benchmarks_cpus_alone() {
    let fake = Fake::intel();
    assert_eq!(steal(&fake.roots(), &[1, 2]), Some(15.0));
    assert_eq!(steal(&fake.roots(), &[99]), None);
}

#[test]
fn what_cannot_be_observed_is_missing_and_never_zero() {
    let fake = Fake::vm();
    for file in ["proc/loadavg", "proc/pressure/cpu", "proc/vmstat"] {
        std::fs::remove_file(fake.path(file)).unwrap();
    }
    let info = fake.read("proc/cpuinfo");
    fake.write("proc/cpuinfo", &info.replace(" aperfmperf", ""));
    let watch = Watch { steal_observable: false, ..watch(&fake, &[1]) };
    let found = RoundProbe::start(&watch).finish(Usage::default());
    assert_eq!(found, RoundWitness::default());
}

#[test]
fn a_command_without_a_cpu_of_its_own_has_no_frequency() {
    let fake = Fake::intel();
    let watch = watch(&fake, &[]);
    let found = RoundProbe::start(&watch).finish(Usage::default());
    assert_eq!((found.mhz, found.throttled), (None, None));
    // Where it may run everywhere, what was stolen anywhere counts.
    assert_eq!(found.steal, Some(0.0));
    let ticks = |cpus: &[u32]| steal(&fake.roots(), cpus).expect("a figure");
    let each: Vec<u32> = (0..fake.roots().text("proc/stat").unwrap().matches("\ncpu").count() as u32).collect();
    assert_eq!(ticks(&[]), ticks(&each));
    assert!(ticks(&[]) > 0.0);
}

#[test]
fn a_command_that_ended_still_tells_where_it_was() {
    let fake = Fake::vm();
    let watch = watch(&fake, &[1]);
    let mut probe = RoundProbe::start(&watch);
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    // Waits for the end and leaves the zombie.
    let flags = nix::sys::wait::WaitPidFlag::WEXITED | nix::sys::wait::WaitPidFlag::WNOWAIT;
    nix::sys::wait::waitid(nix::sys::wait::Id::Pid(pid), flags).unwrap();
    probe.exited(child.id());
    child.wait().unwrap();
    let found = probe.finish(Usage::default());
    let own = std::fs::read_to_string("/proc/self/status").unwrap();
    let own = own.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    assert_eq!(found.cpus.as_deref(), Some(own));
    let allowed = crate::host::cpulist::parse(own).unwrap();
    assert!(allowed.contains(&found.cpu.unwrap()), "{found:?}");
}
