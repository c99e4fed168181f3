#!/usr/bin/env bash
# Deploys the stack to an emulator on this machine and stays in the foreground (infra/local/cloud). The functions are built for
# this machine's processor; the first time takes minutes. With -test it is driven from outside, and stopped.
set -euo pipefail
cd "$(dirname "$0")/.."

sh .ci/install-ministack.sh
sh .ci/install-cdk.sh
mkdir -p .cache/cloud/dist
for main in functions/*/main.go; do
  name=$(basename "$(dirname "$main")")
  CGO_ENABLED=0 GOOS=linux go build -trimpath -buildvcs=false -tags lambda.norpc,nethttpomithttp2 -ldflags '-s -w' \
    -o ".cache/cloud/dist/$name/bootstrap" "./functions/$name"
done
if sh .ci/install-minilm.sh; then
  mkdir -p .cache/cloud/dist/worker-rag/minilm
  cp .cache/minilm/model.safetensors .cache/minilm/vocab.txt .cache/cloud/dist/worker-rag/minilm/
else
  echo "LEFT OUT: the model that finds products (its weights could not be fetched)" >&2
fi
go build -trimpath -buildvcs=false -o .cache/cloud/cloud ./infra/local/cloud
exec .cache/cloud/cloud "$@"
