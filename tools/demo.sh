#!/usr/bin/env bash
# Writes a synthetic N1.7 checkpoint and predicts actions from pictures: prints the table, writes a plot.
# Usage: tools/demo.sh [HEAD [WRIST]]   PNG or JPEG; default: the camera frames of the goldens, else photographs from PyPI
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kRamet=build/release/ramet
readonly kCheckpoint=build/demo/n17
readonly kPlot=build/demo/actions.png
readonly kFrames=../shared/goldens/n17_libero/inputs
readonly kPhotos=build/data/photos

# Two photographs that scikit-image ships: a cup of coffee on a table, a rocket (both CC0).
fetch_photos() {
  [[ -f $kPhotos/coffee.png && -f $kPhotos/rocket.jpg ]] && return
  echo "demo: fetching two photographs from the PyPI package scikit-image (13 MB)"
  download=$(mktemp -d)
  trap 'rm -rf "$download"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$download" scikit-image
  python3 -m zipfile -e "$download"/scikit_image-*.whl "$download"
  mkdir -p "$kPhotos"
  cp "$download"/skimage/data/{coffee.png,rocket.jpg} "$kPhotos"
}

frames=("$@")
if [[ ${#frames[@]} -eq 0 && -d $kFrames ]]; then
  frames=("$kFrames/head_256_256.t0.png" "$kFrames/left_wrist_256_256.t0.png")
elif [[ ${#frames[@]} -eq 0 ]]; then
  fetch_photos
  frames=("$kPhotos/coffee.png" "$kPhotos/rocket.jpg")
fi
head=${frames[0]}
wrist=${frames[1]:-$head}
echo "demo: a synthetic checkpoint in $kCheckpoint: the architecture of N1.7, random weights, so the actions mean nothing"
rm -rf build/demo
mkdir -p build/demo
"$kRamet" synth "$kCheckpoint" --version n17 --size tiny

echo "demo: predicting from $head and $wrist"
"$kRamet" predict "$kCheckpoint" --embodiment libero_sim --executor oracle --plot "$kPlot" \
  --instruction "put the cup on the plate" --video image="$head" --video wrist_image="$wrist" \
  --state x=0.23 --state y=0.08 --state z=1.0 --state roll=2.6 --state pitch=0.3 --state yaw=-0.7 --state gripper=0.04,-0.04
echo "demo: plot in $kPlot"
