//! What is common to all formats: detection, errors, and that no output of any kind can make a parser panic.

use super::*;
use std::path::{Path, PathBuf};

mod documentation;
mod garbled;
mod go;
mod streams;

/// A file of `tests/data/formats`.
pub(super) fn fixture(path: &str) -> Vec<u8> {
    let path = data().join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats")
}

/// Every file of `tests/data/formats`, with its path below it.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![data()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(data()).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Reads standard output that was kept in a file.
pub(super) fn read(path: &str) -> (Format, Parsed) {
    output(&fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Reads standard output under `auto`.
pub(super) fn output(stdout: &[u8]) -> Result<(Format, Parsed), FormatError> {
    as_format("auto", stdout)
}

/// Reads standard output as `format`.
pub(super) fn as_format(format: &str, stdout: &[u8]) -> Result<(Format, Parsed), FormatError> {
    parse(format, &Input { stdout, files: &BTreeMap::new() })
}

/// Reads files under `auto`, beside a standard output.
pub(super) fn files(stdout: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Result<(Format, Parsed), FormatError> {
    parse("auto", &Input { stdout, files })
}

/// The files of a folder of `tests/data/formats`, by path below `tests/data/formats`.
pub(super) fn folder(path: &str) -> BTreeMap<String, Vec<u8>> {
    fixtures().into_iter().filter(|(name, _)| name.starts_with(path)).collect()
}

/// The measurement of a benchmark and unit.
pub(super) fn row<'a>(parsed: &'a Parsed, name: &str, unit: &str) -> &'a Measurement {
    parsed
        .measurements
        .iter()
        .find(|row| row.id.name == name && row.unit == unit)
        .unwrap_or_else(|| panic!("no {name} in {unit}: {:#?}", keys(parsed)))
}

/// Package, name and unit of every measurement, in order.
pub(super) fn keys(parsed: &Parsed) -> Vec<(&str, &str, &str)> {
    parsed.measurements.iter().map(|row| (row.id.package.as_str(), row.id.name.as_str(), row.unit.as_str())).collect()
}

/// Name, kind and message of every failure.
pub(super) fn failures(parsed: &Parsed) -> Vec<(&str, FailureKind, &str)> {
    parsed.failures.iter().map(|failure| (failure.id.name.as_str(), failure.kind, failure.message.as_str())).collect()
}

/// Asserts that two numbers are equal but for rounding.
#[track_caller]
pub(super) fn close(left: f64, right: f64) {
    assert!((left - right).abs() <= right.abs() * 1e-12, "{left} is not {right}");
}

/// Whether some warning holds `words`.
pub(super) fn warned(parsed: &Parsed, words: &str) -> bool {
    parsed.warnings.iter().any(|warning| warning.message.contains(words))
}
