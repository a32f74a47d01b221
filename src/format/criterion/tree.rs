//! The folder `target/criterion`: every sample of every benchmark.
//!
//! The key is `full_id` inside `benchmark.json`, never the path: folder names are cut at 64 characters and have letters
//! replaced. Only `new/` is read; `base/` and saved baselines are other runs.

use super::titles;
use crate::format::collect::{Collector, Value, id};
use crate::format::error::FormatError;
use crate::format::number::Num;
use crate::format::source::{Document, Source};
use crate::format::tool::{Format, Sources};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Most names in a warning.
const NAMED: usize = 5;

/// The sample files of this run, with the folder of each.
pub(super) fn samples(sources: &Sources) -> impl Iterator<Item = (&Source, &str)> {
    sources.output.iter().filter_map(|source| {
        let folder = source.name.as_deref()?.strip_suffix("sample.json")?;
        let folder = folder.strip_suffix(['/', '\\'])?;
        matches!(folder.rsplit(['/', '\\']).next(), Some("new")).then_some((source, folder))
    })
}

/// `benchmark.json`.
#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    title: Option<String>,
    #[serde(default)]
    throughput: Throughput,
}

/// Work per iteration: unit and amount, as many as there are.
#[derive(Default)]
struct Throughput(Vec<(&'static str, f64)>);

/// Reads every benchmark of the folder.
pub(super) fn read(sources: &Sources, out: &mut Collector) -> Result<(), FormatError> {
    // What this run printed: a folder that it did not name was left there by an earlier one.
    let printed: BTreeSet<String> = sources.log.iter().flat_map(titles).collect();
    let named: BTreeMap<&str, &Source> =
        sources.output.iter().filter_map(|source| Some((source.name.as_deref()?, source))).collect();
    let mut stale = Vec::new();
    let mut folders: BTreeMap<String, &str> = BTreeMap::new();
    for (source, folder) in samples(sources) {
        let document = only(source)?;
        let sample: Sample = source.decode(Format::Criterion, document)?;
        let separator = if folder.contains('\\') { '\\' } else { '/' };
        let benchmark = match named.get(format!("{folder}{separator}benchmark.json").as_str()) {
            Some(source) => source.decode(Format::Criterion, only(source)?)?,
            None => unnamed(source, folder, out),
        };
        let title = benchmark.title.as_deref().unwrap_or(&benchmark.full_id);
        if !printed.is_empty() && !printed.contains(title) && !printed.contains(&benchmark.full_id) {
            stale.push(benchmark.full_id);
            continue;
        }
        if let Some(other) = folders.insert(benchmark.full_id.clone(), folder) {
            out.warn(0, format!("{} has two folders, {other} and {folder}; both were read", benchmark.full_id));
        }
        add(&benchmark, &sample, source, document, out)?;
    }
    if !stale.is_empty() {
        let more = if stale.len() > NAMED { ", …" } else { "" };
        let shown = stale.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        out.warn(
            0,
            format!(
                "{} folders were not written by this run and are left out: {shown}{more}; delete target/criterion first",
                stale.len()
            ),
        );
    }
    Ok(())
}

fn only(source: &Source) -> Result<&Document, FormatError> {
    source.documents.first().ok_or_else(|| {
        let broken = source.broken.as_ref();
        FormatError::Syntax {
            format: Some(Format::Criterion),
            place: source.place(broken.map_or(1, |broken| broken.line)),
            expected: broken.map_or("expected a JSON document".to_owned(), |broken| broken.expected.clone()),
        }
    })
}

/// A benchmark whose `benchmark.json` is missing is named by its folder.
fn unnamed(source: &Source, folder: &str, out: &mut Collector) -> Benchmark {
    let path = folder.trim_end_matches("new").trim_end_matches(['/', '\\']);
    let name = path.rsplit_once("criterion/").map_or(path, |(_, name)| name).to_owned();
    out.warn(0, format!("{}: no benchmark.json beside it, so the folder is the name", source.place(0)));
    Benchmark { full_id: name, title: None, throughput: Throughput::default() }
}

fn add(
    benchmark: &Benchmark,
    sample: &Sample,
    source: &Source,
    document: &Document,
    out: &mut Collector,
) -> Result<(), FormatError> {
    let times = per_iteration(&sample.iters, &sample.times).map_err(|expected| FormatError::Syntax {
        format: Some(Format::Criterion),
        place: source.place(document.line),
        expected,
    })?;
    let id = id(&benchmark.full_id);
    let iterations = fewest(&sample.iters);
    for (unit, amount) in &benchmark.throughput.0 {
        let rates = rates(&times, *amount, 1e-9);
        out.add(Value::new(&id, *unit, rates, document.line).iterations(iterations));
    }
    out.add(Value::new(&id, "ns/iter", times, document.line).iterations(iterations));
    Ok(())
}

/// Times of one iteration: the total of each sample by its number of iterations.
pub(in crate::format) fn per_iteration(iters: &[Num], times: &[Num]) -> Result<Vec<f64>, String> {
    if iters.len() != times.len() {
        return Err(format!("expected as many times as iteration counts, found {} and {}", times.len(), iters.len()));
    }
    if let Some(count) = iters.iter().find(|count| count.0 <= 0.0 || !count.0.is_finite()) {
        return Err(format!("expected iteration counts above 0, found {}", count.0));
    }
    Ok(iters.iter().zip(times).map(|(count, time)| time.0 / count.0).collect())
}

/// Amounts per second; a time of zero has no rate.
pub(in crate::format) fn rates(times: &[f64], amount: f64, scale: f64) -> Vec<f64> {
    if times.iter().any(|time| *time <= 0.0) {
        return Vec::new();
    }
    times.iter().map(|time| amount / (time * scale)).collect()
}

/// The smallest iteration count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be positive and finite")]
pub(in crate::format) fn fewest(iters: &[Num]) -> Option<u64> {
    iters.iter().map(|count| count.0 as u64).min()
}

/// `sample.json`; before 0.4 a bare pair of lists.
#[derive(Default)]
struct Sample {
    iters: Vec<Num>,
    times: Vec<Num>,
}

impl<'de> Deserialize<'de> for Sample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pair;
        impl<'de> Visitor<'de> for Pair {
            type Value = Sample;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `iters` and `times`, or two lists")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sample, A::Error> {
                let (mut iters, mut times) = (None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "iters" => iters = Some(map.next_value()?),
                        "times" => times = Some(map.next_value()?),
                        _ => drop(map.next_value::<de::IgnoredAny>()?),
                    }
                }
                Ok(Sample {
                    iters: iters.ok_or_else(|| de::Error::missing_field("iters"))?,
                    times: times.ok_or_else(|| de::Error::missing_field("times"))?,
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Sample, A::Error> {
                let iters = sequence.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
                let times = sequence.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
                Ok(Sample { iters, times })
            }
        }
        deserializer.deserialize_any(Pair)
    }
}

impl<'de> Deserialize<'de> for Throughput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(members) = Option::<serde_json::Map<String, serde_json::Value>>::deserialize(deserializer)? else {
            return Ok(Self::default());
        };
        let mut amounts = Vec::new();
        for (key, value) in &members {
            match (key.as_str(), value.as_f64()) {
                ("Bytes" | "BytesDecimal", Some(bytes)) => amounts.push(("B/s", bytes)),
                ("Bits", Some(bits)) => amounts.push(("bit/s", bits)),
                ("Elements", Some(elements)) => amounts.push(("items/s", elements)),
                ("ElementsAndBytes", None) => {
                    amounts.extend(value["elements"].as_f64().map(|elements| ("items/s", elements)));
                    amounts.extend(value["bytes"].as_f64().map(|bytes| ("B/s", bytes)));
                }
                // A kind of work that is not known yet: the time is still read.
                _ => {}
            }
        }
        Ok(Self(amounts))
    }
}
