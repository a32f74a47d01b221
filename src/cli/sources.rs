//! Which benchmark sources and build files differ between the sides: a change there can move a number all by itself.

use crate::compare::SourceDifference;
use crate::config::Config;
use std::path::Path;

/// Files that decide how everything around them is built.
const BUILD: &[&str] = &[
    "go.mod",
    "go.sum",
    "go.work",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "uv.lock",
    "poetry.lock",
    "Pipfile.lock",
    ".python-version",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lockb",
    "CMakeLists.txt",
    "meson.build",
    "Makefile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "gradle.lockfile",
    "gradle.properties",
    ".tool-versions",
];

/// The first differing source of each suite, of those in `paths` (changed between the commits) that concern it.
pub(crate) fn differing(paths: &[String], config: &Config) -> Vec<SourceDifference> {
    let mut found = Vec::new();
    for suite in &config.suites {
        let directories = [&suite.sides.base.directory, &suite.sides.head.directory];
        let inside = |path: &str| directories.iter().any(|directory| Path::new(path).starts_with(directory));
        // A build file above the suite's folder concerns it too.
        let above = |path: &str| {
            let parent = Path::new(path).parent().unwrap_or(Path::new(""));
            directories.iter().any(|directory| Path::new(directory).starts_with(parent))
        };
        let concerns =
            |path: &&String| (inside(path) && is_benchmark(path)) || ((inside(path) || above(path)) && is_build(path));
        // Benchmarks first: they are what a reader should look at.
        let mut all: Vec<&String> = paths.iter().filter(concerns).collect();
        all.sort_by_key(|path| !is_benchmark(path));
        found.extend(all.first().map(|path| SourceDifference {
            suite: suite.name.clone(),
            package: String::new(),
            path: (*path).clone(),
        }));
    }
    found
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_build(path: &str) -> bool {
    let name = name(path);
    BUILD.contains(&name) || (name.starts_with("requirements") && name.ends_with(".txt"))
}

/// By the habits of the languages: Go's `_test.go`, `benches/`, `bench` in a name.
fn is_benchmark(path: &str) -> bool {
    let source = [
        "go", "rs", "py", "js", "mjs", "cjs", "ts", "mts", "tsx", "jsx", "c", "cc", "cpp", "cxx", "h", "hpp", "java",
        "kt", "jl", "cs", "sh", "awk", "lua", "rb",
    ];
    let known = name(path).rsplit_once('.').is_some_and(|(_, ending)| source.contains(&ending));
    known && (path.ends_with("_test.go") || path.to_lowercase().split('/').any(|part| part.contains("bench")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_are_known_by_the_habits_of_their_language() {
        for path in ["codec_test.go", "benches/parse.rs", "tests/test_bench.py", "src/x.bench.ts", "bench/run.sh"] {
            assert!(is_benchmark(path), "{path}");
        }
        for path in ["codec.go", "src/lib.rs", "benches/data.json", "README.md"] {
            assert!(!is_benchmark(path), "{path}");
        }
        assert!(is_build("a/Cargo.lock") && is_build("requirements-dev.txt") && !is_build("a/lock.rs"));
    }
}
