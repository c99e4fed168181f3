#!/usr/bin/env bash
# The long form of the proofs: every property test again and again from seeds that are
# printed, for TIME. A failure prints the seed that repeats it: SEED=… make prove
set -euo pipefail
cd "$(dirname "$0")/.."

seed=${SEED:-$RANDOM$RANDOM}
case ${TIME:-10m} in
  *h) seconds=$((${TIME%h} * 3600)) ;;
  *m) seconds=$((${TIME%m} * 60)) ;;
  *) seconds=${TIME%s} ;;
esac
packages=$(grep -rl --include='*_test.go' 'pgregory.net/rapid' internal infra | xargs -n1 dirname | sort -u | sed 's#^#./#')
end=$((SECONDS + seconds))
while :; do
  echo "SEED=$seed"
  go run ./infra/local/dynamodb/with go test -count=1 -race -timeout 60m $packages -args -rapid.seed="$seed" -rapid.checks=400 ||
    { echo "failed: repeat with SEED=$seed make prove" >&2; exit 1; }
  [ $SECONDS -lt $end ] || break
  seed=$((seed + 1))
done
