use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, keys, output, read, row};

#[test]
fn every_major_version_and_shape_gives_the_samples() {
    for path in [
        "tinybench/tasks-6.2.5.slim.json",
        "tinybench/flat-6.2.5.slim.json",
        "tinybench/tasks-3.1.1.slim.json",
        "tinybench/flat-3.1.1.slim.json",
        "tinybench/whole-3.1.1.slim.json",
        "tinybench/tasks-2.9.0.slim.json",
        "tinybench/flat-2.9.0.slim.json",
        "tinybench/whole-2.9.0.slim.json",
    ] {
        let (format, parsed) = read(path);
        assert_eq!(format.name(), "tinybench", "{path}");
        assert_eq!(keys(&parsed), [("", "sort | `x`", "sec/op"), ("", "join λ", "sec/op")], "{path}");
        assert!(parsed.measurements.iter().all(|row| row.values.len() == 11), "{path}");
        assert_eq!(failures(&parsed)[0].0, "throws", "{path}");
    }
    let (_, parsed) = read("tinybench/tasks-2.9.0.slim.json");
    close(row(&parsed, "sort | `x`", "sec/op").values[0], 0.000_157_999_999_998_992_28e-3);
}

#[test]
fn latency_wins_over_the_flat_members_that_repeat_it() {
    let (_, parsed) = read("tinybench/out.json");
    assert_eq!(keys(&parsed), [("", "sort 1000", "sec/op"), ("", "join", "sec/op")]);
    close(row(&parsed, "sort 1000", "sec/op").values[0], 0.148_867_999_999_993_12e-3);
}

#[test]
fn the_table_has_medians_and_messages() {
    let (_, parsed) = read("tinybench/table-6.2.5.slim.json");
    assert_eq!(row(&parsed, "sort | `x`", "sec/op").values, [156e-9]);
    assert_eq!(failures(&parsed), [("throws", Failed, "no file")]);
}

#[test]
fn without_samples_the_median_then_the_mean_then_the_rate() {
    let stdout = br#"{"tasks": [
        {"name": "p50", "result": {"latency": {"mean": 3, "p50": 2}, "hz": 9}},
        {"name": "mean", "result": {"hz": 250, "mean": 4, "samples": []}},
        {"name": "hz", "result": {"hz": 250, "samples": []}},
        {"name": "none", "result": {"state": "aborted"}}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(keys(&parsed), [("", "p50", "sec/op"), ("", "mean", "sec/op"), ("", "hz", "ops/s")]);
    assert_eq!(failures(&parsed), [("none", Failed, "tinybench has no time for it (aborted)")]);
}

#[test]
fn a_task_that_throws_failed_whether_samples_are_kept_or_not() {
    for version in ["5.1.0", "6.2.3"] {
        for kept in ["kept", "not-kept"] {
            let path = format!("tinybench/{kept}-{version}.slim.json");
            let (_, parsed) = read(&path);
            let names: Vec<&str> = keys(&parsed).iter().map(|(_, name, _)| *name).collect();
            assert_eq!(names, ["sort | n", "async λ"], "{path}");
            let failed: Vec<&str> = failures(&parsed).iter().map(|(name, ..)| *name).collect();
            assert_eq!(failed, ["throws"], "{path}");
        }
    }
    // Milliseconds, the median that the tool gives.
    let (_, parsed) = read("tinybench/not-kept-6.2.3.slim.json");
    close(row(&parsed, "async λ", "sec/op").values[0], 0.000_335_999_999_947_489_4e-3);
}
