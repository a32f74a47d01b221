#include "words.h"

#include <benchmark/benchmark.h>

#include <numeric>

static void BM_Unique(benchmark::State &state) {
  std::vector<int> numbers(state.range(0));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (auto _ : state) benchmark::DoNotOptimize(unique(numbers));
}
BENCHMARK(BM_Unique)->Arg(2000)->Arg(4000);

static void BM_Contains(benchmark::State &state) {
  std::vector<int> numbers(100000);
  std::iota(numbers.begin(), numbers.end(), 0);
  int number = 77777;
  for (auto _ : state) {
    benchmark::DoNotOptimize(number);
    benchmark::DoNotOptimize(contains(numbers, number));
  }
}
BENCHMARK(BM_Contains);

static void BM_Refused(benchmark::State &state) {
  state.SkipWithError("no such device");
  for (auto _ : state) {
  }
}
BENCHMARK(BM_Refused);
