//! Go, with the real toolchain.

use super::*;
use std::process::{Command, Output};

/// Runs a command of a suite as a round or setup does: `sh -c` in the suite's directory.
fn sh(tree: &Path, side: &SuiteSide, command: &str, env: &[(&str, &str)]) -> Output {
    let mut sh = Command::new("sh");
    sh.args(["-c", command]).current_dir(tree.join(&side.directory)).env("GOFLAGS", "").envs(&side.env);
    sh.envs(env.iter().copied()).output().unwrap()
}

fn setup(tree: &Path, side: &SuiteSide) -> Output {
    sh(tree, side, side.setup.as_deref().unwrap(), &[])
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Names of the benchmarks in an output, with their package.
fn rows(output: &Output) -> Vec<(String, String)> {
    let mut package = String::new();
    let mut rows = Vec::new();
    for line in text(output).lines() {
        if let Some(name) = line.strip_prefix("pkg: ") {
            package = name.to_owned();
        } else if line.contains(" ns/op") {
            let name = line.split_whitespace().next().unwrap();
            let name = name.rsplit_once('-').filter(|(_, n)| n.parse::<u32>().is_ok()).map_or(name, |(name, _)| name);
            rows.push((package.clone(), name.to_owned()));
        }
    }
    rows
}

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(package, name)| ((*package).to_owned(), (*name).to_owned())).collect()
}

const SUB: &str = r#"package inner

import (
	"os"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"small", "large|odd"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				if _, err := os.ReadFile("testdata/input.txt"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
"#;

const EXTERNAL: &str = r#"package ext_test

import "testing"

func TestSlow(t *testing.T) { t.Fatal("tests must not run") }

func BenchmarkExternal(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
"#;

fn module() -> Vec<(&'static str, &'static str)> {
    vec![
        ("go.mod", GO_MOD),
        ("m.go", "package m\n"),
        ("m_test.go", GO_BENCH),
        ("inner/inner.go", "package inner\n"),
        ("inner/inner_test.go", SUB),
        ("inner/testdata/input.txt", "x"),
        ("ext/ext.go", "package ext\n"),
        ("ext/ext_test.go", EXTERNAL),
        ("plain/plain.go", "package plain\n"),
        ("plain/plain_test.go", "package plain\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"),
    ]
}

#[test]
fn every_package_with_benchmarks_runs_in_its_own_folder() {
    let dir = tree(&module());
    let suite = &detect(dir.path()).unwrap().config.suites[0];
    let side = &suite.sides.head;
    let built = setup(dir.path(), side);
    assert!(built.status.success(), "{built:?}");
    let round = sh(dir.path(), side, &side.run, &[]);
    assert!(round.status.success(), "{round:?}");
    let expected = [
        ("example.com/m", "BenchmarkAdd"),
        ("example.com/m/ext", "BenchmarkExternal"),
        ("example.com/m/inner", "BenchmarkRead/small"),
        ("example.com/m/inner", "BenchmarkRead/large|odd"),
    ];
    assert_eq!(rows(&round), pairs(&expected));
    for word in ["allocs/op", "B/op"] {
        assert!(text(&round).contains(word), "{}", text(&round));
    }
    // A second setup starts from nothing, and a second round builds nothing.
    assert!(setup(dir.path(), side).status.success());
    let again = sh(dir.path(), side, &side.run, &[("PATH", "/usr/bin:/bin")]);
    assert_eq!(rows(&again), pairs(&expected));
}

#[test]
fn a_filter_reaches_the_benchmarks_of_every_package() {
    let dir = tree(&module());
    let side = detect(dir.path()).unwrap().config.suites[0].sides.head.clone();
    assert!(setup(dir.path(), &side).status.success());
    for (filter, expected) in [
        ("^BenchmarkRead$/^large\\|odd$", vec![("example.com/m/inner", "BenchmarkRead/large|odd")]),
        (
            "^(BenchmarkAdd|BenchmarkExternal)$",
            vec![("example.com/m", "BenchmarkAdd"), ("example.com/m/ext", "BenchmarkExternal")],
        ),
        ("$(touch owned)`touch owned`;'\"", vec![]),
    ] {
        let round = sh(dir.path(), &side, &side.run, &[("BENCH_BOT_FILTER", filter)]);
        assert_eq!(rows(&round), pairs(&expected), "{filter}");
    }
    assert!(!dir.path().join("owned").exists());
}

#[test]
fn a_package_that_fails_leaves_the_others_results_and_the_status() {
    let mut files = module();
    let broken = "package ext\n\nimport \"testing\"\n\nfunc BenchmarkBoom(b *testing.B) { panic(\"boom\") }\n";
    files.retain(|(path, _)| *path != "ext/ext_test.go");
    files.push(("ext/boom_test.go", broken));
    let dir = tree(&files);
    let side = detect(dir.path()).unwrap().config.suites[0].sides.head.clone();
    assert!(setup(dir.path(), &side).status.success());
    let round = sh(dir.path(), &side, &side.run, &[]);
    assert_eq!(round.status.code(), Some(2), "{round:?}");
    let names: Vec<_> = rows(&round).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["BenchmarkAdd", "BenchmarkRead/small", "BenchmarkRead/large|odd"]);
}

#[test]
fn a_package_that_does_not_compile_fails_setup_and_leaves_no_old_binary() {
    let dir = tree(&module());
    let side = detect(dir.path()).unwrap().config.suites[0].sides.head.clone();
    assert!(setup(dir.path(), &side).status.success());
    fs::write(dir.path().join("ext/ext.go"), "package ext\n\nfunc broken( {\n").unwrap();
    let built = setup(dir.path(), &side);
    assert!(!built.status.success());
    assert!(String::from_utf8_lossy(&built.stderr).contains("ext.go"), "{built:?}");
    assert!(!dir.path().join(".bench-bot/3.test").exists());
}

#[test]
fn a_side_without_benchmarks_says_so() {
    let dir = tree(&module());
    let side = detect(dir.path()).unwrap().config.suites[0].sides.head.clone();
    for file in ["m_test.go", "inner/inner_test.go", "ext/ext_test.go"] {
        fs::remove_file(dir.path().join(file)).unwrap();
    }
    let built = setup(dir.path(), &side);
    assert_eq!(built.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&built.stderr), "no package of this module has benchmarks\n");
}

#[test]
fn nested_modules_are_suites_of_their_own_and_a_workspace_that_skips_them_is_switched_off() {
    let dir = tree(&[
        ("go.mod", GO_MOD),
        ("m_test.go", GO_BENCH),
        ("go.work", "go 1.22\n\nuse (\n\t.\n\t./used // c\n)\n"),
        ("used/go.mod", "module example.com/used\n\ngo 1.22\n"),
        ("used/u_test.go", GO_BENCH),
        ("apart/go.mod", "module example.com/apart\n\ngo 1.22\n"),
        ("apart/a_test.go", GO_BENCH),
        ("empty/go.mod", "module example.com/empty\n"),
        ("testdata/x/go.mod", "module example.com/x\n"),
        ("testdata/x/x_test.go", GO_BENCH),
        ("_old/o_test.go", GO_BENCH),
    ]);
    let detected = detect(dir.path()).unwrap();
    let names: Vec<_> = detected.config.suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names, ["go", "go:apart", "go:used"]);
    assert_eq!(detected.left_out, ["empty/go.mod: no test of this module has a `func Benchmark`"]);
    assert!(detected.reasons["go"][0].starts_with("go.mod: benchmarks in 1 package: ."), "{:?}", detected.reasons);
    let off: Vec<_> = detected.config.suites.iter().map(|suite| suite.sides.base.env.contains_key("GOWORK")).collect();
    assert_eq!(off, [false, true, false]);
    let expected = ["example.com/m", "example.com/apart", "example.com/used"];
    for (suite, package) in detected.config.suites.iter().zip(expected) {
        let side = &suite.sides.base;
        let built = setup(dir.path(), side);
        assert!(built.status.success(), "{}: {built:?}", suite.name);
        let round = sh(dir.path(), side, &side.run, &[]);
        assert_eq!(rows(&round), pairs(&[(package, "BenchmarkAdd")]), "{round:?}");
    }
}
