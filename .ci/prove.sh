#!/usr/bin/env bash
# The long form of the proofs, for TIME: two thirds of it rounds of all tests with seeds
# that are printed (SEED, and one more each round; TIMES as long), one third a soak, and then,
# however long it takes, each operation of the OpenAPI document with generated requests, each
# parser fuzzed for a few seconds, and every condition of the code removed in turn. A failure
# prints what repeats it.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=${SEED:-$RANDOM$RANDOM}
TIME=${TIME:-10m}
case $TIME in
  *h) seconds=$((${TIME%h} * 3600)) ;;
  *m) seconds=$((${TIME%m} * 60)) ;;
  *) seconds=${TIME%s} ;;
esac

go run ./infra/local/prove -seed "$seed" -times "${TIMES:-5}" -time $((seconds * 2 / 3))s
bash .ci/soak.sh -seed "$seed" -time $((seconds / 3))s -kills 2
SEED=$seed bash .ci/schemathesis.sh
bash .ci/fuzz.sh 5s
[ "${MUTATE:-yes}" = no ] || bash .ci/mutate.sh
