#!/usr/bin/env python3
"""Writes src/policy/text/unicode_classes_data.inc: where the character class changes, in code point order.

    pip install unicodedata2==16.0.0
    tools/make_unicode_classes.py ../shared/goldens/qwen_tokenizer/classes.json src/policy/text/unicode_classes_data.inc

Letters, numbers and white space are the ranges of classes.json; marks, which it does not list, are the general
categories M of the same Unicode version. The script refuses when the two sources disagree.
"""
import json
import sys

import unicodedata2

LIMIT = 0x110000
LETTER, MARK, NUMBER, SPACE = 1, 2, 3, 4  # enum class CharClass
PER_LINE = 10


def main(classes_path, output_path):
    assert unicodedata2.unidata_version == "16.0.0", unicodedata2.unidata_version
    with open(classes_path, encoding="utf-8") as file:
        ranges = json.load(file)
    major = [unicodedata2.category(chr(c))[0] for c in range(LIMIT)]
    classes = [MARK if m == "M" else 0 for m in major]
    for name, value, category in (("letter", LETTER, "L"), ("number", NUMBER, "N"), ("space", SPACE, None)):
        members = {c for first, last in ranges[name] for c in range(first, last + 1)}
        assert category is None or members == {c for c in range(LIMIT) if major[c] == category}, name
        for c in members:
            classes[c] = value
    steps = [(c, classes[c]) for c in range(LIMIT) if c == 0 or classes[c] != classes[c - 1]]
    words = [f"{c << 3 | value:#x}," for c, value in steps]
    with open(output_path, "w", encoding="utf-8") as file:
        file.write("// Made by tools/make_unicode_classes.py: first code point << 3 | class, ascending. Unicode 16.\n")
        for i in range(0, len(words), PER_LINE):
            file.write(" ".join(words[i : i + PER_LINE]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
