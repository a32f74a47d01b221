//! Plain files: an unconfirmed comparison.
//!
//! The order in which the values of a plain file were measured is unknown, so drift is not controlled: on a shared
//! machine identical code "differs" far more often than any test of the values can know. The words are therefore other
//! ones, `slower?` and `faster?`, and nothing is confirmed.

use super::kin::{self, Member};
use super::notices::Notices;
use super::pair::{Renames, pair};
use super::{geomeans, overview};
use crate::config::{Compare, Correction};
use crate::format::Parsed;
use crate::report::{BlockCounts, Design, Family, Policy, Report, Revision, Row, SCHEMA, SuiteReport, WarningLevel};
use crate::side::PerSide;
use crate::stats::mann_whitney::{ExactLimit, values_for_level};
use crate::stats::multiplicity::holm;

mod column;
mod row;
mod sentences;

use column::Column;
use row::{Class, Comparison};

/// One side of a comparison of plain files.
#[derive(Debug, Clone)]
pub struct FileColumn {
    /// What the user calls it.
    pub label: String,
    /// Its files in the order given, with their names for messages.
    pub inputs: Vec<(String, Parsed)>,
    /// What a sample is.
    pub samples: Samples,
}

/// What a sample of a plain file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// Every value, as benchstat takes them.
    EveryValue,
    /// The median of each file: every file is one round.
    OneAFile,
}

/// How plain files are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOptions {
    /// The program that makes the report, such as `bench-bot 0.1.0`.
    pub tool: String,
    /// Error rate, threshold, correction, units, renames.
    pub compare: Compare,
    /// Level of the intervals of medians and of changed rows.
    pub confidence: f64,
    /// Up to which size p is exact.
    pub limit: ExactLimit,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self { tool: String::new(), compare: Compare::default(), confidence: 0.95, limit: ExactLimit::WIDE }
    }
}

/// Compares every column with the first; all comparisons are one family.
///
/// The test is Mann and Whitney's, corrected by Holm; the effect is the ratio of the medians, the interval inverts the
/// test on logarithms and its centre (Hodges and Lehmann) is in `samples`. With more than two columns there is one suite
/// for each that is compared, named by its label. With fewer than two there is nothing to compare, and no suite.
#[must_use]
pub fn files(columns: &[FileColumn], options: &FileOptions) -> Report {
    let mut notices = Notices::default();
    let (renames, invalid) = Renames::new(&options.compare.rename);
    for expression in invalid {
        let message = format!("rename: {expression} is not a regular expression, so it was not applied");
        notices.add(WarningLevel::Warning, "rename", message, "");
    }
    let read: Vec<Column> = columns.iter().map(Column::new).collect();
    let units = column::unit_hints(columns, &mut notices);
    let others = read.iter().skip(1);
    let mut suites: Vec<Vec<Comparison>> =
        others.map(|head| comparisons(&read[0], head, &units, &renames, options)).collect();
    let family = correct(&mut suites, options);
    let reports: Vec<SuiteReport> = suites
        .iter()
        .zip(columns.iter().skip(1))
        .map(|(rows, column)| {
            let name = if columns.len() > 2 { column.label.clone() } else { String::new() };
            let rows: Vec<Row> = rows.iter().map(|row| row.row(options, family.size as usize)).collect();
            suite(name, rows)
        })
        .collect();
    sentences::about(columns, &reports, &family, &mut notices);
    let all = || reports.iter().flat_map(|suite| &suite.rows);
    let counts = overview::counts(all());
    let revision = |label: String| Revision { label, ..Revision::default() };
    let heads: Vec<&str> = columns.iter().skip(1).map(|column| column.label.as_str()).collect();
    Report {
        schema: SCHEMA,
        tool: options.tool.clone(),
        verdict: overview::overall(&counts, all().filter(|row| row.is_compared()).count()),
        counts,
        design: Design::Files,
        revisions: PerSide {
            base: revision(columns.first().map(|column| column.label.clone()).unwrap_or_default()),
            head: revision(heads.join(", ")),
        },
        base_behind: None,
        policy: Policy {
            alpha: options.compare.alpha,
            threshold: options.compare.threshold,
            confidence: options.confidence,
            correction: options.compare.correction,
        },
        family,
        noise: None,
        suites: reports,
        environments: Vec::new(),
        warnings: notices.finish(),
        reproduce: None,
        run: None,
    }
}

/// The rows of `head` compared with `base`, classed but not corrected.
fn comparisons(
    base: &Column,
    head: &Column,
    units: &column::UnitHints,
    renames: &Renames,
    options: &FileOptions,
) -> Vec<Comparison> {
    let (keys, cells) = column::join(base, head);
    let seen: Vec<PerSide<bool>> = cells.iter().map(|cell| cell.as_ref().map(Option::is_some)).collect();
    let mut rows: Vec<Comparison> = pair(&keys, &seen, renames)
        .into_iter()
        .map(|pair| {
            let cell = PerSide::from_fn(|side| pair.key.get(side).and_then(|key| cells[key].get(side).clone()));
            let key = pair.key.head.or(pair.key.base).unwrap_or_default();
            let other = PerSide::from_fn(|side| pair.key.get(side).map(|key| &keys[key].benchmark));
            Comparison::new(&keys[key], other, cell, PerSide { base, head }, units, pair.notes, options)
        })
        .collect();
    let members: Vec<Member<'_>> = rows.iter().map(Comparison::member).collect();
    let reasons = kin::unjudged(&members, options.compare.primary);
    for (row, reason) in rows.iter_mut().zip(reasons) {
        if let Some(reason) = reason {
            row.class = Class::Unjudged(reason);
        }
    }
    rows.extend(column::only_failures(base, head).into_iter().map(|(id, state)| Comparison::without_values(id, state)));
    rows
}

/// Corrects p over all rows of all comparisons.
fn correct(suites: &mut [Vec<Comparison>], options: &FileOptions) -> Family {
    let mut rows: Vec<&mut Comparison> = suites.iter_mut().flatten().filter(|row| row.p().is_some()).collect();
    let raw: Vec<f64> = rows.iter().filter_map(|row| row.p()).collect();
    let size = rows.len();
    let adjusted = match options.compare.correction {
        Correction::Holm => holm(&raw, size),
        Correction::None => raw,
    };
    for (row, p) in rows.iter_mut().zip(adjusted) {
        row.adjusted = Some(p);
    }
    let smallest = rows.iter().map(|row| row.smallest_p()).reduce(f64::min);
    let level = level_of_one(options, size);
    Family {
        size: size as u32,
        testable: size as u32,
        smallest_p: smallest,
        rounds_needed: smallest.filter(|p| *p > level).and_then(|_| values_for_level(level)),
    }
}

/// The level that a single row of a family of `size` must reach.
fn level_of_one(options: &FileOptions, size: usize) -> f64 {
    match options.compare.correction {
        Correction::Holm => options.compare.alpha / size.max(1) as f64,
        Correction::None => options.compare.alpha,
    }
}

fn suite(name: String, rows: Vec<Row>) -> SuiteReport {
    SuiteReport {
        inspection: crate::inspect::Inspection::default(),
        name,
        run: PerSide::default(),
        setup: PerSide::default(),
        failed_rounds: PerSide { base: None, head: None },
        geomeans: geomeans::of(&rows),
        rows,
        filtered_out: 0,
        blocks: BlockCounts::default(),
        sweep: None,
    }
}
