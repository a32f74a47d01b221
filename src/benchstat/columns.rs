//! Inputs as the columns of a report.

use super::builder::{Builder, Cell, Expressions};
use super::error::CompareError;
use super::input::Input;
use super::load::{Content, Loader};
use super::projection::KeyId;
use crate::compare::FileColumn;
use crate::compare::files::Samples;
use crate::format::go;
use crate::format::{Measurement, Parsed};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The columns of `inputs` with all their results, and the results sorted as for a table, from which can be told what keeps
/// rows apart. With `rounds` every input is one round of its column.
pub(super) fn read(
    loader: &mut Loader<'_>,
    inputs: &[Input],
    rounds: bool,
    expressions: &Expressions,
) -> Result<(Vec<FileColumn>, Builder), CompareError> {
    let mut builder = Builder::new(expressions)?;
    let columns = if expressions.are_usual() {
        whole(loader, inputs, rounds, &mut builder)?
    } else {
        sorted(loader, inputs, rounds, &mut builder)?
    };
    Ok((columns, builder))
}

/// One column a label, inputs as they are. What is to be told of their lines stays with them.
fn whole(
    loader: &mut Loader<'_>,
    inputs: &[Input],
    rounds: bool,
    builder: &mut Builder,
) -> Result<Vec<FileColumn>, CompareError> {
    let samples = if rounds { Samples::OneAFile } else { Samples::EveryValue };
    let mut columns: Vec<FileColumn> = Vec::new();
    for (index, input) in (0..).zip(inputs) {
        let parsed = loader.open(input, |loader, content| {
            let parsed = match &content {
                Content::Go(text) => go::parse_text(text),
                Content::Parsed(parsed) => parsed.clone(),
            };
            if rounds {
                loader.sort_round(input, index, content, builder);
            } else {
                loader.sort(input, index, content, builder);
            }
            parsed
        })?;
        let named = (input.path.clone(), parsed);
        match columns.iter_mut().find(|column| column.label == input.label) {
            Some(column) => column.inputs.push(named),
            None => columns.push(FileColumn { label: input.label.clone(), inputs: vec![named], samples }),
        }
    }
    loader.warnings.clear();
    Ok(columns)
}

/// Columns, rows and filter by expressions.
fn sorted(
    loader: &mut Loader<'_>,
    inputs: &[Input],
    rounds: bool,
    builder: &mut Builder,
) -> Result<Vec<FileColumn>, CompareError> {
    for (index, input) in (0..).zip(inputs) {
        loader.open(input, |loader, content| {
            if rounds {
                loader.sort_round(input, index, content, builder)
            } else {
                loader.sort(input, index, content, builder)
            }
        })?;
    }
    let mut columns = of_builder(builder);
    // What inputs say of units holds for all columns, what they say of failures for their own.
    let hints = loader.statements.hints();
    for (_, parsed) in columns.iter_mut().flat_map(|column| &mut column.inputs) {
        parsed.units.clone_from(&hints);
    }
    for (index, failure) in std::mem::take(&mut loader.failures) {
        let label = inputs.get(index as usize).map(|input| input.label.as_str());
        let column = columns.iter_mut().find(|column| Some(column.label.as_str()) == label);
        if let Some((_, parsed)) = column.and_then(|column| column.inputs.first_mut()) {
            parsed.failures.push(failure);
        }
    }
    Ok(columns)
}

/// What a builder has sorted, by column.
fn of_builder(builder: &Builder) -> Vec<FileColumn> {
    let mut values: Vec<Vec<f64>> = builder.cells.iter().map(|cell| Vec::with_capacity(cell.n as usize)).collect();
    for (cell, value) in &builder.samples {
        values[*cell as usize].push(*value);
    }
    let mut places: Vec<(KeyId, KeyId, KeyId, usize)> = Vec::new();
    for group in &builder.tables {
        places.extend(group.cells.iter().map(|((row, col), cell)| (*col, group.key, *row, *cell)));
    }
    let mut order: Vec<KeyId> = places.iter().map(|place| place.0).collect();
    order.sort_unstable();
    order.dedup();
    builder.col.sort(&mut order, &builder.symbols);
    // Cells are numbered in the order of their first values.
    places.sort_unstable_by_key(|place| place.3);
    let mut parsed: HashMap<KeyId, Parsed> = HashMap::new();
    for (col, table, row, cell) in places {
        let values = std::mem::take(&mut values[cell]);
        let measurement = measurement(builder, table, row, &builder.cells[cell], values);
        parsed.entry(col).or_default().measurements.push(measurement);
    }
    order
        .into_iter()
        .map(|col| {
            let label = builder.col.text(col, &builder.symbols);
            let parsed = parsed.remove(&col).unwrap_or_default();
            FileColumn { label: label.clone(), inputs: vec![(label, parsed)], samples: Samples::EveryValue }
        })
        .collect()
}

/// The measurement of one cell. Its identity is the row's text with what makes its table, except that configuration which
/// was not asked for is only kept beside it, and the package is the package.
fn measurement(builder: &Builder, table: KeyId, row: KeyId, cell: &Cell, values: Vec<f64>) -> Measurement {
    let mut id = go::benchmark_id("", &builder.row.text(row, &builder.symbols));
    let mut config: BTreeMap<String, String> = BTreeMap::new();
    for (at, key) in builder.table.shown() {
        let value = builder.symbols.text(builder.table.value(table, at));
        if value.is_empty() {
            continue;
        }
        if key == "pkg" {
            value.clone_into(&mut id.package);
        } else if !builder.table.is_grouped(at) {
            id.name.push_str(&format!(" {key}:{value}"));
        }
        config.insert(key.to_owned(), value.to_owned());
    }
    Measurement {
        id,
        unit: builder.symbols.text(builder.table.unit(table)).to_owned(),
        values,
        iterations: cell.iterations,
        config: Arc::new(config),
        line: cell.origin.1 as usize,
    }
}
