use super::*;
use crate::config::{Host, Tuning};
use crate::host::fake::Fake;
use crate::host::knob::{self, survey, wants};
use proptest::prelude::*;
use std::cell::RefCell;

const POLICY: &str = "sys/devices/system/cpu/cpufreq/policy0";
const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "sys/devices/system/cpu/cpufreq/boost";
const SHARE: &str = "proc/sys/kernel/perf_cpu_time_max_percent";
const RATE: &str = "proc/sys/kernel/perf_event_max_sample_rate";

/// The couplings that the kernel's documentation and sources describe, at their worst.
struct Kernel(RefCell<BTreeMap<String, String>>);

impl Kernel {
    fn new(files: &[(&str, &str)]) -> Self {
        Self(RefCell::new(files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()))
    }

    fn state(&self) -> BTreeMap<String, String> {
        self.0.borrow().clone()
    }

    fn settings(&self) -> Vec<Setting> {
        let setting = |(file, prior): (&String, &String)| Setting {
            file: file.clone(),
            knob: Knob::of(file).expect("a setting"),
            place: String::new(),
            prior: prior.clone(),
            offered: None,
            refused: None,
        };
        let mut settings: Vec<Setting> = self.state().iter().map(setting).collect();
        settings.sort_by_key(|setting| (knob::journal_rank(setting.knob), setting.knob));
        settings
    }
}

impl Store for Kernel {
    fn read(&self, file: &str) -> io::Result<String> {
        self.0.borrow().get(file).cloned().ok_or_else(|| io::Error::from_raw_os_error(Errno::ENOENT as i32))
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        let mut files = self.0.borrow_mut();
        let get = |leaf: &str| files.get(leaf).cloned().unwrap_or_default();
        let number = |leaf: &str| files.get(&format!("{POLICY}/{leaf}")).and_then(|text| text.parse::<u64>().ok());
        let fail = |errno: Errno| Err(io::Error::from_raw_os_error(errno as i32));
        let knob = Knob::of(file).expect("a setting");
        match knob {
            Knob::Epp if get(&format!("{POLICY}/scaling_governor")) == "performance" && text != "performance" => {
                return fail(Errno::EBUSY);
            }
            Knob::MinFrequency if number("scaling_max_freq").is_some_and(|max| text.parse::<u64>().unwrap() > max) => {
                return fail(Errno::EINVAL);
            }
            Knob::MaxFrequency if number("scaling_min_freq").is_some_and(|min| text.parse::<u64>().unwrap() < min) => {
                return fail(Errno::EINVAL);
            }
            Knob::PolicyBoost if get(BOOST) == "0" && text == "1" => return fail(Errno::EINVAL),
            Knob::PerfRate if ["0", "100"].contains(&get(SHARE).as_str()) => return fail(Errno::EINVAL),
            _ => {}
        }
        let mut set = |file: String, text: &str| {
            if let Some(old) = files.get_mut(&file) {
                text.clone_into(old);
            }
        };
        set(file.to_owned(), text);
        match knob {
            Knob::Governor => {
                set(NO_TURBO.to_owned(), "0");
                if text == "performance" {
                    set(format!("{POLICY}/energy_performance_preference"), "performance");
                }
            }
            // Toggling boost forgets a limit that was set by hand.
            Knob::NoTurbo | Knob::Boost => {
                let on = (knob == Knob::Boost) == (text == "1");
                set(format!("{POLICY}/scaling_max_freq"), if on { "4800000" } else { "3000000" });
                set(format!("{POLICY}/boost"), if on { "1" } else { "0" });
            }
            _ => {}
        }
        Ok(())
    }

    fn may_write(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

fn host() -> Host {
    Host {
        tuning: Tuning::BestEffort,
        cpus: crate::config::Cpus::All,
        nice: None,
        governor: None,
        boost: None,
        epp: None,
        min_khz: None,
        max_khz: None,
    }
}

fn put_back(kernel: &Kernel, settings: &[Setting]) -> Vec<NotRestored> {
    let entries: Vec<(&str, &str)> =
        settings.iter().map(|setting| (setting.file.as_str(), setting.prior.as_str())).collect();
    restore(kernel, &entries)
}

fn status(applied: &Applied, name: &str) -> KnobStatus {
    applied.outcomes.iter().find(|one| one.knob == name).expect("an outcome").status.clone()
}

#[test]
fn a_forced_energy_preference_is_put_back_after_the_governor() {
    let kernel = Kernel::new(&[
        (&format!("{POLICY}/scaling_governor"), "powersave"),
        (&format!("{POLICY}/energy_performance_preference"), "balance_power"),
        (NO_TURBO, "1"),
    ]);
    let before = kernel.state();
    let settings = kernel.settings();
    let asked = Host { governor: Some("performance".into()), boost: Some(false), ..host() };
    let applied = apply(&kernel, &settings, &wants(&asked, &settings, false));
    // The governor had reset no_turbo to 0; turbo is set after it and reads back as off.
    assert_eq!(status(&applied, "boost"), KnobStatus::Already("off".into()));
    assert_eq!(status(&applied, "governor"), KnobStatus::Applied("powersave".into(), "performance".into()));
    assert_eq!(applied.disturbed, [format!("{POLICY}/energy_performance_preference")]);
    assert_eq!(kernel.state()[NO_TURBO], "1");
    assert_eq!(put_back(&kernel, &settings), []);
    assert_eq!(kernel.state(), before);
}

#[test]
fn an_energy_preference_that_the_governor_forbids_is_reported_with_its_errno() {
    let kernel = Kernel::new(&[
        (&format!("{POLICY}/scaling_governor"), "powersave"),
        (&format!("{POLICY}/energy_performance_preference"), "balance_power"),
    ]);
    let settings = kernel.settings();
    let asked = Host { governor: Some("performance".into()), epp: Some("power".into()), ..host() };
    let applied = apply(&kernel, &settings, &wants(&asked, &settings, false));
    assert_eq!(status(&applied, "energy preference"), KnobStatus::Denied("EBUSY".into()));
}

#[test]
fn frequency_limits_move_in_the_order_that_the_kernel_allows() {
    for (min, max) in [(3_500_000, 3_500_000), (500_000, 500_000)] {
        let kernel = Kernel::new(&[
            (&format!("{POLICY}/scaling_min_freq"), "800000"),
            (&format!("{POLICY}/scaling_max_freq"), "2000000"),
        ]);
        let before = kernel.state();
        let settings = kernel.settings();
        let asked = Host { min_khz: Some(min), max_khz: Some(max), ..host() };
        let applied = apply(&kernel, &settings, &wants(&asked, &settings, false));
        assert!(applied.outcomes.iter().all(|one| matches!(one.status, KnobStatus::Applied(..))), "{applied:?}");
        assert_eq!(put_back(&kernel, &settings), []);
        assert_eq!(kernel.state(), before);
    }
}

#[test]
fn a_perf_rate_comes_back_although_its_share_was_one_that_forbids_writing_it() {
    for share in ["0", "25", "100"] {
        let kernel = Kernel::new(&[(SHARE, share), (RATE, "100000")]);
        let before = kernel.state();
        let settings = kernel.settings();
        let applied = apply(&kernel, &settings, &wants(&host(), &settings, true));
        assert_eq!((&*kernel.state()[SHARE], &*kernel.state()[RATE]), ("1", "1"), "{applied:?}");
        assert_eq!(put_back(&kernel, &settings), []);
        assert_eq!(kernel.state(), before);
    }
}

proptest! {
    /// Whatever was set before and whatever is asked for: afterwards every value is what it was.
    #[test]
    fn everything_is_put_back(
        governor in prop::sample::select(vec!["powersave", "performance"]),
        preference in prop::sample::select(vec!["performance", "balance_power", "power"]),
        boost in prop::option::of(any::<bool>()),
        intel in any::<bool>(),
        limits in (1u64..40, 1u64..40),
        asked_governor in prop::option::of(prop::sample::select(vec!["powersave", "performance"])),
        asked_preference in prop::option::of(prop::sample::select(vec!["performance", "power"])),
        asked_limits in prop::option::of((1u64..40, 1u64..40)),
        was_boosted in any::<bool>(),
    ) {
        let khz = |limit: u64| (limit * 100_000).to_string();
        let (low, high) = (khz(limits.0.min(limits.1)), khz(limits.0.max(limits.1)));
        let preference = if governor == "performance" { "performance" } else { preference };
        let [min, max, one, energy, scaling] =
            ["scaling_min_freq", "scaling_max_freq", "boost", "energy_performance_preference", "scaling_governor"]
                .map(|leaf| format!("{POLICY}/{leaf}"));
        let (on, off) = if was_boosted { ("1", "0") } else { ("0", "1") };
        let mut files = vec![(&*min, &*low), (&*max, &*high), (&*energy, preference), (&*scaling, governor)];
        if intel { files.push((NO_TURBO, off)) } else { files.extend([(BOOST, on), (&*one, on)]) }
        let kernel = Kernel::new(&files);
        let before = kernel.state();
        let settings = kernel.settings();
        let asked = Host {
            governor: asked_governor.map(str::to_owned),
            epp: asked_preference.map(str::to_owned),
            boost,
            min_khz: asked_limits.map(|(one, other)| one.min(other) * 100_000),
            max_khz: asked_limits.map(|(one, other)| one.max(other) * 100_000),
            ..host()
        };
        apply(&kernel, &settings, &wants(&asked, &settings, false));
        prop_assert_eq!(put_back(&kernel, &settings), vec![]);
        prop_assert_eq!(kernel.state(), before);
    }
}

#[test]
fn one_refused_policy_makes_the_setting_refused_and_is_named() {
    let fake = Fake::intel();
    let mut settings = survey(&fake.roots());
    let third = settings.iter_mut().find(|one| one.knob == Knob::Governor && one.place == "policy3").unwrap();
    third.refused = Some("EBUSY".to_owned());
    let asked = Host { governor: Some("performance".into()), ..host() };
    let applied = apply(&fake.roots(), &settings, &wants(&asked, &settings, false));
    assert_eq!(status(&applied, "governor"), KnobStatus::Denied("EBUSY at policy3 (1 of 8 refused)".into()));
}

#[test]
fn a_value_that_cannot_be_put_back_is_named_and_a_cpu_that_is_gone_is_not() {
    let kernel = Kernel::new(&[(&format!("{POLICY}/scaling_governor"), "performance"), (BOOST, "0")]);
    let gone = format!("{POLICY}/scaling_max_freq");
    let energy = format!("{POLICY}/boost");
    kernel.0.borrow_mut().insert(energy.clone(), "0".into());
    // The one for all is not in the list, so the policy's own cannot be switched on.
    let failed = restore(&kernel, &[(&gone, "1"), (&energy, "1")]);
    assert_eq!(failed, [NotRestored { file: energy, prior: "1".into(), why: "EINVAL".into() }]);
}
