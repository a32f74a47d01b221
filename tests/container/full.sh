#!/usr/bin/env bash
# Builds the image from source, as it is on a branch, and prints how long it took and how large it is. Called by .ci/full.
#   CACHE   a folder whose contents are reused between runs; optional
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap '.ci/engine stop "$work/engine" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
.ci/engine start "$work/engine" >"$work/host" || {
  echo "SKIPPED building the image from source: no Docker engine can be started here"
  [ "${BENCH_BOT_TEST_ENGINE:-}" != required ] || exit 1
  exit 0
}
# shellcheck disable=SC1091 # written above
. "$work/host"
export DOCKER_HOST
.ci/engine images
begin=$SECONDS
DOCKER_BUILDKIT=0 docker build --quiet --network host --tag bench-bot:source .
echo "image built from source in $((SECONDS - begin)) s"
docker image inspect bench-bot:source --format '{{.Size}}' | awk '{ printf "size %.0f MB\n", $1 / 1e6 }'
# A clean run of it: two files, no network, no rights.
printf 'BenchmarkA 1 100 ns/op\n' >"$work/a.txt"
printf 'BenchmarkA 1 110 ns/op\n' >"$work/b.txt"
docker run --rm --network none --user 65534:65534 --cap-drop ALL --read-only --tmpfs /tmp \
  --volume "$work/a.txt:/a.txt:ro" --volume "$work/b.txt:/b.txt:ro" bench-bot:source compare /a.txt /b.txt
