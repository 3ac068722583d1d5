#!/usr/bin/env python3
"""Runs ctest with a test preset, lists what was skipped and why, and ends with a line that counts.

Usage: tools/run_tests.py PRESET [ctest options]
"""

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def run_ctest(preset, options, report):
    command = ["ctest", "--preset", preset, "--progress", "--output-junit", report, *options]
    return subprocess.run(command, check=False).returncode


def skip_reason(case):
    """The line a test gave to GTEST_SKIP: the one before gtest's own [  SKIPPED ] line."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines()]
    for before, line in zip(lines, lines[1:]):
        if line.startswith("[  SKIPPED ]"):
            return re.sub(r"^.*: Skipped\s*", "", before) or "no reason given"
    return "no reason given"


def outcome(case):
    if case.get("status") == "run":
        return "passed"
    return "failed" if case.find("failure") is not None or case.get("status") == "fail" else "skipped"


def print_skipped(cases):
    reasons = Counter(skip_reason(case) for case in cases if outcome(case) == "skipped")
    for reason, count in reasons.items():
        print(f"skipped {count}: {reason}")


def main():
    preset, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        status = run_ctest(preset, options, str(report))
        cases = list(ElementTree.parse(report).getroot().iter("testcase")) if report.exists() else []
    counts = Counter(outcome(case) for case in cases)
    print_skipped(cases)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if status or counts["failed"] or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
