# To be sourced: something that is done beside the rest of a script.

set -m # what is beside is a group of its own, which ends with the script

# beside LOG COMMAND... begins it.
beside() {
  local log=$1
  shift
  ("$@") >"$log" 2>&1 &
  beside_job=$! beside_log=$log
  trap 'kill -- -$beside_job 2>/dev/null || true' EXIT
}

# finish waits for it, prints what it has printed, and fails as it did.
finish() {
  local failed=0
  wait "$beside_job" || failed=$?
  cat "$beside_log"
  return "$failed"
}
