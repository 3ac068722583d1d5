"""The program under test, golden cases, and safetensors files without numpy."""

import json
import math
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

PATH = "ramet"  # set by run_case.py
TIMEOUT_S = 300  # of one run; the full-size cases take longer
SOURCE = Path(__file__).resolve().parents[2]

ERROR_LINE = r"^ramet: error: .+: expected .+, found .+$"


def run(*arguments, environment=None, cwd=None):
    """A finished `ramet ARGUMENTS…` whose environment holds no RAMET_* but the given ones."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAMET_")}
    return subprocess.run(
        [PATH, *map(str, arguments)],
        env={"XDG_CACHE_HOME": tempfile.gettempdir() + "/ramet-e2e-cache", **clean, **(environment or {})},
        cwd=cwd,
        capture_output=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def golden(name):
    """The folder of a golden case: $RAMET_GOLDENS, ../shared/goldens, tests/golden/data."""
    roots = [SOURCE.parent / "shared/goldens", SOURCE / "tests/golden/data"]
    if "RAMET_GOLDENS" in os.environ:
        roots.insert(0, Path(os.environ["RAMET_GOLDENS"]))
    for root in roots:
        if (root / name / "case.json").exists():
            return root / name
    raise unittest.SkipTest(f"golden case {name}: not in {' or '.join(str(root) for root in roots)}")


class ProgramTest(unittest.TestCase):
    """Runs the program in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ramet-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def succeeds(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return done.stdout.decode("utf-8")

    def succeeds_json(self, *arguments, **options):
        return json.loads(self.succeeds(*arguments, "--json", **options))

    def fails(self, status, *arguments, **options):
        """The one error line of a run that must end with this exit status."""
        done = run(*arguments, **options)
        text = done.stderr.decode("utf-8")
        self.assertEqual(done.returncode, status, text)
        lines = text.splitlines()
        self.assertEqual(len(lines), 1, text)
        self.assertRegex(lines[0], ERROR_LINE)
        return lines[0]

    def synth(self, case):
        """A checkpoint of the golden case, and the case's folder."""
        source = golden(case)
        out = self.folder / case
        self.succeeds("synth", out, "--from", source)
        return out, source


def read_safetensors(path):
    """{name: (dtype, shape, bytes)}"""
    raw = Path(path).read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    data = raw[8 + size :]
    return {
        name: (entry["dtype"], entry["shape"], data[entry["data_offsets"][0] : entry["data_offsets"][1]])
        for name, entry in header.items()
        if name != "__metadata__"
    }


def write_safetensors(path, tensors):
    header, end = {}, 0
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(raw)]}
        end += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(raw for _, _, raw in tensors.values())
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def floats(tensor):
    dtype, _, raw = tensor
    assert dtype == "F32", dtype
    return struct.unpack(f"<{len(raw) // 4}f", raw)


def f32(shape, values):
    assert len(values) == math.prod(shape)
    return "F32", shape, struct.pack(f"<{len(values)}f", *values)


def i64(shape, values):
    return "I64", shape, struct.pack(f"<{len(values)}q", *values)
