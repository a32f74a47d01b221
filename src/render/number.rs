//! Numbers as a reader sees them: a minus that looks like one, no more digits than mean something.

use crate::unit::{self, Class, Scale};

/// Keeps what belongs together on one line of a narrow table.
pub const NO_BREAK: char = '\u{a0}';

/// A relative change with its sign: `+7.1%`, `−0.31%`, `0.00%`.
///
/// `ratio` is head / base − 1. One decimal from 1 % on, two below, none from 100 % on.
#[must_use]
pub fn signed_percent(ratio: f64) -> String {
    let text = percent(ratio.abs());
    if ratio == 0.0 {
        return "0%".to_owned();
    }
    if text.trim_matches(|c| matches!(c, '0' | '.' | '%')).is_empty() {
        return text;
    }
    if ratio < 0.0 { format!("−{text}") } else { format!("+{text}") }
}

/// A ratio of at least 0 as a percentage without a sign.
#[must_use]
pub fn percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if percent.is_nan() {
        "?".to_owned()
    } else if percent.is_infinite() {
        "∞".to_owned()
    } else if percent >= 1e6 {
        format!("{percent:.1e}%")
    } else if percent >= 99.95 {
        format!("{percent:.0}%")
    } else if percent >= 0.995 {
        format!("{percent:.1}%")
    } else {
        format!("{percent:.2}%")
    }
}

/// A threshold or a level: as few digits as it was written with.
#[must_use]
pub fn plain_percent(ratio: f64) -> String {
    let text = format!("{:.3}", ratio * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// An interval of relative changes: `+5.9% to +8.4%`. `None` is an end without a limit.
#[must_use]
pub fn percent_interval(lo: Option<f64>, hi: Option<f64>) -> String {
    let end = |end: Option<f64>, none: &str| end.map_or_else(|| none.to_owned(), signed_percent);
    format!("{}{NO_BREAK}to{NO_BREAK}{}", end(lo, "−∞"), end(hi, "+∞"))
}

/// A p-value: two significant digits, never below `<0.0001`.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p.is_nan() {
        "?".to_owned()
    } else if p < 0.0001 {
        "<0.0001".to_owned()
    } else if p >= 0.995 {
        "1".to_owned()
    } else {
        // Two significant digits: the first one is at this decimal.
        let first = (-p.log10()).ceil().max(1.0);
        let text = format!("{p:.*}", decimals(first + 1.0));
        let trimmed = text.trim_end_matches('0');
        if trimmed.ends_with('.') { text } else { trimmed.to_owned() }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 6 by its only caller")]
fn decimals(n: f64) -> usize {
    n as usize
}

/// Values of one unit that are read side by side: one prefix and one number of decimals for all of them.
#[derive(Debug, Clone)]
pub struct Figures {
    scale: Option<Scale>,
    suffix: &'static str,
}

impl Figures {
    /// Figures for `values` of `unit`. Whole numbers that are counts are printed whole.
    #[must_use]
    pub fn new(unit: &str, values: &[f64]) -> Self {
        let class = unit::class(unit);
        let counts = class == Class::Binary || !is_time(unit) && !unit.ends_with("/s");
        let limit = if class == Class::Binary { 1024.0 } else { 100_000.0 };
        let whole = counts && values.iter().all(|v| v.fract() == 0.0 && v.abs() < limit);
        let scale = (!whole).then(|| Scale::common(values.iter().copied().filter(|v| v.is_finite()), class));
        Self { scale, suffix: suffix(unit) }
    }

    /// `value` with prefix and unit: `102.5 ns`, `1.50 KiB`, `12`.
    #[must_use]
    pub fn format(&self, value: f64) -> String {
        let text = self.scale.map_or_else(|| format!("{value:.0}"), |scale| scale.format(value));
        // A value far outside its scale has a row of zeros, or hundreds of digits.
        let text = if text.len() > 11 { format!("{value:.3e}") } else { text };
        let text = text.replace('-', "−");
        let end = text.find(|c: char| c.is_alphabetic() && c != 'e').unwrap_or(text.len());
        let (digits, prefix) = text.split_at(end);
        if prefix.is_empty() && self.suffix.is_empty() || digits.is_empty() {
            return text;
        }
        format!("{digits}{NO_BREAK}{prefix}{}", self.suffix)
    }

    /// `value` with a sign.
    #[must_use]
    pub fn signed(&self, value: f64) -> String {
        if value > 0.0 { format!("+{}", self.format(value)) } else { self.format(value) }
    }
}

/// Whether `unit` is a time, also one with a metric's name in front (`user-sec/op`, `p99 sec`).
#[must_use]
pub fn is_time(unit: &str) -> bool {
    let first = unit.split(['/', ' ', '-']).next().unwrap_or_default();
    [first, quantity(unit).0].into_iter().any(|word| matches!(word, "sec" | "s" | "ns" | "µs" | "us" | "ms"))
}

/// What `unit` counts and per what, without the metric's name in front and a direction in words behind.
fn quantity(unit: &str) -> (&str, Option<&str>) {
    let unit = unit.split(" (").next().unwrap_or(unit);
    let (counted, per) = unit::quantity(unit);
    (counted.rsplit(' ').next().unwrap_or(counted), per)
}

/// Whether `unit` counts bytes, whatever they are bytes of (`B/op`, `max-rss-B`).
#[must_use]
pub fn is_size(unit: &str) -> bool {
    matches!(quantity(unit), ("B", per) if per != Some("s"))
}

/// What is printed behind the prefix, where a unit of everyday use exists. A column's head has the unit in full.
fn suffix(unit: &str) -> &'static str {
    match quantity(unit) {
        ("B", Some("s")) => "B/s",
        ("bit", Some("s")) => "bit/s",
        // A time per second is a load.
        ("sec", per) if per != Some("s") => "s",
        ("B", _) => "B",
        ("Hz", None) => "Hz",
        _ => "",
    }
}

/// The half width of the interval of a median, in percent of it, as benchstat prints it: `2%`, `∞`.
#[must_use]
pub fn spread(center: f64, lo: Option<f64>, hi: Option<f64>) -> String {
    let (Some(lo), Some(hi)) = (lo, hi) else {
        return "∞".to_owned();
    };
    if lo == hi {
        return "0%".to_owned();
    }
    let half = (hi - center).max(center - lo) / center.abs();
    if half.is_finite() { format!("{:.0}%", 100.0 * half) } else { "?".to_owned() }
}

/// Bytes of memory: `15.6 GiB`.
#[must_use]
pub fn bytes(value: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    let value = value as f64;
    Figures::new("B", &[value]).format(value)
}

/// A duration in seconds: `20 ms`, `3.2 s`, `4 min 10 s`, `1 h 2 min`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".to_owned();
    }
    if seconds > 0.0 && seconds < 0.095 {
        return format!("{:.0} ms", (seconds * 1e3).max(1.0));
    }
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "finite and positive; saturates")]
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    match (hours, minutes, rest) {
        (0, 0, s) => format!("{s} s"),
        (0, m, 0) => format!("{m} min"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, 0, _) => format!("{h} h"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// `1 row`, `2 rows`, `10,000 rows`.
#[must_use]
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// Digits in groups of three.
#[must_use]
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_the_digits_that_count() {
        let cases = [
            (0.0714, "+7.1%"),
            (-0.0031, "−0.31%"),
            (0.0, "0%"),
            (-0.00001, "0.00%"),
            (-1.0, "−100%"),
            (11.0, "+1100%"),
            (0.00994, "+0.99%"),
            (0.00996, "+1.0%"),
            (f64::INFINITY, "+∞"),
        ];
        for (ratio, text) in cases {
            assert_eq!(signed_percent(ratio), text, "{ratio}");
        }
        assert_eq!(plain_percent(0.02), "2%");
        assert_eq!(plain_percent(0.025), "2.5%");
        assert_eq!(percent_interval(Some(-0.014), None), "−1.4%\u{a0}to\u{a0}+∞");
    }

    #[test]
    fn p_values_have_two_digits() {
        let cases =
            [(0.00009, "<0.0001"), (0.000_41, "0.00041"), (0.0093, "0.0093"), (0.31, "0.31"), (0.3, "0.3"), (1.0, "1")];
        for (p, text) in cases {
            assert_eq!(p_value(p), text, "{p}");
        }
    }

    #[test]
    fn a_row_shares_its_prefix() {
        let figures = Figures::new("sec/op", &[1.204e-3, 1.291e-3]);
        assert_eq!(
            (figures.format(1.204e-3), figures.format(1.291e-3)),
            ("1.204\u{a0}ms".into(), "1.291\u{a0}ms".into())
        );
        let figures = Figures::new("sec/op", &[310e-9, 1.2e-6]);
        assert_eq!((figures.format(310e-9), figures.format(1.2e-6)), ("310.0\u{a0}ns".into(), "1200.0\u{a0}ns".into()));
        assert_eq!(Figures::new("allocs/op", &[2.0, 0.0]).format(0.0), "0");
        assert_eq!(Figures::new("B/op", &[208.0, 0.0]).format(208.0), "208\u{a0}B");
        assert_eq!(Figures::new("B/op", &[1536.0, 2048.0]).format(1536.0), "1.500\u{a0}KiB");
        assert_eq!(Figures::new("B/s", &[1.5e6]).format(1.5e6), "1.431\u{a0}MiB/s");
        assert_eq!(Figures::new("user-sec/op", &[0.0125]).format(0.0125), "12.50\u{a0}ms");
        assert_eq!(Figures::new("p99 sec", &[2.5e-6]).format(2.5e-6), "2.500\u{a0}µs");
        assert_eq!(Figures::new("max-rss-B", &[2_097_152.0]).format(2_097_152.0), "2.000\u{a0}MiB");
        assert_eq!(Figures::new("size-B", &[800.0]).format(800.0), "800\u{a0}B");
        assert_eq!(Figures::new("gc.alloc.rate-B/s", &[2048.0]).format(2048.0), "2.000\u{a0}KiB/s");
        assert_eq!(Figures::new("B (higher is better)", &[2048.0]).format(2048.0), "2.000\u{a0}KiB");
        assert_eq!(Figures::new("bit/s", &[5e6]).format(5e6), "5.000\u{a0}Mbit/s");
        assert_eq!(Figures::new("widgets/op", &[1234.5]).format(1234.5), "1.234\u{a0}k");
        assert_eq!(Figures::new("allocs/op", &[54.0, 10.0]).signed(-44.0), "−44");
    }

    #[test]
    fn times_and_sizes_are_known_behind_a_metrics_name() {
        for unit in ["sec/op", "sec", "user-sec/op", "cpu-sec/op", "p99 sec", "p99-sec", "ms"] {
            assert!(is_time(unit) && !is_size(unit), "{unit}");
        }
        for unit in ["B/op", "B", "max-rss-B", "size-B", "B (higher is better)"] {
            assert!(is_size(unit) && !is_time(unit), "{unit}");
        }
        for unit in ["B/s", "ops/s", "ops/sec", "Branches", "instructions", ""] {
            assert!(!is_size(unit) && !is_time(unit), "{unit}");
        }
    }

    #[test]
    fn spreads_are_those_of_benchstat() {
        assert_eq!(spread(100.0, Some(98.0), Some(101.0)), "2%");
        assert_eq!(spread(100.0, None, None), "∞");
        assert_eq!(spread(0.0, Some(0.0), Some(0.0)), "0%");
    }

    #[test]
    fn durations_and_counts() {
        assert_eq!(duration(0.02), "20 ms");
        assert_eq!(duration(0.5), "0.5 s");
        assert_eq!(duration(0.0), "0.0 s");
        assert_eq!(duration(3.12), "3.1 s");
        assert_eq!(duration(250.4), "4 min 10 s");
        assert_eq!(duration(3725.0), "1 h 2 min");
        assert_eq!(count(1, "row", "rows"), "1 row");
        assert_eq!(count(10_000, "row", "rows"), "10,000 rows");
    }
}
