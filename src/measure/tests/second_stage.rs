//! What is measured again, and for which rows it counts.

use super::*;
use crate::compare;
use crate::measure::narrow::VARIABLE;
use crate::report::{Report, Row, Verdict};
use crate::results::Stopped;

/// Numbers from 0 to 255 that look random and are the same every time.
struct Noise(u64);

impl Noise {
    fn byte(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 56) as u8)
    }
}

/// Measures `suite` with the program's own selection, and reports.
fn whole(suite: Suite, script: impl FnMut(&Step) -> Reply) -> (Report, Results) {
    let mut request = request(vec![suite]);
    (request.config.budget, request.config.max_time) = (seconds(1_000_000), seconds(1_000_000));
    let config = request.config.clone();
    let choose = |suites: &[SuiteResults]| {
        let selections = compare::select(suites, &config);
        selections.into_iter().map(|it| Choice { suspects: it.suspects, equivalence: it.equivalence }).collect()
    };
    let results = measured(&request, &mut ScriptedExec::new(script), &choose);
    let report = compare::report(std::slice::from_ref(&results), &request.config, &compare::Context::default());
    (report, results)
}

fn row<'r>(report: &'r Report, name: &str) -> &'r Row {
    report.suites[0].rows.iter().find(|row| row.benchmark.name == name).unwrap_or_else(|| panic!("no row {name}"))
}

fn samples(row: &Row) -> (u32, u32) {
    (row.base.as_ref().expect("base").n, row.head.as_ref().expect("head").n)
}

/// As in Go, where the siblings of a benchmark run with it: `F/x` cannot be run without `F/y`.
#[test]
fn what_a_suspect_shows_is_from_the_blocks_for_suspects_alone() {
    let mut noise = Noise(7);
    let mut rounds = 0;
    let script = move |step: &Step| {
        if !matches!(step.kind, StepKind::Warmup | StepKind::Round) {
            return Reply::silent();
        }
        let filter = regex::Regex::new(step.env.get(VARIABLE).map_or(".", String::as_str)).expect("an expression");
        let change = if step.side == Side::Head { 3000.0 } else { 0.0 };
        let mut text = String::new();
        let wanted = |name: &str| filter.is_match(name);
        if wanted("F/x") || wanted("F/y") {
            rounds += 1;
            // In the blocks for F/y and G, which come last, F/x breaks now and then.
            if wanted("F/x") || rounds % 5 > 0 {
                text += &format!("F/x {} sec/op\n", 10_000.0 + change + noise.byte());
            }
            text += &format!("F/y {} sec/op\n", 10_000.0 + 7.0 * noise.byte());
        }
        if wanted("G") {
            text += &format!("G {} sec/op\n", 10_000.0 + 7.0 * noise.byte());
        }
        Reply::prints(text, seconds(60))
    };
    let (report, results) = whole(Suite { narrow: Some(Narrow::Variable), ..suite("s") }, script);
    let confirm = stage(&results, 0, StageKind::Confirm).expect("stage");
    assert_eq!((confirm.suspects.len(), confirm.equivalence.len()), (1, 2), "{confirm:?}");
    let again = confirm.blocks.iter().filter(|block| block.equivalence).count();
    assert!(again >= 8 && confirm.blocks.len() == again + 8, "{again} of {}", confirm.blocks.len());
    let suspect = row(&report, "F/x");
    assert_eq!((&suspect.verdict, samples(suspect)), (&Verdict::Regression, (16, 16)));
    for name in ["F/y", "G"] {
        let undecided = row(&report, name);
        let of_confirm = undecided.samples.iter().find(|one| one.stage == Some(StageKind::Confirm)).expect("samples");
        assert_eq!(of_confirm.values.base.len(), 16, "{name}");
        assert!(matches!(undecided.verdict, Verdict::Unchanged | Verdict::Inconclusive(_)), "{undecided:?}");
    }
}

/// What `metrics` names is nearly exact at times: then it is judged as what varies, and that needs fresh rounds.
#[test]
fn a_metric_that_varies_is_confirmed_whatever_the_suite_is_divided_into() {
    let narrowable = Suite { narrow: Some(Narrow::Variable), ..suite("s") };
    let mut swept = suite("s");
    swept.parameters = BTreeMap::from([("n".to_owned(), vec!["16".to_owned(), "256".to_owned()])]);
    for side in Side::BOTH {
        swept.sides.get_mut(side).run = "./work {n}".to_owned();
    }
    for (suite, other) in [(narrowable.clone(), 0.0), (narrowable, 4000.0), (swept.clone(), 0.0), (swept, 4000.0)] {
        let several = !suite.parameters.is_empty();
        let mut suite = suite;
        suite.metrics = BTreeMap::from([("file".to_owned(), "out".to_owned())]);
        if !several {
            suite.metrics.insert("work".to_owned(), "valgrind:instructions".to_owned());
        }
        let mut noise = Noise(11);
        let script = move |step: &Step| {
            let change = if step.side == Side::Head { 1.3 } else { 1.0 };
            let filter = regex::Regex::new(step.env.get(VARIABLE).map_or(".", String::as_str)).expect("an expression");
            match step.kind {
                StepKind::Probe if step.command.contains("wc -c") => {
                    Reply::prints(format!("{}\n", (10_000.0 * change + noise.byte()) as u64), seconds(0))
                }
                StepKind::Probe if step.command.contains("log-fd") => {
                    Reply::prints(format!("I refs: {}\n", (10_000.0 * change + noise.byte()) as u64), seconds(1))
                }
                StepKind::Warmup | StepKind::Round => {
                    let moved = if step.side == Side::Head { other } else { 0.0 };
                    let rows = [("A", 10_000.0), ("B", 10_000.0 + moved)];
                    let text = rows.iter().filter(|(name, _)| filter.is_match(name));
                    Reply::prints(
                        text.map(|(name, value)| format!("{name} {} sec/op\n", value + noise.byte()))
                            .collect::<String>(),
                        seconds(60),
                    )
                }
                _ => Reply::silent(),
            }
        };
        let (report, results) = whole(suite, script);
        assert_eq!(results.stopped, Stopped::Completed);
        for name in if several { &["file"][..] } else { &["file", "work"] } {
            let metric = row(&report, name);
            let state = (&metric.verdict, samples(metric));
            assert_eq!(state, (&Verdict::Regression, (16, 16)), "{name}, parameters: {several}, B moves by {other}");
        }
    }
}
