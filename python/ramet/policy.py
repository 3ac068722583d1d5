"""A robot policy with the methods of Isaac-GR00T's Gr00tPolicy."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping

import numpy as np

from . import _ramet, settings
from .errors import from_code
from .modality import ModalityConfig, modality_configs
from .observation import Batch, ObservationReader
from .pictures import check_dtype, found

_MAX_SEED = 2**64 - 1
_MAX_STEPS = 1000
_OPTIONS = ("seed", "noise", "denoising_steps")


class Policy:
    """GR00T N1.5, N1.6 or N1.7, opened from its published checkpoint directory.

    Threads may share a policy: their calls run one after the other, without the GIL.

    Args:
        directory: checkpoint directory in its published layout, or a .safetensors file beside its config.
        embodiment: tag of the robot; None: the only one.
        data_config: N1.5: name of a preset or a JSON file; None: what the directory says, or the only preset that
            fits the robot.
        executor: what computes: "tuned" is fast, "oracle" is plain float32 to compare with; None: "tuned".
        precision: of the tuned executor: "fp32", "bf16" or "int8", then SITE=PRECISION by commas; None: "bf16".
        isa: best instruction set to use: "scalar", "avx2", "avx512" or "amx"; None: the best.
        threads: to compute with; None: one per physical core.
        backbone: directory with config and tokenizer of the backbone that the checkpoint names; None: searched.
        tokenizer: file or directory; None: searched, then the vocabulary that comes with the package.
        steps: denoising steps; None: from the checkpoint.
        seed: of the initial noise of every call that gives none; None: 0.
        cache: folder that keeps packed weights, so that the next start is short; None: `ramet` in the user's cache
            folder; "": they are not kept, and kept ones not used.
        reuse_backbone: skip everything before the denoiser when pictures and text are those of the last call, and only
            the state has changed; None: False.
        quirks: switches between behaviours of the reference, {name: value}, as `ramet inspect` lists them.
        strict: states must be float32; False converts other numbers.

    What is None comes from the environment (RAMET_THREADS, …), then from ramet.json in the directory. What there is
    to tell, as of a cache that cannot be written, goes to the logger "ramet".

    Raises:
        RametError: the directory cannot be opened; says where, what was expected, what was found and what to do.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        embodiment: str | None = None,
        data_config: str | os.PathLike[str] | None = None,
        executor: str | None = None,
        precision: str | None = None,
        isa: str | None = None,
        threads: int | None = None,
        backbone: str | os.PathLike[str] | None = None,
        tokenizer: str | os.PathLike[str] | None = None,
        steps: int | None = None,
        seed: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        reuse_backbone: bool | None = None,
        quirks: Mapping[str, str] | None = None,
        strict: bool = True,
    ) -> None:
        given = settings.texts(
            embodiment=embodiment, data_config=data_config, executor=executor, precision=precision, isa=isa,
            threads=threads, backbone=backbone, tokenizer=tokenizer, cache=cache, steps=steps, seed=seed,
            reuse_backbone=reuse_backbone, quirks=quirks)
        self._policy = _ramet.open_policy(settings.directory_text(directory), given, settings.DATA_DIR)
        self._robot = self._policy.robot()
        self._n15 = self._policy.version == "GR00T N1.5"
        self._reader = ObservationReader(self._robot, strict=strict, n15=self._n15)

    @property
    def version(self) -> str:
        """As in "GR00T N1.7"."""
        return self._policy.version

    @property
    def embodiment(self) -> str:
        """Tag of the robot."""
        return self._robot["tag"]

    @property
    def threads(self) -> int:
        """Threads it computes with."""
        return self._policy.facts["threads"]

    @property
    def facts(self) -> dict[str, str | int]:
        """What computes: {"executor", "precision", "isa", "threads"}."""
        return self._policy.facts

    @property
    def noise_shape(self) -> tuple[int, int]:
        """(horizon, action_dim) of the model: the shape of one initial noise."""
        return tuple(self._policy.noise_shape)

    def get_modality_config(self) -> dict[str, ModalityConfig]:
        """{"video", "state", "action", "language"}: the keys of the robot and their time offsets."""
        return modality_configs(self._robot, prefixed=self._n15)

    def reset(self, options: Mapping | None = None) -> dict:
        """Starts an episode. The policy keeps nothing between calls; there for the interface. Returns {}."""
        return {}

    def get_action(
        self, observation: Mapping, options: Mapping | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, object]]:
        """Decoded actions for a batch of observations.

        Args:
            observation: nested
                {"video": {camera: uint8 RGB [batch, frames, height, width, 3]},
                 "state": {key: float32 [batch, rows, dims]}, in the robot's units,
                 "language": {key: [[text]] * batch}}
                or flat, {"video.CAMERA": …, "state.KEY": …, LANGUAGE_KEY: [text] * batch}; for N1.5 a flat one may leave
                the batch axis out and have float64 states. Frames and rows are as many as `get_modality_config` has
                delta indices, oldest first. Other keys are ignored. Frames without gaps are read in place, others copied.
            options:
                "seed": int, of the initial noise; element b of the batch takes seed + b;
                "noise": float32 [batch, horizon, action_dim], or without the batch axis for a batch of one; replaces
                seed;
                "denoising_steps": int. Others are ignored with a warning.

        Returns:
            actions: {key: float32 [batch, steps, dims]} in the robot's units, absolute also where training is relative;
                the keys are "action.KEY" for a flat observation, and the batch axis is missing where it had none;
            info: {"timing_ms": {stage: milliseconds of the whole batch}}.

        Raises:
            RametError: says which part of the observation or option is wrong, and how.
        """
        batch = self._reader.read(observation)
        options = _check_names({} if options is None else options)
        steps = _integer("denoising_steps", options.get("denoising_steps"), 1, _MAX_STEPS, none=0)
        noises = self._noises(options, len(batch.singles))
        results = [
            self._policy.act(single.video, single.state, single.language, noise, steps)
            for single, noise in zip(batch.singles, noises)
        ]
        return _joined(results, batch), {"timing_ms": _summed([timing for _, timing in results])}

    def _noises(self, options: Mapping, size: int) -> np.ndarray:
        """[batch, horizon, action_dim]"""
        if options.get("noise") is None:
            seed = _integer("seed", options.get("seed"), 0, _MAX_SEED, none=self._policy.seed)
            return self._policy.noise(seed, size)
        shape = (size, *self.noise_shape)
        noise = check_dtype("options: noise", options["noise"], np.float32, f"float32 {list(shape)}")
        if noise.shape != shape and (size > 1 or noise.shape != shape[1:]):
            raise from_code("shape_mismatch", "options: noise", f"float32 {list(shape)}", found(noise))
        return np.ascontiguousarray(noise.reshape(shape))


def _check_names(options: Mapping) -> Mapping:
    if not isinstance(options, Mapping):
        raise from_code("invalid_value", "options", "a dict or None", found(options))
    for name in options:
        if name not in _OPTIONS:
            warnings.warn(f"option {name!r} is ignored; the options are {', '.join(_OPTIONS)}", stacklevel=3)
    return options


def _integer(name: str, value: object, least: int, most: int, *, none: int) -> int:
    if value is None:
        return none
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise from_code("invalid_value", f"options: {name}", "an integer", found(value))
    if not least <= value.__index__() <= most:
        raise from_code("invalid_value", f"options: {name}", f"{least} to {most}", str(value))
    return value.__index__()


def _joined(results: list[tuple[dict, dict]], batch: Batch) -> dict[str, np.ndarray]:
    prefix = "action." if batch.flat else ""
    actions = {}
    for key in results[0][0]:
        rows = [arrays[key] for arrays, _ in results]
        joined = rows[0][None] if len(rows) == 1 else np.stack(rows)
        actions[prefix + key] = joined[0] if batch.unbatched else joined
    return actions


def _summed(timings: list[dict[str, float]]) -> dict[str, float]:
    return {stage: sum(timing[stage] for timing in timings) for stage in timings[0]}
