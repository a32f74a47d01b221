//! What was measured of the defaults on unchanged code.

/// Error rate of a report in the measured plan.
pub const ALPHA: f64 = 0.05;

/// Threshold in the measured plan.
pub const THRESHOLD: f64 = 0.02;

/// Unchanged reports that were simulated for each noise model.
pub const REPORTS: u64 = 40_000;

/// Rows of each.
pub const ROWS: usize = 30;

/// First seed; report i has seed `SEED + i`.
pub const SEED: u64 = 5_000_000;

/// Share of these reports with a coloured row: the smallest and the largest over the models of
/// [`crate::stats::simulate::noise::Model`], `Layout` left out (there, nearly every report has one).
pub const SIMULATED: (f64, f64) = (0.0007, 0.0127);

/// Comparisons of identical binaries on a real machine, and how many of them had p ≤ 0.05 in one stage of 12 rounds.
pub const REAL: (u32, u32) = (300, 15);

/// When both were measured.
pub const DATE: &str = "2026-11-30";

/// The machine of the real comparisons.
pub const MACHINE: &str = "a shared virtual machine with two CPUs";

/// The measurement in words.
#[must_use]
pub fn sentence() -> String {
    let (least, most) = SIMULATED;
    let (all, hits) = REAL;
    format!(
        "Measured on {DATE} with these settings: {:.1} to {:.1} % of {REPORTS} simulated reports on unchanged code under each \
         of ten models of a noisy machine; on {MACHINE}, identical binaries had p ≤ 0.05 in {hits} of {all} single-stage \
         comparisons. This machine was not measured",
        100.0 * least,
        100.0 * most,
    )
}
