"""Exceptions of ramet. Each is a RametError and, where Python has a word for it, also a built-in exception."""

from __future__ import annotations


class RametError(Exception):
    """What went wrong, where, and what to do.

    Attributes:
        code: what a program may branch on: "usage", "not_found", "invalid_file", "invalid_value", "shape_mismatch",
            "unsupported_dtype", "unsupported", "surplus", "not_finite", "no_memory", "no_resource", "check_failed" or
            "internal".
        where: the place to look at: a file and key, an option, a part of the observation.
        expected: the rule.
        found: the value that breaks it.
        hint: what to do; may be empty.
    """

    code: str
    where: str
    expected: str
    found: str
    hint: str

    def __init__(self, code: str, where: str, expected: str, found: str, hint: str = "") -> None:
        self.args = (code, where, expected, found, hint)
        self.code, self.where, self.expected, self.found, self.hint = self.args

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}, found {self.found}" + (f"; {self.hint}" if self.hint else "")

    def __reduce__(self):
        return type(self), self.args


class InvalidError(RametError, ValueError):
    """A value, shape, file or option is not what it must be."""


class DtypeError(RametError, TypeError):
    """An array or tensor has a type that this place does not take."""


class NotFoundError(RametError, FileNotFoundError, LookupError):
    """A file, key, tag or name does not exist."""


class UnsupportedError(RametError, NotImplementedError):
    """Valid, but Ramet does not implement it."""


class NoMemoryError(RametError, MemoryError):
    """Not enough memory."""


class NoResourceError(RametError, OSError):
    """Disk, permission, instruction set: the machine cannot do it."""


_CLASSES = {
    "usage": InvalidError,
    "not_found": NotFoundError,
    "invalid_file": InvalidError,
    "invalid_value": InvalidError,
    "shape_mismatch": InvalidError,
    "unsupported_dtype": DtypeError,
    "unsupported": UnsupportedError,
    "surplus": InvalidError,
    "not_finite": InvalidError,
    "no_memory": NoMemoryError,
    "no_resource": NoResourceError,
}


def from_code(code: str, where: str, expected: str, found: str, hint: str = "") -> RametError:
    """The exception for an error code."""
    return _CLASSES.get(code, RametError)(code, where, expected, found, hint)
