#!/usr/bin/env bash
# Prints what operations cost, how fast turns run and functions start, and how that stands
# beside what one would take instead. Arguments go to the bench: -quick, -json, -out FILE,
# -only operations,throughput,plans,live,peers,starts, -transactions N, -due N.
set -euo pipefail
cd "$(dirname "$0")/.."

sh .ci/install-peers.sh || echo "LEFT OUT: the peers (they could not be installed)" >&2
sh .ci/install-minilm.sh || echo "LEFT OUT: the time of a sentence (the weights could not be fetched)" >&2
exec go run ./infra/lab/bench "$@"
