//! What a user sees: order, failures, empty outputs, what survives.

use super::*;
use crate::report::Verdict;
use crate::results::Value;

fn failing(side: Side, kind: StepKind) -> impl FnMut(&Step) -> Reply {
    move |step| {
        if step.side == side && step.kind == kind { Reply::fails(2, "undefined: NewGeneric") } else { steady(1)(step) }
    }
}

#[test]
fn setup_of_both_sides_comes_first_then_one_warm_up_each_then_shuffled_blocks() {
    let mut exec = ScriptedExec::new(steady(1));
    let results = measured(&request(vec![suite("s")]), &mut exec, &all_suspects);
    let kinds: Vec<StepKind> =
        exec.steps.iter().map(|step| step.kind).filter(|kind| *kind != StepKind::Probe).collect();
    assert_eq!(kinds[..4], [StepKind::Setup, StepKind::Setup, StepKind::Warmup, StepKind::Warmup]);
    assert_eq!(kinds[4..], [StepKind::Round; 4 * (4 + 8)]);
    let orders: BTreeSet<String> = results.suites[0]
        .stages
        .iter()
        .flat_map(|stage| &stage.blocks)
        .map(|block| block.rounds.iter().map(|round| round.side.name()).collect::<Vec<_>>().join(" "))
        .collect();
    assert!(orders.len() > 3, "never one fixed order: {orders:?}");
    let again = measured(&request(vec![suite("s")]), &mut ScriptedExec::new(steady(1)), &all_suspects);
    assert_eq!(again.suites, results.suites, "a seed repeats the run");
    let positions: Vec<u8> =
        exec.steps.iter().filter(|step| step.kind == StepKind::Round).map(|step| step.position).collect();
    assert_eq!(positions[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn the_environments_size_differs_from_process_to_process() {
    let mut exec = ScriptedExec::new(steady(1));
    measured(&request(vec![suite("s")]), &mut exec, &none_chosen);
    let sizes: BTreeSet<usize> =
        exec.steps.iter().filter_map(|step| Some(step.env.get("BENCH_BOT_PAD")?.len())).collect();
    assert!(sizes.len() > 15 && sizes.iter().all(|size| *size < 4096), "{sizes:?}");
}

#[test]
fn a_failing_build_on_head_fails_the_side_and_runs_no_round_with_a_stale_binary() {
    let mut exec = ScriptedExec::new(failing(Side::Head, StepKind::Setup));
    let results = measured(&request(vec![suite("s")]), &mut exec, &all_suspects);
    let suite = &results.suites[0];
    assert_eq!(suite.setup.head.status, StepStatus::Exit(2));
    assert_eq!(suite.setup.head.tail, "undefined: NewGeneric");
    assert!(suite.setup.base.status.ok());
    assert!(
        !exec
            .steps
            .iter()
            .any(|step| step.side == Side::Head && step.kind != StepKind::Setup && step.kind != StepKind::Probe)
    );
    assert_eq!(suite.rows.len(), 1, "base's warm-up names the rows that head lost");
    assert!(suite.warmup.head.is_none() && suite.stages.is_empty());
}

#[test]
fn a_failing_command_on_base_is_a_state_of_base() {
    let results = measured(
        &request(vec![suite("s")]),
        &mut ScriptedExec::new(failing(Side::Base, StepKind::Warmup)),
        &all_suspects,
    );
    let warmup = results.suites[0].warmup.base.as_ref().expect("it was run");
    assert_eq!((&warmup.outcome.status, warmup.values.len()), (&StepStatus::Exit(2), 0));
    assert!(results.suites[0].stages.is_empty());
}

#[test]
fn a_suite_that_fails_does_not_stop_the_others() {
    let script = |step: &Step| if step.suite == "broken" { Reply::fails(1, "no") } else { steady(1)(step) };
    let results =
        measured(&request(vec![suite("broken"), suite("good")]), &mut ScriptedExec::new(script), &none_chosen);
    assert_eq!((results.suites[0].stages.len(), blocks(&results, 1, StageKind::Screen)), (0, 4));
}

#[test]
fn what_was_printed_before_a_failure_is_kept() {
    // A suite in which most benchmarks fail while its tests are green.
    let script = |step: &Step| match step.kind {
        StepKind::Warmup | StepKind::Round => Reply {
            status: StepStatus::Exit(1),
            ..Reply::prints("A 1 sec/op\nFAIL B\nFAIL C\nrandom noise\n", seconds(1))
        },
        _ => Reply::silent(),
    };
    let results = measured(&request(vec![suite("s")]), &mut ScriptedExec::new(script), &none_chosen);
    assert_eq!(blocks(&results, 0, StageKind::Screen), 4);
    let round = &stage(&results, 0, StageKind::Screen).expect("stage").blocks[0].rounds[0];
    assert_eq!((round.values.len(), round.failures.len(), &round.outcome.status), (1, 2, &StepStatus::Exit(1)));
    assert_eq!(round.unparsed, [(4, "not a result: random noise".to_owned())]);
}

#[test]
fn benchmarks_of_one_side_are_rows_too() {
    let script = |step: &Step| match (step.kind, step.side) {
        (StepKind::Warmup | StepKind::Round, Side::Head) => Reply::prints("A 1 sec/op\nNew 2 sec/op\n", seconds(1)),
        (StepKind::Warmup | StepKind::Round, Side::Base) => Reply::prints("A 1 sec/op\nOld 2 sec/op\n", seconds(1)),
        _ => Reply::silent(),
    };
    let results = measured(&request(vec![suite("s")]), &mut ScriptedExec::new(script), &none_chosen);
    let names: BTreeSet<&str> = results.suites[0].rows.iter().map(|row| row.benchmark.name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(["A", "New", "Old"]));
}

#[test]
fn an_empty_output_with_exit_code_0_is_visible() {
    let script = |step: &Step| match (step.kind, step.side) {
        (StepKind::Warmup | StepKind::Round, Side::Base) => Reply::prints("", seconds(1)),
        _ => steady(1)(step),
    };
    let mut told = Told::default();
    let results = watched(&request(vec![suite("s")]), &mut ScriptedExec::new(script), &mut told);
    assert!(told.notes.iter().any(|note| note.contains("succeeded on base, and its output holds no benchmark")));
    assert_eq!(blocks(&results, 0, StageKind::Screen), 4, "head's benchmarks are new, and measured");
    let nothing =
        |step: &Step| if step.kind == StepKind::Round { panic!("no round without rows") } else { Reply::silent() };
    let results = measured(&request(vec![suite("s")]), &mut ScriptedExec::new(nothing), &none_chosen);
    // The report says it once, from the rounds; no stage is there that could look cut for want of time.
    let suite = &results.suites[0];
    assert!(suite.rows.is_empty() && suite.warnings.is_empty() && suite.stages.is_empty());
    assert_eq!(results.stopped, Stopped::Completed);
}

#[test]
fn an_output_file_is_deleted_before_and_standard_output_never_stands_in_for_it() {
    let mut filed = suite("s");
    for side in Side::BOTH {
        filed.sides.get_mut(side).output = Some("bench.json".to_owned());
    }
    let script = |step: &Step| {
        let mut reply = steady(1)(step);
        if step.side == Side::Base && step.kind != StepKind::Setup {
            reply.files = BTreeMap::from([("bench.json".to_owned(), b"A 2 sec/op\n".to_vec())]);
        }
        reply
    };
    let mut exec = ScriptedExec::new(script);
    let results = measured(&request(vec![filed]), &mut exec, &none_chosen);
    assert!(exec.steps.iter().filter(|step| step.kind != StepKind::Probe).all(|step| step.remove == ["bench.json"]));
    let suite = &results.suites[0];
    assert_eq!(suite.warmup.base.as_ref().expect("run").values[0].value, 2.0);
    let head = suite.warmup.head.as_ref().expect("run");
    assert_eq!((head.values.len(), head.unparsed[0].1.as_str()), (0, "the command did not write bench.json"));
}

#[test]
fn a_unit_that_is_no_number_on_one_side_fails_there_and_the_others_do_not() {
    let script = |step: &Step| match (step.kind, step.side) {
        (StepKind::Warmup | StepKind::Round, Side::Head) => {
            Reply::prints("BenchmarkA-2 10 NaN ns/op 7 B/op\nBenchmarkB-2 10 5 ns/op NaN ns/op\n", seconds(1))
        }
        (StepKind::Warmup | StepKind::Round, Side::Base) => {
            Reply::prints("BenchmarkA-2 10 5 ns/op 7 B/op\nBenchmarkB-2 10 5 ns/op\n", seconds(1))
        }
        _ => Reply::silent(),
    };
    let parse = |_: &str, stdout: &[u8], files: &BTreeMap<String, Vec<u8>>| {
        let read = crate::format::parse("go", &crate::format::Input { stdout, files });
        read.map(|(_, parsed)| ("go".to_owned(), parsed)).map_err(|error| error.to_string())
    };
    let tools = Tools { parse: &parse, choose: &none_chosen, invalid: &valid };
    let request = request(vec![suite("s")]);
    let results = run(&request, &mut ScriptedExec::new(script), &tools, &Options::default(), &mut Silent).expect("ran");
    let report = crate::compare::report(&[results], &request.config, &crate::compare::Context::default());
    let rows = report.suites[0].rows.iter();
    let verdicts: Vec<_> = rows.map(|row| (format!("{} {}", row.benchmark.name, row.unit), &row.verdict)).collect();
    let failed = Verdict::Failed(Side::Head, "a value is not a usable number".to_owned());
    assert_eq!(
        verdicts,
        [
            ("A sec/op".to_owned(), &failed),
            ("A B/op".to_owned(), &Verdict::Unchanged),
            ("B sec/op".to_owned(), &failed)
        ]
    );
}

#[test]
fn a_time_out_is_a_state_and_keeps_what_was_printed() {
    let mut short = suite("s");
    for side in Side::BOTH {
        short.sides.get_mut(side).timeout = seconds(5);
    }
    let script = |step: &Step| if step.side == Side::Head { steady(100)(step) } else { steady(1)(step) };
    let results = measured(&request(vec![short]), &mut ScriptedExec::new(script), &none_chosen);
    let head = results.suites[0].warmup.head.as_ref().expect("run");
    assert_eq!((&head.outcome.status, head.outcome.seconds, head.values.len()), (&StepStatus::TimedOut(5.0), 5.0, 1));
}

#[test]
fn a_signal_ends_the_run_and_the_journal_has_every_complete_block() {
    let temp = tempfile::tempdir().expect("temp");
    let journal = temp.path().join("results.json");
    let mut rounds = 0;
    let script = |step: &Step| {
        rounds += u32::from(step.kind == StepKind::Round);
        Reply { interrupted: (rounds == 7).then_some(15), ..steady(1)(step) }
    };
    let tools = Tools { parse: &parse, choose: &none_chosen, invalid: &valid };
    let options = Options { journal: Some(journal.clone()), raw: Some(temp.path().join("raw")), ..Options::default() };
    let error = run(&request(vec![suite("s/../x")]), &mut ScriptedExec::new(script), &tools, &options, &mut Silent)
        .expect_err("stopped");
    assert!(matches!(error, MeasureError::Exec(ExecError::Interrupted(15))));
    let kept: Results = serde_json::from_slice(&std::fs::read(&journal).expect("the journal")).expect("JSON");
    assert_eq!(
        (blocks(&kept, 0, StageKind::Screen), kept.stopped),
        (1, Stopped::Interrupted),
        "the half block is discarded"
    );
    let raw: Vec<String> = std::fs::read_dir(temp.path().join("raw/s_.._x"))
        .expect("raw")
        .map(|e| e.expect("entry").file_name().into_string().expect("UTF-8"))
        .collect();
    assert!(raw.iter().any(|name| name.starts_with("screen-001-1-") && name.ends_with(".stdout")), "{raw:?}");
}

#[test]
fn sizes_of_files_are_exact_rows_and_a_filter_does_not_hide_them() {
    let mut sized = suite("s");
    sized.metrics =
        BTreeMap::from([("binary-size".to_owned(), "target/app".to_owned()), ("lost".to_owned(), "absent".to_owned())]);
    sized.filter = Some("^A$".to_owned());
    let script = |step: &Step| match step.kind {
        StepKind::Probe if step.command.contains("wc -c") => {
            Reply::prints(if step.side == Side::Base { "1000\nmissing\n" } else { "1024\nmissing\n" }, seconds(0))
        }
        _ => steady(1)(step),
    };
    let results = measured(&request(vec![sized]), &mut ScriptedExec::new(script), &none_chosen);
    let row = results.suites[0].rows.iter().position(|row| row.benchmark.name == "binary-size").expect("a row") as u32;
    assert_eq!(results.suites[0].rows[row as usize].unit, "size-B");
    for block in &stage(&results, 0, StageKind::Screen).expect("stage").blocks {
        for round in &block.rounds {
            let size = round.values.iter().find(|value: &&Value| value.row == row).expect("in each round").value;
            assert_eq!(size, if round.side == Side::Base { 1000.0 } else { 1024.0 });
            assert_eq!(round.failures[0].benchmark.name, "lost");
        }
    }
}

#[test]
fn tool_versions_are_asked_for_and_a_difference_is_said() {
    let mut go = suite("s");
    for side in Side::BOTH {
        go.sides.get_mut(side).run = "go test -bench=. ./...".to_owned();
    }
    let script = |step: &Step| match step.command.as_str() {
        "go version" if step.side == Side::Base => Reply::prints("go version go1.25.0 linux/amd64\n", seconds(0)),
        "go version" => Reply::prints("go version go1.26.0 linux/amd64\n", seconds(0)),
        command if command.starts_with("go env") => Reply::prints("CGO_ENABLED=0 CC=gcc ", seconds(0)),
        _ => steady(1)(step),
    };
    let results = measured(&request(vec![go]), &mut ScriptedExec::new(script), &none_chosen);
    let suite = &results.suites[0];
    assert_eq!(suite.tools["go env"], "CGO_ENABLED=0 CC=gcc");
    assert!(suite.tools["go"].contains("go1.25.0 linux/amd64 (base)"));
    assert!(suite.warnings[0].contains("`go` differs between the sides"));
}

#[test]
fn a_block_lacks_no_round_and_names_its_seconds() {
    let results = measured(&request(vec![suite("s")]), &mut ScriptedExec::new(steady(3)), &none_chosen);
    let first: &Block = &stage(&results, 0, StageKind::Screen).expect("stage").blocks[0];
    let at: Vec<f64> = first.rounds.iter().map(|round| round.at).collect();
    assert_eq!(at, [6.0, 9.0, 12.0, 15.0]);
    assert!(first.rounds.iter().all(|round| round.outcome.seconds == 3.0));
}

#[test]
fn whatever_a_command_prints_the_results_can_be_read() {
    let script = |step: &Step| match step.kind {
        StepKind::Warmup | StepKind::Round => {
            let mut text: String = (0..10_100).map(|i| format!("B{i} {i} sec/op\n")).collect();
            text += &format!("{} 1 sec/op\nNaNs nan sec/op\n", "x".repeat(5000));
            text += &(0..500).map(|i| format!("FAIL F{i}\n")).collect::<String>();
            text += &format!("{}\n", "noise \u{1b}[31m ".repeat(500)).repeat(150);
            Reply { stderr: "ü".repeat(100_000), status: StepStatus::Exit(1), ..Reply::prints(text, seconds(1)) }
        }
        StepKind::Setup => Reply { status: StepStatus::NotStarted("x".repeat(100_000)), ..Reply::silent() },
        StepKind::Probe => Reply::prints("v".repeat(100_000), seconds(0)),
    };
    let mut broken = request(vec![suite("broken"), suite("go")]);
    broken.config.rounds = Rounds::Fixed(2);
    broken.config.suites[1].sides =
        broken.config.suites[1].sides.clone().map(|side| SuiteSide { setup: None, run: "go test".to_owned(), ..side });
    let tools = Tools { parse: &parse, choose: &none_chosen, invalid: &|_| Some("stolen".to_owned()) };
    let options = Options { warnings: vec!["w".repeat(100_000)], ..Options::default() };
    let results = run(&broken, &mut ScriptedExec::new(script), &tools, &options, &mut Silent).expect("measured");
    assert_eq!(results.suites[1].rows.len(), ROWS_LIMIT);
    let bytes = serde_json::to_vec(&results).expect("JSON");
    let read = crate::results::read(&bytes).expect("within every limit");
    assert_eq!(read.suites[1].stages, results.suites[1].stages);
}

#[test]
fn a_line_that_cannot_be_read_is_quoted() {
    let script = |step: &Step| match step.kind {
        StepKind::Warmup | StepKind::Round => Reply::prints("A 1 sec/op\nB oops\u{1b}[31m sec\n", seconds(1)),
        _ => Reply::silent(),
    };
    // A parser that names no words of the line.
    let mute = |format: &str, stdout: &[u8], files: &BTreeMap<String, Vec<u8>>| {
        let mut parsed = parse(format, stdout, files)?;
        parsed.1.warnings.iter_mut().for_each(|warning| warning.message = "missing iteration count".to_owned());
        Ok(parsed)
    };
    let tools = Tools { parse: &mute, choose: &none_chosen, invalid: &valid };
    let mut exec = ScriptedExec::new(script);
    let results =
        run(&request(vec![suite("s")]), &mut exec, &tools, &Options::default(), &mut Silent).expect("measured");
    let round = &stage(&results, 0, StageKind::Screen).expect("stage").blocks[0].rounds[0];
    assert_eq!(round.unparsed, [(2, "missing iteration count, in `B oops sec`".to_owned())]);
}
