#!/usr/bin/env bash
# Installs into a temporary prefix, builds a user's programs against the package, and runs them and the installed ramet.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make --no-print-directory install PREFIX="$work/prefix"
cmake -S tests/install -B "$work/user" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" --log-level=WARNING
cmake --build "$work/user"
"$work/user/user"
"$work/user/c_user"
"$work/prefix/bin/ramet" --version
test -f "$work/prefix/share/ramet/qwen.tiktoken"
