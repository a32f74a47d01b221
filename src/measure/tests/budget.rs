//! Budget, price, blocks that fit, `max-time`: to the letter, with exact times.

use super::*;

/// A budget that the given number of seconds beyond the two warm-up rounds.
fn budgeted(round: u64, budget: u64, choose: &dyn Fn(&[SuiteResults]) -> Vec<Choice>) -> Results {
    let mut request = request(vec![suite("s")]);
    request.config.budget = seconds(2 * round + budget);
    measured(&request, &mut ScriptedExec::new(steady(round)), choose)
}

#[test]
fn screen_runs_four_blocks_if_they_fit_else_three() {
    // A block of 10 s rounds costs 40 s.
    for (budget, run, stopped) in [
        (600, 4, Stopped::Completed),
        (160, 4, Stopped::Completed),
        (159, 3, Stopped::Budget),
        (120, 3, Stopped::Budget),
    ] {
        let results = budgeted(10, budget, &none_chosen);
        assert_eq!((blocks(&results, 0, StageKind::Screen), results.stopped), (run, stopped), "budget {budget}");
        assert_eq!(stage(&results, 0, StageKind::Screen).expect("stage").planned_blocks as usize, run);
    }
}

#[test]
fn three_blocks_run_anyway_and_the_budget_that_would_do_is_named() {
    let results = budgeted(10, 30, &none_chosen);
    assert_eq!(blocks(&results, 0, StageKind::Screen), 3);
    assert_eq!(results.stopped, Stopped::Budget);
    // Two warm-up rounds and four blocks: 20 s + 160 s.
    assert!(results.warnings[0].contains("180 s would do"), "{:?}", results.warnings);
}

#[test]
fn setup_is_not_paid_from_the_budget() {
    let mut request = request(vec![suite("s")]);
    request.config.budget = seconds(20 + 160);
    let script = |step: &Step| match step.kind {
        StepKind::Setup => Reply::prints("", seconds(500)),
        _ => steady(10)(step),
    };
    let results = measured(&request, &mut ScriptedExec::new(script), &none_chosen);
    assert_eq!((blocks(&results, 0, StageKind::Screen), results.stopped), (4, Stopped::Completed));
}

#[test]
fn confirm_gets_what_is_left_in_whole_blocks() {
    for (left, planned, run, stopped) in [
        (320, 8, 8, Stopped::Completed),
        (319, 7, 7, Stopped::Budget),
        (160, 4, 4, Stopped::Budget),
        (159, 0, 0, Stopped::Budget),
    ] {
        let results = budgeted(10, 160 + left, &all_suspects);
        let confirm = stage(&results, 0, StageKind::Confirm).expect("a row was chosen");
        assert_eq!(
            (confirm.planned_blocks, confirm.blocks.len(), results.stopped),
            (planned, run, stopped),
            "{left} s left"
        );
        assert_eq!(confirm.suspects, [0]);
    }
}

#[test]
fn a_warm_up_that_compiles_does_not_price_the_second_stage() {
    let mut request = request(vec![suite("s")]);
    request.config.budget = seconds(120);
    let script = |step: &Step| steady(if step.kind == StepKind::Warmup { 18 } else { 1 })(step);
    let results = measured(&request, &mut ScriptedExec::new(script), &all_suspects);
    // By the warm-up a block costs 72 s; it takes 4 s, and 36 s + 3 · 4 s are spent when the second stage is planned.
    assert_eq!((blocks(&results, 0, StageKind::Screen), blocks(&results, 0, StageKind::Confirm)), (3, 8));
}

#[test]
fn a_smaller_plan_for_confirm_has_a_smaller_least() {
    let mut request = request(vec![suite("s")]);
    request.config.rounds = Rounds::Staged { screen: 8, confirm: 4 };
    let results = measured(&request, &mut ScriptedExec::new(steady(1)), &all_suspects);
    assert_eq!(blocks(&results, 0, StageKind::Confirm), 2);
}

#[test]
fn rows_for_equivalence_run_after_the_suspects_while_the_budget_lasts() {
    let suspects_then_rest = |suites: &[SuiteResults]| {
        let choice = |suspects: &[u32], equivalence: &[u32]| Choice {
            suspects: suspects.to_vec(),
            equivalence: equivalence.to_vec(),
        };
        assert_eq!(suites.len(), 2);
        vec![choice(&[], &[0]), choice(&[0], &[])]
    };
    for (left, first, second) in [(1000, 8, 8), (320 + 160, 8, 4), (320 + 159, 8, 0)] {
        let mut request = request(vec![suite("calm"), suite("changed")]);
        request.config.budget = seconds(40 + 320 + left);
        let mut exec = ScriptedExec::new(steady(10));
        let results = measured(&request, &mut exec, &suspects_then_rest);
        assert_eq!(blocks(&results, 1, StageKind::Confirm), first, "suspects, {left} s left");
        assert_eq!(blocks(&results, 0, StageKind::Confirm), second, "equivalence, {left} s left");
        let confirm = stage(&results, 0, StageKind::Confirm).expect("chosen");
        assert_eq!((confirm.planned_blocks as usize, confirm.equivalence.as_slice()), (second, &[0][..]));
        assert_eq!(results.stopped == Stopped::Completed, second == 8);
        let last =
            |suite: usize| stage(&results, suite, StageKind::Confirm).and_then(|s| Some(s.blocks.last()?.rounds[0].at));
        assert!(last(0).is_none_or(|calm| calm > last(1).expect("suspects ran")), "suspects are complete first");
    }
}

#[test]
fn without_a_chosen_row_there_is_no_confirm_stage() {
    let results = budgeted(10, 600, &none_chosen);
    assert!(stage(&results, 0, StageKind::Confirm).is_none());
    assert_eq!(results.stopped, Stopped::Completed);
}

#[test]
fn the_budget_is_looked_at_between_blocks_when_rounds_turn_out_longer() {
    // The warm-up promises 10 s a round; counted rounds take 30 s. Three blocks always run, the fourth does not.
    let mut request = request(vec![suite("s")]);
    request.config.budget = seconds(20 + 200);
    let script = |step: &Step| match step.kind {
        StepKind::Warmup => Reply::prints("A 1 sec/op\n", seconds(10)),
        StepKind::Round => Reply::prints("A 1 sec/op\n", seconds(30)),
        _ => Reply::silent(),
    };
    let results = measured(&request, &mut ScriptedExec::new(script), &all_suspects);
    assert_eq!(blocks(&results, 0, StageKind::Screen), 3);
    assert_eq!(stage(&results, 0, StageKind::Screen).expect("stage").planned_blocks, 4, "fixed before the stage began");
    assert_eq!(stage(&results, 0, StageKind::Confirm).expect("chosen").planned_blocks, 0);
    assert_eq!(results.stopped, Stopped::Budget);
}

#[test]
fn the_jobs_limit_ends_measuring_at_a_block_border_and_keeps_what_is_there() {
    let mut request = request(vec![suite("s")]);
    request.config.max_time = seconds(120);
    let results = measured(&request, &mut ScriptedExec::new(steady(10)), &all_suspects);
    // Two warm-up rounds, then whole blocks of 40 s: the third would end at 140 s.
    assert_eq!((blocks(&results, 0, StageKind::Screen), results.stopped), (2, Stopped::MaxTime));
    assert!(stage(&results, 0, StageKind::Confirm).is_none());
    let options = Options { spent: seconds(60), ..Options::default() };
    let tools = Tools { parse: &parse, choose: &none_chosen, invalid: &valid };
    let results = run(&request, &mut ScriptedExec::new(steady(10)), &tools, &options, &mut Silent).expect("measured");
    assert_eq!(blocks(&results, 0, StageKind::Screen), 1, "time before the executor was made counts");
}

#[test]
fn suites_are_taken_in_turn() {
    let request = request(vec![suite("a"), suite("b"), suite("c")]);
    let mut exec = ScriptedExec::new(steady(1));
    let results = measured(&request, &mut exec, &none_chosen);
    let rounds: Vec<&str> = exec.steps.iter().filter(|s| s.kind == StepKind::Round).map(|s| s.suite.as_str()).collect();
    let blocks: Vec<&str> = rounds.chunks(4).map(|block| block[0]).collect();
    assert_eq!(blocks, ["a", "b", "c"].repeat(4));
    assert!(rounds.chunks(4).all(|block| block.iter().all(|suite| *suite == block[0])));
    assert_eq!(results.suites.len(), 3);
}

#[test]
fn a_fixed_plan_has_one_stage() {
    let mut request = request(vec![suite("s")]);
    request.config.rounds = Rounds::Fixed(20);
    let results = measured(&request, &mut ScriptedExec::new(steady(1)), &all_suspects);
    assert_eq!(results.suites[0].stages.len(), 1);
    assert_eq!(blocks(&results, 0, StageKind::Fixed), 10);
}

fn with_rule(results_budget: u64, invalid: &dyn Fn(&[Round]) -> Option<String>) -> Results {
    let mut request = request(vec![suite("s")]);
    request.config.budget = seconds(results_budget);
    let tools = Tools { parse: &parse, choose: &none_chosen, invalid };
    run(&request, &mut ScriptedExec::new(steady(1)), &tools, &Options::default(), &mut Silent).expect("measured")
}

#[test]
fn an_invalid_block_is_run_again_whole_and_counted() {
    let calls = RefCell::new(0);
    let second = |_: &[Round]| {
        *calls.borrow_mut() += 1;
        (*calls.borrow() == 2).then(|| "stolen".to_owned())
    };
    let results = with_rule(600, &second);
    let screen = stage(&results, 0, StageKind::Screen).expect("stage");
    let states: Vec<(bool, bool)> = screen.blocks.iter().map(|block| (block.invalid.is_some(), block.kept)).collect();
    assert_eq!(states, [(false, false), (true, false), (false, false), (false, false), (false, false)]);
    assert!(screen.blocks.iter().all(|block| block.rounds.len() == 4));
}

#[test]
fn beyond_a_quarter_invalid_blocks_are_kept_and_marked() {
    let always = |_: &[Round]| Some("stolen".to_owned());
    let results = with_rule(600, &always);
    let screen = stage(&results, 0, StageKind::Screen).expect("stage");
    assert_eq!(screen.blocks.len(), 5, "four, and one more is a quarter");
    assert_eq!(screen.blocks.iter().filter(|block| block.kept).count(), 4, "as many count as were planned");
    assert!(!screen.blocks[0].kept && screen.blocks[4].kept, "the latest ones");
}

#[test]
fn repeats_are_paid_from_the_budget() {
    let always = |_: &[Round]| Some("stolen".to_owned());
    // Two warm-up rounds and four blocks of four seconds: nothing is left.
    let results = with_rule(18, &always);
    let screen = stage(&results, 0, StageKind::Screen).expect("stage");
    assert_eq!(screen.blocks.iter().map(|block| block.kept).collect::<Vec<_>>(), [true; 4]);
}

#[test]
fn what_is_left_is_estimated_by_what_blocks_really_take() {
    let script = |step: &Step| match step.kind {
        StepKind::Warmup => Reply::prints("A 1 sec/op\n", seconds(1)),
        StepKind::Round => Reply::prints("A 1 sec/op\n", seconds(3)),
        _ => Reply::silent(),
    };
    let mut told = Told::default();
    watched(&request(vec![suite("s")]), &mut ScriptedExec::new(script), &mut told);
    // The warm-up promised four seconds a block; they take twelve.
    assert_eq!(told.left, [seconds(36), seconds(24), seconds(12), seconds(0)]);
}

#[test]
fn the_order_is_drawn_again_from_the_seed_and_another_seed_gives_another() {
    let order = |seed: &str| {
        let mut request = request(vec![suite("s")]);
        request.seed = Some(seed.to_owned());
        let mut exec = ScriptedExec::new(steady(1));
        let results = measured(&request, &mut exec, &all_suspects);
        assert_eq!(results.seed, seed);
        exec.steps.iter().filter(|step| step.kind == StepKind::Round).map(|step| step.side).collect::<Vec<_>>()
    };
    let (one, other) = ("00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100");
    assert_eq!(order(one), order(one));
    assert_ne!(order(one), order(other));
}
