//! Google Benchmark in CMake projects.

use super::tree::{Tree, join, upwards};
use super::{Findings, Found, Narrow, both, suite, version};
use std::collections::{BTreeMap, BTreeSet};

/// What the sandbox's image needs beside Debian.
const PREPARE: &str = "apt-get update && apt-get install -y --no-install-recommends build-essential ca-certificates \
                       cmake git libbenchmark-dev";

/// Finds executables that are linked with the library.
pub(super) fn find(tree: &Tree) -> Findings {
    let mut findings = Findings::default();
    let mut projects: BTreeMap<&str, BTreeSet<(String, String)>> = BTreeMap::new();
    for folder in tree.folders_with("CMakeLists.txt") {
        let path = join(folder, "CMakeLists.txt");
        let text = tree.read(&path).unwrap_or_default();
        for target in targets(&text) {
            // The topmost folder with a CMakeLists.txt that is not interrupted by one without is the project.
            let root =
                upwards(folder).take_while(|above| tree.has(&join(above, "CMakeLists.txt"))).last().unwrap_or(folder);
            if is_name(&target) {
                projects.entry(root).or_default().insert((target, path.clone()));
            } else {
                findings.left_out.push(format!("{path}: the name of the benchmark target `{target}` is computed"));
            }
        }
    }
    for (root, targets) in projects {
        findings.found.push(found(root, &targets));
    }
    findings
}

/// The targets of a CMakeLists.txt that are linked with Google Benchmark.
fn targets(text: &str) -> Vec<String> {
    let text: String =
        text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut targets = Vec::new();
    let lower = text.to_ascii_lowercase();
    for (at, word) in lower.match_indices("target_link_libraries") {
        let rest = text[at + word.len()..].trim_start();
        let Some(arguments) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else { continue };
        let mut words = arguments.0.split_whitespace().map(|word| word.trim_matches('"'));
        let Some(target) = words.next() else { continue };
        let linked = words.any(|word| {
            matches!(word, "benchmark" | "benchmark::benchmark" | "benchmark::benchmark_main" | "benchmark_main")
        });
        if linked && !targets.iter().any(|known| known == target) {
            targets.push(target.to_owned());
        }
    }
    targets
}

/// Whether a target's name stands there as it is: no variable, and nothing that a shell would see.
fn is_name(target: &str) -> bool {
    !target.is_empty()
        && !target.starts_with('-')
        && target.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.+-".contains(&b))
}

fn found(root: &str, targets: &BTreeSet<(String, String)>) -> Found {
    let names: Vec<_> = targets.iter().map(|(target, _)| target.as_str()).collect();
    let list = names.join(" ");
    let setup = format!(
        "set -e\n\
         rm -rf .bench-bot\n\
         cmake -S . -B .bench-bot/build -DCMAKE_BUILD_TYPE=Release -DBENCHMARK_ENABLE_TESTING=OFF\n\
         cmake --build .bench-bot/build --parallel --target {list}"
    );
    // Where an executable lies inside the build folder depends on the project and on CMake's generator.
    let run = format!(
        "status=0\n\
         mkdir -p .bench-bot/results\n\
         for name in {list}; do\n\
         \x20 program=$(find .bench-bot/build -name \"$name\" -type f -perm -u+x | head -n 1)\n\
         \x20 [ -n \"$program\" ] || {{ echo \"$name was not built\" >&2; status=1; continue; }}\n\
         \x20 \"$program\" --benchmark_out=\".bench-bot/results/$name.json\" --benchmark_out_format=json \
         --benchmark_min_time=0.1 --benchmark_filter=\"${{BENCH_BOT_FILTER:-.}}\" || status=$?\n\
         done\n\
         exit $status"
    );
    let mut suite = suite("google-benchmark", root, run);
    suite.narrow = Some(Narrow::Variable);
    suite.prepare = Some(PREPARE.to_owned());
    both(&mut suite, |side| {
        side.setup = Some(setup.clone());
        side.format = "google-benchmark".to_owned();
        side.output = Some(".bench-bot/results".to_owned());
        side.image = Some(version::image("debian", None, "12"));
    });
    let mut reasons: Vec<_> =
        targets.iter().take(10).map(|(target, path)| format!("{path} links {target} with Google Benchmark")).collect();
    reasons.push("short mode: 0.1 s a benchmark and round".to_owned());
    let file = join(root, "CMakeLists.txt");
    let shown = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    Found { suite, headline: format!("Google Benchmark targets {shown} ({file})"), reasons }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_by_what_they_are_linked_with() {
        let text = "add_executable(a a.cc)\n\
                    target_link_libraries(a PRIVATE benchmark::benchmark) # c\n\
                    Target_Link_Libraries( b\n  \"benchmark::benchmark_main\"\n)\n\
                    # target_link_libraries(c benchmark)\n\
                    target_link_libraries(d my_benchmark_lib)\n\
                    target_link_libraries(${PROJECT_NAME}_bench benchmark)\n";
        assert_eq!(targets(text), ["a", "b", "${PROJECT_NAME}_bench"]);
        assert!(is_name("a_b-1.2") && !is_name("${X}") && !is_name("a;b") && !is_name("-x") && !is_name(""));
    }
}
