//! Finds out how a repository benchmarks, so that no configuration is needed.
//!
//! Only names and contents of files are looked at; nothing is executed. One module per ecosystem says which suites it
//! sees and why, and what it saw but cannot use. Detected commands keep what they build and write in `.bench-bot`
//! inside the suite's directory.

mod cargo;
mod cmake;
mod go;
mod java;
mod node;
mod python;
mod tree;
mod version;

use crate::config::{self, Config, Narrow, Source, Suite, SuiteSide};
use crate::side::{PerSide, Side};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tree::Tree;

/// What was found in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Detected {
    /// The default configuration with the suites that were found, at least one.
    pub config: Config,
    /// One sentence on what was found.
    pub sentence: String,
    /// By suite: why.
    pub reasons: BTreeMap<String, Vec<String>>,
    /// What was seen and is left out, and why.
    pub left_out: Vec<String>,
}

impl Detected {
    /// This as the origin of a configuration, for [`crate::config::describe()`].
    #[must_use]
    pub fn source(&self) -> Source {
        Source {
            detected: Some(self.sentence.clone()),
            reasons: self.reasons.clone(),
            left_out: self.left_out.clone(),
            ..Source::default()
        }
    }
}

/// Why nothing was detected.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// The tree cannot be listed.
    #[error("cannot look into {}", tree.display())]
    Unreadable {
        /// The tree.
        tree: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// There is nothing to run.
    #[error("{}", nothing(place, left_out))]
    Nothing {
        /// Where was looked.
        place: String,
        /// What was seen and is left out, and why.
        left_out: Vec<String>,
    },
    /// A suite of the configuration has no command, and none was found for it.
    #[error(
        "suite {suite} has no `run`, and no benchmarks were found in {directory}{}: write the command",
        seen(left_out)
    )]
    Silent {
        /// The suite.
        suite: String,
        /// Its directory.
        directory: String,
        /// What was seen and is left out, and why.
        left_out: Vec<String>,
    },
    /// A suite of the configuration has no command, and its directory holds several that it could have.
    #[error("suite {suite} has no `run`, and several commands were found in {directory}: {}; write the one you want, or remove the suite", found.join(", "))]
    Ambiguous {
        /// The suite.
        suite: String,
        /// Its directory.
        directory: String,
        /// The names of what was found.
        found: Vec<String>,
    },
}

impl DetectError {
    /// The suite of the configuration that it is about, if it is about one.
    #[must_use]
    pub fn suite(&self) -> Option<&str> {
        match self {
            Self::Silent { suite, .. } | Self::Ambiguous { suite, .. } => Some(suite),
            Self::Unreadable { .. } | Self::Nothing { .. } => None,
        }
    }
}

fn seen(left_out: &[String]) -> String {
    if left_out.is_empty() { String::new() } else { format!(" (seen and left out: {})", left_out.join("; ")) }
}

fn nothing(place: &str, left_out: &[String]) -> String {
    let seen: String = left_out.iter().map(|reason| format!("\nSeen and left out: {reason}.")).collect();
    format!(
        "no benchmarks found in {place}.{seen}\n\
         Looked for: Go (go.mod and `func Benchmark` in _test.go files), Rust (Cargo.toml with benches of Criterion, \
         divan, gungraun or libtest), Python (pytest-benchmark), JavaScript (package.json with vitest, tinybench or \
         mitata), C++ (CMakeLists.txt with Google Benchmark), Java (pom.xml or build.gradle with JMH).\n\
         Say what to run in {}:\n\
         \x20   suites:\n\
         \x20     - name: bench\n\
         \x20       run: ./your-benchmark-command",
        config::PATH
    )
}

/// One suite and why it was found.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    suite: Suite,
    /// For the sentence: `Go benchmarks (go.mod)`.
    headline: String,
    /// One fact each, without a full stop.
    reasons: Vec<String>,
}

/// What an ecosystem sees in a tree.
#[derive(Debug, Default)]
struct Findings {
    found: Vec<Found>,
    left_out: Vec<String>,
}

/// Finds the suites of one tree.
///
/// # Errors
/// When the tree cannot be read, or nothing is found in it.
pub fn detect(tree: &Path) -> Result<Detected, DetectError> {
    let findings = look(tree)?;
    finish(findings, "this tree")
}

/// Finds the suites of both sides: each side of a suite does what its own tree says, and a suite that only one side
/// has is tried with the same commands on the other, where it gives no rows or fails and is shown so. The image of both
/// sides is that of base's toolchain: a pull request does not choose what its code runs in.
///
/// # Errors
/// As [`detect`], if neither side has anything.
pub fn detect_sides(trees: PerSide<&Path>) -> Result<Detected, DetectError> {
    let base = look(trees.base)?;
    let mut head = look(trees.head)?;
    let mut merged = Findings { found: Vec::new(), left_out: base.left_out };
    for reason in head.left_out {
        if !merged.left_out.contains(&reason) {
            merged.left_out.push(reason);
        }
    }
    for mut found in base.found {
        match head.found.iter().position(|other| other.suite.name == found.suite.name) {
            Some(index) => {
                let other = head.found.remove(index);
                found.suite.sides.head = other.suite.sides.head;
                share_image(&mut found.suite.sides);
            }
            None => found.reasons.push("found on base only".to_owned()),
        }
        merged.found.push(found);
    }
    for mut found in head.found {
        found.reasons.push("found on head only".to_owned());
        merged.found.push(found);
    }
    finish(merged, "base or head")
}

/// Gives both sides base's image.
fn share_image(sides: &mut PerSide<SuiteSide>) {
    if sides.base.image.is_some() {
        sides.head.image.clone_from(&sides.base.image);
    }
}

/// Fills in what `config` leaves to detection: all suites if it has none, or the commands of suites that name none.
/// `source` is told what was found. A configuration that leaves nothing open is not touched.
///
/// # Errors
/// As [`detect_sides`], and if a suite without a command could have several.
pub fn complete(config: &mut Config, source: &mut Source, trees: PerSide<&Path>) -> Result<(), DetectError> {
    let open = |suite: &Suite| Side::BOTH.into_iter().any(|side| suite.sides.get(side).run.is_empty());
    if !config.suites.is_empty() && !config.suites.iter().any(open) {
        return Ok(());
    }
    let place = |suite: &Suite| match suite.sides.head.directory.as_str() {
        "" => "this tree".to_owned(),
        directory => directory.to_owned(),
    };
    let by_default = config.suites.is_empty() && source.file.is_none();
    let misplaced = Side::BOTH.into_iter().find_map(|side| config::misplaced(trees.get(side))).filter(|_| by_default);
    let misplaced =
        misplaced.map(|name| format!("{name} is not read: a configuration has its place in {}", config::PATH));
    let detected = match (detect_sides(trees), config.suites.iter().find(|suite| open(suite))) {
        (Err(DetectError::Nothing { left_out, .. }), Some(suite)) => {
            return Err(DetectError::Silent { suite: suite.name.clone(), directory: place(suite), left_out });
        }
        (Err(DetectError::Nothing { place, mut left_out }), None) => {
            left_out.extend(misplaced);
            return Err(DetectError::Nothing { place, left_out });
        }
        (detected, _) => detected?,
    };
    if config.suites.is_empty() {
        config.suites.clone_from(&detected.config.suites);
        source.reasons.clone_from(&detected.reasons);
    }
    for suite in config.suites.iter_mut().filter(|suite| open(suite)) {
        let directory = suite.sides.head.directory.clone();
        let here: Vec<_> =
            detected.config.suites.iter().filter(|found| found.sides.head.directory == directory).collect();
        let place = place(suite);
        match here.as_slice() {
            [found] => {
                fill(suite, found);
                let reasons = detected.reasons.get(&found.name).cloned().unwrap_or_default();
                source.reasons.insert(suite.name.clone(), reasons);
            }
            [] => {
                let suite = suite.name.clone();
                return Err(DetectError::Silent { suite, directory: place, left_out: detected.left_out });
            }
            several => {
                let found = several.iter().map(|found| found.name.clone()).collect();
                return Err(DetectError::Ambiguous { suite: suite.name.clone(), directory: place, found });
            }
        }
    }
    let misplaced = misplaced.map(|sentence| format!(" {sentence}.")).unwrap_or_default();
    source.detected = Some(detected.sentence + &misplaced);
    source.left_out = detected.left_out;
    Ok(())
}

/// Puts what was found where `suite` is silent.
fn fill(suite: &mut Suite, found: &Suite) {
    for side in Side::BOTH {
        let (mine, theirs) = (suite.sides.get_mut(side), found.sides.get(side));
        if !mine.run.is_empty() {
            continue;
        }
        mine.run.clone_from(&theirs.run);
        mine.setup = mine.setup.take().or_else(|| theirs.setup.clone());
        mine.output = mine.output.take().or_else(|| theirs.output.clone());
        if mine.format == "auto" {
            mine.format.clone_from(&theirs.format);
        }
        if mine.dockerfile.is_none() {
            mine.image = mine.image.take().or_else(|| theirs.image.clone());
        }
        for (name, value) in &theirs.env {
            mine.env.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    suite.prepare = suite.prepare.take().or_else(|| found.prepare.clone());
    suite.narrow = found.narrow;
}

fn look(path: &Path) -> Result<Findings, DetectError> {
    let tree = Tree::open(path).map_err(|source| DetectError::Unreadable { tree: path.to_owned(), source })?;
    let nightly = cargo::nightly_is_installed();
    let parts = [
        go::find(&tree),
        cargo::find(&tree, nightly),
        python::find(&tree),
        node::find(&tree),
        cmake::find(&tree),
        java::find(&tree),
    ];
    let mut all = Findings::default();
    for part in parts {
        all.found.extend(part.found);
        all.left_out.extend(part.left_out);
    }
    if tree.truncated() {
        all.left_out.push("files beyond the first 50,000, or deeper than 16 folders".to_owned());
    }
    Ok(all)
}

fn finish(findings: Findings, place: &str) -> Result<Detected, DetectError> {
    let Findings { found, left_out } = findings;
    if found.is_empty() {
        return Err(DetectError::Nothing { place: place.to_owned(), left_out });
    }
    let headlines: Vec<_> = found.iter().map(|found| found.headline.as_str()).collect();
    let sentence = match headlines.as_slice() {
        [one] => format!("Found {one}."),
        [firsts @ .., last] => format!("Found {} and {last}.", firsts.join(", ")),
        [] => String::new(),
    };
    let reasons = found.iter().map(|found| (found.suite.name.clone(), found.reasons.clone())).collect();
    let suites = found.into_iter().map(|found| found.suite).collect();
    Ok(Detected { config: Config { suites, ..Config::default() }, sentence, reasons, left_out })
}

/// A suite that does the same on both sides: `tool` at the top of the tree, `tool:directory` below it.
fn suite(tool: &str, directory: &str, run: String) -> Suite {
    let name = if directory.is_empty() { tool.to_owned() } else { format!("{tool}:{directory}") };
    let side = SuiteSide { directory: directory.to_owned(), ..SuiteSide::new(run) };
    Suite { detected: true, ..Suite::new(name, PerSide { base: side.clone(), head: side }) }
}

/// Changes both sides of a suite alike.
fn both(suite: &mut Suite, mut change: impl FnMut(&mut SuiteSide)) {
    change(&mut suite.sides.base);
    change(&mut suite.sides.head);
}

/// `1 package`, `2 packages`.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
