#!/usr/bin/env bash
# The long form of the proofs, for TIME: half of it rounds of tests with seeds that are printed
# (SEED, and one more each round: all tests once, then those that try at random), a sixth a soak,
# a sixth each operation of the OpenAPI document with generated requests and each parser fuzzed, a
# sixth mutants, a share of which SEED chooses. From an hour on, faults are tried at every call
# (TIMES above 1), where otherwise SEED chooses some. Requests live LIVES lives with faults, one for each twelve
# seconds where that is not set (10000 is the long form). A round is ten minutes on 2 cores, whatever
# TIME is. At the end are the commands of infra/README.md, with which the stack is deployed to an emulator. A failure prints
# what repeats it.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=${SEED:-$RANDOM$RANDOM}
TIME=${TIME:-10m}
case $TIME in
  *h) seconds=$((${TIME%h} * 3600)) ;;
  *m) seconds=$((${TIME%m} * 60)) ;;
  *) seconds=${TIME%s} ;;
esac
most() { echo $(($1 > $2 ? $1 : $2)); }

# What one is about, in seconds: an example of each operation, a target that is fuzzed, all mutants.
example=4 targets=$(grep -rh --include='*_test.go' '^func Fuzz' internal infra | wc -l) mutants=9300
go run ./infra/lab/prove -seed "$seed" -times "${TIMES:-$((seconds < 3600 ? 1 : 2))}" -time $((seconds / 2))s
SEED=$seed PACKAGES='./functions/... ./internal/... ./infra/...' bash .ci/race.sh
SEED=$seed TIMES=${LIVES:-$(most 40 $((seconds / 12)))} go test -count=1 -vet=off -timeout 0 -run TestPromise3_ALifeOfRequestsUnderFaults ./internal/matter/request
bash .ci/soak.sh -seed "$seed" -time "$(most 60 $((seconds / 6)))"s -kills 2
SEED=$seed bash .ci/schemathesis.sh "$(most 10 $((seconds / 12 / example)))"
bash .ci/fuzz.sh "$(most 2 $((seconds / 12 / targets)))"s
parts=$(most 1 $((mutants * 6 / seconds)))
MUTANTS=known go test -v -count=1 -vet=off -run TestEveryMutantIsKnown ./infra/lab/mutate
SHARE=$((seed % parts + 1))/$parts bash .ci/mutate.sh
PATH=$PATH:$PWD/.cache/venv-synth/bin go run ./infra/lab/tour -deploy infra/README.md
bash .ci/cloud.sh -test
