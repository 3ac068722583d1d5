"""Acts once from one picture: act.py CHECKPOINT PICTURE, for the robot libero_sim of GR00T N1.7."""

import sys

import numpy as np
import ramet

STATE = {"x": [0.23], "y": [0.08], "z": [1.0], "roll": [2.6], "pitch": [0.3], "yaw": [-0.7], "gripper": [0.04, -0.04]}

policy = ramet.Policy(sys.argv[1], embodiment="libero_sim")
picture = ramet.load_image(sys.argv[2])  # uint8 [height, width, 3]
observation = {
    "video": {camera: picture[None, None] for camera in ("image", "wrist_image")},  # [batch, frames, height, width, 3]
    "state": {key: np.array([[row]], np.float32) for key, row in STATE.items()},  # [batch, rows, dims]
    "language": {"annotation.human.action.task_description": [["put the cup on the plate"]]},
}
actions, info = policy.get_action(observation, {"seed": 0})
for key, array in actions.items():
    print(key, array.shape, array[0, 0])
try:
    policy.get_action(observation | {"state": {**observation["state"], "x": np.zeros((1, 1, 3), np.float32)}})
except ramet.RametError as error:
    print(f"{type(error).__name__} {error.code}: {error}")
