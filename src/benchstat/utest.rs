//! The Mann–Whitney test of many pairs of samples, fast.
//!
//! The same p as [`crate::stats::mann_whitney`] gives with benchstat's limits, for tables of thousands of rows: the
//! distribution without ties is computed once for each pair of sizes, the one with ties only up to the observed value.

use super::hash::FastMap;

/// Largest sample without ties in the pooled values whose p is exact.
const EXACT: usize = 50;
/// Largest sample with ties whose p is exact.
const EXACT_TIED: usize = 25;

/// What the test says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// The two-sided p.
    P(f64),
    /// All values of both samples are equal, so that there is nothing to test.
    AllEqual,
}

/// Tests pairs of samples.
#[derive(Debug, Default)]
pub(super) struct Tester {
    /// By the two sizes: the two-sided p of U = 0, 1, … up to the middle, without ties.
    untied: FastMap<(usize, usize), Box<[f64]>>,
    /// Sizes of the groups of equal pooled values, rising.
    groups: Vec<usize>,
    /// Room for counting: by size of the part drawn, by doubled U.
    counts: Vec<f64>,
}

impl Tester {
    /// Tests whether two samples, in rising order and not empty, come from the same distribution.
    ///
    /// p = min(1, 2·min(P(U ≤ u), P(U ≥ u))) over all divisions of the pooled values (Mann and Whitney 1947; with ties
    /// the conditional distribution of Klotz, J. Am. Stat. Assoc. 61, 1966). benchstat doubles the lower tail at the
    /// smaller of the two U even where the distribution is not symmetric, with ties and unequal sizes. Beyond its limits
    /// the normal approximation, with tie and continuity correction, as benchstat has it.
    pub(super) fn test(&mut self, base: &[f64], head: &[f64]) -> Outcome {
        if base[0] == head[0] && base[base.len() - 1] == base[0] && head[head.len() - 1] == head[0] {
            return Outcome::AllEqual;
        }
        let doubled_u = self.rank(base, head);
        let (n1, n2) = (base.len(), head.len());
        let ties = self.groups.len() < n1 + n2;
        let limit = if ties { EXACT_TIED } else { EXACT };
        Outcome::P(if n1.max(n2) > limit {
            self.approximate(n1, n2, doubled_u)
        } else if ties {
            self.tied(n1, n2, doubled_u)
        } else {
            let smaller = (doubled_u / 2).min(n1 * n2 - doubled_u / 2);
            self.untied.entry((n1, n2)).or_insert_with(|| untied_table(n1, n2))[smaller]
        })
    }

    /// Puts the sizes of the groups of equal values into `groups`; twice base's U: the number of pairs whose greater
    /// value is in base, ties counting one half.
    fn rank(&mut self, base: &[f64], head: &[f64]) -> usize {
        self.groups.clear();
        let (mut i, mut j) = (0, 0);
        let mut doubled_u = 0;
        while i < base.len() || j < head.len() {
            let value = match (base.get(i), head.get(j)) {
                (Some(b), Some(h)) => b.min(*h),
                (Some(v), None) | (None, Some(v)) => *v,
                (None, None) => break,
            };
            let (i0, j0) = (i, j);
            i += base[i..].iter().take_while(|v| **v == value).count();
            j += head[j..].iter().take_while(|v| **v == value).count();
            if i == i0 && j == j0 {
                // Only NaN is not equal to itself; no reader lets it in.
                break;
            }
            doubled_u += (i - i0) * (j0 + j);
            self.groups.push((i - i0) + (j - j0));
        }
        doubled_u
    }

    fn approximate(&self, n1: usize, n2: usize, doubled_u: usize) -> f64 {
        let ties: f64 = self.groups.iter().map(|t| (t * t * t - t) as f64).sum();
        let pairs = (n1 * n2) as f64;
        let n = (n1 + n2) as f64;
        let sd = (pairs * ((n + 1.0) - ties / (n * (n - 1.0))) / 12.0).sqrt();
        let distance = doubled_u as f64 / 2.0 - pairs / 2.0;
        let corrected = if distance == 0.0 { 0.0 } else { distance - 0.5 * distance.signum() };
        let z = corrected / sd;
        // Far above, 1 − Φ is 0: the tool then shows no p, and so do its tables here.
        let below = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
        (2.0 * below.min(1.0 - below)).min(1.0)
    }

    /// p of a doubled U where values are tied.
    ///
    /// Groups are taken in rising order. Drawing `j` of a group of `t`, with `before` values below it of which `k` were
    /// drawn, adds j·(2·(before − k) + t − j) to the doubled U of the drawn part, so that partial sums only grow and
    /// everything beyond the observed value can be left out. Counts stay below 2^53: they are exact.
    fn tied(&mut self, n1: usize, n2: usize, doubled_u: usize) -> f64 {
        let largest = 2 * n1 * n2;
        // The lower side needs less counting; U of the mirrored order is n1·n2 − U.
        let mirrored = doubled_u > largest - doubled_u;
        let observed = if mirrored { largest - doubled_u } else { doubled_u };
        if mirrored {
            self.groups.reverse();
        }
        let width = observed + 1;
        self.counts.clear();
        self.counts.resize((n1 + 1) * width, 0.0);
        self.counts[0] = 1.0;
        let mut before = 0;
        for &t in &self.groups {
            // Larger parts first, so that a group's values are drawn once.
            for k in (0..=n1.min(before)).rev() {
                let mut choices = 1.0;
                for j in 1..=t.min(n1 - k) {
                    choices *= (t + 1 - j) as f64 / j as f64;
                    let step = j * (2 * (before - k) + t - j);
                    if step > observed {
                        continue;
                    }
                    // So far `k` of `before` values have at most this doubled U.
                    let reached = (2 * k * (before - k)).min(observed - step);
                    let (smaller, larger) = self.counts.split_at_mut((k + j) * width);
                    let from = &smaller[k * width..=k * width + reached];
                    for (to, count) in larger[step..=step + reached].iter_mut().zip(from) {
                        *to += choices * count;
                    }
                }
            }
            before += t;
        }
        let all = (1..=n1).fold(1.0, |product, i| product * (n2 + i) as f64 / i as f64).round();
        let tail = &self.counts[n1 * width..];
        let at_most: f64 = tail.iter().sum();
        let at_least = all - at_most + tail[observed];
        (2.0 * at_most.min(at_least) / all).min(1.0)
    }
}

/// Two-sided p of U = 0, 1, … up to half of all pairs, for sizes without ties.
///
/// By the recurrence of Mann and Whitney (1947), p(n, m, u) = (n·p(n−1, m, u−m) + m·p(n, m−1, u)) / (n+m), in doubles and
/// in benchstat's order: whole numbers would be exact, but then a p that is as large as alpha, such as 2/20, could be on
/// the other side of it than the tool's.
fn untied_table(n1: usize, n2: usize) -> Box<[f64]> {
    let (n1, n2) = (n1.min(n2), n1.max(n2));
    let width = n1 * n2 / 2 + 1;
    // By n, the probabilities of u for the m of the round. p(n, m) is p(m, n), so that n ≤ m is enough.
    let mut by_n = vec![vec![0.0_f64; width]; n1 + 1];
    by_n[0][0] = 1.0;
    for m in 1..=n2 {
        for n in 1..=n1.min(m) {
            let (smaller, rest) = by_n.split_at_mut(n);
            let (less_n, out) = (&smaller[n - 1], &mut rest[0]);
            let (of_n, of_m, all) = (n as f64, m as f64, (n + m) as f64);
            // From above, since p(n, m−1) is overwritten in place; where n is m it is p(n−1, m).
            for u in (0..=(n * m).min(width - 1)).rev() {
                let left = if u >= m { of_n * less_n[u - m] } else { 0.0 };
                let right = of_m * if n < m { out[u] } else { less_n[u] };
                out[u] = (left + right) / all;
            }
        }
    }
    let mut sum = 0.0;
    let mut table: Box<[f64]> = by_n[n1]
        .iter()
        .map(|p| {
            sum += p;
            // Rounding can take the last one a digit above.
            (sum * 2.0).min(1.0)
        })
        .collect();
    if (n1 * n2).is_multiple_of(2) {
        // In the middle both tails hold the middle itself.
        table[width - 1] = 1.0;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(base: &[f64], head: &[f64]) -> f64 {
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values
        };
        match Tester::default().test(&sorted(base), &sorted(head)) {
            Outcome::P(p) => p,
            Outcome::AllEqual => panic!("all equal"),
        }
    }

    /// p by looking at every division of the pooled values.
    fn by_enumeration(base: &[f64], head: &[f64]) -> f64 {
        let pooled: Vec<f64> = base.iter().chain(head).copied().collect();
        let u = |chosen: u32| -> f64 {
            let mut u = 0.0;
            for (i, a) in pooled.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1) {
                for (j, b) in pooled.iter().enumerate().filter(|(j, _)| chosen >> j & 1 == 0) {
                    let _ = (i, j);
                    u += if a > b {
                        1.0
                    } else if a == b {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
            u
        };
        let observed = u((1 << base.len()) - 1);
        let divisions = (0..1_u32 << pooled.len()).filter(|c| c.count_ones() as usize == base.len());
        let us: Vec<f64> = divisions.map(u).collect();
        let share = |holds: &dyn Fn(f64) -> bool| us.iter().filter(|u| holds(**u)).count() as f64 / us.len() as f64;
        (2.0 * share(&|u| u <= observed).min(share(&|u| u >= observed))).min(1.0)
    }

    #[test]
    fn p_is_that_of_benchstat_where_benchstat_is_right() {
        let text = include_str!("../../tests/data/benchstat/vectors.json");
        let vectors: serde_json::Value = serde_json::from_str(text).expect("the vectors are JSON");
        let numbers = |value: &serde_json::Value| -> Vec<f64> {
            value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
        };
        let mut compared = 0;
        for case in vectors["utest"].as_array().expect("a list") {
            let (a, b) = (numbers(&case["A"]), numbers(&case["B"]));
            let expected = case["P"].as_f64().expect("a number");
            if case["Method"] == "exact" && case["Ties"] == true && a.len() != b.len() {
                // Here the tool's p depends on which sample comes first.
                assert!((p(&a, &b) - p(&b, &a)).abs() < 1e-15);
                continue;
            }
            if case["Method"] == "exact" && case["Ties"] == false {
                assert_eq!(p(&a, &b), expected, "to the last digit for {a:?} {b:?}");
            }
            assert!((p(&a, &b) - expected).abs() < 1e-12, "{} {expected} for {a:?} {b:?}", p(&a, &b));
            compared += 1;
        }
        assert!(compared > 70);
    }

    #[test]
    fn ties_with_unequal_sizes_have_two_tails() {
        // Fractions counted by hand or by enumeration; the real tool prints the figure in the comment.
        for (base, head, expected) in [
            (&[2.0, 3.0][..], &[1.0, 1.0, 1.0, 1.0, 2.0][..], 4.0 / 21.0), // 0
            (&[1.0, 1.0, 1.0, 1.0, 2.0], &[2.0, 3.0], 4.0 / 21.0),         // 0.190
            (&[1.0], &[1.0, 1.0, 1.0, 1.0, 2.0], 1.0),                     // 1.667
            (&[0.0, 1.0, 1.0, 1.0, 2.0, 2.0], &[0.0, 0.0, 0.0, 0.0, 1.0], 1.0 / 11.0), // 0.026
        ] {
            assert!((p(base, head) - expected).abs() < 1e-15, "{base:?} {head:?}: {}", p(base, head));
            assert!((by_enumeration(base, head) - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn rounding_takes_no_p_above_one() {
        // U = 5 of 9 pairs: both tails hold half of the 20 divisions.
        assert_eq!(p(&[3.0, 5.0, 2.0], &[4.0, 6.0, 0.0]), 1.0);
    }

    #[test]
    fn equal_samples_are_no_test() {
        assert_eq!(Tester::default().test(&[1.0, 1.0], &[1.0]), Outcome::AllEqual);
        assert_eq!(p(&[1.0, 1.0, 2.0], &[1.0, 2.0, 2.0]), 1.0);
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn p_is_that_of_enumeration(
                base in prop::collection::vec(0_u8..5, 1..7),
                head in prop::collection::vec(0_u8..5, 1..7),
            ) {
                let base: Vec<f64> = base.into_iter().map(f64::from).collect();
                let head: Vec<f64> = head.into_iter().map(f64::from).collect();
                prop_assume!(base.iter().chain(&head).any(|v| *v != base[0]));
                prop_assert!((p(&base, &head) - by_enumeration(&base, &head)).abs() < 1e-14);
            }

            #[test]
            fn direction_does_not_matter(
                base in prop::collection::vec(0_u8..9, 1..40),
                head in prop::collection::vec(0_u8..9, 1..40),
            ) {
                let base: Vec<f64> = base.into_iter().map(f64::from).collect();
                let head: Vec<f64> = head.into_iter().map(f64::from).collect();
                prop_assume!(base.iter().chain(&head).any(|v| *v != base[0]));
                let forward = p(&base, &head);
                prop_assert!(forward > 0.0 && forward <= 1.0);
                prop_assert!((forward - p(&head, &base)).abs() < 1e-12);
            }
        }
    }
}
