use crate::format::FailureKind::{Failed, Skipped};
use crate::format::tests::{as_format, close, failures, fixture, keys, output, read, row, warned};

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn wall_and_cpu_time_rates_and_counters_are_rows() {
    let (_, parsed) = read("google-benchmark/out.json");
    close(row(&parsed, "BM_Sort/1000", "sec/op").values[0], 10.893_075_385_042_82e-6);
    close(row(&parsed, "BM_Sort/1000", "cpu-sec/op").values[0], 10.689_491_218_589_573e-6);
    close(row(&parsed, "BM_Sort/1000", "B/s").values[0], 374_199_287.712_007);
    close(row(&parsed, "BM_Sort/1000", "items/s").values[0], 93_549_821.928_002_42);
    close(row(&parsed, "BM_Str/real_time/threads:2", "foo").values[0], 18_497_088.399_988_167);
    assert_eq!(row(&parsed, "BM_Sort/100", "sec/op").iterations, Some(146_903));
    assert_eq!(failures(&parsed), [("BM_Err", Failed, "no gpu")]);
    let config = &row(&parsed, "BM_Sort/100", "sec/op").config;
    assert_eq!((config["num_cpus"].as_str(), config["library_build_type"].as_str()), ("2", "debug"));
    assert!(!config.contains_key("date") && warned(&parsed, "built without optimisation"));
}

#[test]
fn repetitions_are_samples_and_aggregates_are_not() {
    let (_, parsed) = read("google-benchmark/reps.json");
    // The tool's own `_median` rows.
    for (name, wall, cpu) in [
        ("BM_Sort/100", 0.388_823_188_809_043e-6, 0.367_439_859_347_301_9e-6),
        ("BM_Sort/1000", 11.044_464_482_817_718e-6, 9.258_328_111_091_33e-6),
        ("BM_Str/real_time/threads:2", 35.267_960_585_958_06e-9, 35.468_265_760_145_34e-9),
    ] {
        let row = |unit| &row(&parsed, name, unit).values;
        assert_eq!(row("sec/op").len(), 5);
        close(median(row("sec/op")), wall);
        close(median(row("cpu-sec/op")), cpu);
    }
    assert!(keys(&parsed).iter().all(|(_, name, _)| !name.contains("_mean") && !name.contains("_cv")));
    assert_eq!(failures(&parsed), [("BM_Err", Failed, "no gpu")], "once, not once a repetition");
}

#[test]
fn where_only_aggregates_were_printed_the_median_is_the_value() {
    let (_, parsed) = read("google-benchmark/aggregates.json");
    assert_eq!(row(&parsed, "BM_Sort/100", "sec/op").values, [0.384_796_588_886_977_5e-6]);
    assert!(warned(&parsed, "3 benchmarks have only aggregates"), "{:?}", parsed.warnings);
    assert_eq!(failures(&parsed), [("BM_Err", Failed, "no gpu")]);
}

#[test]
fn big_o_non_finite_counters_and_strange_names() {
    let (_, parsed) = read("google-benchmark/shapes-1.7.1.json");
    assert!(keys(&parsed).iter().all(|(_, name, _)| !name.contains("BigO") && !name.contains("RMS")));
    close(row(&parsed, "BM Count/with spaces", "sec/op").values[0], 8.371_840_368_917_23e-10);
    assert_eq!(row(&parsed, "BM_Count", "two words").values, [2.0]);
    assert_eq!(row(&parsed, "manual/64/manual_time", "sec/op").values, [0.0]);
    row(&parsed, "BM_T<std::vector<std::string>>/real_time/threads:2", "cpu-sec/op");
    assert!(warned(&parsed, "BM_Count: nan is not a finite number") && warned(&parsed, "BM_Count: inf is not"));
    assert_eq!(failures(&parsed), [("BM_Err", Failed, "no \"file\" | here")]);
}

#[test]
fn versions_without_marks_have_aggregates_by_name() {
    let stdout = br#"{"context": {"num_cpus": 4}, "benchmarks": [
        {"name": "BM_A", "iterations": 10, "real_time": 1, "cpu_time": 2, "time_unit": "ns"},
        {"name": "BM_A", "iterations": 10, "real_time": 3, "cpu_time": 4, "time_unit": "ns"},
        {"name": "BM_A_mean", "iterations": 2, "real_time": 2, "cpu_time": 3, "time_unit": "ns"},
        {"name": "BM_A_stddev", "iterations": 0, "real_time": 1, "cpu_time": 1, "time_unit": "ns"},
        {"name": "BM_arith_mean", "iterations": 10, "real_time": 7, "cpu_time": 8, "time_unit": "ms"}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(row(&parsed, "BM_A", "sec/op").values, [1e-9, 3e-9]);
    assert_eq!(row(&parsed, "BM_arith_mean", "sec/op").values, [7e-3], "a benchmark may have such a name");
    assert_eq!(parsed.measurements.len(), 4);
}

#[test]
fn skipped_rows_and_rows_of_the_memory_manager() {
    let stdout = br#"{"benchmarks": [
        {"name": "BM_S", "run_name": "BM_S", "run_type": "iteration", "skipped": true, "skip_message": "no GPU", "real_time": 0.0, "cpu_time": 0.0},
        {"name": "BM_M", "run_name": "BM_M", "run_type": "iteration", "iterations": 3, "real_time": 1e+00, "cpu_time": 1.5, "time_unit": "s", "allocs_per_iter": 12.0, "max_bytes_used": 99, "label": "x"}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(failures(&parsed), [("BM_S", Skipped, "no GPU")]);
    assert_eq!(keys(&parsed), [("", "BM_M", "sec/op"), ("", "BM_M", "cpu-sec/op"), ("", "BM_M", "allocs/op")]);
}

#[test]
fn a_name_that_is_registered_twice_is_two_benchmarks() {
    let stdout = br#"{"benchmarks": [
        {"name": "BM", "run_name": "BM", "run_type": "iteration", "family_index": 0, "real_time": 1, "cpu_time": 1, "time_unit": "ns"},
        {"name": "BM", "run_name": "BM", "run_type": "iteration", "family_index": 3, "real_time": 9, "cpu_time": 9, "time_unit": "ns"}]}"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(row(&parsed, "BM", "sec/op").values, [1e-9]);
    assert_eq!(row(&parsed, "BM #2", "sec/op").values, [9e-9]);
    assert!(warned(&parsed, "BM is registered 2 times"));
}

#[test]
fn rows_that_were_written_before_a_crash_are_kept() {
    let whole = String::from_utf8(fixture("google-benchmark/shapes-1.7.1.json")).unwrap();
    let cut = &whole[..whole.find("\"BM_Plain/512\"").unwrap()];
    for format in ["auto", "google-benchmark"] {
        let (_, parsed) = as_format(format, cut.as_bytes()).unwrap();
        assert_eq!(keys(&parsed).iter().filter(|(.., unit)| *unit == "sec/op").count(), 2, "{format}");
        assert!(warned(&parsed, "the JSON ends too early"), "{:?}", parsed.warnings);
    }
}

#[test]
fn version_1_9_and_interleaved_repetitions_are_read_alike() {
    // The tool's own `_median` rows, of which the file with only aggregates has nothing else.
    for (path, values) in [
        ("repetitions-1.9.5", [2_201.411_792_176_916_6e-9, 1.005_140_492_494_871_5e-6, 0.124_613_444_010_416_67e-3]),
        ("interleaved-1.9.5", [0.001_998_568_548_082_415e-3, 0.784_913_629_222_493_5e-6, 0.123_023_986_816_406_25e-3]),
    ] {
        let (_, parsed) = read(&format!("google-benchmark/{path}.json"));
        for (name, expected) in ["BM_Sum | `a b` λ", "ranges/64", "fixed/iterations:3/real_time"].iter().zip(values) {
            let mut samples = row(&parsed, name, "sec/op").values.clone();
            samples.sort_by(f64::total_cmp);
            let middle = f64::midpoint(samples[(samples.len() - 1) / 2], samples[samples.len() / 2]);
            close(middle, expected);
        }
        assert_eq!(row(&parsed, "fixed/iterations:3/real_time", "sec/op").iterations, Some(3));
        assert_eq!(failures(&parsed), [("skipping", Failed, "no such device")]);
        let names = keys(&parsed);
        assert!(names.iter().all(|(_, name, _)| !name.contains("_cv") && !name.contains("_BigO")), "{names:?}");
    }
    let (_, parsed) = read("google-benchmark/display-aggregates-1.9.5.json");
    assert_eq!(row(&parsed, "ranges/8", "sec/op").values.len(), 1);
    assert!(warned(&parsed, "--benchmark_display_aggregates_only"), "{:?}", parsed.warnings);
}
