//! How fast each CPU runs.

use super::cpulist;
use super::machine::cpuinfo;
use super::tree::Roots;
use std::collections::BTreeMap;

const CPU: &str = "sys/devices/system/cpu";
/// CPUs that differ by more than this share of the median are named: at one fixed frequency the kernel's own readings
/// agree to about 0.1 %.
pub const SPREAD: f64 = 0.01;

/// The frequency of every CPU at one moment, in MHz.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frequencies {
    /// By CPU; empty where frequencies cannot be observed.
    pub mhz: BTreeMap<u32, f64>,
}

/// Reads the frequency of every CPU.
///
/// Sources are `scaling_cur_freq`, and `/proc/cpuinfo` where the CPU counts its real cycles (flag `aperfmperf`).
/// Without either, `/proc/cpuinfo` repeats a figure from the start of the kernel, which is no observation: the result
/// is empty.
#[must_use]
pub fn frequencies(roots: &Roots) -> Frequencies {
    let by_policy: BTreeMap<u32, f64> =
        roots.numbered(CPU, "cpu").into_iter().filter_map(|cpu| Some((cpu, scaling(roots, cpu)?))).collect();
    if !by_policy.is_empty() {
        return Frequencies { mhz: by_policy };
    }
    let info = cpuinfo::read(roots);
    let observed = info.flags.contains("aperfmperf");
    Frequencies { mhz: if observed { info.mhz } else { BTreeMap::new() } }
}

/// `scaling_cur_freq` is in kHz.
fn scaling(roots: &Roots, cpu: u32) -> Option<f64> {
    let khz: f64 = roots.number(&format!("{CPU}/cpu{cpu}/cpufreq/scaling_cur_freq"))?;
    (khz > 0.0).then_some(khz / 1000.0)
}

impl Frequencies {
    /// Smallest, median and largest; `None` where frequencies cannot be observed.
    #[must_use]
    pub fn range(&self) -> Option<[f64; 3]> {
        let mut sorted: Vec<f64> = self.mhz.values().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) };
        Some([first, median, last])
    }

    /// CPUs that differ from the median by more than [`SPREAD`].
    #[must_use]
    pub fn outliers(&self) -> Vec<u32> {
        let Some([_, median, _]) = self.range() else { return Vec::new() };
        self.mhz.iter().filter(|(_, mhz)| (*mhz / median - 1.0).abs() > SPREAD).map(|(cpu, _)| *cpu).collect()
    }

    /// One line, such as `32 CPUs at 3400 MHz` or `4 CPUs, 800 to 3400 MHz, median 2100 MHz (CPU 2-3 differ)`.
    #[must_use]
    pub fn summary(&self) -> String {
        let Some([low, median, high]) = self.range() else { return "not observable".to_owned() };
        let count = self.mhz.len();
        let outliers = self.outliers();
        if outliers.is_empty() {
            return format!("{count} CPUs at {median:.0} MHz");
        }
        let outliers = cpulist::format(outliers);
        format!("{count} CPUs, {low:.0} to {high:.0} MHz, median {median:.0} MHz (CPU {outliers} differ)")
    }
}

/// One row a CPU: MHz before, during and after, for a reader who wants to see that a fixed frequency was fixed.
#[must_use]
pub fn table(before: &Frequencies, during: &Frequencies, after: &Frequencies) -> String {
    let mut text = format!("{:>4} {:>9} {:>9} {:>9}\n", "CPU", "before", "during", "after");
    let cpus: std::collections::BTreeSet<u32> =
        [before, during, after].iter().flat_map(|one| one.mhz.keys().copied()).collect();
    for cpu in cpus {
        let cell = |one: &Frequencies| one.mhz.get(&cpu).map_or_else(|| "-".to_owned(), |mhz| format!("{mhz:.3}"));
        text += &format!("{cpu:>4} {:>9} {:>9} {:>9}\n", cell(before), cell(during), cell(after));
    }
    text
}

#[cfg(test)]
mod tests;
