//! What Go 1.26 prints, with names, logs, failures and skips of any kind.

use super::*;
use FailureKind::{Failed, Skipped};

const ODD: [&str; 7] = [
    "Odd/fmt=json,n=10",
    "Odd/a_b",
    "Odd/p|q",
    "Odd/`tick`",
    // Go's suffix is the last number alone.
    "Odd/λ/x-8",
    "Odd/#1",
    "Odd/[x]\"y\"",
];

#[test]
fn text_verbose_text_and_json_have_the_same_rows() {
    for (path, repetitions) in [("names-1.26.txt", 2), ("verbose-1.26.txt", 1), ("names-1.26.json.txt", 1)] {
        let (format, parsed) = read(&format!("go/{path}"));
        assert_eq!(format, Format::Go, "{path}");
        for name in ODD {
            for unit in ["sec/op", "B/s", "widgets/s", "zeros/op", "B/op", "allocs/op"] {
                let row = row(&parsed, name, unit);
                assert_eq!(row.values.len(), repetitions, "{path}: {name} in {unit}");
                assert_eq!((row.id.package.as_str(), row.id.procs), ("example.org/names", Some(2)), "{path}: {name}");
            }
        }
        // Its own lines cut its result off.
        assert_eq!(row(&parsed, "Logs", "sec/op").values.len(), repetitions, "{path}");
        let same_name = parsed.measurements.iter().find(|row| row.id.package == "example.org/names/sub");
        assert_eq!(same_name.map(|row| row.id.name.as_str()), Some("Odd"), "{path}");
        assert_eq!(row(&parsed, ODD[0], "sec/op").iterations, Some(100), "{path}");
        let inner = failures(&parsed).into_iter().find(|(name, ..)| *name == "Fails/inner");
        let (_, kind, message) = inner.unwrap_or_else(|| panic!("{path}: {:?}", parsed.failures));
        assert!(kind == Failed && message.contains("no such file"), "{path}: {message}");
    }
    // Without -v Go says nothing of a skip.
    for path in ["verbose-1.26.txt", "names-1.26.json.txt"] {
        let (_, parsed) = read(&format!("go/{path}"));
        let skipped = failures(&parsed).into_iter().find(|(name, ..)| *name == "Skips");
        let (_, kind, message) = skipped.unwrap_or_else(|| panic!("{path}: {:?}", parsed.failures));
        assert!(kind == Skipped && message.contains("no device"), "{path}: {message}");
    }
}

#[test]
fn the_number_of_processors_tells_rows_apart() {
    let (_, parsed) = read("go/bench-cpu.txt");
    let of = |name: &str| {
        let rows = parsed.measurements.iter().filter(|row| row.id.name == name && row.unit == "sec/op");
        rows.map(|row| (row.id.procs, row.values.len())).collect::<Vec<_>>()
    };
    assert_eq!(of("Sum/n=100"), [(None, 2), (Some(2), 2)]);
    close(row(&parsed, "Sum/n=100", "sec/op").values[0], 140.2e-9);
}

#[test]
fn one_iteration_is_told() {
    let (_, parsed) = read("go/bench-1x.txt");
    assert_eq!(row(&parsed, "Sum/n=100", "sec/op").iterations, Some(1));
}

#[test]
fn a_failure_before_the_first_result_is_a_failure_of_the_package() {
    let (_, parsed) = read("go/bench-fail.txt");
    assert_eq!(failures(&parsed).iter().map(|(name, kind, _)| (*name, *kind)).collect::<Vec<_>>(), [("Fails", Failed)]);
    assert_eq!(parsed.failures[0].id.package, "example.org/tiny");
    assert!(warned(&parsed, "package example.org/tiny failed"));

    let (format, parsed) = read("go/bench-panic.txt");
    assert_eq!(format, Format::Go);
    assert!(parsed.measurements.is_empty());
    let (name, kind, message) = failures(&parsed)[0];
    assert_eq!((name, kind), ("Panics", Failed));
    assert!(message.contains("assignment to entry in nil map"), "{message}");
}

#[test]
fn a_benchmark_that_gives_nothing_but_nan_has_failed() {
    for format in ["auto", "go"] {
        for value in ["NaN", "nan"] {
            let text = format!("BenchmarkA 10 {value} ns/op\n");
            let (found, parsed) = as_format(format, text.as_bytes()).unwrap();
            assert_eq!((found, parsed.measurements.len()), (Format::Go, 0), "{value}");
            assert_eq!(parsed.failures.iter().map(|f| f.id.name.as_str()).collect::<Vec<_>>(), ["A"], "{value}");
        }
    }
}
