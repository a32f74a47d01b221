//! The Mann–Whitney U test, the shift between two samples, and the interval that inverts the test.
//!
//! For two sets of values whose order is unknown. Rounds that bench-bot ran itself are judged by
//! [`super::permutation`].

use super::invert::{Breakpoints, Inversion, hull};
use super::permutation::doubled_ranks;
use super::subset::SubsetSums;
use super::{Interval, normal, order};

/// Up to which size of the larger sample p is exact; beyond, it comes from the normal approximation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExactLimit {
    /// Without ties in the pooled values.
    pub untied: usize,
    /// With ties.
    pub tied: usize,
}

impl ExactLimit {
    /// Where benchstat switches.
    pub const BENCHSTAT: Self = Self { untied: 50, tied: 25 };
    /// Where bench-bot switches: 100 values a side, ties or not.
    pub const WIDE: Self = Self { untied: 100, tied: 100 };
}

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From the permutation distribution of the very values.
    Exact,
    /// From the normal approximation with continuity and tie correction.
    Normal,
    /// All values of both samples are equal: p = 1.
    AllEqual,
}

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// U of base: how many pairs have the greater value in base, ties counting one half.
    pub u: f64,
    /// Two-sided p.
    pub p: f64,
    /// How p was found.
    pub method: Method,
}

/// Two-sided Mann–Whitney test (Mann and Whitney, Ann. Math. Stat. 18, 1947); `None` if a sample is empty or holds NaN.
///
/// Exact: p = min(1, 2·min(P(U ≤ u), P(U ≥ u))) over all ways to divide the pooled values, ties included (Klotz,
/// J. Am. Stat. Assoc. 61, 1966); both tails are computed, since with ties and unequal sizes the distribution is not
/// symmetric. Normal: with continuity correction ½ and the tie-corrected variance (Lehmann, Nonparametrics, 1975, 1.4).
#[must_use]
pub fn test(base: &[f64], head: &[f64], limit: ExactLimit) -> Option<MannWhitney> {
    if base.is_empty() || head.is_empty() || base.iter().chain(head).any(|x| x.is_nan()) {
        return None;
    }
    let pooled = Pooled::new(base, head);
    let u = (pooled.base_sum - (base.len() * (base.len() + 1)) as i64) as f64 / 2.0;
    if pooled.equal {
        return Some(MannWhitney { u, p: 1.0, method: Method::AllEqual });
    }
    let most = if pooled.ties == 0.0 { limit.untied } else { limit.tied };
    if base.len().max(head.len()) <= most {
        let p = SubsetSums::new(&pooled.ranks, base.len()).two_sided(pooled.base_sum);
        return Some(MannWhitney { u, p, method: Method::Exact });
    }
    let normal = NormalU::new(base.len(), head.len(), pooled.ties);
    Some(MannWhitney { u, p: normal.two_sided(u), method: Method::Normal })
}

/// Pooled values as doubled mid-ranks.
struct Pooled {
    /// Rising.
    ranks: Vec<i64>,
    /// Sum of base's.
    base_sum: i64,
    /// Sum of t³ − t over the groups of t tied values.
    ties: f64,
    /// All values are equal.
    equal: bool,
}

impl Pooled {
    fn new(base: &[f64], head: &[f64]) -> Self {
        let all: Vec<f64> = base.iter().chain(head).copied().collect();
        // Equal infinities differ by NaN, which is not within any tolerance; as ranks they are equal.
        let keyed: Vec<f64> = all.iter().map(|x| x.clamp(-f64::MAX, f64::MAX)).collect();
        let mut ranks = doubled_ranks(&keyed, 0.0);
        let base_sum = ranks[..base.len()].iter().sum();
        ranks.sort_unstable();
        let ties = ranks
            .chunk_by(|a, b| a == b)
            .map(|group| {
                let t = group.len() as f64;
                t * t * t - t
            })
            .sum();
        let equal = ranks.first() == ranks.last();
        Self { ranks, base_sum, ties, equal }
    }
}

/// The normal approximation of U.
struct NormalU {
    mean: f64,
    sd: f64,
}

impl NormalU {
    fn new(n1: usize, n2: usize, ties: f64) -> Self {
        let (n1, n2) = (n1 as f64, n2 as f64);
        let n = n1 + n2;
        let variance = n1 * n2 * ((n + 1.0) - ties / (n * (n - 1.0))) / 12.0;
        Self { mean: n1 * n2 / 2.0, sd: variance.max(0.0).sqrt() }
    }

    fn two_sided(&self, u: f64) -> f64 {
        let distance = u - self.mean;
        let corrected = distance - 0.5 * if distance == 0.0 { 0.0 } else { distance.signum() };
        if self.sd == 0.0 {
            return 1.0;
        }
        let z = corrected / self.sd;
        (2.0 * normal::cdf(z).min(normal::cdf(-z))).min(1.0)
    }
}

/// Number of pairs up to which differences are listed rather than searched for.
const LISTED_PAIRS: usize = 100 * 100;

/// Median of all head − base differences: the Hodges–Lehmann estimate of a shift (Hodges and Lehmann, Ann. Math.
/// Stat. 34, 1963). `None` if a sample is empty or holds a value that is not finite.
#[must_use]
pub fn shift(base: &[f64], head: &[f64]) -> Option<f64> {
    if base.is_empty() || head.is_empty() || base.iter().chain(head).any(|x| !x.is_finite()) {
        return None;
    }
    let pairs = base.len() as u64 * head.len() as u64;
    if pairs <= LISTED_PAIRS as u64 {
        let differences: Vec<f64> = head.iter().flat_map(|y| base.iter().map(move |x| y - x)).collect();
        return order::median_of(&differences);
    }
    let (base, head) = (order::sorted(base), order::sorted(head));
    let upper = kth_difference(&base, &head, pairs / 2);
    if pairs % 2 == 1 {
        return Some(upper);
    }
    let lower = kth_difference(&base, &head, pairs / 2 - 1);
    Some(lower + 0.5 * (upper - lower))
}

/// The shifts that the test does not reject at 1 − `level`; `None` if a sample is empty or holds a value that is not
/// finite.
///
/// Breakpoints are the n1·n2 differences; the interval is the closed hull of the gaps between them with p > 1 − level.
/// Up to 100 values a side p is exact in every gap, with the ties that the values of one side have among themselves;
/// beyond, the normal approximation is used.
#[must_use]
pub fn interval(base: &[f64], head: &[f64], level: f64) -> Option<Interval> {
    if base.is_empty() || head.is_empty() || base.iter().chain(head).any(|x| !x.is_finite()) {
        return None;
    }
    if base.len().max(head.len()) > ExactLimit::WIDE.tied {
        return Some(normal_interval(&order::sorted(base), &order::sorted(head), level));
    }
    let largest = base.iter().chain(head).fold(1.0_f64, |largest, x| largest.max(x.abs()));
    let breakpoints = Breakpoints::new(base, head, 1e-12 * largest);
    let own_base = doubled_ranks(base, 0.0);
    let own_head = doubled_ranks(head, 0.0);
    let fixed = !has_equal(&own_base) && !has_equal(&own_head);
    Some(hull(&breakpoints, |mirrored| {
        let (low, high) = if mirrored { (&own_head, &own_base) } else { (&own_base, &own_head) };
        let high: Vec<i64> = high.iter().map(|rank| rank + 2 * low.len() as i64).collect();
        let mut state = RankSumInversion {
            observed: high.iter().sum(),
            low: low.clone(),
            high,
            level: 1.0 - level,
            quantile: normal::quantile((1.0 - level) / 2.0),
            null: None,
        };
        if fixed {
            // Without ties inside a side the pooled ranks are 1 to n whatever the shift.
            state.null = Some(state.distribution());
        }
        state
    }))
}

fn has_equal(ranks: &[i64]) -> bool {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// State of the rank-sum test at one shift: the doubled ranks of the two sides.
struct RankSumInversion {
    low: Vec<i64>,
    high: Vec<i64>,
    /// Sum of `high`.
    observed: i64,
    level: f64,
    /// The normal quantile of half the level.
    quantile: f64,
    /// The null distribution, where the shift does not change it.
    null: Option<SubsetSums>,
}

impl RankSumInversion {
    fn distribution(&self) -> SubsetSums {
        let mut all: Vec<i64> = self.low.iter().chain(&self.high).copied().collect();
        all.sort_unstable();
        SubsetSums::new(&all, self.high.len())
    }
}

impl Inversion for RankSumInversion {
    fn cross(&mut self, head: usize, base: usize) {
        self.high[head] -= 2;
        self.low[base] += 2;
        self.observed -= 2;
    }

    fn uncross(&mut self, head: usize, base: usize) {
        self.high[head] += 2;
        self.low[base] -= 2;
        self.observed += 2;
    }

    fn too_low(&self) -> bool {
        let upper = |null: &SubsetSums| 2.0 * null.at_least(self.observed) <= self.level;
        self.null.as_ref().map_or_else(|| upper(&self.distribution()), upper)
    }

    fn guess(&self) -> usize {
        // The statistic counts pairs, and without ties is about normal.
        let (n1, n2) = (self.low.len() as f64, self.high.len() as f64);
        let sd = (n1 * n2 * (n1 + n2 + 1.0) / 12.0).sqrt();
        (n1 * n2 / 2.0 + self.quantile * sd).max(0.0) as usize
    }
}

/// The interval from the normal approximation, whose p depends on the number of crossings alone.
fn normal_interval(base: &[f64], head: &[f64], level: f64) -> Interval {
    let ties = |values: &[f64]| -> f64 {
        values.chunk_by(|a, b| a == b).map(|group| (group.len() as f64).powi(3) - group.len() as f64).sum()
    };
    let normal = NormalU::new(base.len(), head.len(), ties(base) + ties(head));
    let pairs = base.len() as u64 * head.len() as u64;
    // The smallest number of pairs with the smaller value in head whose test is not rejected; U and pairs − U are alike.
    let (mut rejected, mut accepted) = (-1_i128, i128::from(pairs / 2));
    while accepted - rejected > 1 {
        let middle = rejected + (accepted - rejected) / 2;
        if normal.two_sided(middle as f64) > 1.0 - level {
            accepted = middle;
        } else {
            rejected = middle;
        }
    }
    match u64::try_from(accepted).unwrap_or(0) {
        0 => Interval::EVERYTHING,
        crossed => {
            Interval { lo: kth_difference(base, head, crossed - 1), hi: kth_difference(base, head, pairs - crossed) }
        }
    }
}

/// The `k`-th (from 0) smallest head − base difference of two sorted samples, by bisection on the representation of
/// floating-point numbers: 64 passes over both samples, whatever their size.
fn kth_difference(base: &[f64], head: &[f64], k: u64) -> f64 {
    let at_most = |bound: f64| -> u64 {
        let mut count = 0;
        let mut below = base.len();
        // While the head value rises, base values leave the set with head − base ≤ bound.
        for &y in head {
            while below > 0 && y - base[base.len() - below] > bound {
                below -= 1;
            }
            count += below as u64;
        }
        count
    };
    let (mut lo, mut hi) = (ordered(f64::NEG_INFINITY), ordered(f64::INFINITY));
    while lo < hi {
        let middle = lo + (hi - lo) / 2;
        if at_most(unordered(middle)) > k { hi = middle } else { lo = middle + 1 }
    }
    unordered(lo)
}

/// A whole number that orders as the floating-point number does.
const fn ordered(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

const fn unordered(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// The smallest two-sided p that samples of these sizes can give: 2/C(n1 + n2, n1), at most 1.
#[must_use]
pub fn smallest_p(n1: usize, n2: usize) -> f64 {
    let (few, many) = (n1.min(n2), n1.max(n2));
    // One division after the other: the number of divisions is far beyond the largest float for hundreds of values.
    let p = (1..=few.min(2000)).fold(2.0, |p, k| p * k as f64 / (many + k) as f64);
    p.min(1.0)
}

/// The smallest number of values a side whose smallest p is at or below `level`, if 100 are enough.
#[must_use]
pub fn values_for_level(level: f64) -> Option<u32> {
    (1..=100_u32).find(|&n| smallest_p(n as usize, n as usize) <= level)
}
