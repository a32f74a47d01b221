//! Functions that were disassembled, as templates see them.

use crate::inspect::{FunctionChange, Use, UseKind, shortened};
use crate::render::escape;
use crate::render::ink::{Ink, Outside};
use crate::render::number;
use crate::report::SuiteReport;
use crate::side::PerSide;
use serde::Serialize;

/// Calls and symbols that are listed of one function.
const USES: usize = 8;

/// The functions of a suite.
#[derive(Debug, Clone, Serialize)]
pub struct InspectionView {
    /// The suite.
    pub suite: Outside,
    /// Its functions, each by the tools that show it.
    pub functions: Vec<FunctionView>,
    /// How many more there are.
    pub left_out: usize,
    /// What was not found, and why.
    pub notes: Vec<String>,
}

/// A function as one tool shows it. Figures are `63 → 40`, or one number where both sides have the same.
#[derive(Debug, Clone, Serialize)]
pub struct FunctionView {
    /// Its name in the configuration.
    pub function: Outside,
    /// The command that listed it.
    pub tool: &'static str,
    /// Instructions, NOPs included.
    pub instructions: String,
    /// Their relative change, or empty.
    pub delta: String,
    /// `fewer`, `more`, `as many, other code`, `same code`, `only on base`, `only on head`.
    pub word: &'static str,
    /// Lines of the listing.
    pub lines: String,
    /// Size of the code.
    pub bytes: String,
    /// Size of the stack frame.
    pub frame: String,
    /// Calls and symbols that are gone.
    pub gone: Vec<UseView>,
    /// Those whose number differs, and new ones.
    pub changed: Vec<UseView>,
    /// How many more of both there are.
    pub uses_left_out: usize,
    /// The difference of the code, for a fence; or nothing.
    pub diff: Option<Outside>,
    /// A fence longer than any in `diff`.
    pub fence: String,
    /// What of the difference is not shown, or empty.
    pub diff_left_out: String,
}

/// A call or a symbol.
#[derive(Debug, Clone, Serialize)]
pub struct UseView {
    /// Its name.
    pub name: Outside,
    /// `call`, `symbol` or `part`.
    pub kind: &'static str,
    /// How often: `2 → 0`.
    pub count: String,
}

/// The functions of `suite`, or nothing; its differences have `room` bytes each at most.
pub(super) fn inspection(suite: &SuiteReport, room: usize, ink: &Ink) -> Option<InspectionView> {
    let inspection = &suite.inspection;
    (!inspection.is_empty()).then(|| InspectionView {
        suite: ink.outside(&suite.name),
        functions: inspection.functions.iter().map(|change| function(change, room, ink)).collect(),
        left_out: 0,
        notes: inspection.notes.iter().map(|note| ink.prose(note)).collect(),
    })
}

fn function(change: &FunctionChange, room: usize, ink: &Ink) -> FunctionView {
    let counts = |counts: PerSide<Option<u32>>| pair(counts.map(|count| count.map(|n| number::grouped(n as usize))));
    let sizes = |sizes: PerSide<Option<u64>>| pair(sizes.map(|size| size.map(|bytes| format!("{} B", grouped(bytes)))));
    let (gone, changed): (Vec<&Use>, Vec<&Use>) = change.uses.iter().partition(|one| one.count.head == 0);
    let shown = |uses: &[&Use]| uses.iter().take(USES).map(|one| use_view(one, ink)).collect::<Vec<_>>();
    let (diff, diff_left_out) = shortened(&change.diff, change.diff_left_out, room);
    let diff = escape::visible_lines(&diff, usize::MAX);
    FunctionView {
        function: ink.outside(&change.function),
        tool: change.tool.name(),
        instructions: counts(change.instructions),
        delta: delta(change.instructions),
        word: word(change),
        lines: counts(change.lines),
        bytes: sizes(change.bytes),
        frame: sizes(change.frame),
        uses_left_out: gone.len().saturating_sub(USES) + changed.len().saturating_sub(USES),
        gone: shown(&gone),
        changed: shown(&changed),
        fence: escape::fence_for(&diff),
        diff: (!diff.is_empty()).then(|| ink.lines(diff)),
        diff_left_out: if change.diff.is_empty() { String::new() } else { diff_left_out },
    }
}

fn use_view(one: &Use, ink: &Ink) -> UseView {
    UseView {
        name: ink.outside(&one.name),
        kind: match one.kind {
            UseKind::Call => "call",
            UseKind::Symbol => "symbol",
            UseKind::Part => "part",
        },
        count: format!("{} → {}", one.count.base, one.count.head),
    }
}

/// `63 → 40`; one value where both are the same; a dash where one is not known.
fn pair(values: PerSide<Option<String>>) -> String {
    match (values.base, values.head) {
        (None, None) => String::new(),
        (base, head) if base == head => base.unwrap_or_default(),
        (base, head) => {
            let value = |side: Option<String>| side.unwrap_or_else(|| "–".to_owned());
            format!("{} → {}", value(base), value(head))
        }
    }
}

fn delta(instructions: PerSide<Option<u32>>) -> String {
    match (instructions.base, instructions.head) {
        (Some(base), Some(head)) if base != head && base > 0 => {
            number::signed_percent(f64::from(head) / f64::from(base) - 1.0)
        }
        _ => String::new(),
    }
}

fn word(change: &FunctionChange) -> &'static str {
    match (change.instructions.base, change.instructions.head) {
        (Some(_), None) => "only on base",
        (None, _) => "only on head",
        _ if change.same_code => "same code",
        (Some(base), Some(head)) if head < base => "fewer",
        (Some(base), Some(head)) if head > base => "more",
        _ => "as many, other code",
    }
}

fn grouped(bytes: u64) -> String {
    number::grouped(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// The first `functions` functions of all suites, with their differences or without.
pub(super) fn first(all: &[InspectionView], functions: usize, differences: bool) -> Vec<InspectionView> {
    let mut room = functions;
    let mut shown = Vec::new();
    for inspection in all.iter().filter(|_| functions > 0) {
        let mut inspection = inspection.clone();
        inspection.left_out = inspection.functions.len().saturating_sub(room);
        inspection.functions.truncate(room);
        room -= inspection.functions.len();
        if !differences {
            for function in &mut inspection.functions {
                function.diff = None;
                function.diff_left_out.clear();
            }
            inspection.notes.truncate(4);
        }
        shown.push(inspection);
    }
    shown
}
