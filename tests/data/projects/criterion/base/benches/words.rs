use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use std::hint::black_box;

fn unique(c: &mut Criterion) {
    let mut group = c.benchmark_group("unique / different numbers");
    for n in [1000u64, 2000] {
        let numbers: Vec<u64> = (0..n).collect();
        group.throughput(Throughput::Elements(n));
        group.bench_with_input(BenchmarkId::from_parameter(n), &numbers, |b, numbers| {
            b.iter(|| acme::unique(black_box(numbers)));
        });
    }
    group.finish();
}

fn find(c: &mut Criterion) {
    let sorted: Vec<u64> = (0..20_000).collect();
    c.bench_function("find", |b| b.iter(|| acme::find(black_box(&sorted), black_box(5))));
}

criterion_group!(benches, unique, find);
criterion_main!(benches);
