use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, files, keys, output, row};
use crate::unit::Direction;
use std::collections::BTreeMap;

/// A full report in the shape of BenchmarkDotNet 0.13; the tool itself does not run where these tests were written.
const FULL: &str = r##"{"Title":"Codec-20240101","HostEnvironmentInfo":{"BenchmarkDotNetVersion":"0.13.12"},"Benchmarks":[
{"DisplayInfo":"Codec.Encode: Job-AAAAAA(Runtime=.NET 8.0) [n=10]","Namespace":"Acme.Text","Type":"Codec","Method":"Encode","Parameters":"n=10","FullName":"Acme.Text.Codec.Encode(n: 10)",
 "Statistics":{"OriginalValues":[24.8,24.5,24.9],"N":3,"Mean":24.73,"Median":24.8,"StandardDeviation":0.2},
 "Memory":{"Gen0Collections":2,"TotalOperations":1024,"BytesAllocatedPerOperation":32},
 "Measurements":[{"IterationMode":"Overhead","IterationStage":"Actual","Operations":4,"Nanoseconds":9},{"IterationMode":"Workload","IterationStage":"Result","Operations":1024,"Nanoseconds":25000}],
 "Metrics":[{"Value":32,"Descriptor":{"Id":"Allocated Memory","Unit":"B","TheGreaterTheBetter":false}},{"Value":0.5,"Descriptor":{"Id":"Gen0Collects","Unit":"Count","TheGreaterTheBetter":false}},{"Value":9,"Descriptor":{"Id":"Hits","Unit":"#","TheGreaterTheBetter":true}}]},
{"DisplayInfo":"Codec.Encode: Job-BBBBBB(Runtime=.NET 9.0) [n=10]","Namespace":"Acme.Text","Type":"Codec","Method":"Encode","Parameters":"n=10","FullName":"Acme.Text.Codec.Encode(n: 10)","Statistics":{"OriginalValues":[20.0],"Median":20.0}},
{"DisplayInfo":"Codec.Fails: DefaultJob","Namespace":"Acme.Text","Type":"Codec","Method":"Fails","Parameters":"","FullName":"Acme.Text.Codec.Fails","Statistics":null,"Memory":null,"Measurements":[],"Metrics":[]}]}"##;

#[test]
fn jobs_memory_metrics_and_failures_are_read() {
    let (format, parsed) = output(FULL.as_bytes()).unwrap();
    assert_eq!(format.name(), "benchmarkdotnet");
    let eight = "Codec.Encode(n: 10) [Job-AAAAAA(Runtime=.NET 8.0)]";
    assert_eq!(row(&parsed, eight, "sec/op").values, [24.8 / 1e9, 24.5 / 1e9, 24.9 / 1e9]);
    assert_eq!(row(&parsed, eight, "B/op").values, [32.0]);
    assert_eq!(row(&parsed, "Codec.Encode(n: 10) [Job-BBBBBB(Runtime=.NET 9.0)]", "sec/op").values, [20.0 / 1e9]);
    assert_eq!(parsed.units["Hits"].better, Some(Direction::Higher));
    assert_eq!(parsed.measurements.len(), 5, "the allocated bytes are there once: {:?}", keys(&parsed));
    assert!(parsed.measurements.iter().all(|row| row.id.package == "Acme.Text"));
    let (name, kind, message) = failures(&parsed)[0];
    assert_eq!((name, kind), ("Codec.Fails", Failed));
    assert!(message.contains("has no statistics"), "{message}");
}

#[test]
fn a_folder_of_brief_reports_is_read() {
    let brief = br#"{"Title":"x","HostEnvironmentInfo":{},"Benchmarks":[{"ShortInfo":"S","Namespace":null,"Type":"T","Method":"Sleep10","Parameters":"n=1","Statistics":{"N":20,"Median":10360382.7,"Mean":10362283.1}}]}"#;
    let tree = BTreeMap::from([
        ("BenchmarkDotNet.Artifacts/results/A-report-brief.json".to_owned(), brief.to_vec()),
        ("BenchmarkDotNet.Artifacts/results/A-report.csv".to_owned(), b"Method;Job\nA;B\n".to_vec()),
    ]);
    let (_, parsed) = files(b"", &tree).unwrap();
    assert_eq!(keys(&parsed), [("", "T.Sleep10(n=1)", "sec/op")]);
    close(parsed.measurements[0].values[0], 10_360_382.7e-9);
}

#[test]
fn measurements_stand_in_for_values() {
    let stdout = r#"{"Benchmarks":[{"Method":"M","FullName":"T.M","Statistics":{"Mean":1},"Measurements":[
        {"IterationMode":"Workload","IterationStage":"Warmup","Operations":1,"Nanoseconds":99},
        {"IterationMode":"Workload","IterationStage":"Result","Operations":10,"Nanoseconds":250}]}]}"#;
    assert_eq!(output(stdout.as_bytes()).unwrap().1.measurements[0].values, [25e-9]);
}
