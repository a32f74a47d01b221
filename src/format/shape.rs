//! The outline of a JSON document: enough to tell whose it is, without holding its data.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Levels that are looked at.
const DEPTH: usize = 6;
/// Members of an object, and elements of an array, that are kept.
const MEMBERS: usize = 64;
const ELEMENTS: usize = 2;
/// Characters of a string that are kept.
const CHARACTERS: usize = 64;

/// The outline of a JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Members in order, the first 64.
    Object(Vec<(String, Shape)>),
    /// The first two elements.
    Array(Vec<Shape>),
    /// A string's first characters.
    Text(String),
    /// A number.
    Number,
    /// `true`, `false`, `null`, or anything too deep.
    Other,
}

impl Shape {
    /// The value of a member.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// An element of an array (only the first two are known).
    pub(super) fn at(&self, index: usize) -> Option<&Self> {
        match self {
            Self::Array(elements) => elements.get(index),
            _ => None,
        }
    }

    /// Whether this is an object with all of `keys`.
    pub(super) fn has(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.get(key).is_some())
    }

    /// The first element of the array at `key`.
    pub(super) fn first(&self, key: &str) -> Option<&Self> {
        self.get(key)?.at(0)
    }

    /// Whether the member is an empty array.
    pub(super) fn is_empty_array(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Self::Array(elements)) if elements.is_empty())
    }

    /// The value of a string member.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The members of an object.
    pub(super) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Level(DEPTH).deserialize(deserializer)
    }
}

/// Reads an outline with so many levels.
struct Level(usize);

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        if self.0 == 0 {
            IgnoredAny::deserialize(deserializer)?;
            return Ok(Shape::Other);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Number)
    }

    fn visit_str<E>(self, text: &str) -> Result<Shape, E> {
        Ok(Shape::Text(text.chars().take(CHARACTERS).collect()))
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Shape, A::Error> {
        let mut elements = Vec::new();
        while elements.len() < ELEMENTS {
            match sequence.next_element_seed(Self(self.0 - 1))? {
                Some(element) => elements.push(element),
                None => return Ok(Shape::Array(elements)),
            }
        }
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Shape::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let mut members = Vec::new();
        while members.len() < MEMBERS {
            match map.next_key::<String>()? {
                Some(key) => members.push((key, map.next_value_seed(Self(self.0 - 1))?)),
                None => return Ok(Shape::Object(members)),
            }
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Shape::Object(members))
    }
}
