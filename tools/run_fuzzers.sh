#!/usr/bin/env bash
# Runs every fuzzer of build/asan for a while on its seeds. Usage: tools/run_fuzzers.sh SECONDS
# A finding leaves its input in build/asan/findings and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: tools/run_fuzzers.sh SECONDS}
build=build/asan
mkdir -p "$build/findings"
failed=()
for fuzzer in "$build"/fuzzers/*_fuzzer; do
  name=$(basename "$fuzzer" _fuzzer)
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  echo "--- $name, $seconds s"
  "$fuzzer" "$corpus" "tests/fuzz/seeds/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$build/findings/$name-" -verbosity=0 -print_final_stats=1 2>&1 | tail -n 30 ||
    failed+=("$name")
done
[[ ${#failed[@]} -eq 0 ]] || { echo "fuzzers that found something: ${failed[*]}" >&2; exit 1; }
