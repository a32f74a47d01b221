//! Listings of `go tool objdump`.
//!
//! ```text
//! TEXT example.org/codec.New(SB) /src/codec/decoder.go
//!   decoder.go:34     0x52e4a0        493b6610        CMPQ SP, 0x10(R14)
//! ```

use super::code::{Function, INDIRECT, Instruction};
use super::{names, operand};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The functions of a listing, in order.
pub(super) fn parse(text: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("TEXT ") {
            let symbol = head.rfind("(SB)").map_or(head, |end| &head[..end]).to_owned();
            functions.push(Function { symbol, directives: 1, bytes: Some(0), ..Function::default() });
        } else if let (Some(function), Some(entry)) = (functions.last_mut(), entry(line)) {
            take(&entry, function);
        }
    }
    functions
}

struct Entry<'l> {
    address: u64,
    /// Length of the instruction.
    bytes: u64,
    text: &'l str,
}

/// `  file.go:34 ␉ 0x52e4a0 ␉ 493b6610 ␉ CMPQ SP, 0x10(R14)`, with any number of tabs.
fn entry(line: &str) -> Option<Entry<'_>> {
    let mut fields = line.split('\t').map(str::trim).filter(|field| !field.is_empty());
    let (_, address, code, text) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_hex = !code.is_empty() && code.len().is_multiple_of(2) && code.bytes().all(|b| b.is_ascii_hexdigit());
    let address = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
    is_hex.then_some(Entry { address, bytes: code.len() as u64 / 2, text })
}

fn take(entry: &Entry<'_>, function: &mut Function) {
    // Filling between functions.
    if entry.text == "?" {
        function.directives += 1;
        return;
    }
    function.bytes = function.bytes.map(|bytes| bytes + entry.bytes);
    if function.frame.is_none() && function.instructions.len() < 16 {
        function.frame = operand::frame(entry.text);
    }
    let instruction = instruction(entry, &function.symbol, function.instructions.first().map(|first| first.address));
    function.instructions.push(instruction);
}

fn instruction(entry: &Entry<'_>, own: &str, start: Option<u64>) -> Instruction {
    let mut found = Instruction { address: entry.address, text: entry.text.to_owned(), ..Instruction::default() };
    let (mnemonic, operands) = entry.text.split_once(' ').unwrap_or((entry.text, ""));
    let operands = operand::split(operands);
    let prefix = names::package(own);
    let named = |operand: &str| operand::symbol(operand).map(|(name, _)| operand::source_name(name).to_owned());
    let is_call = matches!(mnemonic, "CALL" | "BL");
    match operands[..] {
        [target] if is_call => {
            let name = named(target).map(|name| names::without_package(&name, prefix));
            found.call = Some(name.unwrap_or_else(|| INDIRECT.to_owned()));
        }
        [target] if matches!(mnemonic, "JMP" | "B") && named(target).is_some() => {
            let name = named(target).unwrap_or_default();
            if name == operand::source_name(own) {
                found.jump = Some(start.unwrap_or(entry.address));
                found.text = format!("{mnemonic} ");
            } else {
                found.call = Some(names::without_package(&name, prefix));
            }
        }
        _ => {
            let symbols = operands.iter().filter_map(|operand| named(operand));
            let telling = symbols.filter(|symbol| !operand::is_constant(symbol));
            found.symbols = telling.map(|symbol| names::without_package(&symbol, prefix)).collect();
        }
    }
    if !is_call
        && found.call.is_none()
        && found.jump.is_none()
        && let Some((last, before)) = operands.split_last()
        && let Some(target) = target(mnemonic, last, entry.address)
    {
        found.jump = Some(target);
        let before: String = before.iter().map(|operand| format!("{operand}, ")).collect();
        found.text = format!("{mnemonic} {before}");
    }
    found.text = unplaced(&names::without_package(&found.text, prefix));
    found
}

/// Where a jump goes: `0x52e4dd`, or on arm64 `31(PC)`, which counts instructions.
fn target(mnemonic: &str, operand: &str, address: u64) -> Option<u64> {
    if let Some(hex) = operand.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().filter(|_| mnemonic.starts_with(['J', 'X', 'L']));
    }
    let steps: i64 = operand.strip_suffix("(PC)")?.parse().ok()?;
    if !(mnemonic.starts_with('B') || mnemonic.starts_with("CB") || mnemonic.starts_with("TB") || mnemonic == "JMP") {
        return None;
    }
    address.checked_add_signed(steps.checked_mul(4)?)
}

/// Without the places of data, which move with any other change.
fn unplaced(text: &str) -> String {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"-?(?:0x)?[0-9a-f]+\((IP|PC)\)|([+-][0-9]+)\(SB\)").expect("a constant pattern"));
    let place = |captures: &Captures<'_>| match captures.get(1) {
        Some(register) => format!("…({})", register.as_str()),
        None => "(SB)".to_owned(),
    };
    PLACE.replace_all(text, place).into_owned()
}
