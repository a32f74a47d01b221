#!/usr/bin/env bash
# Everything that needs a Docker engine: starts one, makes the images without a registry, runs the tests in
# tests/it/sandbox*, and looks that nothing is left. Called by .ci/run; says so and ends well where no engine can be had.
#   CACHE   a folder whose contents are reused between runs; optional
#   FILTER  only tests whose names contain this; optional
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
link=bb$$
export BRIDGE=$link
finish() {
  .ci/engine stop "$work/engine" >/dev/null 2>&1 || true
  ip link delete "$link" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
# A bridge of its own, without any rule for packets: containers reach this host and nothing else.
if ! { ip link add "$link" type bridge && ip address add 172.31.250.1/24 dev "$link" && ip link set "$link" up; } ||
  ! .ci/engine start "$work/engine" >"$work/host"; then
  echo "SKIPPED the container tests: no Docker engine can be started here (it needs root, ip and apt)"
  [ "${BENCH_BOT_TEST_ENGINE:-}" != required ] || exit 1
  exit 0
fi
# shellcheck disable=SC1091 # written above
. "$work/host"
export DOCKER_HOST
.ci/engine base
target=$(uname -m)-unknown-linux-gnu
RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" cargo build --quiet --locked --target "$target" --bin bench-bot
static=${CARGO_TARGET_DIR:-target}/$target/debug/bench-bot
strip -o "$work/bench-bot" "$static"
scripts/build-image "$work/bench-bot" bench-bot:test --quiet --network host
# This machine's Go, under the name that the module of the tests asks for.
mkdir "$work/go"
cp -a "$(go env GOROOT)" "$work/go/go"
printf 'FROM debian:bookworm-slim\nCOPY go /usr/local/go\nENV PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin GOTOOLCHAIN=local\n' >"$work/go/Dockerfile"
DOCKER_BUILDKIT=0 docker build --quiet --tag golang:1.20 "$work/go"
rm -rf "$work/go"
# One at a time: the tests count containers.
BENCH_BOT_TEST_ENGINE=required BENCH_BOT_TEST_STATIC="$work/bench-bot" BENCH_BOT_TEST_IMAGE=bench-bot:test \
  cargo test --locked --test it "${FILTER:-sandbox::}" -- --test-threads=1
left=$(docker ps --all --filter label=bench-bot.run --format '{{.Names}}')
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
