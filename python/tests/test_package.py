"""The package as such: names, stubs, version."""

import ast
import re
from pathlib import Path

import ramet
from conftest import SOURCE

PACKAGE = Path(ramet.__file__).parent


def stub_names():
    """{class or "": names} of the stub of the extension module."""
    names = {"": set()}
    for node in ast.parse((PACKAGE / "_ramet.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[""].add(node.name)
            names[node.name] = {member.name for member in node.body}
        elif isinstance(node, ast.FunctionDef):
            names[""].add(node.name)
    return names


def public(scope):
    return {name for name in vars(scope) if not name.startswith("_")}


def test_stub_has_what_the_module_has():
    names = stub_names()
    assert names[""] == public(ramet._ramet)
    for name in names.keys() - {""}:
        assert names[name] == public(getattr(ramet._ramet, name))


def test_everything_public_is_documented():
    for name in ramet.__all__:
        if name != "__version__":
            assert getattr(ramet, name).__doc__, name


def test_version_is_the_projects():
    (version,) = re.findall(r"^project\(ramet VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert ramet.__version__ == version


def test_is_typed():
    assert (PACKAGE / "py.typed").exists()
