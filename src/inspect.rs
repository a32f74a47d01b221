//! What the compiler made of named functions: machine instructions, bytes, and the calls that are gone.
//!
//! ```text
//! run: binaries of a side → disassembler, through Exec → parse → Listing      (measure, results.json)
//! Inspection::of: base and head listings → FunctionChange with a diff          (report, report.json)
//! ```
//!
//! Three kinds of listings are read: `go build -gcflags=-S`, `go tool objdump`, and GNU `objdump -d`. They count
//! differently (the first has lines that are no instructions), so a figure never stands without its [`Tool`].
//! The code of a pull request's tree is only ever opened by commands that [`Exec`](crate::measure::exec::Exec) runs.

mod check;
mod code;
mod compare;
mod compiler;
mod diff;
mod goobjdump;
mod names;
mod objdump;
mod operand;
mod run;

pub use check::check;
pub use compare::{FunctionChange, Inspection, Use, UseKind, compare};
pub(crate) use diff::shortened;
pub use run::{LIMIT, Target, run};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most functions of a suite that are looked at.
pub const FUNCTIONS_LIMIT: usize = 32;
/// Most instructions of a function whose text is kept.
pub const CODE_LIMIT: usize = 4000;
/// Most bytes of one instruction's text, and of any name.
pub const TEXT_LIMIT: usize = 400;
/// Most targets of calls, and most other symbols, of one function that are told apart.
pub const USES_LIMIT: usize = 200;

/// What made a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Go's compiler: `go build -gcflags=-S`. Has lines for the garbage collector (PCDATA, FUNCDATA) and names of
    /// variables and types; its instructions are the assembler's, a NOP without bytes among them.
    GoCompiler,
    /// `go tool objdump` of the linked binary.
    GoObjdump,
    /// GNU `objdump -d` of the linked binary.
    Objdump,
}

impl Tool {
    /// The command, as it is shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::GoCompiler => "go build -gcflags=-S",
            Self::GoObjdump => "go tool objdump",
            Self::Objdump => "objdump -d",
        }
    }
}

/// What was found of a suite's functions on one side.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Inspected {
    /// At most one listing for each function and tool.
    #[serde(default)]
    pub listings: Vec<Listing>,
    /// What was not found, and why; unescaped.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Inspected {
    /// Whether nothing was looked for, or nothing can be said of it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.listings.is_empty() && self.notes.is_empty()
    }
}

/// Whether no side was looked at: for `results.json`, which then does not mention it.
#[must_use]
pub const fn is_empty(sides: &crate::side::PerSide<Inspected>) -> bool {
    sides.base.is_empty() && sides.head.is_empty()
}

/// One function as one tool shows it. All strings are unescaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The function, as the configuration names it.
    pub function: String,
    /// What made the listing.
    pub tool: Tool,
    /// The function's symbol.
    pub symbol: String,
    /// The file or the package that it was found in.
    pub origin: String,
    /// Lines of the listing: `directives` and `instructions`.
    pub lines: u32,
    /// Lines that are no instruction: TEXT, PCDATA, FUNCDATA, the head of the listing.
    pub directives: u32,
    /// Instructions, NOPs included.
    pub instructions: u32,
    /// Size of the code in bytes, where the listing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Size of the stack frame in bytes, where the listing tells: as the compiler declares it, or what the first
    /// instructions take from the stack pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// How often each function is called (or jumped to for good); `(indirect)`: through a pointer.
    #[serde(default)]
    pub calls: BTreeMap<String, u32>,
    /// How often each other symbol is named: closures, types, variables.
    #[serde(default)]
    pub symbols: BTreeMap<String, u32>,
    /// Further symbols that the function was compiled to: closures (`-fm`, `.func1`), split parts (`.cold`).
    #[serde(default)]
    pub parts: Vec<String>,
    /// The instructions without addresses. A line that is jumped to begins with its label and a tab: `.L1:\tRET`.
    #[serde(default)]
    pub code: Vec<String>,
}

#[cfg(test)]
mod tests;
