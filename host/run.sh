#!/usr/bin/env bash
# Gets the static binary of this very version, checks it, and runs it. Called by action.yml beside it.
#   BENCH_BOT_BIN        a binary that is there already: nothing is downloaded
#   BENCH_BOT_RELEASES   where releases are, if not on github.com
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "::error title=bench-bot::$*"; exit 2; }

binary=${BENCH_BOT_BIN:-}
if [ -z "$binary" ]; then
  [ "$(uname -s)" = Linux ] || fail "there are binaries for Linux only"
  # Both files are written by the release, in the commit that a pinned SHA names.
  [ -s "$here/VERSION" ] && [ -s "$here/checksums.txt" ] ||
    fail "this commit is no release: use a released version, or set BENCH_BOT_BIN"
  version=$(cat "$here/VERSION")
  asset=bench-bot-$(uname -m)-unknown-linux-musl
  sum=$(awk -v asset="$asset" '$2 == asset { print $1 }' "$here/checksums.txt")
  [[ $sum =~ ^[0-9a-f]{64}$ ]] || fail "release $version has no binary for $(uname -m)"
  binary=${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:-/tmp}}/bench-bot/$sum/bench-bot
  good() { echo "$sum  $1" | sha256sum --check --status 2>/dev/null; }
  if ! good "$binary"; then
    mkdir -p "$(dirname "$binary")"
    new=$(mktemp "$binary.XXXXXX")
    trap 'rm -f "$new"' EXIT
    url=${BENCH_BOT_RELEASES:-https://github.com/org/bench-bot/releases/download}/$version/$asset
    curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$new" "$url" ||
      fail "cannot download $url"
    good "$new" || fail "the checksum of $url is not the one of release $version"
    chmod 755 "$new"
    mv "$new" "$binary"
  fi
fi
exec "$binary"
