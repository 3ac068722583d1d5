#!/usr/bin/env bash
# Installs what a build needs: the Debian packages of tools/packages.txt, the tokenizer's vocabulary and, for the group
# python, what builds and tests the Python package, in build/venv.
# Usage: tools/setup.sh [GROUP…]     groups as in packages.txt, default: build test python
# Says what it installs; asks before it uses sudo. Does nothing, quickly, when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kVocabulary=build/data/qwen.tiktoken
readonly kVocabularyPackage=dashscope==2.0.2
readonly kVocabularySha256=b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186

say() { echo "set-up: $*"; }
give_up() { echo "set-up: error: $*" >&2; exit 1; }

list_packages() {  # GROUP… -> "package reason" lines
  awk -v groups=" $* " '!/^#/ && NF && index(groups, " " $1 " ") { $1 = ""; print substr($0, 2) }' tools/packages.txt
}

is_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

missing_packages() {  # "package reason" lines on stdin -> those that are not installed
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | awk '$2 == "installed" { print $1 }')
  awk 'NR == FNR { have[$1] = 1; next } !($1 in have)' <(echo "$installed") -
}

may_become_root() {
  [[ $(id -u) == 0 || ${CI:-} == true ]] && return
  [[ -t 0 ]] || give_up "run as root: apt-get install $*"
  read -r -p "set-up: install these with sudo? [y/N] " answer
  [[ $answer == [yY]* ]]
}

as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi; }

install_packages() {  # GROUP…
  local missing names
  missing=$(list_packages "$@" | missing_packages)
  [[ -n $missing ]] || return 0
  say "missing Debian packages:"
  awk '{ name = $1; $1 = ""; printf "  %-20s%s\n", name, $0 }' <<<"$missing"
  mapfile -t names < <(awk '{ print $1 }' <<<"$missing")
  may_become_root "${names[@]}" || give_up "not installed; run as root: apt-get install ${names[*]}"
  as_root apt-get -q update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${names[@]}"
}

has_vocabulary() { echo "$kVocabularySha256  $kVocabulary" | sha256sum --check --status 2>/dev/null; }

# The file inside the package is, rank for rank, the vocabulary of the Qwen3 models; nothing of the package is installed.
fetch_vocabulary() {
  has_vocabulary && return
  say "fetching the vocabulary qwen.tiktoken from the PyPI package $kVocabularyPackage (Apache-2.0, 2.4 MB)"
  local member=dashscope/resources/qwen.tiktoken
  download=$(mktemp -d)
  trap 'rm -rf "$download"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$download" \
    "$kVocabularyPackage" ||
    give_up "cannot fetch $kVocabularyPackage from PyPI; put its $member at $kVocabulary (SHA-256 $kVocabularySha256)"
  mkdir -p "$(dirname "$kVocabulary")"
  python3 -m zipfile -e "$download"/dashscope-*.whl "$download"
  mv "$download/$member" "$kVocabulary"
  has_vocabulary || { rm -f "$kVocabulary"; give_up "$member: not the expected file: SHA-256 $kVocabularySha256"; }
  say "vocabulary in $kVocabulary"
}

# `complete` is written last and holds the requirements that the folder was made for.
make_venv() {
  cmp -s python/requirements.txt build/venv/complete && return
  say "installing the packages of python/requirements.txt from PyPI into build/venv"
  rm -rf build/venv
  mkdir -p build
  python3 -m venv build/venv || give_up "python3 -m venv cannot make build/venv"
  build/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r python/requirements.txt ||
    give_up "cannot install the packages of python/requirements.txt"
  cp python/requirements.txt build/venv/complete
}

groups=("$@")
[[ $# -gt 0 ]] || groups=(build test python)
if is_debian; then
  install_packages "${groups[@]}"
else
  say "not a Debian system; the build needs what these Debian packages hold:"
  list_packages "${groups[@]}" | sed 's/^/  /'
fi
[[ " ${groups[*]} " != *" build "* ]] || fetch_vocabulary
[[ " ${groups[*]} " != *" python "* ]] || make_venv
