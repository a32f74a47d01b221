//! Intervals of a proportion, for measured error rates.

use super::Interval;

/// Wilson's score interval of `hits` out of `of` at `z` standard deviations (Wilson, J. Am. Stat. Assoc. 22, 1927).
/// 0 to 1 if nothing was tried.
#[must_use]
pub fn wilson(hits: u64, of: u64, z: f64) -> Interval {
    if of == 0 {
        return Interval { lo: 0.0, hi: 1.0 };
    }
    let n = of as f64;
    let share = hits.min(of) as f64 / n;
    let scale = 1.0 + z * z / n;
    let center = (share + z * z / (2.0 * n)) / scale;
    let half = z / scale * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // At the borders the formula is exact; rounding must not leave them.
    Interval {
        lo: if hits == 0 { 0.0 } else { (center - half).max(0.0) },
        hi: if hits >= of { 1.0 } else { (center + half).min(1.0) },
    }
}

/// Wilson's two-sided interval at `level`, such as 0.95.
#[must_use]
pub fn wilson_at(hits: u64, of: u64, level: f64) -> Interval {
    wilson(hits, of, super::normal::quantile(0.5 + level / 2.0))
}

/// Wilson's one-sided upper limit at `level`: the rate is below it with that confidence.
#[must_use]
pub fn upper_limit(hits: u64, of: u64, level: f64) -> f64 {
    wilson(hits, of, super::normal::quantile(level)).hi
}

/// Wilson's one-sided lower limit at `level`.
#[must_use]
pub fn lower_limit(hits: u64, of: u64, level: f64) -> f64 {
    wilson(hits, of, super::normal::quantile(level)).lo
}
