#!/bin/sh
# Fetches axe-core, which the accessibility test of the chat page runs, into .cache/npm.
set -eu

version=4.14.1
sha256=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
cd "$(dirname "$0")/.."
file=.cache/npm/node_modules/axe-core/axe.min.js

check() { echo "$sha256  $file" | sha256sum -c - >/dev/null 2>&1; }

check && exit 0
mkdir -p .cache/npm
npm install --prefix .cache/npm --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --silent "axe-core@$version"
check || { echo "$file is not the one of axe-core $version" >&2; exit 1; }
