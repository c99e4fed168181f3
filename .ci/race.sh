#!/usr/bin/env bash
# The race detector on what really runs at once; PACKAGES names other packages. Left out are tests
# whose parts run one after the other by design (a conversation that is played, a turn or an operation
# that is killed at each call), pages in a browser, and what measures memory or takes most of what it may
# have: they would take minutes more and find nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -n "${MERVE_TEST_DYNAMODB:-}" ] || exec go run ./infra/local/dynamodb/with bash .ci/race.sh

apart='Field12_HotSlot|SplitLarge|Field25_Killed(AtEveryCall|Twice)|Field16_Every(OperationMeetsEveryFault|TwoFaults)|Field09_Every(TwoFaultsOfADelivery|FaultOfADelivery)'
apart="^Test($apart|Crash[A-Za-z]*|Conversations|EveryStepInEveryLife|ChatPage|Controller|Live(Chat|Page)|StaffPages|SaraWidget|TracePage|Upkeep|EveryRouteWithstands)$"
at_once='./internal/spine/turn ./internal/spine/thread ./internal/spine/live ./internal/spine/outbox ./internal/cloud/queue ./internal/plan ./internal/edge/api ./infra/local/...'
exec go test -race -vet=off -ldflags='-s -w' -p 3 -parallel 4 -timeout 20m -skip "$apart" ${TESTFLAGS:-} ${PACKAGES:-$at_once}
