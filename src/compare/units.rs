//! What a row's unit means for its verdict: configuration before the tool's own word before what is known anyway.

use crate::config::{Compare, UnitPolicy};
use crate::format::UnitHint;
use crate::unit::{self, Direction};

/// How rows of one unit are judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UnitRules {
    /// Which way is better; `None`: unknown, so no verdict word.
    pub(super) better: Option<Direction>,
    /// Values are exact.
    pub(super) exact: bool,
    /// Constant values are compared as exact ones.
    pub(super) exact_when_constant: bool,
    /// Relative threshold of the ordinary test.
    pub(super) relative: f64,
    /// Relative threshold of the exact rule.
    pub(super) exact_relative: f64,
    /// Absolute threshold, in the unit, of rows that have no relative one.
    pub(super) absolute: Option<f64>,
}

impl UnitRules {
    /// The rules of `unit`. `hint` is what the benchmark's output said of it.
    pub(super) fn of(unit: &str, hint: Option<&UnitHint>, compare: &Compare) -> Self {
        let policy = compare.units.get(unit).copied().unwrap_or_else(UnitPolicy::default);
        let hint = hint.copied().unwrap_or_default();
        let known = unit::properties(unit);
        let said = policy.exact.or(hint.exact);
        let exact = said.unwrap_or(known.exact);
        let relative = threshold(policy.threshold.unwrap_or(compare.threshold));
        Self {
            better: policy.better.or(hint.better).or(known.better),
            exact,
            exact_when_constant: exact || (known.exact_when_constant && said.is_none()),
            relative,
            exact_relative: if exact { threshold(policy.threshold.unwrap_or(0.0)) } else { relative },
            absolute: policy.absolute.map(threshold),
        }
    }
}

/// A threshold that is never negative; one that is not a number is 0, which takes the least for granted.
const fn threshold(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.0 }
}
