"""Whole runs against the original implementation: synth, predict and verify as a user types them."""

from program import ProgramTest


class GoldenRun(ProgramTest):
    def holds(self, case, *options):
        checkpoint, source = self.synth(case)
        observation = source / "inputs/observation.json"
        noise = source / "inputs/noise.safetensors"
        self.succeeds("predict", checkpoint, "--observation", observation, "--noise", noise, "--executor", "oracle",
                      "--taps", self.folder / "taps.safetensors")
        verify = ["verify", checkpoint, "--observation", observation, "--noise", noise,
                  "--against", source / "fp32.safetensors", *options]
        exact = self.succeeds_json(*verify, "--executor", "oracle")
        self.assertGreater(exact["passed"], 10)
        rounded = self.succeeds_json(*verify, "--precision", "bf16", "--gate-from", source / "bf16.safetensors")
        self.assertEqual(rounded["passed"], exact["passed"])
        # |a - b| <= 0.0447 |b| holds wherever the cosine is 0.999 or more for vectors of one length
        self.succeeds("verify", checkpoint, "--observation", observation, "--noise", noise, "--precision", "int8",
                      "--against", source / "fp32.safetensors", "--only", "actions.*", "--gate", "0.0447")
        if (source / "pixels.safetensors").exists():  # the copies in the tree keep big pictures apart
            pixels = self.succeeds_json("verify", checkpoint, "--observation", observation, "--noise", noise,
                                        "--against", source / "pixels.safetensors", "--executor", "oracle")
            self.assertEqual(pixels["passed"], 1)

    def test_libero(self):
        self.holds("n17_libero")

    def test_droid(self):
        self.holds("n17_droid")

    def test_custom_embodiment(self):
        self.holds("n17_odd")

    def test_n16_one_camera(self):
        self.holds("n16_one")

    def test_n16_four_pictures_mixed_dtypes(self):
        self.holds("n16_multi")

    def test_n15_one_view(self):
        self.holds("n15_one")

    def test_n15_three_views_mixed_dtypes(self):
        self.holds("n15_multi", "--skip", "pre.pixels")  # the case keeps every seventh row of its pictures

    def tower_holds(self, case):
        checkpoint, source = self.synth(case)
        images = [word for image in sorted((source / "inputs").glob("*.png")) for word in ("--image", image)]
        against = ["verify", checkpoint, "--against", source / "fp32.safetensors", *images]
        document = self.succeeds_json(*against, "--executor", "oracle")
        self.succeeds(*against, "--precision", "bf16", "--gate-from", source / "bf16.safetensors")
        self.assertGreater(document["passed"], 5)

    def test_tower_of_three_sizes(self):
        self.tower_holds("qwen3vl_tower_a")

    def test_tower_with_heads_of_72(self):
        self.tower_holds("qwen3vl_tower_72")

    def test_tower_without_deepstack(self):
        self.tower_holds("qwen35_tower_72")
