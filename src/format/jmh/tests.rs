use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, keys, output, read, row};

#[test]
fn iterations_of_all_forks_are_samples() {
    let (_, parsed) = read("jmh/forks-1.37.json");
    assert_eq!(keys(&parsed), [("com.example.codec", "EncodeBench.encode/kind=x/n=10", "sec/op")]);
    let values = &parsed.measurements[0].values;
    assert_eq!(values.len(), 4);
    // `score`, the mean of the iterations, is 2.182799533235361 us/op.
    close(values.iter().sum::<f64>() / 4.0, 2.182_799_533_235_361e-6);
}

#[test]
fn modes_groups_and_parameters_are_told_apart() {
    let (_, parsed) = read("jmh/modes-1.37.slim.json");
    let name = "EncodeBench.encode/kind=a b/n=10";
    close(row(&parsed, name, "ops/s").values[0], 0.017_711_060_083_251_132e6);
    for (mode, samples) in [("avgt", 3), ("sample", 138), ("ss", 3)] {
        assert_eq!(row(&parsed, &format!("{name}/mode={mode}"), "sec/op").values.len(), samples, "{mode}");
    }
    // The median of the 138 counted values, by another program.
    let mut values = row(&parsed, &format!("{name}/mode=sample"), "sec/op").values.clone();
    values.sort_by(f64::total_cmp);
    close(f64::midpoint(values[68], values[69]), 0.323e-6);
    close(row(&parsed, "EncodeBench.rw/kind=x|y/n=10:read", "ops/s").values[0], 7_431_529.162_608_528);
    assert!(keys(&parsed).iter().all(|(_, name, unit)| !name.contains("p0.") && !unit.contains("p0.")), "percentiles");
}

#[test]
fn profilers_are_rows_of_the_benchmark() {
    let (_, parsed) = read("jmh/gc-1.37.json");
    let name = "EncodeBench.encode/kind=x/n=10";
    close(row(&parsed, name, "B/op").values[0], 376.328_945_982_942);
    close(row(&parsed, name, "gc.alloc.rate-B/s").values[0], 77.931_477_185_372e6);
    close(row(&parsed, name, "gc.time-sec").values[0], 0.017);
    assert_eq!(row(&parsed, name, "gc.count").values, [1.0]);
    assert_eq!(crate::unit::properties("gc.alloc.rate-B/s").better, None);
}

#[test]
fn scores_that_are_no_numbers_and_units_of_any_scale() {
    let run = |name: &str, metric: &str| {
        format!(
            r#"{{"jmhVersion":"1.37","benchmark":"{name}","mode":"thrpt","threads":1,"primaryMetric":{metric},"secondaryMetrics":{{}}}}"#
        )
    };
    let stdout = format!(
        "[{},{},{},{}]",
        run("a.B.nan", r#"{"score":"NaN","scoreError":"NaN","scoreUnit":"ops/ms","rawData":[["NaN"]]}"#),
        run("a.B.raw", r#"{"score":1523.1,"scoreError":"NaN","scoreUnit":"ops/ms","rawData":[[1520.0,1525.1]]}"#),
        run("B.bare", r#"{"score":7,"scoreUnit":"ops/min"}"#),
        run("none", r#"{"score":null,"scoreUnit":"ops/s","rawData":[]}"#),
    );
    let (_, parsed) = output(stdout.as_bytes()).unwrap();
    assert_eq!(row(&parsed, "B.raw", "ops/s").values, [1_520_000.0, 1_525_100.0]);
    close(row(&parsed, "B.bare", "ops/s").values[0], 7.0 / 60.0);
    let failed: Vec<&str> =
        failures(&parsed).iter().filter(|(_, kind, _)| *kind == Failed).map(|(name, ..)| *name).collect();
    assert_eq!(failed, ["none", "B.nan"]);
}

#[test]
fn old_versions_mark_profilers_and_threads_tell_runs_apart() {
    let run = |threads: u32| {
        format!(
            r##"{{"benchmark":"p.B.m","mode":"avgt","threads":{threads},"primaryMetric":{{"score":1,"scoreUnit":"ns/op"}},
            "secondaryMetrics":{{"\u00b7gc.alloc.rate.norm":{{"score":24.0,"scoreUnit":"B/op"}},"instructions":{{"score":99,"scoreUnit":"#/op"}}}}}}"##
        )
    };
    let (_, parsed) = output(format!("[{},{}]", run(1), run(4)).as_bytes()).unwrap();
    for threads in [1, 4] {
        assert_eq!(row(&parsed, &format!("B.m/threads={threads}"), "B/op").values, [24.0]);
        assert_eq!(row(&parsed, &format!("B.m/threads={threads}"), "instructions/op").values, [99.0]);
    }
}
