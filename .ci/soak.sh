#!/usr/bin/env bash
# Keeps conversations going through the real HTTP surface while things fail: soak.sh -time 1h
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p bin
go build -o bin/merve ./infra/local
exec go run ./infra/lab/soak "$@"
