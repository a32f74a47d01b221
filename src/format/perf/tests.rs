use crate::format::UnitHint;
use crate::format::tests::{close, keys, read, row, warned};
use crate::unit::Direction;

#[test]
fn json_gives_counters_and_names_those_that_are_not_there() {
    let (_, parsed) = read("perf/stat.json");
    close(row(&parsed, "perf stat", "task-clock-sec").values[0], 0.947_179e-3);
    assert_eq!(row(&parsed, "perf stat", "page-faults").values, [47.0]);
    assert!(warned(&parsed, "instructions: <not supported>"));
    assert_eq!(parsed.units["page-faults"], UnitHint { better: Some(Direction::Lower), exact: Some(false) });
}

#[test]
fn separated_values_are_read_with_any_separator() {
    let (_, parsed) = read("perf/repeat-6.1.csv");
    assert_eq!(
        keys(&parsed),
        [
            ("", "perf stat", "task-clock-sec"),
            ("", "perf stat", "page-faults"),
            ("", "perf stat", "sec/op"),
            ("", "perf stat", "user-sec/op"),
        ]
    );
    close(row(&parsed, "perf stat", "sec/op").values[0], 1_168_373e-9);
    assert!(warned(&parsed, "system_time: <not counted>") && warned(&parsed, "instructions:u: <not supported>"));
    let (_, parsed) = read("perf/semicolons-6.1.csv");
    assert_eq!(row(&parsed, "perf stat", "context-switches").values, [0.0]);
    assert_eq!(row(&read("perf/stat.csv").1, "perf stat", "page-faults").values, [49.0]);
}
