#!/bin/sh
# Writes a file of benchmark results as `go test -bench -benchmem -count` prints them.
#
# usage: generate-results.sh BENCHMARKS SAMPLES SEED [SHIFT] > FILE
#
# Times are spread over five powers of ten, noise is a few per cent, and SHIFT (default 1) multiplies every third
# benchmark's time. The same arguments give the same file.
set -eu

benchmarks=${1:?number of benchmarks}
samples=${2:?samples of each benchmark}
seed=${3:?seed}
shift_by=${4:-1}

exec awk -v benchmarks="$benchmarks" -v samples="$samples" -v seed="$seed" -v shift_by="$shift_by" '
function uniform() {
    # The generator of Park and Miller: exact in double precision, so every awk gives the same numbers.
    state = (state * 16807) % 2147483647
    return state / 2147483647
}
function noise() {
    return 1 + 0.03 * (uniform() + uniform() + uniform() + uniform() - 2)
}
BEGIN {
    print "goos: linux"
    print "goarch: amd64"
    print "pkg: example.com/p"
    print "cpu: Test CPU @ 1.00GHz"
    for (b = 0; b < benchmarks; b++) {
        # What a benchmark is does not depend on the seed, only its noise does.
        state = b + 1
        for (i = 0; i < 5; i++) uniform()
        time = 10 ^ (5 * uniform())
        bytes = int(4096 * uniform())
        allocs = int(40 * uniform())
        if (b % 3 == 0) time *= shift_by
        name = sprintf("BenchmarkSuite%d/case=%d/size=%d-8", b % 50, b, 2 ^ (b % 12))
        state = (seed * 7919 + b * 104729) % 2147483646 + 1
        for (i = 0; i < 5; i++) uniform()
        for (s = 0; s < samples; s++) {
            value = time * noise()
            text = value >= 999.95 ? sprintf("%d", value + 0.5) : sprintf("%.4g", value)
            printf "%s  \t%10d\t%14s ns/op\t%10d B/op\t%8d allocs/op\n", name, 1000 + 999000 * uniform(), text, bytes, allocs
        }
    }
    print "PASS"
    print "ok  \texample.com/p\t100.000s"
}'
