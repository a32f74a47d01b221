//! The two sides of a comparison.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One side of a comparison: the commit that is compared against, or the commit under review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What the pull request is compared with, by default its merge base.
    Base,
    /// What the pull request proposes.
    Head,
}

impl Side {
    /// Both sides, base first.
    pub const BOTH: [Self; 2] = [Self::Base, Self::Head];

    /// `base` or `head`, as in the configuration and in every message.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }

    /// The opposite side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Base => Self::Head,
            Self::Head => Self::Base,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One value for each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PerSide<T> {
    /// The value of the base side.
    pub base: T,
    /// The value of the head side.
    pub head: T,
}

impl<T> PerSide<T> {
    /// A pair made by calling `make` for base, then for head.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        Self { base: make(Side::Base), head: make(Side::Head) }
    }

    /// The value of `side`.
    pub const fn get(&self, side: Side) -> &T {
        match side {
            Side::Base => &self.base,
            Side::Head => &self.head,
        }
    }

    /// The value of `side`, to be changed.
    pub const fn get_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Base => &mut self.base,
            Side::Head => &mut self.head,
        }
    }

    /// A pair with `f` applied to both values, base first.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> PerSide<U> {
        PerSide { base: f(self.base), head: f(self.head) }
    }

    /// A pair of references.
    pub const fn as_ref(&self) -> PerSide<&T> {
        PerSide { base: &self.base, head: &self.head }
    }
}
