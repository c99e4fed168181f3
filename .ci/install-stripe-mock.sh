#!/bin/sh
# Installs stripe-mock, which checks requests against Stripe's own description of its API, into
# .cache/stripe-mock. Does nothing when it is there.
set -eu

version=v0.203.0
cd "$(dirname "$0")/.."
dir=$PWD/.cache/stripe-mock

[ -x "$dir/stripe-mock-$version" ] && exit 0
mkdir -p "$dir"
GOBIN=$dir GOFLAGS=-mod=mod go install "github.com/stripe/stripe-mock@$version"
mv "$dir/stripe-mock" "$dir/stripe-mock-$version"
