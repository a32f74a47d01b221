//! `perf stat`: JSON (`-j`) and separated values (`-x`). Counters of the hardware: counts, but not exact ones.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number;
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use crate::unit::Direction;
use crate::unit::normal::{SYSTEM_TIME, USER_TIME, WALL_TIME};
use serde::Deserialize;

/// Reads `perf stat`.
pub(super) struct Perf;

/// The one benchmark there is: perf does not print the command.
const NAME: &str = "perf stat";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Counter {
    /// A number in a string, or `<not supported>`.
    counter_value: String,
    #[serde(default)]
    unit: String,
    event: String,
}

impl Tool for Perf {
    fn format(&self) -> Format {
        Format::Perf
    }

    fn about(&self) -> About {
        About {
            title: "perf stat",
            command: "perf stat -j -e instructions:u,task-clock,duration_time -o bench.json COMMAND",
            output: Some("bench.json"),
            raw: Raw::Summary,
            value: "each event's count",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.has(&["counter-value", "event"])
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let counter: Counter = source.decode(self.format(), document)?;
        add(&counter, document.line, out);
        Ok(())
    }

    fn signs(&self, source: &Source) -> usize {
        source.lines().filter(|(_, line)| separated(line).is_some()).count()
    }

    fn text(&self, source: &Source, out: &mut Collector) -> Result<(), FormatError> {
        for (number, line) in source.lines() {
            if let Some(counter) = separated(line) {
                add(&counter, number, out);
            }
        }
        Ok(())
    }
}

/// `0.48,msec,task-clock,6.94%,475628,100.00,0.535,CPUs utilized`; the variance is there with `-r` only.
fn separated(line: &str) -> Option<Counter> {
    let separator = [',', ';', '|', '\t'].into_iter().find(|separator| line.matches(*separator).count() >= 4)?;
    let fields: Vec<&str> = line.split(separator).collect();
    let [value, unit, event, rest @ ..] = &fields[..] else { return None };
    let counted = number::parse(value).is_some() || matches!(*value, "<not supported>" | "<not counted>");
    let named = event.starts_with(|first: char| first.is_ascii_alphabetic())
        && event.chars().all(|c| c.is_ascii_alphanumeric() || "-_:./=".contains(c));
    let units = ["", "msec", "ns", "MiB", "Joules"];
    // Of a counter's time and the part of it that it was running at least one is always there.
    let timed = rest.iter().take(3).filter(|field| number::parse(field.trim_end_matches('%')).is_some()).count() >= 2;
    (counted && named && units.contains(unit) && timed).then(|| Counter {
        counter_value: (*value).to_owned(),
        unit: (*unit).to_owned(),
        event: (*event).to_owned(),
    })
}

fn add(counter: &Counter, line: usize, out: &mut Collector) {
    let id = id(NAME);
    let Some(value) = number::parse(&counter.counter_value) else {
        out.warn(line, format!("{}: {}", counter.event, counter.counter_value));
        return;
    };
    let (event, suffix) = counter.event.split_once(':').unwrap_or((&counter.event, ""));
    let unit = match event {
        "duration_time" => format!("ns{}", &WALL_TIME["sec".len()..]),
        "user_time" => USER_TIME.replace("sec", "ns"),
        "system_time" => SYSTEM_TIME.replace("sec", "ns"),
        _ if counter.unit.is_empty() => event.to_owned(),
        _ => format!("{event}-{}", counter.unit),
    };
    let unit = if suffix.is_empty() { unit } else { format!("{unit}:{suffix}") };
    // Every one of these is a cost; of other events nothing is known.
    let costs = ["instructions", "cycles", "misses", "faults", "switches", "migrations", "clock", "time"];
    let better = costs.iter().any(|cost| event.contains(cost)).then_some(Direction::Lower);
    out.add(Value::new(&id, unit, vec![value], line).better(better).exact(Some(false)));
}

#[cfg(test)]
mod tests;
