#!/usr/bin/env bash
# Runs every command of the README and of the tour against one Merve, and compares what they print with what the documents
# show: tour.sh. With -update the documents are made to show what is printed now (look at the difference before you commit it).
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKELEVEL MAKEFLAGS MFLAGS # the commands of the documents are not run by make
sh .ci/install-minilm.sh
mkdir -p bin
go build -o bin/merve ./infra/local
exec go run ./infra/lab/tour "$@" README.md internal/edge/web/docs/tour.md
