#!/usr/bin/env bash
# Builds every function for the cloud into dist/, makes the CloudFormation template in
# infra/cdk/cdk.out, and checks it with cfn-lint and sam. Arguments go to "cdk synth"
# (-c stage=prod). What it needs is fetched once into .cache; it can be run again at
# any time and does only what is left to do.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
venv=$root/.cache/venv-synth
out=$root/infra/cdk/cdk.out

export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=20
export CDK_DISABLE_CLI_TELEMETRY=true SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=us-east-1

mkdir -p .cache dist
exec 9>.cache/synth.lock
flock 9

# The environment is made anew when the list of its packages changes; the copy of the
# list, written last, says that it is whole.
install_linters() {
  cmp -s infra/cdk/requirements.txt "$venv/requirements.txt" && return
  echo "fetching cfn-lint and sam (about a minute, once)"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --no-deps --disable-pip-version-check --requirement infra/cdk/requirements.txt
  cp infra/cdk/requirements.txt "$venv/requirements.txt"
}

# Providers are asked one thing at a time: HTTP/2 would be a third of a megabyte for nothing.
build_functions() {
  for dir in dist/*/; do
    [ -f "functions/$(basename "$dir")/main.go" ] || rm -rf "$dir"
  done
  for main in functions/*/main.go; do
    [ -f "$main" ] || { echo "there is no functions/*/main.go" >&2; exit 1; }
    name=$(basename "$(dirname "$main")")
    CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -trimpath -buildvcs=false -tags lambda.norpc,nethttpomithttp2 -ldflags '-s -w' \
      -o "dist/$name/bootstrap" "./functions/$name"
  done
}

# Products are found by a model in the process, whose weights are deployed with the function and lie where
# MINILM_DIR says that they are in the cloud.
add_weights() {
  sh .ci/install-minilm.sh
  mkdir -p dist/worker-rag/minilm
  cp .cache/minilm/model.safetensors .cache/minilm/vocab.txt dist/worker-rag/minilm/
}

# A bigger function starts later: .ci/sizes.txt says how big each may be, and what is wanted.
print_sizes() {
  "$venv/bin/python" - .ci/sizes.txt dist/*/bootstrap <<'PY'
import io, os, sys, zipfile

lines = [line.split() for line in open(sys.argv[1]) if not line.startswith("#")]
most = {name: (float(binary), float(packed)) for name, binary, packed in lines}
wanted, bad = most.pop("wanted"), []
print(f"{'MB':<20}{'binary':>8}{'at most':>9}{'zip':>8}{'at most':>9}")
for path in sys.argv[2:]:
    packed, name = io.BytesIO(), path.split("/")[-2]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        z.write(path, "bootstrap")
    sizes, bounds = (os.path.getsize(path) / 1e6, packed.tell() / 1e6), most.pop(name, (0, 0))
    if sizes[0] > bounds[0] or sizes[1] > bounds[1]:
        bad.append(name)
    print(f"{name:<20}{sizes[0]:>8.2f}{bounds[0]:>9.2f}{sizes[1]:>8.2f}{bounds[1]:>9.2f}"
          + ("" if sizes[0] <= wanted[0] and sizes[1] <= wanted[1] else "  more than wanted"))
print(f"{'wanted':<20}{wanted[0]:>17.2f}{wanted[1]:>17.2f}")
if bad or most:
    sys.exit(f"bigger than {sys.argv[1]} allows: {bad}; in it and not built: {list(most)}")
PY
}

synth() {
  rm -rf "$out"
  (cd infra/cdk && "$root/.cache/cdk" synth --quiet --no-notices --output "$out" "$@")
}

# W3005: the CDK writes dependencies that CloudFormation would find by itself.
check() {
  for template in "$out"/*.template.json; do
    "$venv/bin/cfn-lint" -i W3005 -r us-east-1 -- "$template"
    "$venv/bin/sam" validate --region us-east-1 --template "$template" 2>&1 | grep -v -e '^Warning: CDK apps' -e '^We recommend you use'
  done
}

sh .ci/install-cdk.sh
install_linters
build_functions
add_weights
print_sizes
synth "$@"
check
echo "$out"
