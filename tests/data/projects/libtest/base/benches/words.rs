#![feature(test)]

extern crate test;

use test::{black_box, Bencher};

#[bench]
fn unique(b: &mut Bencher) {
    let numbers: Vec<u64> = (0..2000).collect();
    b.bytes = 8 * 2000;
    b.iter(|| acme::unique(black_box(&numbers)));
}

#[bench]
fn find(b: &mut Bencher) {
    let sorted: Vec<u64> = (0..20_000).collect();
    b.iter(|| acme::find(black_box(&sorted), black_box(5)));
}

#[bench]
#[ignore = "needs a network"]
fn remote(_: &mut Bencher) {}
