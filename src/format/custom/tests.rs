use crate::format::FailureKind::Failed;
use crate::format::tests::{as_format, failures, keys, output, row};
use crate::unit::Direction::{Higher, Lower};

const ROWS: &str = r#"[
    {"name": "CPU Load", "unit": "Percent", "value": 50, "range": "5%", "extra": "text | `x`"},
    {"name": "Throughput", "unit": "req/s", "value": "70.5", "range": 0.5},
    {"name": "Memory Used", "unit": "Megabytes", "value": 100}]"#;

#[test]
fn the_direction_is_the_units_or_the_formats() {
    let (format, parsed) = output(ROWS.as_bytes()).unwrap();
    assert_eq!(format.name(), "custom");
    assert_eq!(keys(&parsed), [("", "CPU Load", "%"), ("", "Throughput", "requests/s"), ("", "Memory Used", "B")]);
    assert_eq!(row(&parsed, "Throughput", "requests/s").values, [70.5]);
    assert_eq!(row(&parsed, "Memory Used", "B").values, [100e6]);
    assert!(parsed.units.is_empty(), "nothing is stated: {:?}", parsed.units);

    let (_, parsed) = as_format("custom-smaller", ROWS.as_bytes()).unwrap();
    assert_eq!(parsed.units["%"].better, Some(Lower));
    let (format, parsed) = as_format("customBiggerIsBetter", ROWS.as_bytes()).unwrap();
    assert_eq!((format.name(), parsed.units["%"].better), ("custom-bigger", Some(Higher)));
}

#[test]
fn a_direction_against_the_units_own_makes_a_unit_of_its_own() {
    let stdout = br#"[
        {"name": "Free Memory", "unit": "MB", "value": 150, "biggerIsBetter": true},
        {"name": "Used Memory", "unit": "MB", "value": 100, "biggerIsBetter": false},
        {"name": "Score", "unit": "points", "value": 1, "biggerIsBetter": true},
        {"name": "Faults", "unit": "points", "value": 2, "biggerIsBetter": false}]"#;
    let (_, parsed) = output(stdout).unwrap();
    for (name, unit, better) in [
        ("Free Memory", "B (higher is better)", Higher),
        ("Used Memory", "B", Lower),
        ("Score", "points (higher is better)", Higher),
        ("Faults", "points (lower is better)", Lower),
    ] {
        row(&parsed, name, unit);
        assert_eq!(parsed.units[unit].better, Some(better), "{name}");
    }
}

#[test]
fn lines_of_rows_are_read_and_repeated_rows_are_samples() {
    let stdout = br#"{ "extra": "100 samples", "name": "Fibonacci 10", "range": "0", "unit": "ns", "value": 7 }
{ "name": "Fibonacci 10", "unit": "us", "value": 0.009, "biggerIsBetter": false }
{ "name": "broken", "unit": "ns", "value": null, "range": "" }
"#;
    let (format, parsed) = output(stdout).unwrap();
    assert_eq!(format.name(), "custom");
    assert_eq!(row(&parsed, "Fibonacci 10", "sec").values, [7e-9, 9e-9]);
    assert_eq!(failures(&parsed), [("broken", Failed, "its value is null")]);
}

#[test]
fn a_row_without_its_parts_is_named_by_line() {
    let error = output(b"[\n{\"name\": \"a\", \"unit\": \"ns\", \"value\": 1},\n{\"unit\": \"ns\", \"value\": 1}\n]")
        .unwrap_err();
    assert_eq!(error.to_string(), "standard output, line 3: reading custom: missing field `name`");
    let error = output(b"[{\"name\": \"a\", \"unit\": \"ns\", \"value\": \"fast\"}]").unwrap_err();
    assert!(error.to_string().contains("invalid value: string \"fast\", expected a number"), "{error}");
}
