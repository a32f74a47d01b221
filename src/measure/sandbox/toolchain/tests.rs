use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

fn suite(directory: &str, run: &str) -> SuiteSide {
    SuiteSide {
        directory: directory.to_owned(),
        setup: None,
        run: run.to_owned(),
        format: "auto".to_owned(),
        output: None,
        env: BTreeMap::new(),
        timeout: Duration::from_secs(60),
        require: Vec::new(),
        image: None,
        dockerfile: None,
        network: false,
        host: None,
    }
}

fn chosen(files: &[(&str, &str)], directory: &str, run: &str) -> String {
    let temp = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = temp.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let reference = choose(temp.path(), &suite(directory, run)).reference;
    reference.trim_start_matches("docker.io/library/").to_owned()
}

#[test]
fn the_version_comes_from_the_files_that_the_toolchain_reads() {
    let go = "module m\n\ngo 1.21 // comment\n";
    assert_eq!(chosen(&[("go.mod", go)], "", "go test -bench=. ./..."), "golang:1.21");
    let newer = "module m\ngo 1.22.0\ntoolchain go1.23.4\n";
    assert_eq!(chosen(&[("go.mod", newer)], "", "./bench.sh"), "golang:1.23.4");
    assert_eq!(chosen(&[("go.mod", "module m\ngo 1.27rc1\n")], "", "go test"), "golang:1.27");
    let toml = "[toolchain]\nchannel = \"1.85.0\" # pinned\n";
    assert_eq!(chosen(&[("Cargo.toml", ""), ("rust-toolchain.toml", toml)], "", "cargo bench"), "rust:1.85.0");
    assert_eq!(chosen(&[("rust-toolchain", "1.80\n")], "", "cargo bench"), "rust:1.80");
    assert_eq!(chosen(&[(".python-version", "3.12\n")], "", "pytest"), "python:3.12");
    assert_eq!(chosen(&[(".nvmrc", "v20.11.1\n")], "", "npm run bench"), "node:20.11.1");
    assert_eq!(chosen(&[(".ruby-version", "ruby-3.3.0\n")], "", "rake bench"), "ruby:3.3.0");
}

#[test]
fn a_range_gives_the_newest_version_that_it_allows() {
    let python = |range: &str| {
        chosen(&[("pyproject.toml", &format!("[project]\nrequires-python = \"{range}\"\n"))], "", "pytest")
    };
    assert_eq!(python(">=3.9"), "python:3");
    assert_eq!(python(">=3.9,<3.13"), "python:3.12");
    assert_eq!(python("==3.11.*"), "python:3.11");
    assert_eq!(python(">=3.9,<4"), "python:3");
    let node =
        |range: &str| chosen(&[("package.json", &format!("{{\"engines\":{{\"node\":\"{range}\"}}}}"))], "", "npm t");
    assert_eq!(node(">=18"), "node:lts");
    assert_eq!(node("^20.1.0"), "node:20");
    assert_eq!(node("18 || 20"), "node:20");
    assert_eq!(node(">=18 <21"), "node:20");
    assert_eq!(node("18.x"), "node:18");
}

#[test]
fn a_version_file_cannot_name_another_image() {
    for text in ["1.21@sha256:0", "../evil", "1.21/x", "latest", "1.2.3.4", "12345", "", "1..2", "-1"] {
        assert_eq!(chosen(&[(".go-version", text)], "", "go test"), "golang:1", "{text}");
    }
    for channel in ["nightly", "stable", "1.85\nUSER root"] {
        let reference = chosen(&[("rust-toolchain", channel)], "", "cargo bench");
        assert!(["rust:1", "rust:1.85"].contains(&reference.as_str()), "{channel}: {reference}");
    }
}

#[test]
fn the_nearest_file_counts_and_a_command_counts_more_than_files() {
    let files = [("go.mod", "go 1.20\n"), ("bindings/go/go.mod", "go 1.24\n"), ("py/pyproject.toml", "")];
    assert_eq!(chosen(&files, "bindings/go", "go test"), "golang:1.24");
    assert_eq!(chosen(&files, "bindings", "make bench"), "golang:1.20");
    assert_eq!(chosen(&files, "py", "python3 bench.py"), "python:3");
    assert_eq!(chosen(&[("Makefile", "")], "", "make bench"), "buildpack-deps:stable");
}

#[test]
fn a_link_out_of_the_tree_is_not_read() {
    let temp = tempfile::tempdir().unwrap();
    let tree = temp.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(temp.path().join("outside"), "go 1.19\n").unwrap();
    std::os::unix::fs::symlink(temp.path().join("outside"), tree.join("go.mod")).unwrap();
    assert_eq!(choose(&tree, &suite("", "go test")).reference, "docker.io/library/golang:1");
}
