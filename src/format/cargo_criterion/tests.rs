use crate::format::tests::{close, keys, output, read, row};

#[test]
fn messages_give_samples_per_iteration_and_throughput() {
    let (format, parsed) = read("cargo-criterion/messages-1.1.0.json");
    assert_eq!(format.name(), "cargo-criterion");
    let rate = row(&parsed, "copy/bytes", "B/s");
    assert_eq!((rate.values.len(), rate.iterations), (10, Some(9699)));
    let time = row(&parsed, "copy/bytes", "sec/op");
    close(rate.values[3], 4096.0 / time.values[3]);
    let units = [
        ("name with spaces", "sec/op"),
        ("pipe|tick`<b>ünïcode/λ", "sec/op"),
        ("copy/bytes", "B/s"),
        ("copy/bytes", "sec/op"),
    ];
    let found: Vec<(&str, &str)> = keys(&parsed).into_iter().map(|(_, name, unit)| (name, unit)).collect();
    assert_eq!(found, units);
}

#[test]
fn each_value_is_divided_by_its_own_count_among_other_messages_of_cargo() {
    let stdout = br#"{"reason":"compiler-artifact","package_id":"x","fresh":true}
{"reason":"build-finished","success":true}
{"reason":"benchmark-complete","id":"fib/rec/20","report_directory":"/x","iteration_count":[10,20],"measured_values":[243000.0,487000.0],"unit":"ns","throughput":[{"per_iteration":1024,"unit":"bytes"}],"typical":{"estimate":24310.0,"lower_bound":24100.0,"upper_bound":24560.0,"unit":"ns"},"change":null}
{"reason":"group-complete","group_name":"fib","benchmarks":["fib/rec/20"],"report_directory":"/x"}
"#;
    let (_, parsed) = output(stdout).unwrap();
    assert_eq!(keys(&parsed), [("", "fib/rec/20", "B/s"), ("", "fib/rec/20", "sec/op")]);
    let times = &row(&parsed, "fib/rec/20", "sec/op");
    assert_eq!((times.values.as_slice(), times.iterations, times.line), (&[24_300e-9, 24_350e-9][..], Some(10), 3));
    close(row(&parsed, "fib/rec/20", "B/s").values[1], 1024.0 / 24_350e-9);
}

#[test]
fn a_message_without_samples_says_so() {
    let error = output(br#"{"reason":"benchmark-complete","id":"a","iteration_count":[1],"unit":"ns"}"#).unwrap_err();
    assert!(error.to_string().contains("missing field `measured_values`"), "{error}");
}
