//! How often something was so, over suites whose rows share a schedule.

use crate::stats::Interval;
use crate::stats::normal;
use crate::stats::proportion::wilson_at;
use std::fmt;

/// Confidence of the interval that is shown.
const SHOWN: f64 = 0.95;
/// Confidence at which a goal counts as missed. Many are looked at, so it is high.
const MISSED: f64 = 0.999;
/// Fewer suites than this prove nothing about a share of rows.
pub(super) const FEWEST: usize = 5;

/// A share, by suite: rows of one suite were measured in the same rounds and are not independent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Share {
    suites: Vec<(u64, u64)>,
}

impl Share {
    /// Begins another suite.
    pub(crate) fn next_suite(&mut self) {
        self.suites.push((0, 0));
    }

    /// Counts one case of the present suite.
    pub(crate) fn add(&mut self, hit: bool) {
        if self.suites.is_empty() {
            self.next_suite();
        }
        if let Some((hits, of)) = self.suites.last_mut() {
            *hits += u64::from(hit);
            *of += 1;
        }
    }

    /// Hits and cases.
    pub(crate) fn counts(&self) -> (u64, u64) {
        self.suites.iter().fold((0, 0), |(hits, of), (h, o)| (hits + h, of + o))
    }

    /// The share; `None` without a case.
    pub(crate) fn value(&self) -> Option<f64> {
        let (hits, of) = self.counts();
        (of > 0).then(|| hits as f64 / of as f64)
    }

    /// The interval at `level`: Wilson's, or the one of suites as clusters where that is wider (the linearised variance
    /// of a ratio; Cochran, Sampling Techniques, 1977, 6.3).
    fn interval(&self, level: f64) -> Interval {
        let (hits, of) = self.counts();
        let mut interval = wilson_at(hits, of, level);
        let clusters: Vec<(f64, f64)> =
            self.suites.iter().filter(|(_, of)| *of > 0).map(|(h, o)| (*h as f64, *o as f64)).collect();
        // With one case a suite the cases are independent.
        let clustered = clusters.len() > 1 && clusters.iter().any(|(_, of)| *of > 1.0);
        if let Some(share) = self.value().filter(|_| clustered) {
            let k = clusters.len() as f64;
            let squares: f64 = clusters.iter().map(|(h, o)| (h - share * o).powi(2)).sum();
            let error = (squares * k / (k - 1.0)).sqrt() / of as f64;
            let half = normal::quantile(0.5 + level / 2.0) * error;
            interval.lo = interval.lo.min((share - half).max(0.0));
            interval.hi = interval.hi.max((share + half).min(1.0));
        }
        interval
    }

    /// Whether the share is outside of `least..=most` beyond doubt.
    pub(crate) fn misses(&self, least: f64, most: f64) -> bool {
        let interval = self.interval(MISSED);
        let suites = self.suites.iter().filter(|(_, of)| *of > 0).count();
        suites >= FEWEST && (interval.hi < least || interval.lo > most)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(share) = self.value() else { return write!(f, "–") };
        let (hits, of) = self.counts();
        let interval = self.interval(SHOWN);
        let percent = |value: f64| 100.0 * value;
        write!(f, "{:.1}% [{:.1}, {:.1}] {hits}/{of}", percent(share), percent(interval.lo), percent(interval.hi))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(suites: &[(u64, u64)]) -> Share {
        Share { suites: suites.to_vec() }
    }

    #[test]
    fn independent_cases_have_wilsons_interval() {
        let mut counted = Share::default();
        for case in 0..20 {
            counted.next_suite();
            counted.add(case == 0);
        }
        // R: binom::binom.wilson(1, 20) gives 0.0089 to 0.2361.
        assert_eq!(counted.to_string(), "5.0% [0.9, 23.6] 1/20");
        assert_eq!(Share::default().to_string(), "–");
    }

    #[test]
    fn rows_that_move_together_widen_the_interval() {
        // One suite of ten has all the hits: that is one event and not thirty.
        let mut suites = vec![(0, 30); 9];
        suites.push((30, 30));
        let together = share(&suites);
        assert!(!together.misses(0.0, 0.05), "{together}");
        assert!(share(&[(3, 30); 10]).misses(0.0, 0.05));
    }

    #[test]
    fn nothing_counted_misses_nothing() {
        assert!(!Share::default().misses(0.9, 1.0));
        assert!(share(&[(0, 8); 5]).misses(0.9, 1.0));
        assert!(!share(&[(0, 40)]).misses(0.9, 1.0), "one suite is one event");
    }
}
