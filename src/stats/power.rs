//! What a plan can find: smallest detectable effects, and rounds that would decide.

pub mod residuals;

/// How many rounds are measured, in blocks of four rounds (two a side).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// One stage.
    Fixed {
        /// Blocks.
        blocks: u32,
    },
    /// A screen of all rows at p ≤ 0.10, then fresh blocks for the rows that it selected.
    Staged {
        /// Blocks of the screen.
        screen: u32,
        /// Blocks of the second stage.
        confirm: u32,
    },
}

/// A row is a suspect if its screen p is at or below this.
pub const SCREEN_LEVEL: f64 = 0.10;

/// Power at which an effect counts as detectable, and a number of rounds as enough.
const POWER: f64 = 0.80;

/// The smallest p that `blocks` blocks can give: 2/6^blocks.
#[must_use]
pub fn smallest_p(blocks: u32) -> f64 {
    (2.0 / libm::pow(6.0, f64::from(blocks))).min(1.0)
}

/// The smallest even number of rounds a side whose smallest p is at or below `level`, if 200 are enough.
#[must_use]
pub fn rounds_for_level(level: f64) -> Option<u32> {
    (1..=100).find(|&blocks| smallest_p(blocks) <= level).map(|blocks| 2 * blocks)
}

/// About how many values a file would decide a row of plain files, of whose order nothing is known: the smallest even number of at least
/// n·(w/(t − |e|))² for an effect e below the threshold t (to show that it is), or n·(w/|e|)² for one beyond it (to show
/// that it is not 0), where w is the half width of the interval at `rounds` = n. `None`: more than 200, or undefined. Where rounds were measured in
/// blocks, [`residuals::Residuals::rounds_needed`] asks the test itself.
#[must_use]
pub fn rounds_needed(rounds: u32, effect: f64, half_width: f64, threshold: f64) -> Option<u32> {
    let distance = if effect.abs() < threshold { threshold - effect.abs() } else { effect.abs() };
    let needed = f64::from(rounds) * (half_width / distance).powi(2);
    // NaN and infinities fail the comparison.
    (needed <= 200.0).then(|| {
        let even = 2 * (needed / 2.0).ceil() as u32;
        even.max(2)
    })
}
