#!/usr/bin/env bash
# The whole test suite, from a clean clone: every package's tests once, without the race detector
# (.ci/race.sh), at a depth that SEED and TIMES raise (make prove). PACKAGES names some packages,
# TESTFLAGS adds flags. What it needs is fetched into .cache (and Chromium by apt, where that may
# be); what cannot be had is said loudly.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${MERVE_TEST_DYNAMODB:-}" ]; then
  SECONDS=0
  bash .ci/install-test.sh
  echo "fetched what was missing in ${SECONDS} s" >&2
  exec go run ./infra/local/dynamodb/with bash .ci/test.sh
fi

# All packages share a store, which is half as fast until it is warm. The longest begin first. Most
# tests wait for the store more than they compute, so more of them run at once than there are
# processors, and collect garbage less often. vet belongs to make lint.
long='spine/turn lab/simulation record/ledger local/runner lab/bench matter/request edge/web spine/outbox spine/thread matter/taxi edge/api internal/app matter/booking'
all=$(go list ${PACKAGES:-./functions/... ./internal/... ./infra/...})
ordered=$(for name in $long; do grep -E "/$name\$" <<<"$all" || true; done; grep -Ev "/(${long// /|})\$" <<<"$all" || true)
alone='^TestEveryRouteWithstands$' # measures memory
flags=(-vet=off -ldflags='-s -w' -p 3 -parallel 4 -timeout 15m ${TESTFLAGS:-})

export GOGC=${GOGC:-400}
mkdir -p .cache
failed=0
SECONDS=0
go test "${flags[@]}" -skip "$alone" $ordered | tee .cache/test.log || failed=$?
[ -n "${PACKAGES:-}" ] || go test "${flags[@]}" -run "$alone" ./internal/edge/api || failed=$?
grep -q -- -json <<<"${TESTFLAGS:-}" || {
  echo "${SECONDS} s, of which the slowest packages took, side by side:"
  awk '$1 == "ok" && $3 ~ /s$/ { print $3, $2 }' .cache/test.log | sort -rn | head -n 10
}
exit "$failed"
