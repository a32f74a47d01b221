use crate::format::tests::{as_format, keys, output, row};
use crate::unit::Direction;

#[test]
fn built_in_measures_have_units_and_bounds_are_no_values() {
    let stdout = br#"{"bench | `x`": {"latency": {"value": 88.0, "lower_value": 87.42, "upper_value": null}, "throughput": {"value": 5.5}},
        "build": {"build-time": {"value": 3.5}, "file-size": {"value": 4096}, "widgets": {"value": 7}}}"#;
    let (format, parsed) = output(stdout).unwrap();
    assert_eq!(format.name(), "bmf");
    assert_eq!(
        keys(&parsed),
        [
            ("", "bench | `x`", "sec/op"),
            ("", "bench | `x`", "ops/s"),
            ("", "build", "build-sec"),
            ("", "build", "size-B"),
            ("", "build", "widgets"),
        ]
    );
    assert_eq!(row(&parsed, "bench | `x`", "sec/op").values, [88.0 / 1e9]);
    assert_eq!(parsed.units["ops/s"].better, Some(Direction::Higher));
}

#[test]
fn parameters_are_part_of_the_name_and_numbers_equal_however_written() {
    let stdout = br#"{"disk": [
        {"parameters": {"size_mb": 16, "op": "read"}, "measures": {"latency": {"value": 1.0, "p99": 10.0}}},
        {"parameters": {"op": "read", "size_mb": 1.6e1}, "measures": {"latency": {"value": 2.0}}},
        {"measures": {"throughput": {"value": 2.0}}}],
        "flat": {"latency": {"value": 42.0}}}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(row(&parsed, "disk/op=read/size_mb=16", "sec/op").values, [1.0 / 1e9, 2.0 / 1e9]);
    assert_eq!(row(&parsed, "disk/op=read/size_mb=16", "p99-sec/op").values, [10.0 / 1e9]);
    assert_eq!(row(&parsed, "disk", "ops/s").values, [2.0]);
    row(&parsed, "flat", "sec/op");
}

#[test]
fn other_json_is_not_taken_for_it() {
    for stdout in [r#"{"a": {"b": {"c": 1}}}"#, r#"{"a": {"b": 1}}"#, r#"{"name": "a", "value": 1}"#] {
        assert!(output(stdout.as_bytes()).is_err(), "{stdout}");
        assert!(as_format("bmf", stdout.as_bytes()).is_err() || !stdout.contains("name"), "{stdout}");
    }
}
