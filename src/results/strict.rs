//! JSON from somebody else, looked at before it is believed: its size, its depth, and no key twice.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// Most bytes of a file that stages exchange.
pub const SIZE_LIMIT: usize = 64 << 20;
/// Deepest nesting.
const DEPTH_LIMIT: usize = 32;

/// Checks that `bytes` are one JSON value within the limits. A map with a key twice means different things to different
/// readers, so there is none.
///
/// # Errors
/// What is wrong, with line and column.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    if bytes.len() > SIZE_LIMIT {
        return Err(format!("it has {} bytes, more than {SIZE_LIMIT}", bytes.len()));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    Value(0).deserialize(&mut deserializer).and_then(|()| deserializer.end()).map_err(|error| error.to_string())
}

/// A value at a depth.
struct Value(usize);

impl<'de> DeserializeSeed<'de> for Value {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.0 > DEPTH_LIMIT {
            return Err(D::Error::custom(format!("nested deeper than {DEPTH_LIMIT} levels")));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Value(self.0 + 1))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value_seed(Value(self.0 + 1))?;
            if let Some(key) = keys.replace(key) {
                let key: String = key.chars().take(80).collect();
                return Err(A::Error::custom(format!("the key {key:?} is there twice")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn size_depth_and_keys_are_looked_at() {
        assert_eq!(check(br#"{"a": [1, -2, 3.5, "x", null, true, {"b": {}}]}"#), Ok(()));
        assert!(check(br#"{"a": {"x": 1, "x": 2}}"#).expect_err("twice").contains("\"x\" is there twice"));
        assert!(check("[".repeat(100_000).as_bytes()).expect_err("deep").contains("nested deeper"));
        assert!(check(&vec![b' '; (64 << 20) + 1]).expect_err("large").contains("bytes"));
        for broken in ["", "{", "[1,]", "NaN", "[1e999]", "{} {}", "{\"a\": 01}"] {
            assert!(check(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
