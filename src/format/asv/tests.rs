use crate::format::FailureKind::{Failed, Skipped};
use crate::format::tests::{failures, files, folder, output, row};
use crate::format::{Format, tests::keys};

#[test]
fn samples_parameters_failures_and_units_are_read_from_the_folder() {
    let (format, parsed) = files(b"", &folder("asv/results")).unwrap();
    assert_eq!(format, Format::Asv);
    let sorted = row(&parsed, "b.TimeSuite.time_sort(n=10, kind='x|y')", "sec/op");
    assert_eq!(sorted.values.len(), 6);
    assert_eq!(sorted.values[0], 5.090_000_286_145_368e-7);
    assert_eq!(row(&parsed, "b.time_plain", "sec/op").values.len(), 6);
    assert_eq!(row(&parsed, "b.mem_list", "B").values, [2104.0]);
    assert_eq!(row(&parsed, "b.peakmem_list", "peak-B").values, [24_788_992.0]);
    assert_eq!(row(&parsed, "b.track_count", "widgets").values, [42.0]);
    assert_eq!(
        failures(&parsed),
        [
            ("b.TimeSuite.time_sort(n=100, kind='x|y')", Skipped, "not measured (n/a)"),
            ("b.time_fails", Failed, "asv has no result: it failed"),
        ]
    );
}

#[test]
fn without_the_description_the_name_tells_the_unit() {
    let mut tree = folder("asv/results");
    tree.retain(|path, _| !path.ends_with("benchmarks.json"));
    let (_, parsed) = files(b"", &tree).unwrap();
    row(&parsed, "b.TimeSuite.time_sort(10, 'a b')", "sec/op");
    row(&parsed, "b.mem_list", "B");
    row(&parsed, "b.track_count", "unit");
}

#[test]
fn the_first_version_is_read() {
    let stdout = br#"{"commit_hash": "x", "params": {"arch": "x86_64"}, "version": 1, "results": {
        "b.time_bare": 0.25,
        "b.time_null": null,
        "b.time_params": {"params": [["1", "2"], ["'a'"]], "result": [0.5, null], "samples": [[0.4, 0.6], null]}}}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(keys(&parsed), [("", "b.time_bare", "sec/op"), ("", "b.time_params(1, 'a')", "sec/op")]);
    assert_eq!(row(&parsed, "b.time_params(1, 'a')", "sec/op").values, [0.4, 0.6]);
    let failed: Vec<&str> = failures(&parsed).iter().map(|(name, ..)| *name).collect();
    assert_eq!(failed, ["b.time_null", "b.time_params(2, 'a')"]);
}
