"""A client of the policy server: both array dialects, ZeroMQ and HTTP, and a server process to talk to."""

import base64
import io
import json
import os
import re
import signal
import struct
import subprocess
import threading
import time
import urllib.error
import urllib.request
import zlib
from pathlib import Path

import msgpack
import numpy as np
import zmq


def npy_map(value):
    file = io.BytesIO()
    np.lib.format.write_array(file, value, allow_pickle=False)
    return {"__ndarray_class__": True, "as_npy": file.getvalue()}


def mnp_map(value):
    return {b"nd": True, b"type": value.dtype.str, b"kind": b"", b"shape": list(value.shape), b"data": value.tobytes()}


def encode(message, dialect):
    return msgpack.packb(message, default=npy_map if dialect == "npy" else mnp_map)


def array_of(value):
    if "as_npy" in value:
        return np.lib.format.read_array(io.BytesIO(value["as_npy"]), allow_pickle=False)
    if value.get(b"nd"):
        return np.frombuffer(value[b"data"], value[b"type"]).reshape(value[b"shape"])
    return value


def decode(body):
    return msgpack.unpackb(body, object_hook=array_of)


class Client:
    """One REQ socket, as the original clients have it; a time-out is an error."""

    def __init__(self, address, dialect="mnp", token=None, timeout_s=120):
        self.dialect, self.token = dialect, token
        self.socket = zmq.Context.instance().socket(zmq.REQ)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RCVTIMEO, int(timeout_s * 1000))
        self.socket.connect(address)

    def raw(self, body):
        self.socket.send(body)
        return self.socket.recv()

    def call(self, endpoint, **fields):
        request = {"endpoint": endpoint, **fields}
        if self.token:
            request["api_token"] = self.token
        return decode(self.raw(encode(request, self.dialect)))

    def act(self, observation, **options):
        return self.call("get_action", data={"observation": observation, "options": options or None})

    def close(self):
        self.socket.close()


def flat(observation):
    keys = {f"{modality}.{key}": value for modality in ("video", "state") for key, value in observation[modality].items()}
    return {**keys, **{key: tuple(text[0] for text in texts) for key, texts in observation["language"].items()}}


def without_batch(observation):
    """The N1.5 form of one observation."""
    keys = flat(observation)
    return {key: list(value) if isinstance(value, tuple) else value[0] for key, value in keys.items()}


def json_numpy(value):
    return {"__numpy__": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode(),
            "dtype": value.dtype.str, "shape": list(value.shape)}


def http(url, body=None, headers=None):
    """(status, text)"""
    headers = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def read_png(path):
    """uint8 [height, width, 3] of an 8-bit RGB PNG whose rows are filtered."""
    raw, at, packed = Path(path).read_bytes(), 8, b""
    while at < len(raw):
        size, kind = struct.unpack(">I4s", raw[at:at + 8])
        chunk = raw[at + 8:at + 8 + size]
        at += 12 + size
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert (depth, colour) == (8, 2), "an 8-bit RGB picture"
        packed += chunk if kind == b"IDAT" else b""
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    image = np.zeros((height, width, 3), np.uint8)
    above = np.zeros(3 * width, np.int64)
    for y, (kind, line) in enumerate(zip(rows[:, 0], rows[:, 1:].astype(np.int64))):
        above = unfiltered(kind, line, above)
        image[y] = above.reshape(width, 3)
    return image


def unfiltered(kind, line, above):
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line.reshape(-1, 3), axis=0).reshape(-1) & 255
    if kind == 2:
        return (line + above) & 255
    out = line.copy()
    for x in range(len(out)):
        left, up, corner = (out[x - 3] if x >= 3 else 0), above[x], (above[x - 3] if x >= 3 else 0)
        guess = (left + up) // 2 if kind == 3 else min((left, up, corner), key=lambda v: abs(left + up - corner - v))
        out[x] = (out[x] + guess) & 255
    return out


def load_observation(path):
    """The nested form, a batch of one, of an observation file."""
    spec = json.loads(Path(path).read_text())
    bare = lambda keys, modality: {key.removeprefix(modality + "."): value for key, value in keys.items()}
    frames = lambda names: [names] if isinstance(names, str) else names
    language = {**spec.get("language", {}), **spec.get("annotation", {})}
    return {
        "video": {key: np.stack([read_png(Path(path).parent / name) for name in frames(names)])[None]
                  for key, names in bare(spec["video"], "video").items()},
        "state": {key: np.atleast_2d(np.asarray(rows["values"] if isinstance(rows, dict) else rows, np.float32))[None]
                  for key, rows in bare(spec["state"], "state").items()},
        "language": {key: [[text if isinstance(text, str) else text[0]]] for key, text in language.items()},
    }


def embodiment(path):
    return json.loads(Path(path).read_text())["embodiment_tag"]


class Server:
    """`ramet serve`, ready. Its log lines (JSON) are kept in `lines`."""

    def __init__(self, program, checkpoint, *options):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RAMET_")}
        self.process = subprocess.Popen(
            [program, "serve", str(checkpoint), "--port", "0", "--log", "json", *map(str, options)],
            env=environment, stderr=subprocess.PIPE, text=True)
        self.lines, self.address, self.http, self.metrics = [], None, None, None
        self.ready = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if not self.ready.wait(300) or self.address is None:
            self.close()
            raise AssertionError(f"the server did not start: {self.lines}")

    def _read(self):
        for line in self.process.stderr:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                self.lines.append({"note": line})
            self._take_addresses(self.lines[-1].get("note", ""))
        self.ready.set()

    def _take_addresses(self, note):
        address = re.search(r"(tcp|http)://\S+", note)
        if note.startswith("listening"):
            self.http = address[0]
        elif note.startswith("metrics"):
            self.metrics = address[0].removesuffix("/metrics")
        elif note.startswith("serving"):
            self.address = address[0]
            self.ready.set()

    def requests(self):
        return [line for line in self.lines if "request" in line]

    def rss_bytes(self):
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")

    def stop(self, number=signal.SIGTERM):
        """The exit status after a signal."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self, timeout_s=120):
        status = self.process.wait(timeout_s)
        self.reader.join(timeout_s)
        self.process.stderr.close()
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.wait()


def wait_until(holds, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("what was waited for did not happen")
        time.sleep(0.01)
