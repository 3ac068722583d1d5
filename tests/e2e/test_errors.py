"""Damaged inputs end in exit 3 and leave nothing behind."""

import json
import shutil

from program import ProgramTest, f32, golden, write_safetensors

CASE = "n17_libero"


class BadInput(ProgramTest):
    def setUp(self):
        super().setUp()
        self.source = golden(CASE)
        self.checkpoint = self.folder / "checkpoint"
        self.succeeds("synth", self.checkpoint, "--from", self.source)
        self.inputs = self.folder / "inputs"
        shutil.copytree(self.source / "inputs", self.inputs)
        self.observation = self.inputs / "observation.json"

    def refuses(self, *options, status=3):
        """Predict fails, names the place and writes no file."""
        before = sorted(self.folder.rglob("*"))
        outputs = ["--output", self.folder / "x.json", "--taps", self.folder / "x.safetensors", "--plot",
                   self.folder / "x.svg"]
        line = self.fails(status, "predict", self.checkpoint, "--observation", self.observation, *outputs, *options)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return line

    def change(self, change):
        document = json.loads(self.observation.read_text())
        change(document)
        self.observation.write_text(json.dumps(document))

    def test_missing_camera_names_what_the_robot_needs(self):
        def drop(document):
            camera = next(iter(document["video"]))
            del document["video"][camera]
            self.camera = camera
        self.change(drop)
        self.assertIn(self.camera, self.refuses())

    def test_unknown_state_key(self):
        self.change(lambda document: document["state"].update(elbow=[[0.0]]))
        self.assertIn("elbow", self.refuses())

    def test_wrong_state_width(self):
        self.change(lambda document: document["state"].update(x=[[0.0, 1.0]]))
        self.assertIn("x", self.refuses())

    def test_picture_that_is_cut(self):
        picture = next(self.inputs.glob("*.png"))
        picture.write_bytes(picture.read_bytes()[:1000])
        self.assertIn(picture.name, self.refuses())

    def test_picture_that_is_missing(self):
        picture = next(self.inputs.glob("*.png"))
        picture.unlink()
        self.assertIn(picture.name, self.refuses())

    def test_observation_that_is_no_json(self):
        self.observation.write_bytes(b'{"video": \xff}')
        self.assertIn("observation.json", self.refuses())

    def test_weights_that_are_cut(self):
        weights = self.checkpoint / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1])
        self.assertIn("model.safetensors", self.refuses())

    def test_unknown_embodiment_lists_the_known(self):
        line = self.refuses("--embodiment", "libero_simm")
        self.assertIn("libero_sim", line)

    def test_noise_of_the_wrong_shape(self):
        noise = self.folder / "noise.safetensors"
        write_safetensors(noise, {"noise": f32([2, 2], [0.0] * 4)})
        self.assertIn(f"{noise}: noise", self.refuses("--noise", noise))

    def test_noise_without_the_tensor(self):
        noise = self.folder / "noise.safetensors"
        write_safetensors(noise, {"nois": f32([1], [0.0])})
        self.assertIn("did you mean nois?", self.refuses("--noise", noise))

    def test_glob_that_fits_no_tap(self):
        self.assertIn("vision.nothing", self.refuses("--tap", "vision.nothing", status=2))
