"""Models of the published sizes against the original implementation: minutes, some GB of memory and 7 GB of disk."""

import json

import program
from program import ProgramTest, golden, i64, read_safetensors, write_safetensors

program.TIMEOUT_S = 3600


class GoldenFull(ProgramTest):
    def n17_holds(self, profile):
        source = golden("n17_full")
        checkpoint = self.folder / profile
        self.succeeds("synth", checkpoint, "--from", source, "--profile", profile)
        for layout in ["libero1", "droid"]:
            with self.subTest(layout):
                verify = ["verify", checkpoint, "--observation", source / "inputs" / layout / "observation.json",
                          "--noise", source / "inputs/noise.safetensors", "--against", source / "fp32.safetensors",
                          "--prefix", f"{layout}.{profile}.", "--prefix", f"{layout}."]
                exact = self.succeeds_json(*verify, "--executor", "oracle")
                self.assertGreater(exact["passed"], 10)
                rounded = self.succeeds_json(*verify, "--precision", "bf16", "--gate-from", source / "bf16.safetensors")
                self.assertEqual(rounded["passed"], exact["passed"])

    def test_n17_plain(self):
        self.n17_holds("plain")

    def test_n17_spiky(self):
        self.n17_holds("spiky")

    def taps_hold(self, dumps, *verify):
        """The oracle within 3e-5 on every tap; bf16 within 1.5 times the reference's own distance."""
        exact = self.succeeds_json("verify", *verify, "--against", dumps / "fp32.safetensors", "--executor", "oracle")
        taps = [name for name in read_safetensors(dumps / "fp32.safetensors") if not name.endswith(".rows")]
        self.assertEqual(exact["passed"], len(taps))
        rounded = self.succeeds_json("verify", *verify, "--against", dumps / "fp32.safetensors", "--precision", "bf16",
                                     "--gate-from", dumps / "bf16.safetensors")
        self.assertEqual(rounded["passed"], len(taps))

    def policy_holds(self, case, complete=lambda source: source):
        checkpoint, source = self.synth(case)
        self.taps_hold(complete(source), checkpoint, "--observation", source / "inputs/observation.json",
                       "--noise", source / "inputs/noise.safetensors")

    def test_n16(self):
        self.policy_holds("n16_full")

    def with_rows(self, source):
        """n15_full keeps five rows of each tap of the DiT without saying which: the state, the first and the last future
        token, the first and the last action. Each is equal to that row to 4e-6 and differs from all others by 3e-2."""
        for name in ["fp32.safetensors", "bf16.safetensors"]:
            tensors = read_safetensors(source / name)
            rows = {tap + ".rows": i64([5], [0, 1, 32, 33, 48])
                    for tap, (_, shape, _) in tensors.items() if tap.startswith("denoise.") and shape == [5, 1536]}
            self.assertEqual(len(rows), 10)
            write_safetensors(self.folder / name, {**tensors, **rows})
        return self.folder

    def test_n15(self):
        self.policy_holds("n15_full", self.with_rows)

    def tower_holds(self, case):
        checkpoint, source = self.synth(case)
        pictures = json.loads((source / "case.json").read_text())["images"]  # may be those of another case
        images = [word for picture in pictures for word in ("--image", source / picture)]
        self.taps_hold(source, checkpoint, *images)

    def test_tower_plain(self):
        self.tower_holds("qwen3vl_tower_2b")

    def test_tower_spiky(self):
        self.tower_holds("qwen3vl_tower_2b_spiky")
