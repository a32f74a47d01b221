use crate::format::tests::{keys, output, row, warned};

/// In the shape of BenchmarkTools 1.6; Julia itself does not run where these tests were written.
const REPORT: &str = r#"[{"Julia":"1.11.1","BenchmarkTools":{"major":1,"minor":6,"patch":0,"prerelease":[],"build":[]}},[
["BenchmarkGroup",{"data":{
  "fib":["BenchmarkGroup",{"data":{
    "20":["Trial",{"allocs":2,"gctimes":[0.0,0.0],"memory":64,"params":["Parameters",{"evals":9,"samples":10000}],"times":[31028.0,31101.0,null]}],
    "(1, 2)":["BenchmarkTools.TrialEstimate",{"allocs":0,"time":246.5,"memory":0,"params":["BenchmarkTools.Parameters",{"evals":390}],"gctime":0.0}]},"tags":["a"]}],
  ":sym":["TrialJudgement",{}]},"tags":[]}],
["Trial",{"allocs":0,"gctimes":[],"memory":0,"params":["Parameters",{"evals":1}],"times":[5.0]}]]]"#;

#[test]
fn trials_give_their_times_and_estimates_one_time() {
    let (format, parsed) = output(REPORT.as_bytes()).unwrap();
    assert_eq!(format.name(), "benchmarktools");
    let trial = row(&parsed, "fib/20", "sec/op");
    assert_eq!((trial.values.as_slice(), trial.iterations), (&[31_028.0 / 1e9, 31_101.0 / 1e9][..], Some(9)));
    assert_eq!(row(&parsed, "fib/20", "B/op").values, [64.0]);
    assert_eq!(row(&parsed, "fib/20", "allocs/op").values, [2.0]);
    assert_eq!(row(&parsed, "fib/(1, 2)", "sec/op").values, [246.5 / 1e9]);
    assert_eq!(row(&parsed, "(unnamed)", "sec/op").values, [5.0 / 1e9], "a trial that was saved without a group");
    assert_eq!(keys(&parsed).len(), 9);
    assert!(warned(&parsed, ":sym: a TrialJudgement is no measurement"));
}
