use crate::format::FailureKind::Failed;
use crate::format::tests::{failures, keys, output, read, row, warned};
use crate::format::{Parsed, UnitHint};

const FIB: &str = "g::fib n20";

/// The six counts of Valgrind's default, as the first run's text shows them.
fn six(parsed: &Parsed, name: &str) -> [f64; 6] {
    let units = ["instructions", "L1-hits", "LL-hits", "RAM-hits", "total-read+write", "estimated-cycles"];
    units.map(|unit| row(parsed, name, unit).values[0])
}

#[test]
fn text_and_json_of_both_tools_give_the_same_counts() {
    for path in ["iai-callgrind/run1.txt", "iai-callgrind/run2.txt", "iai-callgrind/out.json.txt"] {
        let (_, parsed) = read(path);
        assert_eq!(six(&parsed, FIB), [65.0, 67.0, 0.0, 3.0, 70.0, 172.0], "{path}");
        assert_eq!(six(&parsed, "g::sort k"), [90_994.0, 124_661.0, 2.0, 43.0, 124_706.0, 126_176.0], "{path}");
        assert_eq!(parsed.measurements.len(), 18, "{path}");
        assert!(parsed.measurements.iter().all(|row| row.id.package == "iai"), "{path}");
    }
    for path in ["gungraun/run1.txt", "gungraun/run2.json.txt"] {
        let (_, parsed) = read(path);
        assert_eq!(six(&parsed, "g::sort k"), [90_995.0, 124_661.0, 4.0, 42.0, 124_707.0, 126_151.0], "{path}");
        assert_eq!(parsed.measurements.len(), 18, "{path}");
    }
    assert_eq!(six(&read("gungraun/summary.sort.k.json").1, "g::sort k")[0], 90_995.0);
}

#[test]
fn counts_are_exact() {
    let (_, parsed) = read("gungraun/run1.txt");
    let exact = UnitHint { better: Some(crate::unit::Direction::Lower), exact: Some(true) };
    assert_eq!(parsed.units["instructions"], exact);
    assert!(parsed.units.values().all(|hint| hint.exact == Some(true)));
}

#[test]
fn the_new_count_is_left_of_the_old_one() {
    let text = "b::grp::fib short:10\n\
        \x20 Instructions:                1734|1650            (+5.09090%) [+1.04844x]\n\
        \x20 L1 Hits:                        0|2275            (-100.000%) [---inf---]\n\
        \x20 LL Hits:                        7|0               (+++inf+++) [+++inf+++]\n\
        \x20 RAM Hits:                       3|3               (No change)\n\
        \x20 Total read+write:             N/A|5               (*********)\n\
        Performance has regressed: Instructions (1650 -> 1734) regressed by +5.09091% (>+5.00000%)\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(row(&parsed, "grp::fib short", "instructions").values, [1734.0]);
    assert_eq!(row(&parsed, "grp::fib short", "LL-hits").values, [7.0]);
    assert_eq!(row(&parsed, "grp::fib short", "L1-hits").values, [0.0]);
    assert_eq!(parsed.measurements.len(), 4);
    assert!(warned(&parsed, "no new value of Total read+write"));
}

#[test]
fn arguments_over_several_lines_and_other_tools_are_read() {
    let text = "running 0 tests\n\n\
        a::bench::lines id:string with two\nlines\n\
        \x20 ======= CALLGRIND =======================================================\n\
        \x20 Instructions:                   1|N/A             (*********)\n\
        \x20 Ge:                             2|N/A             (*********)\n\
        \x20 ======= DHAT ============================================================\n\
        \x20 Total bytes:                29499|N/A             (*********)\n\
        \x20 At t-gmax blocks:              34|N/A             (*********)\n\
        \x20 ======= MEMCHECK ========================================================\n\
        \x20 Errors:                         3|N/A             (*********)\n\
        a::bench::other\n\
        \x20 Instructions:                   7|N/A             (*********)\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(
        keys(&parsed),
        [
            ("a", "bench::lines id", "instructions"),
            ("a", "bench::lines id", "Ge"),
            ("a", "bench::lines id", "total-B"),
            ("a", "bench::lines id", "at-t-gmax-blocks"),
            ("a", "bench::lines id", "memcheck-errors"),
            ("a", "bench::other", "instructions"),
        ]
    );
}

#[test]
fn iai_has_no_old_count_in_its_line() {
    let text = "running 0 tests\n\nbench_fibonacci_short\n\
        \x20 Instructions:                1735\n  L1 Accesses:                 2364 (+0.701083%)\n\
        \x20 L2 Accesses:                    1 (-50.00000%)\n  RAM Accesses:                   1 (No change)\n\
        \x20 Estimated Cycles:            2404\n\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(row(&parsed, "bench_fibonacci_short", "instructions").values, [1735.0]);
    assert_eq!(row(&parsed, "bench_fibonacci_short", "LL-hits").values, [1.0]);
    assert_eq!(row(&parsed, "bench_fibonacci_short", "estimated-cycles").values, [2404.0]);
}

/// The outer part that all schema versions have.
fn summary(inner: &str) -> String {
    format!(
        r#"{{"version":"x","kind":"LibraryBenchmark","module_path":"b::grp::fib","function_name":"fib","id":"short","details":"10","benchmark_exe":"/x",{inner}}}"#
    )
}

#[test]
fn every_schema_version_is_read() {
    let cases = [
        // 1 and 2: a process each, to be added up.
        r#""callgrind_summary":{"summaries":[{"events":{"Ir":{"new":1700,"old":null}}},{"events":{"Ir":{"new":34,"old":5}}}]},"tool_summaries":[]"#,
        // 3
        r#""callgrind_summary":{"callgrind_run":{"segments":[],"total":{"summary":{"Ir":{"diffs":null,"metrics":{"Left":1734}}}}}},"tool_summaries":[]"#,
        // 4
        r#""profiles":[{"tool":"Callgrind","summaries":{"parts":[],"total":{"regressions":[],"summary":{"Callgrind":{"Ir":{"diffs":null,"metrics":{"Both":[1734,1650]}}}}}}}]"#,
        // 5 and 6
        r#""profiles":[{"tool":"Callgrind","summaries":{"parts":[],"total":{"regressions":[],"summary":{"Callgrind":{"Ir":{"diffs":null,"metrics":{"Both":[{"Int":1734},{"Int":1650}]}}}}}}}]"#,
        // 7
        r#""profiles":[{"tool":"Callgrind","data":{"parts":[],"total":{"metrics":{"Ir":{"change":null,"values":{"new":1734,"old":1650}}}}}}]"#,
    ];
    for case in cases {
        let (_, parsed) = output(summary(case).as_bytes()).unwrap();
        assert_eq!(keys(&parsed), [("b", "grp::fib short", "instructions")], "{case}");
        assert_eq!(parsed.measurements[0].values, [1734.0], "{case}");
    }
}

#[test]
fn a_summary_with_only_old_counts_failed_and_a_tool_without_counts_did_not() {
    let old = r#""profiles":[{"tool":"Callgrind","summaries":{"total":{"summary":{"Callgrind":{"Ir":{"metrics":{"Right":{"Int":6}}}}}}}}]"#;
    let (_, parsed) = output(summary(old).as_bytes()).unwrap();
    assert_eq!(failures(&parsed), [("grp::fib short", Failed, "its summary holds no new count")]);
    let none = r#""profiles":[{"tool":"Massif","summaries":{"total":{"summary":"None"}}}]"#;
    let (_, parsed) = output(summary(none).as_bytes()).unwrap();
    assert!(parsed.failures.is_empty() && warned(&parsed, "its tools count nothing"));
}

#[test]
fn documents_are_found_among_messages_and_broken_documents() {
    let good = summary(r#""profiles":[{"tool":"Callgrind","data":{"total":{"metrics":{"Ir":{"values":{"new":1}}}}}}]"#);
    let stdout = format!(
        "running 0 tests\n\n{{\n  \"baselines\": [\n    null\n  ],\n{good}\n{{\"reason\":\"build-finished\"}}\n.... text\n"
    );
    let (format, parsed) = output(stdout.as_bytes()).unwrap();
    assert_eq!((format.name(), parsed.measurements.len()), ("gungraun", 1));
    assert_eq!(parsed.measurements[0].line, 7);
    assert!(warned(&parsed, "standard output, line 7: key must be a string"), "{:?}", parsed.warnings);
}
