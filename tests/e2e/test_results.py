"""The forms of a result: table, JSON, npz, safetensors, csv, plots; settings and their sources."""

import csv
import json
import struct
import xml.etree.ElementTree as ElementTree
import zipfile

from program import ProgramTest, f32, floats, i64, read_safetensors, run, write_safetensors

CASE = "n17_libero"


class Predict(ProgramTest):
    def setUp(self):
        super().setUp()
        self.checkpoint, source = self.synth(CASE)
        self.inputs = source / "inputs"
        self.options = ["predict", self.checkpoint, "--observation", self.inputs / "observation.json"]

    def test_json_has_the_documented_keys(self):
        document = self.succeeds_json(*self.options, "--threads", 1)
        self.assertEqual(list(document), ["embodiment_tag", "horizon", "actions", "seed", "timing_ms", "executor",
                                          "precision", "isa", "threads", "peak_rss_bytes"])
        self.assertEqual(list(document["timing_ms"]),
                         ["preprocess", "vision", "llm", "adapter", "denoise", "decode", "total"])
        self.assertEqual((document["executor"], document["precision"], document["threads"]), ("tuned", "bf16", 1))
        for rows in document["actions"].values():
            self.assertEqual(len(rows), document["horizon"])

    def test_every_form_holds_the_same_actions(self):
        names = ["x.json", "x.csv", "x.npz", "x.safetensors"]
        for name in names:
            self.succeeds(*self.options, "--output", self.folder / name)
        actions = json.loads((self.folder / "x.json").read_text())["actions"]
        columns = self.read_csv()
        tensors = read_safetensors(self.folder / "x.safetensors")
        with zipfile.ZipFile(self.folder / "x.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(sorted(archive.namelist()), sorted(key + ".npy" for key in actions))
            for key, rows in actions.items():
                flat = [value for row in rows for value in row]
                self.assertEqual(list(floats(tensors[key])), flat)
                raw = archive.read(key + ".npy")
                self.assertEqual(raw[:6], b"\x93NUMPY")
                self.assertEqual(list(struct.unpack(f"<{len(flat)}f", raw[-4 * len(flat):])), flat)
                self.assertEqual([struct.unpack("f", struct.pack("f", v))[0] for v in columns[key]], flat)

    def read_csv(self):
        with open(self.folder / "x.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        columns = {}
        for index, title in enumerate(rows[0][1:], 1):
            columns.setdefault(title.split("[")[0], []).append([float(row[index]) for row in rows[1:]])
        return {key: [value for row in zip(*dims) for value in row] for key, dims in columns.items()}

    def test_table_has_a_row_for_each_step(self):
        horizon = self.succeeds_json(*self.options)["horizon"]
        lines = self.succeeds(*self.options).splitlines()
        steps = [line.split()[0] for line in lines if line.split() and line.split()[0].isdigit()]
        self.assertEqual(steps, [str(step) for step in range(horizon)])

    def test_plots(self):
        self.succeeds(*self.options, "--plot", self.folder / "x.svg")
        self.succeeds(*self.options, "--plot", self.folder / "x.png")
        self.assertTrue(ElementTree.parse(self.folder / "x.svg").getroot().tag.endswith("svg"))
        self.assertEqual((self.folder / "x.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_seed_decides(self):
        first, again, other = (self.succeeds_json(*self.options, "--seed", seed)["actions"] for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_threads_do_not_change_a_bit(self):
        one, four = (self.succeeds_json(*self.options, "--threads", n)["actions"] for n in (1, 4))
        self.assertEqual(one, four)

    def test_repeat_reports_fastest_and_median(self):
        document = self.succeeds_json(*self.options, "--repeat", 3)
        self.assertEqual(document["runs"], 3)
        self.assertLessEqual(document["timing_min_ms"]["total"], document["timing_ms"]["total"])

    def test_observation_as_options(self):
        document = json.loads((self.inputs / "observation.json").read_text())
        options = ["predict", self.checkpoint, "--embodiment", document["embodiment_tag"]]
        for camera, frames in document["video"].items():
            options += ["--video", f"{camera}={','.join(str(self.inputs / frame) for frame in frames)}"]
        for key, rows in document["state"].items():
            for row in rows:
                options += ["--state", f"{key}={','.join(map(repr, row))}"]
        options += ["--instruction", next(iter(document["language"].values()))]
        self.assertEqual(self.succeeds_json(*options)["actions"], self.succeeds_json(*self.options)["actions"])

    def test_options_win_over_the_file(self):
        plain = self.succeeds_json(*self.options)["actions"]
        self.assertNotEqual(self.succeeds_json(*self.options, "--instruction", "")["actions"], plain)
        self.assertNotEqual(self.succeeds_json(*self.options, "--state", "x=0.1")["actions"], plain)

    def test_nothing_but_the_result_on_stdout_and_nothing_on_stderr(self):
        done = run(*self.options, "--json")
        self.assertEqual(done.stderr, b"")
        json.loads(done.stdout)


class Precedence(ProgramTest):
    def setUp(self):
        super().setUp()
        self.checkpoint, _ = self.synth(CASE)

    def setting(self, name, *options, environment=None):
        document = self.succeeds_json("inspect", self.checkpoint, *options, environment=environment)
        return next(option for option in document["options"] if option["name"] == name)

    def test_option_then_environment_then_file_then_default(self):
        environment = {"RAMET_THREADS": "2"}
        self.assertEqual(self.setting("threads")["source"], "default")
        (self.checkpoint / "ramet.json").write_text('{"threads": 3}')
        self.assertEqual(self.setting("threads")["value"], "3")
        self.assertTrue(self.setting("threads")["source"].endswith("ramet.json: threads"))
        self.assertEqual(self.setting("threads", environment=environment),
                         {"name": "threads", "value": "2", "source": "RAMET_THREADS"})
        self.assertEqual(self.setting("threads", "--threads", 1, environment=environment),
                         {"name": "threads", "value": "1", "source": "--threads"})


class Inspect(ProgramTest):
    def test_lists_robot_and_tensors(self):
        checkpoint, _ = self.synth(CASE)
        document = self.succeeds_json("inspect", checkpoint, "--tensors")
        self.assertEqual(document["problems"], [])
        self.assertIn("libero_sim", [robot["tag"] for robot in document["embodiments"]])
        self.assertEqual(document["weight_bytes"], sum(tensor["bytes"] for tensor in document["tensors"]))
        self.assertNotIn("tensors", self.succeeds_json("inspect", checkpoint))
        text = self.succeeds("inspect", checkpoint, "--tensors")
        self.assertIn("libero_sim", text)
        self.assertIn(document["tensors"][0]["name"], text)


class Encode(ProgramTest):
    def test_embeddings_of_two_pictures(self):
        checkpoint, source = self.synth("qwen3vl_tower_72")
        images = sorted((source / "inputs").glob("*.png"))
        out = self.folder / "x.safetensors"
        document = self.succeeds_json("encode", checkpoint, *images, "--output", out)
        tensors = read_safetensors(out)
        self.assertEqual(tensors["grid"][:2], ("I64", [len(images), 3]))
        self.assertEqual(tensors["out"][1], [document["tokens"], document["hidden_size"]])
        self.assertEqual(sum(image["tokens"] for image in document["images"]), document["tokens"])
        for level in range(document["deepstack_levels"]):
            self.assertEqual(tensors[f"deepstack.{level}"][1], tensors["out"][1])


class Verify(ProgramTest):
    def setUp(self):
        super().setUp()
        self.checkpoint, source = self.synth(CASE)
        self.inputs = ["--observation", source / "inputs/observation.json"]
        self.taps = self.folder / "taps.safetensors"
        self.succeeds("predict", self.checkpoint, *self.inputs, "--executor", "oracle", "--taps", self.taps)
        self.tensors = read_safetensors(self.taps)

    def verify(self, tensors, *options):
        dump = self.folder / "dump.safetensors"
        write_safetensors(dump, tensors)
        return run("verify", self.checkpoint, *self.inputs, "--executor", "oracle", "--against", dump, "--json", *options)

    def document(self, status, tensors, *options):
        done = self.verify(tensors, *options)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return json.loads(done.stdout)

    def altered(self, name, change):
        dtype, shape, _ = self.tensors[name]
        values = list(floats(self.tensors[name]))
        change(values)
        return {**self.tensors, name: f32(shape, values)}

    def test_own_taps_hold(self):
        document = self.document(0, self.tensors)
        self.assertEqual((document["passed"], document["failed"]), (len(self.tensors), 0))
        self.assertIsNone(document["first_failure"])
        self.assertEqual({tap.get("rel_l2", tap.get("different")) for tap in document["taps"]}, {0})

    def test_names_the_first_tap_that_drifts(self):
        def shift(values):
            values[3] += 10
        tensors = self.altered("llm.out", shift)
        tensors["adapter.out"] = f32(tensors["adapter.out"][1], [2 * v for v in floats(tensors["adapter.out"])])
        document = self.document(1, tensors)
        self.assertEqual((document["first_failure"], document["failed"]), ("llm.out", 2))
        tap = next(tap for tap in document["taps"] if tap["tap"] == "llm.out")
        self.assertEqual(tap["worst"], [0, 3])
        self.assertIn(b"llm.out", self.verify(tensors).stderr)

    def test_gate(self):
        tensors = self.altered("llm.out", lambda values: values.__setitem__(slice(None), [1.01 * v for v in values]))
        self.document(1, tensors, "--gate", "0.005")
        self.document(0, tensors, "--gate", "0.02")

    def test_integers_must_be_equal(self):
        _, shape, raw = self.tensors["pre.input_ids"]
        ids = list(struct.unpack(f"<{len(raw) // 8}q", raw))
        ids[-1] += 1
        document = self.document(1, {"pre.input_ids": i64(shape, ids)}, "--gate", "1")
        self.assertEqual(document["taps"][0]["different"], 1)

    def test_missing_tap_is_a_failure(self):
        document = self.document(1, {**self.tensors, "llm.block.99": f32([1], [0.0])})
        self.assertEqual(document["first_failure"], "llm.block.99")
        self.assertEqual(document["taps"][-1]["problem"], "missing")

    def test_wrong_shape_is_a_failure(self):
        self.assertIn("shape", self.document(1, {"llm.out": f32([2], [0.0, 0.0])})["taps"][0]["problem"])

    def test_kept_rows(self):
        dtype, shape, raw = self.tensors["llm.out"]
        row = len(raw) // shape[0]
        kept = {"llm.out": (dtype, [2, *shape[1:]], raw[row : 2 * row] + raw[4 * row : 5 * row]),
                "llm.out.rows": i64([2], [1, 4])}
        self.document(0, kept)
        self.document(1, {**kept, "llm.out.rows": i64([2], [1, 3])})

    def test_prefix_only_and_skip(self):
        prefixed = {"droid.plain." + name: tensor for name, tensor in self.tensors.items()}
        prefixed["droid.plain.note"] = f32([1], [1.0])
        self.document(0, prefixed, "--prefix", "droid.plain.")
        document = self.document(0, self.tensors, "--only", "vision.*", "--skip", "vision.block.*")
        names = [tap["tap"] for tap in document["taps"]]
        self.assertIn("vision.out", names)
        self.assertFalse([name for name in names if not name.startswith("vision.") or "block" in name])

    def test_nothing_to_compare(self):
        done = self.verify(self.tensors, "--only", "nothing")
        self.assertEqual(done.returncode, 3)


class VerifyVideo(ProgramTest):
    def test_frames_of_a_video(self):
        checkpoint, source = self.synth("qwen3vl_video")
        sampled = ["00", "02", "05", "08", "10"]  # what the reference samples of the eleven frames
        frames = [word for frame in sampled for word in ("--frame", source / f"inputs/frame{frame}.png")]
        document = self.succeeds_json("verify", checkpoint, "--against", source / "fp32.safetensors", "--only",
                                      "vision.*", *frames)
        self.assertEqual(document["passed"], 7)
