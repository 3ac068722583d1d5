"""`ramet serve` under real clients: the dialects, lies, deaths, a full queue, tokens, signals, HTTP and metrics."""

import json
import signal
import socket
import unittest

import program
from program import SOURCE, ProgramTest, floats, read_safetensors, write_safetensors

try:
    import numpy as np
    import zmq

    import wire_client as wire

    MISSING = ""
except ImportError as error:
    MISSING = f"{error}: tools/setup.sh test installs python3-zmq, python3-msgpack and python3-numpy"


def wire_goldens():
    for root in (SOURCE.parent / "shared/goldens", SOURCE / "tests/golden/data"):
        if (root / "wire/hostile/index.json").exists():
            return root / "wire"
    raise unittest.SkipTest("goldens/wire is not here")


class ServeTest(ProgramTest):
    CASE = "n17_libero"

    def setUp(self):
        if MISSING:
            self.skipTest(MISSING)
        super().setUp()
        self.checkpoint, source = self.synth(self.CASE)
        self.observation_file = source / "inputs/observation.json"
        self.noise_file = source / "inputs/noise.safetensors"
        self.observation = wire.load_observation(self.observation_file)

    def serve(self, *options):
        server = wire.Server(program.PATH, self.checkpoint, *options)
        self.addCleanup(server.close)
        return server

    def client(self, server, *arguments, **options):
        client = wire.Client(server.address, *arguments, **options)
        self.addCleanup(client.close)
        return client

    def predicted(self, *options):
        """{key: the float32 bits of `ramet predict`}"""
        out = self.folder / "predicted.safetensors"
        self.succeeds("predict", self.checkpoint, "--observation", self.observation_file, "--output", out, *options)
        return {key: np.array(floats(tensor), np.float32).tobytes() for key, tensor in read_safetensors(out).items()}

    def assert_same_bits(self, action, expected):
        found = {key.removeprefix("action."): np.ascontiguousarray(value).tobytes() for key, value in action.items()}
        self.assertEqual(found, expected)

    def send_and_forget(self, server, message, count=1):
        """A socket with requests on their way, whose replies nobody has read."""
        dealer = zmq.Context.instance().socket(zmq.DEALER)
        dealer.setsockopt(zmq.LINGER, 0)
        dealer.setsockopt(zmq.RCVTIMEO, 120_000)
        dealer.connect(server.address)
        self.addCleanup(dealer.close)
        for _ in range(count):
            dealer.send_multipart([b"", wire.encode(message, "mnp")])
        return dealer

    def slow_action(self, steps=400):
        """Of a server with --max-steps 400: long beside what the others of a test do meanwhile."""
        return {"endpoint": "get_action",
                "data": {"observation": self.observation, "options": {"seed": 1, "denoising_steps": steps}}}


class Serve(ServeTest):
    def test_every_dialect_gives_the_bits_of_predict(self):
        server = self.serve()
        expected = self.predicted("--seed", 7)
        for dialect in ("mnp", "npy"):
            client = self.client(server, dialect)
            action, info = client.act(self.observation, seed=7)
            self.assertEqual(info, {})
            self.assert_same_bits(action, expected)
            flat_action, _ = client.act(wire.flat(self.observation), seed=7)
            self.assertTrue(all(key.startswith("action.") for key in flat_action))
            self.assert_same_bits(flat_action, expected)
        transposed = {**self.observation, "video": {k: np.asfortranarray(v) for k, v in self.observation["video"].items()}}
        self.assert_same_bits(self.client(server, "npy").act(transposed, seed=7)[0], expected)

    def test_noise_and_steps_of_one_call(self):
        server = self.serve("--timings")
        client = self.client(server)
        noise = np.linspace(-1, 1, 40 * 132, dtype=np.float32)
        shape = read_safetensors(self.noise_file)["noise"][1]
        noise = np.resize(noise, shape)
        file = self.folder / "noise.safetensors"
        write_safetensors(file, {"noise": ("F32", list(shape), noise.tobytes())})
        action, info = client.act(self.observation, noise=noise[None], denoising_steps=2)
        self.assert_same_bits(action, self.predicted("--noise", file, "--steps", 2))
        self.assertGreater(info["timing_ms"]["total"], 0)
        fresh = [client.act(self.observation)[0] for _ in range(2)]
        self.assertNotEqual(*({k: v.tobytes() for k, v in action.items()} for action in fresh))

    def test_batch_is_one_call_for_each_item(self):
        client = self.client(self.serve())
        batch = {"video": {k: np.concatenate([v, v]) for k, v in self.observation["video"].items()},
                 "state": {k: np.concatenate([v, v]) for k, v in self.observation["state"].items()},
                 "language": {k: v * 2 for k, v in self.observation["language"].items()}}
        action, _ = client.act(batch, seed=7)
        for item, seed in enumerate((7, 8)):
            self.assert_same_bits({k: v[item] for k, v in action.items()}, self.predicted("--seed", seed))

    def test_other_endpoints(self):
        server = self.serve()
        client = self.client(server)
        self.assertEqual(client.call("ping"), {"status": "ok", "message": "Server is running"})
        self.assertEqual(client.call("reset", data={"options": None}), {})
        config = client.call("get_modality_config")
        video = config["video"]
        self.assertTrue(video["__ModalityConfig__"] and video["__ModalityConfig_class__"])
        self.assertEqual(video["as_json"], video["as_dict"])
        self.assertEqual(sorted(video["as_json"]["modality_keys"]), sorted(self.observation["video"]))
        self.assertEqual(client.call("foo"), {"error": "Unknown endpoint: foo"})
        self.assertIn("video key", client.act({**self.observation, "video": {}})["error"])

    def test_hostile_messages_change_nothing(self):
        server = self.serve()
        folder = wire_goldens() / "hostile"
        client, other = self.client(server), self.client(server)
        cases = json.loads((folder / "index.json").read_text())["cases"]
        for case in cases:
            body = (folder / case["request"]["file"]).read_bytes()
            if case.get("transport") == "tcp":
                self.send_raw(server, body, case["pieces"])
            else:
                self.check_hostile(case, client.raw(body))
            self.assertEqual(other.call("ping")["status"], "ok", case["name"])
        self.assertEqual(len(cases), 266)
        self.assert_same_bits(other.act(self.observation, seed=7)[0], self.predicted("--seed", 7))
        self.assertEqual(server.stop(), 0)

    def check_hostile(self, case, reply):
        self.assertNotIn(b"PICKLE", reply, case["name"])
        value = wire.decode(reply)
        outcome = "error" if isinstance(value, dict) and "error" in value else "ok"
        self.assertIn(outcome, case["expect"].split("|"), case["name"])

    def send_raw(self, server, body, pieces):
        host, port = server.address.removeprefix("tcp://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.settimeout(0.05)
            at = 0
            for size in pieces:
                try:
                    connection.sendall(body[at:at + size])
                    connection.recv(4096)
                except OSError:  # nothing to read, or the server has hung up
                    pass
                at += size

    def test_clients_that_die_in_mid_request(self):
        server = self.serve("--metrics-port", 0)
        for dead in range(1, 4):
            dealer = self.send_and_forget(server, self.slow_action(steps=20), count=2)
            wire.wait_until(lambda: "ramet_busy 1\n" in wire.http(server.metrics + "/metrics")[1])
            dealer.close()
            wire.wait_until(lambda: len(server.requests()) == 2 * dead)
        action, _ = self.client(server).act(self.observation, seed=7)
        self.assert_same_bits(action, self.predicted("--seed", 7))
        self.assertEqual(server.stop(), 0)

    def test_full_queue_answers_at_once(self):
        server = self.serve("--queue", 2, "--max-steps", 400)
        dealer = self.send_and_forget(server, self.slow_action(), count=6)
        self.assertEqual(self.client(server).call("ping")["status"], "ok")  # overtakes
        replies = [wire.decode(dealer.recv_multipart()[1]) for _ in range(6)]  # in the order of the requests
        refused = [reply for reply in replies if isinstance(reply, dict) and "busy" in reply["error"]]
        self.assertIn(len(refused), (2, 3, 4))
        wire.wait_until(lambda: len([line for line in server.requests() if line["endpoint"] == "get_action"]) == 6)
        codes = [line["code"] for line in server.requests() if line["endpoint"] == "get_action"]
        self.assertEqual(codes[:2], ["busy", "busy"])  # answered before the first action was done

    def test_one_client_does_not_keep_the_others_waiting(self):
        server = self.serve("--max-steps", 400)
        self.send_and_forget(server, self.slow_action(), count=8)
        wire.wait_until(lambda: server.lines)
        self.client(server).act(self.observation, seed=1)
        wire.wait_until(lambda: any(line["seed"] == 1 and line["ms"]["predict"] for line in server.requests()))
        self.assertLess(len(server.requests()), 6)

    def test_sigterm_finishes_the_running_call(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.serve("--metrics-port", 0, "--max-steps", 400)
            dealer = self.send_and_forget(server, self.slow_action(), count=2)
            wire.wait_until(lambda: "ramet_busy 1\n" in wire.http(server.metrics + "/metrics")[1])
            server.process.send_signal(number)
            replies = [wire.decode(dealer.recv_multipart()[1]) for _ in range(2)]
            self.assertIsInstance(replies[0], list)
            self.assertIn("stopping", str(replies[1]))
            self.assertEqual(server.wait(), 0)
            self.assertEqual(server.lines[-1]["note"], "stopped")

    def test_kill(self):
        server = self.serve()
        self.assertIsNone(self.client(server).call("kill"))
        self.assertEqual(server.wait(), 0)
        lasting = self.serve("--no-kill")
        client = self.client(lasting)
        self.assertIn("kill", client.call("kill")["error"])
        self.assertEqual(client.call("ping")["status"], "ok")

    def test_token(self):
        server = self.serve("--api-token", "secret")
        for token in (None, "wrong"):
            client = self.client(server, token=token)
            for endpoint in ("ping", "kill", "get_action"):
                self.assertEqual(client.call(endpoint), {"error": "Unauthorized: Invalid API token"})
        self.assertEqual(self.client(server, token="secret").call("ping")["status"], "ok")

    def test_options_that_make_no_sense(self):
        serve = ("serve", self.checkpoint)
        self.assertIn("--api-token", self.fails(2, *serve, "--host", "0.0.0.0"))
        self.assertIn("--strict", self.fails(2, *serve, "--strict", "--no-strict"))
        for option in ("--port", "--queue", "--max-batch", "--wire", "--api", "--log"):
            self.assertIn(option, self.fails(2, *serve, option, "-1"))
        self.assertIn("DIR", self.fails(2, *serve, "--model-path", self.checkpoint))
        server = self.serve()
        port = server.address.rpartition(":")[2]
        self.assertIn(port, self.fails(4, "serve", "--model-path", self.checkpoint, "--port", port))

    def test_strict_wants_nested_keys_and_the_wrapper_flat_ones(self):
        flat = wire.flat(self.observation)
        self.assertIn("nested keys", self.client(self.serve("--strict")).act(flat)["error"])
        client = self.client(self.serve("--use-sim-policy-wrapper"))
        self.assert_same_bits(client.act(flat, seed=7)[0], self.predicted("--seed", 7))
        self.assertIn("video.", client.act(self.observation)["error"])
        whole = {**self.observation, "state": {k: v.astype(np.float64) for k, v in self.observation["state"].items()}}
        self.assertIn("float32", self.client(self.serve()).act(whole)["error"])
        self.assert_same_bits(self.client(self.serve("--no-strict")).act(whole, seed=7)[0], self.predicted("--seed", 7))

    def test_metrics_health_and_log(self):
        server = self.serve("--metrics-port", 0, "--seed", 7)
        client = self.client(server)
        self.assert_same_bits(client.act(self.observation)[0], self.predicted("--seed", 7))
        client.act({})
        self.assertEqual(wire.http(server.metrics + "/healthz"), (200, "ok\n"))
        self.assertEqual(wire.http(server.metrics + "/nothing")[0], 404)
        status, text = wire.http(server.metrics + "/metrics")
        self.assertEqual(status, 200)
        self.assertIn('ramet_requests_total{endpoint="get_action",code="ok"} 1\n', text)
        self.assertIn('ramet_requests_total{endpoint="get_action",code="not_found"} 1\n', text)
        for stage in ("vision", "llm", "denoise", "predict", "queue", "read"):
            self.assertIn(f'ramet_stage_seconds_count{{stage="{stage}"}}', text)
        good, bad = server.requests()
        self.assertEqual((good["code"], good["seed"], good["api"], good["dialect"]), ("ok", 7, "nested", "mnp"))
        self.assertEqual(bad["code"], "not_found")
        self.assertIn("expected", bad["error"])


class ServeN15(ServeTest):
    CASE = "n15_one"

    def test_flat_api_over_zmq_and_http(self):
        robot = ("--embodiment", "gr1", "--data-config", "fourier_gr1_arms_only")
        server = self.serve("--http-port", 0, *robot)
        observation = wire.without_batch(self.observation)
        client = self.client(server, "npy")
        config = client.call("get_modality_config")
        self.assertIsInstance(config["video"]["as_json"], str)
        self.assertEqual(client.call("reset"), {"error": "Unknown endpoint: reset"})
        action = client.call("get_action", data=observation)
        self.assertEqual({value.ndim for value in action.values()}, {2})
        doubles = {k: v.astype(np.float64) if k.startswith("state.") else v for k, v in observation.items()}
        self.assertNotIn("error", client.call("get_action", data=doubles))

        fixed = self.serve("--http-port", 0, "--seed", 7, *robot)
        expected = self.predicted("--seed", 7)
        self.assert_same_bits(self.client(fixed, "npy").call("get_action", data=observation), expected)
        body = {k: wire.json_numpy(v) if isinstance(v, np.ndarray) else v for k, v in observation.items()}
        status, text = wire.http(fixed.http + "/act", json.dumps({"observation": body}).encode())
        self.assertEqual(status, 200, text)
        arrays = {k: np.frombuffer(wire.base64.b64decode(v["__numpy__"]), v["dtype"]) for k, v in json.loads(text).items()}
        self.assert_same_bits(arrays, expected)
        self.assertEqual(wire.http(fixed.http + "/act")[0], 405)
        self.assertEqual(wire.http(fixed.http + "/act", b"no json")[0], 422)
        self.assertEqual(wire.http(fixed.http + "/other")[0], 404)
        self.assertEqual(json.loads(wire.http(fixed.http + "/health")[1]), {"status": "healthy", "model": "GR00T"})
