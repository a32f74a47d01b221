//! Whole processes as benchmarks: what was measured around the command, and sizes of files that it left.

use super::collect::{Collector, Value, id};
use super::{Format, Parsed};
use crate::unit::normal::{FILE_SIZE, MAX_RSS, SYSTEM_TIME, USER_TIME, WALL_TIME};
use std::time::Duration;

/// What one execution of a command took. What could not be observed is `None` and gives no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Time from start to end.
    pub wall: Duration,
    /// CPU time in user mode of the process and its children.
    pub user: Option<Duration>,
    /// CPU time in the kernel.
    pub system: Option<Duration>,
    /// Largest resident set, in bytes.
    pub max_rss: Option<u64>,
}

/// The result of one execution of the benchmark `name`, in the shape that a parser gives.
///
/// Its rows are `sec/op` (wall), `user-sec/op`, `sys-sec/op` and `max-rss-B`; the operation is the execution.
#[must_use]
pub fn measured(name: &str, usage: &Usage) -> Parsed {
    let id = id(name);
    let mut out = Collector::default();
    out.begin(Format::Process);
    out.add(Value::new(&id, WALL_TIME, vec![usage.wall.as_secs_f64()], 0));
    for (unit, time) in [(USER_TIME, usage.user), (SYSTEM_TIME, usage.system)] {
        out.add(Value::new(&id, unit, time.iter().map(Duration::as_secs_f64).collect(), 0));
    }
    out.add(Value::new(&id, MAX_RSS, usage.max_rss.iter().map(|bytes| bytes_of(*bytes)).collect(), 0));
    out.finish()
}

/// The sizes of files, in bytes, as exact rows `size-B`: name of the metric and size.
#[must_use]
pub fn file_sizes<'name>(sizes: impl IntoIterator<Item = (&'name str, u64)>) -> Parsed {
    let mut out = Collector::default();
    out.begin(Format::Process);
    for (name, bytes) in sizes {
        out.add(Value::new(&id(name), FILE_SIZE, vec![bytes_of(bytes)], 0));
    }
    out.finish()
}

#[expect(clippy::cast_precision_loss, reason = "sizes above 2^53 bytes do not occur")]
fn bytes_of(bytes: u64) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_gives_a_row_for_everything_that_was_observed() {
        let usage = Usage {
            wall: Duration::from_millis(1500),
            user: Some(Duration::from_millis(250)),
            system: None,
            max_rss: Some(2_048_000),
        };
        let parsed = measured("app --n 5", &usage);
        let rows: Vec<(&str, f64)> = parsed.measurements.iter().map(|row| (row.unit.as_str(), row.values[0])).collect();
        assert_eq!(rows, [("sec/op", 1.5), ("user-sec/op", 0.25), ("max-rss-B", 2_048_000.0)]);
        assert!(parsed.measurements.iter().all(|row| row.id.name == "app --n 5"));
    }

    #[test]
    fn sizes_of_files_are_exact() {
        let parsed = file_sizes([("binary-size", 4_096), ("wasm", 0)]);
        assert_eq!(parsed.measurements[0].unit, "size-B");
        assert_eq!(parsed.measurements[1].values, [0.0]);
        assert!(crate::unit::properties("size-B").exact);
    }
}
