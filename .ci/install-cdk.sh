#!/bin/sh
# Installs the CDK's command line into .cache and leaves it as .cache/cdk for those who deploy. Does nothing when it is there.
set -eu
cd "$(dirname "$0")/.."
version=2.1148.1 # newer ones cannot read what this CDK library writes
cli=.cache/cdk-cli-$version

if [ ! -x "$cli/node_modules/.bin/cdk" ]; then
  echo "fetching the CDK's command line $version"
  mkdir -p "$cli"
  npm install --prefix "$cli" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --silent "aws-cdk@$version"
fi
ln -sfn "$PWD/$cli/node_modules/.bin/cdk" .cache/cdk
