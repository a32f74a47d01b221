//! The first look at a configuration file: is it YAML without traps, and which keys does it set.

use super::error::{Fault, Place};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Reads `text` once and gives the places that it sets.
///
/// # Errors
/// Duplicate keys, empty values and tags, each with its place; `None` instead of a fault for text that is not YAML.
/// Either way with the position.
pub(super) fn scan(text: &str) -> Result<BTreeSet<String>, (Option<Fault>, serde_yaml::Error)> {
    let mut seen = Seen::default();
    let look = Look { place: Place::ROOT, seen: &mut seen };
    match look.deserialize(serde_yaml::Deserializer::from_str(text)) {
        Ok(()) => Ok(seen.places),
        Err(error) => Err((seen.fault, error)),
    }
}

#[derive(Default)]
struct Seen {
    places: BTreeSet<String>,
    fault: Option<Fault>,
}

/// Looks at one node.
struct Look<'a> {
    place: Place,
    seen: &'a mut Seen,
}

impl Look<'_> {
    fn refuse<E: serde::de::Error>(self, message: &str) -> E {
        self.seen.fault = Some(self.place.fault(message));
        E::custom(message)
    }
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! scalars {
    ($($visit:ident: $type:ty),*) => {
        $(fn $visit<E: serde::de::Error>(self, _: $type) -> Result<(), E> {
            self.seen.places.insert(self.place.to_string());
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        // A file of comments only is a file without keys.
        if self.place == Place::ROOT {
            return Ok(());
        }
        Err(self.refuse("has no value; give it one or remove the key"))
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.refuse("YAML tags (`!word`) have no meaning here"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.seen.places.insert(self.place.to_string());
        let mut index = 0;
        while seq.next_element_seed(Look { place: self.place.index(index), seen: &mut *self.seen })?.is_some() {
            index += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.seen.places.insert(self.place.to_string());
        let mut keys = BTreeSet::new();
        while let Some(key) = map.next_key_seed(Key { keys: &keys, place: &self.place, seen: &mut *self.seen })? {
            map.next_value_seed(Look { place: self.place.key(&key), seen: &mut *self.seen })?;
            keys.insert(key);
        }
        Ok(())
    }
}

/// Reads one key, and refuses one that was there already.
struct Key<'a> {
    keys: &'a BTreeSet<String>,
    place: &'a Place,
    seen: &'a mut Seen,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one word as key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<String, E> {
        if self.keys.contains(key) {
            self.seen.fault = Some(self.place.key(key).key_fault("is there twice"));
            return Err(E::custom("duplicate key"));
        }
        Ok(key.to_owned())
    }
}
