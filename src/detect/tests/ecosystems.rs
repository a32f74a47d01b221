//! Every other ecosystem, by the files that give it away.

use super::*;

fn setup(suite: &Suite) -> &str {
    suite.sides.head.setup.as_deref().unwrap()
}

#[test]
fn criterion_benches_of_a_package_run_in_short_mode() {
    let suite = only(&[
        ("Cargo.toml", CARGO),
        ("benches/parse.rs", CRITERION),
        ("rust-toolchain.toml", "[toolchain]\nchannel = \"1.80.1\"\n"),
    ]);
    let side = &suite.sides.head;
    assert_eq!(suite.name, "criterion");
    assert_eq!(setup(&suite), "cargo bench --no-run --bench parse");
    assert_eq!(
        side.run,
        "CRITERION_HOME=\"$PWD/.bench-bot/criterion\" cargo bench --offline --bench parse -- --noplot \
         --warm-up-time 0.1 --measurement-time 0.5 --sample-size 10 --nresamples 1001 \
         ${BENCH_BOT_FILTER:+\"$BENCH_BOT_FILTER\"}"
    );
    assert_eq!((side.format.as_str(), side.output.as_deref()), ("criterion", Some(".bench-bot/criterion")));
    assert_eq!(side.image.as_deref(), Some("docker.io/library/rust:1.80.1"));
    assert_eq!(suite.narrow, Some(Narrow::Variable));
}

#[test]
fn a_workspace_has_one_suite_for_each_tool() {
    let member = |name: &str, benches: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n{benches}");
    let core = member(
        "core",
        "[[bench]]\nname = \"fast\"\nharness = false\nrequired-features = [\"std\", \"simd\"]\n\
         [[bench]]\nname = \"trees\"\npath = \"benches/t/all.rs\"\nharness = false\n\
         [[bench]]\nname = \"old\"\nharness = false\nbench = false\n",
    );
    let detected = detected(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"fuzz/\"]\n"),
        ("crates/core/Cargo.toml", &core),
        ("crates/core/benches/fast.rs", CRITERION),
        ("crates/core/benches/t/all.rs", "fn main() { divan::main(); }"),
        ("crates/core/benches/old.rs", CRITERION),
        ("crates/io/Cargo.toml", &member("io", "[[bench]]\nname = \"read\"\nharness = false\n")),
        ("crates/io/benches/read/main.rs", CRITERION),
        ("crates/io/benches/odd.rs", "fn main() {}"),
        ("fuzz/Cargo.toml", &member("fuzz", "[[bench]]\nname = \"f\"\nharness = false\n")),
        ("fuzz/benches/f.rs", CRITERION),
    ]);
    let suites: Vec<_> = detected.config.suites.iter().map(|suite| (suite.name.as_str(), setup(suite))).collect();
    assert_eq!(
        suites,
        [
            ("criterion", "cargo bench --no-run -p core -p io --bench fast --bench read --features core/simd,core/std"),
            ("divan", "cargo bench --no-run -p core --bench trees"),
            ("criterion:fuzz", "cargo bench --no-run --bench f"),
        ]
    );
    assert_eq!(detected.left_out, ["crates/io/benches/odd.rs: not written with Criterion, divan, gungraun or libtest"]);
    assert_eq!(detected.config.suites[1].sides.head.format, "divan");
    assert!(detected.config.suites[1].sides.head.run.ends_with("--bench trees -- --color never"));
}

#[test]
fn benches_of_one_name_and_different_tools_are_kept_apart() {
    let member = |name: &str, benches: &[&str]| {
        let benches: String = benches.iter().map(|b| format!("[[bench]]\nname = \"{b}\"\nharness = false\n")).collect();
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n{benches}")
    };
    let detected = detected(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", &member("a", &["x"])),
        ("a/benches/x.rs", CRITERION),
        ("b/Cargo.toml", &member("b", &["x", "y"])),
        ("b/benches/x.rs", "fn main() { divan::main(); }"),
        ("b/benches/y.rs", CRITERION),
    ]);
    assert_eq!(
        setup(&detected.config.suites[0]),
        "cargo bench --no-run -p a --bench x && cargo bench --no-run -p b --bench y"
    );
}

#[test]
fn gungraun_needs_its_runner_and_says_how_to_get_it() {
    for (source, runner) in
        [("use gungraun::prelude::*;", "gungraun-runner"), ("iai_callgrind::main!();", "iai-callgrind-runner")]
    {
        let suite = only(&[("Cargo.toml", CARGO), ("benches/parse.rs", source)]);
        assert_eq!((suite.name.as_str(), suite.sides.head.format.as_str()), ("gungraun", "gungraun"));
        assert!(setup(&suite).contains(&format!("command -v {runner}")));
        assert!(suite.sides.head.run.ends_with("-- --output-format=json"));
    }
}

#[test]
fn libtest_benches_need_a_nightly_that_is_there_already() {
    let manifest = "[package]\nname = \"app\"\nversion = \"0.1.0\"\n";
    let source = "#![feature(test)]\nextern crate test;\n#[bench]\nfn x(b: &mut test::Bencher) {}\n";
    let files = [("Cargo.toml", manifest), ("benches/x.rs", source), ("src/lib.rs", source)];
    let look = |files: &[(&str, &str)], nightly| cargo::find(&Tree::open(tree(files).path()).unwrap(), nightly);

    let none = look(&files, false);
    assert!(none.found.is_empty());
    assert_eq!(none.left_out, ["Cargo.toml: `#[bench]` functions need a nightly toolchain, and there is none"]);
    let installed = look(&files, true);
    assert_eq!(installed.found[0].suite.sides.head.run, "cargo +nightly bench --offline --lib --bench x 2>&1");
    let pinned = [files.as_slice(), &[("rust-toolchain", "nightly-2026-01-01\n")]].concat();
    assert_eq!(look(&pinned, false).found[0].suite.sides.head.run, "cargo bench --offline --lib --bench x 2>&1");
}

#[test]
fn a_manifest_that_is_not_toml_is_named() {
    let error = detect(tree(&[("Cargo.toml", "[package\n")]).path()).unwrap_err().to_string();
    assert!(error.contains("Seen and left out: Cargo.toml: not valid TOML"), "{error}");
}

#[test]
fn hostile_names_stay_words_of_the_shell() {
    let manifest = CARGO.replace("\"parse\"", "'x\"; touch owned; \"'");
    let suite = only(&[("Cargo.toml", &manifest), ("benches/x\"; touch owned; \".rs", CRITERION)]);
    let words = shell_words::split(setup(&suite)).unwrap();
    assert_eq!(words[..5], ["cargo", "bench", "--no-run", "--bench", "x\"; touch owned; \""]);
}

const PYTEST: &str = "def test_enc(benchmark):\n    benchmark(sum, [1])\n";

#[test]
fn pytest_benchmark_is_installed_as_the_project_says() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\nrequires-python = \">=3.10,<4\"\n[project.optional-dependencies]\n\
             docs = [\"sphinx\"]\nbench = [\"pytest-benchmark>=4\"]\n",
            "'.[bench]'",
        ),
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\n[dependency-groups]\ntest = [\"pytest>=8\"]\n\
             dev = [{include-group = \"test\"}, \"pytest-benchmark\", \"--index-url=http://evil\"]\n",
            ". pytest-benchmark 'pytest>=8'",
        ),
        ("requirements-dev.txt", "pytest-benchmark==5.1.0\n", "-r requirements-dev.txt"),
        ("requirements/dev.txt", "pytest-benchmark==5.1.0\n", "-r requirements/dev.txt"),
        (
            "pyproject.toml",
            "[build-system]\nrequires = [\"poetry-core\"]\n[tool.poetry.group.dev.dependencies]\npytest-benchmark = \"^5\"\n",
            ". pytest pytest-benchmark",
        ),
        ("tox.ini", "[testenv]\ndeps = pytest-benchmark\n", "pytest pytest-benchmark"),
    ];
    for (path, text, install) in cases {
        let suite =
            only(&[(path, text), ("tests/test_speed.py", PYTEST), ("tests/test_other.py", "def test_x(): pass\n")]);
        assert_eq!(suite.name, "pytest-benchmark");
        let last = setup(&suite).lines().last().unwrap();
        assert_eq!(last, format!(".bench-bot/venv/bin/python -m pip install --quiet {install}"), "{text}");
        assert_eq!(
            suite.sides.head.run,
            ".bench-bot/venv/bin/python -m pytest -q -p no:cacheprovider --benchmark-only \
             --benchmark-json=.bench-bot/pytest-benchmark.json tests/test_speed.py"
        );
    }
}

#[test]
fn the_python_of_the_project_runs_it() {
    let pyproject = "[project]\nname = \"x\"\nrequires-python = \">=3.10,<4\"\noptional-dependencies = {b = [\"pytest-benchmark\"]}\n";
    let files = [("pyproject.toml", pyproject), ("test_a.py", PYTEST)];
    assert_eq!(only(&files).sides.head.image.as_deref(), Some("docker.io/library/python:3.10"));
    let pinned = [files.as_slice(), &[(".python-version", "3.12.4\n")]].concat();
    assert_eq!(only(&pinned).sides.head.image.as_deref(), Some("docker.io/library/python:3.12.4"));
    let odd = [files.as_slice(), &[(".python-version", "pypy3.10 -v /:/x\n")]].concat();
    assert_eq!(only(&odd).sides.head.image.as_deref(), Some("docker.io/library/python:3.10"));
}

#[test]
fn a_plugin_without_a_test_that_uses_it_is_left_out() {
    let error = detect(tree(&[("requirements.txt", "pytest-benchmark"), ("test_a.py", "def test(): pass")]).path());
    let error = error.unwrap_err().to_string();
    assert!(error.contains(".: pytest-benchmark is named, and no test takes the `benchmark` fixture"), "{error}");
}

#[test]
fn vitest_scripts_get_a_json_file() {
    let package = r#"{"scripts": {"bench": "vitest bench --config b.ts"}, "devDependencies": {"vitest": "3"}, "engines": {"node": ">=20.1"}}"#;
    let suite = only(&[("package.json", package), ("package-lock.json", "{}")]);
    assert_eq!(setup(&suite), "rm -rf .bench-bot && mkdir .bench-bot\nnpm ci --no-audit --no-fund");
    let side = &suite.sides.head;
    assert_eq!(side.run, "npm run --silent bench -- --run --outputJson=.bench-bot/vitest.json");
    assert_eq!((side.format.as_str(), side.output.as_deref()), ("vitest", Some(".bench-bot/vitest.json")));
    assert_eq!(side.image.as_deref(), Some("docker.io/library/node:20.1"));

    let package = r#"{"devDependencies": {"vitest": "3"}}"#;
    let suite = only(&[("package.json", package), ("src/sort.bench.ts", "")]);
    assert_eq!(suite.sides.head.run, "npx --no-install vitest bench --run --outputJson=.bench-bot/vitest.json");
    assert!(setup(&suite).ends_with("\nnpm install --no-audit --no-fund"));
}

#[test]
fn a_package_of_a_workspace_installs_at_its_root() {
    let detected = detected(&[
        ("package.json", r#"{"private": true, "workspaces": ["packages/*"], "devDependencies": {"vitest": "3"}}"#),
        ("pnpm-lock.yaml", ""),
        (".nvmrc", "v22.3\n"),
        ("packages/a/package.json", r#"{"scripts": {"bench": "vitest bench"}}"#),
        ("packages/b/package.json", r#"{"scripts": {"build": "tsc"}}"#),
    ]);
    let [suite] = detected.config.suites.as_slice() else { panic!("{}", detected.sentence) };
    assert_eq!((suite.name.as_str(), suite.sides.head.directory.as_str()), ("vitest:packages/a", "packages/a"));
    assert!(setup(suite).ends_with("( cd ../../ && { pnpm install --frozen-lockfile; } )"), "{}", setup(suite));
    assert!(suite.sides.head.run.ends_with("pnpm --silent run bench --run --outputJson=.bench-bot/vitest.json"));
    assert_eq!(suite.sides.head.image.as_deref(), Some("docker.io/library/node:22.3"));
}

#[test]
fn scripts_with_tinybench_or_mitata_print_what_they_print() {
    for tool in ["tinybench", "mitata", "benchmark"] {
        let package = format!(r#"{{"scripts": {{"bench": "node bench.mjs"}}, "devDependencies": {{"{tool}": "1"}}}}"#);
        let suite = only(&[("package.json", &package)]);
        assert_eq!(suite.name, tool);
        assert_eq!(suite.sides.head.run, "npm run --silent bench");
        assert_eq!((suite.sides.head.format.as_str(), suite.sides.head.output.as_ref()), ("auto", None));
    }
    let error = detect(tree(&[("package.json", r#"{"scripts": {"bench": "make bench"}}"#)]).path()).unwrap_err();
    assert!(error.to_string().contains("package.json: the script `bench` uses neither vitest nor"), "{error}");
}

#[test]
fn google_benchmark_targets_are_built_and_run_in_short_mode() {
    let detected = detected(&[
        ("CMakeLists.txt", "project(x)\nadd_subdirectory(bench)\n"),
        (
            "bench/CMakeLists.txt",
            "find_package(benchmark REQUIRED)\nadd_executable(copy copy.cc)\n\
             target_link_libraries(copy PRIVATE benchmark::benchmark_main)\n\
             target_link_libraries(${P}_b benchmark::benchmark)\n",
        ),
    ]);
    let suite = &detected.config.suites[0];
    assert_eq!((suite.name.as_str(), suite.sides.head.directory.as_str()), ("google-benchmark", ""));
    assert!(setup(suite).contains("cmake --build .bench-bot/build --parallel --target copy"));
    assert!(suite.sides.head.run.contains("--benchmark_min_time=0.1 --benchmark_filter=\"${BENCH_BOT_FILTER:-.}\""));
    assert_eq!(suite.sides.head.output.as_deref(), Some(".bench-bot/results"));
    assert!(suite.prepare.as_deref().unwrap().contains("libbenchmark-dev"));
    assert_eq!(detected.left_out, ["bench/CMakeLists.txt: the name of the benchmark target `${P}_b` is computed"]);
}

#[test]
fn the_files_of_several_executables_are_read_together() {
    let file = |name: &str| {
        format!(
            r#"{{"context": {{"num_cpus": 2}}, "benchmarks": [{{"name": "{name}", "run_name": "{name}",
            "run_type": "iteration", "iterations": 10, "real_time": 1.5, "cpu_time": 1.5, "time_unit": "ns"}}]}}"#
        )
    };
    let files = BTreeMap::from([
        ("results/a.json".to_owned(), file("BM_A").into_bytes()),
        ("results/b.json".to_owned(), file("BM_B").into_bytes()),
    ]);
    let input = crate::format::Input { stdout: b"", files: &files };
    let (_, parsed) = crate::format::parse("google-benchmark", &input).unwrap();
    let names: std::collections::BTreeSet<_> = parsed.measurements.iter().map(|one| one.id.name.as_str()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["BM_A", "BM_B"]);
}

const JMH: &str = "<artifactId>jmh-core</artifactId> <artifactId>jmh-generator-annprocess</artifactId>";

#[test]
fn jmh_with_maven_runs_its_shaded_jar_or_its_class_path() {
    let shade =
        format!("<project>{JMH}<artifactId>maven-shade-plugin</artifactId><finalName>benchmarks</finalName></project>");
    let suite = only(&[("pom.xml", "<project/>"), ("perf/pom.xml", &shade), ("perf/src/main/java/B.java", "")]);
    assert_eq!((suite.name.as_str(), suite.sides.head.directory.as_str()), ("jmh:perf", ""));
    assert!(setup(&suite).ends_with("mvn -q -B -DskipTests -pl perf -am package"));
    assert_eq!(
        suite.sides.head.run,
        "java -jar perf/target/benchmarks.jar -f 1 -wi 3 -w 1 -i 3 -r 1 -foe false -rf json -rff .bench-bot/jmh.json"
    );
    assert_eq!(suite.sides.head.output.as_deref(), Some(".bench-bot/jmh.json"));

    let plain = format!("<project>{JMH}</project>");
    let suite = only(&[("pom.xml", &plain), ("mvnw", ""), ("src/test/java/B.java", "")]);
    assert!(setup(&suite).contains("sh mvnw -q -B -DskipTests package dependency:build-classpath"));
    assert!(suite.sides.head.run.starts_with(
        "java -cp target/test-classes:target/classes:\"$(cat .bench-bot/classpath)\" org.openjdk.jmh.Main -f 1"
    ));
}

#[test]
fn jmh_that_cannot_work_is_named() {
    let commented = format!("<project><!-- {JMH} --></project>");
    let half = "<project><artifactId>jmh-core</artifactId></project>";
    let error = detect(
        tree(&[
            ("pom.xml", &commented),
            ("a/pom.xml", half),
            ("b/build.gradle", "implementation 'org.openjdk.jmh:jmh-core:1.37'"),
        ])
        .path(),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("a/pom.xml: jmh-core without jmh-generator-annprocess"), "{error}");
    assert!(error.contains("b/build.gradle: JMH without the plugin me.champeau.jmh"), "{error}");
    assert!(!error.contains("out: pom.xml"), "{error}");
}

#[test]
fn jmh_with_gradle_runs_the_jar_of_its_plugin() {
    let build = "plugins { id(\"me.champeau.jmh\") version \"0.7.2\" }\njava { toolchain { languageVersion = JavaLanguageVersion.of(17) } }\n";
    let suite = only(&[
        ("settings.gradle.kts", ""),
        ("gradlew", ""),
        ("lib/perf/build.gradle.kts", build),
        ("lib/perf/src/jmh/java/B.java", ""),
    ]);
    assert_eq!(suite.name, "jmh:lib/perf");
    assert!(setup(&suite).contains("sh gradlew --no-daemon --quiet :lib:perf:jmhJar"));
    assert!(setup(&suite).ends_with("cp lib/perf/build/libs/*-jmh.jar .bench-bot/jmh.jar"));
    assert_eq!(suite.sides.head.image.as_deref(), Some("docker.io/library/eclipse-temurin:17"));
}

#[test]
fn the_documentation_names_the_options_that_make_rounds_short() {
    let document = include_str!("../../../docs/configuration.md");
    let cmake = "target_link_libraries(copy PRIVATE benchmark::benchmark)\n";
    let plain = format!("<project>{JMH}</project>");
    for (files, options) in [
        (&[("go.mod", GO_MOD), ("m_test.go", GO_BENCH)][..], "-test.benchtime=100ms"),
        (
            &[("Cargo.toml", CARGO), ("benches/parse.rs", CRITERION)],
            "--warm-up-time 0.1 --measurement-time 0.5 --sample-size 10",
        ),
        (&[("CMakeLists.txt", cmake), ("copy.cc", "")], "--benchmark_min_time=0.1"),
        (&[("pom.xml", &plain), ("src/test/java/B.java", "")], "-f 1 -wi 3 -w 1 -i 3 -r 1"),
    ] {
        let suite = only(files);
        assert!(suite.sides.head.run.contains(options), "{}: {}", suite.name, suite.sides.head.run);
        assert!(document.contains(&format!("| `{options}`")), "docs/configuration.md lacks `{options}`");
    }
}
