//! A function's instructions, whatever tool listed them, and the figures that follow.

use super::{CODE_LIMIT, Listing, TEXT_LIMIT, Tool, USES_LIMIT, names};
use std::collections::{BTreeMap, BTreeSet};

/// What a call through a pointer is counted under.
pub(super) const INDIRECT: &str = "(indirect)";
/// What calls and symbols beyond [`USES_LIMIT`] are counted under.
pub(super) const OTHERS: &str = "(others)";

/// One instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) address: u64,
    /// Mnemonic and operands without what differs between builds of the same code; without the target of `jump`.
    pub(super) text: String,
    /// The address inside the function that it may go on at.
    pub(super) jump: Option<u64>,
    /// The function that it calls.
    pub(super) call: Option<String>,
    /// Other symbols that it names.
    pub(super) symbols: Vec<String>,
    /// The address of the pointer that it calls through, where that is known.
    pub(super) slot: Option<u64>,
}

/// One function of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) symbol: String,
    /// Lines that are no instruction.
    pub(super) directives: u32,
    pub(super) bytes: Option<u64>,
    pub(super) frame: Option<u64>,
    pub(super) instructions: Vec<Instruction>,
}

impl Function {
    /// The listing of `self`, found in `origin` and asked for as `function`.
    pub(super) fn listing(&self, function: &str, tool: Tool, origin: &str, parts: &BTreeSet<String>) -> Listing {
        let instructions = count(self.instructions.len());
        let calls = self.instructions.iter().filter_map(|instruction| instruction.call.as_deref());
        let symbols = self.instructions.iter().flat_map(|instruction| &instruction.symbols).map(String::as_str);
        let parts = parts.iter().filter_map(|part| Some(format!("{function}{}", names::part_of(part, &self.symbol)?)));
        Listing {
            function: function.to_owned(),
            tool,
            symbol: names::cut(&self.symbol),
            origin: names::cut(origin),
            lines: instructions + self.directives,
            directives: self.directives,
            instructions,
            bytes: self.bytes,
            frame: self.frame,
            calls: tally(calls),
            symbols: tally(symbols),
            parts: parts.map(|part| names::cut(&part)).take(USES_LIMIT).collect(),
            code: self.code(),
        }
    }

    /// The text of the first [`CODE_LIMIT`] instructions, with labels in place of addresses.
    fn code(&self) -> Vec<String> {
        let places: BTreeSet<u64> = self.instructions.iter().map(|instruction| instruction.address).collect();
        let targets = self.instructions.iter().filter_map(|instruction| instruction.jump);
        let targets: BTreeSet<u64> = targets.filter(|target| places.contains(target)).collect();
        let labels: BTreeMap<u64, usize> = targets.into_iter().zip(1..).collect();
        // A NOP without bytes shares its address with the instruction after it: the label stands once.
        let mut labelled = BTreeSet::new();
        let line = |instruction: &Instruction| {
            let mut line = String::new();
            if let Some(label) = labels.get(&instruction.address)
                && labelled.insert(*label)
            {
                line = format!(".L{label}:\t");
            }
            line.push_str(&instruction.text);
            if let Some(target) = instruction.jump {
                match labels.get(&target) {
                    Some(label) => line.push_str(&format!(".L{label}")),
                    None => line.push('?'),
                }
            }
            cut(&line)
        };
        self.instructions.iter().take(CODE_LIMIT).map(line).collect()
    }
}

/// Text of one line, cut at [`TEXT_LIMIT`] bytes, with no control character but the tab after a label.
fn cut(line: &str) -> String {
    let (label, text) = split_label(line);
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match label {
        Some(label) => names::cut(&format!("{label}:\t{text}")),
        None => names::cut(&text),
    }
}

/// A line of [`Listing::code`] as its label and its text.
pub(super) fn split_label(line: &str) -> (Option<&str>, &str) {
    match line.split_once(":\t") {
        Some((label, text)) if is_label(label) => (Some(label), text),
        _ => (None, line),
    }
}

fn is_label(text: &str) -> bool {
    text.strip_prefix(".L")
        .is_some_and(|digits| !digits.is_empty() && digits.len() < 8 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// What of a line says the same on both sides: without its label, and without the number of the one it jumps to.
pub(super) fn key(line: &str) -> &str {
    let (_, text) = split_label(line);
    match text.rfind(".L") {
        Some(at) if is_label(&text[at..]) => &text[..at + 2],
        _ => text,
    }
}

/// How often each name occurs.
fn tally<'n>(names: impl Iterator<Item = &'n str>) -> BTreeMap<String, u32> {
    let mut tally: BTreeMap<String, u32> = BTreeMap::new();
    for name in names {
        let name = names::cut(name);
        let full = tally.len() >= USES_LIMIT && !tally.contains_key(&name);
        *tally.entry(if full { OTHERS.to_owned() } else { name }).or_default() += 1;
    }
    tally
}

/// A count that cannot overflow: more lines than this were never read.
pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX / 2)
}

const _: () = assert!(TEXT_LIMIT > 20);
