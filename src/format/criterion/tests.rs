use crate::format::tests::{close, files, fixture, folder, keys, output, read, row, warned};
use crate::format::{Format, Measurement};
use std::collections::BTreeMap;

fn median(row: &Measurement) -> f64 {
    let mut values = row.values.clone();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
}

#[test]
fn text_gives_the_middle_of_three_and_the_rate() {
    let (_, parsed) = read("criterion/run1.txt");
    assert_eq!(
        keys(&parsed),
        [
            ("", "fib 20", "sec/op"),
            ("", "sort/100", "sec/op"),
            ("", "sort/100", "items/s"),
            ("", "sort/1000", "sec/op"),
            ("", "sort/1000", "items/s"),
        ]
    );
    close(row(&parsed, "fib 20", "sec/op").values[0], 5.1646e-9);
    close(row(&parsed, "sort/1000", "items/s").values[0], 65.533e6);
}

#[test]
fn changes_since_another_run_are_no_values() {
    for path in ["criterion/run2-vs-run1.txt", "criterion/run2-0.5.txt"] {
        let (_, parsed) = read(path);
        assert!(parsed.measurements.iter().all(|row| row.values.len() == 1), "{path}");
    }
    let (_, parsed) = read("criterion/run2-vs-run1.txt");
    close(row(&parsed, "sort/1000", "sec/op").values[0], 8.92e-6);
    close(row(&parsed, "sort/1000", "items/s").values[0], 112.11e6);
}

#[test]
fn names_that_are_wrapped_or_strange_are_read() {
    let (_, parsed) = read("criterion/run-0.5.txt");
    close(row(&parsed, "pipe|tick`<b>ünïcode/λ", "sec/op").values[0], 11.645e-9);
    close(row(&parsed, "copy/bytes", "B/s").values[0], 79.896 * 1024.0 * 1024.0 * 1024.0);
    close(row(&parsed, "copy/decimal", "B/s").values[0], 86.095e9);
    let long =
        "a_group_whose_name_is_much_longer_than_any_directory_name_may_be_in_criterion/a_function_name_that_i...";
    close(row(&parsed, long, "sec/op").values[0], 7.5155e-9);
    close(row(&parsed, &format!("{long} #2"), "sec/op").values[0], 19.101e-9);
}

#[test]
fn the_name_is_found_between_progress_messages() {
    let text = "Benchmarking a_very_long_group/with_a_long_function_name/1048576\n\
        Benchmarking a_very_long_group/with_a_long_function_name/1048576: Warming up for 3.0000 s\n\
        Benchmarking a_very_long_group/with_a_long_function_name/1048576: Analyzing\n\
        \x20                       time:   [1.0210 ms 1.0305 ms 1.0411 ms]\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    close(row(&parsed, "a_very_long_group/with_a_long_function_name/1048576", "sec/op").values[0], 1.0305e-3);
}

#[test]
fn samples_are_per_iteration_and_their_median_is_criterions() {
    let (format, parsed) = files(b"", &folder("criterion/target-criterion-run1")).unwrap();
    assert_eq!(format, Format::Criterion);
    // `median.point_estimate` of each estimates.json.
    for (name, expected) in [
        ("fib 20", 5.953_378_385_944_48e-9),
        ("sort/100", 745.161_806_044_031e-9),
        ("sort/1000", 15_437.091_942_820_014e-9),
    ] {
        let row = row(&parsed, name, "sec/op");
        assert_eq!(row.values.len(), 30, "{name}: `base` is another run");
        close(median(row), expected);
    }
    assert_eq!(row(&parsed, "fib 20", "sec/op").iterations, Some(267_909));
    // The first sample: 1724 iterations in 865357 ns, 100 elements each.
    close(row(&parsed, "sort/100", "items/s").values[0], 100.0 * 1724.0 / 865_357e-9);
    assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
}

#[test]
fn the_key_is_the_full_name_and_never_the_folder() {
    let (_, parsed) = files(b"", &folder("criterion/target-criterion-0.5")).unwrap();
    let group = "a_group_whose_name_is_much_longer_than_any_directory_name_may_be_in_criterion";
    let function = "a_function_name_that_is_longer_than_sixty_four_characters_and_ends_in";
    let one = median(row(&parsed, &format!("{group}/{function}_one"), "sec/op"));
    let two = median(row(&parsed, &format!("{group}/{function}_two"), "sec/op"));
    assert!(two > one, "{one} {two}");
    assert!(row(&parsed, "pipe|tick`<b>ünïcode/λ", "sec/op").values.len() == 10);
    for unit in ["B/s", "sec/op"] {
        row(&parsed, "copy/bytes", unit);
        row(&parsed, "copy/decimal", unit);
    }
    row(&parsed, "copy/elements/7", "items/s");
}

#[test]
fn folders_that_this_run_did_not_write_are_left_out() {
    let mut tree = folder("criterion/target-criterion-0.5");
    let old = "criterion/target-criterion-0.5/gone/new";
    tree.insert(
        format!("{old}/benchmark.json"),
        br#"{"group_id":"gone","function_id":null,"value_str":null,"throughput":null,"full_id":"gone","directory_name":"gone","title":"gone"}"#.to_vec(),
    );
    tree.insert(
        format!("{old}/sample.json"),
        br#"{"sampling_mode":"Linear","iters":[1.0,2.0],"times":[10.0,20.0]}"#.to_vec(),
    );
    let (_, parsed) = files(&fixture("criterion/run-0.5.txt"), &tree).unwrap();
    assert!(parsed.measurements.iter().all(|row| row.id.name != "gone"));
    assert!(warned(&parsed, "1 folders were not written by this run and are left out: gone"), "{:?}", parsed.warnings);
    assert_eq!(parsed.measurements.len(), 12);
    // Without the text there is nothing to compare with.
    assert_eq!(row(&files(b"", &tree).unwrap().1, "gone", "sec/op").values, [10e-9, 10e-9]);
}

#[test]
fn the_first_versions_wrote_a_pair_of_lists() {
    let tree = BTreeMap::from([
        ("target/criterion/fib/new/sample.json".to_owned(), b"[[1.0,2.0],[24.0,50.0]]".to_vec()),
        ("target/criterion/fib/base/sample.json".to_owned(), b"[[1.0],[9.0]]".to_vec()),
    ]);
    let (_, parsed) = files(b"", &tree).unwrap();
    assert_eq!(row(&parsed, "fib", "sec/op").values, [24e-9, 25e-9]);
    assert!(warned(&parsed, "no benchmark.json beside it"));
}

#[test]
fn samples_that_make_no_sense_are_errors_with_a_place() {
    for (sample, expected) in [
        (r#"{"iters":[1.0],"times":[1.0,2.0]}"#, "expected as many times as iteration counts, found 2 and 1"),
        (r#"{"iters":[0.0],"times":[1.0]}"#, "expected iteration counts above 0, found 0"),
        (r#"{"times":[1.0]}"#, "missing field `iters`"),
        (r#"{"iters":[1.0],"times":"#, "the JSON ends too early"),
    ] {
        let path = "target/criterion/fib/new/sample.json";
        let error =
            files(b"", &BTreeMap::from([(path.to_owned(), sample.as_bytes().to_vec())])).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{path}, line 1: ")) && error.contains(expected), "{error}");
    }
}
