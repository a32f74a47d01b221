//! Numbers as tools write them.

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// A JSON number, or a string that stands for one (`"NaN"`, `"1.5"`). May be non-finite; where `null` is allowed the
/// field is an `Option`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Num(pub(super) f64);

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Num;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            #[expect(clippy::cast_precision_loss, reason = "a count above 2^53 is compared as a measured value")]
            fn visit_i64<E>(self, value: i64) -> Result<Num, E> {
                Ok(Num(value as f64))
            }

            #[expect(clippy::cast_precision_loss, reason = "a count above 2^53 is compared as a measured value")]
            fn visit_u64<E>(self, value: u64) -> Result<Num, E> {
                Ok(Num(value as f64))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Num, E> {
                Ok(Num(value))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Num, E> {
                parse(text).map(Num).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// Samples, of which some editors of reports leave only a placeholder: `None` if any is not a number.
#[derive(Debug, Default)]
pub(super) struct Samples(pub(super) Option<Vec<f64>>);

impl<'de> Deserialize<'de> for Samples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Samples;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers")
            }

            fn visit_unit<E>(self) -> Result<Samples, E> {
                Ok(Samples(None))
            }

            fn visit_str<E>(self, _: &str) -> Result<Samples, E> {
                Ok(Samples(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Samples, A::Error> {
                let mut values = Some(Vec::new());
                while let Some(element) = sequence.next_element::<serde_json::Value>()? {
                    let number = element.as_f64().or_else(|| parse(element.as_str()?));
                    values = values.zip(number).map(|(mut values, number)| {
                        values.push(number);
                        values
                    });
                }
                Ok(Samples(values))
            }
        }
        deserializer.deserialize_any(List)
    }
}

/// A number in text: `1,234.5` with thousands separators, `NaN`, `Infinity`, and their quoted stand-ins.
pub(super) fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    match text {
        "N" | "-N" | "NaN" | "nan" | "-nan" | "NaN----" => return Some(f64::NAN),
        "I" | "Infini" | "Infinity" | "inf" | "∞" => return Some(f64::INFINITY),
        "-I" | "-Infini" | "-Infinity" | "-inf" | "-∞" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let first = text.bytes().next()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) || text.contains(['x', 'i', 'n', 'N']) {
        return None;
    }
    text.replace([',', '_', '\u{202f}', '\u{a0}'], "").parse().ok()
}

/// The values that are present, as plain numbers.
pub(super) fn present(values: &[Option<Num>]) -> Vec<f64> {
    values.iter().flatten().map(|value| value.0).collect()
}

/// Values that a histogram stands for: each value as often as it was counted, in rising order.
///
/// More than [`HISTOGRAM`] are thinned to that many evenly spaced quantiles, an odd number, so that the median stays.
pub(super) fn expand(mut histogram: Vec<(f64, u64)>) -> Vec<f64> {
    histogram.retain(|(_, count)| *count > 0);
    histogram.sort_by(|left, right| left.0.total_cmp(&right.0));
    let total = histogram.iter().fold(0_u128, |total, (_, count)| total + u128::from(*count));
    let kept = total.min(HISTOGRAM);
    let mut values = Vec::new();
    let (mut entries, mut passed) = (histogram.iter(), 0_u128);
    let mut current = f64::NAN;
    for index in 0..kept {
        // The middle of the index-th of `kept` equal parts of all counts, exact in integers.
        let rank = (2 * index + 1) * total / (2 * kept);
        while passed <= rank {
            let Some((value, count)) = entries.next() else { break };
            current = *value;
            passed += u128::from(*count);
        }
        values.push(current);
    }
    values
}

/// Most values that [`expand`] gives.
const HISTOGRAM: u128 = 100_001;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_tools_write_them() {
        assert_eq!(parse("1,234,567.5"), Some(1_234_567.5));
        assert_eq!(parse("-12.5e-3"), Some(-0.0125));
        assert!(parse("NaN").is_some_and(f64::is_nan));
        assert_eq!(parse("Infinity"), Some(f64::INFINITY));
        for text in ["", "abc", "0x10", "12 ns", "infinite", "nano"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn strings_and_null_stand_for_numbers() {
        let values: Vec<Option<Num>> = serde_json::from_str(r#"[1, "NaN", null, "2.5", -3]"#).unwrap();
        assert_eq!(present(&values)[2..], [2.5, -3.0]);
        assert!(serde_json::from_str::<Num>(r#""fast""#).unwrap_err().to_string().contains("expected a number"));
    }

    #[test]
    fn a_histogram_keeps_its_median() {
        assert_eq!(expand(vec![(2.0, 1), (1.0, 2), (9.0, 0), (3.0, 1)]), [1.0, 1.0, 2.0, 3.0]);
        let many = expand(vec![(1.0, 400_000), (2.0, 300_001), (3.0, 200_000)]);
        assert_eq!((many.len(), many[many.len() / 2]), (100_001, 2.0));
        assert_eq!(expand(vec![(7.0, u64::MAX), (8.0, u64::MAX)]).len(), 100_001);
        assert!(expand(Vec::new()).is_empty());
    }
}
