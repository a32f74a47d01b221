use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, fixture, keys, output, read, row};

#[test]
fn medians_are_read_where_samples_are_empty() {
    let (_, parsed) = read("vitest/out.json");
    assert_eq!(keys(&parsed), [("a.bench.mjs", "sort > native", "sec/op"), ("a.bench.mjs", "sort > copy", "sec/op")]);
    assert_eq!(row(&parsed, "sort > native", "sec/op").values, [0.154_038_000_000_014_1 / 1e3]);
}

#[test]
fn absolute_paths_that_differ_between_sides_do_not_matter() {
    let base = String::from_utf8(fixture("vitest/shapes-3.2.7.json")).unwrap();
    let head = base.replace("/home/u/base", "/other/place/head");
    assert_ne!(base, head);
    assert_eq!(output(base.as_bytes()).unwrap(), output(head.as_bytes()).unwrap());
}

#[test]
fn groups_and_failures_are_read() {
    let (_, parsed) = read("vitest/shapes-3.2.7.json");
    assert_eq!(
        keys(&parsed),
        [
            ("a.bench.ts", "top", "sec/op"),
            ("a.bench.ts", "sort | `x` > native", "sec/op"),
            ("a.bench.ts", "sort | `x` > nested λ > copy > it", "sec/op"),
            ("sub/b.bench.ts", "sort | `x` > native", "sec/op"),
        ]
    );
    let message = "vitest has no result for it: it failed, or was not run";
    assert_eq!(failures(&parsed), [("sort | `x` > throws", Failed, message)]);
}

#[test]
fn samples_are_used_where_they_are_included() {
    let stdout = br#"{"files":[{"filepath":"/x/a.bench.ts","groups":[{"fullName":"a.bench.ts > g","benchmarks":[
        {"id":"1","name":"n","samples":[1.0,2.0,4.0],"sampleCount":3,"median":2.0,"mean":2.3},
        {"id":"2","name":"zero","samples":[],"sampleCount":0,"median":0,"mean":0}]}]}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(row(&parsed, "g > n", "sec/op").values, [1e-3, 2e-3, 4e-3]);
    assert_eq!(failures(&parsed)[0].0, "g > zero");
}

#[test]
fn the_reporter_of_old_versions_has_tasks_by_suite() {
    let stdout = br#"{"numTotalTestSuites":1,"numTotalTests":2,"testResults":{"sort | `x`":[
        {"name":"native","rank":1,"rme":1.2,"hz":2000,"mean":0.5,"samples":[0.4,0.6]},
        {"name":"copy","rank":2,"rme":1.2,"hz":2000,"mean":0.5,"samples":"ignore on terminal"}]}}"#;
    let (format, parsed) = output(stdout).unwrap();
    assert_eq!(format.name(), "vitest");
    assert_eq!(row(&parsed, "sort | `x` > native", "sec/op").values, [0.4 / 1e3, 0.6 / 1e3]);
    assert_eq!(row(&parsed, "sort | `x` > copy", "sec/op").values, [0.5 / 1e3]);
}

#[test]
fn nested_groups_of_versions_1_and_2_are_read() {
    let names = ["top | level", "outer `g` > a b", "outer `g` > inner λ > add", "outer `g` > inner λ > add 2"];
    // The first version had no median: the mean stands in. Milliseconds.
    for (version, top) in [("1.6.1", 0.004_212_891_332_969_597e-3), ("2.1.9", 0.000_247_000_000_172_192_8e-3)] {
        let (_, parsed) = read(&format!("vitest/nested-{version}.json"));
        assert_eq!(keys(&parsed), names.map(|name| ("a.bench.ts", name, "sec/op")), "{version}");
        close(row(&parsed, "top | level", "sec/op").values[0], top);
        let failed: Vec<&str> = failures(&parsed).iter().map(|(name, ..)| *name).collect();
        assert_eq!(failed, ["outer `g` > throws"], "{version}");
    }
}
