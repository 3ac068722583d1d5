#!/usr/bin/python3
"""Load for `ramet serve`: clients of both dialects, valid and hostile requests mixed, for a while or for a number of
requests. Usage:

  tests/load/serve_load.py PROGRAM CHECKPOINT OBSERVATION [--seconds 60] [--requests N] [--clients 4] [--rest 0]

Fails when a valid request gets an error, when the bits of a reply differ from `ramet predict` with the same seed, when
a hostile request gets no error, when the server does not end with 0, or when its memory grows: over the second half of
the run its median may exceed that of the second quarter by 5 % and 8 MB at most. `busy` is an answer of a full queue,
not an error; the clients are fewer than the queue takes, so none may come. Needs NumPy, pyzmq and msgpack.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/e2e"))

import numpy as np  # noqa: E402
import zmq  # noqa: E402

import wire_client as wire  # noqa: E402
from program import floats, read_safetensors  # noqa: E402

SEEDS = (0, 1, 7, 123456)
HOSTILE_SHARE = 0.3
GROWTH, GROWTH_BYTES = 1.05, 8 << 20


def predicted(options, seed, folder):
    out = Path(folder) / f"{seed}.safetensors"
    subprocess.run([options.program, "predict", options.checkpoint, "--observation", options.observation, "--seed",
                    str(seed), "--output", out], check=True, capture_output=True)
    return {key: np.array(floats(tensor), np.float32).tobytes() for key, tensor in read_safetensors(out).items()}


def hostile_bodies():
    """(name, bytes) of the requests that must be refused, from the copy in the tree."""
    folder = SOURCE / "tests/golden/data/wire/hostile"
    cases = json.loads((folder / "index.json").read_text())["cases"]
    return [(case["name"], (folder / case["request"]["file"]).read_bytes())
            for case in cases if case["expect"] == "error"]


class Load:
    """What all clients share: the deadline, the counts, the first offences."""

    def __init__(self, options, server, expected):
        self.options, self.server, self.expected = options, server, expected
        self.observation, self.hostile = wire.load_observation(options.observation), hostile_bodies()
        self.deadline = time.monotonic() + options.seconds
        self.lock, self.valid, self.refused, self.offences, self.latencies_ms = threading.Lock(), 0, 0, [], []

    def goes_on(self):
        with self.lock:
            return time.monotonic() < self.deadline and self.valid < self.options.requests and not self.offences

    def offend(self, text):
        with self.lock:
            self.offences.append(text)

    def run_client(self, number):
        generator = random.Random(number)
        client = wire.Client(self.server.address, ("mnp", "npy")[number % 2])
        try:
            while self.goes_on():
                self.send_hostile(client, generator) if generator.random() < HOSTILE_SHARE else self.send_valid(client, generator)
                time.sleep(self.options.rest)
        except zmq.ZMQError as error:
            self.offend(f"client {number}: {error}")
        finally:
            client.close()

    def send_hostile(self, client, generator):
        name, body = generator.choice(self.hostile)
        reply = wire.decode(client.raw(body))
        if not (isinstance(reply, dict) and "error" in reply):
            self.offend(f"{name} was accepted")
        with self.lock:
            self.refused += 1

    def send_valid(self, client, generator):
        seed = generator.choice(SEEDS)
        is_flat = generator.random() < 0.5
        start = time.monotonic()
        reply = client.act(wire.flat(self.observation) if is_flat else self.observation, seed=seed)
        if isinstance(reply, dict):
            return self.offend(f"a valid request got {reply}")
        found = {key.removeprefix("action."): np.ascontiguousarray(value).tobytes() for key, value in reply[0].items()}
        if found != self.expected[seed]:
            self.offend(f"seed {seed}: other bits than predict")
        with self.lock:
            self.valid += 1
            self.latencies_ms.append(1000 * (time.monotonic() - start))


def watch_memory(load, samples):
    while load.goes_on():
        samples.append(load.server.rss_bytes())
        time.sleep(0.2)


def memory_grew(samples):
    """The median of the second half, and that of the second quarter, when the former is too large."""
    quarter = len(samples) // 4
    if quarter < 5:
        return None
    early, late = statistics.median(samples[quarter:2 * quarter]), statistics.median(samples[2 * quarter:])
    return (early, late) if late > GROWTH * early and late > early + GROWTH_BYTES else None


def run(options):
    with tempfile.TemporaryDirectory(prefix="ramet-load-") as folder:
        expected = {seed: predicted(options, seed, folder) for seed in SEEDS}
    server = wire.Server(options.program, options.checkpoint, "--embodiment", wire.embodiment(options.observation))
    try:
        load, samples = Load(options, server, expected), []
        threads = [threading.Thread(target=load.run_client, args=(number,)) for number in range(options.clients)]
        threads.append(threading.Thread(target=watch_memory, args=(load, samples)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        status = server.stop()
    finally:
        server.close()
    if status != 0:
        load.offend(f"the server ended with {status}")
    if grown := memory_grew(samples):
        load.offend(f"memory grew from {grown[0]} to {grown[1]} bytes")
    if load.valid == 0 or load.refused == 0:
        load.offend("no request of one of the two sorts was sent")
    return load, samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("checkpoint")
    parser.add_argument("observation")
    parser.add_argument("--seconds", type=float, default=60, help="the longest time (default: 60)")
    parser.add_argument("--requests", type=int, default=1_000_000, help="the most valid requests")
    parser.add_argument("--clients", type=int, default=4, help="sockets at once, at most 32 (default: 4)")
    parser.add_argument("--rest", type=float, default=0, help="seconds between the requests of a client (default: 0)")
    load, samples = run(parser.parse_args())
    latency = statistics.median(load.latencies_ms) if load.latencies_ms else 0
    print(f"{load.valid} valid requests, {load.refused} refused, median {latency:.1f} ms; "
          f"resident memory {min(samples) / 1e6:.0f} to {max(samples) / 1e6:.0f} MB")
    for offence in load.offences[:5]:
        print(f"offence: {offence}", file=sys.stderr)
    return 1 if load.offences else 0


if __name__ == "__main__":
    sys.exit(main())
