"""A GR00T N1.5 checkpoint in LeRobot's layout gives the actions of the same weights in NVIDIA's layout."""

import json
import shutil
import struct
import zlib

from program import ProgramTest, f32, read_safetensors, write_safetensors

CAMERA = "observation.images.top"
STATE = {"min": [0.0, -1.0, 5.0], "max": [2.0, 1.0, 5.0]}
ACTION = {"min": [-3.0, 0.0], "max": [1.0, 10.0]}


def write_black_png(path, side):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + bytes(3 * side)) * side)
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def bounds(feature, statistics):
    return {f"{feature}.{name}": f32([len(values)], values) for name, values in statistics.items()}


class LeRobot(ProgramTest):
    def setUp(self):
        super().setUp()
        self.nvidia = self.folder / "nvidia"
        self.succeeds("synth", self.nvidia, "--version", "n15", "--size", "tiny")
        self.write_nvidia_robot()
        self.lerobot = self.folder / "lerobot"
        self.lerobot.mkdir()
        tensors = read_safetensors(self.nvidia / "model.safetensors")
        write_safetensors(self.lerobot / "model.safetensors", {"_groot_model." + k: v for k, v in tensors.items()})
        self.write_lerobot_files()
        write_black_png(self.folder / "black.png", 224)
        self.observation = self.folder / "observation.json"
        self.observation.write_text(json.dumps({"video": {CAMERA: "black.png"}, "state": {"state": [[0.5, 0.25, 5.0]]},
                                                "language": {"task": "Pick up the cube."}}))

    def write_nvidia_robot(self):
        def key(statistics):
            return {"absolute": True, "rotation_type": None, "shape": [len(statistics["min"])], "continuous": True}

        metadata = {"robot": {"embodiment_tag": "new_embodiment",
                              "modalities": {"video": {CAMERA: {"resolution": [224, 224], "channels": 3, "fps": 30}},
                                             "state": {"state": key(STATE)}, "action": {"action": key(ACTION)}},
                              "statistics": {"state": {"state": STATE}, "action": {"action": ACTION}}}}
        (self.nvidia / "experiment_cfg/metadata.json").write_text(json.dumps(metadata))
        self.data_config = self.folder / "data_config.json"
        self.data_config.write_text(json.dumps({"video": [CAMERA], "state": [["state", "min_max"]],
                                                "action": [["action", "min_max"]], "language": "task",
                                                "action_horizon": 16}))

    def write_lerobot_files(self):
        steps = {"pre": [("groot_pack_inputs_v3", {"embodiment_tag": "new_embodiment"}), ("groot_eagle_encode_v3", {})],
                 "post": [("groot_action_unpack_unnormalize_v1", {"env_action_dim": 2})]}
        for half, listed in steps.items():
            nodes = [{"registry_name": name, "config": config, "state_file": half + ".safetensors"}
                     for name, config in listed]
            (self.lerobot / f"policy_{half}processor.json").write_text(json.dumps({"steps": nodes}))
            write_safetensors(self.lerobot / f"{half}.safetensors",
                              {**bounds("observation.state", STATE), **bounds("action", ACTION)})
        (self.lerobot / "config.json").write_text(json.dumps({
            "type": "groot", "input_features": {CAMERA: {"shape": [3, 224, 224]}, "observation.state": {"shape": [3]}},
            "output_features": {"action": {"shape": [2]}}}))

    def actions(self, directory, *options):
        return self.succeeds_json("predict", directory, "--observation", self.observation, "--seed", 7, *options)["actions"]

    def test_same_actions_as_nvidias_layout(self):
        self.assertEqual(self.actions(self.lerobot), self.actions(self.nvidia, "--data-config", self.data_config))

    def test_inspect_describes_the_robot(self):
        found = self.succeeds_json("inspect", self.lerobot)
        self.assertEqual(found["problems"], [])
        self.assertEqual(found["layout"], "lerobot")
        (robot,) = found["embodiments"]
        self.assertEqual((robot["tag"], robot["slot"], robot["cameras"]), ("new_embodiment", 31, [CAMERA]))

    def test_missing_pipeline_is_named(self):
        (self.lerobot / "policy_postprocessor.json").unlink()
        line = self.fails(3, "predict", self.lerobot, "--observation", self.observation)
        self.assertIn("policy_postprocessor.json", line)
        self.assertIn("policy_postprocessor.json", self.fails(3, "inspect", self.lerobot))

    def test_weights_of_the_other_layout_are_an_error(self):
        for files, weights in ((self.nvidia, self.lerobot), (self.lerobot, self.nvidia)):
            mixed = self.folder / f"files_of_{files.name}"
            shutil.copytree(files, mixed)
            shutil.copy(weights / "model.safetensors", mixed)
            for command in (["inspect", mixed], ["predict", mixed, "--observation", self.observation]):
                self.assertIn("names that begin with _groot_model.", self.fails(3, *command))
