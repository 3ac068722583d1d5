#!/usr/bin/env python3
"""Copies golden cases into tests/golden/data, small enough for the tree.

Usage: tests/golden/copy_case.py GOLDENS CASE…

Of every long float tap every third row stays, and TAP.rows lists which; big pictures move to pixels.safetensors. Files of cases without
taps are copied as they are. The rest of a case (checkpoint files, inputs) stays whole.
"""

import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from program import i64, read_safetensors, write_safetensors

DATA = Path(__file__).resolve().parent / "data"
STEP = 3
LONG_ROWS = 48
BIG_PICTURE_BYTES = 300_000
LIMIT_BYTES = 1_000_000


def thinned(name, taps):
    """{name: tap} of one tap, with the rows that stay."""
    dtype, shape, raw = taps[name]
    if dtype != "F32" or len(shape) != 2 or shape[0] < LONG_ROWS:
        return {name: taps[name]} | ({f"{name}.rows": taps[f"{name}.rows"]} if f"{name}.rows" in taps else {})
    kept = range(0, shape[0], STEP)
    stride = len(raw) // shape[0]
    rows = range(shape[0])
    if f"{name}.rows" in taps:
        listed = taps[f"{name}.rows"][2]
        rows = struct.unpack(f"<{len(listed) // 8}q", listed)
    return {
        name: (dtype, [len(kept), shape[1]], b"".join(raw[row * stride : (row + 1) * stride] for row in kept)),
        f"{name}.rows": i64([len(kept)], [rows[row] for row in kept]),
    }


def write_taps(source, out):
    taps = read_safetensors(source)
    pixels = {name: taps[name] for name in ["pre.pixels"] if name in taps and len(taps[name][2]) > BIG_PICTURE_BYTES}
    small = {}
    for name in taps:
        if name not in pixels and not name.endswith(".rows"):
            small |= thinned(name, taps)
    write_safetensors(out / source.name, small)
    if pixels and source.name.startswith("fp32"):
        write_safetensors(out / "pixels.safetensors", pixels)


def copy_case(source, out):
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(source, out, copy_function=shutil.copyfile)
    for dump in ["fp32.safetensors", "bf16.safetensors"]:
        if (source / dump).exists():
            write_taps(source / dump, out)
    for path in out.rglob("*"):
        if path.is_file() and path.stat().st_size > LIMIT_BYTES:
            raise SystemExit(f"{path}: {path.stat().st_size} bytes, more than {LIMIT_BYTES}")


def main():
    goldens, cases = Path(sys.argv[1]), sys.argv[2:]
    for case in cases:
        copy_case(goldens / case, DATA / case)


if __name__ == "__main__":
    main()
