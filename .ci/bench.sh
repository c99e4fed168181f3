#!/usr/bin/env bash
# Prints what operations cost, and how fast the functions start.
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run ./infra/local/bench
