use crate::format::FailureKind::Failed;
use crate::format::tests::{failures, keys, output, read, row, warned};

#[test]
fn every_run_is_a_sample_and_parameters_tell_commands_apart() {
    let (_, parsed) = read("hyperfine/out.json");
    let times: Vec<(&str, usize)> = parsed
        .measurements
        .iter()
        .filter(|row| row.unit == "sec/op")
        .map(|row| (row.id.name.as_str(), row.values.len()))
        .collect();
    assert_eq!(times, [("sleep 0.01/n=1", 12), ("true/n=1", 12), ("sleep 0.02/n=2", 12), ("true/n=2", 12)]);
    assert_eq!(row(&parsed, "true/n=1", "sec/op").values[..2], [0.0, 0.0]);
    assert_eq!(row(&parsed, "sleep 0.01/n=1", "user-sec/op").values, [0.001_637_18]);
    assert!(warned(&parsed, "true/n=1: 2 of 12 runs took less time than the shell itself"));
}

#[test]
fn memory_is_a_row_where_it_was_measured() {
    let (_, parsed) = read("hyperfine/out-1.20.json");
    assert_eq!(row(&parsed, "ls /", "max-rss-B").values, [2_998_272.0; 12]);
    assert_eq!(row(&parsed, "sleep 0.01", "sys-sec/op").values, [0.0]);
}

#[test]
fn a_command_that_failed_was_not_measured_though_it_has_times() {
    let (_, parsed) = read("hyperfine/fail-1.15.json");
    let message = "the command exited with 1 in 5 of 5 runs (expected to? append `|| true`)";
    assert_eq!(failures(&parsed), [("false", Failed, message)]);
    assert_eq!(parsed.measurements[0].id.name, "sh -c \"exit 0\"");
    let (_, parsed) = read("hyperfine/fail-ignored-1.20.json");
    assert!(parsed.measurements.is_empty() && parsed.failures.len() == 1);
}

#[test]
fn parameters_that_the_command_shows_are_not_repeated() {
    let (_, parsed) = read("hyperfine/params-1.15.json");
    let names: Vec<&str> =
        keys(&parsed).iter().filter(|(.., unit)| *unit == "sec/op").map(|(_, name, _)| *name).collect();
    assert_eq!(
        names[..4],
        [
            "printf \"%s\" \"a b 1\"/kind=a b",
            "true/kind=a b/n=1",
            "printf \"%s\" \"a b 2\"/kind=a b",
            "true/kind=a b/n=2"
        ]
    );
}

#[test]
fn one_run_has_no_deviation_and_a_name_of_its_own() {
    let (_, parsed) = read("hyperfine/one-1.15.json");
    assert_eq!(row(&parsed, "named | `x`", "sec/op").values, [0.008_486_756_02]);
}

#[test]
fn a_signal_is_a_failure_and_missing_times_give_the_median() {
    let stdout = br#"{"results": [
        {"command": "crash", "mean": 1.0, "times": [1.0], "exit_codes": [null]},
        {"command": "old", "mean": 3.0, "stddev": null, "median": 2.0, "user": null, "system": 0.5}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(failures(&parsed)[0].0, "crash");
    assert!(failures(&parsed)[0].2.contains("was ended by a signal in 1 of 1 runs"));
    assert_eq!(keys(&parsed), [("", "old", "sec/op"), ("", "old", "sys-sec/op")]);
    assert_eq!(row(&parsed, "old", "sec/op").values, [2.0]);
}
