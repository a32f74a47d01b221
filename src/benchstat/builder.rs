//! Results are sorted into tables, rows and columns.

use super::filter::Filter;
use super::hash::FastMap;
use super::intern::{Interner, Symbol};
use super::projection::{KeyId, Observation, Parser, Projection};
use super::syntax::SyntaxError;
use crate::unit::tidy_unit;

/// How results are sorted: benchstat's expressions, see [`Filter`] for `filter`.
///
/// A projection is a list of keys separated by blanks or commas: `.name`, `.fullname`, `/sub-name key`, `/gomaxprocs`,
/// `.file`, `.config` (all configuration) or a configuration key, each with an optional order: `@alpha`, `@num`, or
/// `@(value …)`, which also excludes every other value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expressions {
    /// What makes a table; the unit always does too.
    pub table: String,
    /// What makes a row.
    pub row: String,
    /// What makes a column.
    pub col: String,
    /// What is ignored: results that differ in it only are samples of one cell.
    pub ignore: String,
    /// Which results are used.
    pub filter: String,
}

impl Expressions {
    /// Whether all of them can be read.
    ///
    /// # Errors
    /// The first one that cannot, with the place.
    pub fn check(&self) -> Result<(), ExpressionError> {
        Builder::new(self).map(|_| ())
    }

    /// Whether results are sorted as usual, all of them used.
    pub(super) fn are_usual(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Expressions {
    fn default() -> Self {
        let text = str::to_owned;
        Self { table: text(".config"), row: text(".fullname"), col: text(".file"), ignore: text(""), filter: text("*") }
    }
}

/// An expression that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("parsing --{option}: {error}")]
pub struct ExpressionError {
    /// The option that it was given for, without dashes.
    pub option: &'static str,
    /// What is wrong.
    pub error: SyntaxError,
}

/// A value of a result: the number and unit as printed.
pub(super) type Printed<'v> = (f64, &'v str);

/// Sorts results.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) symbols: Interner,
    pub(super) table: Projection,
    pub(super) row: Projection,
    pub(super) col: Projection,
    pub(super) residue: Projection,
    filter: Filter,
    pub(super) tables: Vec<Group>,
    by_key: FastMap<KeyId, usize>,
    pub(super) cells: Vec<Cell>,
    /// All values in the order read: the place of the cell, the value. One list instead of one a cell, since most cells
    /// are small and there are many.
    pub(super) samples: Vec<(u32, f64)>,
    units: Units,
    /// What the results of a name so far were sorted into, as long as input and configuration stay the same.
    known: FastMap<Symbol, usize>,
    places: Vec<Place>,
    last: Option<usize>,
    /// The name behind `last`: samples of one benchmark mostly follow one another.
    last_name: String,
    state: (u32, u32),
    /// The table projection has read the observation that is being added.
    table_is_read: bool,
}

/// The cells of one table key.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) key: KeyId,
    /// Places in `Builder::cells`, by row and column.
    pub(super) cells: FastMap<(KeyId, KeyId), usize>,
}

/// The samples of one table, row and column.
#[derive(Debug, Default)]
pub(super) struct Cell {
    /// How many values it has.
    pub(super) n: u32,
    /// What is left over of the first result and of the last one.
    leftover: Option<(KeyId, KeyId)>,
    /// The fields of the residue in which its results differ.
    pub(super) varying: Vec<usize>,
    /// The input and line of the first value.
    pub(super) origin: (u32, u32),
    /// The smallest number of iterations behind a value, where the input tells.
    pub(super) iterations: Option<u64>,
}

/// Where a result comes from, and how much is behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The input, and the version of its configuration: results that have both in common have the same label and
    /// configuration.
    pub(super) state: (u32, u32),
    /// The line, from 1.
    pub(super) line: usize,
    /// Iterations, where the input tells.
    pub(super) iterations: Option<u64>,
}

/// Where the results of one name go.
#[derive(Debug)]
struct Place {
    row: KeyId,
    col: KeyId,
    residue: KeyId,
    /// By unit, as many as are found sooner one by one than by hashing.
    cells: Vec<(UnitId, usize)>,
    /// The others.
    more_cells: FastMap<UnitId, usize>,
}

impl Place {
    /// Units of which a list is searched.
    const LISTED: usize = 8;

    fn cell(&self, unit: UnitId) -> Option<usize> {
        let listed = self.cells.iter().find(|(known, _)| *known == unit).map(|(_, cell)| *cell);
        if self.cells.len() < Self::LISTED { listed } else { listed.or_else(|| self.more_cells.get(&unit).copied()) }
    }

    fn note(&mut self, unit: UnitId, cell: usize) {
        if self.cells.len() < Self::LISTED {
            self.cells.push((unit, cell));
        } else {
            self.more_cells.insert(unit, cell);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct UnitId(usize);

/// The units seen: as printed, tidied, the factor between the two.
#[derive(Debug, Default)]
struct Units {
    known: Vec<(Box<str>, Symbol, f64)>,
    by_name: FastMap<Box<str>, UnitId>,
    /// The unit that followed each one last time: lines of a run have the same units in the same order.
    after: Vec<UnitId>,
    last: Option<UnitId>,
}

impl Units {
    fn get(&mut self, unit: &str, symbols: &mut Interner) -> UnitId {
        let guess = self.last.map(|last| self.after[last.0]);
        if let Some(id) = guess.filter(|guess| *self.known[guess.0].0 == *unit) {
            self.last = Some(id);
            return id;
        }
        let id = self.find(unit, symbols);
        if let Some(last) = self.last.replace(id) {
            self.after[last.0] = id;
        }
        id
    }

    fn find(&mut self, unit: &str, symbols: &mut Interner) -> UnitId {
        if let Some(id) = self.by_name.get(unit) {
            return *id;
        }
        let (tidied, factor) = tidy_unit(unit);
        let id = UnitId(self.known.len());
        self.known.push((unit.into(), symbols.get(&tidied), factor));
        self.by_name.insert(unit.into(), id);
        self.after.push(id);
        id
    }
}

impl Builder {
    /// A builder that sorts by `expressions`.
    pub(super) fn new(expressions: &Expressions) -> Result<Self, ExpressionError> {
        let at = |option| move |error| ExpressionError { option, error };
        let mut filter = Filter::parse(&expressions.filter).map_err(at("filter"))?;
        let mut parser = Parser::default();
        let table = parser.parse(&expressions.table, &mut filter, true).map_err(at("table"))?;
        let row = parser.parse(&expressions.row, &mut filter, false).map_err(at("row"))?;
        let col = parser.parse(&expressions.col, &mut filter, false).map_err(at("col"))?;
        parser.parse(&expressions.ignore, &mut filter, false).map_err(at("ignore"))?;
        let residue = parser.residue();
        let [table, row, col, residue] = parser.finish([table, row, col, residue]);
        Ok(Self {
            symbols: Interner::default(),
            table,
            row,
            col,
            residue,
            filter,
            tables: Vec::new(),
            by_key: FastMap::default(),
            cells: Vec::new(),
            samples: Vec::new(),
            units: Units::default(),
            known: FastMap::default(),
            places: Vec::new(),
            last: None,
            last_name: String::new(),
            state: (u32::MAX, 0),
            table_is_read: false,
        })
    }

    /// Makes room for the values of a text of `bytes` bytes: about as many as one of Go's with three units has.
    pub(super) fn expect(&mut self, bytes: usize) {
        self.samples.reserve(bytes / 32);
    }

    /// Adds a result.
    pub(super) fn add<'v>(
        &mut self,
        origin: Origin,
        observation: &Observation<'_>,
        values: impl Iterator<Item = Printed<'v>> + Clone,
    ) {
        if !self.filter.is_everything() {
            return self.add_filtered(origin, observation, values);
        }
        self.enter(origin.state, observation);
        for value in values {
            self.value(origin, observation, value);
        }
    }

    /// [`Builder::add`] where the filter must be asked. A result of which nothing is left is not seen at all: it makes no
    /// key and no order.
    fn add_filtered<'v>(
        &mut self,
        origin: Origin,
        observation: &Observation<'_>,
        values: impl Iterator<Item = Printed<'v>> + Clone,
    ) {
        let tidied: Vec<_> = values.clone().map(|(_, unit)| (unit, tidy_unit(unit).0)).collect();
        let units: Vec<(&str, &str)> = tidied.iter().map(|(printed, tidied)| (*printed, &**tidied)).collect();
        let held = self.filter.values(observation, &units);
        if !held.contains(&true) {
            return;
        }
        self.enter(origin.state, observation);
        for (value, _) in values.zip(held).filter(|(_, held)| *held) {
            self.value(origin, observation, value);
        }
    }

    /// Finds where results of the observation's name go.
    fn enter(&mut self, state: (u32, u32), observation: &Observation<'_>) {
        if self.state != state {
            self.state = state;
            self.known.clear();
            self.places.clear();
            self.last = None;
            self.table_is_read = false;
        }
        if self.last.is_some() && self.last_name == observation.name {
            return;
        }
        self.last_name.clear();
        self.last_name.push_str(observation.name);
        let name = self.symbols.get(observation.name);
        if let Some(at) = self.known.get(&name) {
            self.last = Some(*at);
            return;
        }
        let place = Place {
            row: self.row.project(observation, &mut self.symbols),
            col: self.col.project(observation, &mut self.symbols),
            residue: self.residue.project(observation, &mut self.symbols),
            cells: Vec::new(),
            more_cells: FastMap::default(),
        };
        self.places.push(place);
        self.known.insert(name, self.places.len() - 1);
        self.last = Some(self.places.len() - 1);
    }

    /// Adds one value of the result that was entered last.
    fn value(&mut self, origin: Origin, observation: &Observation<'_>, (value, unit): Printed<'_>) {
        let unit = self.units.get(unit, &mut self.symbols);
        let Some(place) = self.last.and_then(|at| self.places.get_mut(at)) else { return };
        let cell = match place.cell(unit) {
            Some(cell) => cell,
            None => {
                if !self.table_is_read || self.table.looks_at_names() {
                    self.table.populate(observation, &mut self.symbols);
                    self.table_is_read = true;
                }
                let key = self.table.key_of_unit(self.units.known[unit.0].1);
                let table = *self.by_key.entry(key).or_insert_with(|| {
                    self.tables.push(Group { key, cells: FastMap::default() });
                    self.tables.len() - 1
                });
                let cell = *self.tables[table].cells.entry((place.row, place.col)).or_insert_with(|| {
                    let origin = (origin.state.0, u32::try_from(origin.line).unwrap_or(u32::MAX));
                    self.cells.push(Cell { origin, ..Cell::default() });
                    self.cells.len() - 1
                });
                place.note(unit, cell);
                cell
            }
        };
        self.samples.push((u32::try_from(cell).unwrap_or(u32::MAX), value * self.units.known[unit.0].2));
        let cell = &mut self.cells[cell];
        cell.n += 1;
        cell.iterations = cell.iterations.min(origin.iterations).or(cell.iterations).or(origin.iterations);
        match &mut cell.leftover {
            None => cell.leftover = Some((place.residue, place.residue)),
            Some((_, last)) if *last == place.residue => {}
            Some((first, last)) => {
                *last = place.residue;
                for field in self.residue.differing(*first, place.residue) {
                    if !cell.varying.contains(&field) {
                        cell.varying.push(field);
                    }
                }
            }
        }
    }
}
