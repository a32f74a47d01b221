//! Units: one normal form, direction, exactness.

use serde::{Deserialize, Serialize};

pub mod normal;

pub use normal::{Normal, derived_from, is_cpu_time, normalise, properties};

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
