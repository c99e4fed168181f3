#!/usr/bin/env bash
# Fuzzes every parser of foreign input for a bounded time each, and a thousand executions at
# least: fuzz.sh 60s. Each target has its seeds in testdata/fuzz; one line for each at the end. All are
# run before any failure ends this, and what made one fail is left in testdata/fuzz, as its next seed.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-60s}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
lines=()
# When the time is over, Go before 1.27 may say so as if a target had failed: golang.org/issue/75804.
out_of_time() { grep -q '^    context deadline exceeded$' "$log" && ! grep -q 'Failing input' "$log"; }
# fuzz DIR TARGET TIME says in $execs how often the target ran.
fuzz() {
  if ! go test -run '^$' -fuzz "^$2\$" -fuzztime "$3" -fuzzminimizetime 20x "./$1" >"$log" 2>&1 && ! out_of_time; then
    result=FAILED failed=1
    cat "$log"
  fi
  execs=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -1)
}
least=1000
while read -r dir; do
  while read -r target; do
    echo "== $dir $target"
    result=passed
    fuzz "$dir" "$target" "$time"
    if [ "$result" = passed ] && [ "${execs:-0}" -lt $least ]; then # a slow one, on a machine with much to do
      fuzz "$dir" "$target" ${least}x
    fi
    seeds=$(find "$dir/testdata/fuzz/$target" -type f 2>/dev/null | wc -l)
    lines+=("$(printf '%-6s %10s execs %4s seeds  %s %s' "$result" "${execs:-0}" "$seeds" "$dir" "$target")")
  done < <(grep -h -o '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | sed 's/func //' | sort)
done < <(grep -rl --include='*_test.go' '^func Fuzz' internal infra | xargs -n1 dirname | sort -u)
printf '%s\n' "${lines[@]}"
exit $failed
