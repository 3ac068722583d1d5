"""What a robot sends and receives, in the shape of Isaac-GR00T's modality configs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ActionRepresentation(Enum):
    """How the checkpoint was trained; actions that `get_action` returns are absolute in any case."""

    RELATIVE = "relative"
    DELTA = "delta"
    ABSOLUTE = "absolute"


class ActionType(Enum):
    """Of an end effector, or of anything else."""

    EEF = "eef"
    NON_EEF = "non_eef"


class ActionFormat(Enum):
    """Numbers as they are, or a position with a rotation."""

    DEFAULT = "default"
    XYZ_ROT6D = "xyz+rot6d"
    XYZ_ROTVEC = "xyz+rotvec"


@dataclass
class ActionConfig:
    """How one action key is encoded."""

    rep: ActionRepresentation
    type: ActionType
    format: ActionFormat
    state_key: str | None = None


@dataclass
class ModalityConfig:
    """One modality of a robot.

    Attributes:
        delta_indices: time offsets in steps, oldest first: as many frames, state rows or action steps.
        modality_keys: its keys, in the order of the checkpoint.
        sin_cos_embedding_keys, mean_std_embedding_keys: state or action keys that are encoded in this way, or None.
        action_configs: one for each action key, or None.
    """

    delta_indices: list[int]
    modality_keys: list[str]
    sin_cos_embedding_keys: list[str] | None = None
    mean_std_embedding_keys: list[str] | None = None
    action_configs: list[ActionConfig] | None = None


def _keys_with(keys: list[dict], normalization: str) -> list[str] | None:
    return [key["key"] for key in keys if key["normalization"] == normalization] or None


def _action_config(key: dict) -> ActionConfig:
    representation = key["representation"].removesuffix("_eef").upper()
    return ActionConfig(
        rep=ActionRepresentation[representation],
        type=ActionType[key["action_type"]],
        format=ActionFormat[key["action_format"]],
        state_key=key["reference_state"] or None,
    )


def _config(delta_indices: list[int], keys: list[dict], prefix: str) -> ModalityConfig:
    return ModalityConfig(
        delta_indices=list(delta_indices),
        modality_keys=[prefix + key["key"] for key in keys],
        sin_cos_embedding_keys=_keys_with(keys, "sin_cos"),
        mean_std_embedding_keys=_keys_with(keys, "mean_std"),
    )


def modality_configs(robot: dict, prefixed: bool) -> dict[str, ModalityConfig]:
    """{"video", "state", "action", "language"}; an absent modality is left out. Keys of N1.5 are prefixed."""
    prefix = (lambda modality: modality + ".") if prefixed else (lambda modality: "")
    cameras = [prefix("video") + camera for camera in robot["cameras"]]
    configs = {
        "video": ModalityConfig(list(robot["video_delta_indices"]), cameras),
        "state": _config(robot["state_delta_indices"], robot["state"], prefix("state")),
        "action": _config(robot["action_delta_indices"], robot["action"], prefix("action")),
        "language": ModalityConfig([0], list(robot["language_keys"])),
    }
    if not prefixed:
        configs["action"].action_configs = [_action_config(key) for key in robot["action"]]
    return {modality: config for modality, config in configs.items() if config.modality_keys}
