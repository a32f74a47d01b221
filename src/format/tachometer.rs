//! tachometer's `--json-file`: every sample in a browser.

use super::collect::{Collector, Value, id};
use super::error::FormatError;
use super::number::{Num, present};
use super::shape::Shape;
use super::source::{Document, Source};
use super::tool::{About, Format, Raw, Tool};
use serde::Deserialize;

/// Reads tachometer's JSON.
pub(super) struct Tachometer;

#[derive(Deserialize)]
struct Report {
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Benchmark {
    name: String,
    version: Option<String>,
    measurement: Option<Measurement>,
    browser: Option<Browser>,
    samples: Vec<Option<Num>>,
    bytes_sent: Option<Num>,
}

#[derive(Deserialize)]
struct Measurement {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Browser {
    name: Option<String>,
}

impl Tool for Tachometer {
    fn format(&self) -> Format {
        Format::Tachometer
    }

    fn about(&self) -> About {
        About {
            title: "tachometer",
            command: "npx tachometer bench.html --json-file=bench.json",
            output: Some("bench.json"),
            raw: Raw::Samples,
            value: "the median of samples (ms)",
        }
    }

    fn owns(&self, shape: &Shape) -> bool {
        shape.first("benchmarks").is_some_and(|first| first.has(&["samples", "bytesSent", "name"]))
    }

    fn document(&self, source: &Source, document: &Document, out: &mut Collector) -> Result<(), FormatError> {
        let report: Report = source.decode(self.format(), document)?;
        for benchmark in report.benchmarks {
            let mut name = benchmark.name;
            let parts = [
                ("version", benchmark.version.filter(|version| !version.is_empty())),
                ("measurement", benchmark.measurement.and_then(|measurement| measurement.name)),
                ("browser", benchmark.browser.and_then(|browser| browser.name)),
            ];
            for (key, value) in parts {
                if let Some(value) = value {
                    name.push_str(&format!("/{key}={value}"));
                }
            }
            let id = id(name);
            let samples = present(&benchmark.samples);
            if samples.is_empty() {
                out.failed(&id, "tachometer has no samples of it");
            }
            out.add(Value::new(&id, "ms/op", samples, document.line));
            let bytes = benchmark.bytes_sent.filter(|bytes| bytes.0 > 0.0);
            out.add(Value::new(&id, "sent-B", bytes.iter().map(|bytes| bytes.0).collect(), document.line));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
