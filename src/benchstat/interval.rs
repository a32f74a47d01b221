//! The interval of a median, between the order statistics that benchstat chooses.

use std::collections::HashMap;

/// Largest n whose interval comes from the binomial distribution.
const BINOMIAL: usize = 30;

/// For n = 21 to 30: the k (as bits) for which benchstat finds k values below the median less likely than n − k.
///
/// Both are equally likely. benchstat takes C(n, k) from logarithms of the gamma function from n = 21 on, so that rounding
/// decides; the interval has the same coverage either way, but its ends are different values of the sample.
const RIGHT_IS_LIKELIER: [u32; 10] = {
    const fn bits(list: &[u32]) -> u32 {
        let (mut bits, mut at) = (0, 0);
        while at < list.len() {
            bits |= 1 << list[at];
            at += 1;
        }
        bits
    }
    [
        bits(&[2, 4, 7]),
        bits(&[2, 4, 7, 10]),
        bits(&[2, 4, 7]),
        bits(&[2, 4, 7, 11]),
        bits(&[2, 4, 7, 10]),
        bits(&[2, 4, 7, 10]),
        bits(&[2, 4, 7, 10, 11, 13]),
        bits(&[2, 4, 7, 10, 12, 13]),
        bits(&[2, 4, 5, 6, 7, 10, 13]),
        bits(&[2, 4, 5, 6, 7, 8, 10, 13, 14]),
    ]
};

/// Intervals at one confidence, by number of values.
#[derive(Debug)]
pub(super) struct Intervals {
    confidence: f64,
    known: HashMap<usize, (usize, usize)>,
}

impl Intervals {
    pub(super) fn new(confidence: f64) -> Self {
        Self { confidence, known: HashMap::new() }
    }

    /// The level.
    pub(super) const fn confidence(&self) -> f64 {
        self.confidence
    }

    /// Ranks (from 1) of the ends among `n` values; 0 and n + 1 are infinite.
    pub(super) fn ranks(&mut self, n: usize) -> (usize, usize) {
        let confidence = self.confidence;
        *self.known.entry(n).or_insert_with(|| ranks(n, confidence))
    }

    /// The ends of the interval of the median of `sorted`.
    pub(super) fn ends(&mut self, sorted: &[f64]) -> (f64, f64) {
        let (lo, hi) = self.ranks(sorted.len());
        let lo = if lo == 0 { f64::NEG_INFINITY } else { sorted[lo - 1] };
        (lo, sorted.get(hi - 1).copied().unwrap_or(f64::INFINITY))
    }

    /// The smallest number of values, from 2 to 50, whose interval is finite.
    pub(super) fn smallest_finite(&mut self) -> Option<u8> {
        (2..=50).find(|&n| {
            let (lo, hi) = self.ranks(usize::from(n));
            lo > 0 && hi <= usize::from(n)
        })
    }
}

fn ranks(n: usize, confidence: f64) -> (usize, usize) {
    if confidence >= 1.0 {
        (0, n + 1)
    } else if n <= BINOMIAL {
        binomial(n, confidence)
    } else {
        let interval = crate::stats::order::median_interval(n, confidence);
        (interval.lo, interval.hi)
    }
}

/// How many values lie below the median is Binomial(n, ½). The interval grows from the middle (the left one of two) by
/// the likelier neighbour, the left one if both are the same, until it holds enough.
fn binomial(n: usize, confidence: f64) -> (usize, usize) {
    let mut ways = vec![1_u64; n + 1];
    for k in 1..=n {
        ways[k] = ways[k - 1] * (n - k + 1) as u64 / k as u64;
    }
    let all = (1_u64 << n) as f64;
    let mut lo = n.div_ceil(2).saturating_sub(usize::from(n % 2 == 1));
    let mut hi = lo + 1;
    let mut held = ways[lo];
    while (held as f64 / all) < confidence && (lo > 0 || hi <= n) {
        let left = if lo > 0 { ways[lo - 1] } else { 0 };
        let right = ways.get(hi).copied().unwrap_or(0);
        let rounding_prefers_right = n >= 21 && left == right && RIGHT_IS_LIKELIER[n - 21] >> (lo - 1) & 1 == 1;
        if left >= right && !rounding_prefers_right {
            lo -= 1;
            held += left;
        } else {
            hi += 1;
            held += right;
        }
    }
    (lo, hi)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_benchstat() {
        let text = include_str!("../../tests/data/benchstat/vectors.json");
        let vectors: serde_json::Value = serde_json::from_str(text).expect("the vectors are JSON");
        let rows = vectors["median_ci_order_stats_1based"].as_array().expect("a list");
        assert!(rows.len() > 400);
        for row in rows {
            let whole = |key: &str| row[key].as_u64().expect("a whole number") as usize;
            let confidence = row["Want"].as_f64().expect("a number");
            let n = whole("N");
            assert_eq!(ranks(n, confidence), (whole("Lo"), whole("Hi")), "n = {n} at {confidence}");
        }
    }

    #[test]
    fn the_smallest_samples_with_an_interval_are_known() {
        for (confidence, n) in [(0.95, Some(6)), (0.99, Some(8)), (0.9, Some(5)), (0.5, Some(2)), (1.0, None)] {
            assert_eq!(Intervals::new(confidence).smallest_finite(), n, "{confidence}");
        }
    }
}
