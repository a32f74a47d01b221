//! `bench-bot selftest`: the decisions of this program under noise whose truth is known.

use crate::cli::args::SelftestArgs;
use crate::cli::output;
use crate::compare::simulate::Scenario;
use crate::stats::proportion::{upper_limit, wilson_at};
use crate::stats::simulate::noise::Model;
use anyhow::{Result, ensure};
use std::fmt::Write as _;

/// Rows of a simulated report, and how many of them changed in the second table.
const ROWS: usize = 30;
const CHANGED: usize = 3;

/// Prints how often reports on unchanged code have a coloured row, and how often changes are found.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn run(args: &SelftestArgs) -> Result<u8> {
    ensure!(args.reports >= 1, "--reports must be at least 1");
    let text = tables(u64::from(args.reports), args.seed);
    crate::cli::say::part!("{text}");
    if let Some(path) = &args.markdown {
        output::write(path, text.as_bytes())?;
    }
    Ok(0)
}

fn tables(reports: u64, seed: u64) -> String {
    let mut text = format!(
        "Unchanged code: simulated reports of {ROWS} rows with a red or green row, default plan ({reports} reports for each \
         noise model, seed {seed})\n\n| noise | reports with a coloured row | 95% interval | one-sided 95% limit |\n|:--|--:|:-:|--:|\n"
    );
    for model in Model::ALL {
        let scenario = Scenario::defaults(model, vec![0.0; ROWS]);
        let hits = (0..reports).filter(|i| !scenario.outcome(seed + i).changed.is_empty()).count() as u64;
        let interval = wilson_at(hits, reports, 0.95);
        let _ = writeln!(
            text,
            "| {model:?} | {} | {} to {} | {} |",
            percent(hits as f64 / reports as f64),
            percent(interval.lo),
            percent(interval.hi),
            percent(upper_limit(hits, reports, 0.95))
        );
    }
    let few = (reports / 10).max(1);
    let _ = write!(
        text,
        "\n{CHANGED} of {ROWS} rows changed: how often each is found, with the right sign, and how often another row is \
         coloured ({few} reports each)\n\n| noise | effect | found | wrong sign | reports with another coloured row |\n|:--|--:|--:|--:|--:|\n"
    );
    for model in Model::ALL {
        for effect in [0.05_f64, 0.10] {
            let mut effects = vec![0.0; ROWS];
            effects[..CHANGED].fill(effect.ln_1p());
            let scenario = Scenario::defaults(model, effects);
            let (mut found, mut wrong, mut others) = (0_u64, 0_u64, 0_u64);
            for i in 0..few {
                let outcome = scenario.outcome(seed + i);
                let changed = outcome.changed.iter().filter(|(row, _)| *row < CHANGED);
                let up = changed.clone().filter(|(_, up)| *up).count() as u64;
                found += up;
                wrong += changed.count() as u64 - up;
                others += u64::from(outcome.changed.iter().any(|(row, _)| *row >= CHANGED));
            }
            let of = (few * CHANGED as u64) as f64;
            let _ = writeln!(
                text,
                "| {model:?} | +{}% | {} | {} | {} |",
                effect * 100.0,
                percent(found as f64 / of),
                percent(wrong as f64 / of),
                percent(others as f64 / few as f64)
            );
        }
    }
    text.push_str(
        "\nThe model `Layout` is a bias of head's binary that no schedule can tell from a change: it is shown, not bounded.\n",
    );
    text
}

fn percent(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}
