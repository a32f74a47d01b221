use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, keys, output, read, row};

#[test]
fn values_of_all_runs_are_samples_and_warmups_are_not() {
    let (_, parsed) = read("pyperf/timeit.json");
    let row = row(&parsed, "timeit", "sec/op");
    let mut values = row.values.clone();
    values.sort_by(f64::total_cmp);
    assert_eq!((values.len(), row.iterations), (20, Some(65_536)));
    // Of the 20 values in the file, by another program.
    assert_eq!(f64::midpoint(values[9], values[10]), 2.027_683_525_078_483e-6);
}

#[test]
fn a_suite_names_its_benchmarks_and_memory_has_a_unit_of_its_own() {
    let (_, parsed) = read("pyperf/suite-2.11.json");
    assert_eq!(keys(&parsed), [("", "sort | `x`", "sec/op"), ("", "join", "sec/op"), ("", "two words", "sec/op")]);
    assert!(parsed.measurements.iter().all(|row| row.values.len() == 6));
    // 8192 loops with an inner loop of 2.
    assert_eq!(row(&parsed, "two words", "sec/op").iterations, Some(16_384));
    let (_, parsed) = read("pyperf/memory-2.11.json");
    assert_eq!(row(&parsed, "timeit", "peak-B").values.len(), 2);
}

#[test]
fn a_benchmark_that_only_calibrated_failed() {
    let stdout =
        br#"{"version": "1.0", "metadata": {"name": "x"}, "benchmarks": [{"runs": [{"warmups": [[1, 0.5]]}]}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(failures(&parsed), [("x", Failed, "pyperf has no values of it")]);
}

#[test]
fn version_2_6_and_names_of_any_kind_are_read() {
    let (_, parsed) = read("pyperf/names-2.6.1.json");
    for (name, median) in [("a b|c", 1.971_600_967_404_23e-6), ("λ", 1.382_797_603_609_320_4e-6)] {
        let mut values = row(&parsed, name, "sec/op").values.clone();
        assert_eq!(values.len(), 6, "two processes with three values each; those that calibrate have none");
        values.sort_by(f64::total_cmp);
        close(f64::midpoint(values[2], values[3]), median);
    }
}
