//! What `go test` says of benchmarks that give no result.

use super::line::{field, without_prefix};
use crate::format::FailureKind;

/// Most bytes of a benchmark's own words that are kept.
const KEPT: usize = 4096;

/// The outcome that stands where a result should be: `--- FAIL: …`, `panic: …`. With its first words.
pub(super) fn after_name(text: &str) -> Option<(FailureKind, &str)> {
    if let Some((kind, _)) = announced_loosely(text) {
        Some((kind, ""))
    } else if is_panic(text) {
        Some((FailureKind::Failed, text))
    } else {
        None
    }
}

/// `--- FAIL: BenchmarkX` at the beginning of a line: the kind and the name without `Benchmark`.
pub(super) fn announced(line: &str) -> Option<(FailureKind, &str)> {
    let (kind, what) = announced_loosely(line.trim_start())?;
    let name = field(what).0.strip_prefix("Benchmark")?;
    Some((kind, name))
}

fn announced_loosely(text: &str) -> Option<(FailureKind, &str)> {
    let text = text.strip_prefix("--- ")?;
    if let Some(what) = text.strip_prefix("FAIL: ") {
        Some((FailureKind::Failed, what))
    } else {
        text.strip_prefix("SKIP: ").map(|what| (FailureKind::Skipped, what))
    }
}

/// Whether the test binary dies here.
pub(super) fn is_panic(line: &str) -> bool {
    line.starts_with("panic: ") || line.starts_with("fatal error: ") || line.starts_with("*** Test killed")
}

/// The package of `FAIL<TAB>package<TAB>0.3s`.
pub(super) fn failed_package(line: &str) -> Option<&str> {
    let package = field(line.strip_prefix("FAIL\t")?).0;
    (!package.is_empty()).then_some(package)
}

/// Whether a test binary, or the package that it was of, ends here.
pub(super) fn ends_binary(line: &str) -> bool {
    matches!(line, "PASS" | "FAIL") || line.starts_with("ok  \t") || line.starts_with("FAIL\t")
}

/// Where the first line of `text` that names a package begins, and the package: `pkg:` of a binary, or the end of one.
pub(super) fn next_package(text: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let begin = at;
        at += line.len();
        let line = without_prefix(line).unwrap_or(line).trim_end();
        let rest = ["pkg: ", "ok  \t", "FAIL\t"].iter().find_map(|word| line.strip_prefix(word))?;
        let package = field(rest).0;
        (!package.is_empty()).then_some((begin, package))
    })
}

/// Most lines between a benchmark's announcement and its outcome that are looked at.
const LINES: usize = 200;

/// The indented lines between the line `Benchmark<name>` that `go test -v` prints and the outcome, which is the last line
/// of `before`. Empty if there is no such line.
pub(super) fn said_before(name: &str, before: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for line in before.lines().rev().skip(1).take(LINES) {
        if let Some(other) = line.strip_prefix("Benchmark") {
            let announced = same_benchmark(other.trim_end(), name);
            words.reverse();
            return if announced { with_details("", &words.join("\n")) } else { String::new() };
        }
        if line.starts_with("--- ") || line.starts_with("=== ") {
            break;
        }
        if line.starts_with("    ") || line.starts_with('\t') {
            words.push(line);
        }
    }
    String::new()
}

/// The benchmark (without `Benchmark`) whose function stands on the stack that follows a panic:
/// `example.org/tiny.BenchmarkPanics(0x1c1ef680c308)`, or `….BenchmarkPanics.func1(…)` for a part of it.
pub(super) fn on_stack(rest: &str) -> Option<&str> {
    let stack = rest.lines().take(LINES).take_while(|line| !line.starts_with("exit status") && !ends_binary(line));
    stack.filter(|line| !line.starts_with([' ', '\t'])).find_map(|line| {
        let (_, function) = line.split_once('(')?.0.rsplit_once(".Benchmark")?;
        let name = function.split('.').next()?;
        (is_benchmark(name) && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
    })
}

/// Whether `name` (without `Benchmark`) is one that `go test` runs: it does not go on with a lower-case letter, which
/// words like "Benchmarks" do.
pub(super) fn is_benchmark(name: &str) -> bool {
    !name.starts_with(char::is_lowercase)
}

/// Whether two names are the same but for a `-N` suffix: `go test` announces skipped benchmarks without it.
pub(super) fn same_benchmark(a: &str, b: &str) -> bool {
    super::name::split_procs(a).0 == super::name::split_procs(b).0
}

/// `first` and the indented lines at the beginning of `rest`, without their indentation; for a panic also its next lines
/// up to a blank one. At most 4 KiB.
pub(super) fn with_details(first: &str, rest: &str) -> String {
    let mut message = first.trim_end().to_owned();
    let panicked = is_panic(first);
    for line in rest.lines() {
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if line.trim().is_empty() || !(indented || panicked) || message.len() > KEPT {
            break;
        }
        if !message.is_empty() {
            message.push('\n');
        }
        message.push_str(line.trim());
    }
    if message.len() > KEPT {
        message.truncate(message.floor_char_boundary(KEPT));
    }
    message
}
