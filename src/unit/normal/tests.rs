use super::*;
use Direction::{Higher, Lower};

/// Spelling, normalised unit, factor, direction, exact; written by hand from the tools' documentation.
#[rustfmt::skip]
const TOOLS: &[(&str, &str, f64, Option<Direction>, bool)] = &[
    // Times of an operation, as Go, libtest, mitata, divan, JMH and BenchmarkDotNet write them.
    ("ns/op", "sec/op", 1e-9, Some(Lower), false),
    ("ns/iter", "sec/op", 1e-9, Some(Lower), false),
    ("us/op", "sec/op", 1e-6, Some(Lower), false),
    ("µs/iter", "sec/op", 1e-6, Some(Lower), false),
    ("μs/iter", "sec/op", 1e-6, Some(Lower), false),
    ("ms/op", "sec/op", 1e-3, Some(Lower), false),
    ("s/op", "sec/op", 1.0, Some(Lower), false),
    ("sec/op", "sec/op", 1.0, Some(Lower), false),
    ("min/op", "sec/op", 60.0, Some(Lower), false),
    ("ps/iter", "sec/op", 1e-12, Some(Lower), false),
    ("seconds per iteration", "sec/op", 1.0, Some(Lower), false),
    // Plain times.
    ("ns", "sec", 1e-9, Some(Lower), false),
    ("µs", "sec", 1e-6, Some(Lower), false),
    ("μs", "sec", 1e-6, Some(Lower), false),
    ("ms", "sec", 1e-3, Some(Lower), false),
    ("s", "sec", 1.0, Some(Lower), false),
    ("Milliseconds", "sec", 1e-3, Some(Lower), false),
    ("hours", "sec", 3600.0, Some(Lower), false),
    // Rates.
    ("ops/s", "ops/s", 1.0, Some(Higher), false),
    ("ops/sec", "ops/s", 1.0, Some(Higher), false),
    ("ops/ms", "ops/s", 1e3, Some(Higher), false),
    ("ops/us", "ops/s", 1e6, Some(Higher), false),
    ("ops/ns", "ops/s", 1e9, Some(Higher), false),
    ("ops/min", "ops/s", 1.0 / 60.0, Some(Higher), false),
    ("iter/sec", "ops/s", 1.0, Some(Higher), false),
    ("Kops/s", "ops/s", 1e3, Some(Higher), false),
    ("hz", "ops/s", 1.0, Some(Higher), false),
    ("Melem/s", "items/s", 1e6, Some(Higher), false),
    ("Kelem/s", "items/s", 1e3, Some(Higher), false),
    ("Gitem/s", "items/s", 1e9, Some(Higher), false),
    ("item/s", "items/s", 1.0, Some(Higher), false),
    ("Mchar/s", "chars/s", 1e6, Some(Higher), false),
    ("MiB/s", "B/s", 1_048_576.0, Some(Higher), false),
    ("GiB/s", "B/s", 1_073_741_824.0, Some(Higher), false),
    ("KiB/s", "B/s", 1024.0, Some(Higher), false),
    ("MB/s", "B/s", 1e6, Some(Higher), false),
    ("MB/sec", "B/s", 1e6, Some(Higher), false),
    ("B/s", "B/s", 1.0, Some(Higher), false),
    ("Mb/s", "bit/s", 1e6, Some(Higher), false),
    ("Gbits/s", "bit/s", 1e9, Some(Higher), false),
    ("Mbps", "bit/s", 1e6, Some(Higher), false),
    ("MS/s", "samples/s", 1e6, Some(Higher), false),
    ("requests/sec", "requests/s", 1.0, Some(Higher), false),
    ("req/s", "requests/s", 1.0, Some(Higher), false),
    ("fps", "frames/s", 1.0, Some(Higher), false),
    ("widgets/s", "widgets/s", 1.0, Some(Higher), false),
    ("GHz", "Hz", 1e9, Some(Higher), false),
    // A rate that only says how often something bad happens has no direction.
    ("errors/s", "errors/s", 1.0, None, false),
    ("allocs/s", "allocs/s", 1.0, None, false),
    ("gc.alloc.rate-MB/sec", "gc.alloc.rate-B/s", 1e6, None, false),
    // Memory.
    ("B/op", "B/op", 1.0, Some(Lower), false),
    ("bytes/op", "B/op", 1.0, Some(Lower), false),
    ("kB/op", "B/op", 1e3, Some(Lower), false),
    ("allocs/op", "allocs/op", 1.0, Some(Lower), true),
    ("allocations/iter", "allocs/op", 1.0, Some(Lower), true),
    ("KB", "B", 1e3, Some(Lower), false),
    ("kb", "B", 1e3, Some(Lower), false),
    ("KiB", "B", 1024.0, Some(Lower), false),
    ("MB", "B", 1e6, Some(Lower), false),
    ("bytes", "B", 1.0, Some(Lower), false),
    ("size-KiB", "size-B", 1024.0, Some(Lower), true),
    ("max-rss-MB", "max-rss-B", 1e6, Some(Lower), false),
    // Counts.
    ("cycles/iter", "cycles/op", 1.0, Some(Lower), false),
    ("Ir", "instructions", 1.0, Some(Lower), true),
    ("Instructions", "instructions", 1.0, Some(Lower), true),
    ("instructions", "instructions", 1.0, Some(Lower), true),
    ("instructions/iter", "instructions/op", 1.0, Some(Lower), true),
    ("Estimated Cycles", "estimated-cycles", 1.0, Some(Lower), true),
    ("EstimatedCycles", "estimated-cycles", 1.0, Some(Lower), true),
    ("L1 Hits", "L1-hits", 1.0, None, true),
    ("RamHits", "RAM-hits", 1.0, Some(Lower), true),
    // Metrics with a name in front.
    ("p99-ns", "p99-sec", 1e-9, Some(Lower), false),
    ("p99-ns/op", "p99-sec/op", 1e-9, Some(Lower), false),
    ("cpu-ms/op", "cpu-sec/op", 1e-3, Some(Lower), false),
    ("user-sec/op", "user-sec/op", 1.0, Some(Lower), false),
    // Nothing is known, nothing is changed.
    ("widgets/op", "widgets/op", 1.0, None, false),
    ("ns/row", "sec/row", 1e-9, Some(Lower), false),
    ("%", "%", 1.0, None, false),
    ("", "", 1.0, None, false),
    ("Percent", "%", 1.0, None, false),
    ("points", "points", 1.0, None, false),
    ("ns/s", "ns/s", 1.0, None, false),
    ("a/b/c", "a/b/c", 1.0, None, false),
    ("/", "/", 1.0, None, false),
    ("-ns", "-ns", 1.0, None, false),
    ("| `<b>`", "| `<b>`", 1.0, None, false),
];

#[test]
fn every_spelling_has_one_normal_form() {
    for &(spelling, unit, factor, better, exact) in TOOLS {
        let normal = normalise(spelling);
        assert_eq!((normal.unit.as_str(), normal.better), (unit, better), "{spelling}");
        assert!((normal.factor / factor - 1.0).abs() < 1e-12, "{spelling}: {} is not {factor}", normal.factor);
        assert_eq!(properties(unit).exact, exact, "{spelling}");
    }
}

#[test]
fn every_entry_of_the_table_is_stable_under_normalisation() {
    let times = TIME.iter().flat_map(|(spelling, _)| {
        [(*spelling).to_owned(), format!("{spelling}/op"), format!("ops/{spelling}"), format!("p50-{spelling}")]
    });
    let sizes = SIZE
        .iter()
        .flat_map(|(spelling, ..)| [(*spelling).to_owned(), format!("{spelling}/s"), format!("{spelling}/op")]);
    let counts = COUNT.iter().flat_map(|(spelling, _)| {
        PREFIX.iter().map(move |(prefix, _)| format!("{prefix}{spelling}/s")).chain([format!("{spelling}/s")])
    });
    let whole = WHOLE.iter().map(|(spelling, ..)| (*spelling).to_owned());
    let known = KNOWN.iter().map(|(unit, ..)| (*unit).to_owned());
    for spelling in times.chain(sizes).chain(counts).chain(whole).chain(known) {
        let once = normalise(&spelling);
        let twice = normalise(&once.unit);
        assert_eq!((twice.unit.as_str(), twice.factor), (once.unit.as_str(), 1.0), "{spelling}");
        assert!(once.factor.is_finite() && once.factor > 0.0, "{spelling}");
    }
}

#[test]
fn no_spelling_is_listed_twice_with_two_meanings() {
    let mut spellings: Vec<&str> = TIME.iter().map(|(spelling, _)| *spelling).collect();
    spellings.extend(SIZE.iter().map(|(spelling, ..)| *spelling));
    spellings.extend(COUNT.iter().map(|(spelling, _)| *spelling));
    spellings.extend(WHOLE.iter().map(|(spelling, ..)| *spelling));
    spellings.sort_unstable();
    for pair in spellings.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

#[test]
fn two_scales_of_one_unit_meet() {
    for (left, right, ratio) in
        [("ns/iter", "µs/iter", 1e3), ("MiB/s", "KiB/s", 1.0 / 1024.0), ("ops/s", "ops/ms", 1e3), ("kB", "MB", 1e3)]
    {
        let (left, right) = (normalise(left), normalise(right));
        assert_eq!(left.unit, right.unit);
        assert!((right.factor / left.factor / ratio - 1.0).abs() < 1e-12);
    }
}

#[test]
fn decimal_digits_survive_the_scale() {
    assert_eq!(normalise("ns/iter").apply(3161.0).to_string(), "0.000003161");
    assert_eq!(normalise("ops/min").apply(90.0), 1.5);
    assert_eq!(normalise("MiB/s").apply(2.0), 2_097_152.0);
    assert_eq!(normalise("widgets").apply(0.1), 0.1);
}

#[test]
fn memory_is_exact_only_while_it_does_not_vary() {
    for unit in ["B/op", "B"] {
        let known = properties(unit);
        assert!(known.exact_when_constant && !known.exact, "{unit}");
    }
    assert!(!properties(MAX_RSS).exact_when_constant);
    assert!(properties(FILE_SIZE).exact);
}

#[test]
fn rates_of_time_are_derived_and_others_are_not() {
    for unit in ["B/s", "ops/s", "items/s", "bit/s", "chars/s", "cycles/s"] {
        assert_eq!(derived_from(unit), Some("sec/op"), "{unit}");
    }
    for unit in ["sec/op", "requests/s", "widgets/s", "B/op", "gc.alloc.rate-B/s", "cpu-sec/op"] {
        assert_eq!(derived_from(unit), None, "{unit}");
    }
}

#[test]
fn cpu_time_stands_beside_wall_time() {
    for unit in [CPU_TIME, USER_TIME, SYSTEM_TIME] {
        assert!(is_cpu_time(unit) && properties(unit).better == Some(Lower), "{unit}");
    }
    assert!(!is_cpu_time(WALL_TIME));
}
