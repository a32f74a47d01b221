//! Rows that look as if they should be compared and are not: benchstat does not tell.

use super::input::Input;
use super::projection::KeyId;
use super::table::{Cell, Row, Table, Tables};
use crate::format::go::name;
use crate::report::{Warning, WarningLevel};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Configuration that is the machine's.
const MACHINE: [&str; 3] = ["goos", "goarch", "cpu"];

/// What differences between inputs lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Rows are not compared.
    Apart,
    /// Rows are paired all the same, where only one pair is possible.
    Paired,
}

/// Everything that keeps rows of the inputs apart, or makes them unlike. `inputs` are in the order of their numbers.
pub(super) fn warnings(tables: &Tables, inputs: &[Input], effect: Effect) -> Vec<Warning> {
    let view = View { tables, inputs, effect, columns: tables.columns() };
    let mut warnings = Vec::new();
    let mut joined = HashSet::new();
    view.split_rows(&mut warnings, &mut joined, false);
    view.split_suffixes(&mut warnings, &mut joined);
    view.split_rows(&mut warnings, &mut joined, true);
    view.unequal_sizes(&mut warnings);
    view.mixed_machines(&mut warnings);
    warnings
}

/// A row of a table, as two places.
type Place = (usize, usize);

struct View<'t> {
    tables: &'t Tables,
    inputs: &'t [Input],
    effect: Effect,
    /// How many columns there are in all tables.
    columns: usize,
}

/// Rows that are kept apart by the same difference.
struct Apart<'t> {
    rows: usize,
    example: String,
    cells: [&'t Cell; 2],
}

impl<'t> View<'t> {
    fn row(&self, (table, row): Place) -> &'t Row {
        &self.tables.tables[table].rows[row]
    }

    fn text(&self, row: &Row) -> String {
        self.tables.builder.row.text(row.key, &self.tables.builder.symbols)
    }

    fn column(&self, table: &Table, col: usize) -> String {
        let key = table.cols.get(col).copied();
        key.map_or_else(String::new, |key| self.tables.builder.col.text(key, &self.tables.builder.symbols))
    }

    /// The keys of a row's columns.
    fn columns_of(&self, (table, row): Place) -> Vec<KeyId> {
        let cols = &self.tables.tables[table].cols;
        self.row((table, row)).cells.iter().map(|(col, _)| cols[*col]).collect()
    }

    /// Where a cell's first value stands.
    fn place(&self, cell: &Cell) -> String {
        let (input, line) = cell.origin;
        let path = self.inputs.get(input as usize).map_or("", |input| input.path.as_str());
        if line == 0 { path.to_owned() } else { format!("{path}:{line}") }
    }

    /// Rows of one name and unit that no column has in two tables, though each table has it in some.
    ///
    /// `any_suffix`: names count as the same whatever their `-N` is.
    fn split_rows(&self, warnings: &mut Vec<Warning>, joined: &mut HashSet<Place>, any_suffix: bool) {
        let mut by_name: BTreeMap<(usize, String), Vec<Place>> = BTreeMap::new();
        let mut units: HashMap<&str, usize> = HashMap::new();
        for (t, table) in self.tables.tables.iter().enumerate() {
            let next = units.len();
            let unit = *units.entry(&table.unit).or_insert(next);
            let incomplete = |r: &usize| table.rows[*r].cells.len() < self.columns;
            for r in (0..table.rows.len()).filter(incomplete).filter(|r| !joined.contains(&(t, *r))) {
                let text = self.text(&table.rows[r]);
                let name = if any_suffix { name::split_procs(&text).0.to_owned() } else { text };
                by_name.entry((unit, name)).or_default().push((t, r));
            }
        }
        let mut apart: BTreeMap<Vec<(&str, String, String)>, Apart<'_>> = BTreeMap::new();
        for ((_, name), places) in by_name.iter().filter(|(_, places)| places.len() > 1) {
            let Some((a, b)) = self.first_apart(places) else { continue };
            // In the order of the inputs, whatever the order of the tables.
            let input = |place| self.row(place).cells[0].1.origin.0;
            let (a, b) = if input(a) <= input(b) { (a, b) } else { (b, a) };
            let mut differences = self.differences(a.0, b.0);
            if any_suffix {
                let suffix = |place| name::split_procs(&self.text(self.row(place))).1.unwrap_or("").to_owned();
                let (x, y) = (suffix(a), suffix(b));
                if x != y {
                    differences.push(("/gomaxprocs", x, y));
                }
            }
            joined.extend([a, b]);
            let (first, second) = (&self.row(a).cells[0].1, &self.row(b).cells[0].1);
            let entry = apart.entry(differences).or_insert_with(|| Apart {
                rows: 0,
                example: name.clone(),
                cells: [first, second],
            });
            entry.rows += 1;
        }
        for (differences, rows) in apart {
            warnings.push(self.apart(&differences, &rows));
        }
    }

    /// Two of `places` that have no column in common.
    fn first_apart(&self, places: &[Place]) -> Option<(Place, Place)> {
        // Few tables hold one name; with very many, looking at the first ones is enough to tell.
        let places = &places[..places.len().min(20)];
        for (at, a) in places.iter().enumerate() {
            for b in &places[at + 1..] {
                let (left, right) = (self.columns_of(*a), self.columns_of(*b));
                if a.0 != b.0 && !left.iter().any(|col| right.contains(col)) {
                    return Some((*a, *b));
                }
            }
        }
        None
    }

    /// The table keys in which two tables differ, with the values of both.
    fn differences(&self, a: usize, b: usize) -> Vec<(&'t str, String, String)> {
        let builder = &self.tables.builder;
        let value = |t: usize, at| builder.symbols.text(builder.table.value(self.tables.tables[t].key, at)).to_owned();
        let fields = builder.table.shown().into_iter();
        fields.map(|(at, name)| (name, value(a, at), value(b, at))).filter(|(_, a, b)| a != b).collect()
    }

    fn apart(&self, differences: &[(&str, String, String)], rows: &Apart<'_>) -> Warning {
        let shown = |value: &str| if value.is_empty() { "not set".to_owned() } else { format!("{value:?}") };
        let labels = rows
            .cells
            .map(|cell| self.inputs.get(cell.origin.0 as usize).map_or_else(String::new, |input| input.label.clone()));
        let reasons: Vec<String> = differences
            .iter()
            .map(|(key, a, b)| format!("{key} is {} in {} and {} in {}", shown(a), labels[0], shown(b), labels[1]))
            .collect();
        let keys: Vec<&str> = differences.iter().map(|(key, ..)| *key).collect();
        let places = rows.cells.map(|cell| self.place(cell));
        let reasons = reasons.join(", ");
        let example = format!("first {} ({} and {})", rows.example, places[0], places[1]);
        let number = count(rows.rows, "row", "rows");
        let message = match self.effect {
            Effect::Apart => {
                let verb = if rows.rows == 1 { "is" } else { "are" };
                let keys = keys.join(",");
                format!("{number} of both inputs {verb} not compared: {reasons}; {example}; --ignore {keys} joins them")
            }
            Effect::Paired => format!("{number} of both inputs would be the same but for this: {reasons}; {example}"),
        };
        let place = places[1].clone();
        Warning { level: WarningLevel::Warning, code: "rows-apart".to_owned(), message, place }
    }

    /// Rows of one table that differ in their `-N` suffix only.
    fn split_suffixes(&self, warnings: &mut Vec<Warning>, joined: &mut HashSet<Place>) {
        let mut apart: BTreeMap<(String, String), Apart<'_>> = BTreeMap::new();
        for (t, table) in self.tables.tables.iter().enumerate().filter(|(_, table)| table.cols.len() > 1) {
            let mut by_stem: HashMap<String, Vec<usize>> = HashMap::new();
            for (r, row) in table.rows.iter().enumerate().filter(|(_, row)| row.cells.len() < table.cols.len()) {
                by_stem.entry(name::split_procs(&self.text(row)).0.to_owned()).or_default().push(r);
            }
            let mut stems: Vec<&Vec<usize>> = by_stem.values().filter(|rows| rows.len() > 1).collect();
            stems.sort_unstable();
            for rows in stems {
                let only_base = rows.iter().find(|r| table.rows[**r].cells.iter().all(|(col, _)| *col == 0));
                let without_base = rows.iter().find(|r| table.rows[**r].base().is_none());
                let (Some(a), Some(b)) = (only_base, without_base) else { continue };
                let texts = [a, b].map(|r| self.text(&table.rows[*r]));
                let suffix = |text: &str| name::split_procs(text).1.unwrap_or("").to_owned();
                joined.extend([(t, *a), (t, *b)]);
                let entry = apart.entry((suffix(&texts[0]), suffix(&texts[1]))).or_insert_with(|| Apart {
                    rows: 0,
                    example: name::split_procs(&texts[0]).0.to_owned(),
                    cells: [&table.rows[*a].cells[0].1, &table.rows[*b].cells[0].1],
                });
                entry.rows += 1;
            }
        }
        for ((a, b), rows) in apart {
            warnings.push(self.apart(&[("/gomaxprocs", a, b)], &rows));
        }
    }

    /// Rows whose samples are of different sizes.
    fn unequal_sizes(&self, warnings: &mut Vec<Warning>) {
        let mut rows = 0;
        let mut first: Option<(String, String)> = None;
        for table in &self.tables.tables {
            for row in &table.rows {
                let Some(base) = row.base() else { continue };
                let Some((col, cell)) = row.cells.iter().find(|(col, cell)| *col > 0 && cell.n != base.n) else {
                    continue;
                };
                rows += 1;
                first.get_or_insert_with(|| {
                    let (a, b) = (self.column(table, 0), self.column(table, *col));
                    let unit = &table.unit;
                    (
                        format!("{} in {unit} has {} in {a} and {} in {b}", self.text(row), base.n, cell.n),
                        self.place(cell),
                    )
                });
            }
        }
        if let Some((example, place)) = first {
            let message = format!("{} with unequal numbers of samples: {example}", count(rows, "row", "rows"));
            let code = "unequal-samples".to_owned();
            warnings.push(Warning { level: WarningLevel::Warning, code, message, place });
        }
    }

    /// Columns whose results come from several machines.
    fn mixed_machines(&self, warnings: &mut Vec<Warning>) {
        let builder = &self.tables.builder;
        for (at, key) in builder.table.shown().into_iter().filter(|(_, name)| MACHINE.contains(name)) {
            let mut values: BTreeMap<KeyId, (String, BTreeSet<&str>)> = BTreeMap::new();
            for table in &self.tables.tables {
                let value = builder.symbols.text(builder.table.value(table.key, at));
                for (col, key) in table.cols.iter().enumerate().filter(|_| !value.is_empty()) {
                    let entry = values.entry(*key).or_insert_with(|| (self.column(table, col), BTreeSet::new()));
                    entry.1.insert(value);
                }
            }
            for (label, values) in values.into_values().filter(|(_, values)| values.len() > 1) {
                let list: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
                warnings.push(Warning {
                    level: WarningLevel::Warning,
                    code: "mixed-machines".to_owned(),
                    message: format!("results come from several machines: {key} is {}", list.join(" and ")),
                    place: label,
                });
            }
        }
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
