//! Units: one normal form, direction, exactness.
//!
//! [`tidy`] brings pre-scaled units to base units (`ns` → `sec`, `MB` → `B`), [`class`] says which prefixes a unit takes,
//! [`Scale`] prints values with them. All three give what benchstat gives, but `tidy` looks at the unit alone: a zero in
//! `ns/op` is a zero in `sec/op`, where benchstat leaves it in a table of its own.

mod scale;

pub use scale::Scale;
pub(crate) use scale::write_fixed;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub mod normal;

pub use normal::{Normal, derived_from, is_cpu_time, normalise, properties, quantity};

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A smaller value is better: time, bytes, allocations, instructions.
    Lower,
    /// A larger value is better: rates.
    Higher,
}

/// What is known of a unit before anybody configures it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// Which way is better; `None`: unknown.
    pub better: Option<Direction>,
    /// Values are exact by nature: allocations, instruction counts, file sizes.
    pub exact: bool,
    /// The exact rule applies when the values are constant, though the unit is not exact (`B/op`).
    pub exact_when_constant: bool,
}

/// Which prefixes a unit takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Powers of 1000: n, µ, m, k, M, G, T.
    Decimal,
    /// Powers of 1024: Ki, Mi, Gi, Ti. For units that count bytes, rates of bytes included.
    Binary,
}

/// The class of `unit`: binary if some factor of its numerator is `B`, `MB` or `bytes`.
#[must_use]
pub fn class(unit: &str) -> Class {
    let bytes = factors(unit).any(|factor| factor.numerator && matches!(factor.text, "B" | "MB" | "bytes"));
    if bytes { Class::Binary } else { Class::Decimal }
}

/// `value` and `unit` in base units: every factor `ns` of the numerator becomes `sec`, every `MB` becomes `B`.
///
/// Nothing else is changed: `ms`, `KB`, `op/ns` stay. The unit decides, never the value, so zeros and infinities are
/// tidied like every other value.
#[must_use]
pub fn tidy(value: f64, unit: &str) -> (f64, String) {
    let (tidied, factor) = tidy_unit(unit);
    (value * factor, tidied.into_owned())
}

/// The base unit of `unit`, and the number that a value in `unit` is multiplied by.
#[must_use]
pub fn tidy_unit(unit: &str) -> (Cow<'_, str>, f64) {
    match unit {
        "ns/op" => return (Cow::Borrowed("sec/op"), 1e-9),
        "MB/s" => return (Cow::Borrowed("B/s"), 1e6),
        _ if !unit.contains("ns") && !unit.contains("MB") => return (Cow::Borrowed(unit), 1.0),
        _ => {}
    }
    let mut tidied = String::with_capacity(unit.len() + 2);
    let mut scale = 1.0;
    let mut copied = 0;
    for factor in factors(unit).filter(|factor| factor.numerator) {
        let base = match factor.text {
            "ns" => {
                scale /= 1e9;
                "sec"
            }
            "MB" => {
                scale *= 1e6;
                "B"
            }
            _ => continue,
        };
        tidied.push_str(&unit[copied..factor.start]);
        tidied.push_str(base);
        copied = factor.start + factor.text.len();
    }
    if copied == 0 {
        return (Cow::Borrowed(unit), 1.0);
    }
    tidied.push_str(&unit[copied..]);
    (Cow::Owned(tidied), scale)
}

/// One factor of a unit.
struct Factor<'a> {
    /// Its text.
    text: &'a str,
    /// Where it begins in the unit, in bytes.
    start: usize,
    /// Whether it stands in the numerator.
    numerator: bool,
}

/// The factors of `unit`. `*`, `-` and blanks separate them; after `/` they are in the denominator until the next `*`.
fn factors(unit: &str) -> impl Iterator<Item = Factor<'_>> {
    let separates = |c: char| matches!(c, '*' | '/' | '-') || c.is_whitespace();
    let mut numerator = true;
    let mut start = 0;
    unit.split_inclusive(separates).filter_map(move |piece| {
        let text = piece.trim_end_matches(separates);
        let factor = Factor { text, start, numerator };
        match piece[text.len()..].chars().next() {
            Some('/') => numerator = false,
            Some('*') => numerator = true,
            _ => {}
        }
        start += piece.len();
        (!text.is_empty()).then_some(factor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures printed by the real benchstat library.
    fn vectors() -> serde_json::Value {
        let text = include_str!("../tests/data/benchstat/vectors.json");
        serde_json::from_str(text).expect("the vectors are JSON")
    }

    #[test]
    fn units_and_classes_are_those_of_benchstat() {
        let vectors = vectors();
        let rows = vectors["tidy"].as_array().expect("a list");
        assert!(rows.len() > 20);
        for row in rows {
            let unit = row["Unit"].as_str().expect("a unit");
            let (factor, tidied) = tidy(1.0, unit);
            assert_eq!(tidied, row["Tidy"].as_str().expect("a unit"), "{unit}");
            assert_eq!(factor.to_bits(), row["Factor"].as_f64().expect("a number").to_bits(), "{unit}");
            let expected = if row["Class"] == "Binary" { Class::Binary } else { Class::Decimal };
            assert_eq!(class(unit), expected, "{unit}");
        }
    }

    #[test]
    fn every_factor_of_the_numerator_is_tidied() {
        assert_eq!(tidy(1.0, "MB*MB/s"), (1e12, "B*B/s".to_owned()));
        assert_eq!(tidy(1.0, "MB/MB"), (1e6, "B/MB".to_owned()));
        assert_eq!(tidy(1.0, "op/ns*MB"), (1e6, "op/ns*B".to_owned()));
        assert_eq!(tidy(2.0, "p99 ns"), (2e-9, "p99 sec".to_owned()));
        assert_eq!(tidy(1.0, "-ns-"), (1e-9, "-sec-".to_owned()));
        assert_eq!(tidy(1.0, "turns/op"), (1.0, "turns/op".to_owned()));
        assert_eq!(tidy(1.0, "/ns"), (1.0, "/ns".to_owned()));
        assert_eq!(tidy(1.0, ""), (1.0, String::new()));
    }

    #[test]
    fn the_unit_decides_even_where_the_value_would_not_change() {
        assert_eq!(tidy(0.0, "ns/op"), (0.0, "sec/op".to_owned()));
        assert_eq!(tidy(0.0, "MB/s"), (0.0, "B/s".to_owned()));
        assert_eq!(tidy(f64::INFINITY, "wait-ns"), (f64::INFINITY, "wait-sec".to_owned()));
    }

    #[test]
    fn values_keep_their_bits() {
        // 100 · 1e-9 is not 1e-7 in binary; benchstat multiplies, so tables and CSV show the product.
        assert_eq!(tidy(100.0, "ns/op").0, 1.000_000_000_000_000_1e-7);
    }

    #[test]
    fn values_are_scaled_as_benchstat_scales_them() {
        let vectors = vectors();
        let rows = vectors["scale"].as_array().expect("a list");
        assert!(rows.len() > 200);
        for row in rows {
            let value = row["V"].as_f64().expect("a number");
            for (class, key) in [(Class::Decimal, "Dec"), (Class::Binary, "Bin")] {
                let expected = row[key].as_str().expect("text");
                assert_eq!(Scale::common([value], class).format(value), expected, "{value:e} {class:?}");
            }
        }
    }
}
