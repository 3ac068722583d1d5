"""Runs one test: run_case.py PROGRAM MODULE.CLASS.METHOD. Exit 0 passed, 1 failed, 77 skipped, with the reason."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

import program

SKIPPED = 77


def main():
    program.PATH, name = sys.argv[1:]
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromName(name))
    if not result.wasSuccessful() or result.testsRun == 0:
        return 1
    for _, reason in result.skipped:
        print(f"{reason}\n[  SKIPPED ] {name}")
    return SKIPPED if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
