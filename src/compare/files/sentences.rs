//! What a reader of a comparison of plain files must know.

use super::FileColumn;
use crate::compare::notices::{Notices, number_of};
use crate::compare::sentences::about_pairs;
use crate::report::{Family, Note, SuiteReport, WarningLevel};
use std::collections::BTreeMap;

/// Keys that name the machine.
const MACHINE: [&str; 3] = ["goos", "goarch", "cpu"];

pub(super) fn about(columns: &[FileColumn], suites: &[SuiteReport], family: &Family, notices: &mut Notices) {
    if let (Some(p), Some(values)) = (family.smallest_p, family.rounds_needed) {
        let message = format!(
            "Too few values for {}: the smallest p that these files could give ({p:.2e}) does not survive the \
             correction, so no row can be called slower or faster; {values} values a side would do",
            number_of(family.size as usize, "row"),
        );
        notices.add(WarningLevel::Headline, "too-few-rounds", message, "");
    }
    if columns.len() > 1 {
        let message = "Unconfirmed: the order of the rounds is unknown, so drift of the machine is not controlled";
        notices.add(WarningLevel::Warning, "order-unknown", message.to_owned(), "");
    }
    for (name, parsed) in columns.iter().flat_map(|column| &column.inputs) {
        for warning in &parsed.warnings {
            let place = if warning.line > 0 { format!("{name}:{}", warning.line) } else { name.clone() };
            notices.add(WarningLevel::Warning, "unparsed-line", warning.message.clone(), &place);
        }
        if parsed.measurements.is_empty() {
            notices.add(WarningLevel::Headline, "no-benchmarks", "0 benchmarks".to_owned(), name);
        }
    }
    for suite in suites {
        about_pairs(suite, notices);
        about_samples(suite, notices);
        about_configuration(suite, notices);
    }
}

fn about_samples(suite: &SuiteReport, notices: &mut Notices) {
    let unequal = suite.rows.iter().filter(|row| row.notes.contains(&Note::UnequalN)).count();
    if unequal > 0 {
        let message =
            format!("{} with more values on one side than on the other: samples were lost", number_of(unequal, "row"));
        notices.add(WarningLevel::Warning, "unequal-n", message, &suite.name);
    }
}

fn about_configuration(suite: &SuiteReport, notices: &mut Notices) {
    let mut keys: BTreeMap<&str, u32> = BTreeMap::new();
    for note in suite.rows.iter().flat_map(|row| &row.notes) {
        if let Note::ConfigDiffers(key) = note {
            *keys.entry(key).or_default() += 1;
        }
    }
    for (key, rows) in keys {
        let rows = number_of(rows as usize, "row");
        let (code, message) = if MACHINE.contains(&key) {
            ("different-machines", format!("{rows} measured on different machines: {key} differs"))
        } else {
            ("config-differs", format!("{rows} paired though the line `{key}:` differs between the files"))
        };
        notices.add(WarningLevel::Warning, code, message, &suite.name);
    }
}
