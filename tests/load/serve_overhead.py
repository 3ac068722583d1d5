#!/usr/bin/python3
"""What `ramet serve` adds to a call: the time of a request at the client without the time inside the policy. Usage:

  tests/load/serve_overhead.py PROGRAM CHECKPOINT OBSERVATION [--runs 50]

Prints medians and the 90th percentile over the runs, in milliseconds, with the client's own copying beside them: the
same bytes to a ZeroMQ socket of this process that echoes a reply of the same size, which is what no server can save.
"""

import argparse
import statistics
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import zmq  # noqa: E402

import wire_client as wire  # noqa: E402


def timed(call, runs):
    """[(milliseconds, result)] after two calls that are not counted."""
    call(), call()
    results = []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        results.append((1000 * (time.perf_counter() - start), result))
    return results


def echo(request, reply, runs):
    """The times of the same exchange with a socket that does nothing."""
    socket = zmq.Context.instance().socket(zmq.REP)
    port = socket.bind_to_random_port("tcp://127.0.0.1")

    def answer():
        while socket.recv():
            socket.send(reply)
        socket.send(b"")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    client = wire.Client(f"tcp://127.0.0.1:{port}")
    times = [ms for ms, _ in timed(lambda: client.raw(request), runs)]
    client.raw(b"")
    thread.join()
    client.close()
    socket.close()
    return times


def row(name, times):
    return f"{name:34}{statistics.median(times):9.3f}{statistics.quantiles(times, n=10)[-1]:9.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "checkpoint", "observation"):
        parser.add_argument(name)
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args()
    observation = wire.load_observation(options.observation)
    request = wire.encode({"endpoint": "get_action", "data": {"observation": observation, "options": {"seed": 1}}}, "mnp")
    server = wire.Server(options.program, options.checkpoint, "--timings", "--embodiment",
                         wire.embodiment(options.observation))
    try:
        client = wire.Client(server.address)
        replies = timed(lambda: client.raw(request), options.runs)
        client.close()
        server.stop()
    finally:
        server.close()
    policy = [wire.decode(reply)[1]["timing_ms"]["total"] for _, reply in replies]
    whole = [ms for ms, _ in replies]
    inside = [line["ms"] for line in server.requests()][-options.runs:]
    print(f"request {len(request)} bytes, reply {len(replies[0][1])} bytes        median      p90")
    print(row("whole request at the client, ms", whole))
    print(row("inside the policy, ms", policy))
    print(row("whole - policy, ms", [a - b for a, b in zip(whole, policy)]))
    print(row("  of it read and checked, ms", [ms["read"] for ms in inside]))
    print(row("  of it waiting for the thread, ms", [ms["queue"] for ms in inside]))
    print(row("  of it writing the reply, ms", [ms["reply"] for ms in inside]))
    print(row("same bytes to an echo, ms", echo(request, replies[0][1], options.runs)))


if __name__ == "__main__":
    sys.exit(main())
