use crate::format::FailureKind::{Failed, Skipped};
use crate::format::tests::{close, failures, keys, output, read, row};

#[test]
fn the_path_through_the_tree_is_the_name_and_the_median_the_value() {
    let (_, parsed) = read("divan/run.txt");
    assert_eq!(
        keys(&parsed),
        [
            ("dv", "fib", "sec/op"),
            ("dv", "sort::100", "sec/op"),
            ("dv", "sort::1000", "sec/op"),
            ("dv", "gen::u8", "sec/op"),
            ("dv", "gen::u64", "sec/op"),
        ]
    );
    close(row(&parsed, "sort::1000", "sec/op").values[0], 6.822e-6);
    assert_eq!(row(&parsed, "fib", "sec/op").iterations, Some(512));
    assert_eq!(row(&parsed, "gen::u8", "sec/op").line, 11);
}

#[test]
fn counters_and_allocations_are_rows_of_their_benchmark() {
    let (_, parsed) = read("divan/counters-0.1.21.txt");
    for (name, unit, value) in [
        ("alloc::4096", "sec/op", 39.32e-9),
        ("alloc::4096", "allocs/op", 1.0),
        ("alloc::4096", "B/op", 4096.0),
        ("alloc::4096", "max-allocs", 1.0),
        ("alloc::4096", "max-alloc-B", 4096.0),
        ("names::a b", "chars/s", 25.21e9),
        ("names::pipe|tick`", "chars/s", 84.03e9),
        ("inner::bytes", "B/s", 1.642e9),
        ("inner::bytes", "items/s", 25.65e6),
        ("inner::bytes", "B/op", 8.0),
        ("inner::bytes", "grows/op", 9.0),
        ("inner::bytes", "grow-B/op", 4088.0),
        ("inner::cycles", "cycles/s", 1.218e9),
        ("inner::slow", "sec/op", 1.077e-3),
        ("threads::t=2", "sec/op", 67.41e-9),
        ("made::String", "sec/op", 0.26e-9),
    ] {
        close(row(&parsed, name, unit).values[0], value);
    }
    assert_eq!(parsed.measurements.len(), 33);
    assert_eq!(failures(&parsed), [("later", Skipped, "")]);
    assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
}

#[test]
fn several_trees_have_a_package_each() {
    let text = "Timer precision: 20 ns\n\
        one         fastest       │ slowest       │ median        │ mean          │ samples │ iters\n\
        ╰─ fib      3.716 ns      │ 13.63 ns      │ 3.718 ns      │ 3.833 ns      │ 100     │ 51200\n\
        \n     Running benches/two.rs (target/release/deps/two-59628435cd756927)\n\
        two         fastest       │ slowest       │ median        │ mean          │ samples │ iters\n\
        ╰─ fib      1 ns          │ 2 ns          │ 1.5 ns        │ 1.6 ns        │ 100     │ 100\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(keys(&parsed), [("one", "fib", "sec/op"), ("two", "fib", "sec/op")]);
}

#[test]
fn what_a_benchmark_prints_stands_between_its_name_and_its_numbers() {
    let text = "dv          fastest       │ slowest       │ median        │ mean          │ samples │ iters\n\
        ├─ loud     hello\n\
        world\n\
        \x20           3.716 ns      │ 13.63 ns      │ 3.718 ns      │ 3.833 ns      │ 100     │ 51200\n\
        ╰─ dies     ";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    close(row(&parsed, "loud", "sec/op").values[0], 3.718e-9);
    assert_eq!(failures(&parsed), [("dies", Failed, "divan printed no result for it")]);
}
