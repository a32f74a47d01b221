//! What the witnesses of all rounds say: figures for the report, and warnings by written rules.

use super::notices::Notices;
use crate::report::{Environment, WarningLevel};
use crate::results::{Clocks, KnobStatus, Results, Round, RoundWitness};
use crate::side::{PerSide, Side};
use crate::stats::{finite, order};
use std::collections::{BTreeMap, BTreeSet};

/// A round in which more than this share of CPU time was stolen is warned of.
const STEAL: f64 = 0.05;

/// A run in which more than this share of CPU time was stolen is warned of: half of the default threshold.
const MEAN_STEAL: f64 = 0.01;

/// A CPU that ends a round below this share of the frequency that it began with has fallen.
const FREQUENCY_FELL: f64 = 0.95;

/// Sides whose median frequencies differ by more than this share did not run on the same machine, in effect.
const FREQUENCY_DIFFERS: f64 = 0.005;

/// Takes one figure out of a witness.
type Figure = fn(&RoundWitness) -> Option<f64>;

/// The figures of a witness, by the name they have in the report.
const FIGURES: [(&str, Figure); 16] = [
    ("involuntary_switches", |w| w.involuntary_switches.map(|n| n as f64)),
    ("load", |w| w.load),
    ("lost", |w| w.lost),
    ("major_faults", |w| w.major_faults.map(|n| n as f64)),
    ("max_rss", |w| w.max_rss.map(|n| n as f64)),
    ("mhz", |w| w.mhz.map(|mhz| mhz[1])),
    ("mhz_after", |w| w.mhz.map(|mhz| mhz[2])),
    ("mhz_before", |w| w.mhz.map(|mhz| mhz[0])),
    ("minor_faults", |w| w.minor_faults.map(|n| n as f64)),
    ("pressure", |w| w.pressure),
    ("quota_throttled", |w| w.quota_throttled.map(|n| n as f64)),
    ("steal", |w| w.steal),
    ("swapped_in", |w| w.swapped_in.map(|n| n as f64)),
    ("system", |w| w.system),
    ("throttled", |w| w.throttled.map(|n| n as f64)),
    ("user", |w| w.user),
];

/// Takes the clocks of all CPUs at one time out of a witness.
type Clock = fn(&Clocks) -> Option<[f64; 3]>;

/// The clocks of all CPUs, by the name they have in the report: smallest, median and largest are those of the CPUs.
const CLOCKS: [(&str, Clock); 3] = [
    ("all_mhz_after", |clocks| Some(clocks.after)),
    ("all_mhz_before", |clocks| Some(clocks.before)),
    ("all_mhz_during", |clocks| clocks.during),
];

/// All rounds of the job's stages, warm-up excluded.
pub(super) fn rounds(results: &Results) -> impl Iterator<Item = &Round> {
    results
        .suites
        .iter()
        .flat_map(|suite| &suite.stages)
        .flat_map(|stage| &stage.blocks)
        .flat_map(|block| &block.rounds)
}

/// The environment of one job.
pub(super) fn environment(results: &Results) -> Environment {
    let mut witness = BTreeMap::new();
    let mut timeline = BTreeMap::new();
    for (name, figure) in FIGURES {
        let course = PerSide::from_fn(|side| course(results, side, figure));
        if !course.base.is_empty() || !course.head.is_empty() {
            let values = |course: &Vec<(f64, f64)>| extremes(course.iter().map(|(_, value)| *value).collect());
            let seen = match name {
                // Taken once a block, before whichever side came first: of both sides, or of none.
                "lost" => {
                    let both = values(&[course.base.as_slice(), &course.head].concat());
                    PerSide { base: both, head: both }
                }
                _ => course.as_ref().map(values),
            };
            witness.insert(name.to_owned(), seen);
            timeline.insert(name.to_owned(), course);
        }
    }
    for (name, clock) in CLOCKS {
        let seen = PerSide::from_fn(|side| {
            let mine = rounds(results).filter(|round| round.side == side);
            let all: Vec<[f64; 3]> = mine.filter_map(|round| clock(&round.witness.all_mhz?)).collect();
            let of = |index: usize| extremes(all.iter().map(|mhz| mhz[index]).filter(|mhz| mhz.is_finite()).collect());
            Some([of(0)?[0], of(1)?[1], of(2)?[2]])
        });
        if seen.base.is_some() || seen.head.is_some() {
            witness.insert(name.to_owned(), seen);
        }
    }
    let tools = results.suites.iter().flat_map(|suite| &suite.tools);
    Environment {
        shard: results.shard,
        machine: results.machine.clone(),
        tuning: results.tuning.clone(),
        tools: tools.map(|(tool, version)| (tool.clone(), version.clone())).collect(),
        witness,
        timeline,
        started: results.started.clone(),
        finished: results.finished.clone(),
    }
}

/// A figure round by round: seconds since the start of measuring, and the value.
fn course(results: &Results, side: Side, figure: Figure) -> Vec<(f64, f64)> {
    rounds(results)
        .filter(|round| round.side == side && round.at.is_finite())
        .filter_map(|round| Some((round.at, figure(&round.witness).filter(|value| value.is_finite())?)))
        .collect()
}

/// Smallest, median, largest.
fn extremes(values: Vec<f64>) -> Option<[f64; 3]> {
    let sorted = order::sorted(&values);
    Some([*sorted.first()?, finite(order::median(&sorted)?), *sorted.last()?])
}

/// Warnings of what the machine did, for the job named `place`.
pub(super) fn warn(results: &Results, place: &str, notices: &mut Notices) {
    steal(results, place, notices);
    load(results, place, notices);
    frequency(results, place, notices);
    throttling(results, place, notices);
    cpus(results, place, notices);
    settings(results, place, notices);
}

fn count_of(results: &Results, what: impl Fn(&Round) -> bool) -> (usize, usize) {
    (rounds(results).filter(|round| what(round)).count(), rounds(results).count())
}

fn steal(results: &Results, place: &str, notices: &mut Notices) {
    let (hit, all) = count_of(results, |round| round.witness.steal.is_some_and(|share| share > STEAL));
    let stolen = |round: &Round| Some((round.witness.steal?, round.outcome.seconds));
    let shares: Vec<(f64, f64)> = rounds(results).filter_map(stolen).collect();
    let seconds: f64 = shares.iter().map(|(_, seconds)| seconds).sum();
    let mean = shares.iter().map(|(share, seconds)| share * seconds).sum::<f64>() / seconds;
    if hit > 0 {
        let most = shares.iter().map(|(share, _)| *share).fold(0.0, f64::max);
        let message = format!(
            "In {hit} of {all} rounds the host took more than {:.0} % of the CPU's time away (at most {:.0} %)",
            100.0 * STEAL,
            100.0 * most
        );
        notices.add(WarningLevel::Warning, "steal", message, place);
    } else if mean > MEAN_STEAL {
        let message = format!("The host took {:.1} % of the CPU's time away", 100.0 * mean);
        notices.add(WarningLevel::Warning, "steal", message, place);
    }
}

fn load(results: &Results, place: &str, notices: &mut Notices) {
    let cpus = f64::from(results.machine.cpus);
    if cpus == 0.0 {
        return;
    }
    let (hit, all) = count_of(results, |round| round.witness.load.is_some_and(|load| load > cpus));
    if hit > 0 {
        let message = format!("In {hit} of {all} rounds the load average was above the number of CPUs ({cpus})");
        notices.add(WarningLevel::Warning, "load", message, place);
    }
}

fn frequency(results: &Results, place: &str, notices: &mut Notices) {
    let fell = |round: &Round| round.witness.mhz.is_some_and(|[before, _, after]| after < FREQUENCY_FELL * before);
    let (hit, all) = count_of(results, fell);
    if hit > 0 {
        let message = format!(
            "In {hit} of {all} rounds the CPU's frequency fell by more than {:.0} %",
            100.0 * (1.0 - FREQUENCY_FELL)
        );
        notices.add(WarningLevel::Warning, "frequency-fell", message, place);
    }
    let median = |side: Side| {
        let mhz = rounds(results).filter(|round| round.side == side).filter_map(|round| round.witness.mhz);
        order::median_of(&mhz.map(|mhz| mhz[1]).collect::<Vec<f64>>())
    };
    if let (Some(base), Some(head)) = (median(Side::Base), median(Side::Head))
        && (base - head).abs() > FREQUENCY_DIFFERS * base.abs().max(head.abs())
    {
        let message = format!("The CPU ran at {base:.0} MHz for base and at {head:.0} MHz for head (medians)");
        notices.add(WarningLevel::Warning, "frequency-differs", message, place);
    }
}

fn throttling(results: &Results, place: &str, notices: &mut Notices) {
    let (hit, all) = count_of(results, |round| round.witness.throttled.is_some_and(|n| n > 0));
    if hit > 0 {
        let message = format!("In {hit} of {all} rounds the CPU was throttled for heat");
        notices.add(WarningLevel::Warning, "throttled", message, place);
    }
}

fn cpus(results: &Results, place: &str, notices: &mut Notices) {
    let seen = PerSide::from_fn(|side| -> BTreeSet<&str> {
        let witnesses = rounds(results).filter(|round| round.side == side).map(|round| &round.witness);
        witnesses.filter_map(|witness| witness.cpus.as_deref()).collect()
    });
    if !seen.base.is_empty() && !seen.head.is_empty() && seen.base != seen.head {
        let list = |set: &BTreeSet<&str>| set.iter().copied().collect::<Vec<_>>().join("; ");
        let message =
            format!("The sides were allowed different CPUs: base {}, head {}", list(&seen.base), list(&seen.head));
        notices.add(WarningLevel::Warning, "different-cpus", message, place);
    }
    if let Some(PerSide { base, head }) = &results.machine.images
        && base != head
    {
        let message = format!("The sides ran in different images: base {base}, head {head}");
        notices.add(WarningLevel::Warning, "different-images", message, place);
    }
}

fn settings(results: &Results, place: &str, notices: &mut Notices) {
    for outcome in &results.tuning {
        if let KnobStatus::Drifted(set, found) = &outcome.status {
            let message = format!("{} was set to {set} and found at {found} afterwards", outcome.knob);
            notices.add(WarningLevel::Warning, "setting-drifted", message, place);
        }
    }
}
