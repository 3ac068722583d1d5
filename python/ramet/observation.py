"""Observations in the shapes of Isaac-GR00T's clients, checked and taken apart into single ones.

nested          {"video": {"front": uint8 [B,T,H,W,3]}, "state": {"arm": float32 [B,T,D]}, "language": {"task": [["…"]] * B}}
flat            {"video.front": …, "state.arm": …, "task": ["…"] * B}
flat, one       N1.5 only: the same without the batch axis
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .errors import from_code
from .pictures import borrow, check_dtype, found

_COARSE_ACTION = "annotation.human.coarse_action"  # simulators send it for the key "task"


@dataclass
class Single:
    """One observation, without a batch axis."""

    video: dict[str, list[np.ndarray]]
    state: dict[str, np.ndarray]
    language: dict[str, str]


@dataclass
class Batch:
    singles: list[Single]
    flat: bool
    unbatched: bool


class ObservationReader:
    """Reads the observations of one robot.

    strict: states must be float32; otherwise other numbers are converted.
    n15: an observation may come without a batch axis, and states may be float64.
    """

    def __init__(self, robot: dict, *, strict: bool, n15: bool) -> None:
        self._cameras: list[str] = robot["cameras"]
        self._states: list[str] = [key["key"] for key in robot["state"]]
        self._language_keys: list[str] = robot["language_keys"]
        self._frames = len(robot["video_delta_indices"])
        self._rows = len(robot["state_delta_indices"])
        self._strict, self._n15 = strict, n15

    def read(self, observation: Mapping) -> Batch:
        if not isinstance(observation, Mapping):
            raise from_code("invalid_value", "observation", "a dict", found(observation))
        flat = not any(modality in observation for modality in ("video", "state", "language"))
        video = {key: self._look_up(observation, flat, "video", key) for key in self._cameras}
        state = {key: self._look_up(observation, flat, "state", key) for key in self._states}
        unbatched = self._n15 and flat and any(np.ndim(array) < 3 for array in state.values())
        if unbatched:
            video = {key: array[None] if isinstance(array, np.ndarray) else array for key, array in video.items()}
            state = {key: array[None] if isinstance(array, np.ndarray) else array for key, array in state.items()}
        video = {key: self._check_video(f"video.{key}", array) for key, array in video.items()}
        state = {key: self._check_state(f"state.{key}", array) for key, array in state.items()}
        size = _batch_size(video, state)
        language = self._flat_texts(observation, size) if flat else self._nested_texts(observation, size)
        return Batch([_single(video, state, language, index) for index in range(size)], flat, unbatched)

    @staticmethod
    def _look_up(observation: Mapping, flat: bool, modality: str, key: str) -> object:
        where = f"observation: {modality}.{key}"
        if flat:
            if (name := f"{modality}.{key}") in observation:
                return observation[name]
            raise from_code("not_found", where, "an array under this key", "none", _keys_hint(observation))
        group = observation.get(modality)
        if not isinstance(group, Mapping):
            raise from_code("invalid_value" if modality in observation else "not_found", f"observation: {modality}",
                            "a dict", "none" if group is None else found(group))
        if key not in group:
            raise from_code("not_found", where, "an array under this key", "none", _keys_hint(group))
        return group[key]

    def _check_video(self, name: str, array: object) -> np.ndarray:
        expected = f"uint8 [batch, {self._frames}, height, width, 3]"
        where = f"observation: {name}"
        video = check_dtype(where, array, np.uint8, expected)
        if video.ndim != 5 or video.shape[1] != self._frames or video.shape[4] != 3:
            raise from_code("shape_mismatch", where, expected, found(video))
        return video

    def _check_state(self, name: str, array: object) -> np.ndarray:
        expected = f"float32 [batch, {self._rows}, dims]"
        where = f"observation: {name}"
        state = check_dtype(where, self._as_float32(array), np.float32, expected)
        if state.ndim != 3 or state.shape[1] != self._rows:
            raise from_code("shape_mismatch", where, expected, found(state))
        return state

    def _as_float32(self, array: object) -> object:
        if not isinstance(array, np.ndarray):
            return array
        is_number = array.dtype.kind in "fiu" and not self._strict
        is_n15_double = self._n15 and array.dtype == np.float64
        with np.errstate(over="ignore"):  # infinite states are refused where they are read
            return array.astype(np.float32) if is_number or is_n15_double else array

    def _nested_texts(self, observation: Mapping, size: int) -> list[dict[str, str]]:
        texts: list[dict[str, str]] = [{} for _ in range(size)]
        for key in self._language_keys:
            lists = self._look_up(observation, False, "language", key)
            where = f"observation: language.{key}"
            _check_list(where, lists, size, "lists of one text")
            for index, item in enumerate(lists):
                _check_list(f"{where}[{index}]", item, 1, "text")
                texts[index][key] = _text(f"{where}[{index}][0]", item[0])
        return texts

    def _flat_texts(self, observation: Mapping, size: int) -> list[dict[str, str]]:
        texts: list[dict[str, str]] = [{} for _ in range(size)]
        for key in self._language_keys:
            name = _COARSE_ACTION if key == "task" and _COARSE_ACTION in observation else key
            where = f"observation: {name}"
            if name not in observation:
                raise from_code("not_found", where, "texts under this key", "none", _keys_hint(observation))
            items = observation[name]
            items = items.tolist() if isinstance(items, np.ndarray) else items
            if self._n15 and isinstance(items, (list, tuple)) and len(items) == 1:
                items = list(items) * size
            _check_list(where, items, size, "texts")
            for index, item in enumerate(items):
                texts[index][key] = _text(f"{where}[{index}]", item)
        return texts


def _keys_hint(group: Mapping) -> str:
    return "it has " + (", ".join(sorted(map(str, group))) or "no keys")


def _batch_size(video: dict[str, np.ndarray], state: dict[str, np.ndarray]) -> int:
    arrays = [(f"video.{key}", array) for key, array in video.items()]
    arrays += [(f"state.{key}", array) for key, array in state.items()]
    first, size = arrays[0][0], arrays[0][1].shape[0]
    if size == 0:
        raise from_code("shape_mismatch", f"observation: {first}", "a batch of at least 1", "0")
    for name, array in arrays:
        if array.shape[0] != size:
            raise from_code("shape_mismatch", f"observation: {name}", f"a batch of {size}, as {first} has",
                            str(array.shape[0]))
    return size


def _check_list(where: str, value: object, size: int, what: str) -> None:
    if not isinstance(value, (list, tuple)):
        raise from_code("invalid_value", where, f"a list of {size} {what}", found(value))
    if len(value) != size:
        raise from_code("shape_mismatch", where, f"a list of {size} {what}", f"{len(value)} items")


def _text(where: str, value: object) -> str:
    if isinstance(value, str):
        return str(value)
    raise from_code("invalid_value", where, "a text", found(value))


def _single(video: dict, state: dict, language: list[dict[str, str]], index: int) -> Single:
    return Single(
        video={key: [borrow(frame) for frame in array[index]] for key, array in video.items()},
        state={key: np.ascontiguousarray(array[index]) for key, array in state.items()},
        language=language[index],
    )
