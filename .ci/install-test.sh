#!/usr/bin/env bash
# Fetches what tests need: modules of Go, and what else lies in .cache or comes by apt.
set -euo pipefail
cd "$(dirname "$0")/.."

go mod download
bash .ci/install-axe.sh || echo "LEFT OUT: accessibility tests (axe-core could not be fetched)"
bash .ci/install-ministack.sh || echo "LEFT OUT: the queue's conformance against an SQS server (ministack could not be fetched)"
bash .ci/install-minilm.sh || echo "LEFT OUT: embeddings by all-MiniLM-L6-v2 (its weights could not be fetched)"
bash .ci/install-stripe-mock.sh || echo "LEFT OUT: Stripe's own check of our requests (stripe-mock could not be fetched)"
bash .ci/install-typesense.sh || echo "LEFT OUT: search by a Typesense server (it could not be fetched)"
# Chromium without a window costs half of what it costs with one.
if ! command -v chromium-headless-shell >/dev/null; then
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell) >/dev/null 2>&1 ||
    command -v chromium >/dev/null || echo "LEFT OUT: browser tests (no chromium, and apt could not install it)"
fi
bash .ci/install-ocr.sh || echo "LEFT OUT: reading pictures of quotations (tesseract, poppler or a font could not be installed by apt)"
