//! What is said of a sample, and of two samples.

use super::interval::Intervals;
use super::number::{fixed, shortest};
use super::utest::{Outcome, Tester};
use std::fmt;

/// What is assumed of the values of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assumption {
    /// Nothing: median, order statistics, Mann–Whitney.
    Nothing,
    /// Every measurement gives the same value (`assume=exact`): the commonest value, no test.
    Exact,
}

/// A remark on a cell, shown as a footnote.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Footnote {
    /// Results in the cell differ in these fields, which no expression mentions.
    Vary(Box<str>),
    /// Too few values for a finite interval: the smallest number (`None`: more than 50) and the level.
    NeedForInterval(Option<u8>, f64),
    /// Exact values that differ: the smallest and the largest.
    ExactVaries(f64, f64),
    /// Too few values for any p as small as alpha: the smallest number (`None`: more than 10) and alpha.
    NeedForTest(Option<u8>, f64),
    /// Nothing to test.
    AllEqual,
    /// Rows are missing on a side.
    SetDiffers,
    /// No geometric mean of the centers.
    CentersNotPositive,
    /// No geometric mean of the ratios.
    RatiosNotPositive,
}

impl fmt::Display for Footnote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let need = |smallest: &Option<u8>, most: u8| match smallest {
            Some(n) => format!("need >= {n} samples"),
            None => format!("need > {most} samples"),
        };
        match self {
            Self::Vary(fields) => write!(f, "benchmarks vary in {fields}"),
            Self::NeedForInterval(n, level) => {
                write!(f, "{} for confidence interval at level {}", need(n, 50), shortest(*level))
            }
            Self::ExactVaries(lo, hi) => {
                write!(f, "exact distribution expected, but values range from {} to {}", shortest(*lo), shortest(*hi))
            }
            Self::NeedForTest(n, alpha) => {
                write!(f, "{} to detect a difference at alpha level {}", need(n, 10), shortest(*alpha))
            }
            Self::AllEqual => f.write_str("all samples are equal"),
            Self::SetDiffers => f.write_str("benchmark set differs from baseline; geomeans may not be comparable"),
            Self::CentersNotPositive => f.write_str("summaries must be >0 to compute geomean"),
            Self::RatiosNotPositive => f.write_str("ratios must be >0 to compute geomean"),
        }
    }
}

/// The center of a sample and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    pub(super) center: f64,
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) footnote: Option<Footnote>,
}

impl Summary {
    /// Summarises values in rising order, at least one.
    pub(super) fn new(sorted: &[f64], assumption: Assumption, intervals: &mut Intervals) -> Self {
        match assumption {
            Assumption::Nothing => Self::of_median(sorted, intervals),
            Assumption::Exact => Self::of_mode(sorted),
        }
    }

    fn of_median(sorted: &[f64], intervals: &mut Intervals) -> Self {
        let (lo, hi) = intervals.ends(sorted);
        let footnote = (lo.is_infinite() || hi.is_infinite())
            .then(|| Footnote::NeedForInterval(intervals.smallest_finite(), intervals.confidence()));
        Self { center: median(sorted), lo, hi, footnote }
    }

    /// The commonest value, the smallest of several; the interval is the range.
    fn of_mode(sorted: &[f64]) -> Self {
        let (lo, hi) = (sorted[0], sorted[sorted.len() - 1]);
        let mut mode: &[f64] = &[];
        for run in sorted.chunk_by(|a, b| a == b) {
            if run.len() > mode.len() {
                mode = run;
            }
        }
        let footnote = (mode.len() != sorted.len()).then_some(Footnote::ExactVaries(lo, hi));
        Self { center: mode.first().copied().unwrap_or(lo), lo, hi, footnote }
    }

    /// The larger side of the interval in percent of the center, rounded: `2%`; `∞` if it has no end; `?` if an end has
    /// another sign than the center, so that percent mean nothing.
    pub(super) fn write_range(&self, text: &mut String) {
        let sign = |x: f64| {
            if x == 0.0 {
                0
            } else if x < 0.0 {
                -1
            } else {
                1
            }
        };
        if self.lo.is_infinite() || self.hi.is_infinite() {
            text.push('∞');
        } else if sign(self.lo) != sign(self.center) || sign(self.hi) != sign(self.center) {
            text.push('?');
        } else if self.center == 0.0 {
            text.push_str("0%");
        } else {
            // The end that is farther from zero comes first; benchstat takes hi for it even where values are negative.
            let (far, near) = if self.center < 0.0 { (self.lo, self.hi) } else { (self.hi, self.lo) };
            let ratio = (far / self.center - 1.0).max(1.0 - near / self.center);
            fixed(text, 100.0 * ratio, 0, false);
            text.push('%');
        }
    }
}

/// The middle value of values in rising order, or the mean of the two middle ones in the form that benchstat computes.
pub(super) fn median(sorted: &[f64]) -> f64 {
    let upper = sorted[sorted.len() / 2];
    if sorted.len() % 2 == 1 {
        return upper;
    }
    let lower = sorted[sorted.len() / 2 - 1];
    // Infinities have no difference.
    if lower.is_infinite() { lower } else { lower + 0.5 * (upper - lower) }
}

/// A sample compared with its baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    /// The p-value; `None` for exact units, which are not tested. 0 is one that is too small for a double.
    pub(super) p: Option<f64>,
    pub(super) sizes: (usize, usize),
    pub(super) significant: bool,
    pub(super) footnote: Option<Footnote>,
}

/// Smallest two-sided p of two samples of n values each: 2 / C(2n, n).
const SMALLEST_P: [f64; 9] =
    [1.0, 2.0 / 6.0, 2.0 / 20.0, 2.0 / 70.0, 2.0 / 252.0, 2.0 / 924.0, 2.0 / 3432.0, 2.0 / 12870.0, 2.0 / 48620.0];

impl Comparison {
    /// Compares two samples in rising order, neither empty.
    pub(super) fn new(base: &[f64], head: &[f64], assumption: Assumption, alpha: f64, tester: &mut Tester) -> Self {
        let sizes = (base.len(), head.len());
        if assumption == Assumption::Exact {
            return Self { p: None, sizes, significant: true, footnote: None };
        }
        match tester.test(base, head) {
            Outcome::AllEqual => {
                Self { p: Some(1.0), sizes, significant: 1.0 <= alpha, footnote: Some(Footnote::AllEqual) }
            }
            Outcome::P(p) => {
                let significant = p <= alpha;
                let smallest = (1..).zip(SMALLEST_P).find(|(_, p)| *p <= alpha).map(|(n, _)| n);
                let need = usize::from(smallest.unwrap_or(10));
                let too_few = !significant && sizes.0 < need && sizes.1 < need;
                Self {
                    p: Some(p),
                    sizes,
                    significant,
                    footnote: too_few.then_some(Footnote::NeedForTest(smallest, alpha)),
                }
            }
        }
    }

    /// `p=0.002 n=6`, `p=0.003 n=10+9`, `n=3`.
    pub(super) fn write_p(&self, text: &mut String) {
        use std::fmt::Write as _;
        if let Some(p) = self.p.filter(|p| *p > 0.0) {
            text.push_str("p=");
            fixed(text, p, 3, false);
            text.push(' ');
        }
        let (n1, n2) = self.sizes;
        // Writing into a string cannot fail.
        let _ = if n1 == n2 { write!(text, "n={n1}") } else { write!(text, "n={n1}+{n2}") };
    }

    /// The change from `base` to `head`, the centers of the two samples: `-4.88%`, `~` if it is not significant, `?` if
    /// base is zero.
    pub(super) fn write_delta(&self, text: &mut String, base: f64, head: f64) {
        if !self.significant {
            text.push('~');
        } else if base == head {
            text.push_str("0.00%");
        } else if base == 0.0 {
            text.push('?');
        } else {
            write_percent(text, head / base, base < 0.0);
        }
    }
}

/// A ratio as a signed change in percent. With a negative base the ratio falls where the value rises: the sign is turned,
/// which benchstat does not do.
pub(super) fn write_percent(text: &mut String, ratio: f64, negative_base: bool) {
    let change = (ratio - 1.0) * 100.0;
    fixed(text, if negative_base { -change } else { change }, 2, true);
    text.push('%');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(summary: &Summary) -> String {
        let mut text = String::new();
        summary.write_range(&mut text);
        text
    }

    fn number(value: &serde_json::Value) -> f64 {
        match value.as_str() {
            Some("+Inf") => f64::INFINITY,
            Some("-Inf") => f64::NEG_INFINITY,
            Some(text) => text.parse().expect("a number"),
            None => value.as_f64().expect("a number"),
        }
    }

    #[test]
    fn summaries_are_those_of_benchstat() {
        let text = include_str!("../../tests/data/benchstat/vectors.json");
        let vectors: serde_json::Value = serde_json::from_str(text).expect("the vectors are JSON");
        let rows = vectors["summary"].as_array().expect("a list");
        assert!(rows.len() > 15);
        for row in rows {
            let mut values: Vec<f64> = row["Xs"].as_array().expect("a list").iter().map(number).collect();
            values.sort_by(f64::total_cmp);
            let mut intervals = Intervals::new(number(&row["Conf"]));
            let summary = Summary::new(&values, Assumption::Nothing, &mut intervals);
            let ends = (summary.center, summary.lo, summary.hi);
            assert_eq!(ends, (number(&row["Center"]), number(&row["Lo"]), number(&row["Hi"])), "{values:?}");
            if summary.center >= 0.0 {
                assert_eq!(range(&summary), row["Range"].as_str().expect("text"), "{values:?}");
            }
        }
    }

    #[test]
    fn negative_centers_have_a_positive_range_and_a_true_sign() {
        // Six values from -15 to -10: center -12.5, interval [-15, -10], 2.5 of 12.5 on both sides.
        let values = [-15.0, -14.0, -13.0, -12.0, -11.0, -10.0];
        let summary = Summary::new(&values, Assumption::Nothing, &mut Intervals::new(0.95));
        assert_eq!((summary.center, range(&summary).as_str()), (-12.5, "20%"));
        // From -12.5 to -22.5 the value falls by 10 of 12.5.
        let mut text = String::new();
        let lower: Vec<f64> = values.iter().map(|v| v - 10.0).collect();
        let comparison = Comparison::new(&values, &lower, Assumption::Nothing, 0.05, &mut Tester::default());
        comparison.write_delta(&mut text, -12.5, -22.5);
        assert_eq!(text, "-80.00%");
    }

    #[test]
    fn the_mode_is_the_smallest_of_the_commonest() {
        let summary = Summary::new(&[1.0, 2.0, 2.0, 3.0, 3.0], Assumption::Exact, &mut Intervals::new(0.95));
        assert_eq!(summary.center, 2.0);
        assert_eq!(summary.footnote, Some(Footnote::ExactVaries(1.0, 3.0)));
        let summary = Summary::new(&[5.0, 5.0], Assumption::Exact, &mut Intervals::new(0.95));
        assert_eq!((summary.center, summary.footnote), (5.0, None));
    }
}
