//! The orders that a projection can ask for.

use crate::format::go::number;
use std::cmp::Ordering;

/// How values of a field are ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    /// By first appearance.
    First,
    /// By text.
    Alphabetic,
    /// By number, `4k` and `1Mi` understood; what is no number comes last.
    Numeric,
    /// As listed.
    Fixed(Vec<String>),
}

/// Compares two values by `order`. Equal: the order does not tell them apart.
pub(super) fn compare(order: &Order, a: &str, b: &str) -> Ordering {
    match order {
        Order::First => Ordering::Equal,
        Order::Alphabetic => a.cmp(b),
        Order::Fixed(values) => {
            // The last of several places counts; what is not listed was excluded.
            let place = |value: &str| values.iter().rposition(|v| v == value).unwrap_or(0);
            place(a).cmp(&place(b))
        }
        Order::Numeric => match (parse(a), parse(b)) {
            (Some(x), Some(y)) => x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan())),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        },
    }
}

/// The number that `text` stands for: `1.5`, `4k`, `16KB`, `1Mi`.
fn parse(text: &str) -> Option<f64> {
    if let Ok(value) = number::value(text) {
        return Some(value);
    }
    let text = text.strip_suffix(['b', 'B']).unwrap_or(text);
    let (text, base) = match text.strip_suffix('i') {
        Some(text) => (text, 1024_f64),
        None => (text, 1000_f64),
    };
    let prefix = text.chars().next_back();
    let power = prefix.and_then(|p| "KMGTPEZY".find(if p == 'k' { 'K' } else { p }));
    let (digits, factor) = match (power, prefix) {
        (Some(power), Some(p)) => (&text[..text.len() - p.len_utf8()], base.powi(power as i32 + 1)),
        _ if base == 1024.0 => return None,
        _ => (text, 1.0),
    };
    let digits_only = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if digits_only.is_empty() || !digits_only.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    Some(number::value(digits).ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_prefixes() {
        for (text, expected) in [
            ("1.5", Some(1.5)),
            ("4k", Some(4e3)),
            ("4K", Some(4e3)),
            ("16KB", Some(16e3)),
            ("1Mi", Some(1_048_576.0)),
            ("1MiB", Some(1_048_576.0)),
            ("-2G", Some(-2e9)),
            ("5b", Some(5.0)),
            ("1e3", Some(1000.0)),
            ("5i", None),
            ("k", None),
            ("x4k", None),
            ("", None),
            ("1.2.3k", None),
        ] {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_number_comes_last() {
        let mut values = ["x", "10", "NaN", "9", "inf", "a", "1k"];
        values.sort_by(|a, b| compare(&Order::Numeric, a, b).then_with(|| a.cmp(b)));
        assert_eq!(values, ["9", "10", "1k", "inf", "NaN", "a", "x"]);
    }
}
