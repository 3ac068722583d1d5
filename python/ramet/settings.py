"""Settings as the program's texts, so that one set of rules reads arguments, environment and ramet.json."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .errors import from_code

DATA_DIR = str(Path(__file__).with_name("data"))  # the vocabulary


def _text(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}={item}" for key, item in value.items())
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if hasattr(value, "__index__"):
        return str(value.__index__())
    raise from_code("usage", name, "a text, a path, an integer, a truth value or a dict", type(value).__name__)


def texts(**given: object) -> dict[str, str]:
    """{setting: text} of what is not None; `data_config` is the setting data-config."""
    return {name.replace("_", "-"): _text(name, value) for name, value in given.items() if value is not None}


def directory_text(directory: str | os.PathLike[str]) -> str:
    if isinstance(directory, (str, os.PathLike)) and isinstance(path := os.fspath(directory), str):
        return path
    raise from_code("usage", "directory", "a text or a path", type(directory).__name__)
