#!/usr/bin/env bash
# The whole test suite, from a clean clone. What it needs is fetched into .cache (and
# Chromium by apt, where that may be); what cannot be had is said loudly.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/beside.sh

[ -n "${MERVE_TEST_DYNAMODB:-}" ] || exec go run ./infra/local/dynamodb/with bash .ci/test.sh

bash .ci/install-axe.sh || echo "LEFT OUT: accessibility tests (axe-core could not be fetched)"
bash .ci/install-ministack.sh || echo "LEFT OUT: the queue's conformance against an SQS server (ministack could not be fetched)"
bash .ci/install-minilm.sh || echo "LEFT OUT: embeddings by all-MiniLM-L6-v2 (its weights could not be fetched)"
bash .ci/install-stripe-mock.sh || echo "LEFT OUT: Stripe's own check of our requests (stripe-mock could not be fetched)"
bash .ci/install-typesense.sh || echo "LEFT OUT: search by a Typesense server (it could not be fetched)"
# Chromium without a window costs half of what it costs with one.
if ! command -v chromium-headless-shell >/dev/null; then
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell) >/dev/null 2>&1 ||
    command -v chromium >/dev/null || echo "LEFT OUT: browser tests (no chromium, and apt could not install it)"
fi
bash .ci/install-ocr.sh || echo "LEFT OUT: reading pictures of quotations (tesseract, poppler or a font could not be installed by apt)"

command -v node >/dev/null || echo "LEFT OUT: the cloud stack's tests (the CDK needs node)"

# All packages (or PACKAGES) share a store, since it is half as fast until it is warm. The longest
# begin first. Without the race detector: what runs on one goroutine by design (a simulated world
# with its own clock, a model made of rules, a conversation that is played, a turn or operation that
# is killed), pages in a browser, which is where they run at once, what takes most of the memory that
# it may have, what measures memory (once, where all packages run), or is half an hour in the long form
# (a hot slot). It would take minutes more there and find nothing. Most tests wait for the store more
# than they compute: more of them at once than there are processors, and those without the race
# detector beside those with it. What vet says
# is make lint's to say.
long='internal/\w+/(turn|web|ledger|outbox|thread|api|admin|taxi|payment|report)$|infra/local/(runner|streams|dynamodb)$|infra/lab/bench$'
single='infra/lab/simulation$|infra/rulemodel$'
apart='Field12_HotSlot|SplitLarge|Field25_Killed(AtEveryCall|Twice)|Field16_Every(OperationMeetsEveryFault|TwoFaults)|Field09_Every(TwoFaultsOfADelivery|FaultOfADelivery)'
apart="^Test($apart|Crash[A-Za-z]*|Conversations|EveryStepInEveryLife|ChatPage|Controller|Live(Chat|Page)|StaffPages|SaraWidget|TracePage|Upkeep)$"
measured='^TestEveryRouteWithstands$'
all=$(go list ${PACKAGES:-./functions/... ./internal/... ./infra/...})
rest=$(grep -Ev "$single" <<<"$all")

# ordered lists the packages but the single ones, those that take long first.
ordered() {
  grep -E "$long" <<<"$rest" | sort -t/ -k3,3r
  grep -Ev "$long" <<<"$rest"
}

# having lists the packages among the given ones that have a test of the name.
having() {
  local package
  while read -r package; do
    ! grep -qhE "^func (${1:1:-1})\(" "${package/#merve/.}"/*_test.go 2>/dev/null || echo "$package"
  done
}

plain() {
  local flags=(-vet=off -timeout 15m -parallel 6 ${TESTFLAGS:-})
  ordered | having "$apart" | xargs go test "${flags[@]}" -run "$apart"
  grep -E "$single" <<<"$all" | xargs go test "${flags[@]}"
  [ -n "${PACKAGES:-}" ] || go test "${flags[@]}" -run "$measured" ./internal/edge/api
  [ -n "${PACKAGES:-}" ] || cloud
}

# The cloud stack is a module of its own. To build the CDK for the first time takes a minute and a
# gigabyte; that is behind the rest here, and gives way to it.
cloud() {
  ! command -v node >/dev/null || (cd infra/cdk && nice go test -vet=off -timeout 15m ./...)
}

raced() {
  local flags=(-race -vet=off -parallel 4 -timeout 15m -skip "$apart|$measured" ${TESTFLAGS:-})
  ordered | xargs go test "${flags[@]}"
}

beside .cache/plain.log plain
raced
finish
