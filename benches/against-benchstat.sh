#!/bin/sh
# Compares `bench-bot compare` with the real benchstat: the same table, the ratio of their times, the memory of both.
#
# usage: against-benchstat.sh [--benchmarks N] [--samples N] [--runs N]
#
# BENCH_BOT  the program to measure (default: target/release/bench-bot, built if it is missing)
# BENCHSTAT  a benchstat that is there already (default: obtained with `go install`)
#
# Both programs run in turn on the same two files, from the start of the process to the finished table. Exit code 1: the
# tables differ, or the goal is missed (a tenth of benchstat's median time, 64 MiB).
set -eu

benchmarks=5000 samples=10 runs=11
while [ $# -gt 0 ]; do
    case $1 in
    --benchmarks) benchmarks=${2:?} && shift 2 ;;
    --samples) samples=${2:?} && shift 2 ;;
    --runs) runs=${2:?} && shift 2 ;;
    *) echo "usage: $0 [--benchmarks N] [--samples N] [--runs N]" >&2 && exit 2 ;;
    esac
done

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

bench_bot=${BENCH_BOT:-$root/target/release/bench-bot}
if [ ! -x "$bench_bot" ]; then
    (cd "$root" && cargo build --release --bin bench-bot)
fi
benchstat=${BENCHSTAT:-}
if [ -z "$benchstat" ]; then
    echo "installing benchstat" >&2
    GOBIN=$work/bin go install golang.org/x/perf/cmd/benchstat@latest
    benchstat=$work/bin/benchstat
fi

cd "$work"
"$here/generate-results.sh" "$benchmarks" "$samples" 1 >old.txt
"$here/generate-results.sh" "$benchmarks" "$samples" 2 1.1 >new.txt
echo "$benchmarks benchmarks, 3 units, $samples samples, 2 files of $(wc -c <old.txt | tr -d ' ') bytes"

# Seconds and largest resident set (KiB) of a command, appended to a file.
measure() {
    log=$1
    out=$2
    shift 2
    if command -v python3 >/dev/null; then
        python3 - "$log" "$out" "$@" <<'PYTHON'
import os, resource, subprocess, sys, time
log, out, command = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(out, "wb") as table:
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=table, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
if status != 0:
    sys.exit(f"{command[0]} ended with status {status}")
with open(log, "a") as lines:
    print(f"{seconds:.6f} {usage.ru_maxrss}", file=lines)
PYTHON
    else
        /usr/bin/time -o "$log" -a -f '%e %M' "$@" >"$out" 2>/dev/null
    fi
}

# One of each that does not count, so that both find the files in memory.
measure warm-up.log ours.text "$bench_bot" compare --layout benchstat old.txt new.txt
measure warm-up.log theirs.text "$benchstat" old.txt new.txt
if ! cmp -s ours.text theirs.text; then
    echo "the tables differ:" >&2
    diff theirs.text ours.text | head -20 >&2
    exit 1
fi
echo "both print the same table ($(wc -l <ours.text | tr -d ' ') lines)"

run=0
while [ "$run" -lt "$runs" ]; do
    measure ours.log ours.text "$bench_bot" compare --layout benchstat old.txt new.txt
    measure theirs.log theirs.text "$benchstat" old.txt new.txt
    run=$((run + 1))
done

median() {
    sort -n "$1" | awk '{ time[NR] = $1; if ($2 > most) most = $2 } END {
        middle = NR % 2 ? time[(NR + 1) / 2] : (time[NR / 2] + time[NR / 2 + 1]) / 2
        printf "%.4f %d\n", middle, most
    }'
}
# shellcheck disable=SC2046 # two numbers, on purpose two arguments
set -- $(median ours.log) $(median theirs.log)
awk -v ours="$1" -v our_memory="$2" -v theirs="$3" -v their_memory="$4" -v runs="$runs" 'BEGIN {
    printf "bench-bot  %8.1f ms (median of %d), at most %6.1f MiB\n", ours * 1000, runs, our_memory / 1024
    printf "benchstat  %8.1f ms (median of %d), at most %6.1f MiB\n", theirs * 1000, runs, their_memory / 1024
    printf "ratio      %8.3f (goal: at most 0.100 and 64 MiB)\n", ours / theirs
    exit !(ours <= 0.1 * theirs && our_memory <= 64 * 1024)
}'
