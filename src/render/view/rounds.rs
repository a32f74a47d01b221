//! How many rounds there were, in words: what was planned, and what came of it.

use crate::render::number;
use crate::report::{Design, Overall, PKind, Report, Row, Undecided, Verdict};
use crate::results::StageKind;
use crate::stats::power::SCREEN_LEVEL;

/// How the samples came about, in one short line.
#[must_use]
pub(super) fn plan(report: &Report) -> String {
    let first = first(report);
    match &report.design {
        Design::Staged { screen: rounds, .. } | Design::Fixed { rounds, .. }
            if report.verdict == Overall::Failed || first.is_none() =>
        {
            format!("{rounds} rounds a side were planned")
        }
        Design::Staged { screen, confirm, .. } if report.family.size == 0 => {
            let rounds = of_plan(first, *screen);
            format!("{rounds} a side in random blocks; no suspect for the {confirm} rounds of confirmation")
        }
        Design::Staged { screen, confirm, .. } => {
            let suspects = number::count(report.family.size as usize, "suspect", "suspects");
            let rounds = of_plan(first, *screen);
            match confirmed(report) {
                Some((_, 0)) => {
                    format!("{rounds} a side in random blocks, and no time for {confirm} fresh ones for {suspects}")
                }
                Some(ran) if ran == (*confirm, *confirm) => {
                    format!("{rounds} a side in random blocks, then {confirm} fresh ones for {suspects}")
                }
                ran => {
                    format!("{rounds} a side in random blocks, then {} fresh ones for {suspects}", range(ran, *confirm))
                }
            }
        }
        Design::Fixed { rounds, .. } => {
            format!("{} a side in random blocks; one stage, not confirmed", of_plan(first, *rounds))
        }
        Design::Files => "plain files: order of rounds unknown, drift not controlled, nothing confirmed".to_owned(),
    }
}

/// The same at length, with how a sample is made and what the test does.
pub(super) fn how_measured(report: &Report) -> String {
    let seed = |seed: &str| if seed.is_empty() { String::new() } else { format!(" Seed {}.", seed_text(seed)) };
    match &report.design {
        Design::Staged { screen, confirm, seed: s } => {
            let fresh = match confirmed(report) {
                Some(ran) if ran != (*confirm, *confirm) => format!("{} fresh rounds", range(Some(ran), *confirm)),
                _ => format!("{confirm} fresh rounds"),
            };
            format!(
                "Every sample is one new process; two base and two head rounds make a block in random order. Screen: {} a side \
                 over every row. Confirm: {fresh} a side for suspects; what they show is from these alone. The test permutes \
                 the rounds inside their blocks (exact).{}",
                of_plan(first(report), *screen),
                seed(s)
            )
        }
        Design::Fixed { rounds, seed: s } => format!(
            "Every sample is one new process; two base and two head rounds make a block in random order. One stage of \
             {} a side, not confirmed by fresh ones. The test permutes the rounds inside their blocks (exact).{}",
            of_plan(first(report), *rounds),
            seed(s)
        ),
        Design::Files => {
            "Two plain files: the order of their rounds is unknown, so drift is not controlled. The test is \
                          that of Mann and Whitney (exact). Nothing here is confirmed."
                .to_owned()
        }
    }
}

/// A seed is hexadecimal or it is not shown.
fn seed_text(seed: &str) -> &str {
    if seed.len() <= 64 && seed.chars().all(|c| c.is_ascii_hexdigit()) { seed } else { "(invalid)" }
}

/// Fewest and most rounds a side of the first stage, over all rows that were compared.
fn first(report: &Report) -> Option<(u32, u32)> {
    let stage = if matches!(report.design, Design::Staged { .. }) { StageKind::Screen } else { StageKind::Fixed };
    least_and_most(report, |row| Some(rounds_in(row, stage)).filter(|rounds| *rounds > 0))
}

/// The same of Confirm, over the suspects; one that had none counts with 0.
fn confirmed(report: &Report) -> Option<(u32, u32)> {
    least_and_most(report, |row| {
        let judged = row.p.is_some_and(|p| p.kind == PKind::Adjusted);
        (judged || is_unconfirmed(row)).then(|| rounds_in(row, StageKind::Confirm))
    })
}

/// Whether a suspect was not decided for want of fresh rounds.
pub(super) fn is_unconfirmed(row: &Row) -> bool {
    let chosen = row.p.is_some_and(|p| p.value <= SCREEN_LEVEL) || row.stage == Some(StageKind::Confirm);
    chosen && matches!(row.verdict, Verdict::Inconclusive(Undecided::Budget))
}

fn rounds_in(row: &Row, stage: StageKind) -> u32 {
    let of_stage = row.samples.iter().find(|samples| samples.stage == Some(stage));
    of_stage.map_or(0, |samples| samples.values.base.len().min(samples.values.head.len()) as u32)
}

fn least_and_most(report: &Report, rounds: impl Fn(&Row) -> Option<u32>) -> Option<(u32, u32)> {
    let complete = |row: &&Row| {
        let gaps = matches!(row.verdict, Verdict::Failed(..) | Verdict::Flaky(..) | Verdict::TimedOut(_));
        row.base.is_some() && row.head.is_some() && !gaps
    };
    let rows = report.suites.iter().flat_map(|suite| &suite.rows).filter(complete);
    rows.filter_map(rounds).fold(None, |so_far, rounds| {
        let (least, most) = so_far.unwrap_or((rounds, rounds));
        Some((least.min(rounds), most.max(rounds)))
    })
}

/// `8 rounds`, or `6 of 8 planned rounds`.
fn of_plan(ran: Option<(u32, u32)>, planned: u32) -> String {
    match ran {
        None => format!("{planned} planned rounds"),
        Some(ran) if ran != (planned, planned) => format!("{} rounds", range(Some(ran), planned)),
        Some(_) => format!("{planned} rounds"),
    }
}

/// `6 of 8 planned`, `4 to 8 of 8 planned`.
fn range(ran: Option<(u32, u32)>, planned: u32) -> String {
    match ran {
        None => format!("{planned}"),
        Some((least, most)) if most > planned => format!("{least} to {most} (planned: {planned})"),
        Some((least, most)) if least == most => format!("{least} of {planned} planned"),
        Some((least, most)) => format!("{least} to {most} of {planned} planned"),
    }
}
