//! What inputs say of units.

use super::sample::Assumption;
use crate::format::UnitHint;
use crate::unit::{Direction, tidy_unit};
use std::collections::{BTreeMap, HashMap};

/// Statements of `Unit` lines, and of other formats, on tidied units. The first one of a unit and key holds.
#[derive(Debug, Default)]
pub(super) struct Statements(HashMap<(String, String), String>);

impl Statements {
    /// Takes a statement.
    ///
    /// # Errors
    /// Another one was made before; the words are benchstat's.
    pub(super) fn add(&mut self, unit: &str, key: &str, value: &str) -> Result<(), String> {
        let place = (tidy_unit(unit).0.into_owned(), key.to_owned());
        match self.0.get(&place) {
            Some(known) if known != value => Err(format!("metadata {key} of unit {unit} already set to {known}")),
            Some(_) => Ok(()),
            None => {
                self.0.insert(place, value.to_owned());
                Ok(())
            }
        }
    }

    /// Takes what a parser found out.
    pub(super) fn hint(&mut self, unit: &str, hint: UnitHint) {
        let better = hint.better.map(|b| if b == Direction::Higher { "higher" } else { "lower" });
        let assume = hint.exact.map(|exact| if exact { "exact" } else { "nothing" });
        for (key, value) in [("better", better), ("assume", assume)] {
            if let Some(value) = value {
                // The first statement holds; the parser has reported conflicts of its own.
                let _ = self.add(unit, key, value);
            }
        }
    }

    /// What is assumed of the values of a tidied unit.
    pub(super) fn assumption(&self, unit: &str) -> Assumption {
        let stated = self.0.get(&(unit.to_owned(), "assume".to_owned()));
        if stated.is_some_and(|value| value == "exact") { Assumption::Exact } else { Assumption::Nothing }
    }

    /// The assumptions that differ from the usual one.
    pub(super) fn assumptions(&self) -> HashMap<String, Assumption> {
        let exact = self.0.iter().filter(|((_, key), value)| key == "assume" && *value == "exact");
        exact.map(|((unit, _), _)| (unit.clone(), Assumption::Exact)).collect()
    }

    /// The same by unit, for a report.
    pub(super) fn hints(&self) -> BTreeMap<String, UnitHint> {
        let mut hints: BTreeMap<String, UnitHint> = BTreeMap::new();
        for ((unit, key), value) in &self.0 {
            let hint = hints.entry(unit.clone()).or_default();
            match (key.as_str(), value.as_str()) {
                ("better", "higher") => hint.better = Some(Direction::Higher),
                ("better", "lower") => hint.better = Some(Direction::Lower),
                ("assume", value) => hint.exact = Some(value == "exact"),
                _ => {}
            }
        }
        hints
    }
}
