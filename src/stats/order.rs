//! Order statistics: median, quantiles, and the interval of the median.

/// `values` in rising order. NaN sorts last.
#[must_use]
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut all = values.to_vec();
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// Median of values in rising order; `None` if there are none.
///
/// The middle value, or `a + (b − a)/2` of the two middle ones: written as benchstat does, so that both agree to the
/// last bit (Hyndman and Fan, Am. Stat. 50, 1996, definition 8, which at one half is position (n + 1)/2).
#[must_use]
pub fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = sorted[sorted.len() / 2 - 1];
    Some(lower + 0.5 * (upper - lower))
}

/// Median of values in any order; `None` if there are none.
#[must_use]
pub fn median_of(values: &[f64]) -> Option<f64> {
    median(&sorted(values))
}

/// The lower of the two middle values (the middle one of an odd number): a value that was really seen, so the median
/// of integers stays an integer.
#[must_use]
pub fn lower_median(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// Quantile `q` (0 to 1) of values in rising order, by definition 8 of Hyndman and Fan (Am. Stat. 50, 1996), which
/// is benchstat's: position (n + 1/3)·q + 1/3, linear between neighbours, the extremes beyond them.
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let position = (sorted.len() as f64 + 1.0 / 3.0) * q + 1.0 / 3.0;
    if position.is_nan() || position < 1.0 {
        return Some(first);
    }
    let below = position as usize;
    if below >= sorted.len() {
        return Some(last);
    }
    let (lower, upper) = (sorted[below - 1], sorted[below]);
    Some(lower + (position - below as f64) * (upper - lower))
}

/// An interval of the median between two order statistics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderInterval {
    /// Rank of the lower end, from 1; 0: minus infinity.
    pub lo: usize,
    /// Rank of the upper end; n + 1: infinity.
    pub hi: usize,
    /// The probability that the interval holds the median.
    pub coverage: f64,
}

/// Largest n whose interval comes from exact binomials.
const EXACT_N: usize = 30;

/// The order statistics that enclose the median of `n` values with probability `confidence` or more, as benchstat
/// chooses them.
///
/// The number of values below the median is Binomial(n, ½) (Conover, Practical Nonparametric Statistics, 3rd ed.,
/// 3.2). Up to n = 30 the interval grows from the middle towards the likelier neighbour, ties to the left, until it
/// holds enough; its probabilities are exact here, where benchstat rounds from n = 21 on and so takes the mirrored
/// choice at a few n. Beyond, the normal approximation with continuity correction is used, ends rounded outwards, one
/// less at the upper end if that is enough.
#[must_use]
pub fn median_interval(n: usize, confidence: f64) -> OrderInterval {
    if n == 0 || confidence >= 1.0 {
        return OrderInterval { lo: 0, hi: n + 1, coverage: 1.0 };
    }
    if n <= EXACT_N { exact_interval(n, confidence) } else { normal_interval(n, confidence) }
}

fn exact_interval(n: usize, confidence: f64) -> OrderInterval {
    // Binomial coefficients as integers: no rounding decides a tie.
    let mut ways = vec![1_u64; n + 1];
    for k in 1..=n {
        ways[k] = ways[k - 1] * (n - k + 1) as u64 / k as u64;
    }
    let all = (1_u64 << n) as f64;
    let mut lo = n / 2;
    let mut hi = lo + 1;
    let mut held = ways[lo];
    while (held as f64 / all) < confidence && (lo > 0 || hi <= n) {
        let left = if lo > 0 { ways[lo - 1] } else { 0 };
        let right = ways.get(hi).copied().unwrap_or(0);
        if left >= right {
            lo -= 1;
            held += left;
        } else {
            hi += 1;
            held += right;
        }
    }
    OrderInterval { lo, hi, coverage: held as f64 / all }
}

fn normal_interval(n: usize, confidence: f64) -> OrderInterval {
    let (mean, sd) = (n as f64 / 2.0, (n as f64).sqrt() / 2.0);
    let l1 = mean + sd * super::normal::quantile((1.0 - confidence) / 2.0);
    let r1 = 2.0 * mean - l1;
    // The continuity correction, then rounding outwards, in benchstat's order of operations.
    let lo = ((l1 - 0.5).floor() + 0.5).floor() + 1.0;
    let hi = ((r1 - 0.5).ceil() + 0.5).floor() + 1.0;
    let held = |l: f64, r: f64| super::normal::cdf((r - 0.5 - mean) / sd) - super::normal::cdf((l - 0.5 - mean) / sd);
    let hi = if held(lo, hi - 1.0) >= confidence && held(lo, hi - 1.0) < held(lo, hi) { hi - 1.0 } else { hi };
    let lo = lo.max(0.0);
    let hi = hi.min(n as f64 + 1.0);
    OrderInterval { lo: lo as usize, hi: hi as usize, coverage: held(lo, hi) }
}

/// Median of values in rising order with the ends of its interval at `confidence`; an end that the number of values
/// does not bound is infinite. `None` if there are no values.
#[must_use]
pub fn summary(sorted: &[f64], confidence: f64) -> Option<(f64, super::Interval)> {
    let center = median(sorted)?;
    let ends = median_interval(sorted.len(), confidence);
    let lo = if ends.lo == 0 { f64::NEG_INFINITY } else { sorted[ends.lo - 1] };
    let hi = sorted.get(ends.hi - 1).copied().unwrap_or(f64::INFINITY);
    Some((center, super::Interval { lo, hi }))
}
