//! Any bytes as the output of `go test -bench`.
#![no_main]

use bench_bot::format::go::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let parsed = parse(bytes);
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    for measurement in &parsed.measurements {
        assert!(!measurement.values.is_empty());
        assert!(measurement.values.iter().all(|value| !value.is_nan()));
        assert!((1..=lines).contains(&measurement.line));
    }
    assert!(parsed.warnings.iter().all(|warning| warning.line <= lines));
});
