"""Whole runs against the original implementation: synth, predict and verify as a user types them."""

from program import ProgramTest


class GoldenRun(ProgramTest):
    def holds(self, case, *options):
        checkpoint, source = self.synth(case)
        observation = source / "inputs/observation.json"
        noise = source / "inputs/noise.safetensors"
        self.succeeds("predict", checkpoint, "--observation", observation, "--noise", noise, "--executor", "oracle",
                      "--taps", self.folder / "taps.safetensors")
        document = self.succeeds_json("verify", checkpoint, "--observation", observation, "--noise", noise,
                                      "--against", source / "fp32.safetensors", *options)
        self.assertGreater(document["passed"], 10)

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

    def test_tower(self):
        checkpoint, source = self.synth("qwen3vl_tower_72")
        images = [word for image in sorted((source / "inputs").glob("*.png")) for word in ("--image", image)]
        self.succeeds("verify", checkpoint, "--against", source / "fp32.safetensors", *images)
