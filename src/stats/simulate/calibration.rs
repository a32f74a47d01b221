//! What was measured of the defaults on unchanged code.

/// Error rate of a report in the measured plan.
pub const ALPHA: f64 = 0.05;

/// Threshold in the measured plan.
pub const THRESHOLD: f64 = 0.02;

/// The measurement in words.
#[must_use]
pub fn sentence() -> String {
    String::new()
}
