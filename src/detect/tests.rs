mod ecosystems;
mod go;

use super::*;
use crate::format::Format;
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

/// A tree with these files.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::Builder::new().prefix("a tree ").tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// What is detected in a tree of these files.
fn detected(files: &[(&str, &str)]) -> Detected {
    let detected = detect(tree(files).path()).unwrap();
    for suite in &detected.config.suites {
        let format = &suite.sides.head.format;
        assert!(format == "auto" || Format::from_name(format).is_some(), "{}: {format}", suite.name);
    }
    detected
}

/// The only suite of a tree of these files.
fn only(files: &[(&str, &str)]) -> Suite {
    let detected = detected(files);
    assert_eq!(detected.config.suites.len(), 1, "{:?}", detected.sentence);
    detected.config.suites.into_iter().next().unwrap()
}

const GO_MOD: &str = "module example.com/m\n\ngo 1.22\n";
const GO_BENCH: &str =
    "package m\n\nimport \"testing\"\n\nfunc BenchmarkAdd(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n";
const CARGO: &str = "[package]\nname = \"app\"\nversion = \"0.1.0\"\n\n[[bench]]\nname = \"parse\"\nharness = false\n";
const CRITERION: &str = "use criterion::{criterion_group, criterion_main, Criterion};\n";

#[test]
fn several_ecosystems_become_several_suites() {
    let detected = detected(&[
        ("go.mod", GO_MOD),
        ("m_test.go", GO_BENCH),
        ("rust/Cargo.toml", CARGO),
        ("rust/benches/parse.rs", CRITERION),
    ]);
    let names: Vec<_> = detected.config.suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names, ["go", "criterion:rust"]);
    assert_eq!(
        detected.sentence,
        "Found Go benchmarks in 1 package (go.mod) and Criterion benches parse (rust/Cargo.toml)."
    );
    assert_eq!(detected.config.suites[1].sides.base.directory, "rust");
    assert!(detected.config.suites.iter().all(|suite| suite.detected));
    assert_eq!(detected.config.rounds, crate::config::Rounds::default());
    let text = crate::config::describe(&detected.config, &detected.source());
    assert!(text.contains("  because       rust/benches/parse.rs is a Criterion bench\n"), "{text}");
    assert!(text.contains("  image         docker.io/library/golang:1.22   [detected]\n"), "{text}");
}

#[test]
fn a_configuration_in_the_wrong_place_is_named() {
    let completed = |files: &[(&str, &str)], source: Source| {
        let dir = tree(files);
        let (mut config, mut source) = (Config::default(), source);
        let sides = PerSide { base: dir.path(), head: dir.path() };
        complete(&mut config, &mut source, sides).map(|()| source.detected.unwrap_or_default())
    };
    let go = [("go.mod", GO_MOD), ("m_test.go", GO_BENCH), ("bench-bot.yml", "budget: 5m")];
    let found = "Found Go benchmarks in 1 package (go.mod).";
    let why = "bench-bot.yml is not read: a configuration has its place in .github/bench-bot.yml";
    assert_eq!(completed(&go, Source::default()).expect("benchmarks"), format!("{found} {why}."));
    assert_eq!(completed(&go[..2], Source::default()).expect("benchmarks"), found);
    let named = Source { file: Some("bench-bot.yml".to_owned()), ..Source::default() };
    assert_eq!(completed(&go, named).expect("benchmarks"), found);
    let nothing = completed(&[(".github/bench-bot.yaml", "")], Source::default()).unwrap_err().to_string();
    assert!(nothing.contains("Seen and left out: .github/bench-bot.yaml is not read: "), "{nothing}");
}

#[test]
fn nothing_found_names_what_was_looked_for_and_the_way_out() {
    let dir = tree(&[("README.md", "# x"), ("go.mod", GO_MOD)]);
    let message = detect(dir.path()).unwrap_err().to_string();
    for part in [
        "no benchmarks found in this tree.",
        "Seen and left out: go.mod: no test of this module has a `func Benchmark`.",
        "Looked for: Go (go.mod",
        "pytest-benchmark",
        "Say what to run in .github/bench-bot.yml:\n    suites:\n      - name: bench\n        run: ./your-benchmark-command",
    ] {
        assert!(message.contains(part), "{part}\nis missing in\n{message}");
    }
    // The three lines work.
    let lines: String =
        message.lines().rev().take(3).collect::<Vec<_>>().into_iter().rev().map(|l| format!("{l}\n")).collect();
    assert_eq!(crate::config::load("b.yml", &lines).unwrap().suites[0].sides.head.run, "./your-benchmark-command");
}

#[test]
fn a_tree_that_is_not_there_is_an_error() {
    let error = detect(Path::new("/nonexistent/tree")).unwrap_err();
    assert_eq!(error.to_string(), "cannot look into /nonexistent/tree");
}

#[test]
fn each_side_does_what_its_own_tree_says() {
    let base = tree(&[
        ("go.mod", "module example.com/m\n\ngo 1.21\n"),
        ("m_test.go", GO_BENCH),
        ("Cargo.toml", CARGO),
        ("benches/parse.rs", CRITERION),
    ]);
    let head = tree(&[
        ("go.mod", GO_MOD),
        ("m_test.go", GO_BENCH),
        ("Cargo.toml", &CARGO.replace("parse", "scan")),
        ("benches/scan.rs", CRITERION),
        ("package.json", r#"{"scripts": {"bench": "node b.js"}, "devDependencies": {"mitata": "1"}}"#),
    ]);
    let detected = detect_sides(PerSide { base: base.path(), head: head.path() }).unwrap();
    let [go, criterion, mitata] = detected.config.suites.as_slice() else { panic!("{:?}", detected.sentence) };
    // Base's toolchain names the image of both sides; head's never does.
    for side in Side::BOTH {
        assert_eq!(go.sides.get(side).image.as_deref(), Some("docker.io/library/golang:1.21"));
    }
    assert!(criterion.sides.base.run.contains("--bench parse"));
    assert!(criterion.sides.head.run.contains("--bench scan"));
    assert_eq!(mitata.sides.base.run, mitata.sides.head.run);
    assert!(detected.reasons["mitata"].contains(&"found on head only".to_owned()));
}

#[test]
fn a_configuration_without_commands_is_completed() {
    let dir = tree(&[("go.mod", GO_MOD), ("m_test.go", GO_BENCH), ("sub/go.mod", GO_MOD), ("sub/m_test.go", GO_BENCH)]);
    let trees = PerSide { base: dir.path(), head: dir.path() };
    let (mut config, mut source) = crate::config::load_with_source("b.yml", "rounds: {fixed: 20}").unwrap();
    complete(&mut config, &mut source, trees).unwrap();
    let names: Vec<_> = config.suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names, ["go", "go:sub"]);
    assert_eq!(config.rounds, crate::config::Rounds::Fixed(20));
    assert_eq!(source.file.as_deref(), Some("b.yml"));
    assert!(source.detected.is_some());

    let text = "suites: [{name: s, directory: sub, timeout: 1m, env: {GOWORK: auto}}, {name: own, run: make bench}]";
    let (mut config, mut source) = crate::config::load_with_source("b.yml", text).unwrap();
    complete(&mut config, &mut source, trees).unwrap();
    let side = &config.suites[0].sides.head;
    assert_eq!((side.format.as_str(), side.timeout), ("go", Duration::from_secs(60)));
    assert!(side.run.contains("-test.benchtime=100ms"));
    assert_eq!(config.suites[0].narrow, Some(Narrow::GoBench));
    // A command that the user wrote stays what it is.
    assert_eq!(config.suites[1].sides.head.run, "make bench");
    assert_eq!((config.suites[1].sides.head.setup.as_ref(), config.suites[1].narrow), (None, None));

    let (mut config, mut source) = crate::config::load_with_source("b.yml", "suites: [{directory: doc}]").unwrap();
    let error = complete(&mut config, &mut source, trees).unwrap_err().to_string();
    assert!(error.starts_with("suite doc has no `run`, and no benchmarks were found in doc"), "{error}");
}

#[test]
fn a_suite_that_could_have_several_commands_is_asked_about() {
    let dir =
        tree(&[("go.mod", GO_MOD), ("m_test.go", GO_BENCH), ("Cargo.toml", CARGO), ("benches/parse.rs", CRITERION)]);
    let (mut config, mut source) = crate::config::load_with_source("b.yml", "suites: [{timeout: 1m}]").unwrap();
    let error = complete(&mut config, &mut source, PerSide { base: dir.path(), head: dir.path() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "suite bench has no `run`, and several commands were found in this tree: go, criterion; \
         write the one you want, or remove the suite"
    );
}

#[test]
fn a_suite_without_a_command_is_named_where_nothing_is_found() {
    let tree = tempfile::tempdir().unwrap();
    let (mut config, mut source) =
        crate::config::load_with_source("b.yml", "suites: [{name: codec, directory: .}]").unwrap();
    let error = complete(&mut config, &mut source, PerSide { base: tree.path(), head: tree.path() }).unwrap_err();
    assert_eq!(error.suite(), Some("codec"));
    let text = error.to_string();
    assert_eq!(text, "suite codec has no `run`, and no benchmarks were found in this tree: write the command");
}
