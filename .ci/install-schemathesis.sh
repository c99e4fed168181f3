#!/bin/sh
# Installs schemathesis, which tries the running program against its OpenAPI document, into
# .cache/venv-schemathesis. Does nothing when it is there.
set -eu

version=4.32.5
cd "$(dirname "$0")/.."
dir=.cache/venv-schemathesis

installed() { "$dir/bin/python" -m pip show schemathesis 2>/dev/null | grep -qx "Version: $version"; }

[ -x "$dir/bin/st" ] && installed && exit 0
mkdir -p .cache
python3 -m venv "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check "schemathesis==$version"
installed || { echo "schemathesis $version is not in $dir" >&2; exit 1; }
