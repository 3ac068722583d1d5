#!/usr/bin/python3
"""An observation of noise for the first robot of a checkpoint: pictures of 256 by 256 pixels, states near zero. Usage:

  tests/load/make_observation.py PROGRAM CHECKPOINT OBSERVATION.json
"""

import json
import random
import struct
import subprocess
import sys
import zlib
from pathlib import Path

SIDE = 256


def png(generator):
    rows = b"".join(b"\0" + generator.randbytes(3 * SIDE) for _ in range(SIDE))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def main():
    program, checkpoint, path = sys.argv[1:]
    inspected = subprocess.run([program, "inspect", checkpoint, "--json"], check=True, capture_output=True).stdout
    robot = next(robot for robot in json.loads(inspected)["embodiments"] if not robot["problem"])
    generator, folder = random.Random(1), Path(path).parent
    video = {}
    for number, camera in enumerate(robot["cameras"]):
        video[camera] = [f"camera{number}_{frame}.png" for frame in range(len(robot["video_delta_indices"]))]
        for name in video[camera]:
            (folder / name).write_bytes(png(generator))
    rows = len(robot["state_delta_indices"])
    state = {key["key"]: [[generator.uniform(-0.1, 0.1) for _ in range(key["dims"])] for _ in range(rows)]
             for key in robot["state"]}
    document = {"embodiment_tag": robot["tag"], "video": video, "state": state,
                "language": {robot["language_key"]: "pick up the red block"}}
    Path(path).write_text(json.dumps(document))


if __name__ == "__main__":
    main()
