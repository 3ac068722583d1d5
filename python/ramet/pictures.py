"""Pictures as NumPy arrays: uint8, RGB, height x width x 3."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from . import _ramet
from .errors import from_code
from .settings import directory_text


def found(value: object) -> str:
    """A value as an error names it: type and shape of an array, the type of anything else."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    return type(value).__name__


def check_dtype(where: str, value: object, dtype: type[np.generic], expected: str) -> np.ndarray:
    if not isinstance(value, np.ndarray):
        raise from_code("invalid_value", where, f"a NumPy array, {expected}", found(value))
    if value.dtype != np.dtype(dtype):
        raise from_code("unsupported_dtype", where, expected, found(value))
    return value


def borrow(picture: np.ndarray) -> np.ndarray:
    """The picture itself where its rows have no gaps, else a copy without gaps."""
    return np.ascontiguousarray(picture)


def as_pictures(images: np.ndarray | Sequence[np.ndarray]) -> list[np.ndarray]:
    """One picture [H,W,3], several of one size [N,H,W,3], or a sequence of pictures of any size."""
    if isinstance(images, np.ndarray):
        images = [images] if images.ndim == 3 else images
    if isinstance(images, (str, bytes)) or not hasattr(images, "__len__"):
        raise from_code("invalid_value", "images", "NumPy arrays, uint8 [height, width, 3]", found(images))
    return [_checked(f"images[{index}]", picture) for index, picture in enumerate(images)]


def _checked(where: str, picture: object) -> np.ndarray:
    array = check_dtype(where, picture, np.uint8, "uint8 [height, width, 3]")
    if array.ndim != 3 or array.shape[2] != 3:
        raise from_code("shape_mismatch", where, "uint8 [height, width, 3]", found(array), "RGB, without batch axes")
    return borrow(array)


def load_image(path: str | os.PathLike[str]) -> np.ndarray:
    """A PNG or JPEG file as uint8 RGB [height, width, 3], decoded as the program decodes it.

    Transparent pictures are composed on white.
    """
    return _ramet.load_image(directory_text(path))
