//! Suites that can be restricted: smallest unit first, and only what is wanted in Confirm.

use super::*;
use crate::compare;
use crate::measure::narrow::VARIABLE;
use crate::report::Verdict;
use crate::results::{RowKey, Shard};

/// Benchmarks A to D of 30 s each, with a start of one second; obeys the variable.
fn obedient(step: &Step) -> Reply {
    let filter = step.env.get(VARIABLE).map_or(".", String::as_str);
    let filter = regex::Regex::new(filter).expect("an expression");
    if step.command == "list" {
        return Reply::prints("A\nB\nC\nD\n", seconds(0));
    }
    if !matches!(step.kind, StepKind::Warmup | StepKind::Round) {
        return Reply::silent();
    }
    let wanted: Vec<&str> = ["A", "B", "C", "D"].into_iter().filter(|name| filter.is_match(name)).collect();
    let text: String = wanted.iter().map(|name| format!("{name} 1 sec/op\n{name} 5 allocs/op\n")).collect();
    Reply::prints(text, seconds(1 + 30 * wanted.len() as u64))
}

fn narrowable() -> Suite {
    Suite { narrow: Some(Narrow::Variable), ..suite("s") }
}

fn long(suites: Vec<Suite>) -> Request {
    let mut request = request(suites);
    request.config.budget = seconds(1_000_000);
    request.config.max_time = seconds(1_000_000);
    request
}

#[test]
fn a_long_suite_is_divided_so_that_base_and_head_are_near_in_time() {
    let results = measured(&long(vec![narrowable()]), &mut ScriptedExec::new(obedient), &none_chosen);
    let screen = stage(&results, 0, StageKind::Screen).expect("stage");
    let units: Vec<&str> = screen.blocks.iter().map(|block| block.unit_of_work.as_str()).collect();
    assert_eq!(units, ["^(A)$", "^(B)$", "^(C)$", "^(D)$"].repeat(4));
    assert!(screen.blocks.iter().all(|block| block.rounds.iter().all(|round| round.values.len() == 2)));
    assert_eq!(screen.planned_blocks, 4);
}

#[test]
fn confirm_runs_only_what_is_wanted() {
    let b_then_d = |suites: &[SuiteResults]| {
        let row = |name: &str, unit: &str| {
            suites[0].rows.iter().position(|row| row.benchmark.name == name && row.unit == unit).expect("a row") as u32
        };
        vec![Choice {
            suspects: vec![row("B", "sec/op")],
            equivalence: vec![row("B", "allocs/op"), row("D", "sec/op")],
        }]
    };
    let results = measured(&long(vec![narrowable()]), &mut ScriptedExec::new(obedient), &b_then_d);
    let confirm = stage(&results, 0, StageKind::Confirm).expect("stage");
    let units: Vec<&str> = confirm.blocks.iter().map(|block| block.unit_of_work.as_str()).collect();
    assert_eq!(units, [["^(B)$"; 8], ["^(D)$"; 8]].concat(), "B's other unit came along");
    assert_eq!((confirm.suspects.len(), confirm.equivalence.len()), (1, 2));
}

/// The row of a benchmark by its name, as an index.
fn row_of(suites: &[SuiteResults], name: &str) -> u32 {
    suites[0].rows.iter().position(|row| row.benchmark.name == name).expect("a row") as u32
}

#[test]
fn what_runs_beside_a_suspect_is_not_run_again_for_itself() {
    let names = ["F/x/1", "F/x/2", "F/y", "G"];
    let go = move |step: &Step| {
        if !matches!(step.kind, StepKind::Warmup | StepKind::Round) {
            return Reply::silent();
        }
        let filter = step.env.get(VARIABLE).map_or(".", String::as_str);
        let levels: Vec<_> = filter.split('/').map(|level| regex::Regex::new(level).expect("an expression")).collect();
        let wanted =
            |name: &str| format!("Benchmark{name}").split('/').zip(&levels).all(|(part, it)| it.is_match(part));
        let wanted: Vec<&str> = names.into_iter().filter(|name| wanted(name)).collect();
        let text: String = wanted.iter().map(|name| format!("{name} 1 sec/op\n")).collect();
        Reply::prints(text, seconds(1 + 30 * wanted.len() as u64))
    };
    let choose = |suites: &[SuiteResults]| {
        let row = |name: &str| row_of(suites, name);
        vec![Choice { suspects: vec![row("F/x/1")], equivalence: vec![row("F/x/2"), row("F/y")] }]
    };
    let suite = Suite { narrow: Some(Narrow::GoBench), ..suite("s") };
    let results = measured(&long(vec![suite]), &mut ScriptedExec::new(go), &choose);
    let confirm = stage(&results, 0, StageKind::Confirm).expect("stage");
    let units: Vec<&str> = confirm.blocks.iter().map(|block| block.unit_of_work.as_str()).collect();
    assert_eq!(units, [["^(BenchmarkF)$/^(x)$"; 8], ["^(BenchmarkF)$/^(y)$"; 8]].concat());
}

#[test]
fn what_one_command_gives_beside_a_suspect_is_not_run_again_for_itself() {
    let mut swept = suite("s");
    swept.parameters = BTreeMap::from([("n".to_owned(), vec!["16".to_owned(), "256".to_owned()])]);
    for side in Side::BOTH {
        swept.sides.get_mut(side).run = "./work {n}".to_owned();
    }
    let script = |step: &Step| match step.kind {
        StepKind::Warmup | StepKind::Round => Reply::prints("A 1 sec/op\nB 1 sec/op\n", seconds(30)),
        _ => Reply::silent(),
    };
    let choose = |suites: &[SuiteResults]| {
        let row = |name: &str| row_of(suites, name);
        vec![Choice { suspects: vec![row("A/n=16")], equivalence: vec![row("B/n=16"), row("B/n=256")] }]
    };
    let results = measured(&long(vec![swept]), &mut ScriptedExec::new(script), &choose);
    let confirm = stage(&results, 0, StageKind::Confirm).expect("stage");
    let units: Vec<&str> = confirm.blocks.iter().map(|block| block.unit_of_work.as_str()).collect();
    assert_eq!(units, [["n=16"; 8], ["n=256"; 8]].concat());
}

#[test]
fn a_tool_that_does_not_obey_runs_whole_and_it_is_said() {
    let deaf = |step: &Step| steady(30)(step);
    let results = measured(&long(vec![narrowable()]), &mut ScriptedExec::new(deaf), &all_suspects);
    assert_eq!(blocks(&results, 0, StageKind::Screen), 4);
    assert!(results.suites[0].warnings[0].contains("does not obey BENCH_BOT_FILTER"));
    assert!(
        stage(&results, 0, StageKind::Confirm).expect("stage").blocks.iter().all(|block| block.unit_of_work.is_empty())
    );
}

#[test]
fn a_filter_hides_rows_counts_them_and_does_not_run_them_again() {
    let mut filtered = narrowable();
    filtered.filter = Some("^[AB]$".to_owned());
    let results = measured(&long(vec![filtered]), &mut ScriptedExec::new(obedient), &none_chosen);
    let names: BTreeSet<&str> = results.suites[0].rows.iter().map(|row| row.benchmark.name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(["A", "B"]));
    assert_eq!(results.suites[0].filtered_out, 4, "C and D with two units each");
    let units: BTreeSet<&str> =
        stage(&results, 0, StageKind::Screen).expect("stage").blocks.iter().map(|b| b.unit_of_work.as_str()).collect();
    assert_eq!(units, BTreeSet::from(["^(A)$", "^(B)$"]));
}

#[test]
fn a_shard_measures_its_part_of_the_list() {
    let mut seen = BTreeSet::new();
    for index in 1..=3 {
        let mut listed = narrowable();
        listed.list = Some("list".to_owned());
        let mut request = long(vec![listed]);
        request.shard = Some(Shard { index, count: 3 });
        let results = measured(&request, &mut ScriptedExec::new(obedient), &none_chosen);
        let names: BTreeSet<String> = results.suites[0].rows.iter().map(|row| row.benchmark.name.clone()).collect();
        assert_eq!(
            names,
            match index {
                1 => BTreeSet::from(["A".to_owned(), "D".to_owned()]),
                2 => BTreeSet::from(["B".to_owned()]),
                _ => BTreeSet::from(["C".to_owned()]),
            }
        );
        seen.extend(names);
    }
    assert_eq!(seen.len(), 4);
    let mut listed = narrowable();
    listed.list = Some("list".to_owned());
    let mut request = long(vec![listed]);
    request.shard = Some(Shard { index: 7, count: 7 });
    let results = measured(&request, &mut ScriptedExec::new(obedient), &none_chosen);
    assert_eq!((results.suites[0].rows.len(), results.stopped), (0, Stopped::Completed), "an empty shard succeeds");
}

#[test]
fn parameters_are_run_apart_and_named() {
    let mut swept = suite("s");
    swept.parameters = BTreeMap::from([("n".to_owned(), vec!["16".to_owned(), "256".to_owned()])]);
    for side in Side::BOTH {
        let one = swept.sides.get_mut(side);
        (one.run, one.format) = ("./work {n}".to_owned(), "process".to_owned());
    }
    let script = |step: &Step| match step.kind {
        StepKind::Warmup | StepKind::Round => {
            let mut reply = Reply::prints("", if step.command.ends_with("16") { seconds(1) } else { seconds(2) });
            reply.witness =
                RoundWitness { user: Some(0.5), system: Some(0.25), max_rss: Some(4096), ..RoundWitness::default() };
            reply
        }
        _ => Reply::silent(),
    };
    let large_only = |suites: &[SuiteResults]| {
        let row = suites[0]
            .rows
            .iter()
            .position(|row| row.benchmark.name == "s/n=256" && row.unit == "sec/op")
            .expect("a row");
        vec![Choice { suspects: vec![row as u32], equivalence: Vec::new() }]
    };
    let mut exec = ScriptedExec::new(script);
    let results = measured(&long(vec![swept]), &mut exec, &large_only);
    let suite = &results.suites[0];
    let rows: Vec<(&str, &str)> =
        suite.rows.iter().map(|row| (row.benchmark.name.as_str(), row.unit.as_str())).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows[0], ("s/n=16", "sec/op"));
    assert_eq!(rows[7], ("s/n=256", "max-rss-B"));
    let screen = stage(&results, 0, StageKind::Screen).expect("stage");
    assert_eq!(
        screen.blocks.iter().map(|block| block.unit_of_work.as_str()).collect::<Vec<_>>(),
        ["n=16", "n=256"].repeat(4)
    );
    assert_eq!(
        screen.blocks[1].rounds[0].values.iter().map(|value| value.value).collect::<Vec<_>>(),
        [2.0, 0.5, 0.25, 4096.0]
    );
    let confirm = stage(&results, 0, StageKind::Confirm).expect("stage");
    assert!(confirm.blocks.len() == 8 && confirm.blocks.iter().all(|block| block.unit_of_work == "n=256"));
}

#[test]
fn a_size_beside_parameters_is_decided_though_only_some_are_confirmed() {
    let mut swept = suite("s");
    swept.parameters = BTreeMap::from([("n".to_owned(), vec!["16".to_owned(), "256".to_owned()])]);
    swept.metrics = BTreeMap::from([("app".to_owned(), "app".to_owned())]);
    for side in Side::BOTH {
        let one = swept.sides.get_mut(side);
        (one.run, one.format) = ("./work {n}".to_owned(), "process".to_owned());
    }
    for suspect in ["s/n=16", "s/n=256"] {
        let script = |step: &Step| match step.kind {
            StepKind::Probe if step.command.contains("wc -c") => {
                Reply::prints(if step.side == Side::Base { "1000\n" } else { "1024\n" }, seconds(0))
            }
            StepKind::Warmup | StepKind::Round => Reply::prints("", seconds(1)),
            _ => Reply::silent(),
        };
        let choose = |suites: &[SuiteResults]| {
            let is_suspect = |row: &RowKey| row.benchmark.name == suspect && row.unit == "sec/op";
            let row = suites[0].rows.iter().position(is_suspect).expect("a row");
            vec![Choice { suspects: vec![row as u32], equivalence: Vec::new() }]
        };
        let request = long(vec![swept.clone()]);
        let results = measured(&request, &mut ScriptedExec::new(script), &choose);
        let report = compare::report(&[results], &request.config, &compare::Context::default());
        let size = report.suites[0].rows.iter().find(|row| row.unit == "size-B").expect("a row");
        assert_eq!(size.verdict, Verdict::Regression, "{suspect} is measured again: {size:?}");
    }
}
