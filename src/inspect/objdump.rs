//! Listings of GNU `objdump -d`, with or without the code in hexadecimal.
//!
//! ```text
//! 00000000000011a0 <work>:
//!     11a0:   41 54                   push   %r12
//!     11af:   e8 ac fe ff ff          call   1060 <malloc@plt>
//! ```

use super::code::{Function, INDIRECT, Instruction};
use super::{names, operand};
use regex::Regex;
use std::sync::LazyLock;

/// Words before a mnemonic of x86 that belong to it.
const PREFIXES: [&str; 14] =
    ["rep", "repz", "repe", "repnz", "repne", "lock", "bnd", "notrack", "data16", "cs", "ds", "es", "ss", "addr32"];
/// Instructions that call.
const CALLS: [&str; 8] = ["call", "callq", "calll", "bl", "blx", "blr", "jal", "jalr"];
/// Instructions that go elsewhere and do not come back: to another function they are its call.
const JUMPS: [&str; 6] = ["jmp", "jmpq", "jmpl", "b", "br", "j"];

/// The functions of a listing, in order, with their demangled names.
pub(super) fn parse(text: &str) -> Vec<Function> {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[0-9a-f]{8,16} <(.+)>:$").expect("a constant pattern"));
    let mut functions: Vec<Function> = Vec::new();
    for line in text.lines() {
        if let Some(head) = HEAD.captures(line) {
            functions.push(Function { symbol: head[1].to_owned(), directives: 1, ..Function::default() });
        } else if let (Some(function), Some(entry)) = (functions.last_mut(), entry(line)) {
            take(&entry, function);
        }
    }
    functions
}

struct Entry {
    address: u64,
    /// Length of the code, if the listing shows it.
    bytes: Option<u64>,
    /// `None`: the rest of the code of the instruction before.
    text: Option<String>,
}

/// One line: address, code if it is shown, mnemonic, operands.
fn entry(line: &str) -> Option<Entry> {
    let (address, rest) = line.split_once(":\t")?;
    let address = u64::from_str_radix(address.trim(), 16).ok()?;
    let (first, others) = rest.split_once('\t').unwrap_or((rest, ""));
    let (bytes, text) = match code_length(first) {
        Some(bytes) => (Some(bytes), others),
        None => (None, rest),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Entry { address, bytes, text: (!text.is_empty()).then_some(text) })
}

/// The number of bytes of `41 54   `; none if this is no code. A mnemonic such as `fadd` has no blank behind it.
fn code_length(field: &str) -> Option<u64> {
    let groups: Vec<&str> = field.split_whitespace().collect();
    let hex = |group: &&str| group.len().is_multiple_of(2) && group.bytes().all(|b| b.is_ascii_hexdigit());
    let code = !groups.is_empty() && groups.iter().all(hex);
    let sure = field.ends_with(' ') || groups.iter().all(|group| group.len() == 2);
    (code && sure).then(|| groups.iter().map(|group| group.len() as u64 / 2).sum())
}

fn take(entry: &Entry, function: &mut Function) {
    if let Some(bytes) = entry.bytes {
        function.bytes = Some(function.bytes.unwrap_or(0) + bytes);
    }
    let Some(text) = &entry.text else { return };
    if function.frame.is_none() && function.instructions.len() < 16 {
        function.frame = operand::frame(text);
    }
    let instruction = instruction(entry.address, text, &function.symbol);
    function.instructions.push(instruction);
}

fn instruction(address: u64, text: &str, own: &str) -> Instruction {
    let mut found = Instruction { address, ..Instruction::default() };
    let (text, comment) = text.split_once(" # ").map_or((text, None), |(text, comment)| (text, Some(comment)));
    let text = text.split_once(" //").map_or(text, |(text, _)| text);
    let (mnemonic, operands) = mnemonic(text);
    let bare = mnemonic.rsplit(' ').next().unwrap_or(mnemonic);
    let is_call = CALLS.contains(&bare);
    found.text = text.to_owned();
    let at = operands.find(" <").map_or(operands.len(), |at| at + 1);
    let before = operands[..at].trim_end();
    let (others, target) = before.rsplit_once(',').map_or(("", before), |(others, target)| (others, target));
    let target = u64::from_str_radix(target.trim().trim_start_matches("0x"), 16).ok();
    if at < operands.len()
        && let (Some(target), Some((name, offset))) = (target, bracketed(&operands[at..]))
    {
        let others = if others.is_empty() { String::new() } else { format!("{}, ", others.trim()) };
        if name == own && !(is_call && offset == 0) {
            found.jump = Some(target);
            found.text = format!("{mnemonic} {others}");
        } else {
            let name = function_name(name);
            found.text = format!("{mnemonic} {others}<{name}>");
            if is_call || JUMPS.contains(&bare) && names::part_of(&name, own).is_none() {
                found.call = Some(name);
            } else {
                found.symbols.push(name);
            }
        }
    } else if is_call {
        found.call = Some(INDIRECT.to_owned());
    }
    if let Some(comment) = comment {
        place(&mut found, comment, operands.starts_with('*'));
    }
    found
}

/// The mnemonic with its prefixes, and the operands.
fn mnemonic(text: &str) -> (&str, &str) {
    let mut end = 0;
    for word in text.split(' ') {
        end += word.len();
        if !PREFIXES.contains(&word) {
            break;
        }
        end += 1;
    }
    let end = end.min(text.len());
    (text[..end].trim_end(), text[end..].trim_start())
}

/// Name and offset of `<work+0x80>`.
fn bracketed(text: &str) -> Option<(&str, u64)> {
    let inner = text.strip_prefix('<')?;
    let inner = &inner[..inner.rfind('>')?];
    let offset = inner.rsplit_once("+0x").and_then(|(name, hex)| Some((name, u64::from_str_radix(hex, 16).ok()?)));
    Some(offset.unwrap_or((inner, 0)))
}

/// A function as its source calls it: without `@plt`, its version, its hash.
pub(super) fn function_name(name: &str) -> String {
    names::without_hash(name.split_once('@').map_or(name, |(name, _)| name)).to_owned()
}

/// Names what stands in the place that an operand relative to the instruction pointer means.
fn place(found: &mut Instruction, comment: &str, through: bool) {
    static RELATIVE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"-?0x[0-9a-f]+\(%rip\)").expect("a constant pattern"));
    let Some((address, name)) = comment.split_once(' ') else { return };
    let name = bracketed(name).filter(|(_, offset)| *offset == 0).map(|(name, _)| function_name(name));
    // The nearest symbol before a place says nothing of what is there.
    let shown = format!("{}(%rip)", name.as_deref().unwrap_or("…"));
    found.text = RELATIVE.replace(&found.text, regex::NoExpand(&shown)).into_owned();
    if through {
        found.slot = u64::from_str_radix(address, 16).ok();
    } else {
        found.symbols.extend(name);
    }
}

/// What the pointers at `slots` are, by address: the output of `objdump -R`, and of `nm` for functions of the file itself.
///
/// ```text
/// 0000000000054f60 R_X86_64_GLOB_DAT  free@GLIBC_2.2.5
/// 0000000000054fa8 R_X86_64_RELATIVE  *ABS*+0x0000000000014330
/// ```
pub(super) fn slots(relocations: &str) -> Vec<(u64, Slot)> {
    let slot = |line: &str| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        let kind = words.next().filter(|kind| kind.starts_with("R_"))?;
        let value = words.collect::<Vec<_>>().join(" ");
        if let Some(addend) = value.strip_prefix("*ABS*+0x") {
            return Some((address, Slot::Address(u64::from_str_radix(addend, 16).ok()?)));
        }
        let named =
            !value.is_empty() && (kind.ends_with("GLOB_DAT") || kind.ends_with("JUMP_SLOT") || kind.ends_with("_64"));
        named.then(|| (address, Slot::Name(function_name(&value))))
    };
    relocations.lines().filter_map(slot).collect()
}

/// What a pointer points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slot {
    /// A function of another file.
    Name(String),
    /// This address of the file itself.
    Address(u64),
}

impl Function {
    /// Names the functions that are called through the pointer at `slot`.
    pub(super) fn name_slot(&mut self, slot: u64, name: &str) {
        for instruction in self.instructions.iter_mut().filter(|instruction| instruction.slot == Some(slot)) {
            instruction.text = instruction.text.replace("…(%rip)", &format!("{name}(%rip)"));
            instruction.call = Some(name.to_owned());
        }
    }
}
