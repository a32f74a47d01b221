use super::*;
use crate::measure::tests::{request, suite};

#[test]
fn only_odd_zero_and_too_many_rounds_are_refused() {
    for (rounds, ok) in [
        (Rounds::Fixed(2), true),
        (Rounds::Fixed(100), true),
        (Rounds::Fixed(0), false),
        (Rounds::Fixed(7), false),
        (Rounds::Fixed(102), false),
        (Rounds::Staged { screen: 4, confirm: 6 }, true),
        (Rounds::Staged { screen: 3, confirm: 6 }, false),
        (Rounds::Staged { screen: 8, confirm: 0 }, false),
    ] {
        let mut request = request(vec![suite("s")]);
        request.config.rounds = rounds;
        assert_eq!(plan(&request).is_ok(), ok, "{rounds:?}");
    }
}

#[test]
fn suites_filters_and_seeds_that_make_no_sense_are_errors() {
    let mut asked = request(vec![suite("codec")]);
    asked.suites = vec!["codek".to_owned()];
    assert_eq!(
        plan(&asked).expect_err("unknown").to_string(),
        "there is no suite \"codek\"; the configuration has: codec"
    );
    let mut asked = request(vec![suite("codec")]);
    asked.filter = "(".to_owned();
    assert!(plan(&asked).expect_err("broken").to_string().contains("unclosed group"));
    let mut asked = request(vec![suite("codec")]);
    asked.seed = Some("12".to_owned());
    assert!(matches!(plan(&asked), Err(PlanError::Seed(_))));
}

#[test]
fn a_count_of_go_is_run_as_one_and_said() {
    for (run, expected) in [
        ("go test -bench=. -count=10 ./...", r#"go test -bench="${BENCH_BOT_FILTER:-.}" -count=1 ./..."#),
        ("go test -count 6 -bench '^A$'", "go test -count 1 -bench '^A$'"),
        ("go test -c && ./x.test -test.count=5", "go test -c && ./x.test -test.count=1"),
        ("./x.test -test.bench='^A$' -test.count 5", "./x.test -test.bench='^A$' -test.count 1"),
        ("go test -count=1 ./a && go test --count=3 ./b", "go test -count=1 ./a && go test --count=1 ./b"),
        ("go test -args -count=4\ngo test '-count=4'", "go test -args -count=4\ngo test '-count=1'"),
    ] {
        let mut one = suite("s");
        one.sides = PerSide::from_fn(|_| SuiteSide { run: run.to_owned(), ..one.sides.base.clone() });
        let plan = plan(&request(vec![one])).expect("plan");
        assert_eq!(plan.suites[0].commands[0].1.head, expected);
        assert_eq!(plan.suites[0].warnings.len(), 2, "said for each side");
    }
}

#[test]
fn a_plain_choice_of_benchmarks_of_go_can_be_narrowed() {
    for (run, expected) in [
        ("go test -bench=. ./...", r#"go test -bench="${BENCH_BOT_FILTER:-.}" ./..."#),
        (
            "cd x && go test -run '^$' -bench 'Sort|Heap' -benchmem",
            r#"cd x && go test -run '^$' -bench "${BENCH_BOT_FILTER:-Sort|Heap}" -benchmem"#,
        ),
        (
            r#"./codec.test --test.bench="^Bench(A|B)/x=.*" -test.benchtime=1s"#,
            r#"./codec.test --test.bench="${BENCH_BOT_FILTER:-^Bench(A|B)/x=.*}" -test.benchtime=1s"#,
        ),
        ("(cd a; go test -bench=.)", r#"(cd a; go test -bench="${BENCH_BOT_FILTER:-.}")"#),
    ] {
        let mut one = suite("s");
        one.sides = PerSide::from_fn(|_| SuiteSide { run: run.to_owned(), ..one.sides.base.clone() });
        let plan = plan(&request(vec![one])).expect("plan");
        assert_eq!(plan.suites[0].commands[0].1.head, expected);
        assert_eq!(plan.suites[0].narrow, Some(Narrow::GoBench));
        let choice = |variable: Option<&str>| {
            let mut shell = std::process::Command::new("sh");
            shell.args([
                "-c",
                &format!("go() {{ echo \"$@\"; }}; cd() {{ :; }}; {}", expected.replace("./codec.test", "go")),
            ]);
            shell.env_remove("BENCH_BOT_FILTER").envs(variable.map(|value| ("BENCH_BOT_FILTER", value)));
            String::from_utf8(shell.output().expect("sh").stdout).expect("UTF-8")
        };
        let unquoted = run.replace(['\'', '"'], "");
        let arguments = unquoted.split("go ").last().expect("arguments").trim_start_matches("./codec.test ");
        assert_eq!(choice(None).trim(), arguments.trim_end_matches(')'), "without the variable it is what was written");
        assert!(choice(Some("^(BenchmarkA B)$")).contains("^(BenchmarkA B)$"));
    }
}

#[test]
fn nothing_else_in_a_written_command_is_changed() {
    for run in [
        "./bench -count=10",
        "go test -bench=\"$ALL\" ./... -row-count=100000 --max-count 5",
        "go test -bench=. ./... -args -count=5",
        "go test -run='^$' -bench='^BenchmarkA$' -benchtime=3s -cpu 1,2 ./...",
        "go test -bench=. ./a && go test -bench=. ./b",
        "go test -bench=\"$WHICH\" ./...",
        "my-tool -bench=. ./...",
        "cargo bench -- --sample-size 100 --measurement-time 5",
        "./bench --benchmark_repetitions=9 --benchmark_min_time=2s --benchmark_out=b.json",
        "java -jar benchmarks.jar -f 5 -i 20 -rf json -rff b.json",
        "hyperfine --warmup 3 --runs 20 --export-json b.json './app -count=2'",
    ] {
        let mut one = suite("s");
        one.sides = PerSide::from_fn(|_| SuiteSide { run: run.to_owned(), ..one.sides.base.clone() });
        let plan = plan(&request(vec![one])).expect("plan");
        assert_eq!(
            (&plan.suites[0].commands[0].1.base, &plan.suites[0].commands[0].1.head),
            (&run.to_owned(), &run.to_owned())
        );
        assert!(plan.suites[0].warnings.is_empty(), "{run}");
    }
}

#[test]
fn a_folder_for_built_files_is_never_shared() {
    let mut shared = suite("s");
    for side in Side::BOTH {
        let env = &mut shared.sides.get_mut(side).env;
        env.insert("CARGO_TARGET_DIR".to_owned(), "/var/cache/target".to_owned());
        env.insert("GOCACHE".to_owned(), format!("/var/cache/{side}"));
        env.insert("CRITERION_HOME".to_owned(), "criterion".to_owned());
    }
    let plan = plan(&request(vec![shared])).expect("plan");
    let env = &plan.suites[0].suite.sides.head.env;
    assert_eq!(env.keys().collect::<Vec<_>>(), ["CRITERION_HOME", "GOCACHE"]);
    assert!(plan.suites[0].warnings[0].contains("CARGO_TARGET_DIR"));
}

#[test]
fn a_folder_that_leaves_the_tree_is_not_its_own() {
    for (directory, base, head, shared) in [
        ("", "../target", "../target", true),
        ("rust", "../../target", "../x/../../target/head", true),
        ("rust", "../target", "../target", false),
        ("", "./a/../../b", "../b", true),
        ("", "../base", "../head", false),
        ("", "target", "target", false),
    ] {
        for name in ["CARGO_TARGET_DIR", "CARGO_INSTALL_ROOT", "GEM_HOME"] {
            let mut one = suite("s");
            for (side, path) in Side::BOTH.into_iter().zip([base, head]) {
                let side = one.sides.get_mut(side);
                directory.clone_into(&mut side.directory);
                side.env.insert(name.to_owned(), path.to_owned());
            }
            let plan = plan(&request(vec![one])).expect("plan");
            let kept = plan.suites[0].suite.sides.head.env.contains_key(name);
            assert_eq!((kept, plan.suites[0].warnings.len()), (!shared, usize::from(shared)), "{name} {base} {head}");
        }
    }
}

#[test]
fn a_shared_gopath_still_serves_what_was_downloaded() {
    let mut shared = suite("s");
    for side in Side::BOTH {
        shared.sides.get_mut(side).env.insert("GOPATH".to_owned(), "/opt/go:/opt/more".to_owned());
    }
    let plan = plan(&request(vec![shared])).expect("plan");
    let env = &plan.suites[0].suite.sides.head.env;
    assert_eq!(env.iter().collect::<Vec<_>>(), [(&"GOMODCACHE".to_owned(), &"/opt/go/pkg/mod".to_owned())]);
}

#[test]
fn parameters_expand_into_every_combination() {
    let mut one = suite("s");
    one.parameters = [("n", vec!["16", "256"]), ("mode", vec!["a", "b"])]
        .map(|(name, values)| (name.to_owned(), values.into_iter().map(str::to_owned).collect()))
        .into();
    one.sides = PerSide::from_fn(|_| SuiteSide { run: "./x {mode} {n} {other}".to_owned(), ..one.sides.base.clone() });
    let plan = plan(&request(vec![one])).expect("plan");
    let commands: Vec<(&str, &str)> =
        plan.suites[0].commands.iter().map(|(suffix, run)| (suffix.as_str(), run.base.as_str())).collect();
    assert_eq!(commands[0], ("/mode=a/n=16", "./x a 16 {other}"));
    assert_eq!(commands.len(), 4);
}

#[test]
fn a_value_that_looks_like_a_parameter_stays_what_it_is() {
    let mut one = suite("s");
    one.parameters = [("a", vec!["{b}"]), ("b", vec!["7"])]
        .map(|(name, values)| (name.to_owned(), values.into_iter().map(str::to_owned).collect()))
        .into();
    one.sides = PerSide::from_fn(|_| SuiteSide { run: "{ ./x {a} {b} ${c}; } {".to_owned(), ..one.sides.base.clone() });
    let plan = plan(&request(vec![one])).expect("plan");
    assert_eq!(plan.suites[0].commands[0].0, "/a={b}/b=7");
    assert_eq!(plan.suites[0].commands[0].1.base, "{ ./x {b} 7 ${c}; } {");
}

#[test]
fn shards_take_turns_and_divide_what_has_a_list() {
    let mut listed = suite("listed");
    listed.list = Some("./list".to_owned());
    let suites = vec![suite("a"), suite("b"), listed, suite("c")];
    let names = |index| {
        let mut request = request(suites.clone());
        request.shard = Some(Shard { index, count: 2 });
        plan(&request).map(|plan| plan.suites.iter().map(|suite| suite.suite.name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(names(1), Ok(vec!["a".to_owned(), "listed".to_owned()]));
    assert_eq!(names(2), Ok(vec!["b".to_owned(), "listed".to_owned(), "c".to_owned()]));
    assert_eq!(names(3), Err(PlanError::Shard { index: 3, count: 2 }));
}
