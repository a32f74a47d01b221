//! Line and column of a key or value.
//!
//! The YAML deserializer tells a position only with an error. So the file is read once more, down to the wanted node,
//! which then refuses itself.

use super::error::{Part, Place, Step};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Line and column, from 1, of the node at `place`, or of the nearest node above it that exists; `None` for a file
/// that cannot be read at all.
pub(super) fn locate(text: &str, place: &Place, part: Part) -> Option<(usize, usize)> {
    let steps = place.steps();
    // A missing key is shown at the mapping that lacks it.
    (0..=steps.len()).rev().find_map(|depth| {
        let part = if depth == steps.len() { part } else { Part::Value };
        find(text, &steps[..depth], part)
    })
}

/// The node at exactly `steps`.
fn find(text: &str, steps: &[Step], part: Part) -> Option<(usize, usize)> {
    let mut found = false;
    let walk = Walk { steps, part, found: &mut found };
    let error = walk.deserialize(serde_yaml::Deserializer::from_str(text)).err()?;
    let location = error.location().filter(|_| found)?;
    Some((location.line(), location.column()))
}

/// Walks to the node and fails there.
struct Walk<'a> {
    steps: &'a [Step],
    part: Part,
    found: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Walk<'_> {
    /// What every node that is not stepped into does: be the wanted one, or a dead end.
    fn stop<E: serde::de::Error>(self) -> Result<(), E> {
        *self.found = self.steps.is_empty();
        Err(E::custom("located"))
    }
}

macro_rules! scalars {
    ($($visit:ident: $type:ty),*) => {
        $(fn $visit<E: serde::de::Error>(self, _: $type) -> Result<(), E> { self.stop() })*
    };
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.stop()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Some((Step::Index(index), rest)) = self.steps.split_first() else { return self.stop() };
        for _ in 0..*index {
            if seq.next_element::<IgnoredAny>()?.is_none() {
                return Err(A::Error::custom("no such item"));
            }
        }
        seq.next_element_seed(Walk { steps: rest, ..self }).map(drop)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((Step::Key(wanted), rest)) = self.steps.split_first() else { return self.stop() };
        let is_target = rest.is_empty() && self.part == Part::Key;
        while let Some(here) = map.next_key_seed(Key { wanted, refuse: is_target, found: &mut *self.found })? {
            if here {
                return map.next_value_seed(Walk { steps: rest, ..self });
            }
            map.next_value::<IgnoredAny>()?;
        }
        Err(A::Error::custom("no such key"))
    }
}

/// Says whether a key is the wanted one, or fails at it.
struct Key<'a> {
    wanted: &'a str,
    refuse: bool,
    found: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<bool, E> {
        let here = key == self.wanted;
        if here && self.refuse {
            *self.found = true;
            return Err(E::custom("located"));
        }
        Ok(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "rounds: {fixed: 20}\nsuites:\n  - name: codec\n    env:\n      A: \"1\"\n  - run: |\n      x\n    base: {timeout: 5m}\n";

    #[test]
    fn keys_and_values_are_found_at_every_depth() {
        let suites = Place::ROOT.key("suites");
        let cases = [
            (Place::ROOT.key("rounds").key("fixed"), Part::Value, (1, 17)),
            (Place::ROOT.key("rounds").key("fixed"), Part::Key, (1, 10)),
            (suites.index(0).key("name"), Part::Value, (3, 11)),
            (suites.index(0).key("env").key("A"), Part::Value, (5, 10)),
            (suites.index(0).key("env").key("A"), Part::Key, (5, 7)),
            (suites.index(1), Part::Value, (6, 5)),
            (suites.index(1).key("base").key("timeout"), Part::Value, (8, 21)),
        ];
        for (place, part, expected) in cases {
            assert_eq!(locate(TEXT, &place, part), Some(expected), "{place} {part:?}");
        }
    }

    #[test]
    fn a_missing_key_is_shown_at_the_mapping_that_lacks_it() {
        let place = Place::ROOT.key("suites").index(0).key("run");
        assert_eq!(locate(TEXT, &place, Part::Value), Some((3, 5)));
        assert_eq!(locate(TEXT, &Place::ROOT.key("budget"), Part::Key), Some((1, 1)));
    }

    #[test]
    fn aliases_are_followed() {
        let text = "a: &x {b: 1}\nc: *x\n";
        assert!(locate(text, &Place::ROOT.key("c").key("b"), Part::Value).is_some());
    }
}
