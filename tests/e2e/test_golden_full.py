"""Models of the published sizes against the original implementation: minutes, some GB of memory and 7 GB of disk."""

import json

import program
from program import ProgramTest, golden, read_safetensors

program.TIMEOUT_S = 3600


class GoldenFull(ProgramTest):
    def n17_holds(self, profile):
        source = golden("n17_full")
        checkpoint = self.folder / profile
        self.succeeds("synth", checkpoint, "--from", source, "--profile", profile)
        for layout in ["libero1", "droid"]:
            with self.subTest(layout):
                document = self.succeeds_json(
                    "verify", checkpoint, "--observation", source / "inputs" / layout / "observation.json",
                    "--noise", source / "inputs/noise.safetensors", "--against", source / "fp32.safetensors",
                    "--prefix", f"{layout}.{profile}.", "--prefix", f"{layout}.")
                self.assertGreater(document["passed"], 10)

    def test_n17_plain(self):
        self.n17_holds("plain")

    def test_n17_spiky(self):
        self.n17_holds("spiky")

    def single_holds(self, case):
        checkpoint, source = self.synth(case)
        document = self.succeeds_json(
            "verify", checkpoint, "--observation", source / "inputs/observation.json",
            "--noise", source / "inputs/noise.safetensors", "--against", source / "fp32.safetensors")
        taps = [name for name in read_safetensors(source / "fp32.safetensors") if not name.endswith(".rows")]
        self.assertEqual(document["passed"], len(taps))

    def test_n16(self):
        self.single_holds("n16_full")

    def test_n15(self):
        self.single_holds("n15_full")

    def tower_holds(self, case):
        checkpoint, source = self.synth(case)
        pictures = json.loads((source / "case.json").read_text())["images"]  # may be those of another case
        images = [word for picture in pictures for word in ("--image", source / picture)]
        document = self.succeeds_json("verify", checkpoint, "--against", source / "fp32.safetensors", *images)
        taps = [name for name in read_safetensors(source / "fp32.safetensors") if not name.endswith(".rows")]
        self.assertEqual(document["passed"], len(taps))

    def test_tower_plain(self):
        self.tower_holds("qwen3vl_tower_2b")

    def test_tower_spiky(self):
        self.tower_holds("qwen3vl_tower_2b_spiky")
