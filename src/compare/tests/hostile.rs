//! A file of results may hold anything that its types can hold.

use super::super::{Context, report, select, trips};
use super::build::{config, results, suite};
use crate::config::{Correction, FailOn, PrimaryTime, Rename, Rounds, UnitPolicy};
use crate::format::{BenchmarkId, FailureKind};
use crate::report::Report;
use crate::results::{
    Block, Results, Round, RoundWitness, RowFailure, RowKey, Shard, Stage, StageKind, StepOutcome, StepStatus, Stopped,
    SuiteResults, Value,
};
use crate::side::{PerSide, Side};
use crate::unit::Direction;
use proptest::prelude::*;

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Base), Just(Side::Head)]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 1.0..2.0_f64,
        2 => (0..4_i32).prop_map(f64::from),
        1 => proptest::num::f64::ANY,
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1e300), Just(1e300), Just(5e-324), Just(-0.0)],
    ]
}

fn status() -> impl Strategy<Value = StepStatus> {
    prop_oneof![
        6 => Just(StepStatus::Ok),
        1 => Just(StepStatus::NotRun),
        1 => Just(StepStatus::Exit(1)),
        1 => Just(StepStatus::TimedOut(9.0)),
        1 => Just(StepStatus::OutOfMemory),
    ]
}

fn benchmark() -> impl Strategy<Value = BenchmarkId> {
    ("[ab]?", "[xyz]", proptest::option::of(1..3_u32)).prop_map(|(package, name, procs)| BenchmarkId {
        package,
        name,
        procs,
    })
}

fn key() -> impl Strategy<Value = RowKey> {
    let unit = proptest::sample::select(vec!["sec/op", "B/s", "B/op", "allocs/op", "cpu-sec/op", "widgets", ""]);
    (benchmark(), unit).prop_map(|(benchmark, unit)| RowKey { benchmark, unit: unit.to_owned() })
}

fn round() -> impl Strategy<Value = Round> {
    let value = (0..7_u32, number(), proptest::option::of(prop_oneof![Just(1_u64), Just(1_000_000_000), any::<u64>()]))
        .prop_map(|(row, value, iterations)| Value { row, value, inner: None, iterations });
    let failure = (benchmark(), any::<bool>()).prop_map(|(benchmark, failed)| RowFailure {
        benchmark,
        kind: if failed { FailureKind::Failed } else { FailureKind::Skipped },
        message: "m".to_owned(),
    });
    (
        side(),
        number(),
        status(),
        proptest::collection::vec(value, 0..8),
        proptest::collection::vec(failure, 0..2),
        proptest::option::of((number(), number(), number())),
    )
        .prop_map(|(side, at, status, values, failures, mhz)| Round {
            side,
            at,
            outcome: StepOutcome { status, ..StepOutcome::default() },
            values,
            failures,
            unparsed: vec![(u64::MAX, "x".to_owned())],
            witness: RoundWitness {
                mhz: mhz.map(|(a, b, c)| [a, b, c]),
                steal: Some(at),
                load: Some(at),
                ..RoundWitness::default()
            },
        })
}

/// Mostly well-formed blocks, so that the tests behind the checks are reached.
fn block() -> impl Strategy<Value = Block> {
    let four = proptest::collection::vec(round(), 4).prop_map(|mut rounds| {
        for (round, side) in rounds.iter_mut().zip([Side::Base, Side::Head, Side::Head, Side::Base]) {
            round.side = side;
        }
        rounds
    });
    let rounds = prop_oneof![6 => four, 1 => proptest::collection::vec(round(), 0..6)];
    ("[uv]?", proptest::option::of(Just("steal".to_owned())), any::<[bool; 3]>(), rounds).prop_map(
        |(unit_of_work, invalid, [kept, equivalence, metrics], rounds)| Block {
            unit_of_work,
            invalid,
            kept,
            equivalence,
            metrics,
            rounds,
        },
    )
}

fn stage() -> impl Strategy<Value = Stage> {
    let kind = prop_oneof![Just(StageKind::Screen), Just(StageKind::Confirm), Just(StageKind::Fixed)];
    let rows = || proptest::collection::vec(any::<u32>(), 0..3);
    (kind, any::<u32>(), rows(), rows(), proptest::collection::vec(block(), 0..6)).prop_map(
        |(kind, planned_blocks, suspects, equivalence, blocks)| Stage {
            kind,
            planned_blocks,
            suspects,
            equivalence,
            blocks,
        },
    )
}

fn any_suite() -> impl Strategy<Value = SuiteResults> {
    let warmup = || proptest::option::of(round());
    (
        proptest::collection::vec(key(), 0..6),
        proptest::collection::vec(stage(), 0..4),
        warmup(),
        warmup(),
        status(),
        "[st]",
    )
        .prop_map(|(rows, stages, base, head, status, name)| {
            let mut suite = suite(&name, &[]);
            (suite.rows, suite.stages) = (rows, stages);
            suite.warmup = PerSide { base, head };
            suite.setup.base.status = status;
            suite.filtered_out = u32::MAX;
            suite
        })
}

fn any_results() -> impl Strategy<Value = Results> {
    let shard = proptest::option::of((any::<u32>(), any::<u32>()).prop_map(|(index, count)| Shard { index, count }));
    (proptest::collection::vec(any_suite(), 0..3), shard, any::<bool>()).prop_map(|(suites, shard, stopped)| {
        let mut results = results(suite("s", &[]));
        (results.suites, results.shard) = (suites, shard);
        results.stopped = if stopped { Stopped::Budget } else { Stopped::Completed };
        results
    })
}

/// What must hold of any report.
fn check(report: &Report) {
    let text = serde_json::to_string(report).unwrap();
    assert!(serde_json::from_str::<Report>(&text).is_ok_and(|back| back == *report), "a number is not finite: {text}");
    let rows = report.suites.iter().map(|suite| suite.rows.len()).sum::<usize>();
    let counts = report.counts;
    let counted = counts.regressions
        + counts.improvements
        + counts.unchanged
        + counts.inconclusive
        + counts.failed
        + counts.new
        + counts.removed
        + counts.unjudged;
    assert_eq!(counted as usize, rows);
    for row in report.suites.iter().flat_map(|suite| &suite.rows) {
        assert!(row.p.is_none_or(|p| p.value > 0.0 && p.value <= 1.0), "{row:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_results_give_a_report(
        results in proptest::collection::vec(any_results(), 0..3),
        staged in any::<bool>(),
        strict in any::<bool>(),
    ) {
        let mut config = config(if staged { Rounds::default() } else { Rounds::Fixed(8) });
        if strict {
            config.compare.correction = Correction::None;
            config.compare.primary = PrimaryTime::Cpu;
            config.compare.threshold = 0.0;
            config.compare.rename = vec![Rename { from: "^[xy]$".to_owned(), to: "z".to_owned() }];
            let policy = UnitPolicy { better: Some(Direction::Lower), absolute: Some(0.5), ..UnitPolicy::default() };
            config.compare.units.insert("widgets".to_owned(), policy);
            config.suites[0].controls = Some("z".to_owned());
        }
        let report = report(&results, &config, &Context::default());
        check(&report);
        let _ = trips(&report, &[FailOn::Failure, FailOn::Regression, FailOn::Inconclusive, FailOn::Never]);
        for results in &results {
            let chosen = select(&results.suites, &config);
            prop_assert_eq!(chosen.len(), results.suites.len());
        }
    }
}
