#!/bin/sh
# Shows that the time of `bench-bot compare` grows with the number of result lines and no faster.
#
# usage: growth.sh [--runs N] [LINES…]      (default: 3 runs; 125000 250000 500000 1000000)
#
# BENCH_BOT  the program to measure (default: target/release/bench-bot, built if it is missing)
#
# Every size is two files of half the lines each, ten samples of a benchmark in each file. Prints a table in Markdown: the
# best time of the runs, time per line, memory. Exit code 1: a line of the largest size takes more than one and a half
# times as long as one of the smallest.
set -eu

runs=3
sizes=
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?} && shift 2 ;;
    [1-9]*) sizes="$sizes $1" && shift ;;
    *) echo "usage: $0 [--runs N] [LINES…]" >&2 && exit 2 ;;
    esac
done
sizes=${sizes:-125000 250000 500000 1000000}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

bench_bot=${BENCH_BOT:-$root/target/release/bench-bot}
if [ ! -x "$bench_bot" ]; then
    (cd "$root" && cargo build --release --bin bench-bot)
fi

# Best time in seconds and largest resident set (KiB) of a comparison.
measure() {
    python3 - "$runs" "$bench_bot" compare --layout benchstat "$work/old.txt" "$work/new.txt" <<'PYTHON'
import os, subprocess, sys, time
runs, command = int(sys.argv[1]), sys.argv[2:]
best, most = float("inf"), 0
for _ in range(runs):
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    best, most = min(best, time.perf_counter() - begin), max(most, usage.ru_maxrss)
    if status != 0:
        sys.exit(f"{command[0]} ended with status {status}")
print(best, most)
PYTHON
}

echo "| result lines | time | per line | memory |"
echo "|--:|--:|--:|--:|"
first='' last=''
for lines in $sizes; do
    "$here/generate-results.sh" "$((lines / 20))" 10 1 >"$work/old.txt"
    "$here/generate-results.sh" "$((lines / 20))" 10 2 1.1 >"$work/new.txt"
    counted=$(cat "$work/old.txt" "$work/new.txt" | grep -c '^Benchmark')
    figures=$(measure)
    echo "$counted $figures" | awk '{ printf "| %d | %.0f ms | %.2f µs | %.0f MiB |\n", $1, $2 * 1000, $2 / $1 * 1e6, $3 / 1024 }'
    last=$(echo "$counted $figures" | awk '{ print $2 / $1 }')
    first=${first:-$last}
done
awk -v first="$first" -v last="$last" 'BEGIN {
    printf "a line of the largest size takes %.2f times as long as one of the smallest (at most 1.50)\n", last / first
    exit last > 1.5 * first
}'
