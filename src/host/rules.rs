//! When the machine's state is worth a warning, and when it makes a block invalid.
//!
//! The rules are written down before any run, know no side and no measured value, and judge a block as a whole. A
//! quantity that cannot be observed triggers nothing.

use super::frequency;
use crate::results::{Block, Machine, Results, Round, RoundWitness, SuiteResults};

/// Mean stolen time that makes a block invalid: more than twice the default threshold, in one block.
pub const STEAL_INVALID: f64 = 0.05;
/// Mean lost time of the probes that is mentioned.
pub const LOST_WARNING: f64 = 0.01;
/// Lost time just before a block that makes it invalid.
pub const LOST_INVALID: f64 = 0.05;
/// A round whose highest frequency is this far below the run's median has slowed down.
pub const FREQUENCY_FELL: f64 = 0.03;

/// Why the environment makes a block invalid, if it does: heat, quota, swap, stolen or lost time.
#[must_use]
pub fn invalid(rounds: &[Round]) -> Option<String> {
    let sum = |get: fn(&RoundWitness) -> Option<u64>| -> u64 { rounds.iter().filter_map(|r| get(&r.witness)).sum() };
    let throttled = sum(|witness| witness.throttled);
    if throttled > 0 {
        return Some(format!("the CPU was slowed down for heat ({throttled} times)"));
    }
    let quota = sum(|witness| witness.quota_throttled);
    if quota > 0 {
        return Some(format!("the control group used up its CPU quota ({quota} times)"));
    }
    let swapped = sum(|witness| witness.swapped_in);
    if swapped > 0 {
        return Some(format!("the machine read {swapped} pages back from swap"));
    }
    if let Some(steal) = mean_steal(rounds).filter(|steal| *steal > STEAL_INVALID) {
        return Some(format!("the hypervisor took {} of the CPU's time", percent(steal)));
    }
    let lost = rounds.iter().filter_map(|round| round.witness.lost).max_by(f64::total_cmp);
    lost.filter(|lost| *lost > LOST_INVALID)
        .map(|lost| format!("a busy CPU lost {} of its time just before", percent(lost)))
}

/// Stolen time over rounds, each weighted by its length.
fn mean_steal<'a>(rounds: impl IntoIterator<Item = &'a Round>) -> Option<f64> {
    let (mut stolen, mut seconds) = (0.0, 0.0);
    for round in rounds {
        if let Some(steal) = round.witness.steal {
            stolen += steal * round.outcome.seconds;
            seconds += round.outcome.seconds;
        }
    }
    (seconds > 0.0).then(|| stolen / seconds)
}

/// What a reader must know of the machine and the rounds, one sentence each; unescaped. What can be told from the samples
/// of `results.json` alone is not here: the report finds it out again (`compare`).
#[must_use]
pub fn warnings(results: &Results) -> Vec<String> {
    let mut found = machine_warnings(&results.machine);
    let rounds: Vec<&Round> = results.suites.iter().flat_map(counted).collect();
    found.extend(run_warnings(&rounds));
    let several = results.suites.len() > 1;
    for suite in &results.suites {
        let prefix = if several { format!("{}: ", suite.name) } else { String::new() };
        found.extend(suite_warnings(suite).into_iter().map(|sentence| format!("{prefix}{sentence}")));
    }
    found
}

/// The rounds of blocks that count.
fn counted(suite: &SuiteResults) -> impl Iterator<Item = &Round> {
    let counts = |block: &&Block| block.invalid.is_none() || block.kept;
    suite.stages.iter().flat_map(|stage| &stage.blocks).filter(counts).flat_map(|block| &block.rounds)
}

fn machine_warnings(machine: &Machine) -> Vec<String> {
    let mut found = Vec::new();
    if machine.cpus == 1 {
        found.push("The machine has a single CPU, which the benchmark shares with everything else".to_owned());
    }
    let detail = |name: &str| machine.details.get(name).map(String::as_str);
    if let Some(clock @ ("hpet" | "acpi_pm" | "jiffies")) = detail("clocksource") {
        found.push(format!("The kernel's clock is `{clock}`, which is slow to read: short benchmarks measure it too"));
    }
    if detail("aslr") == Some("0") {
        found.push(
            "Address space randomisation is off, so that one accidental memory layout is measured again and again"
                .to_owned(),
        );
    }
    found
}

fn run_warnings(rounds: &[&Round]) -> Vec<String> {
    let mut found = Vec::new();
    let lost: Vec<f64> = rounds.iter().filter_map(|round| round.witness.lost).collect();
    if let Some(lost) = mean(&lost).filter(|lost| *lost > LOST_WARNING) {
        found.push(format!("A busy CPU lost {} of its time to others between the blocks", percent(lost)));
    }
    let sum = |get: fn(&RoundWitness) -> Option<u64>| -> u64 { rounds.iter().filter_map(|r| get(&r.witness)).sum() };
    let counters = [
        (sum(|witness| witness.quota_throttled), "The control group was stopped for its CPU quota"),
        (sum(|witness| witness.swapped_in), "The machine read pages back from swap"),
    ];
    found
        .extend(counters.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what} ({count} times)")));
    found
}

fn suite_warnings(suite: &SuiteResults) -> Vec<String> {
    let mut found = Vec::new();
    let all: Vec<f64> = counted(suite).filter_map(|round| round.witness.mhz.map(|[_, highest, _]| highest)).collect();
    if let Some(median) = median(all.clone()) {
        let slow = all.iter().filter(|mhz| **mhz < median * (1.0 - FREQUENCY_FELL)).count();
        if slow > 0 {
            let limit = percent(FREQUENCY_FELL);
            found.push(format!(
                "The frequency fell: {slow} of {} rounds ran more than {limit} below the median of {median:.0} MHz",
                all.len()
            ));
        }
    }
    found
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn median(values: Vec<f64>) -> Option<f64> {
    frequency::Frequencies { mhz: (0..).zip(values).collect() }.range().map(|[_, median, _]| median)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests;
