//! Any bytes as the output of any tool.
#![no_main]

use bench_bot::format::{Input, parse};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

fuzz_target!(|bytes: &[u8]| {
    let files = BTreeMap::new();
    if let Ok((_, parsed)) = parse("auto", &Input { stdout: bytes, files: &files }) {
        assert!(parsed.measurements.iter().all(|measurement| !measurement.values.is_empty()));
    }
});
