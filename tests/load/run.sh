#!/usr/bin/env bash
# Load for the built `ramet serve` on a tiny synthetic robot. Usage: tests/load/run.sh SECONDS [OPTIONS of serve_load.py]
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:?usage: tests/load/run.sh SECONDS}
shift
ramet=build/release/ramet
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$ramet" synth "$folder/robot" --version n17 --size tiny >/dev/null
tests/load/make_observation.py "$ramet" "$folder/robot" "$folder/observation.json"
tests/load/serve_load.py "$ramet" "$folder/robot" "$folder/observation.json" --seconds "$seconds" "$@"
