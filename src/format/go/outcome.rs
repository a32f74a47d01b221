//! What `go test` says of benchmarks that give no result.

use super::line::field;
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
