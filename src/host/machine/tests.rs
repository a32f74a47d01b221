use super::*;
use crate::host::fake::Fake;

#[test]
fn an_intel_laptop_is_described() {
    let found = machine(&Fake::intel().roots());
    assert_eq!(found.cpu, "Intel(R) Core(TM) i7-8665U CPU @ 1.90GHz");
    assert_eq!((found.cpus, found.cores), (8, Some(4)));
    assert_eq!(found.memory, Some(16_384_256 * 1024));
    assert_eq!((&*found.kernel, &*found.os), ("6.12.48+deb13-amd64", "Debian GNU/Linux 13 (trixie)"));
    assert_eq!((found.virtualization.as_deref(), found.steal_observable), (Some(""), true));
    assert_eq!((found.governor.as_deref(), found.boost.as_deref()), (Some("powersave"), Some("on")));
    assert!(!found.container);
    let detail = |name: &str| found.details.get(name).map(String::as_str);
    assert_eq!((detail("smt"), detail("aslr"), detail("thp")), (Some("on"), Some("2"), Some("madvise")));
    assert_eq!((detail("cpufreq driver"), detail("swap")), (Some("intel_pstate"), Some("none")));
    assert_eq!((detail("siblings"), detail("cpu quota")), (Some("2 threads a core"), None));
}

#[test]
fn steal_is_not_observable_on_hyper_v() {
    let found = machine(&Fake::vm().roots());
    assert_eq!(found.virtualization.as_deref(), Some("hyperv"));
    assert!(!found.steal_observable);
    assert_eq!((found.governor, found.boost), (None, None));
    assert_eq!((found.cpus, found.cores), (2, Some(1)));
}

#[test]
fn hypervisors_are_known_by_clock_or_firmware_and_one_without_a_name_is_unknown() {
    let fake = Fake::vm();
    let kind = |vendor: &str, product: &str, clocks: &str| {
        fake.write("sys/class/dmi/id/sys_vendor", vendor);
        fake.write("sys/class/dmi/id/product_name", product);
        fake.write("sys/devices/system/clocksource/clocksource0/available_clocksource", clocks);
        hypervisor::detect(&fake.roots()).unwrap()
    };
    assert_eq!(kind("", "", "tsc kvm-clock"), "kvm");
    assert_eq!(kind("Amazon EC2", "m5.large", "tsc"), "kvm");
    assert_eq!(kind("VMware, Inc.", "VMware7,1", "tsc"), "vmware");
    assert_eq!(kind("Nobody", "Thing", "tsc"), "unknown");
    fake.write("sys/hypervisor/type", "xen");
    assert_eq!(kind("Nobody", "Thing", "tsc"), "xen");
    assert!(!hypervisor::steal_observable(Some("unknown")) && !hypervisor::steal_observable(None));
}

#[test]
fn a_metal_instance_of_a_cloud_is_no_virtual_machine() {
    let fake = Fake::intel();
    fake.write("sys/class/dmi/id/sys_vendor", "Amazon EC2");
    fake.write("sys/class/dmi/id/product_name", "c5.metal");
    assert_eq!(hypervisor::detect(&fake.roots()).as_deref(), Some(""));
}

#[test]
fn arm_cores_are_named_and_virtualisation_there_cannot_be_told_without_a_sign() {
    let fake = Fake::arm();
    let found = machine(&fake.roots());
    assert_eq!((&*found.cpu, found.cpus, found.cores), ("ARM Cortex-A55", 8, Some(8)));
    assert_eq!((found.virtualization, found.boost), (None, None));
    assert_eq!(found.details.get("slow cpus").map(String::as_str), Some("0-3"));
    fake.write("proc/device-tree/hypervisor/compatible", "linux,kvm");
    assert_eq!(hypervisor::detect(&fake.roots()).as_deref(), Some("kvm"));
}

#[test]
fn an_unknown_arm_core_is_given_by_its_numbers() {
    let fake = Fake::arm();
    fake.write("proc/cpuinfo", "processor : 0\nCPU implementer : 0x6d\nCPU part : 0xd49");
    assert_eq!(machine(&fake.roots()).cpu, "ARM implementer 0x6d, part 0xd49");
}

#[test]
fn policies_that_differ_are_all_named() {
    let fake = Fake::acpi();
    assert_eq!(machine(&fake.roots()).governor.as_deref(), Some("ondemand, schedutil"));
    let amd = Fake::amd();
    amd.write("sys/devices/system/cpu/cpufreq/policy2/boost", "0");
    assert_eq!(machine(&amd.roots()).boost.as_deref(), Some("mixed"));
    amd.write("sys/devices/system/cpu/cpufreq/boost", "0");
    assert_eq!(machine(&amd.roots()).boost.as_deref(), Some("off"));
}

#[test]
fn containers_and_quotas_are_seen() {
    let fake = Fake::vm();
    fake.write(".dockerenv", "");
    fake.write("sys/fs/cgroup/system.slice/cpu.max", "150000 100000");
    fake.write("sys/fs/cgroup/system.slice/runner.service/cpu.max", "max 100000");
    let found = machine(&fake.roots());
    assert!(found.container);
    assert_eq!(found.details.get("cpu quota").map(String::as_str), Some("1.5 CPUs"));
    fake.write("proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/docker/abc");
    fake.write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "50000");
    fake.write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000");
    assert_eq!(crate::host::cgroup::quota(&fake.roots()), Some(0.5));
}

#[test]
fn an_empty_tree_gives_no_false_facts() {
    let dir = tempfile::tempdir().unwrap();
    let found = machine(&Roots::under(dir.path()));
    assert_eq!(found, Machine { details: std::collections::BTreeMap::new(), ..Machine::default() });
}
