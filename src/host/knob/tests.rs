use super::*;
use crate::config::Host;
use crate::host::fake::Fake;

fn wanted(fake: &Fake, host: &Host) -> Vec<(String, Want)> {
    let settings = survey(&fake.roots());
    let wants = wants(host, &settings, false);
    settings.into_iter().map(|one| one.file.replace("sys/devices/system/cpu/", "")).zip(wants).collect()
}

fn value(text: &str) -> Want {
    Want::Value(text.to_owned())
}

#[test]
fn only_files_of_the_fixed_list_are_settings() {
    let cpu = "sys/devices/system/cpu";
    assert_eq!(Knob::of(&format!("{cpu}/cpufreq/policy12/scaling_governor")), Some(Knob::Governor));
    assert_eq!(Knob::of(&format!("{cpu}/cpu3/cpufreq/scaling_max_freq")), Some(Knob::MaxFrequency));
    assert_eq!(Knob::of(&format!("{cpu}/cpu3/power/energy_perf_bias")), Some(Knob::Epb));
    for odd in [
        "cpufreq/policy0/../../../../../etc/passwd",
        "cpufreq/policy0/scaling_setspeed",
        "cpufreq/policy/boost",
        "cpufreq/policyx/boost",
        "cpu1/online",
        "cpu0/cpufreq/policy0/boost",
    ] {
        assert_eq!(Knob::of(&format!("{cpu}/{odd}")), None, "{odd}");
    }
    assert_eq!(Knob::of("etc/passwd"), None);
    assert_eq!(Knob::of("proc/sys/kernel/randomize_va_space"), None);
}

#[test]
fn boost_off_is_no_turbo_on_intel_and_the_one_boost_file_elsewhere() {
    let off = Host { governor: None, boost: Some(false), ..Host::default() };
    let set = |fake: &Fake| -> Vec<String> {
        let all = wanted(fake, &off).into_iter();
        all.filter_map(
            |(file, want)| if let Want::Value(value) = want { Some(format!("{file}={value}")) } else { None },
        )
        .collect()
    };
    assert_eq!(set(&Fake::intel()), ["intel_pstate/no_turbo=1"]);
    assert_eq!(set(&Fake::amd()), ["cpufreq/boost=0"]);
    assert_eq!(set(&Fake::acpi()), ["cpufreq/boost=0"]);
    assert_eq!(set(&Fake::arm()), [""; 0]);
    assert_eq!(set(&Fake::vm()), [""; 0]);
}

#[test]
fn a_machine_that_has_only_boost_files_of_policies_uses_them() {
    let fake = Fake::amd();
    std::fs::remove_file(fake.path("sys/devices/system/cpu/cpufreq/boost")).unwrap();
    let host = Host { governor: None, boost: Some(false), ..Host::default() };
    let boosts: Vec<Want> =
        wanted(&fake, &host).into_iter().filter(|(file, _)| file.ends_with("/boost")).map(|(_, want)| want).collect();
    assert_eq!(boosts, [value("0"), value("0"), value("0"), value("0")]);
}

#[test]
fn kernels_without_policy_folders_are_read_by_cpu() {
    let fake = Fake::acpi();
    std::fs::remove_dir_all(fake.path("sys/devices/system/cpu/cpufreq")).unwrap();
    fake.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand");
    let settings = survey(&fake.roots());
    assert_eq!((settings[0].knob, &*settings[0].place, &*settings[0].prior), (Knob::Governor, "cpu0", "ondemand"));
}

#[test]
fn the_older_energy_bias_takes_the_name_of_a_preference() {
    let fake = Fake::intel();
    for policy in 0..8 {
        let folder = format!("sys/devices/system/cpu/cpufreq/policy{policy}");
        std::fs::remove_file(fake.path(&format!("{folder}/energy_performance_preference"))).unwrap();
    }
    let host = Host { governor: None, boost: None, epp: Some("balance_power".into()), ..Host::default() };
    let biases: Vec<Want> =
        wanted(&fake, &host).into_iter().filter(|(file, _)| file.ends_with("bias")).map(|(_, want)| want).collect();
    assert_eq!(biases, vec![value("8"); 8]);
}

#[test]
fn what_the_kernel_does_not_offer_is_refused_before_it_is_tried() {
    let host = Host {
        governor: Some("schedutil".into()),
        epp: Some("fast; rm -rf /".into()),
        min_khz: Some(3),
        max_khz: Some(2),
        ..Host::default()
    };
    let all = wanted(&Fake::intel(), &host);
    let of = |end: &str| all.iter().find(|(file, _)| file.ends_with(end)).unwrap().1.clone();
    assert_eq!(
        of("scaling_governor"),
        Want::Impossible("`schedutil` is not offered, only performance, powersave".into())
    );
    assert_eq!(of("performance_preference"), Want::Impossible("not a value that the kernel knows".into()));
    assert_eq!(of("scaling_min_freq"), Want::Impossible("the lowest frequency is above the highest".into()));
}

#[test]
fn values_are_shown_as_a_reader_says_them() {
    assert_eq!(Knob::NoTurbo.show("1"), "off");
    assert_eq!(Knob::Boost.show("1"), "on");
    assert_eq!(Knob::MinFrequency.show("2256500"), "2256.5 MHz");
    assert_eq!(Knob::MaxFrequency.show("<unsupported>"), "<unsupported>");
}
