"""`ramet bench`: its table, its document, its comparisons."""

import json

from program import ProgramTest

STAGES = ["vision", "llm", "adapter", "denoise"]
TIMES = ["min_ms", "median_ms", "p90_ms", "max_ms", "gflop"]


class Bench(ProgramTest):
    def setUp(self):
        super().setUp()
        self.checkpoint, self.source = self.synth("n17_libero")
        self.words = ["bench", self.checkpoint, "--runs", 2, "--warmup", 1]
        self.small = [*self.words, "--layout", "libero1"]

    def test_document(self):
        document = self.succeeds_json(*self.small, "--threads", 1)
        self.assertEqual((document["layout"], document["runs"], document["threads"]), ("libero1", 2, 1))
        self.assertEqual(list(document["stages"]), STAGES)
        for name in STAGES:
            stage = document["stages"][name]
            self.assertEqual(list(stage), [*TIMES, "bytes", "gflops", "gbs", "share_of_compute_peak",
                                           "share_of_read_peak"])
            self.assertLessEqual(stage["min_ms"], stage["median_ms"])
            self.assertLessEqual(stage["median_ms"], stage["max_ms"])
            share = stage["gflops"] / document["peak"]["compute_gflops"]
            self.assertAlmostEqual(stage["share_of_compute_peak"], share, delta=1e-6 * share)
        self.assertEqual(list(document["total"]), TIMES)
        self.assertGreater(document["peak"]["compute_gflops"], 0.1)
        self.assertGreater(document["first_action_ms"], document["load_ms"])
        self.assertGreater(document["weights_bytes"], 1000)
        self.assertGreater(document["arena_bytes"], 1000)

    def test_against_an_earlier_result(self):
        before = self.folder / "before.json"
        before.write_text(self.succeeds(*self.small, "--json"))
        document = self.succeeds_json(*self.small, "--against", before)
        self.assertEqual(sorted(document["speedup"]), sorted([*STAGES, "total"]))
        self.assertIn("faster", self.succeeds(*self.small, "--against", before))
        before.write_text(json.dumps({"stages": {}}))
        self.assertIn("total", self.fails(3, *self.small, "--against", before))

    def test_observation(self):
        document = self.succeeds_json(*self.words, "--observation", self.source / "inputs/observation.json")
        self.assertEqual(list(document["stages"]), ["preprocess", *STAGES, "decode"])

    def test_requirements(self):
        self.succeeds(*self.small, "--require", "vision=0.000001")
        self.assertIn("llm", self.fails(1, *self.small, "--require", "vision=0", "--require", "llm=5"))
        self.assertIn("nothing", self.fails(2, *self.small, "--require", "nothing=0.5"))

    def test_unknown_layout_lists_the_others(self):
        self.assertIn("libero2", self.fails(2, *self.words, "--layout", "libero3"))

    def test_profile_adds_up_to_the_stages(self):
        document = self.succeeds_json(*self.words, "--layout", "libero2", "--profile")
        stages = {step["stage"] for step in document["steps"]}
        self.assertEqual(stages, set(document["stages"]))
        gflop = sum(step["gflop"] for step in document["steps"])
        self.assertAlmostEqual(gflop, document["total"]["gflop"], delta=1e-6 * gflop)
        self.assertTrue(any("block.N." in step["step"] and step["count"] > 1 for step in document["steps"]))
        times = [step["ms"] for step in document["steps"]]
        self.assertEqual(times, sorted(times, reverse=True))

    def test_plans_agree(self):
        document = self.succeeds_json("inspect", self.checkpoint, "--plan", "--sites", "--precision", "int8,*.fc1=fp32")
        plan = {plan["layout"]: plan for plan in document["plans"]}["libero2"]
        measured = self.succeeds_json(*self.words, "--layout", "libero2", "--precision", "int8,*.fc1=fp32")
        self.assertEqual(measured["arena_bytes"], plan["arena_bytes"])
        self.assertEqual(measured["weights_bytes"], plan["weights_bytes"])
        sites = {site["site"]: site["precision"] for site in document["sites"]}
        self.assertEqual((sites["vision.block.0.fc1"], sites["vision.block.0.proj"]), ("fp32", "int8"))
