//! The last lines of a failed command, fit to be shown: no terminal sequences, nothing that looks like a credential, not
//! too long.

use regex::Regex;
use std::sync::LazyLock;

/// Most bytes of a tail.
pub(crate) const LIMIT: usize = 4096;
/// What stands in place of a credential.
const REDACTED: &str = "[redacted]";

/// Terminal sequences: CSI, OSC and two-byte ones.
static SEQUENCES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-_]|\x1b")
        .expect("a constant pattern")
});

/// What credentials look like: tokens of known makers, JSON web tokens, private keys, passwords in addresses, and values
/// of variables and headers that are named so.
static CREDENTIALS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?is)\b(?:gh[opsur]_[a-z0-9]{16,}|github_pat_[a-z0-9_]{16,}|glpat-[a-z0-9_-]{16,}|xox[abeprs]-[a-z0-9-]{8,}",
        r"|npm_[a-z0-9]{20,}|pypi-[a-z0-9_-]{20,}|sk-[a-z0-9_-]{20,}|hf_[a-z0-9]{20,}|AKIA[a-z0-9]{16}|AIza[a-z0-9_-]{30,}",
        r"|ey[a-z0-9_-]{8,}\.ey[a-z0-9_-]{8,}\.[a-z0-9_-]+)",
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)"
    ))
    .expect("a constant pattern")
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(\b[a-z0-9_.-]*(?:token|secret|passwd|password|api_?key|access_?key|credential)[a-z0-9_.-]*\s*[=:]\s*)",
        r#"("[^"\n]*"|'[^'\n]*'|[^\s"']{4,})|(\bauthorization:\s*)[^\n]+|(\bbearer\s+)[a-z0-9._~+/=-]{8,}|(://[^/\s:@]+:)[^/\s@]+@"#
    ))
    .expect("a constant pattern")
});

/// The last lines of `stdout` and `stderr`, at most [`LIMIT`] bytes; of each at least half of that if it has as much.
#[must_use]
pub(super) fn tail(stdout: &[u8], stderr: &[u8]) -> String {
    let (out, err) = (clean(stdout), clean(stderr));
    let (out, err) = (out.trim_end(), err.trim_end());
    let room = LIMIT - 1;
    let err_room = room.min((room / 2).max(room.saturating_sub(out.len())));
    let err = last(err, err_room);
    let out = last(out, room - err.len());
    let gap = if out.is_empty() || err.is_empty() { "" } else { "\n" };
    format!("{out}{gap}{err}")
}

/// Text without sequences, control characters and credentials. Only the end of the input is looked at.
#[must_use]
pub(crate) fn clean(bytes: &[u8]) -> String {
    // Enough for the limit after cleaning, and for a credential that begins before it.
    let from = bytes.len().saturating_sub(16 * LIMIT);
    let text = String::from_utf8_lossy(&bytes[from..]).replace("\r\n", "\n");
    let text = SEQUENCES.replace_all(&text, "");
    let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let text = CREDENTIALS.replace_all(&text, REDACTED);
    let named = |found: &regex::Captures<'_>| {
        let name = [1, 3, 4, 5].iter().find_map(|group| found.get(*group)).map_or("", |name| name.as_str());
        let at = if found.get(5).is_some() { "@" } else { "" };
        format!("{name}{REDACTED}{at}")
    };
    NAMED.replace_all(&text, named).into_owned()
}

/// The last whole lines that fit into `room` bytes; of one long line its end.
fn last(text: &str, room: usize) -> &str {
    if text.len() <= room {
        return text;
    }
    let mut from = text.len() - room;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    match text[from..].find('\n') {
        Some(end) if end + 1 < text.len() - from => &text[from + end + 1..],
        _ => &text[from..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_sequences_are_removed() {
        let text = tail(b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07plain\x1b]8;;http://x\x1b\\link\r\nnext\x00\x08", b"");
        assert_eq!(text, "red plainlink\nnext");
    }

    #[test]
    fn what_looks_like_a_credential_is_redacted() {
        for (text, kept) in [
            ("push ghp_0123456789abcdefghij0123456789abcdef now", "push [redacted] now"),
            ("github_pat_11ABCDEFG0123456789_abcdefghijklmno", "[redacted]"),
            ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
            ("GITHUB_TOKEN=abcdef123", "GITHUB_TOKEN=[redacted]"),
            ("password: \"hunter two\" end", "password: [redacted] end"),
            ("Authorization: Basic eHg6eXk=", "Authorization: [redacted]"),
            ("https://user:pass@host/x", "https://user:[redacted]@host/x"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "[redacted]"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest", "[redacted]\nrest"),
            ("undefined: sha1cd.NewGeneric at token.go:12", "undefined: sha1cd.NewGeneric at token.go:12"),
        ] {
            assert_eq!(tail(text.as_bytes(), b""), kept);
        }
    }

    #[test]
    fn the_end_of_both_streams_fits() {
        let out: String = (0..2000).map(|i| format!("out {i}\n")).collect();
        let err: String = (0..2000).map(|i| format!("err {i}\n")).collect();
        let text = tail(out.as_bytes(), err.as_bytes());
        assert!(text.len() <= LIMIT && text.contains("out 1999") && text.ends_with("err 1999"));
        assert!(text.starts_with("out "), "whole lines: {}", &text[..20]);
        let one = "ü".repeat(5000);
        assert!(tail(one.as_bytes(), b"").len() <= LIMIT);
        assert_eq!(tail(b"", b"only\n"), "only");
    }
}
