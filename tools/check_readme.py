#!/usr/bin/env python3
"""Runs the commands of a document and compares what they print.

A fenced block after the line <!-- checked --> holds commands, "$ COMMAND", each followed by its output. Every command must
exit 0, and each line of the stated output must appear in the real one, in order; numbers and spacing may differ, and a line
"…" stands for any number of lines. Usage: tools/check_readme.py FILE…, from the root of the repository.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^<!-- checked -->\n+```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)*(?:e[-+]?\d+)?")


def commands(document):
    """(command, stated output lines) of every checked block."""
    for block in BLOCK.finditer(document):
        for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
            command, *output = part.replace("\\\n", " ").splitlines()
            yield command, [line for line in output if line.strip()]


def shape(line):
    """A line without its numbers and its spacing."""
    return " ".join(NUMBER.sub("#", line).split())


def first_missing(stated, real):
    """The first stated line that is not in the real output, in order; None when all are."""
    rest = iter(map(shape, real))
    return next((line for line in stated if line.strip() != "…" and shape(line) not in rest), None)


def offence(command, stated):
    environment = os.environ | {"PATH": f"build/release:{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False, env=environment)
    if result.returncode != 0:
        return f"exit status {result.returncode}:\n{result.stdout}"
    missing = first_missing(stated, result.stdout.splitlines())
    return missing and f"does not print the stated line\n  {missing}\nbut\n{result.stdout}"


def main():
    failed = checked = 0
    for name in sys.argv[1:]:
        for command, stated in commands(Path(name).read_text(encoding="utf-8")):
            problem = offence(command, stated)
            print(f"{name}: {'FAILED' if problem else 'ok'}: {command}" + (f"\n{problem}" if problem else ""))
            checked += 1
            failed += bool(problem)
    print(f"readme: {checked} commands, {failed} failed")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
