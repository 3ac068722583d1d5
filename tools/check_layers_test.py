#!/usr/bin/env python3
"""Proves that check_layers.py sees each kind of offence, and no offence where there is none."""

import tempfile
import unittest
from pathlib import Path

from check_layers import check

GOOD = {
    "include/ramet/error.h": "#include <tl/expected.hpp>\n",
    "include/ramet/policy.h": "#include <ramet/error.h>\n",
    "src/base/json.h": "#include <ramet/error.h>\n",
    "src/ops/norm.h": '#include "base/json.h"\n',
    "src/weights/store.h": '#include "base/json.h"\n',
    "src/models/tower.h": '#include "ops/norm.h"\n#include "weights/store.h"\n',
    "src/models/tower_test.cpp": '#include "support/paths.h"\n',
    "src/api/policy.cpp": '#include <ramet/policy.h>\n#include "models/tower.h"\n',
    "tests/support/paths.h": 'auto root = std::getenv("ROOT");\n',
    "cli/main.cpp": '#include "models/tower.h"\nauto home = std::getenv("HOME");\n',
}


class CheckLayers(unittest.TestCase):
    def offences(self, **changed):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (GOOD | {key.replace("__", "/"): value for key, value in changed.items()}).items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return check(Path(folder))

    def expect_one(self, start, part, files):
        offences = self.offences(**files)
        self.assertEqual(len(offences), 1, offences)
        self.assertTrue(offences[0].startswith(start), offences)
        self.assertIn(part, offences[0])

    def test_a_good_tree_has_none(self):
        self.assertEqual(self.offences(), [])

    def test_upward_include(self):
        self.expect_one("src/ops/norm.h:2:", "ops may not include models",
                        {"src/ops/norm.h": '#include "base/json.h"\n#include "models/tower.h"\n',
                         "src/models/tower.h": ""})

    def test_sideways_include(self):
        self.expect_one("src/ops/norm.h:1:", "ops may not include weights",
                        {"src/ops/norm.h": '#include "weights/store.h"\n'})

    def test_public_header_below_policy(self):
        self.expect_one("src/base/json.h:1:", "below policy only", {"src/base/json.h": "#include <ramet/policy.h>\n"})

    def test_public_header_with_inside(self):
        self.expect_one("include/ramet/policy.h:1:", "a public header",
                        {"include/ramet/policy.h": '#include "base/json.h"\n'})

    def test_test_support_in_the_library(self):
        self.expect_one("src/ops/norm.h:1:", "for tests only",
                        {"src/ops/norm.h": '#include "support/paths.h"\n'})

    def test_test_helper_beside_the_code(self):
        self.expect_one("src/ops/norm.h:1:", "for tests only",
                        {"src/ops/norm.h": '#include "ops/test_support.h"\n', "src/ops/test_support.h": ""})

    def test_missing_include(self):
        self.expect_one("src/ops/norm.h:1:", "not found", {"src/ops/norm.h": '#include "base/gone.h"\n'})

    def test_unknown_layer(self):
        self.expect_one("src/utils/misc.h:1:", "no layer", {"src/utils/misc.h": ""})

    def test_environment(self):
        self.expect_one("src/base/json.h:2:", "environment",
                        {"src/base/json.h": '\nauto home = std::getenv("HOME");\n'})

    def test_cycle(self):
        self.expect_one("src/base/a.h:1:", "include cycle",
                        {"src/base/a.h": '#include "base/b.h"\n', "src/base/b.h": '#include "base/a.h"\n'})


if __name__ == "__main__":
    unittest.main()
