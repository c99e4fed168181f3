#!/bin/sh
# Installs the programs that Merve is measured beside (testdata/peers) into .cache/peers.
# Does nothing when exactly they are there.
set -eu

cd "$(dirname "$0")/.."
dir=.cache/peers
want=testdata/peers/requirements.txt

[ -x "$dir/bin/python" ] && cmp -s "$want" "$dir/installed.txt" && exit 0
mkdir -p .cache
python3 -m venv "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check -r "$want"
cp "$want" "$dir/installed.txt"
