//! Finds a side's binaries and has them disassembled, all by commands of the side itself.
//!
//! Nothing here opens a file of the tree: file names and listings are what commands printed, and may be lies. What is
//! put into a command is quoted.

mod go;
mod native;

use super::code::Function;
use super::names::{self, Resolved};
use super::{FUNCTIONS_LIMIT, Inspected, Tool};
use crate::config::{Suite, SuiteSide};
use crate::measure::exec::{Exec, ExecError, Step, StepKind};
use crate::results::StepStatus;
use crate::side::Side;
use std::collections::BTreeSet;
use std::time::Duration;

/// A generous time for one side of a suite: Go may have to build its disassembler first.
pub const LIMIT: Duration = Duration::from_secs(300);
/// Most bytes of a listing that are read.
const LISTING_LIMIT: usize = 16 << 20;
/// Most files that are looked into.
const FILES_LIMIT: usize = 64;
/// The code with which a command says that its tool is not installed.
const NO_TOOL: i32 = 97;

/// What is to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Target<'t> {
    /// The suite; its `inspect` names the functions.
    pub suite: &'t Suite,
    /// The side.
    pub side: Side,
    /// What the suite's output turned out to be, where that is known already.
    pub format: Option<&'t str>,
    /// Time for all of it.
    pub limit: Duration,
}

/// Looks at the functions that the suite names, on one side, after its setup. Best after its warm-up round too: by then
/// whatever the command builds is there.
///
/// # Errors
/// When a signal asked to stop, or the executor itself broke. A function or a tool that is not there is a note.
pub fn run(exec: &mut dyn Exec, target: &Target<'_>) -> Result<Inspected, ExecError> {
    let mut functions: Vec<String> = Vec::new();
    for function in &target.suite.inspect {
        if !functions.contains(function) {
            functions.push(function.clone());
        }
    }
    let mut look =
        Look { until: exec.elapsed() + target.limit, exec, target: *target, functions, found: Inspected::default() };
    if look.functions.len() > FUNCTIONS_LIMIT {
        look.note(format!("only the first {FUNCTIONS_LIMIT} of {} functions are looked at", look.functions.len()));
        look.functions.truncate(FUNCTIONS_LIMIT);
    }
    if look.functions.is_empty() {
        return Ok(look.found);
    }
    if look.is_go() {
        look.go()?
    } else {
        look.native()?
    }
    Ok(look.found)
}

/// A look under way.
struct Look<'l> {
    exec: &'l mut dyn Exec,
    target: Target<'l>,
    until: Duration,
    functions: Vec<String>,
    found: Inspected,
}

/// What a command said.
struct Answer {
    text: String,
    /// Whether it did what was asked; `Err`: why not.
    outcome: Result<(), Refusal>,
}

/// Why a command did not do what was asked.
#[derive(Debug, PartialEq, Eq)]
enum Refusal {
    /// The tool is not installed.
    NoTool,
    /// The time is over.
    NoTime,
    /// In its own words.
    Failed(String),
}

impl Look<'_> {
    fn side(&self) -> &SuiteSide {
        self.target.suite.sides.get(self.target.side)
    }

    /// Whether Go built this side's binaries.
    fn is_go(&self) -> bool {
        let side = self.side();
        let commands = format!("{} {}", side.setup.as_deref().unwrap_or_default(), side.run);
        self.target.format == Some("go") || side.format == "go" || words(&commands).contains("go")
    }

    fn note(&mut self, note: String) {
        let note = names::cut(&note);
        if !self.found.notes.contains(&note) && self.found.notes.len() < super::check::NOTES_LIMIT {
            self.found.notes.push(note);
        }
    }

    /// Runs `command` in the suite's folder; at most `limit` bytes of what it prints are kept. A tool that it `needs` and
    /// that is not installed is a refusal of its own.
    fn ask(&mut self, needs: &[&str], command: &str, limit: usize) -> Result<Answer, ExecError> {
        let refused = |refusal| Ok(Answer { text: String::new(), outcome: Err(refusal) });
        let left = self.until.saturating_sub(self.exec.elapsed());
        if left.is_zero() {
            return refused(Refusal::NoTime);
        }
        let needs: String =
            needs.iter().map(|tool| format!("command -v {tool} >/dev/null 2>&1 || exit {NO_TOOL}\n")).collect();
        // A pipe would hide the command's own status: it tells it on its last line of standard error.
        let command = format!(
            "LC_ALL=C; export LC_ALL\n{needs}{{ (\n{command}\n)\nprintf '\\nstatus %s\\n' \"$?\" >&2; }} | head -c {limit}"
        );
        let side = self.side();
        let step = Step {
            side: self.target.side,
            suite: self.target.suite.name.clone(),
            kind: StepKind::Probe,
            command,
            directory: side.directory.clone(),
            env: side.env.clone(),
            timeout: left,
            remove: Vec::new(),
            collect: Vec::new(),
            require: Vec::new(),
            position: 0,
        };
        let execution = self.exec.run(&step)?;
        let errors = String::from_utf8_lossy(&execution.stderr).into_owned();
        let (words, status) = errors.trim_end().rsplit_once("\nstatus ").unwrap_or((&errors, "0"));
        let outcome = match execution.status {
            StepStatus::Ok if status.trim() == "0" => Ok(()),
            StepStatus::Ok if execution.stdout.len() >= limit => {
                Err(Refusal::Failed(format!("more than {limit} bytes")))
            }
            StepStatus::Exit(NO_TOOL) => Err(Refusal::NoTool),
            StepStatus::TimedOut(_) => Err(Refusal::NoTime),
            StepStatus::Ok | StepStatus::Exit(_) => Err(Refusal::Failed(last_line(words))),
            ref other => Err(Refusal::Failed(format!("{other:?}"))),
        };
        Ok(Answer { text: String::from_utf8_lossy(&execution.stdout).into_owned(), outcome })
    }

    /// Whether `tool` has shown every function.
    fn complete(&self, tool: Tool) -> bool {
        self.functions.iter().all(|function| self.has(function, tool))
    }

    fn has(&self, function: &str, tool: Tool) -> bool {
        self.found.listings.iter().any(|listing| listing.function == function && listing.tool == tool)
    }

    /// Keeps the listings of the wanted functions that are among `functions`, found in `origin`.
    fn keep(&mut self, functions: &[Function], tool: Tool, origin: &str) {
        let symbols: Vec<&str> = functions.iter().map(|function| function.symbol.as_str()).collect();
        for wanted in self.functions.clone() {
            if self.has(&wanted, tool) {
                continue;
            }
            match names::resolve(&wanted, &symbols) {
                Resolved::One(one) => {
                    let parts: BTreeSet<String> = symbols.iter().map(|symbol| (*symbol).to_owned()).collect();
                    self.found.listings.push(functions[one].listing(&wanted, tool, origin, &parts));
                }
                Resolved::Several(several) => {
                    let several: Vec<&str> = several.iter().map(|&index| symbols[index]).collect();
                    self.note(ambiguous(&wanted, tool, origin, &several));
                }
                Resolved::None => {}
            }
        }
    }

    /// Says that `tool` cannot be used.
    fn refuse(&mut self, tool: Tool, refusal: &Refusal) {
        let name = tool.name();
        self.note(match refusal {
            Refusal::NoTool => format!("`{name}` is not installed here, so it shows no function"),
            Refusal::NoTime => format!("the time for `{name}` is over ({} s for a side)", self.target.limit.as_secs()),
            Refusal::Failed(words) => format!("`{name}` failed: {words}"),
        });
    }

    /// Files that the configuration names: the ones measured by `metrics`, and those in the bench command.
    fn named_files(&self) -> Vec<String> {
        let run = &self.side().run;
        let in_command = shell_words::split(run).unwrap_or_default();
        let in_command = in_command.into_iter().filter(|word| word.contains('/') && !word.starts_with('-'));
        let mut files: Vec<String> = Vec::new();
        for file in self.target.suite.metrics.values().cloned().chain(in_command) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }
}

/// That several symbols have a wanted name, and which.
fn ambiguous(wanted: &str, tool: Tool, origin: &str, several: &[&str]) -> String {
    let listed: Vec<&str> = several.iter().take(6).copied().collect();
    let more = if several.len() > 6 { format!(" and {} more", several.len() - 6) } else { String::new() };
    format!("`{wanted}` is the name of several functions in {origin} ({}): {}{more}", tool.name(), listed.join(", "))
}

/// A script that prints which of `files` exist, each after `word`.
fn existing(word: &str, files: &[String]) -> String {
    let test = |file: &String| format!("[ -f {0} ] && printf '{word} %s\\n' {0}\n", shell_words::quote(file));
    files.iter().map(test).collect()
}

/// The program names in a command line.
fn words(command: &str) -> BTreeSet<&str> {
    let words = command.split(|c: char| c.is_whitespace() || ";&|()<>\"'`$={}".contains(c));
    words.map(|word| word.rsplit('/').next().unwrap_or(word)).collect()
}

/// The last line that says something.
fn last_line(text: &str) -> String {
    let text = crate::measure::tail::clean(text.as_bytes());
    names::cut(text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it says nothing"))
}
