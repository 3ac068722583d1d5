#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy. Usage: tools/tidy.sh [-j N] [FILE…]; default: every source that is no test.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=2
if [[ ${1:-} == -j ]]; then jobs=$2; shift 2; fi
files=("$@")
[[ $# -gt 0 ]] || mapfile -t files < <(git ls-files -co --exclude-standard 'src/*.cpp' 'cli/*.cpp' | grep -vE '_(test|bench)\.cpp$')

cmake --preset asan -B build/tidy -DRAMET_UNITY=OFF -DRAMET_TESTS=OFF -DRAMET_FUZZERS=OFF --log-level=WARNING >/dev/null
printf '%s\n' "${files[@]}" | xargs -P "$jobs" -n 1 clang-tidy -p build/tidy --quiet --warnings-as-errors='*'
echo "tidy: ${#files[@]} files are clean"
