//! Before the rounds: building both sides, asking tools for their versions, and finding this shard's part.

use super::exec::StepKind;
use super::progress::Event;
use super::round::outcome;
use super::rows::{NAME_LIMIT, notes, shortened, warn};
use super::runner::Runner;
use super::{MeasureError, narrow, tail};
use crate::config::Narrow;
use crate::format::BenchmarkId;
use crate::results::{Shard, StepOutcome};
use crate::side::{PerSide, Side};
use std::collections::BTreeSet;
use std::time::Duration;

impl Runner<'_> {
    /// Builds both sides of every suite, before any round.
    pub(super) fn set_up(&mut self) -> Result<(), MeasureError> {
        for suite in 0..self.suites.len() {
            for side in Side::BOTH {
                let outcome = self.set_up_side(suite, side)?;
                *self.suites[suite].dead.get_mut(side) = !outcome.status.ok();
                if !outcome.status.ok() {
                    self.tell_failure(suite, side, "setup", &outcome);
                }
                *self.results.suites[suite].setup.get_mut(side) = outcome;
            }
            self.tool_versions(suite)?;
            self.save()?;
        }
        Ok(())
    }

    fn set_up_side(&mut self, suite: usize, side: Side) -> Result<StepOutcome, MeasureError> {
        let plan = self.suites[suite].plan.suite.sides.get(side).clone();
        if plan.setup.is_none() && plan.require.is_empty() {
            return Ok(StepOutcome::default());
        }
        self.progress.event(&Event::Setup { suite: &self.suites[suite].plan.suite.name, side });
        let mut step = self.step(suite, side, StepKind::Setup, plan.setup.unwrap_or_else(|| ":".to_owned()));
        step.require = plan.require;
        step.remove.extend(plan.output);
        step.timeout =
            self.plan.max_time.saturating_sub(self.options.spent + self.exec.elapsed()).max(Duration::from_secs(1));
        let execution = self.exec.run(&step)?;
        self.keep_raw(&step, "setup", 0, &execution);
        for note in notes(&execution) {
            warn(&mut self.results.suites[suite], format!("{side}: {note}"));
        }
        Ok(outcome(&execution))
    }

    /// Asks the tools that the commands name for their versions; a difference between the sides is said.
    fn tool_versions(&mut self, suite: usize) -> Result<(), MeasureError> {
        let words: BTreeSet<String> = Side::BOTH
            .iter()
            .flat_map(|side| {
                let plan = self.suites[suite].plan.suite.sides.get(*side);
                words(&format!("{} {}", plan.setup.as_deref().unwrap_or_default(), plan.run))
            })
            .collect();
        for (name, command, _) in VERSIONS.iter().filter(|(_, _, of)| of.iter().any(|word| words.contains(*word))) {
            let mut answers = PerSide::<Option<String>>::default();
            for side in Side::BOTH {
                let step = self.step(suite, side, StepKind::Probe, (*command).to_owned());
                let execution = self.exec.run(&step)?;
                let text = tail::clean(&execution.stdout);
                let line = text.lines().find(|line| !line.trim().is_empty()).map(|line| shortened(line.trim(), 200));
                *answers.get_mut(side) = line.filter(|_| execution.status.ok());
            }
            let results = &mut self.results.suites[suite];
            let answer = match (answers.base, answers.head) {
                (Some(base), Some(head)) if base != head => {
                    warn(results, format!("`{name}` differs between the sides: {base} on base, {head} on head"));
                    format!("{base} (base), {head} (head)")
                }
                (Some(one), _) | (None, Some(one)) => one,
                (None, None) => continue,
            };
            results.tools.insert((*name).to_owned(), answer);
        }
        Ok(())
    }

    /// Restricts a suite to this shard's part of the benchmarks that `list` names.
    pub(super) fn take_part(&mut self, suite: usize) -> Result<(), MeasureError> {
        let plan = &self.suites[suite].plan;
        let (Some(part), Some(list), Some(narrow)) = (plan.part, plan.suite.list.clone(), plan.narrow) else {
            return Ok(());
        };
        let names = self.listed(suite, &list, narrow)?;
        let mine = my_part(&names, part);
        let expression = narrow::expression(narrow, &mine.iter().collect::<Vec<_>>()).filter(|_| !mine.is_empty());
        if expression.is_none() {
            if !mine.is_empty() || names.is_empty() {
                let what =
                    if names.is_empty() { "`list` names no benchmarks" } else { "the names of `list` are too long" };
                let warning = format!("{what}: shard {} of {} measures nothing of this suite", part.index, part.count);
                self.progress.event(&Event::Note(&warning));
                warn(&mut self.results.suites[suite], warning);
            }
            self.suites[suite].dead = PerSide { base: true, head: true };
        }
        self.suites[suite].part_filter = expression;
        Ok(())
    }

    /// The names that `list` prints: base's in their order, then those that only head has. Every shard sees the same.
    fn listed(&mut self, suite: usize, list: &str, narrow: Narrow) -> Result<Vec<BenchmarkId>, MeasureError> {
        let mut names = Vec::new();
        let mut seen = BTreeSet::new();
        for side in Side::BOTH {
            if *self.suites[suite].dead.get(side) {
                continue;
            }
            let mut step = self.step(suite, side, StepKind::Probe, list.to_owned());
            step.timeout = self.suites[suite].plan.suite.sides.get(side).timeout;
            let execution = self.exec.run(&step)?;
            if !execution.status.ok() {
                self.tell_failure(suite, side, "`list`", &outcome(&execution));
                warn(&mut self.results.suites[suite], format!("`list` failed on {side}"));
            }
            let text = String::from_utf8_lossy(&execution.stdout).into_owned();
            for name in text.lines().map(str::trim).filter(|name| !name.is_empty() && name.len() <= NAME_LIMIT) {
                let name = bare(narrow, name).to_owned();
                if seen.insert(name.clone()) {
                    names.push(BenchmarkId { package: String::new(), name, procs: None });
                }
            }
        }
        Ok(names)
    }
}

/// Every `count`th name, beginning with the `index`th.
fn my_part(names: &[BenchmarkId], part: Shard) -> Vec<BenchmarkId> {
    names.iter().skip(part.index as usize - 1).step_by(part.count as usize).cloned().collect()
}

/// A listed name without Go's prefix, as parsed names are.
fn bare(narrow: Narrow, name: &str) -> &str {
    match narrow {
        Narrow::GoBench => name.strip_prefix("Benchmark").unwrap_or(name),
        Narrow::Variable => name,
    }
}

/// The program names in a command line.
fn words(command: &str) -> BTreeSet<String> {
    command
        .split(|c: char| c.is_whitespace() || ";&|()<>\"'`$={}".contains(c))
        .map(|word| word.rsplit('/').next().unwrap_or(word).to_owned())
        .collect()
}

/// Name, question, and the words of a command that make it worth asking.
const VERSIONS: &[(&str, &str, &[&str])] = &[
    ("go", "go version", &["go"]),
    // Without a C compiler Go leaves cgo out by itself, and rows measure something else.
    (
        "go env",
        "go env GOOS >/dev/null || exit 1; for name in CGO_ENABLED CC GOAMD64 GOARM64; do value=$(go env $name); \
         [ -z \"$value\" ] || printf '%s=%s ' $name \"$value\"; done",
        &["go"],
    ),
    ("rustc", "rustc -V", &["cargo", "rustc"]),
    (
        "python",
        "python3 --version",
        &["python", "python3", "pytest", "pip", "pip3", "pyperf", "uv", "poetry", "tox", "nox", "asv"],
    ),
    ("node", "node -v", &["node", "npm", "npx", "yarn", "pnpm", "vitest"]),
    ("bun", "bun --version", &["bun", "bunx"]),
    ("deno", "deno -V", &["deno"]),
    ("java", "java -version 2>&1", &["java", "mvn", "mvnw", "gradle", "gradlew"]),
    ("cc", "cc --version", &["cc", "gcc", "g++", "c++", "make", "cmake", "ninja", "meson"]),
    ("clang", "clang --version", &["clang", "clang++"]),
    ("dotnet", "dotnet --version", &["dotnet"]),
    ("ruby", "ruby -v", &["ruby", "bundle", "rake"]),
    ("php", "php -v", &["php", "composer", "phpbench"]),
    ("julia", "julia --version", &["julia"]),
    ("zig", "zig version", &["zig"]),
];
