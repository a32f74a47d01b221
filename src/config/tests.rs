mod refused;
mod schema;

use super::*;
use crate::side::Side;
use crate::unit::Direction;

/// The configuration, which must be right.
fn good(text: &str) -> Config {
    load("b.yml", text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The message for a configuration that must be refused.
fn bad(text: &str) -> String {
    load("b.yml", text).map_or_else(|error| error.to_string(), |config| panic!("accepted: {text}\n{config:?}"))
}

/// Every key of the documented configuration, in one file.
const EVERY_KEY: &str = r#"
suites:
  - name: codec
    directory: bindings/go
    setup: go test -run='^$' ./...
    prepare: apt-get install -y libfoo-dev
    checkout: {submodules: true, lfs: false, extra: [{repo: org/data, ref: v2, path: data}]}
    require: [testdata/big.json.gz]
    controls: "^stdlib/"
    run: go test -run='^$' -bench=. -benchmem ./... {n}
    format: auto
    output: bench.json
    filter: "^(Marshal|Unmarshal)"
    env: {GOMAXPROCS: 1, V: 1.10}
    image: golang:1.26
    network: false
    timeout: 5m
    overlay: {from: head, paths: [bench_test.go], to: base}
    base: {env: {CGO_ENABLED: "1"}}
    head: {env: {CGO_ENABLED: "0", V: two}, host: {governor: powersave, boost: on}, timeout: 90s, dockerfile: Dockerfile}
    list: ./list-benchmarks.sh
    parameters: {n: [16, 256]}
    metrics: {binary-size: target/release/app}
    sweep: {capture: "Chan(\\d+)$", name: buffer}
    inspect: {functions: ["(*Decoder).step_acceptMapValue"]}
rounds: {screen: 8, confirm: 24}
budget: 12m
max-time: 1h30m
isolation: auto
host: {tuning: require, cpus: "2-3,6", nice: -5, governor: performance, boost: off, epp: balance_performance, min-frequency: 800MHz, max-frequency: 3.4GHz}
compare:
  base: target
  alpha: 0.01
  threshold: 3%
  correction: none
  primary: cpu
  units: {"widgets/op": {better: higher, threshold: 5%}, "allocs/op": {threshold: 0%, absolute: 2, exact: true}}
  rename: [{from: "^UnmarshalSimple/(.*)", to: "Unmarshal/SimpleDocument/$1"}]
report:
  layout: benchstat-v1
  template: .github/bench-comment.md.tera
  fail-on: [failure, regression]
  comment-mode: recreate
  comment-on: change
  name: nightly
command: {permission: maintain, cooldown: 30s, fork-approval: sha, max-rounds: 40, max-budget: 20m}
suites-from: head
"#;

#[test]
fn every_documented_key_reaches_the_configuration() {
    let config = good(EVERY_KEY);
    let suite = &config.suites[0];
    assert_eq!(suite.name, "codec");
    assert!(!suite.detected);
    let [base, head] = [&suite.sides.base, &suite.sides.head];
    for side in [base, head] {
        assert_eq!(side.directory, "bindings/go");
        assert_eq!(side.setup.as_deref(), Some("go test -run='^$' ./..."));
        assert_eq!(side.require, ["testdata/big.json.gz"]);
        assert_eq!(side.output.as_deref(), Some("bench.json"));
        assert!(!side.network);
    }
    // A number in a variable keeps the digits that stand in the file.
    let env = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    assert_eq!(base.env, env(&[("CGO_ENABLED", "1"), ("GOMAXPROCS", "1"), ("V", "1.10")]));
    assert_eq!(head.env, env(&[("CGO_ENABLED", "0"), ("GOMAXPROCS", "1"), ("V", "two")]));
    assert_eq!((base.timeout, head.timeout), (Duration::from_secs(300), Duration::from_secs(90)));
    // What one side says replaces what both share; an image and a Dockerfile exclude each other.
    let dockerfile = |side: &SuiteSide| side.dockerfile.as_ref().map(|file| file.path.clone());
    assert_eq!((base.image.as_deref(), dockerfile(base)), (Some("golang:1.26"), None));
    assert_eq!((head.image.as_deref(), dockerfile(head)), (None, Some("Dockerfile".to_owned())));
    // A side's host settings are the common ones with what it changes.
    assert_eq!(base.host, None);
    let host = head.host.as_ref().unwrap();
    assert_eq!((host.governor.as_deref(), host.boost, host.nice), (Some("powersave"), Some(true), Some(-5)));
    assert_eq!(
        suite.checkout,
        Checkout {
            submodules: true,
            lfs: false,
            extra: vec![ExtraRepository { repo: "org/data".into(), reference: "v2".into(), path: "data".into() }],
        }
    );
    assert_eq!(suite.prepare.as_deref(), Some("apt-get install -y libfoo-dev"));
    assert_eq!(suite.controls.as_deref(), Some("^stdlib/"));
    assert_eq!(suite.filter.as_deref(), Some("^(Marshal|Unmarshal)"));
    assert_eq!(suite.list.as_deref(), Some("./list-benchmarks.sh"));
    assert_eq!(suite.parameters["n"], ["16", "256"]);
    assert_eq!(suite.metrics["binary-size"], "target/release/app");
    let overlay = Overlay { from: Side::Head, paths: vec!["bindings/go/bench_test.go".into()], to: Side::Base };
    assert_eq!(suite.overlay, Some(overlay));
    assert_eq!(suite.sweep, Some(Sweep { capture: "Chan(\\d+)$".into(), name: "buffer".into() }));
    assert_eq!(suite.inspect, ["(*Decoder).step_acceptMapValue"]);
    assert_eq!(config.rounds, Rounds::Staged { screen: 8, confirm: 24 });
    assert_eq!((config.budget, config.max_time), (Duration::from_secs(720), Duration::from_secs(5400)));
    assert_eq!(
        config.host,
        Host {
            tuning: Tuning::Require,
            cpus: Cpus::List("2-3,6".into()),
            nice: Some(-5),
            governor: Some("performance".into()),
            boost: Some(false),
            epp: Some("balance_performance".into()),
            min_khz: Some(800_000),
            max_khz: Some(3_400_000),
        }
    );
    let units = [
        (
            "allocs/op".to_owned(),
            UnitPolicy { better: None, threshold: Some(0.0), absolute: Some(2.0), exact: Some(true) },
        ),
        (
            "widgets/op".to_owned(),
            UnitPolicy { better: Some(Direction::Higher), threshold: Some(0.05), absolute: None, exact: None },
        ),
    ];
    assert_eq!(
        config.compare,
        Compare {
            base: "target".into(),
            alpha: 0.01,
            threshold: 0.03,
            correction: Correction::None,
            units: units.into(),
            rename: vec![Rename { from: "^UnmarshalSimple/(.*)".into(), to: "Unmarshal/SimpleDocument/$1".into() }],
            primary: PrimaryTime::Cpu,
        }
    );
    assert_eq!(
        config.report,
        ReportConfig {
            layout: Layout::BenchstatV1,
            template: Some(Template { path: ".github/bench-comment.md.tera".into(), text: String::new() }),
            fail_on: vec![FailOn::Failure, FailOn::Regression],
            comment_mode: CommentMode::Recreate,
            comment_on: CommentOn::Change,
            name: "nightly".into(),
        }
    );
    assert_eq!(
        config.command,
        CommandPolicy {
            permission: Permission::Maintain,
            cooldown: Duration::from_secs(30),
            fork_approval: ForkApproval::Sha,
            max_rounds: 40,
            max_budget: Some(Duration::from_secs(1200)),
            suites_from: SuitesFrom::Head,
        }
    );
}

#[test]
fn a_configuration_survives_the_way_through_json() {
    let config = good(EVERY_KEY);
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), config);
}

#[test]
fn without_keys_everything_is_default() {
    for text in ["", "\n\n", "# only a comment\n", "---\n", "{}"] {
        assert_eq!(good(text), Config::default(), "{text:?}");
    }
    let suite = &good("suites: [{run: ./bench}]").suites[0];
    assert_eq!(suite.name, "bench");
    let side = &suite.sides.head;
    assert_eq!((side.directory.as_str(), side.format.as_str()), ("", "auto"));
    assert_eq!((side.timeout, side.network), (Duration::from_secs(300), false));
}

#[test]
fn a_suite_is_named_after_its_directory() {
    let config = good("suites: [{directory: ./bindings/go/, run: x}, {directory: ., run: y}]");
    assert_eq!(config.suites[0].name, "go");
    assert_eq!(config.suites[0].sides.base.directory, "bindings/go");
    assert_eq!(config.suites[1].name, "bench");
    assert_eq!(config.suites[1].sides.base.directory, "");
}

#[test]
fn a_suite_without_a_command_is_to_be_detected() {
    let config = good("suites: [{directory: a}, {name: b, run: x, head: {run: y}}]");
    assert!(config.suites[0].detected);
    assert!(!config.suites[1].detected);
    assert_eq!(config.suites[1].sides.head.run, "y");
}

#[test]
fn a_command_that_reads_the_filter_can_be_restricted() {
    let narrow = |suite: &str| good(&format!("suites: [{suite}]")).suites[0].narrow;
    assert_eq!(narrow("{run: 'make bench'}"), None);
    assert_eq!(narrow("{run: './b \"$BENCH_BOT_FILTER\"'}"), Some(Narrow::Variable));
    assert_eq!(narrow("{run: './b \"$BENCH_BOT_FILTER\"', format: go}"), Some(Narrow::GoBench));
    assert_eq!(narrow("{run: 'go test -bench=\"${BENCH_BOT_FILTER:-.}\"'}"), Some(Narrow::GoBench));
    assert_eq!(narrow("{run: './b \"$BENCH_BOT_FILTER\"', base: {run: ./old}}"), None);
}

#[test]
fn units_and_formats_are_known_by_other_names_too() {
    let units =
        good("compare: {units: {ns/op: {absolute: 5}, MB/s: {better: higher}, widgets: {exact: true}}}").compare.units;
    assert_eq!(units.keys().collect::<Vec<_>>(), ["B/s", "sec/op", "widgets"]);
    assert_eq!(units["sec/op"].absolute, Some(5e-9));
    assert_eq!(good("suites: [{run: x, format: pytest}]").suites[0].sides.base.format, "pytest-benchmark");
}

/// Like every other path of a suite.
#[test]
fn paths_of_an_overlay_begin_in_the_suites_directory() {
    let overlay =
        |keys: &str| good(&format!("suites: [{{run: x, overlay: {keys}}}]")).suites[0].overlay.clone().unwrap();
    assert_eq!(overlay("{from: head, paths: b_test.go, to: base}, directory: a").paths, ["a/b_test.go"]);
    assert_eq!(overlay("{from: head, paths: [/b_test.go], to: base}, directory: a").paths, ["b_test.go"]);
}

#[test]
fn a_number_of_rounds_is_one_stage() {
    assert_eq!(good("rounds: 8").rounds, Rounds::Fixed(8));
    assert_eq!(good("rounds: 8").rounds, good("rounds: {fixed: 8}").rounds);
    assert_eq!(good("rounds: {}").rounds, Rounds::default());
}

#[test]
fn fail_on_is_one_word_or_a_list() {
    assert_eq!(good("report: {fail-on: regression}").report.fail_on, [FailOn::Regression]);
    assert_eq!(good("report: {fail-on: [never]}").report.fail_on, [FailOn::Never]);
}

#[test]
fn an_unknown_format_lists_those_that_there_are() {
    let message = bad("suites: [{run: x, format: exe}]");
    assert!(
        message.starts_with("b.yml:1:27: suites[0].format: unknown format `exe`; expected one of auto, go, "),
        "{message}"
    );
}

#[test]
fn a_file_that_is_too_long_is_not_read() {
    let text = format!("# {}\n", "x".repeat(LIMIT));
    let error = load("b.yml", &text).unwrap_err();
    assert_eq!(error.to_string(), format!("b.yml: {} bytes long; at most 65536 are read", text.len()));
}

#[test]
fn aliases_that_multiply_are_refused_quickly() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..12 {
        text.push_str(&format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 9].join(", ")));
    }
    assert!(bad(&text).contains("repetition limit exceeded"));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "[a-z:\\[\\]{}&*!~'\" \n#-]{0,60}") {
        let _ = load("b.yml", &text);
    }

    #[test]
    fn a_suite_with_any_text_as_value_is_accepted_or_refused_at_its_key(
        key in proptest::sample::select(vec!["name", "directory", "run", "format", "output", "image", "filter"]),
        value in "\\PC{0,20}",
    ) {
        let text = format!("suites: [{{{key}: {}}}]", serde_json::to_string(&value).unwrap());
        if let Err(error) = load("b.yml", &text) {
            proptest::prop_assert_eq!(error.key, format!("suites[0].{key}"));
            proptest::prop_assert_eq!((error.line, error.column), (1, 11 + key.len() + 2));
        }
    }
}

#[test]
fn the_description_says_what_runs_and_where_it_came_from() {
    let (config, source) = load_with_source("b.yml", EVERY_KEY).unwrap();
    let text = describe(&config, &source);
    for line in [
        "configuration b.yml",
        "suite         codec   [file]",
        "  run           go test -run='^$' -bench=. -benchmem ./... {n}   [file]",
        "  base timeout  5m   [file]",
        "  head timeout  1m30s   [file]",
        "  network       during setup only   [file]",
        "budget        12m   [file]",
        "threshold     3 %   [file]",
        "  head host     tuning require, cpus 2-3,6, nice -5, governor powersave, boost on, epp balance_performance, from 800 MHz, to 3400 MHz   [file]",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\nis missing in\n{text}");
    }
    let text = describe(&Config::default(), &Source::default());
    assert!(text.contains("budget        10m   [default]\n"), "{text}");
    assert!(text.contains("suites        none in the file"), "{text}");
}

#[test]
fn a_description_shows_no_control_characters() {
    let (config, source) = load_with_source("b.yml", "suites: [{run: \"a\\e[31m\\u202eb\\nc\"}]").unwrap();
    let text = describe(&config, &source);
    assert!(text.contains("a\u{fffd}[31m\u{fffd}b   [file]\n"), "{text}");
}

#[test]
fn a_short_plan_is_no_mistake() {
    // The report says what it cannot find; only odd, zero and too many are refused.
    let config = load("b.yml", "rounds: {screen: 2, confirm: 4}").unwrap();
    assert_eq!(config.rounds, Rounds::Staged { screen: 2, confirm: 4 });
}

#[test]
fn a_short_limit_shortens_the_default_budget() {
    for (text, budget, max_time) in [
        ("max-time: 5m", 300, 300),
        ("max-time: 20m", 600, 1200),
        ("budget: 3m\nmax-time: 5m", 180, 300),
        ("budget: 20m", 1200, 3600),
    ] {
        let config = load("b.yml", text).expect(text);
        assert_eq!((config.budget.as_secs(), config.max_time.as_secs()), (budget, max_time), "{text}");
    }
}
