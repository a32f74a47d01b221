use divan::counter::ItemsCount;
use divan::{black_box, Bencher};

fn main() {
    divan::main();
}

#[divan::bench(args = [1000, 2000])]
fn unique(bencher: Bencher, n: u64) {
    let numbers: Vec<u64> = (0..n).collect();
    bencher.counter(ItemsCount::new(n)).bench_local(|| acme::unique(black_box(&numbers)));
}

#[divan::bench(name = "find | `last`")]
fn find(bencher: Bencher) {
    let sorted: Vec<u64> = (0..20_000).collect();
    bencher.bench_local(|| acme::find(black_box(&sorted), black_box(5)));
}

#[divan::bench]
#[ignore]
fn remote() {}
