#!/usr/bin/env bash
# Fuzzes every parser of foreign input for a bounded time each: fuzz.sh 20s
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-20s}
grep -rl --include='*_test.go' '^func Fuzz' internal infra | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -h -o '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | sed 's/func //' | while read -r target; do
    echo "== $dir $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$dir"
  done
done
