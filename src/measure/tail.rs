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
        r"|npm_[a-z0-9]{20,}|pypi-[a-z0-9_-]{20,}|sk-[a-z0-9_-]{20,}|hf_[a-z0-9]{20,}|A[KS]IA[a-z0-9]{16}|AIza[a-z0-9_-]{30,}",
        r"|[rsp]k_(?:live|test)_[a-z0-9]{16,}|dckr_pat_[a-z0-9_-]{20,}|dop_v1_[a-f0-9]{32,}|ya29\.[a-z0-9_-]{20,}",
        r"|hooks\.slack\.com/[a-z]+/[a-z0-9/_+-]+|ey[a-z0-9_-]{8,}\.ey[a-z0-9_-]{8,}\.[a-z0-9_-]+)",
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)"
    ))
    .expect("a constant pattern")
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:(?P<name>\b[a-z0-9_.-]*(?:token|secret|passwd|password|passphrase|api[_-]?key|access[_-]?key|credential)",
        r#"[a-z0-9_.-]*["']?\s*[=:]\s*|\b[a-z0-9_.-]+[_-](?:key|pass|pwd|pat|auth)["']?\s*[=:]\s*"#,
        r"|--?(?:[a-z]+-)*(?:token|password|passwd|secret|api-?key)\s+)",
        r#"(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s"']{4,}))|(?P<header>\b(?:authorization|cookie):\s*)[^\n]+"#,
        r"|(?P<bearer>\bbearer\s+)[a-z0-9._~+/=-]{8,}|(?P<user>://[^/\s:@]+:)[^\s@]+@|(?P<address>://)[^/\s:@]{20,}@",
    ))
    .expect("a constant pattern")
});
/// A measured value, perhaps with its unit, since a benchmark may be called `get_key`; or a place in a file.
static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\[(]?[-+]?[0-9][0-9.,]*(?:e[-+]?[0-9]+)?[a-zµ%/]{0,8}[,;\])]?$").expect("a constant pattern")
});
static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[0-9]+(?::[0-9]+)+:?$").expect("a constant pattern"));

/// Whether what stands behind a name is no credential after all.
fn is_harmless(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PLACE.is_match(value)
        || (FIGURE.is_match(value) && !["passw", "passphrase", "secret"].iter().any(|it| name.contains(it)))
}

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
        if found.name("name").zip(found.name("value")).is_some_and(|(name, it)| is_harmless(name.as_str(), it.as_str()))
        {
            return found[0].to_owned();
        }
        let before = ["name", "header", "bearer", "user", "address"].iter().find_map(|group| found.name(group));
        let at = if found.name("user").or(found.name("address")).is_some() { "@" } else { "" };
        format!("{}{REDACTED}{at}", before.map_or("", |before| before.as_str()))
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
            (r#"{"password": "hunter2secret", "x": 1}"#, r#"{"password": [redacted], "x": 1}"#),
            (r#"{"token":"tok_abcdefgh12345678"}"#, r#"{"token":[redacted]}"#),
            ("'api-key': 'abcd1234abcd1234'", "'api-key': [redacted]"),
            ("X-Api-Key: abcd1234abcd1234", "X-Api-Key: [redacted]"),
            ("deploy --token abcd1234abcd --to x", "deploy --token [redacted] --to x"),
            ("--registry-password hunter2", "--registry-password [redacted]"),
            ("https://0123456789abcdef0123456789abcdef@github.com/x", "https://[redacted]@github.com/x"),
            ("postgres://user:pa/ss@host/db", "postgres://user:[redacted]@host/db"),
            ("PRIVATE_KEY=abcdefabcdef", "PRIVATE_KEY=[redacted]"),
            ("password=12345678", "password=[redacted]"),
            ("DB_PASS=hunter2", "DB_PASS=[redacted]"),
            ("ssh passphrase: open sesame", "ssh passphrase: [redacted] sesame"),
            ("ASIAIOSFODNN7EXAMPLE", "[redacted]"),
            ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "[redacted]"),
            ("dckr_pat_abcdefghijklmnopqrstuvwxyz0", "[redacted]"),
            ("https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX ok", "https://[redacted] ok"),
            ("Cookie: session=abcdef0123456789", "Cookie: [redacted]"),
        ] {
            assert_eq!(tail(text.as_bytes(), b""), kept);
        }
    }

    #[test]
    fn output_of_benchmarks_is_left_as_it_is() {
        for text in [
            "undefined: sha1cd.NewGeneric at token.go:12",
            "BenchmarkToken-8   \t 1000\t 12.5 ns/op\t 3 B/op",
            "parse_token/1024        time:   [1.2034 ns 1.2105 ns 1.2200 ns]",
            "test decode_password ... bench:   123,456 ns/iter (+/- 12)",
            "get_key: 1234.5ns",
            "map_key: 12345.678, set_key: 0.000123",
            "see https://example.org/a:b@c and http://localhost:8080/x",
            "benches/secret_sharing.rs:12:5",
        ] {
            assert_eq!(tail(text.as_bytes(), b""), text);
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
