use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, fixture, keys, output, read, row, warned};

#[test]
fn the_file_is_the_package_and_data_are_the_samples() {
    let (_, parsed) = read("pytest-benchmark/out.slim.json");
    assert_eq!(
        keys(&parsed),
        [
            ("test_b.py", "test_fib", "sec/op"),
            ("test_b.py", "test_sort[10]", "sec/op"),
            ("test_b.py", "test_sort[1000]", "sec/op"),
            ("test_b.py", "TestGroup::test_join", "sec/op"),
            ("test_b.py", "TestGroup::test_pedantic", "sec/op"),
        ]
    );
    let pedantic = row(&parsed, "TestGroup::test_pedantic", "sec/op");
    let mut values = pedantic.values.clone();
    values.sort_by(f64::total_cmp);
    // `stats.median` of this file.
    assert_eq!(f64::midpoint(values[9], values[10]), 1.031_330_002_660_979_6e-5);
    assert_eq!((pedantic.values.len(), pedantic.iterations), (20, Some(10)));
}

#[test]
fn parameters_of_any_kind_stay_in_the_name() {
    let (_, parsed) = read("pytest-benchmark/parameters-5.3.1.slim.json");
    for name in ["test_param[a b-3]", "test_param[x|y-30]", "test_param[`t`-3]", "test_param[\\u03bb-3]"] {
        row(&parsed, name, "sec/op");
    }
    assert_eq!(row(&parsed, "TestGroup::test_once", "sec/op").values.len(), 1);
    assert!(parsed.failures.is_empty());
}

#[test]
fn a_report_without_data_gives_medians_and_says_so() {
    let text = String::from_utf8(fixture("pytest-benchmark/saved-without-data-5.3.1.json")).unwrap();
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(parsed.measurements.len(), 1);
    assert_eq!(parsed.measurements[0].values.len(), 1);
    assert!(warned(&parsed, "1 benchmarks have only summaries; use --benchmark-json"));
    let (median, placeholder) = (2.5e-5, "\"... left out\"");
    let stdout = format!(
        r#"{{"benchmarks": [{{"name": "t", "fullname": "a/t.py::t[x::y]", "options": {{}}, "stats": {{"median": {median}, "mean": 1, "data": [{placeholder}]}}}}]}}"#
    );
    let (_, parsed) = output(stdout.as_bytes()).unwrap();
    assert_eq!((keys(&parsed)[0], parsed.measurements[0].values[0]), (("a/t.py", "t[x::y]", "sec/op"), median));
}

#[test]
fn errors_and_missing_statistics_are_failures() {
    let stdout = br#"{"benchmarks": [
        {"name": "a", "fullname": "t.py::a", "options": {}, "has_error": true, "stats": {"median": 1, "data": [1]}},
        {"name": "b", "fullname": "t.py::b", "options": {}, "stats": null},
        {"name": "c", "fullname": "t.py::c", "options": {}, "stats": {"median": NaN, "data": [NaN, 1.0], "ops": Infinity}}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert!(parsed.measurements.is_empty());
    let names: Vec<(&str, bool)> = failures(&parsed).iter().map(|(name, kind, _)| (*name, *kind == Failed)).collect();
    assert_eq!(names, [("a", true), ("b", true), ("c", true)]);
}

#[test]
fn version_4_and_parameters_that_look_like_anything_are_read() {
    let (_, parsed) = read("pytest-benchmark/names-4.0.0.slim.json");
    let found = keys(&parsed);
    let names: Vec<&str> = found.iter().map(|(_, name, _)| *name).collect();
    let expected = [
        "test_enc[a b]",
        "test_enc[x|y]",
        "test_enc[`t`]",
        "test_enc[\\xfcn\\xef]",
        "test_enc[[0]]",
        "test_enc[a::b]",
        "test_pedantic",
        "TestC::test_in_class",
    ];
    assert_eq!(names, expected);
    assert!(found.iter().all(|(package, ..)| *package == "test_b.py"));
    // A value is the time of one call also where a round makes ten.
    let mut values = row(&parsed, "test_pedantic", "sec/op").values.clone();
    values.sort_by(f64::total_cmp);
    close(values[2], 8.890_001_481_631_771e-8);
}
