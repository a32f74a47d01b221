//! Laws that hold for any data.

use super::super::mann_whitney::{self, ExactLimit};
use super::super::permutation::{Block, p_value};
use super::super::{Interval, order, shift};
use proptest::prelude::*;

fn swapped(blocks: &[Block]) -> Vec<Block> {
    blocks.iter().map(|b| Block { base: b.head, head: b.base }).collect()
}

fn mapped(blocks: &[Block], f: impl Fn(f64) -> f64) -> Vec<Block> {
    blocks.iter().map(|b| Block { base: b.base.map(&f), head: b.head.map(&f) }).collect()
}

/// Values with few and with many ties.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![(0..6_i32).prop_map(f64::from), -3.0..3.0_f64, 1e-6..1e6_f64]
}

fn any_blocks(most: usize) -> impl Strategy<Value = Vec<Block>> {
    let block = (value(), value(), value(), value()).prop_map(|(a, b, c, d)| Block { base: [a, b], head: [c, d] });
    proptest::collection::vec(block, 1..=most)
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn p_of_blocks_is_a_multiple_of_its_resolution(blocks in any_blocks(6)) {
        let p = p_value(&blocks);
        let ways = p * 6_f64.powi(blocks.len() as i32);
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert!((ways - ways.round()).abs() < 1e-6, "{}", ways);
        prop_assert!(ways.round() >= 2.0 || blocks.is_empty());
    }

    #[test]
    fn blocks_do_not_prefer_a_side(blocks in any_blocks(7)) {
        prop_assert_eq!(p_value(&blocks), p_value(&swapped(&blocks)));
        prop_assert!(near(shift::effect(&blocks).unwrap(), -shift::effect(&swapped(&blocks)).unwrap()));
        let (one, other) = (shift::interval(&blocks, 0.95), shift::interval(&swapped(&blocks), 0.95));
        prop_assert!(near(one.lo, -other.hi) && near(one.hi, -other.lo), "{:?} {:?}", one, other);
    }

    #[test]
    fn order_inside_a_side_and_of_blocks_does_not_matter(blocks in any_blocks(7)) {
        let mut turned: Vec<Block> = blocks
            .iter()
            .map(|b| Block { base: [b.base[1], b.base[0]], head: [b.head[1], b.head[0]] })
            .collect();
        turned.reverse();
        prop_assert!(near(p_value(&blocks), p_value(&turned)));
        let (one, other) = (shift::interval(&blocks, 0.9), shift::interval(&turned, 0.9));
        prop_assert!(near(one.lo, other.lo) && near(one.hi, other.hi));
    }

    #[test]
    fn what_moves_a_block_as_a_whole_does_not_matter(blocks in any_blocks(6), drift in -8..8_i32) {
        // Powers of two, so that no rounding changes a tie.
        let scaled = mapped(&blocks, |x| 4.0 * x);
        prop_assert_eq!(p_value(&blocks), p_value(&scaled));
        let whole: Vec<Block> = mapped(&blocks, f64::round);
        let drifting: Vec<Block> = whole
            .iter()
            .zip(1..)
            .map(|(b, i)| mapped(&[*b], |x| x + f64::from(drift * i))[0])
            .collect();
        prop_assert_eq!(p_value(&whole), p_value(&drifting));
    }

    #[test]
    fn interval_and_test_agree(blocks in any_blocks(8)) {
        let interval = shift::interval(&blocks, 0.95);
        prop_assert!(interval.lo <= interval.hi);
        // 0 strictly outside the hull is a shift that the test rejects.
        if interval.lo > 1e-9 || interval.hi < -1e-9 {
            prop_assert!(p_value(&blocks) <= 0.05 + 1e-12);
        }
        let wider = shift::interval(&blocks, 0.99);
        prop_assert!(wider.lo <= interval.lo && wider.hi >= interval.hi);
    }

    #[test]
    fn intervals_move_with_the_data(blocks in any_blocks(6), by in -16..16_i32) {
        let by = f64::from(by);
        let moved: Vec<Block> =
            blocks.iter().map(|b| Block { base: b.base, head: b.head.map(|x| x + by) }).collect();
        let (one, other) = (shift::interval(&blocks, 0.95), shift::interval(&moved, 0.95));
        prop_assert!(near(one.lo + by, other.lo) && near(one.hi + by, other.hi), "{:?} {:?}", one, other);
    }

    #[test]
    fn mann_whitney_depends_on_order_alone(
        base in proptest::collection::vec(0..40_i32, 1..12),
        head in proptest::collection::vec(0..40_i32, 1..12),
    ) {
        let of = |f: fn(f64) -> f64| {
            let map = |values: &[i32]| values.iter().map(|&x| f(f64::from(x))).collect::<Vec<f64>>();
            mann_whitney::test(&map(&base), &map(&head), ExactLimit::WIDE).unwrap().p
        };
        let p = of(|x| x);
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert!(near(p, of(|x| x * x * x + 7.0)));
        prop_assert!(near(p, of(|x| -x)));
    }

    #[test]
    fn mann_whitney_does_not_prefer_a_side(
        base in proptest::collection::vec(value(), 1..14),
        head in proptest::collection::vec(value(), 1..14),
    ) {
        let test = |a: &[f64], b: &[f64]| mann_whitney::test(a, b, ExactLimit::WIDE).unwrap();
        let (one, other) = (test(&base, &head), test(&head, &base));
        prop_assert!(near(one.p, other.p));
        prop_assert!(near(one.u + other.u, (base.len() * head.len()) as f64));
        let one = mann_whitney::interval(&base, &head, 0.9).unwrap();
        let other = mann_whitney::interval(&head, &base, 0.9).unwrap();
        prop_assert!(near(one.lo, -other.hi) && near(one.hi, -other.lo));
        prop_assert!(one.lo <= one.hi);
    }

    #[test]
    fn exact_and_normal_p_are_alike_for_many_values(seed in 0..500_u64) {
        let mut random = crate::stats::simulate::random::Random::new(seed, &[]);
        let mut sample = |shift: f64| (0..60).map(|_| (50.0 * random.normal()).round() + shift).collect::<Vec<f64>>();
        let (base, head) = (sample(0.0), sample(10.0));
        let exact = mann_whitney::test(&base, &head, ExactLimit::WIDE).unwrap().p;
        let normal = mann_whitney::test(&base, &head, ExactLimit::BENCHSTAT).unwrap().p;
        prop_assert!((exact - normal).abs() < 0.01, "{exact} {normal}");
    }

    #[test]
    fn median_lies_in_its_interval(values in proptest::collection::vec(value(), 1..60)) {
        let sorted = order::sorted(&values);
        let (center, Interval { lo, hi }) = order::summary(&sorted, 0.95).unwrap();
        prop_assert!(lo <= center && center <= hi);
    }
}
