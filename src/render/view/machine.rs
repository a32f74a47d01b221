//! The machine, and what became of its settings.

use crate::render::ink::Ink;
use crate::render::number;
use crate::report::Environment;
use crate::results::{KnobOutcome, KnobStatus};
use serde::Serialize;

/// One measuring job as templates see it.
#[derive(Debug, Clone, Serialize)]
pub struct EnvironmentView {
    /// `shard 2 of 4`, or empty.
    pub shard: String,
    /// The machine in one line.
    pub line: String,
    /// Settings that could not be applied or observed, in one line; or empty.
    pub missing: String,
    /// Every setting with its outcome.
    pub tuning: Vec<Named>,
    /// Figures over all rounds: name, base, head.
    pub witness: Vec<Witness>,
    /// Versions of the tools.
    pub tools: Vec<Named>,
    /// Anything else.
    pub details: Vec<Named>,
}

impl EnvironmentView {
    /// Leaves only the machine's line.
    pub(super) fn shorten(&mut self) {
        self.tuning.clear();
        self.witness.clear();
        self.tools.clear();
        self.details.clear();
    }
}

/// A name and what there is to say of it.
#[derive(Debug, Clone, Serialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The rest.
    pub value: String,
}

/// One figure over all rounds of each side: `2.9 to 3.2, median 3.1`.
#[derive(Debug, Clone, Serialize)]
pub struct Witness {
    /// The name.
    pub name: String,
    /// Base's rounds.
    pub base: String,
    /// Head's rounds.
    pub head: String,
}

/// `environment`, formatted.
#[must_use]
pub fn environment(environment: &Environment, ink: &Ink) -> EnvironmentView {
    let named = |name: &str, value: &str| Named { name: ink.prose(name), value: ink.outside(value).to_string() };
    let machine = &environment.machine;
    let mut details: Vec<Named> = machine.details.iter().map(|(name, value)| named(name, value)).collect();
    if let Some(images) = &machine.images {
        details.push(named("image of base", &images.base));
        details.push(named("image of head", &images.head));
    }
    if !environment.started.is_empty() {
        details.push(named("started", &environment.started));
        details.push(named("finished", &environment.finished));
    }
    EnvironmentView {
        shard: environment.shard.map_or_else(String::new, |s| format!("shard {} of {}", s.index, s.count)),
        line: line(environment, ink),
        missing: missing(environment, ink),
        tuning: environment
            .tuning
            .iter()
            .map(|knob| Named { name: ink.prose(&knob.knob), value: outcome(knob, ink) })
            .collect(),
        witness: environment
            .witness
            .iter()
            .map(|(name, sides)| Witness {
                name: ink.prose(witness_name(name)),
                base: range(name, sides.base),
                head: range(name, sides.head),
            })
            .collect(),
        tools: environment.tools.iter().map(|(name, value)| named(name, value)).collect(),
        details,
    }
}

fn line(environment: &Environment, ink: &Ink) -> String {
    let (machine, mut parts) = (&environment.machine, Vec::new());
    if !machine.cpu.is_empty() {
        // The marks of law say nothing of the machine.
        parts.push(ink.prose(&machine.cpu.replace("(R)", "").replace("(TM)", "").replace("CPU @", "at")));
    }
    if machine.cpus > 0 {
        let cores = machine
            .cores
            .map_or_else(String::new, |cores| format!(" ({})", number::count(cores as usize, "core", "cores")));
        parts.push(format!("{}{cores}", number::count(machine.cpus as usize, "CPU", "CPUs")));
    }
    parts.extend(machine.memory.map(number::bytes));
    for text in [&machine.os, &machine.kernel] {
        if !text.is_empty() {
            parts.push(ink.prose(text));
        }
    }
    match machine.virtualization.as_deref() {
        Some("") => parts.push("bare metal".to_owned()),
        Some(name) => parts.push(format!("virtual machine ({})", ink.prose(name))),
        None => {}
    }
    if machine.container {
        parts.push("in a container".to_owned());
    }
    for (what, value) in [("governor", &machine.governor), ("boost", &machine.boost)] {
        if let Some(value) = value {
            parts.push(format!("{what} {}", ink.prose(value)));
        }
    }
    if !machine.steal_observable {
        parts.push("stolen time not observable".to_owned());
    }
    if environment.witness.contains_key("mhz") && !environment.witness.contains_key("all_mhz_during") {
        parts.push("clocks read before and after rounds only".to_owned());
    }
    parts.join(", ")
}

/// What a reader would take for granted and must not.
fn missing(environment: &Environment, ink: &Ink) -> String {
    let parts: Vec<String> = environment
        .tuning
        .iter()
        .filter(|knob| !matches!(knob.status, KnobStatus::Applied(..) | KnobStatus::Already(_)))
        .map(|knob| format!("{} ({})", ink.prose(&knob.knob), short(&knob.status)))
        .collect();
    parts.join(", ")
}

const fn short(status: &KnobStatus) -> &'static str {
    match status {
        KnobStatus::Applied(..) => "applied",
        KnobStatus::Already(_) => "already so",
        KnobStatus::Absent => "absent here",
        KnobStatus::Denied(_) => "denied",
        KnobStatus::Skipped(_) => "skipped",
        KnobStatus::Drifted(..) => "drifted",
    }
}

fn outcome(knob: &KnobOutcome, ink: &Ink) -> String {
    match &knob.status {
        KnobStatus::Applied(old, new) => format!("applied ({} → {})", ink.outside(old), ink.outside(new)),
        KnobStatus::Already(value) => format!("already {}", ink.outside(value)),
        KnobStatus::Absent => "absent on this machine".to_owned(),
        KnobStatus::Denied(why) => format!("denied ({})", ink.outside(why)),
        KnobStatus::Skipped(why) => format!("skipped ({})", ink.outside(why)),
        KnobStatus::Drifted(set, found) => {
            format!("drifted during the run (set {}, found {})", ink.outside(set), ink.outside(found))
        }
    }
}

/// A witness figure in words.
#[must_use]
pub fn witness_name(name: &str) -> &str {
    match name {
        "user" => "user CPU time in seconds",
        "system" => "system CPU time in seconds",
        "max_rss" => "largest resident set",
        "mhz" => "clock in MHz",
        "all_mhz_before" => "clock of all CPUs before a round, in MHz",
        "all_mhz_during" => "clock of all CPUs during a round, in MHz",
        "all_mhz_after" => "clock of all CPUs after a round, in MHz",
        "lost" => "time lost on the CPU just before a block",
        "quota_throttled" => "stops for a used-up CPU quota",
        "swapped_in" => "pages read from swap",
        "steal" => "stolen time",
        "load" => "load average",
        "pressure" => "CPU pressure",
        "throttled" => "thermal throttling events",
        "involuntary_switches" => "involuntary context switches",
        "major_faults" => "major page faults",
        "minor_faults" => "minor page faults",
        other => other,
    }
}

fn range(name: &str, figures: Option<[f64; 3]>) -> String {
    let Some([low, median, high]) = figures else {
        return "not observable".to_owned();
    };
    let show = |value: f64| match name {
        "max_rss" => number::Figures::new("B", &[value]).format(value),
        "steal" | "pressure" | "lost" => number::percent(value),
        _ if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    };
    if low == high { show(median) } else { format!("{} to {}, median {}", show(low), show(high), show(median)) }
}
