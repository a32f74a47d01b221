//! The settings that are written at all: a fixed list, read as a whole before anything is changed.

use super::tree::{Roots, Store, errno};
use crate::config::Host;
use std::io;

const CPU: &str = "sys/devices/system/cpu";
const PERF_SHARE: &str = "proc/sys/kernel/perf_cpu_time_max_percent";
const PERF_RATE: &str = "proc/sys/kernel/perf_event_max_sample_rate";

/// A kind of setting, in the order in which they are set.
///
/// The order matters. A governor resets turbo and, on Intel with hardware P-states, forces the energy preference; boost
/// changes the frequency limits; the kernel refuses a perf sample rate while the time share is 0 or 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Knob {
    /// `scaling_governor`.
    Governor,
    /// `energy_performance_preference`.
    Epp,
    /// `energy_perf_bias`, the older form of the energy preference.
    Epb,
    /// `intel_pstate/no_turbo`; 1 is boost off.
    NoTurbo,
    /// `cpufreq/boost` of acpi-cpufreq and amd-pstate.
    Boost,
    /// `policyN/boost`, illegal while the one for all is off.
    PolicyBoost,
    /// `scaling_max_freq`, kHz.
    MaxFrequency,
    /// `scaling_min_freq`, kHz.
    MinFrequency,
    /// `perf_cpu_time_max_percent`.
    PerfShare,
    /// `perf_event_max_sample_rate`.
    PerfRate,
}

impl Knob {
    /// What readers call the settings that are ever written, in the order in which they are set.
    pub(crate) const NAMES: [&'static str; 7] = [
        "governor",
        "energy preference",
        "boost",
        "max frequency",
        "min frequency",
        "perf CPU share",
        "perf sample rate",
    ];

    /// What a reader calls it; several files can be one setting.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Governor => "governor",
            Self::Epp | Self::Epb => "energy preference",
            Self::NoTurbo | Self::Boost | Self::PolicyBoost => "boost",
            Self::MaxFrequency => "max frequency",
            Self::MinFrequency => "min frequency",
            Self::PerfShare => "perf CPU share",
            Self::PerfRate => "perf sample rate",
        }
    }

    /// A value as a reader sees it.
    pub(crate) fn show(self, value: &str) -> String {
        match (self, value) {
            (Self::NoTurbo, "0") | (Self::Boost | Self::PolicyBoost, "1") => "on".to_owned(),
            (Self::NoTurbo, "1") | (Self::Boost | Self::PolicyBoost, "0") => "off".to_owned(),
            (Self::MaxFrequency | Self::MinFrequency, _) => {
                value.parse::<u64>().map_or_else(|_| value.to_owned(), |khz| format!("{} MHz", khz as f64 / 1000.0))
            }
            (Self::PerfShare, _) => format!("{value} %"),
            _ => value.to_owned(),
        }
    }

    /// The kind of a file, if it is on the list of files that are ever written. A journal is checked against it too.
    pub(crate) fn of(file: &str) -> Option<Self> {
        match file {
            PERF_SHARE => return Some(Self::PerfShare),
            PERF_RATE => return Some(Self::PerfRate),
            _ => {}
        }
        let rest = file.strip_prefix(CPU)?.strip_prefix('/')?;
        match rest {
            "intel_pstate/no_turbo" => return Some(Self::NoTurbo),
            "cpufreq/boost" => return Some(Self::Boost),
            _ => {}
        }
        let numbered = |text: &str, prefix: &str| {
            let digits = text.strip_prefix(prefix).unwrap_or_default();
            (1..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let (first, rest) = rest.split_once('/')?;
        let leaf = match (first, rest.split_once('/')?) {
            (cpu, ("power", "energy_perf_bias")) if numbered(cpu, "cpu") => return Some(Self::Epb),
            (cpu, ("cpufreq", leaf)) if numbered(cpu, "cpu") => leaf,
            ("cpufreq", (policy, leaf)) if numbered(policy, "policy") => leaf,
            _ => return None,
        };
        match leaf {
            "scaling_governor" => Some(Self::Governor),
            "energy_performance_preference" => Some(Self::Epp),
            "boost" => Some(Self::PolicyBoost),
            "scaling_max_freq" => Some(Self::MaxFrequency),
            "scaling_min_freq" => Some(Self::MinFrequency),
            _ => None,
        }
    }
}

/// Whether a text can be a value of a setting: one short word, so that nothing odd reaches a kernel file.
pub(crate) fn is_value(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// One file of the host that holds a setting, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// What it is.
    pub file: String,
    /// Its kind.
    pub knob: Knob,
    /// Where it is, for messages: `policy3`, `cpu0`, or empty.
    pub place: String,
    /// What was read.
    pub prior: String,
    /// The values that the kernel offers, where it tells.
    pub offered: Option<Vec<String>>,
    /// Why it cannot be written: the error's name.
    pub refused: Option<String>,
}

/// Every setting of the fixed list that this host has, with its value, in the order of [`Knob`].
///
/// The order is also that of the journal, except that the boost of single policies comes before the one for all, so
/// that restoring, which goes backwards, does the one for all first.
pub(crate) fn survey(roots: &Roots) -> Vec<Setting> {
    let mut files: Vec<(String, String)> = Vec::new();
    let policies = roots.numbered(&format!("{CPU}/cpufreq"), "policy");
    let cpus = roots.numbered(CPU, "cpu");
    let leaves = ["scaling_governor", "energy_performance_preference", "boost", "scaling_max_freq", "scaling_min_freq"];
    for leaf in leaves {
        // Kernels before 4.3 have no policy folders, only one folder for each CPU.
        for policy in &policies {
            files.push((format!("{CPU}/cpufreq/policy{policy}/{leaf}"), format!("policy{policy}")));
        }
        for cpu in cpus.iter().filter(|_| policies.is_empty()) {
            files.push((format!("{CPU}/cpu{cpu}/cpufreq/{leaf}"), format!("cpu{cpu}")));
        }
    }
    files.extend(cpus.iter().map(|cpu| (format!("{CPU}/cpu{cpu}/power/energy_perf_bias"), format!("cpu{cpu}"))));
    files.extend(
        [format!("{CPU}/intel_pstate/no_turbo"), format!("{CPU}/cpufreq/boost"), PERF_SHARE.into(), PERF_RATE.into()]
            .map(|file| (file, String::new())),
    );
    let mut settings: Vec<Setting> = files.into_iter().filter_map(|(file, place)| look(roots, file, place)).collect();
    settings.sort_by_key(|setting| (journal_rank(setting.knob), setting.knob));
    settings
}

pub(crate) const fn journal_rank(knob: Knob) -> u8 {
    match knob {
        Knob::Governor | Knob::Epp | Knob::Epb | Knob::NoTurbo => 0,
        Knob::PolicyBoost => 1,
        Knob::Boost => 2,
        _ => 3,
    }
}

fn look(roots: &Roots, file: String, place: String) -> Option<Setting> {
    let knob = Knob::of(&file)?;
    let read = roots.read(&file);
    if read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return None;
    }
    // What cannot be read cannot be put back, and is therefore not written.
    let (prior, refused) = match (read, roots.may_write(&file)) {
        (Err(error), _) => (String::new(), Some(format!("{} on reading", errno(&error)))),
        (Ok(prior), _) if !is_value(&prior) => (prior, Some("holds a value that cannot be put back".to_owned())),
        (Ok(prior), Err(error)) => (prior, Some(errno(&error))),
        (Ok(prior), Ok(())) => (prior, None),
    };
    let list = match knob {
        Knob::Governor => Some("scaling_available_governors"),
        Knob::Epp => Some("energy_performance_available_preferences"),
        _ => None,
    };
    let offered = list.and_then(|leaf| {
        let folder = file.rsplit_once('/')?.0;
        Some(roots.text(&format!("{folder}/{leaf}"))?.split_whitespace().map(str::to_owned).collect())
    });
    Some(Setting { file, knob, place, prior, offered, refused })
}

/// What is to become of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Want {
    /// Nothing was asked for.
    Leave,
    /// This value.
    Value(String),
    /// This value was asked for, and cannot be: the reason.
    Impossible(String),
}

/// What `host` asks of each setting. `quiet_perf`: also keep the kernel's own perf sampling down.
pub(crate) fn wants(host: &Host, settings: &[Setting], quiet_perf: bool) -> Vec<Want> {
    let has = |knob: Knob| settings.iter().any(|setting| setting.knob == knob);
    let boost = |one: &str, zero: &str| host.boost.map(|on| if on { one } else { zero }.to_owned());
    let limits_cross = matches!((host.min_khz, host.max_khz), (Some(min), Some(max)) if min > max);
    let want = |setting: &Setting| {
        let value = match setting.knob {
            Knob::Governor => host.governor.clone(),
            Knob::Epp => host.epp.clone(),
            Knob::Epb if has(Knob::Epp) => None,
            Knob::Epb => host.epp.as_deref().and_then(energy_bias).map(str::to_owned),
            Knob::NoTurbo => boost("0", "1"),
            Knob::Boost if has(Knob::NoTurbo) => None,
            Knob::Boost => boost("1", "0"),
            // The one for all switches these off too, and they cannot be written while it is off.
            Knob::PolicyBoost if has(Knob::NoTurbo) || (has(Knob::Boost) && host.boost == Some(false)) => None,
            Knob::PolicyBoost => boost("1", "0"),
            Knob::MaxFrequency => host.max_khz.map(|khz| khz.to_string()),
            Knob::MinFrequency => host.min_khz.map(|khz| khz.to_string()),
            Knob::PerfShare | Knob::PerfRate => quiet_perf.then(|| "1".to_owned()),
        };
        match value {
            None => Want::Leave,
            Some(_) if limits_cross && matches!(setting.knob, Knob::MinFrequency | Knob::MaxFrequency) => {
                Want::Impossible("the lowest frequency is above the highest".to_owned())
            }
            Some(value) if !is_value(&value) => Want::Impossible("not a value that the kernel knows".to_owned()),
            Some(value) if setting.offered.as_ref().is_some_and(|offered| !offers(offered, &value)) => {
                let offered = setting.offered.as_deref().unwrap_or_default().join(", ");
                Want::Impossible(format!("`{value}` is not offered, only {offered}"))
            }
            Some(value) => Want::Value(value),
        }
    };
    settings.iter().map(want).collect()
}

/// A numeric energy preference (0 to 255) is taken beside the names that are offered.
fn offers(offered: &[String], value: &str) -> bool {
    offered.iter().any(|one| one == value) || value.parse::<u8>().is_ok()
}

/// The energy bias (0 to 15) that the kernel gives to the name of an energy preference.
fn energy_bias(preference: &str) -> Option<&'static str> {
    match preference {
        "performance" => Some("0"),
        "balance_performance" => Some("4"),
        "default" | "normal" => Some("6"),
        "balance_power" => Some("8"),
        "power" => Some("15"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
