//! Enumeration inside the test: all labellings of small designs, with ties and without.

use super::super::permutation::{Block, p_value};
use super::super::power::smallest_p;
use super::super::simulate::random::Random;

const LABELS: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];

/// All 6^k relabelled designs of `blocks`.
fn relabelled(blocks: &[Block]) -> impl Iterator<Item = Vec<Block>> + '_ {
    (0..6_usize.pow(blocks.len() as u32)).map(move |mut code| {
        blocks
            .iter()
            .map(|block| {
                let four = [block.base[0], block.base[1], block.head[0], block.head[1]];
                let [a, b, c, d] = LABELS[code % 6];
                code /= 6;
                Block { base: [four[a], four[b]], head: [four[c], four[d]] }
            })
            .collect()
    })
}

/// A randomisation test is exact if and only if, over all labellings of the same data, the share of p-values at or
/// below any p is p itself.
#[test]
fn p_is_the_rank_of_the_labelling_among_all() {
    let mut random = Random::new(3, &[]);
    for blocks in 1..=4 {
        for quantum in [0.0, 0.02] {
            let mut value = || {
                let x = 0.02 * random.normal();
                if quantum > 0.0 { (x / quantum).round() * quantum } else { x }
            };
            let data: Vec<Block> =
                (0..blocks).map(|_| Block { base: [value(), value()], head: [value(), value()] }).collect();
            let mut all: Vec<f64> = relabelled(&data).map(|design| p_value(&design)).collect();
            all.sort_by(f64::total_cmp);
            for p in &all {
                let share = all.iter().filter(|other| **other <= p + 1e-12).count() as f64 / all.len() as f64;
                assert!((share - p).abs() < 1e-12, "p {p} is reached by a share of {share}, {blocks} blocks");
            }
        }
    }
}

#[test]
fn complete_separation_reaches_the_smallest_p() {
    for blocks in 1..=20 {
        let data: Vec<Block> = (0..blocks)
            .map(|i| {
                let x = f64::from(i) * 0.001;
                Block { base: [x, x + 0.01], head: [x + 1.0, x + 1.02] }
            })
            .collect();
        assert_eq!(p_value(&data), smallest_p(blocks), "{blocks} blocks");
    }
    // The p-values that the documentation promises for 4, 6, 8 and 16 rounds a side.
    for (rounds, wanted) in [(4, 0.0556), (6, 0.009_26), (8, 0.001_54), (16, 1.19e-6)] {
        let found = smallest_p(rounds / 2);
        assert!((found / wanted - 1.0).abs() < 0.005, "{rounds}: {found}");
    }
}

#[test]
fn values_that_differ_by_rounding_alone_are_tied() {
    // 0.1 + 0.2 is not 0.3: without a tolerance the order of these two would decide.
    let tied = [Block { base: [0.3, 1.0], head: [0.1 + 0.2, 1.0] }; 4];
    assert_eq!(p_value(&tied), 1.0);
}
