#!/usr/bin/env bash
# Static analysis: formatting, vet, staticcheck.
set -euo pipefail
cd "$(dirname "$0")/.."

unformatted=$(gofmt -l functions internal infra)
[ -z "$unformatted" ] || { echo "gofmt would change:" >&2; echo "$unformatted" >&2; exit 1; }
go vet ./functions/... ./internal/... ./infra/...
go run honnef.co/go/tools/cmd/staticcheck@v0.7.0 ./functions/... ./internal/... ./infra/...
(cd infra/cdk && go vet ./...)
