"""Ramet: published vision-language-action checkpoints on the CPU, without PyTorch.

    policy = ramet.Policy("GR00T-N1.7-LIBERO", embodiment="libero_sim")
    actions, info = policy.get_action(observation)
"""

from ._ramet import __version__
from .errors import (
    DtypeError,
    InvalidError,
    NoMemoryError,
    NoResourceError,
    NotFoundError,
    RametError,
    UnsupportedError,
)
from .modality import ActionConfig, ActionFormat, ActionRepresentation, ActionType, ModalityConfig
from .pictures import load_image
from .policy import Policy
from .vision_tower import VisionTower

__all__ = [
    "ActionConfig",
    "ActionFormat",
    "ActionRepresentation",
    "ActionType",
    "DtypeError",
    "InvalidError",
    "ModalityConfig",
    "NoMemoryError",
    "NoResourceError",
    "NotFoundError",
    "Policy",
    "RametError",
    "UnsupportedError",
    "VisionTower",
    "__version__",
    "load_image",
]
