use super::*;
use crate::results::{StageKind, StepOutcome};
use crate::side::{PerSide, Side};
use std::collections::BTreeMap;

fn round(side: Side, witness: RoundWitness) -> Round {
    Round {
        side,
        at: 0.0,
        outcome: StepOutcome { seconds: 2.0, ..StepOutcome::default() },
        values: vec![],
        failures: vec![],
        unparsed: vec![],
        witness,
    }
}

fn block(change: impl Fn(usize, Side) -> RoundWitness) -> Vec<Round> {
    let sides = [Side::Base, Side::Head, Side::Head, Side::Base];
    sides.iter().enumerate().map(|(index, side)| round(*side, change(index, *side))).collect()
}

fn found(machine: Machine, rounds: Vec<Round>) -> Vec<String> {
    let suite = SuiteResults {
        name: "codec".into(),
        run: PerSide::from_fn(|_| String::new()),
        format: None,
        setup: PerSide::from_fn(|_| StepOutcome::default()),
        warmup: PerSide::from_fn(|_| None),
        rows: vec![],
        metric_rows: std::collections::BTreeSet::new(),
        units: BTreeMap::new(),
        stages: vec![crate::results::Stage {
            kind: StageKind::Fixed,
            planned_blocks: 1,
            suspects: vec![],
            equivalence: vec![],
            blocks: vec![Block {
                unit_of_work: String::new(),
                invalid: None,
                kept: false,
                equivalence: false,
                metrics: false,
                rounds,
            }],
        }],
        tools: BTreeMap::new(),
        filtered_out: 0,
        inspected: PerSide::default(),
        warnings: vec![],
    };
    warnings(&Results {
        schema: crate::results::SCHEMA,
        tool: String::new(),
        commits: PerSide::from_fn(|_| String::new()),
        config_hash: String::new(),
        seed: String::new(),
        shard: None,
        started: String::new(),
        finished: String::new(),
        stopped: crate::results::Stopped::Completed,
        machine,
        tuning: vec![],
        suites: vec![suite],
        warnings: vec![],
        asked: None,
    })
}

fn machine() -> Machine {
    Machine { cpus: 4, ..Machine::default() }
}

#[test]
fn a_quiet_block_is_valid_and_unobservable_things_say_nothing() {
    assert_eq!(invalid(&block(|_, _| RoundWitness::default())), None);
    let quiet = RoundWitness {
        throttled: Some(0),
        quota_throttled: Some(0),
        swapped_in: Some(0),
        steal: Some(0.04),
        lost: Some(0.04),
        ..RoundWitness::default()
    };
    assert_eq!(invalid(&block(|_, _| quiet.clone())), None);
    assert_eq!(found(machine(), block(|_, _| RoundWitness::default())), [""; 0]);
}

#[test]
fn a_block_is_judged_as_a_whole_whichever_side_it_hit() {
    for hit in 0..4 {
        let one = |witness: RoundWitness| {
            invalid(&block(|index, _| if index == hit { witness.clone() } else { RoundWitness::default() }))
        };
        let heat = one(RoundWitness { throttled: Some(2), ..RoundWitness::default() });
        assert_eq!(heat.as_deref(), Some("the CPU was slowed down for heat (2 times)"));
        let swap = one(RoundWitness { swapped_in: Some(8), ..RoundWitness::default() });
        assert_eq!(swap.as_deref(), Some("the machine read 8 pages back from swap"));
        let lost = one(RoundWitness { lost: Some(0.07), ..RoundWitness::default() });
        assert_eq!(lost.as_deref(), Some("a busy CPU lost 7.0 % of its time just before"));
    }
    // 16 % in one of four equally long rounds is 4 % of the block; 24 % is 6 %.
    let steal = |share: f64| {
        let mean = |index| RoundWitness { steal: Some(if index == 1 { share } else { 0.0 }), ..Default::default() };
        invalid(&block(|index, _| mean(index)))
    };
    assert_eq!(steal(0.16), None);
    assert_eq!(steal(0.24).as_deref(), Some("the hypervisor took 6.0 % of the CPU's time"));
}

#[test]
fn a_frequency_that_fell_and_lost_time_are_warnings() {
    let rounds = block(|index, _| RoundWitness {
        mhz: Some(if index == 3 { [3400.0, 3200.0, 2000.0] } else { [3400.0, 3400.0, 3400.0] }),
        lost: (index == 0).then_some(0.03),
        ..RoundWitness::default()
    });
    assert_eq!(
        found(machine(), rounds),
        [
            "A busy CPU lost 3.0 % of its time to others between the blocks",
            "The frequency fell: 1 of 4 rounds ran more than 3.0 % below the median of 3400 MHz",
        ]
    );
}

#[test]
fn a_machine_that_cannot_measure_well_is_named() {
    let details = [("clocksource", "hpet"), ("aslr", "0")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let one = Machine { cpus: 1, details: details.into(), ..Machine::default() };
    let all = found(one, vec![]);
    assert!(all[0].contains("single CPU") && all[1].contains("`hpet`") && all[2].contains("randomisation"), "{all:?}");
}
