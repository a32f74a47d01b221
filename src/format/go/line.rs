//! Pieces of a line: fields, prefixes put there by others, shapes of what `go test` prints.

use super::number;
use regex::Regex;
use std::sync::LazyLock;

/// What a byte is to [`field`].
const PLAIN: u8 = 0;
const BLANK: u8 = 1;
const NOT_ASCII: u8 = 2;

/// The kind of every byte. Blanks are those of ASCII, as Unicode sees them.
const KINDS: [u8; 256] = {
    let mut kinds = [PLAIN; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte == b' ' as usize || (byte >= b'\t' as usize && byte <= b'\r' as usize) {
            kinds[byte] = BLANK;
        } else if byte >= 128 {
            kinds[byte] = NOT_ASCII;
        }
        byte += 1;
    }
    kinds
};

const fn kind(byte: u8) -> u8 {
    KINDS[byte as usize]
}

/// How many bytes at the beginning of `bytes` are plain. Eight are looked at together: lines are read by the million.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut at = 0;
    loop {
        while let Some(word) = bytes[at..].first_chunk::<8>() {
            let word = u64::from_le_bytes(*word);
            // The high bit of every byte that is below '!' or not ASCII; right up to the first of them.
            let ends = ((word.wrapping_sub(ONES * 0x21) & !word) | word) & (ONES * 0x80);
            at += if ends == 0 { 8 } else { ends.trailing_zeros() as usize / 8 };
            if ends != 0 {
                break;
            }
        }
        // What is left, and control characters, which are plain but for the blanks among them.
        while at < bytes.len() && (kind(bytes[at]) == PLAIN) {
            at += 1;
            if bytes.len() - at >= 8 {
                break;
            }
        }
        if at == bytes.len() || kind(bytes[at]) != PLAIN {
            return at;
        }
    }
}

/// How many bytes at the beginning of `bytes` are blanks. Columns are aligned with spaces, so eight are looked at together.
#[inline]
fn blanks(bytes: &[u8]) -> usize {
    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    let mut at = 0;
    while bytes.get(at).is_some_and(|b| kind(*b) == BLANK) {
        at += 1;
        while let Some(word) = bytes[at..].first_chunk::<8>() {
            let others = u64::from_le_bytes(*word) ^ SPACES;
            if others != 0 {
                at += others.trailing_zeros() as usize / 8;
                break;
            }
            at += 8;
        }
    }
    at
}

/// The first field of `text`, and what follows it without leading blanks. The field is empty if `text` begins with a
/// blank or is empty.
#[inline]
pub(crate) fn field(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let end = plain(bytes);
    let rest = &bytes[end..];
    if rest.first().is_some_and(|b| kind(*b) == NOT_ASCII) {
        return field_of_unicode(text);
    }
    let blanks = blanks(rest);
    if rest.get(blanks).is_some_and(|b| kind(*b) == NOT_ASCII) {
        return (&text[..end], text[end..].trim_start());
    }
    (&text[..end], &text[end + blanks..])
}

/// [`field`] where other characters than ASCII may be blanks.
#[cold]
fn field_of_unicode(text: &str) -> (&str, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// A `key: value` line: the key, and the value without leading blanks; an empty value deletes the key.
///
/// A key begins with a lower-case letter and contains neither blanks nor upper-case letters. At least one blank or tab
/// follows the colon unless the line ends there.
pub(crate) fn configuration(line: &str) -> Option<(&str, &str)> {
    if !is_lower(line.chars().next()?) {
        return None;
    }
    let end = line.find(|c: char| c == ':' || c.is_whitespace() || is_upper(c))?;
    let value = line[end..].strip_prefix(':')?;
    let trimmed = value.trim_start_matches([' ', '\t']);
    (value.is_empty() || trimmed.len() < value.len()).then_some((&line[..end], trimmed))
}

/// Whether `c` is a lower-case letter (of the category Ll). Rust also counts what looks like one, such as `ª` or `ⓐ`.
fn is_lower(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_lowercase() } else { c.is_lowercase() && is_of(&LOWER, c) }
}

/// Whether `c` is an upper-case letter (of the category Lu).
fn is_upper(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_uppercase() } else { c.is_uppercase() && is_of(&UPPER, c) }
}

static LOWER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\A\p{Ll}\z").expect("the expression is constant"));
static UPPER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\A\p{Lu}\z").expect("the expression is constant"));

/// Whether `category` matches `c`.
fn is_of(category: &Regex, c: char) -> bool {
    category.is_match(c.encode_utf8(&mut [0; 4]))
}

/// `line` without what a CI system or a log collector put before it: a byte order mark, a time, `job<TAB>step<TAB>time`.
/// `None` if there is nothing of that kind.
pub(super) fn without_prefix(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix('\u{feff}') {
        return Some(rest);
    }
    if let Some(rest) = after_time(line) {
        return Some(rest);
    }
    // The form of `gh run view --log`.
    let mut columns = line.splitn(3, '\t');
    let (Some(job), Some(step), Some(rest)) = (columns.next(), columns.next(), columns.next()) else { return None };
    if job.is_empty() || step.is_empty() || job.starts_with("Benchmark") {
        return None;
    }
    after_time(rest.strip_prefix('\u{feff}').unwrap_or(rest))
}

/// What follows a time at the beginning of `line`: `2024-05-01T12:34:56.7890123Z`, `[12:34:56]`, `2024-05-01 12:34:56,789`.
fn after_time(line: &str) -> Option<&str> {
    let (line, bracket) = match line.strip_prefix('[') {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let rest = match shape(line, "dddd-dd-dd") {
        Some(rest) => rest.strip_prefix(['T', 't', ' '])?,
        None => line,
    };
    let mut rest = shape(rest, "dd:dd:dd")?;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == fraction.len() {
            return None;
        }
    }
    rest = match rest.strip_prefix(['Z', 'z']) {
        Some(rest) => rest,
        None => rest
            .strip_prefix(['+', '-'])
            .and_then(|zone| shape(zone, "dd:dd").or_else(|| shape(zone, "dddd")))
            .unwrap_or(rest),
    };
    if bracket {
        rest = rest.strip_prefix(']')?;
    }
    rest.strip_prefix([' ', '\t']).map(str::trim_start)
}

/// What follows `form` at the beginning of `text`; `d` is any digit.
fn shape<'t>(text: &'t str, form: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let fits = |(i, f): (usize, u8)| match f {
        b'd' => bytes[i].is_ascii_digit(),
        other => bytes[i] == other,
    };
    (bytes.len() >= form.len() && form.bytes().enumerate().all(fits)).then(|| &text[form.len()..])
}

/// Whether `text` is what `go test` prints after a benchmark's name: iterations, then values with units, separated by
/// tabs. Used to find results that a benchmark's own output cut off from their names, so it is stricter than the format.
pub(super) fn is_tail(text: &str) -> bool {
    let text = text.trim();
    match text.split_once('\t') {
        Some((iterations, _)) if is_iterations(iterations.trim()) => {
            columns_from_right(text) == text.matches('\t').count()
        }
        _ => false,
    }
}

/// The longest end of `text` for which [`is_tail`] holds and before which stands a blank: `printed   100\t5 ns/op`.
pub(super) fn tail_after_output(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let values = columns_from_right(text);
    // The column left of the values is the only one that can end in the iterations: those further right are values.
    // Where several could be either, the leftmost wins, so that no value is lost.
    let starts = text.rmatch_indices('\t').take(values).map(|(at, _)| at);
    starts.fold(None, |found, tab| {
        let before = text[..tab].trim_end_matches(|c: char| c.is_ascii_digit());
        let fits = is_iterations(&text[before.len()..tab]) && before.ends_with([' ', '\t']);
        if fits { Some(&text[before.len()..]) } else { found }
    })
}

/// Whether `text` is a number of iterations as `go test` prints it.
fn is_iterations(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && number::count(text).is_ok()
}

/// How many columns at the end of `text` are a value with a unit. Columns are separated by tabs; the first is not counted.
fn columns_from_right(text: &str) -> usize {
    let Some((_, columns)) = text.split_once('\t') else { return 0 };
    let fits = |column: &&str| {
        let (value, unit) = field(column.trim());
        !unit.is_empty() && !unit.contains(char::is_whitespace) && number::value(value).is_ok()
    };
    columns.rsplit('\t').take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_separated_by_any_blank() {
        assert_eq!(field("X-8   \t100\t5 ns/op"), ("X-8", "100\t5 ns/op"));
        assert_eq!(field("a\u{a0}\u{2003}b c"), ("a", "b c"));
        assert_eq!(field("a \u{a0}b"), ("a", "b"));
        assert_eq!(field("é\u{a0}b"), ("é", "b"));
        assert_eq!(field(" a"), ("", "a"));
        assert_eq!(field("a"), ("a", ""));
        assert_eq!(field("a\u{b}\u{c}"), ("a", ""));
        assert_eq!(field(""), ("", ""));
    }

    #[test]
    fn fields_of_every_length_end_at_every_kind_of_byte() {
        for length in 0..40 {
            for (end, rest) in
                [(" ", "b"), ("\t", "b"), ("\u{a0}", "b"), ("", ""), ("\u{b}  \r", "b"), ("\u{1f}c ", "b")]
            {
                let plain = "aé\u{1}!~".chars().cycle().skip(length % 2).take(length).collect::<String>();
                let text = format!("{plain}{end}{rest}");
                let expected = text.split(char::is_whitespace).next().expect("a first piece");
                assert_eq!(field(&text), (expected, text[expected.len()..].trim_start()), "{text:?}");
                let ascii = text.replace('é', "e");
                let expected = ascii.split(char::is_whitespace).next().expect("a first piece");
                assert_eq!(field(&ascii), (expected, ascii[expected.len()..].trim_start()), "{ascii:?}");
            }
        }
    }

    #[test]
    fn configuration_lines_follow_the_format() {
        for (line, expected) in [
            ("goos: linux", Some(("goos", "linux"))),
            ("key:\t \tvalue: x ", Some(("key", "value: x "))),
            ("pkg:", Some(("pkg", ""))),
            ("pkg: ", Some(("pkg", ""))),
            ("nóte: x", Some(("nóte", "x"))),
            ("k=v: x", Some(("k=v", "x"))),
            ("ﬀ: ligature", Some(("ﬀ", "ligature"))),
            ("kⒶ: x", Some(("kⒶ", "x"))),
            ("ª: x", None),
            ("ⓐ: x", None),
            ("kÀ: x", None),
            ("http:x", None),
            ("main.go:12: message", None),
            ("Key: value", None),
            ("keY: value", None),
            ("a key: value", None),
            ("no colon", None),
            (": x", None),
            ("", None),
            ("1: x", None),
        ] {
            assert_eq!(configuration(line), expected, "{line:?}");
        }
    }

    #[test]
    fn times_and_job_names_are_taken_off() {
        for line in [
            "2024-05-01T12:34:56.7890123Z goos: linux",
            "2024-05-01T12:34:56Z goos: linux",
            "[2024-05-01T12:34:56.789Z] goos: linux",
            "2024-05-01 12:34:56,789 goos: linux",
            "2024-05-01T12:34:56+02:00 goos: linux",
            "12:34:56 goos: linux",
            "[12:34:56]   goos: linux",
            "bench\tRun tests\t2024-05-01T12:34:56.7890123Z goos: linux",
            "bench\tRun tests\t\u{feff}2024-05-01T12:34:56.7890123Z goos: linux",
            "\u{feff}goos: linux",
        ] {
            assert_eq!(without_prefix(line), Some("goos: linux"), "{line:?}");
        }
        for line in ["goos: linux", "2024/01/01 00:00:00 http: x", "a\tb\tc", "12:34 x", "[x] y", "12:34:56.x y", ""] {
            assert_eq!(without_prefix(line), None, "{line:?}");
        }
    }

    #[test]
    fn tails_are_recognised() {
        assert!(is_tail("     100\t      1188 ns/op"));
        assert!(is_tail("     100\t      1188 ns/op\t  12.5 MB/s\t       0 B/op"));
        for text in ["100 things", "100\tthings", "100\t5", "100\t5 a b", "x\t5 ns/op", "-1\t5 ns/op", "", "100"] {
            assert!(!is_tail(text), "{text:?}");
        }
        assert_eq!(tail_after_output("printed     100\t5 ns/op"), Some("100\t5 ns/op"));
        assert_eq!(tail_after_output("a\tb 7\t100\t5 ns/op\t1 B/op"), Some("100\t5 ns/op\t1 B/op"));
        assert_eq!(tail_after_output("printed100\t5 ns/op"), None);
        assert_eq!(tail_after_output("stdout line"), None);
    }
}
