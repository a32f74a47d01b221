use gungraun::{library_benchmark, library_benchmark_group, main};
use std::hint::black_box;

fn numbers(n: u64) -> Vec<u64> {
    (0..n).collect()
}

#[library_benchmark]
#[bench::few(numbers(1000))]
#[bench::many(numbers(2000))]
fn unique(numbers: Vec<u64>) -> Vec<u64> {
    black_box(acme::unique(black_box(&numbers)))
}

#[library_benchmark]
#[bench::near_the_start(numbers(20_000))]
fn find(sorted: Vec<u64>) -> Option<usize> {
    black_box(acme::find(black_box(&sorted), black_box(5)))
}

library_benchmark_group!(name = words; benchmarks = unique, find);
main!(library_benchmark_groups = words);
