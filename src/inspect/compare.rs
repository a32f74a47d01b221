//! Base's and head's listings beside each other.

use super::{Inspected, Listing, Tool, code, diff};
use crate::report::Verdict;
use crate::side::{PerSide, Side};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What became of a suite's functions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Inspection {
    /// One entry for each function and tool that showed it.
    #[serde(default)]
    pub functions: Vec<FunctionChange>,
    /// What was not found, and why; unescaped.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A function as one tool shows it, base → head. Strings are unescaped.
///
/// Code is the same in every build of the same sources, so figures are exact: any difference is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FunctionChange {
    /// The function, as the configuration names it.
    pub function: String,
    /// What made the listings.
    pub tool: Tool,
    /// The symbol of each side.
    pub symbol: PerSide<Option<String>>,
    /// The file or the package that it was found in.
    pub origin: PerSide<Option<String>>,
    /// Instructions, NOPs included.
    pub instructions: PerSide<Option<u32>>,
    /// Lines of the listing: instructions, and lines that are none.
    pub lines: PerSide<Option<u32>>,
    /// Size of the code in bytes.
    pub bytes: PerSide<Option<u64>>,
    /// Size of the stack frame in bytes.
    pub frame: PerSide<Option<u64>>,
    /// Improvement: fewer instructions; regression: more; unchanged: as many. `None`: only one side shows the function.
    pub verdict: Option<Verdict>,
    /// Whether the code is the same, but for addresses.
    pub same_code: bool,
    /// Calls and symbols whose number differs: those that are gone, then fewer, more, new ones.
    pub uses: Vec<Use>,
    /// The difference of the code as lines that begin with ` `, `-`, `+` or `@@`. Of several tools that show a function
    /// on both sides, the first has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Lines of the difference beyond [`diff::LIMIT`](super::diff::LIMIT) bytes, which are left out.
    #[serde(default)]
    pub diff_left_out: u32,
}

/// How often a function calls another one or names a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// The other function or symbol; unescaped.
    pub name: String,
    /// What of it.
    pub kind: UseKind,
    /// How often on each side.
    pub count: PerSide<u32>,
}

/// How a symbol is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UseKind {
    /// It is called.
    Call,
    /// It is named: a closure, a type, a variable.
    Symbol,
    /// It is a part of the function itself: a closure, code that the compiler split off.
    Part,
}

impl Inspection {
    /// What a report says of what was found on both sides.
    #[must_use]
    pub fn of(inspected: &PerSide<Inspected>) -> Self {
        let mut notes = Vec::new();
        for side in Side::BOTH {
            for note in &inspected.get(side).notes {
                let both = inspected.get(side.other()).notes.contains(note);
                match side {
                    Side::Base if both => notes.push(format!("both sides: {note}")),
                    Side::Head if both => {}
                    _ => notes.push(format!("{side}: {note}")),
                }
            }
        }
        Self { functions: compare(&inspected.base.listings, &inspected.head.listings), notes }
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.notes.is_empty()
    }
}

/// The functions of both sides in the order of first appearance, each by the tools that show it.
#[must_use]
pub fn compare(base: &[Listing], head: &[Listing]) -> Vec<FunctionChange> {
    let mut names: Vec<&str> = Vec::new();
    for listing in base.iter().chain(head) {
        if !names.contains(&listing.function.as_str()) {
            names.push(&listing.function);
        }
    }
    let find = |listings: &'_ [Listing], name: &str, tool: Tool| {
        listings.iter().position(|listing| listing.function == name && listing.tool == tool)
    };
    let mut changes = Vec::new();
    for name in names {
        let mut with_diff = false;
        for tool in [Tool::GoCompiler, Tool::GoObjdump, Tool::Objdump] {
            let pair = (find(base, name, tool).map(|at| &base[at]), find(head, name, tool).map(|at| &head[at]));
            if matches!(pair, (None, None)) {
                continue;
            }
            let mut change = change(name, tool, pair);
            if let ((Some(base), Some(head)), false) = (pair, with_diff || change.same_code) {
                (change.diff, change.diff_left_out) = diff::unified(&base.code, &head.code);
                with_diff = true;
            }
            changes.push(change);
        }
    }
    changes
}

fn change(function: &str, tool: Tool, (base, head): (Option<&Listing>, Option<&Listing>)) -> FunctionChange {
    let sides = PerSide { base, head };
    let instructions = sides.map(|side| side.map(|listing| listing.instructions));
    let verdict = instructions.base.zip(instructions.head).map(|(base, head)| match head.cmp(&base) {
        std::cmp::Ordering::Less => Verdict::Improvement,
        std::cmp::Ordering::Equal => Verdict::Unchanged,
        std::cmp::Ordering::Greater => Verdict::Regression,
    });
    let same_code = base.zip(head).is_some_and(|(base, head)| {
        let keys =
            |listing: &'_ Listing| listing.code.iter().map(|line| code::key(line).to_owned()).collect::<Vec<_>>();
        base.instructions == head.instructions && keys(base) == keys(head)
    });
    FunctionChange {
        function: function.to_owned(),
        tool,
        symbol: sides.map(|side| side.map(|listing| listing.symbol.clone())),
        origin: sides.map(|side| side.map(|listing| listing.origin.clone())),
        instructions,
        lines: sides.map(|side| side.map(|listing| listing.lines)),
        bytes: sides.map(|side| side.and_then(|listing| listing.bytes)),
        frame: sides.map(|side| side.and_then(|listing| listing.frame)),
        verdict,
        same_code,
        uses: base.zip(head).map_or_else(Vec::new, |(base, head)| uses(base, head)),
        diff: String::new(),
        diff_left_out: 0,
    }
}

fn uses(base: &Listing, head: &Listing) -> Vec<Use> {
    let parts = |listing: &Listing| listing.parts.iter().map(|part| (part.clone(), 1)).collect();
    let mut uses = Vec::new();
    for (kind, base, head) in [
        (UseKind::Call, base.calls.clone(), head.calls.clone()),
        (UseKind::Part, parts(base), parts(head)),
        (UseKind::Symbol, base.symbols.clone(), head.symbols.clone()),
    ] {
        let of = |uses: &BTreeMap<String, u32>, name: &str| uses.get(name).copied().unwrap_or(0);
        for name in base.keys().chain(head.keys()).collect::<BTreeSet<_>>() {
            let count = PerSide { base: of(&base, name), head: of(&head, name) };
            if count.base != count.head {
                uses.push(Use { name: name.clone(), kind, count });
            }
        }
    }
    uses.sort_by_key(|one| match (one.count.base, one.count.head) {
        (_, 0) => 0,
        (0, _) => 3,
        (base, head) if head < base => 1,
        _ => 2,
    });
    uses
}
