//! Operands of assembly text.

/// `text` split at its outer commas.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => {
                escaped = false;
                continue;
            }
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The symbol of a Go operand such as `$type:m.T+8(SB)`, and its offset as written.
pub(super) fn symbol(operand: &str) -> Option<(&str, &str)> {
    let text = operand.strip_suffix("(SB)")?;
    let text = text.strip_prefix('$').unwrap_or(text);
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit());
    match digits.strip_suffix(['+', '-']) {
        Some(name) if digits.len() < text.len() && !name.is_empty() => Some((name, &text[name.len()..])),
        _ => Some((text, "")),
    }
}

/// A Go symbol as it is called in the source: without the marks of calling convention and of closure values.
pub(super) fn source_name(symbol: &str) -> &str {
    let symbol = symbol.strip_suffix("·f").unwrap_or(symbol);
    symbol.strip_suffix(".abi0").or_else(|| symbol.strip_suffix(".abiinternal")).unwrap_or(symbol)
}

/// Whether a Go symbol tells a reader nothing: constants and the linker's own tables.
pub(super) fn is_constant(symbol: &str) -> bool {
    ["go:string.", "go.string.", "gclocals", "$f", "type:*", "type.*", "runtime.rodata", "runtime.types"]
        .iter()
        .any(|prefix| symbol.starts_with(prefix))
}

/// What the first instructions take from the stack pointer, in bytes.
pub(super) fn frame(text: &str) -> Option<u64> {
    let (mnemonic, operands) = text.split_once(' ')?;
    let operands = split(operands);
    let number = |text: &str| {
        let text = text.trim_start_matches(['$', '#']);
        let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let value = text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| i64::from_str_radix(hex, 16).ok());
        value.map(|value: i64| sign * value)
    };
    let taken = match (mnemonic, &operands[..]) {
        ("SUBQ", [amount, "SP"]) | ("sub", [amount, "%rsp"]) | ("sub" | "subq", ["sp", "sp", amount]) => {
            number(amount)?
        }
        ("ADDQ", [amount, "SP"]) | ("add" | "addq", [amount, "%rsp"]) => -number(amount)?,
        ("MOVD.W", ["R30", place]) => -number(place.strip_suffix("(RSP)")?)?,
        ("stp", [_, _, place]) => -number(place.strip_prefix("[sp,")?.strip_suffix("]!")?.trim())?,
        _ => return None,
    };
    u64::try_from(taken).ok().filter(|taken| *taken > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_brackets_and_strings_do_not_split() {
        assert_eq!(split("0x8(%rax,%rdx,8),%rdi"), ["0x8(%rax,%rdx,8)", "%rdi"]);
        assert_eq!(
            split("type:struct { F func(int, string); R *T }(SB), AX"),
            ["type:struct { F func(int, string); R *T }(SB)", "AX"]
        );
        assert_eq!(split(r#"go:string."a\", (SB)"(SB), SI"#), [r#"go:string."a\", (SB)"(SB)"#, "SI"]);
    }

    #[test]
    fn a_symbol_is_told_from_its_offset() {
        assert_eq!(symbol("runtime.newobject(SB)"), Some(("runtime.newobject", "")));
        assert_eq!(symbol("$type:m.T+8(SB)"), Some(("type:m.T", "+8")));
        assert_eq!(symbol("m.(*D).step-fm(SB)"), Some(("m.(*D).step-fm", "")));
        assert_eq!(symbol("8(SP)"), None);
    }

    #[test]
    fn frames_are_seen_in_the_prologue() {
        let cases = [
            ("SUBQ $0x20, SP", Some(32)),
            ("ADDQ $-0x80, SP", Some(128)),
            ("MOVD.W R30, -112(RSP)", Some(112)),
            ("sub $0x28,%rsp", Some(40)),
            ("sub sp, sp, #0x30", Some(48)),
            ("stp x29, x30, [sp, #-32]!", Some(32)),
            ("SUBQ SP, DX", None),
            ("ADDQ $0x20, SP", None),
        ];
        for (text, frame_) in cases {
            assert_eq!(frame(text), frame_, "{text}");
        }
    }
}
