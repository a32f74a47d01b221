use super::rig::{blocks, both, git, measured, request, rig, rounds, suite};
use bench_bot::config::Overlay;
use bench_bot::measure::Options;
use bench_bot::results::{StageKind, StepStatus, Stopped};
use bench_bot::side::Side;
use std::fs;

const ONE: &str = "echo A 1 sec/op\n";
const TWO: &str = "echo A 2 sec/op\n";

#[test]
fn two_commits_are_measured_and_nothing_is_left_behind() {
    let rig = rig(&[("bench.sh", ONE)], &[("bench.sh", TWO)]);
    fs::write(rig.user.join("uncommitted"), "mine").expect("file");
    let status = git(&rig.user, &["status", "--porcelain", "--branch"]);
    let raw = rig.temp.path().join("raw");
    let options = Options { raw: Some(raw.clone()), disk: Some(rig.temp.path().to_owned()), ..Options::default() };
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite()]), &options).expect("measured");
    assert_eq!((blocks(&results, StageKind::Screen), blocks(&results, StageKind::Confirm)), (3, 2));
    assert_eq!(results.stopped, Stopped::Completed);
    for (side, value) in [(Side::Base, 1.0), (Side::Head, 2.0)] {
        assert!(rounds(&results, side).iter().all(|round| round.values.len() == 1 && round.values[0].value == value));
        assert!(
            rounds(&results, side).iter().all(|round| round.witness.user.is_some() && round.witness.max_rss.is_some())
        );
    }
    assert_eq!(git(&rig.user, &["status", "--porcelain", "--branch"]), status);
    assert!(raw.join("shell/warm-up-base-0.stdout").exists());
    let left: Vec<_> =
        fs::read_dir(rig.temp.path()).expect("folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("bench-bot-")), "{left:?}");
}

#[test]
fn a_command_may_rewrite_tracked_files_of_its_own_checkout() {
    let script = "echo $$ >> Cargo.lock; wc -l < Cargo.lock | sed 's/.*/A & sec\\/op/'\n";
    let rig = rig(&[("bench.sh", script), ("Cargo.lock", "")], &[("x", "")]);
    let results =
        measured(&rig, rig.temp.path(), &request(&rig, vec![suite()]), &Options::default()).expect("measured");
    let last = |side| rounds(&results, side).last().map(|round| round.values[0].value);
    // A warm-up, six screen and four confirm rounds; each side counts its own.
    assert_eq!((last(Side::Base), last(Side::Head)), (Some(11.0), Some(11.0)));
    assert_eq!(git(&rig.user, &["status", "--porcelain"]), "");
}

/// Two checkouts that share a target folder: the second build finds the first one's binary, and head is measured as
/// base. Whatever names the folder, each side must get its own.
#[test]
fn a_shared_target_folder_does_not_make_head_run_the_code_of_base() {
    let build = "mkdir -p $CARGO_TARGET_DIR; [ -e $CARGO_TARGET_DIR/app ] || cp app.sh $CARGO_TARGET_DIR/app";
    let rig = rig(&[("app.sh", ONE)], &[("app.sh", TWO)]);
    let shared = rig.temp.path().join("shared-target");
    let mut suite = suite();
    both(&mut suite, |side| {
        side.setup = Some(build.to_owned());
        side.run = "sh $CARGO_TARGET_DIR/app".to_owned();
        side.env.insert("CARGO_TARGET_DIR".to_owned(), shared.display().to_string());
    });
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite]), &Options::default()).expect("measured");
    assert!(rounds(&results, Side::Base).iter().all(|round| round.values[0].value == 1.0));
    assert!(rounds(&results, Side::Head).iter().all(|round| round.values[0].value == 2.0));
    assert!(results.suites[0].warnings.iter().any(|warning| warning.contains("CARGO_TARGET_DIR")));
    assert!(!shared.exists());
}

#[test]
fn a_failing_build_is_a_failed_side_and_never_an_older_binary() {
    let rig = rig(
        &[("app.sh", ONE), ("build.sh", "cp app.sh app")],
        &[("app.sh", TWO), ("build.sh", "echo 'undefined: X' >&2; exit 2")],
    );
    let mut suite = suite();
    both(&mut suite, |side| {
        side.setup = Some("sh build.sh".to_owned());
        side.run = "sh app".to_owned();
    });
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite]), &Options::default()).expect("measured");
    let suite = &results.suites[0];
    assert_eq!((&suite.setup.head.status, suite.setup.head.tail.as_str()), (&StepStatus::Exit(2), "undefined: X"));
    assert!(suite.warmup.head.is_none() && suite.stages.is_empty());
    assert_eq!(suite.rows.len(), 1);
}

#[test]
fn a_missing_data_set_fails_the_side_instead_of_skipping_its_benchmarks() {
    let rig = rig(&[("bench.sh", ONE), ("testdata/big.json", "{}")], &[("bench.sh", TWO)]);
    git(&rig.user, &["rm", "-q", "testdata/big.json"]);
    git(&rig.user, &["commit", "-q", "-m", "drop data"]);
    let rig = super::rig::Rig { head: git(&rig.user, &["rev-parse", "HEAD"]), ..rig };
    let mut suite = suite();
    both(&mut suite, |side| side.require = vec!["testdata/big.json".to_owned()]);
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite]), &Options::default()).expect("measured");
    assert_eq!(results.suites[0].setup.head.status, StepStatus::Missing("testdata/big.json".to_owned()));
    assert!(results.suites[0].setup.base.status.ok());
}

#[test]
fn an_output_that_one_side_no_longer_writes_is_not_the_one_of_before() {
    let writes = "[ -e stop ] || echo A 1 sec/op > out.txt; touch stop\n";
    let rig = rig(&[("bench.sh", writes)], &[("x", "")]);
    let mut suite = suite();
    both(&mut suite, |side| side.output = Some("out.txt".to_owned()));
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite]), &Options::default()).expect("measured");
    let all: Vec<_> = Side::BOTH.iter().flat_map(|side| rounds(&results, *side)).collect();
    assert!(all.iter().all(|round| round.values.is_empty() && round.unparsed[0].1.contains("did not write out.txt")));
    assert_eq!(results.suites[0].rows.len(), 1, "the warm-up wrote it");
}

#[test]
fn an_overlay_that_does_not_build_fails_loudly() {
    let rig = rig(
        &[("lib.sh", "old=1")],
        &[
            ("lib.sh", "new=1"),
            ("bench.sh", ". ./lib.sh; [ -n \"$new\" ] || { echo 'undefined: new' >&2; exit 1; }; echo A 1 sec/op"),
        ],
    );
    let mut suite = suite();
    suite.overlay = Some(Overlay { from: Side::Head, paths: vec!["bench.sh".to_owned()], to: Side::Base });
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite]), &Options::default()).expect("measured");
    let base = results.suites[0].warmup.base.as_ref().expect("it was run");
    assert_eq!((&base.outcome.status, base.outcome.tail.as_str()), (&StepStatus::Exit(1), "undefined: new"));
}

#[test]
fn sides_that_differ_by_configuration_alone_are_compared() {
    let script = "echo A ${FACTOR:-1} sec/op\n";
    let rig = rig(&[("bench.sh", script)], &[("x", "")]);
    let mut suite = suite();
    suite.sides.head.env.insert("FACTOR".to_owned(), "3".to_owned());
    let rig = super::rig::Rig { base: rig.head.clone(), ..rig };
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite]), &Options::default()).expect("measured");
    assert!(rounds(&results, Side::Head).iter().all(|round| round.values[0].value == 3.0));
    assert!(rounds(&results, Side::Base).iter().all(|round| round.values[0].value == 1.0));
}

#[test]
fn the_process_itself_is_a_benchmark_and_parameters_expand_it() {
    let rig = rig(&[("bench.sh", "exit 0"), ("app", "12345")], &[("app", "1234567")]);
    let mut suite = suite();
    both(&mut suite, |side| {
        side.format = "process".to_owned();
        side.run = "sh bench.sh {n}".to_owned();
    });
    suite.parameters.insert("n".to_owned(), vec!["1".to_owned(), "2".to_owned()]);
    suite.metrics.insert("app size".to_owned(), "app".to_owned());
    let results = measured(&rig, rig.temp.path(), &request(&rig, vec![suite]), &Options::default()).expect("measured");
    let rows: Vec<String> =
        results.suites[0].rows.iter().map(|row| format!("{} {}", row.benchmark.name, row.unit)).collect();
    assert_eq!(rows[..4], ["shell/n=1 sec/op", "shell/n=1 user-sec/op", "shell/n=1 sys-sec/op", "shell/n=1 max-rss-B"]);
    let size = rows.iter().position(|row| row == "app size size-B").expect("a row") as u32;
    let sizes = |side| {
        let values = rounds(&results, side).into_iter().flat_map(|round| &round.values);
        values.filter(|value| value.row == size).map(|value| value.value).collect::<Vec<_>>()
    };
    assert!(!sizes(Side::Base).is_empty() && sizes(Side::Base).iter().all(|size| *size == 5.0));
    assert!(sizes(Side::Head).iter().all(|size| *size == 7.0));
}

/// With a counter its rows are there, without one the reader is told; which of the two depends on the machine.
#[test]
fn instructions_are_counted_where_a_counter_is_there() {
    let rig = rig(
        &[("bench.sh", "i=0; while [ $i -lt 100 ]; do i=$((i+1)); done")],
        &[("bench.sh", "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done")],
    );
    let mut suite = suite();
    both(&mut suite, |side| side.format = "process".to_owned());
    suite.metrics.insert("counted".to_owned(), "valgrind:instructions".to_owned());
    suite.metrics.insert("absent".to_owned(), "perf:instructions".to_owned());
    let mut request = request(&rig, vec![suite]);
    request.config.rounds = bench_bot::config::Rounds::Fixed(2);
    let results = measured(&rig, rig.temp.path(), &request, &Options::default()).expect("measured");
    let suite = &results.suites[0];
    let row = suite.rows.iter().position(|row| row.unit == "instructions/op");
    let told = |name: &str| {
        suite.warnings.iter().any(|warning| warning.starts_with(&format!("{name}: instructions cannot be counted")))
    };
    let Some(row) = row else { return assert!(told("counted") && told("absent"), "{:?}", suite.warnings) };
    let counts = |side| {
        let values = rounds(&results, side).into_iter().flat_map(|round| &round.values);
        values.filter(|value| value.row == row as u32).map(|value| value.value).collect::<Vec<_>>()
    };
    let (base, head) = (counts(Side::Base), counts(Side::Head));
    assert!(
        base.len() == 2 && head.len() == 2 && base[0] > 10_000.0 && head[0] > base[0] + 100_000.0,
        "{base:?} {head:?}"
    );
}
