//! Geometric mean of ratios.

use super::{Interval, finite};

/// Geometric mean of `values`; `None` if there are none or one is not positive.
#[must_use]
pub fn geomean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sum = 0.0;
    let mut n = 0_u32;
    for value in values {
        if !(value > 0.0 && value.is_finite()) {
            return None;
        }
        sum += libm::log(value);
        n += 1;
    }
    (n > 0).then(|| libm::exp(sum / f64::from(n)))
}

/// Geometric mean of ratios given as logarithms, and its interval at `level` over the rows: the exponential of the
/// mean and of Student's interval of the mean (Fleming and Wallace, Commun. ACM 29, 1986, for the mean; the interval
/// is the ordinary one of a mean). It tells how far rows differ from each other, not how noisy one row is; `None`
/// with fewer than two rows.
#[must_use]
pub fn of_log_ratios(logs: &[f64], level: f64) -> Option<(f64, Option<Interval>)> {
    if logs.is_empty() {
        return None;
    }
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    if logs.len() < 2 {
        return Some((finite(libm::exp(mean)), None));
    }
    let variance = logs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    let half = student_quantile(0.5 + level / 2.0, logs.len() - 1) * (variance / n).sqrt();
    let interval = Interval { lo: finite(libm::exp(mean - half)), hi: finite(libm::exp(mean + half)) };
    Some((finite(libm::exp(mean)), Some(interval)))
}

/// The t with P(T ≤ t) = `p` for Student's distribution with `df` degrees of freedom, p at least one half.
fn student_quantile(p: f64, df: usize) -> f64 {
    // Bisection on the exact distribution: monotone, and called a few times a report.
    let (mut lo, mut hi) = (0.0_f64, 1.0_f64);
    while student_cdf(hi, df) < p && hi < 1e16 {
        hi *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (lo + hi);
        if middle <= lo || middle >= hi {
            break;
        }
        if student_cdf(middle, df) < p {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    0.5 * (lo + hi)
}

/// P(T ≤ `t`), t ≥ 0, for a whole number of degrees of freedom: the finite series of Abramowitz and Stegun 26.7.3 and
/// 26.7.4.
fn student_cdf(t: f64, df: usize) -> f64 {
    let theta = libm::atan(t / (df as f64).sqrt());
    let (sin, cos) = (libm::sin(theta), libm::cos(theta));
    let mut term = 1.0;
    let mut sum = 0.0;
    let odd = df % 2 == 1;
    let terms = if odd { (df - 1) / 2 } else { df / 2 };
    for j in 0..terms {
        sum += term;
        let j = j as f64;
        term *= if odd { (2.0 * j + 2.0) / (2.0 * j + 3.0) } else { (2.0 * j + 1.0) / (2.0 * j + 2.0) } * cos * cos;
        if term < 1e-18 * sum {
            break;
        }
    }
    let central = if odd {
        2.0 / std::f64::consts::PI * (theta + if terms > 0 { sin * cos * sum } else { 0.0 })
    } else {
        sin * sum
    };
    0.5 + central / 2.0
}
