//! Single values as people write them: `10m`, `2%`, `on`, `3.4GHz`, one word or a list of words.

use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// A duration such as `10m`, `1h30m`, `90s` or `500ms`.
///
/// # Errors
/// What is wrong with it, for a user.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let wanted = "a duration such as `90s`, `10m` or `1h30m`";
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(match text.bytes().all(|b| b"0.".contains(&b)) {
            true => format!("`{text}` is no time: write one such as `10m`"),
            false => format!("`{text}` has no unit: write `{text}s` or `{text}m`"),
        });
    }
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, tail) = tail.split_at(letters);
        let scale = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(format!("expected {wanted}")),
        };
        seconds += number.parse::<f64>().map_err(|_| format!("expected {wanted}"))? * scale;
        rest = tail.trim_start();
    }
    if text.is_empty() || seconds > 366.0 * 86_400.0 {
        return Err(format!("expected {wanted}"));
    }
    // Whole milliseconds, so that a sum of parts has no rounding dust.
    Ok(Duration::from_secs_f64((seconds * 1000.0).round() / 1000.0))
}

/// A relative size such as `2%` or `0.02`, as a ratio.
///
/// # Errors
/// What is wrong with it, for a user.
pub fn parse_ratio(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let wanted = || "expected a relative size such as `2%` or `0.02`".to_owned();
    let plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let (digits, percent) = match text.strip_suffix('%') {
        Some(digits) => (digits.trim_end(), true),
        None => (text, false),
    };
    if !plain(digits) {
        return Err(wanted());
    }
    let value: f64 = digits.parse().map_err(|_| wanted())?;
    if percent {
        return Ok(value / 100.0);
    }
    if value >= 1.0 {
        return Err(format!("`{text}` would be {} %: write `{text}%`, or a ratio below 1", value * 100.0));
    }
    Ok(value)
}

/// A frequency such as `3.4GHz` or `800MHz`, in kHz.
fn parse_frequency(text: &str) -> Result<u64, String> {
    let wanted = || "expected a frequency such as `3.4GHz` or `800MHz`".to_owned();
    let text = text.trim();
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wanted)?;
    let (number, unit) = text.split_at(unit);
    let scale = match unit.to_ascii_lowercase().as_str() {
        "khz" => 1.0,
        "mhz" => 1e3,
        "ghz" => 1e6,
        _ => return Err(wanted()),
    };
    let value: f64 = number.trim().parse().map_err(|_| wanted())?;
    let khz = (value * scale).round();
    if !(1.0..=1e9).contains(&khz) {
        return Err(wanted());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 1e9")]
    Ok(khz as u64)
}

fn parse_switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err("expected `on` or `off`".to_owned()),
    }
}

/// Whether a reader cannot see `c`: zero-width and bidirectional control characters.
pub(crate) fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Makes a type that is read from one scalar by a function.
macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $parse:expr, $expecting:literal, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(super) struct $name(pub(super) $inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }
                    fn visit_str<E: Error>(self, text: &str) -> Result<$name, E> {
                        $parse(text).map($name).map_err(E::custom)
                    }
                }
                // YAML hands every plain scalar over as the text that stands in the file.
                deserializer.deserialize_str(Text)
            }
        }

        #[cfg(test)]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

scalar!(
    /// A duration.
    Time, Duration, parse_duration, "a duration such as `10m`",
    { "type": "string", "pattern": "^\\s*([0-9.]+(ms|s|m|min|h)\\s*)+$", "examples": ["90s", "10m", "1h30m"] }
);
scalar!(
    /// A relative size, as a ratio.
    Ratio, f64, parse_ratio, "a relative size such as `2%`",
    { "oneOf": [
        { "type": "string", "pattern": "^\\s*([0-9.]+\\s*%|0?\\.[0-9]+|0)\\s*$" },
        { "type": "number", "minimum": 0, "exclusiveMaximum": 1 }
    ], "examples": ["2%", 0.02] }
);
scalar!(
    /// A frequency in kHz.
    Frequency, u64, parse_frequency, "a frequency such as `3.4GHz`",
    { "type": "string", "pattern": "^\\s*[0-9.]+\\s*([kK]|[mM]|[gG])[hH][zZ]\\s*$", "examples": ["3.4GHz", "800MHz"] }
);
scalar!(
    /// On or off.
    Switch, bool, parse_switch, "`on` or `off`",
    { "enum": ["on", "off", true, false] }
);

/// One word, or a list of words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OneOrMany<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Words<T> {
            type Value = OneOrMany<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word or a list of words")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
                T::deserialize(StrDeserializer::new(word)).map(|word| OneOrMany(vec![word]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = seq.next_element()? {
                    words.push(word);
                }
                Ok(OneOrMany(words))
            }
        }
        deserializer.deserialize_any(Words(PhantomData))
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for OneOrMany<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<T>();
        schemars::json_schema!({ "oneOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

/// Any scalar, read as the text that stands in the file: only for the schema.
#[cfg(test)]
pub(super) struct AnyScalar;

#[cfg(test)]
impl schemars::JsonSchema for AnyScalar {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scalar".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["string", "number", "boolean"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let good = [
            ("10m", 600.0),
            ("90s", 90.0),
            ("1h30m", 5400.0),
            ("500ms", 0.5),
            ("1.5h", 5400.0),
            ("1h 5s", 3605.0),
            (" 5min ", 300.0),
            ("0s", 0.0),
        ];
        for (text, seconds) in good {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in ["", "m", "10", "10x", "-5m", "5m-", "1e3s", "nan", "1..5s", "10 m m", "9999999999h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        assert_eq!(parse_duration("300").unwrap_err(), "`300` has no unit: write `300s` or `300m`");
    }

    #[test]
    fn relative_sizes() {
        for (text, ratio) in [("2%", 0.02), ("0.02", 0.02), ("2.5 %", 0.025), ("0", 0.0), ("150%", 1.5), (".5", 0.5)] {
            assert_eq!(parse_ratio(text), Ok(ratio), "{text}");
        }
        for text in ["", "%", "-1%", "inf", "nan", "1e-2", "2 percent", "+2%"] {
            assert!(parse_ratio(text).is_err(), "{text}");
        }
        assert_eq!(parse_ratio("2").unwrap_err(), "`2` would be 200 %: write `2%`, or a ratio below 1");
    }

    #[test]
    fn frequencies_and_switches() {
        assert_eq!(parse_frequency("3.4GHz"), Ok(3_400_000));
        assert_eq!(parse_frequency("800 mhz"), Ok(800_000));
        assert!(parse_frequency("3400").is_err());
        assert!(parse_frequency("0GHz").is_err());
        assert_eq!(parse_switch("Off"), Ok(false));
        assert_eq!(parse_switch("true"), Ok(true));
        assert!(parse_switch("0").is_err());
    }
}
