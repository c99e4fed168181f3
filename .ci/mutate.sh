#!/usr/bin/env bash
# Takes each check out of the product in turn and wants a test to fail each time.
# SHARE=k/n does the k-th of n parts; MUTATEFLAGS goes to the command (-update, -only …).
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run ./infra/lab/mutate -j 2 -share "${SHARE:-1/1}" ${MUTATEFLAGS:-}
