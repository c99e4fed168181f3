#!/usr/bin/env bash
# The whole test suite, from a clean clone. What it needs is fetched into .cache (and
# Chromium by apt, where that may be); what cannot be had is said loudly.
set -euo pipefail
cd "$(dirname "$0")/.."

bash .ci/install-axe.sh || echo "LEFT OUT: accessibility tests (axe-core could not be fetched)"
bash .ci/install-ministack.sh || echo "LEFT OUT: the queue's conformance against an SQS server (ministack could not be fetched)"
bash .ci/install-typesense.sh || echo "LEFT OUT: search by a Typesense server (it could not be fetched)"
if ! command -v chromium >/dev/null; then
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium) >/dev/null 2>&1 ||
    echo "LEFT OUT: browser tests (no chromium, and apt could not install it)"
fi

# Each package has a store of its own: one DynamoDB Local for all would be the bottleneck.
# Without the race detector: what runs on one goroutine by design (a simulated world with its
# own clock, a model made of rules, one turn that is killed) or measures memory. It would take
# minutes more there and find nothing. Turns that are killed mostly wait for the store: more of
# them at once.
single='internal/simulationtest$|infra/local/rulemodel$'
killed='^TestField25_KilledAtEveryCall$'
measured='^TestEveryRouteWithstands$'
go list ./functions/... ./internal/... ./infra/... | grep -Ev "$single" |
  xargs go test -race -timeout 15m -skip "$killed|$measured" ${TESTFLAGS:-}
go list ./internal/... ./infra/... | grep -E "$single" | xargs go test -timeout 15m ${TESTFLAGS:-}
go test -timeout 15m -parallel 4 -run "$killed" ${TESTFLAGS:-} ./internal/turn
go test -timeout 15m -run "$measured" ${TESTFLAGS:-} ./internal/api
