#!/bin/sh
# Installs ministack, an SQS server that the queue's conformance test runs against, into
# .cache/venv-ministack. Does nothing when it is there.
set -eu

version=1.5.33
cd "$(dirname "$0")/.."
dir=.cache/venv-ministack

installed() { "$dir/bin/python" -m pip show ministack 2>/dev/null | grep -qx "Version: $version"; }

[ -x "$dir/bin/ministack" ] && installed && exit 0
mkdir -p .cache
python3 -m venv "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check "ministack==$version"
installed || { echo "ministack $version is not in $dir" >&2; exit 1; }
