"""The vision tower of a checkpoint by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from . import _ramet, settings
from .pictures import as_pictures


class VisionTower:
    """The vision tower of a Qwen3-VL, Qwen3.5 or GR00T N1.7 checkpoint: pictures to embeddings.

    Threads may share a tower: their calls run one after the other, without the GIL.

    Args:
        directory: checkpoint directory in its published layout, or a .safetensors file beside its config.
        executor: what computes: "tuned" is fast, "oracle" is plain float32 to compare with; None: "tuned".
        precision: of the tuned executor: "fp32", "bf16" or "int8", then SITE=PRECISION by commas; None: "bf16".
        isa: best instruction set to use: "scalar", "avx2", "avx512" or "amx"; None: the machine's best.
        threads: to compute with; None: one per physical core.
        backbone: directory with the config of the backbone that the checkpoint names; None: searched.
        cache: folder that keeps packed weights, so that the next start is short; None: `ramet` in the user's cache
            folder; "": they are not kept, and kept ones not used.
        quirks: switches between behaviours of the reference, {name: value}, as `ramet inspect` lists them.

    What is None comes from the environment (RAMET_THREADS, …), then from ramet.json in the directory. What there is
    to tell, as of a cache that cannot be written, goes to the logger "ramet".

    Raises:
        RametError: the directory cannot be opened; says where, what was expected, what was found and what to do.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        executor: str | None = None,
        precision: str | None = None,
        isa: str | None = None,
        threads: int | None = None,
        backbone: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        quirks: Mapping[str, str] | None = None,
    ) -> None:
        given = settings.texts(executor=executor, precision=precision, isa=isa, threads=threads, backbone=backbone,
                               cache=cache, quirks=quirks)
        self._tower = _ramet.open_vision_tower(settings.directory_text(directory), given, settings.DATA_DIR)

    @property
    def threads(self) -> int:
        """Threads it computes with."""
        return self._tower.facts["threads"]

    @property
    def facts(self) -> dict[str, str | int]:
        """What computes: {"executor", "precision", "isa", "threads"}."""
        return self._tower.facts

    def encode(self, images: np.ndarray | Sequence[np.ndarray], *, video: bool = False) -> dict[str, np.ndarray]:
        """Embeddings of pictures.

        Args:
            images: uint8 RGB: one picture [height, width, 3], pictures of one size [n, height, width, 3], or a sequence of
                pictures of any size. A picture without gaps is read in place; any other is copied first.
            video: the pictures are the frames of one video, oldest first.

        Returns:
            "out": float32 [tokens, hidden_size], the pictures one after the other;
            "deepstack.0", "deepstack.1", …: float32, the same rows at each deepstack level;
            "grid": int64 [pictures, 3]: frame groups, rows and columns of patches; four patches make a token.
        """
        return self._tower.encode(as_pictures(images), bool(video))
