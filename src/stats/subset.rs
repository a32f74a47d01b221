//! How the sum of a random subset is distributed: the null distribution of the rank-sum test with any ties.

/// The exact distribution of the sum of `m` items drawn without replacement from a list of whole numbers.
///
/// The items in rising order are split in the middle. For each half a table counts the subsets by size and sum
/// (dynamic programming, one item after the other); a tail of the whole is a sum of products over the sizes of the
/// two parts. That takes about an eighth of the work of one table over all items, and any ties are just equal items
/// (Klotz, J. Am. Stat. Assoc. 61, 1966, gives the conditional distribution that this computes).
///
/// Counts are floating point: exact up to 2^53, and above that sums of positive numbers with a relative error of
/// about 1e-14.
#[derive(Debug)]
pub struct SubsetSums {
    /// Subset size.
    m: usize,
    /// Smallest item; every item is `origin + step·weight`.
    origin: i64,
    /// Greatest common divisor of the differences.
    step: i64,
    /// Weight of the upper half's first item: its table counts weights from there.
    shift: i64,
    /// By size: number of subsets of the lower half by the sum of their weights.
    lower: Vec<Vec<f64>>,
    /// By size: number of subsets of the upper half with a sum of at most the index.
    upper_at_most: Vec<Vec<f64>>,
    /// By size: with a sum of at least the index.
    upper_at_least: Vec<Vec<f64>>,
    /// Number of all subsets.
    all: f64,
}

impl SubsetSums {
    /// The distribution of the sum of `m` of `items`, which are in rising order. `m` is at most their number.
    #[must_use]
    pub fn new(items: &[i64], m: usize) -> Self {
        let m = m.min(items.len());
        let origin = items.first().copied().unwrap_or(0);
        let step = items.iter().fold(0, |g, &item| gcd(g, item - origin)).max(1);
        let weights: Vec<i64> = items.iter().map(|&item| (item - origin) / step).collect();
        let (low, high) = weights.split_at(weights.len() / 2);
        let shift = high.first().copied().unwrap_or(0);
        let high: Vec<i64> = high.iter().map(|w| w - shift).collect();
        let lower = table(low, m);
        let upper = table(&high, m);
        let upper_at_most = upper.iter().map(|counts| running(counts.iter())).collect();
        let upper_at_least = upper
            .iter()
            .map(|counts| {
                let mut sums = running(counts.iter().rev());
                sums.reverse();
                sums
            })
            .collect();
        let mut sums = Self { m, origin, step, shift, lower, upper_at_most, upper_at_least, all: 0.0 };
        sums.all = sums.count_at_most(i64::MAX / 4);
        sums
    }

    /// The probability of a sum of `sum` or less.
    #[must_use]
    pub fn at_most(&self, sum: i64) -> f64 {
        self.count_at_most((sum - self.origin * self.m as i64).div_euclid(self.step)) / self.all
    }

    /// The probability of a sum of `sum` or more.
    #[must_use]
    pub fn at_least(&self, sum: i64) -> f64 {
        let distance = sum - self.origin * self.m as i64;
        self.count_at_least(-((-distance).div_euclid(self.step))) / self.all
    }

    /// The two-sided p of `sum`: twice the smaller tail, at most 1.
    #[must_use]
    pub fn two_sided(&self, sum: i64) -> f64 {
        (2.0 * self.at_most(sum).min(self.at_least(sum))).min(1.0)
    }

    fn count_at_most(&self, weight: i64) -> f64 {
        self.fold(
            weight,
            &self.upper_at_most,
            |sums, rest| {
                if rest < 0 { 0.0 } else { sums[(rest as usize).min(sums.len() - 1)] }
            },
        )
    }

    fn count_at_least(&self, weight: i64) -> f64 {
        self.fold(weight, &self.upper_at_least, |sums, rest| sums.get(rest.max(0) as usize).copied().unwrap_or(0.0))
    }

    fn fold(&self, weight: i64, upper: &[Vec<f64>], take: impl Fn(&[f64], i64) -> f64) -> f64 {
        let mut total = 0.0;
        for (size, counts) in self.lower.iter().enumerate() {
            let Some(sums) = self.m.checked_sub(size).and_then(|rest| upper.get(rest)) else { continue };
            if sums.is_empty() {
                continue;
            }
            let left = weight - (self.m - size) as i64 * self.shift;
            for (sum, &count) in counts.iter().enumerate() {
                if count > 0.0 {
                    total += count * take(sums, left - sum as i64);
                }
            }
        }
        total
    }
}

/// Number of subsets by size (0 to `m`) and sum of weights, which rise. An empty list: no subset has that size.
fn table(weights: &[i64], m: usize) -> Vec<Vec<f64>> {
    let most = m.min(weights.len());
    // The largest sum of a size is that of the last weights.
    let largest = weights.iter().rev().scan(0, |sum, weight| {
        *sum += *weight as usize;
        Some(*sum)
    });
    let mut table = vec![vec![1.0]];
    table.extend(largest.take(most).map(|sum| vec![0.0; sum + 1]));
    // Of each size: how much of its list is in use.
    let mut used = vec![0; most + 1];
    used[0] = 1;
    for (seen, &weight) in weights.iter().enumerate() {
        let weight = weight as usize;
        for size in (1..=most.min(seen + 1)).rev() {
            let (smaller, rest) = table.split_at_mut(size);
            let from = &smaller[size - 1][..used[size - 1]];
            for (to, count) in rest[0][weight..].iter_mut().zip(from) {
                *to += count;
            }
            used[size] = used[size].max(from.len() + weight);
        }
    }
    table
}

fn running<'a>(counts: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    counts
        .scan(0.0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect()
}

/// Greatest common divisor.
pub(super) const fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
