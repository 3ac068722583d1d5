#!/usr/bin/env python3
"""Checks the include directions of docs/architecture.md, include cycles, and who reads the environment.

Usage: tools/check_layers.py [ROOT]; prints FILE:LINE: RULE for each offence and exits 1 if there is any.
"""

import re
import sys
from pathlib import Path

# What a layer may include directly; whatever those may include is allowed too.
ARROWS = {
    "base": [],
    "device": ["base"],
    "tensor": ["device"],
    "ops": ["tensor"],
    "weights": ["tensor"],
    "program": ["ops", "weights"],
    "models": ["program"],
    "policy": ["models"],
    "api": ["policy"],
    "cli": ["api", "server"],
    "server": ["api"],
    "python": ["cli"],  # its settings follow the rules of the program
}
FRONT_ENDS = {"cli", "server", "python"}
ABOVE_PUBLIC = FRONT_ENDS | {"api", "policy", "public", "tests"}  # may include every public header
COMMON_HEADERS = {"ramet/error.h", "ramet/types.h", "ramet/version.h"}  # what every layer may include of include/

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(ramet/[^>]+)>)')
TEST_FILE = re.compile(r"_(test|bench)$|^(test_support|testing)$")
ENVIRONMENT = re.compile(r"\b(?:secure_)?getenv\b|\benviron\b")


def closure(layer):
    reached = {layer}
    for lower in ARROWS[layer]:
        reached |= closure(lower)
    return reached


def is_test(file):
    return file.parts[0] == "tests" or TEST_FILE.search(file.stem) is not None


def layer_of(file):
    """The layer of a path relative to the root; "public" for include/, "tests" for tests/."""
    parts = file.parts
    if parts[0] == "src":
        return parts[1]
    return {"include": "public"}.get(parts[0], parts[0])


def includes(text):
    """(line number, name, quoted) of every include of the project."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] or match[2], match[1] is not None


def resolve(root, file, name, quoted):
    """Where an include leads, relative to the root, or None."""
    folders = ["src", "tests", ".", file.parent] if quoted else ["include"]
    return next((Path(folder) / name for folder in folders if (root / folder / name).is_file()), None)


def include_offence(root, file, name, quoted):
    layer = layer_of(file)
    if not quoted:
        return public_offence(layer, name)
    if layer == "public":
        return f"a public header includes only <ramet/…> and system headers, not \"{name}\""
    target = resolve(root, file, name, quoted)
    if target is None:
        return f'"{name}" is not found: paths start at src/'
    lower = layer_of(target)
    if is_test(target) and not is_test(file):
        return f'"{name}" is for tests only'
    if "tests" in (layer, lower):
        return None
    if lower not in closure(layer):
        return f"{layer} may not include {lower} (\"{name}\"); it may include {', '.join(sorted(closure(layer)))}"
    return None


def public_offence(layer, name):
    if name in COMMON_HEADERS or layer in ABOVE_PUBLIC:
        return None
    return f"{layer} may not include <{name}>; below policy only {', '.join(sorted(COMMON_HEADERS))}"


def file_offences(root, file, text):
    """(line, rule) for one source."""
    for number, name, quoted in includes(text):
        if rule := include_offence(root, file, name, quoted):
            yield number, rule
    if layer_of(file) in FRONT_ENDS or is_test(file):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if ENVIRONMENT.search(line.split("//")[0]):
            yield number, "only front ends and tests read the environment"


def find_cycle(graph):
    """A list of files that include each other in a ring, or None."""
    done, path = set(), []

    def visit(file):
        if file in path:
            return path[path.index(file):] + [file]
        if file in done:
            return None
        path.append(file)
        cycle = next(filter(None, map(visit, graph.get(file, []))), None)
        path.pop()
        done.add(file)
        return cycle

    return next(filter(None, map(visit, list(graph))), None)


def sources(root):
    for folder in ("include", "src", "cli", "server", "python", "tests"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".h", ".cpp", ".cu"):
                yield file.relative_to(root)


def check(root):
    """Every offence in the tree as a line "FILE:LINE: RULE"."""
    offences, graph = [], {}
    for file in sources(root):
        if file.parts[0] == "src" and file.parts[1] not in ARROWS:
            offences.append(f"{file}:1: {file.parts[1]} is no layer of docs/architecture.md")
            continue
        text = (root / file).read_text(encoding="utf-8")
        offences += [f"{file}:{number}: {rule}" for number, rule in file_offences(root, file, text)]
        graph[file] = [target for _, name, quoted in includes(text)
                       if (target := resolve(root, file, name, quoted))]
    if cycle := find_cycle(graph):
        offences.append(f"{cycle[0]}:1: include cycle: {' -> '.join(map(str, cycle))}")
    return offences


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    offences = check(root)
    print("\n".join(offences) if offences else "layers: every include follows the arrows")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
