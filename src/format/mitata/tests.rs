use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, keys, output, read, row};

#[test]
fn samples_arguments_groups_and_errors_are_read() {
    let (_, parsed) = read("mitata/out.slim.json");
    assert_eq!(keys(&parsed), [("", "sort 100", "sec/op"), ("", "sort 1000", "sec/op"), ("str", "join", "sec/op")]);
    let sort = row(&parsed, "sort 100", "sec/op");
    assert_eq!((sort.values.len(), sort.iterations), (12, Some(4096)));
    close(sort.values[0], 11_572.333_984_375e-9);
    assert_eq!(failures(&parsed), [("throws", Failed, "boom")]);
}

#[test]
fn one_name_in_two_groups_is_two_benchmarks() {
    let (_, parsed) = read("mitata/samples-1.0.34.slim.json");
    assert_eq!(
        keys(&parsed),
        [
            ("", "sort 10", "sec/op"),
            ("", "sort 100", "sec/op"),
            ("str | `x`", "join", "sec/op"),
            ("str | `x`", "sort 10", "sec/op"),
            ("λ", "join", "sec/op"),
        ]
    );
    let mut values = parsed.measurements[0].values.clone();
    values.sort_by(f64::total_cmp);
    close(f64::midpoint(values[5], values[6]), 18_218.224_243_164e-9);
}

#[test]
fn without_samples_the_median_is_the_value() {
    let (_, parsed) = read("mitata/no-samples-1.0.34.json");
    close(row(&parsed, "sort 10", "sec/op").values[0], 14_447.550_781_25e-9);
    assert_eq!(parsed.measurements.len(), 5);
}

#[test]
fn before_version_1_a_benchmark_was_its_run() {
    let (format, parsed) = read("mitata/flat-0.1.11.json");
    assert_eq!(format.name(), "mitata");
    assert_eq!(
        keys(&parsed),
        [("", "noop", "sec/op"), ("str | `x`", "join", "sec/op"), ("str | `x`", "sort", "sec/op")]
    );
    close(row(&parsed, "join", "sec/op").values[0], 50.475_585_937_5e-9);
    assert_eq!(failures(&parsed), [("throws", Failed, "boom")]);
}

#[test]
fn whatever_was_thrown_is_the_message() {
    let stdout = br#"{"layout":[],"benchmarks":[{"alias":"a","runs":[{"name":"a","error":"plain"},{"name":"b","error":{"code":7}},{"name":"c","stats":null},{"stats":{"p50":null,"avg":5}}]}],"context":{}}"#;
    let (_, parsed) = output(stdout).unwrap();
    let said: Vec<(&str, &str)> = failures(&parsed).iter().map(|(name, _, message)| (*name, *message)).collect();
    assert_eq!(said, [("a", "plain"), ("b", "{\"code\":7}"), ("c", "mitata has no result for it")]);
    assert_eq!(row(&parsed, "a", "sec/op").values, [5e-9]);
}

#[test]
fn generators_and_ranges_of_arguments_are_benchmarks_of_their_own() {
    let (_, parsed) = read("mitata/arguments-1.0.34.slim.json");
    let names: Vec<(&str, &str)> = keys(&parsed).iter().map(|(group, name, _)| (*group, *name)).collect();
    assert_eq!(
        names,
        [
            ("", "noop | `x`"),
            ("g one", "sort(10)"),
            ("g one", "sort(20)"),
            ("", "range 8"),
            ("", "range 64"),
            ("", "many 1,3"),
            ("", "many 2,3"),
            ("", "async"),
        ]
    );
    let mut values = row(&parsed, "sort(20)", "sec/op").values.clone();
    values.sort_by(f64::total_cmp);
    let middle = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
    close(middle, 1_845.336_669_921_875e-9);
    assert_eq!(failures(&parsed), [("throws", Failed, "no | such")]);
}
