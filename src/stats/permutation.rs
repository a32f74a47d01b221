//! The randomisation test of randomised blocks of four.
//!
//! Each block holds two base and two head rounds in an order drawn at random, so under "the label does not matter" each
//! of the six ways to label a block was equally likely: an exact test that supposes nothing about noise, drift or
//! shape (Fisher, The Design of Experiments, 1935; aligned ranks: Hodges and Lehmann, Ann. Math. Stat. 33, 1962).

use super::subset::gcd;

/// The four values of one block on the scale of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// The two values of base, in the order measured.
    pub base: [f64; 2],
    /// The two values of head, in the order measured.
    pub head: [f64; 2],
}

impl Block {
    /// Four values in the order measured; `order` says for each whether it is head's. Two are.
    #[must_use]
    pub fn arranged(order: [bool; 4], values: [f64; 4]) -> Self {
        let mut block = Self { base: [0.0; 2], head: [0.0; 2] };
        let (mut base, mut head) = (0, 0);
        for (is_head, value) in order.into_iter().zip(values) {
            if is_head {
                block.head[head] = value;
                head += 1;
            } else {
                block.base[base] = value;
                base += 1;
            }
        }
        block
    }

    /// The values minus their mean. The mean adds them in rising order, so that it does not depend on labels.
    fn residuals(&self) -> [f64; 4] {
        let [a, b] = self.base;
        let [c, d] = self.head;
        let mut order = [a, b, c, d];
        for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
            if order[i] > order[j] {
                order.swap(i, j);
            }
        }
        let mean = (order[0] + order[1] + order[2] + order[3]) / 4.0;
        [a - mean, b - mean, c - mean, d - mean]
    }

    /// Largest absolute value.
    fn largest(&self) -> f64 {
        let [a, b] = self.base;
        let [c, d] = self.head;
        a.abs().max(b.abs()).max(c.abs().max(d.abs()))
    }
}

/// Residuals closer than this to their neighbour are tied.
pub(super) fn tolerance(blocks: &[Block]) -> f64 {
    1e-12 * blocks.iter().map(Block::largest).fold(1.0, f64::max)
}

/// Two-sided p of the hypothesis that base and head differ in nothing but their label: the share of all 6^k
/// labellings whose rank sum is at least as far from the middle as the one that was run. 1 without blocks.
///
/// The residuals of all blocks are ranked together with mid-ranks, doubled so that they are whole numbers. The
/// distribution is the convolution of the blocks' six head sums on the very data, so ties cost nothing. The smallest p
/// is 2/6^k. No mid-p and nothing added: p is exact.
#[must_use]
pub fn p_value(blocks: &[Block]) -> f64 {
    let mut residuals = Vec::with_capacity(4 * blocks.len());
    for block in blocks {
        residuals.extend_from_slice(&block.residuals());
    }
    let ranks = doubled_ranks(&residuals, tolerance(blocks));
    let (ranks, _) = ranks.as_chunks::<4>();
    let mut observed = 0;
    for rank in ranks {
        observed += rank[2] + rank[3] - rank[0] - rank[1];
    }
    Null::new(ranks).tail(observed.abs())
}

/// The residuals of base and of head: the two values of every block minus the block's mean.
pub(super) fn residuals(blocks: &[Block]) -> (Vec<f64>, Vec<f64>) {
    let mut base = Vec::with_capacity(2 * blocks.len());
    let mut head = Vec::with_capacity(2 * blocks.len());
    for block in blocks {
        let [a, b, c, d] = block.residuals();
        base.extend([a, b]);
        head.extend([c, d]);
    }
    (base, head)
}

/// Twice the mid-ranks of `values` (ranks from 1); values within `tolerance` of their sorted neighbour are tied.
#[must_use]
pub fn doubled_ranks(values: &[f64], tolerance: f64) -> Vec<i64> {
    let n = values.len();
    let mut keys = values.to_vec();
    let mut order: Vec<usize> = (0..n).collect();
    sort_with(&mut keys, &mut order);
    let mut ranks = vec![0; n];
    let (keys, order, out): (&[f64], &[usize], &mut [i64]) = (&keys, &order, &mut ranks);
    let mut first = 0;
    while first < n {
        let mut last = first;
        while last + 1 < n && keys[last + 1] - keys[last] <= tolerance {
            last += 1;
        }
        let mut i = first;
        while i <= last {
            out[order[i]] = (first + last + 2) as i64;
            i += 1;
        }
        first = last + 1;
    }
    ranks
}

/// Sorts `keys` and moves `order` along. Plain loops: this and [`convolve`] are where simulations spend their time,
/// and these loops are quick in unoptimised builds, too.
fn sort_with(keys: &mut [f64], order: &mut [usize]) {
    if keys.len() > 40 {
        order.sort_unstable_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        keys.sort_unstable_by(f64::total_cmp);
        return;
    }
    let mut end = 1;
    while end < keys.len() {
        let (key, index) = (keys[end], order[end]);
        let mut at = end;
        while at > 0 && keys[at - 1] > key {
            keys[at] = keys[at - 1];
            order[at] = order[at - 1];
            at -= 1;
        }
        keys[at] = key;
        order[at] = index;
        end += 1;
    }
}

/// The distribution of head's doubled ranks minus base's over all labellings.
///
/// A block gives ±|r₀ + r₁ − r₂ − r₃| and its two like, each with probability one sixth, so the distribution is
/// symmetric about 0. It is kept as two halves of the blocks; a tail is a sum of products over the values of one half.
/// Counts are floating point: exact up to 20 blocks, relative error about 1e-15 above.
pub(super) struct Null {
    /// All values are `−reach + step·index`.
    step: i64,
    /// Number of labellings of the first half by value.
    first: Vec<f64>,
    first_reach: i64,
    /// Number of labellings of the second half with at least the value.
    second_at_least: Vec<f64>,
    second_reach: i64,
    /// 6^k.
    all: f64,
}

impl Null {
    /// The distribution for the doubled ranks of each block's four values.
    pub(super) fn new(ranks: &[[i64; 4]]) -> Self {
        let mut values = Vec::with_capacity(ranks.len());
        let mut step = 0;
        for &[a, b, c, d] in ranks {
            let block = [(a + b - c - d).abs(), (a + c - b - d).abs(), (a + d - b - c).abs()];
            let reach = block[0].max(block[1]).max(block[2]);
            step = gcd(gcd(step, 2 * reach), gcd(reach - block[0], gcd(reach - block[1], reach - block[2])));
            values.push(block);
        }
        let step = step.max(1);
        let (first, second) = values.split_at(values.len() / 2);
        let (first, first_reach) = convolve(first, step);
        let (mut second, second_reach) = convolve(second, step);
        accumulate(&mut second);
        let all = ranks.iter().fold(1.0, |all, _| all * 6.0);
        Self { step, first, first_reach, second_at_least: second, second_reach, all }
    }

    /// P(|value| ≥ `distance`), for a distance of 0 or more.
    pub(super) fn tail(&self, distance: i64) -> f64 {
        if distance <= 0 {
            return 1.0;
        }
        // first + second ≥ distance, as indices: i + j ≥ (distance + both reaches)/step, rounded up.
        let needed = (distance + self.first_reach + self.second_reach + self.step - 1) / self.step;
        let (first, second): (&[f64], &[f64]) = (&self.first, &self.second_at_least);
        let mut i = (needed + 1 - second.len() as i64).max(0) as usize;
        let mut ways = 0.0;
        while i < first.len() {
            ways += first[i] * second[(needed as usize).saturating_sub(i)];
            i += 1;
        }
        2.0 * ways / self.all
    }
}

/// Number of labellings by the sum of the blocks' values, which are `−reach + step·index`; and the reach.
fn convolve(blocks: &[[i64; 3]], step: i64) -> (Vec<f64>, i64) {
    let mut counts = vec![1.0];
    let mut reach = 0;
    for block in blocks {
        let block_reach = block[0].max(block[1]).max(block[2]);
        let width = (2 * block_reach / step) as usize;
        let mut next = vec![0.0; counts.len() + width];
        let from: &[f64] = &counts;
        let mut which = 0;
        while which < 3 {
            let low = ((block_reach - block[which]) / step) as usize;
            add(from, &mut next[low..]);
            add(from, &mut next[width - low..]);
            which += 1;
        }
        counts = next;
        reach += block_reach;
    }
    (counts, reach)
}

/// Turns counts by value into counts of at least the value.
fn accumulate(counts: &mut [f64]) {
    let mut i = counts.len();
    while i > 1 {
        i -= 1;
        counts[i - 1] += counts[i];
    }
}

/// Adds `from` to the beginning of `into`.
fn add(from: &[f64], into: &mut [f64]) {
    let into = &mut into[..from.len()];
    let mut i = 0;
    while i < from.len() {
        into[i] += from[i];
        i += 1;
    }
}
