//! Which benchmark sources and build files differ between the sides: a change there can move a number all by itself.

use crate::compare::SourceDifference;
use crate::config::{Config, Suite};
use crate::side::Side;
use std::path::{Component, Path, PathBuf};

/// Most paths that are kept of a suite.
const KEPT: usize = 100;

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
    "bun.lock",
    "bun.lockb",
    "build.rs",
    "composer.lock",
    "Manifest.toml",
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

/// The differing sources of each suite, of those in `paths` (changed between the commits) that concern it: benchmarks
/// first, since a reader should look at them. Files that an overlay makes equal do not differ.
pub(crate) fn differing(paths: &[String], config: &Config) -> Vec<SourceDifference> {
    let overlaid = |path: &str| {
        let overlays = config.suites.iter().filter_map(|suite| suite.overlay.as_ref());
        overlays.flat_map(|overlay| &overlay.paths).any(|equal| Path::new(path).starts_with(equal))
    };
    let paths: Vec<&String> = paths.iter().filter(|path| !overlaid(path)).collect();
    let mut found = Vec::new();
    for suite in &config.suites {
        let concerns = Concerns::of(suite);
        let mut mine: Vec<(Kind, &&String)> =
            paths.iter().filter_map(|path| Some((concerns.kind(path)?, path))).collect();
        mine.sort_by_key(|(kind, _)| *kind);
        found.extend(mine.iter().take(KEPT).map(|(_, path)| SourceDifference {
            suite: suite.name.clone(),
            package: String::new(),
            path: (**path).clone(),
        }));
    }
    found
}

/// What a file is to a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A benchmark, or what the command names.
    Benchmark,
    /// Decides how things are built.
    Build,
}

/// What concerns a suite.
struct Concerns<'s> {
    directories: [&'s str; 2],
    /// Paths that its commands name.
    named: Vec<PathBuf>,
    pytest: bool,
}

impl<'s> Concerns<'s> {
    fn of(suite: &'s Suite) -> Self {
        let mut named = Vec::new();
        for side in Side::BOTH.map(|side| suite.sides.get(side)) {
            for command in [Some(&side.run), side.setup.as_ref()].into_iter().flatten() {
                let words = command.split(|c: char| c.is_whitespace() || "\"'`;&|()<>=,".contains(c));
                for word in words.filter(|word| !word.is_empty()) {
                    named.extend([plain(Path::new(word)), plain(&Path::new(&side.directory).join(word))]);
                }
            }
        }
        let runs = |word: &str| Side::BOTH.iter().any(|side| suite.sides.get(*side).run.contains(word));
        Self { directories: [&suite.sides.base.directory, &suite.sides.head.directory], named, pytest: runs("pytest") }
    }

    fn kind(&self, path: &str) -> Option<Kind> {
        let inside = self.directories.iter().any(|directory| Path::new(path).starts_with(directory));
        // A build file above the suite's folder concerns it too.
        let parent = Path::new(path).parent().unwrap_or(Path::new(""));
        let above = self.directories.iter().any(|directory| Path::new(directory).starts_with(parent));
        if self.named.iter().any(|named| named == Path::new(path)) {
            return Some(Kind::Benchmark);
        }
        let test = || self.pytest && is_python_test(path);
        if inside && (is_benchmark(path) || test()) {
            return Some(Kind::Benchmark);
        }
        ((inside || above) && is_build(path)).then_some(Kind::Build)
    }
}

/// A path without `.` and `..`, by its text alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => drop(plain.pop()),
            _ => {}
        }
    }
    plain
}

fn is_python_test(path: &str) -> bool {
    let name = name(path);
    name == "conftest.py" || (name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py")))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_build(path: &str) -> bool {
    let name = name(path);
    BUILD.contains(&name)
        || (name.starts_with("requirements") && name.ends_with(".txt"))
        || name.ends_with(".csproj")
        || path.ends_with(".cargo/config.toml")
}

/// By the habits of the languages: Go's `_test.go`, `benches/`, `bench` in a name.
fn is_benchmark(path: &str) -> bool {
    let source = [
        "go", "rs", "py", "js", "mjs", "cjs", "ts", "mts", "tsx", "jsx", "c", "cc", "cpp", "cxx", "h", "hpp", "java",
        "kt", "scala", "jl", "cs", "sh", "awk", "lua", "rb", "php",
    ];
    let known = name(path).rsplit_once('.').is_some_and(|(_, ending)| source.contains(&ending));
    known
        && (path.ends_with("_test.go")
            || path.to_lowercase().split('/').any(|part| part.contains("bench"))
            || format!("/{path}").contains("/src/jmh/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        crate::config::load("b.yml", text).expect("a configuration")
    }

    fn found(config: &Config, paths: &[&str]) -> Vec<String> {
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        differing(&paths, config).into_iter().map(|source| source.path).collect()
    }

    #[test]
    fn what_a_command_names_is_a_source() {
        let config = config(
            "suites: [{directory: py, setup: 'sh ../tools/build.sh', run: 'python3 ./measure.py --x=data.json'}]",
        );
        assert_eq!(
            found(
                &config,
                &["README.md", "py/measure.py", "tools/build.sh", "py/data.json", "measure.txt", "py/pyproject.toml"]
            ),
            ["py/measure.py", "tools/build.sh", "py/data.json", "py/pyproject.toml"]
        );
    }

    #[test]
    fn benchmarks_come_before_what_builds_and_overlaid_files_are_equal() {
        let config = config(
            "suites: [{run: cargo bench}, {name: p, run: pytest, overlay: {from: head, to: base, paths: [benches/new.rs, bench]}}]",
        );
        let paths = ["Cargo.lock", "benches/a.rs", "benches/new.rs", "bench/x.py", "tests/test_a.py", "src/lib.rs"];
        assert_eq!(
            found(&config, &paths),
            ["benches/a.rs", "Cargo.lock", "benches/a.rs", "tests/test_a.py", "Cargo.lock"]
        );
    }

    #[test]
    fn benchmarks_are_known_by_the_habits_of_their_language() {
        for path in [
            "codec_test.go",
            "benches/parse.rs",
            "tests/test_bench.py",
            "src/x.bench.ts",
            "bench/run.sh",
            "src/jmh/java/A.java",
        ] {
            assert!(is_benchmark(path), "{path}");
        }
        for path in ["codec.go", "src/lib.rs", "benches/data.json", "README.md"] {
            assert!(!is_benchmark(path), "{path}");
        }
        assert!(is_build(".cargo/config.toml") && is_build("x/App.csproj") && !is_build("config.toml"));
        assert!(is_build("a/Cargo.lock") && is_build("requirements-dev.txt") && !is_build("a/lock.rs"));
    }
}
