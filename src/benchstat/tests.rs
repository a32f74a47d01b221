//! The layouts against the output of the real tools.

mod faults;
mod hostile;
mod robustness;

use super::MeasuredFile;
use super::cli::{CompareArgs, FileLayout, Others, Streams, run};
use crate::report::Report;
use clap::Parser;
use std::path::{Path, PathBuf};

/// The arguments of `compare` as a command of its own.
#[derive(Debug, Parser)]
struct Command {
    #[command(flatten)]
    args: CompareArgs,
}

/// What `compare` did.
struct Done {
    out: String,
    err: String,
    code: u8,
}

fn compare(arguments: &[String]) -> Done {
    compare_with(arguments, b"")
}

/// Compares with something on standard input.
fn compare_with(arguments: &[String], mut stdin: &[u8]) -> Done {
    let command = std::iter::once("compare".to_owned()).chain(arguments.iter().cloned());
    let args = match Command::try_parse_from(command) {
        Ok(command) => command.args,
        Err(error) => return Done { out: String::new(), err: error.to_string(), code: 2 },
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams = Streams { stdin: &mut stdin, out: &mut out, err: &mut err };
    let render = |report: &Report, _: FileLayout| serde_json::to_string(report).map_err(|error| error.to_string());
    let measured = |_: &[MeasuredFile]| Err("not here".to_owned());
    let (code, message) = match run(&args, &mut streams, &Others { render: &render, measured: &measured }) {
        Ok(code) => (code, String::new()),
        Err(error) => (error.exit_code(), error.to_string()),
    };
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Done { out: text(out), err: text(err) + &message, code }
}

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The arguments of a case, for a layout. Files are labelled with the names that the real tool was given.
fn arguments(case: &Path, layout: &str) -> Vec<String> {
    let mut arguments = vec!["--layout".to_owned(), layout.to_owned()];
    let list = read(&case.join("args"));
    let mut list = list.lines().filter(|line| !line.is_empty()).peekable();
    let repeated = |name: &str| read(&case.join("args")).lines().filter(|line| *line == name).count() > 1;
    let mut number = 0;
    while let Some(argument) = list.next() {
        if let Some(option) = argument.strip_prefix('-') {
            arguments.push(format!("--{option}"));
            arguments.push(list.next().expect("a value").to_owned());
            continue;
        }
        let (label, path) = argument.split_once('=').unwrap_or((argument, argument));
        let label = if repeated(argument) { format!("{label}#{number}") } else { label.to_owned() };
        number += 1;
        arguments.push(format!("{label}={}", case.join(path).display()));
    }
    arguments
}

fn cases() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(data("benchstat")).expect("the folder of cases");
    let mut cases: Vec<PathBuf> =
        folder.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    cases.sort();
    assert!(cases.len() >= 50);
    cases
}

fn name_of(case: &Path) -> String {
    case.file_name().expect("a name").to_string_lossy().into_owned()
}

#[test]
fn text_is_that_of_benchstat_to_the_byte() {
    for case in cases().iter().filter(|case| !faults::concerns(&name_of(case))) {
        let done = compare(&arguments(case, "benchstat"));
        assert_eq!(done.out, read(&case.join("out.text")), "{}", name_of(case));
    }
}

#[test]
fn values_are_those_of_benchstat() {
    for case in cases().iter().filter(|case| !faults::concerns(&name_of(case))) {
        let done = compare(&arguments(case, "csv"));
        let expected = read(&case.join("out.csv"));
        assert_eq!(done.out.lines().count(), expected.lines().count(), "{}", name_of(case));
        for (ours, theirs) in done.out.lines().zip(expected.lines()) {
            let (mut a, mut b) = (ours.split(','), theirs.split(','));
            loop {
                match (a.next(), b.next()) {
                    (None, None) => break,
                    (Some(a), Some(b)) if same(a, b) => {}
                    _ => panic!("{}: {ours} is not {theirs}", name_of(case)),
                }
            }
        }
        // Remarks on cells come last; before them stands what the tool does not tell.
        let path = case.join("err.csv");
        if path.exists() && done.code != 2 {
            let remarks = read(&path);
            let expected: Vec<&str> = remarks.lines().filter(|line| is_cell(line)).collect();
            let ours: Vec<&str> = done.err.lines().filter(|line| is_cell(line)).collect();
            assert_eq!(ours, expected, "{}", name_of(case));
        }
    }
}

/// Whether two fields are the same text, or the same number but for noise of a logarithm.
fn same(a: &str, b: &str) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs();
    a == b || matches!((a.parse(), b.parse()), (Ok(a), Ok(b)) if close(a, b))
}

/// Whether a line begins with the name of a spreadsheet's cell.
fn is_cell(line: &str) -> bool {
    let Some((cell, _)) = line.split_once(": ") else { return false };
    let digits = cell.trim_start_matches(|c: char| c.is_ascii_uppercase());
    digits.len() < cell.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

#[test]
fn lines_that_benchstat_reports_are_reported_in_its_words() {
    for case in cases() {
        let path = case.join("err.text");
        if !path.exists() || name_of(&case) == "61-missing-file" {
            continue;
        }
        let done = compare(&arguments(&case, "benchstat"));
        for line in read(&path).lines() {
            let expected = format!("{}/{line}", case.display());
            assert!(done.err.lines().any(|ours| ours == expected), "{}: {expected}\n{}", name_of(&case), done.err);
        }
    }
}

const SEEDS: [&str; 7] =
    ["go-toml-pr546", "go-toml-tuning", "opendal", "refmt", "sha1cd", "sha1cd-tuned", "vanadium-glob"];

/// Compares a seed's files with the output that a tool gave for them. `files` are called as they were there.
fn assert_golden(seed: &str, golden: &str, options: &[&str], files: &[&str], corrections: &[(&str, &str)]) -> Done {
    let folder = data("seeds").join(seed);
    let mut arguments: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    arguments.extend(files.iter().map(|file| format!("{file}={}", folder.join(file).display())));
    let done = compare(&arguments);
    let mut expected = read(&folder.join(golden));
    for (wrong, right) in corrections {
        assert!(expected.contains(wrong), "{seed} {golden}: {wrong}");
        expected = expected.replace(wrong, right);
    }
    assert_eq!(done.out, expected, "{seed} {golden}");
    done
}

#[test]
fn seeds_come_out_as_benchstat_shows_them() {
    for seed in SEEDS {
        let layout = ["--layout", "benchstat"];
        let ignore = ["--layout", "benchstat", "--ignore", "pkg,cpu"];
        assert_golden(seed, "golden.benchstat-v2.txt", &layout, &["base.txt", "head.txt"], &[]);
        assert_golden(seed, "golden.benchstat-v2.ignore-pkg.txt", &ignore, &["base.txt", "head.txt"], &[]);
    }
    let layout = ["--layout", "benchstat"];
    let files = ["base.nosuffix.txt", "head.txt"];
    assert_golden("go-toml-tuning", "golden.benchstat-v2.nosuffix.txt", &layout, &files, &[]);
    let files = ["cpu1.txt", "cpu2.txt", "cpu4.txt"];
    let sweep = ["--layout", "benchstat", "--row", ".name", "--col", "/gomaxprocs"];
    assert_golden("vanadium-glob", "golden.benchstat-v2.sweep.txt", &sweep, &files, &[]);
}

#[test]
fn seeds_come_out_as_the_first_benchstat_shows_them() {
    for seed in SEEDS {
        let corrections = faults::of_v1(seed);
        let layout = ["--layout", "benchstat-v1"];
        let geomean = ["--layout", "benchstat-v1", "--geomean"];
        let files = ["base.txt", "head.txt"];
        assert_golden(seed, "golden.benchstat-v1.txt", &layout, &files, corrections);
        assert_golden(seed, "golden.benchstat-v1.geomean.txt", &geomean, &files, corrections);
    }
    let layout = ["--layout", "benchstat-v1"];
    let files = ["base.nosuffix.txt", "head.txt"];
    let corrections = faults::of_v1("go-toml-tuning.nosuffix");
    assert_golden("go-toml-tuning", "golden.benchstat-v1.nosuffix.txt", &layout, &files, corrections);
}

#[test]
fn seeds_come_out_as_benchcmp_shows_them() {
    for seed in SEEDS {
        let files = ["base.txt", "head.txt"];
        let done = assert_golden(seed, "golden.benchcmp.txt", &["--layout", "benchcmp"], &files, &[]);
        assert_golden(seed, "golden.benchcmp-best.txt", &["--layout", "benchcmp", "--best"], &files, &[]);
        // What is left out is told in the tool's words, here in the order of the files.
        let told = read(&data("seeds").join(seed).join("golden.benchcmp.err"));
        for line in told.lines().filter(|line| line.starts_with("ignoring ")) {
            assert!(done.err.lines().any(|ours| ours == line), "{seed}: {line}\n{}", done.err);
        }
        assert_eq!(done.code, if told.contains("no repeated benchmarks") { 3 } else { 0 }, "{seed}");
    }
}

/// The output of the old tools on the cases, as one file: each part begins with `### case: command`.
#[test]
fn old_layouts_are_those_of_the_old_tools() {
    let all = read(&data("benchstat/old-tools.txt"));
    let mut compared = 0;
    for part in all.split("### ").skip(1) {
        let (title, expected) = part.split_once('\n').expect("a title");
        let (case, command) = title.split_once(": ").expect("a command");
        let folder = data("benchstat").join(case);
        let words: Vec<&str> = command.split_whitespace().collect();
        let layout = match words.as_slice() {
            ["benchstat-v1", "-csv", ..] => continue,
            ["benchstat-v1", ..] => "benchstat-v1",
            ["benchcmp", ..] => "benchcmp",
            _ => panic!("{command}"),
        };
        if !folder.is_dir() {
            continue;
        }
        let mut arguments = vec!["--layout".to_owned(), layout.to_owned()];
        for word in &words[1..] {
            arguments.push(match word.strip_prefix('-') {
                Some(option) => format!("--{option}"),
                None => format!("{word}={}", folder.join(word).display()),
            });
        }
        let done = compare(&arguments);
        // The tool's own messages stand between, on standard error.
        let messages = ["benchcmp is deprecated", "ignoring ", "benchcmp: "];
        let expected: String =
            expected.split_inclusive('\n').filter(|line| !messages.iter().any(|m| line.starts_with(m))).collect();
        assert_eq!(done.out, expected, "{title}");
        compared += 1;
    }
    assert!(compared >= 12, "{compared}");
}
