//! Every statistic against figures that something else computed (`tests/data/stats/make.py` says how).

mod independence;
mod laws;
mod power;
mod real;

use super::mann_whitney::{self, ExactLimit, Method};
use super::permutation::{self, Block};
use super::{Interval, geomean, multiplicity, noise, normal, order, proportion, shift};
use serde_json::Value;

/// Reads a file of `tests/data/stats`.
macro_rules! data {
    ($name:literal) => {
        serde_json::from_str::<Value>(include_str!(concat!("../../tests/data/stats/", $name))).unwrap()
    };
}

/// Relative distance, absolute below 1.
fn close(found: f64, wanted: f64, tolerance: f64) -> bool {
    found == wanted || (found - wanted).abs() <= tolerance * wanted.abs().max(1.0)
}

#[track_caller]
fn assert_close(found: f64, wanted: f64, what: &dyn std::fmt::Debug) {
    assert!(close(found, wanted, 1e-12), "{found} instead of {wanted}: {what:?}");
}

/// Relative distance, for numbers of any size.
#[track_caller]
fn assert_digits(found: f64, wanted: f64, what: &dyn std::fmt::Debug) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found:e} instead of {wanted:e}: {what:?}");
}

fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf" | "+Inf") => f64::INFINITY,
        Some("-inf" | "-Inf") => f64::NEG_INFINITY,
        Some(text) => text.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn blocks(value: &Value) -> Vec<Block> {
    let two = |value: &Value| <[f64; 2]>::try_from(numbers(value)).unwrap();
    items(value).iter().map(|block| Block { base: two(&block[0]), head: two(&block[1]) }).collect()
}

#[track_caller]
fn assert_interval(found: Interval, wanted: &Value, what: &dyn std::fmt::Debug) {
    let Some(wanted) = wanted.as_array() else {
        // Every gap is rejected: one breakpoint is left.
        assert!(found.hi - found.lo < 1e-9, "{found:?}: {what:?}");
        return;
    };
    assert_close(found.lo, number(&wanted[0]), what);
    assert_close(found.hi, number(&wanted[1]), what);
}

#[test]
fn quantiles_are_those_of_numpy() {
    for case in items(&data!("order.json")["samples"]) {
        let sorted = order::sorted(&numbers(&case["x"]));
        assert_close(order::median(&sorted).unwrap(), number(&case["median"]), &sorted);
        for pair in items(&case["quantiles"]) {
            let q = number(&pair[0]);
            assert_close(order::quantile(&sorted, q).unwrap(), number(&pair[1]), &(q, &sorted));
        }
    }
}

#[test]
fn lower_median_is_a_value_that_was_seen() {
    assert_eq!(order::lower_median(&[]), None);
    assert_eq!(order::lower_median(&[3.0]), Some(3.0));
    assert_eq!(order::lower_median(&[3.0, 4.0]), Some(3.0));
    assert_eq!(order::lower_median(&[3.0, 4.0, 9.0]), Some(4.0));
    assert_eq!(order::lower_median(&[3.0, 4.0, 9.0, 10.0]), Some(4.0));
}

#[test]
fn median_intervals_follow_exact_binomials() {
    for case in items(&data!("order.json")["intervals"]) {
        let found = order::median_interval(number(&case[0]) as usize, number(&case[1]));
        assert_eq!((found.lo as f64, found.hi as f64), (number(&case[2]), number(&case[3])), "{case}");
        assert_close(found.coverage, number(&case[4]), case);
    }
}

/// Where benchstat's rounded binomials take the mirrored interval: number of values and confidence.
const ROUNDED_BY_BENCHSTAT: [(usize, f64); 4] = [(24, 0.95), (28, 0.99), (22, 0.90), (29, 0.90)];

#[test]
fn median_intervals_are_those_of_benchstat_but_for_its_rounding() {
    let mut differ = Vec::new();
    for case in items(&data!("benchstat-vectors.json")["median_ci_order_stats_1based"]) {
        let (n, want) = (number(&case["N"]) as usize, number(&case["Want"]));
        let found = order::median_interval(n, want);
        if (found.lo as f64, found.hi as f64) == (number(&case["Lo"]), number(&case["Hi"])) {
            assert!(close(found.coverage, number(&case["Conf"]), 1e-9), "{case}: {found:?}");
        } else {
            // One step to the left of benchstat's, with the same coverage.
            assert_eq!((found.lo + 1) as f64, number(&case["Lo"]), "{case}: {found:?}");
            assert_eq!((found.hi + 1) as f64, number(&case["Hi"]), "{case}: {found:?}");
            assert!(close(found.coverage, number(&case["Conf"]), 1e-9), "{case}: {found:?}");
            differ.push((n, want));
        }
    }
    for case in differ {
        assert!((21..=30).contains(&case.0), "{case:?}");
        assert!(ROUNDED_BY_BENCHSTAT.contains(&case) || case.1 != 0.95, "{case:?}");
    }
}

#[test]
fn summaries_are_those_of_benchstat() {
    for case in items(&data!("benchstat-vectors.json")["summary"]) {
        let sorted = order::sorted(&numbers(&case["Xs"]));
        let (center, ends) = order::summary(&sorted, number(&case["Conf"])).unwrap();
        assert_eq!(center, number(&case["Center"]), "{case}");
        assert_eq!((ends.lo, ends.hi), (number(&case["Lo"]), number(&case["Hi"])), "{case}");
    }
}

#[test]
fn mann_whitney_is_that_of_scipy_and_of_enumeration() {
    let mut exact = 0;
    for case in items(&data!("mann_whitney.json")["tests"]) {
        let found = mann_whitney::test(&numbers(&case["base"]), &numbers(&case["head"]), ExactLimit::WIDE).unwrap();
        let exactly = case["method"] == "exact";
        assert_eq!(found.method, if exactly { Method::Exact } else { Method::Normal }, "{case}");
        assert_digits(found.p, number(&case["p"]), case);
        exact += usize::from(exactly);
    }
    assert!(exact > 25);
}

#[test]
fn mann_whitney_is_that_of_benchstat_where_benchstat_is_right() {
    let mut wrong = 0;
    for case in items(&data!("benchstat-vectors.json")["utest"]) {
        let (base, head) = (numbers(&case["A"]), numbers(&case["B"]));
        let found = mann_whitney::test(&base, &head, ExactLimit::BENCHSTAT).unwrap();
        let swapped = mann_whitney::test(&head, &base, ExactLimit::BENCHSTAT).unwrap();
        assert_close(found.p, swapped.p, case);
        assert_close(found.u, number(&case["U1"]), case);
        let exact = found.method == Method::Exact;
        assert_eq!(exact, case["Method"] == "exact", "{case}");
        if exact && case["Ties"] == true && base.len() != head.len() {
            // benchstat doubles the wrong tail for one of the two directions.
            wrong += 1;
            continue;
        }
        assert!(close(found.p, number(&case["P"]), 1e-10), "{case}: {found:?}");
    }
    assert!(wrong > 0);
}

#[test]
fn hand_checked_p_values_where_benchstat_is_wrong() {
    let p = |base: &[f64], head: &[f64]| mann_whitney::test(base, head, ExactLimit::BENCHSTAT).unwrap().p;
    assert_digits(p(&[2.0, 3.0], &[1.0, 1.0, 1.0, 1.0, 2.0]), 4.0 / 21.0, &"benchstat: 0");
    assert_eq!(p(&[1.0], &[1.0, 1.0, 1.0, 1.0, 2.0]), 1.0, "benchstat: 1.667");
    assert_digits(p(&[0.0, 1.0, 1.0, 1.0, 2.0, 2.0], &[0.0, 0.0, 0.0, 0.0, 1.0]), 1.0 / 11.0, &"benchstat: 0.026");
    let mut few = vec![0.0; 8];
    few.push(1.0);
    let mut many = vec![0.0; 4];
    many.extend([1.0; 6]);
    assert!((p(&many, &few) - 0.079_780_9).abs() < 1e-7, "benchstat: 0.034770");
}

#[test]
fn equal_samples_and_unusable_samples() {
    let found = mann_whitney::test(&[2.0; 4], &[2.0; 9], ExactLimit::WIDE).unwrap();
    assert_eq!((found.p, found.method), (1.0, Method::AllEqual));
    let infinite = mann_whitney::test(&[f64::INFINITY, 1.0], &[f64::INFINITY, 1.0], ExactLimit::WIDE).unwrap();
    assert_eq!(infinite.p, 1.0);
    assert_eq!(mann_whitney::test(&[], &[1.0], ExactLimit::WIDE), None);
    assert_eq!(mann_whitney::test(&[f64::NAN], &[1.0], ExactLimit::WIDE), None);
    assert_eq!(mann_whitney::shift(&[1.0], &[f64::INFINITY]), None);
    assert_eq!(mann_whitney::interval(&[1.0], &[], 0.95), None);
}

#[test]
fn shifts_between_samples_and_their_intervals() {
    let data = data!("mann_whitney.json");
    for case in items(&data["shifts"]) {
        let (base, head) = (numbers(&case["base"]), numbers(&case["head"]));
        assert_close(mann_whitney::shift(&base, &head).unwrap(), number(&case["shift"]), case);
        for level in ["0.9", "0.95"] {
            let found = mann_whitney::interval(&base, &head, level.parse().unwrap()).unwrap();
            assert_interval(found, &case[level], &(level, case));
        }
    }
    for case in items(&data["large"]) {
        let found = mann_whitney::shift(&numbers(&case["base"]), &numbers(&case["head"])).unwrap();
        assert_close(found, number(&case["shift"]), case);
    }
}

#[test]
fn block_test_is_that_of_enumeration() {
    for case in items(&data!("permutation.json")) {
        let blocks = blocks(&case["blocks"]);
        assert_digits(permutation::p_value(&blocks), number(&case["p"]), case);
        assert_close(shift::effect(&blocks).unwrap(), number(&case["effect"]), case);
        let noise = noise::of(&blocks).unwrap();
        assert_close(noise.floor, number(&case["floor"]), case);
        assert_close(noise.sigma, number(&case["sigma"]), case);
        for level in ["0.9", "0.95"].into_iter().filter(|level| case.get(*level).is_some()) {
            assert_interval(shift::interval(&blocks, level.parse().unwrap()), &case[level], &(level, case));
        }
    }
}

#[test]
fn no_blocks_say_nothing() {
    assert_eq!(permutation::p_value(&[]), 1.0);
    assert_eq!(shift::effect(&[]), None);
    assert_eq!(shift::interval(&[], 0.95), Interval::EVERYTHING);
    assert_eq!(noise::of(&[]), None);
}

#[test]
fn corrections_are_those_of_statsmodels_and_scipy() {
    for case in items(&data!("multiplicity.json")) {
        let p = numbers(&case["p"]);
        let found = [
            (multiplicity::holm(&p, p.len()), &case["holm"]),
            (multiplicity::holm(&p, p.len() + 3), &case["padded"]),
            (multiplicity::benjamini_hochberg(&p), &case["bh"]),
        ];
        for (found, wanted) in found {
            for (found, wanted) in found.into_iter().zip(numbers(wanted)) {
                assert_close(found, wanted, case);
            }
        }
    }
    assert_eq!(multiplicity::holm(&[], 5), Vec::<f64>::new());
}

#[test]
fn normal_distribution_is_that_of_mpmath() {
    let data = data!("other.json");
    for pair in items(&data["cdf"]) {
        assert_digits(normal::cdf(number(&pair[0])), number(&pair[1]), pair);
    }
    for pair in items(&data["quantile"]) {
        assert_close(normal::quantile(number(&pair[0])), number(&pair[1]), pair);
    }
    assert_eq!(normal::quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal::quantile(1.0), f64::INFINITY);
    assert!(normal::quantile(1.5).is_nan() && normal::quantile(f64::NAN).is_nan());
}

#[test]
fn wilson_and_geomean_are_those_of_statsmodels_and_scipy() {
    let data = data!("other.json");
    for case in items(&data["wilson"]) {
        let found = proportion::wilson_at(number(&case[0]) as u64, number(&case[1]) as u64, 0.95);
        assert_close(found.lo, number(&case[2]), case);
        assert_close(found.hi, number(&case[3]), case);
    }
    assert_eq!(proportion::wilson(0, 0, 1.96), Interval { lo: 0.0, hi: 1.0 });
    for case in items(&data["geomean"]) {
        let (mean, interval) = geomean::of_log_ratios(&numbers(&case["logs"]), 0.95).unwrap();
        assert_close(mean, number(&case["mean"]), case);
        assert_eq!(interval.is_some(), case["interval"].is_array());
        if let Some(interval) = interval {
            assert_interval(interval, &case["interval"], case);
        }
    }
    assert_eq!(geomean::of_log_ratios(&[], 0.95), None);
    assert_eq!(geomean::geomean([1.0, 0.0]), None);
    assert_close(geomean::geomean([2.0, 8.0]).unwrap(), 4.0, &"geomean");
}
