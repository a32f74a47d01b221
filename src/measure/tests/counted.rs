//! Instruction counts: what is said where a counter, or the command under it, gives none.

use super::*;

/// A suite whose command is its own benchmark, for two values of a parameter, with a counter.
fn counted(counter: &str) -> Suite {
    let mut suite = suite("tool");
    for side in Side::BOTH {
        let one = suite.sides.get_mut(side);
        (one.format, one.run, one.timeout) = ("process".to_owned(), "tool {n}".to_owned(), seconds(10));
    }
    suite.parameters = BTreeMap::from([("n".to_owned(), vec!["1".to_owned(), "2".to_owned()])]);
    suite.metrics = BTreeMap::from([("work".to_owned(), counter.to_owned())]);
    suite
}

/// A run whose counted commands end as `reply` says.
fn with(counter: &str, mut reply: impl FnMut(&Step) -> Reply) -> SuiteResults {
    let mut request = request(vec![counted(counter)]);
    request.config.rounds = Rounds::Fixed(2);
    let script = |step: &Step| match step.kind {
        StepKind::Probe if step.command.contains("log-fd") => reply(step),
        _ => Reply::prints("", seconds(1)),
    };
    measured(&request, &mut ScriptedExec::new(script), &none_chosen).suites.remove(0)
}

fn exits(code: i32, stdout: &str, stderr: &str) -> Reply {
    let reply = Reply::prints(stdout, seconds(1));
    Reply { status: StepStatus::Exit(code), stderr: stderr.to_owned(), ..reply }
}

/// Benchmark and message of every failure of the rounds of `side`.
fn failures(suite: &SuiteResults, side: Side) -> BTreeSet<(String, String)> {
    let rounds = suite.stages.iter().flat_map(|stage| &stage.blocks).flat_map(|block| &block.rounds);
    let failures = rounds.filter(|round| round.side == side).flat_map(|round| &round.failures);
    failures.map(|failure| (failure.benchmark.name.clone(), failure.message.clone())).collect()
}

#[test]
fn a_counter_that_is_not_there_is_told_in_its_own_words() {
    for (reply, why) in [
        (exits(127, "", "sh: 1: perf: not found\n"), "sh: 1: perf: not found"),
        (exits(255, "", "Error:\nNo permission to enable instructions:u event.\n\n"), "No permission to enable"),
        (Reply::prints("<not supported>,,instructions:u,0,100.00,,\n", seconds(1)), "<not supported>"),
    ] {
        let mut asked = 0;
        let suite = with("perf:instructions", |_| {
            asked += 1;
            reply.clone()
        });
        let told = format!("work: instructions cannot be counted here: {why}");
        assert!(suite.warnings.iter().any(|warning| warning.starts_with(&told)), "{:?}", suite.warnings);
        assert_eq!((asked, failures(&suite, Side::Base)), (1, BTreeSet::new()), "asked for once");
    }
}

#[test]
fn a_command_that_fails_under_a_counter_is_a_failed_row_of_its_own_parameter() {
    let suite = with("valgrind:instructions", |step| {
        let report = "==7== I   refs:      1,234\n";
        if step.side == Side::Head && step.command.contains("tool 2") {
            return exits(3, report, "tool: out of handles\n");
        }
        Reply::prints(report, seconds(1))
    });
    let message = "the counted run exited with 3: tool: out of handles".to_owned();
    assert_eq!(failures(&suite, Side::Head), BTreeSet::from([("tool/n=2".to_owned(), message)]));
    assert_eq!(failures(&suite, Side::Base), BTreeSet::new());
    assert_eq!(suite.warnings, ["work: the counted run of head exited with 3"]);
    let rows = suite.rows.iter().filter(|row| row.unit == "instructions/op");
    assert_eq!(rows.map(|row| row.benchmark.name.as_str()).collect::<Vec<_>>(), ["tool/n=1", "tool/n=2"]);
}

#[test]
fn a_counted_run_may_take_fifty_times_as_long_and_is_not_called_uncountable_when_it_takes_longer() {
    let mut limits = BTreeSet::new();
    let suite = with("valgrind:instructions", |step| {
        limits.insert(step.timeout);
        if step.side == Side::Head { Reply::prints("", seconds(501)) } else { Reply::prints("I refs: 5", seconds(400)) }
    });
    assert_eq!(limits.last(), Some(&seconds(500)), "{limits:?}");
    let ended = "was killed after 500 s (its time limit)";
    assert!(suite.warnings.contains(&format!("work: the counted run of head {ended}")), "{:?}", suite.warnings);
    assert!(!suite.warnings.iter().any(|warning| warning.contains("cannot be counted")), "{:?}", suite.warnings);
}

#[test]
fn what_failed_by_itself_is_not_counted() {
    let mut request = request(vec![counted("valgrind:instructions")]);
    request.config.rounds = Rounds::Fixed(2);
    let mut counts = BTreeSet::new();
    let script = |step: &Step| match step.kind {
        StepKind::Probe if step.command.contains("log-fd") => {
            counts.insert(step.command.contains("tool 2"));
            Reply::prints("I refs: 5", seconds(1))
        }
        StepKind::Warmup | StepKind::Round if step.command.contains("tool 2") => Reply::fails(3, "no"),
        _ => Reply::prints("", seconds(1)),
    };
    let results = measured(&request, &mut ScriptedExec::new(script), &none_chosen);
    assert_eq!(results.suites[0].warnings, Vec::<String>::new());
    assert_eq!(counts, BTreeSet::from([false]));
}
