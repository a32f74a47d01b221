#!/usr/bin/env bash
# Measures what docs/method.md says, and puts the tables there: a synthetic benchmark in every regime
# (real), identical binaries under three schedules (schedules), this program's own time (overhead), and the simulated
# machines (simulated), which need no quiet machine. All are run unless some are named; together they take about an hour.
#   SUITES, EXPERIMENTS, ROUNDS, REPORTS   how much of each
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked --bin bench-bot
bot=${CARGO_TARGET_DIR:-target}/release/bench-bot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a part of the self-test and puts its tables between the part's marks.
fill() {
  local part=$1 code=0
  shift
  "$bot" selftest "$part" "$@" --markdown "$work/tables" >/dev/null || code=$?
  # 1: a goal was missed. That is a result, and it is in the table.
  [ "$code" -le 1 ] || exit "$code"
  { printf '`%s`, %s: ' "bench-bot selftest $part $*" "$(date -u +%F)"; cat "$work/tables"; } >"$work/text"
  awk -v part="$part" -v text="$work/text" '
    $0 == "<!-- end " part " -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- begin " part " -->" { inside = 1; while ((getline line < text) > 0) print line }
  ' docs/method.md >"$work/method.md"
  cp "$work/method.md" docs/method.md
}

[ $# -gt 0 ] || set -- overhead schedules real simulated
for part in "$@"; do
  case $part in
    overhead) fill overhead --rounds "${ROUNDS:-20}" ;;
    schedules) fill schedules --experiments "${EXPERIMENTS:-100}" ;;
    simulated) fill simulated --reports "${REPORTS:-40000}" --seed 1 ;;
    real) fill real --suites "${SUITES:-20}" ;;
    *) echo "unknown part: $part (overhead, schedules, real, simulated)" >&2; exit 2 ;;
  esac
done
