//! Listings of Go's compiler: `go build -gcflags=-S`.
//!
//! ```text
//! # example.org/codec
//! example.org/codec.New STEXT size=63 args=0x8 locals=0x18 funcid=0x0 align=0x0
//!         0x0000 00000 (/src/codec/decoder.go:34) TEXT    example.org/codec.New(SB), ABIInternal, $32-8
//!         0x0000 00000 (/src/codec/decoder.go:34) CMPQ    SP, 16(R14)
//! ```
//!
//! Compilers before Go 1.20 write `""` for the package that they compile.

use super::code::{Function, INDIRECT, Instruction};
use super::{names, operand};
use regex::Regex;
use std::sync::LazyLock;

/// Lines that are no instruction.
const DIRECTIVES: [&str; 3] = ["TEXT", "PCDATA", "FUNCDATA"];

/// The functions of a listing, in order. Lines of other kinds (code in hexadecimal, relocations, data) are passed over.
///
/// An excerpt is read too: one that begins with TEXT, and one whose line breaks were lost when it was pasted.
pub(super) fn parse(text: &str) -> Vec<Function> {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(\S.*?) STEXT(?: .*)? size=([0-9]{1,12})").expect("a constant pattern"));
    let mut functions: Vec<Function> = Vec::new();
    let mut package = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            package = format!("{}.", name.split_whitespace().next().unwrap_or_default());
        } else if let Some(head) = HEAD.captures(line) {
            let symbol = with_package(&head[1], &package);
            functions.push(Function { symbol, bytes: head[2].parse().ok(), ..Function::default() });
        } else {
            for entry in entries(line) {
                take(&entry, &package, &mut functions);
            }
        }
    }
    functions.retain(|function| function.directives > 0 || !function.instructions.is_empty());
    functions
}

/// One line of a function.
struct Entry<'l> {
    address: u64,
    mnemonic: &'l str,
    operands: &'l str,
}

/// The line's entry; several, where line breaks were lost.
fn entries(line: &str) -> Vec<Entry<'_>> {
    static START: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|\s)0x[0-9a-f]{4,16} [0-9]{5,20} \(").expect("a constant pattern"));
    static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
        let entry = r"^\s*0x([0-9a-f]{4,16}) [0-9]{5,20} \(.*?:[0-9]+\)\s+([A-Z][A-Za-z0-9._]*)(?:\s+(.*))?$";
        Regex::new(entry).expect("a constant pattern")
    });
    let starts: Vec<usize> = START.find_iter(line).map(|start| start.start()).collect();
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(&start, end)| {
            let captures = ENTRY.captures(&line[start..end])?;
            Some(Entry {
                address: u64::from_str_radix(&captures[1], 16).ok()?,
                mnemonic: captures.get(2)?.as_str(),
                operands: captures.get(3).map_or("", |operands| operands.as_str().trim()),
            })
        })
        .collect()
}

fn take(entry: &Entry<'_>, package: &str, functions: &mut Vec<Function>) {
    if entry.mnemonic == "TEXT" {
        let operands = operand::split(entry.operands);
        let symbol = operands.first().and_then(|operand| operand::symbol(operand)).map_or("", |(name, _)| name);
        let symbol = with_package(symbol, package);
        // The head of the listing has named it already, and its size.
        if functions.last().is_none_or(|last| last.symbol != symbol || last.directives > 0) {
            functions.push(Function { symbol, ..Function::default() });
        }
        if let Some(function) = functions.last_mut() {
            function.frame = operands.last().and_then(|operand| declared_frame(operand));
        }
    }
    let Some(function) = functions.last_mut() else { return };
    if DIRECTIVES.contains(&entry.mnemonic) {
        function.directives += 1;
    } else {
        let instruction = instruction(entry, &function.symbol, package);
        function.instructions.push(instruction);
    }
}

/// The frame of `$56-40`: 56.
fn declared_frame(operand: &str) -> Option<u64> {
    let sizes = operand.strip_prefix('$')?;
    sizes.split_once('-').map_or(sizes, |(frame, _)| frame).parse().ok()
}

fn with_package(symbol: &str, package: &str) -> String {
    match symbol.strip_prefix("\"\".") {
        Some(name) if !package.is_empty() => format!("{package}{name}"),
        _ => symbol.to_owned(),
    }
}

fn instruction(entry: &Entry<'_>, own: &str, package: &str) -> Instruction {
    let mut found = Instruction { address: entry.address, ..Instruction::default() };
    let operands = operand::split(entry.operands);
    let is_call = matches!(entry.mnemonic, "CALL" | "BL");
    let prefix = names::package(own);
    let named = |operand: &str| {
        let (name, _) = operand::symbol(operand)?;
        Some(with_package(operand::source_name(name), package))
    };
    match operands.split_last() {
        Some((last, before)) if !is_call && !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()) => {
            found.jump = last.parse().ok();
            let before: String = before.iter().map(|operand| format!("{operand}, ")).collect();
            found.text = format!("{} {before}", entry.mnemonic);
        }
        _ => found.text = format!("{} {}", entry.mnemonic, operands.join(", ")).trim_end().to_owned(),
    }
    match operands[..] {
        [target] if is_call => {
            let name = named(target).map(|name| names::without_package(&name, prefix));
            found.call = Some(name.unwrap_or_else(|| INDIRECT.to_owned()));
        }
        [target] if matches!(entry.mnemonic, "JMP" | "B") => match named(target) {
            Some(name) if name == own => (found.jump, found.text) = (Some(0), format!("{} ", entry.mnemonic)),
            Some(name) => found.call = Some(names::without_package(&name, prefix)),
            None => {}
        },
        _ => {
            let symbols = operands.iter().filter_map(|operand| named(operand));
            let telling = symbols.filter(|symbol| !operand::is_constant(symbol));
            found.symbols = telling.map(|symbol| names::without_package(&symbol, prefix)).collect();
        }
    }
    found.text = unnumbered(&names::without_package(&found.text, prefix));
    found
}

/// Without the numbers of the compiler's own variables, which change with any other change.
fn unnumbered(text: &str) -> String {
    static TEMPORARY: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\.\.?autotmp_[0-9]+").expect("a constant pattern"));
    TEMPORARY.replace_all(text, ".autotmp").into_owned()
}
