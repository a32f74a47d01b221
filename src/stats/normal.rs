//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// P(Z ≤ `z`), through the complementary error function, so that small tails keep their digits
/// (Abramowitz and Stegun 26.2.29).
#[must_use]
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// The z with P(Z ≤ z) = `p`; infinite at 0 and 1, NaN outside.
///
/// Newton's iteration on the logarithm of [`cdf`], which is concave, kept inside a bracket that halves where a step
/// would leave it.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return if p == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if p > 0.5 {
        // The lower tail has the digits.
        return -quantile(1.0 - p);
    }
    let (mut lo, mut hi) = (-39.0_f64, 0.0_f64);
    let mut z = -1.0_f64;
    for _ in 0..200 {
        let below = cdf(z);
        if below > p {
            hi = z;
        } else {
            lo = z;
        }
        let density = libm::exp(-0.5 * z * z) / (2.0 * PI).sqrt();
        let step = libm::log(below / p) * below / density;
        let next = if (z - step) > lo && (z - step) < hi { z - step } else { 0.5 * (lo + hi) };
        if (next - z).abs() <= 1e-16 * next.abs() {
            return next;
        }
        z = next;
    }
    z
}
