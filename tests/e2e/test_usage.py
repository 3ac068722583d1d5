"""Help, version, and everything a user can type wrongly."""

import json
import re

from program import ProgramTest, run

COMMANDS = ["predict", "encode", "inspect", "verify", "bench", "serve", "synth"]


class Usage(ProgramTest):
    def test_help_lists_the_commands(self):
        text = self.succeeds("--help")
        for command in COMMANDS:
            self.assertIn(f"\n  {command}", text)

    def test_help_of_each_command_explains_each_option(self):
        for command in COMMANDS:
            text = self.succeeds(command, "--help")
            self.assertTrue(text.rstrip())
            for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+) [A-Z]", text, re.MULTILINE):
                self.assertIn(f"example: {option} ", text, command)

    def test_version(self):
        text = self.succeeds("--version")
        self.assertRegex(text, r"^ramet \d+\.\d+\.\d+\n")
        for line in ["build type", "compiler", "instruction sets", "chosen"]:
            self.assertIn(f"\n{line}", text)

    def test_version_as_json(self):
        document = json.loads(self.succeeds("--version", "--json"))
        self.assertIn(document["isa"], document["isas"])

    def test_no_command(self):
        self.assertIn("predict", self.fails(2))

    def test_unknown_command_lists_those_that_exist(self):
        line = self.fails(2, "predikt")
        for command in COMMANDS:
            self.assertIn(command, line)
        self.assertIn("did you mean predict?", line)

    def test_unknown_option_names_the_nearest(self):
        self.assertIn("did you mean --output?", self.fails(2, "predict", "DIR", "--outptu", "x"))

    def test_option_without_value(self):
        self.fails(2, "predict", "DIR", "--seed")

    def test_option_twice(self):
        self.assertIn("--seed", self.fails(2, "predict", "DIR", "--seed", "1", "--seed", "2"))

    def test_missing_argument(self):
        for command in COMMANDS:
            self.assertIn(f"ramet {command}", self.fails(2, command))

    def test_surplus_argument(self):
        self.assertIn("surplus", self.fails(2, "inspect", "DIR", "surplus"))

    def test_values_out_of_range(self):
        for option, value in [("--threads", "0"), ("--threads", "two"), ("--steps", "-"), ("--seed", "1.5"),
                              ("--seed", "18446744073709551616"), ("--repeat", "0")]:
            line = self.fails(2, "predict", self.folder, "--observation", "OBS.json", option, value)
            self.assertIn(option, line)
            self.assertIn(value, line)

    def test_unknown_executor(self):
        self.fails(2, "predict", self.folder, "--executor", "fast")

    def test_precision_and_instruction_set(self):
        checkpoint, source = self.synth("n17_libero")
        for option, value, expected in [("--precision", "fp16", "bf16"), ("--precision", "bf16,x", "SITE="),
                                        ("--precision", "", "--precision"), ("--isa", "sse", "avx2")]:
            self.assertIn(expected, self.fails(2, "predict", checkpoint, option, value, "--observation",
                                               source / "inputs/observation.json"))

    def test_output_of_unknown_kind(self):
        for option in ["--output", "--plot", "--taps"]:
            self.assertIn("x.txt", self.fails(2, "predict", self.folder, option, self.folder / "x.txt"))

    def test_tap_needs_taps(self):
        self.assertIn("--taps", self.fails(2, "predict", self.folder, "--tap", "*"))

    def test_output_folder_must_exist(self):
        self.fails(4, "predict", self.folder, "--output", self.folder / "absent/x.json")

    def test_predict_needs_an_observation(self):
        self.assertIn("--observation", self.fails(2, "predict", self.folder))

    def test_verify_compares_two_different_things(self):
        self.assertIn("--against", self.fails(2, "verify", self.folder, "--executor", "oracle"))

    def test_key_value_options(self):
        for option, value in [("--video", "image"), ("--video", "=x.png"), ("--state", "x=1,two"), ("--state", "x=nan")]:
            self.assertIn(option, self.fails(2, "predict", self.folder, option, value))


class Environment(ProgramTest):
    def test_unknown_variable_lists_the_known_ones(self):
        line = self.fails(2, "inspect", self.folder, environment={"RAMET_THREDS": "2"})
        self.assertIn("RAMET_THREDS", line)
        self.assertIn("did you mean RAMET_THREADS?", line)

    def test_value_is_checked(self):
        self.assertIn("RAMET_THREADS", self.fails(2, "inspect", self.folder, environment={"RAMET_THREADS": "many"}))
        self.assertIn("RAMET_THREADS", self.fails(2, "inspect", self.folder, environment={"RAMET_THREADS": ""}))

    def test_help_works_whatever_the_environment(self):
        self.succeeds("inspect", "--help", environment={"RAMET_NONSENSE": "1"})


class PolicyFile(ProgramTest):
    def fails_with(self, text):
        (self.folder / "ramet.json").write_bytes(text)
        return self.fails(3, "inspect", self.folder)

    def test_unknown_setting_names_the_nearest(self):
        line = self.fails_with(b'{"thread": 2}')
        self.assertIn("ramet.json: thread", line)
        self.assertIn("did you mean threads?", line)

    def test_value_is_checked(self):
        self.assertIn("ramet.json: threads", self.fails_with(b'{"threads": "many"}'))
        self.assertIn("ramet.json: threads", self.fails_with(b'{"threads": 2.5}'))
        self.assertIn("ramet.json: quirks", self.fails_with(b'{"quirks": {"a": 1}}'))

    def test_broken_file(self):
        self.assertIn("ramet.json", self.fails_with(b'{"threads": '))
        self.assertIn("ramet.json", self.fails_with(b"[1]"))


class ErrorsAsJson(ProgramTest):
    def document(self, *arguments):
        done = run(*arguments, "--json")
        return done.returncode, json.loads(done.stdout.decode("utf-8"))

    def test_usage_error(self):
        status, document = self.document("predict", "DIR", "--frobnicate")
        self.assertEqual(status, 2)
        self.assertEqual(list(document), ["error"])
        self.assertEqual(list(document["error"]), ["code", "where", "expected", "found", "hint"])
        self.assertEqual(document["error"]["code"], "usage")

    def test_missing_directory(self):
        status, document = self.document("inspect", self.folder / "absent")
        self.assertEqual(status, 3)
        self.assertEqual(document["error"]["code"], "not_found")

    def test_names_of_any_bytes_stay_one_valid_line(self):
        for name in ["a\nb", "tab\there", b"\xff\xfe", "\x1b[31m", " ", "ü" * 100]:
            name = name if isinstance(name, bytes) else name.encode()
            done = run("inspect", "--json", "--threads", name.decode("utf-8", "surrogateescape"), self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(len(done.stderr.decode("utf-8").splitlines()), 1)
            json.loads(done.stdout.decode("utf-8"))


class Synth(ProgramTest):
    def test_needs_one_source(self):
        self.assertIn("--version", self.fails(2, "synth", self.folder / "out"))
        self.fails(2, "synth", self.folder / "out", "--version", "n17", "--from", "CASE")

    def test_unknown_names(self):
        self.assertIn("n17", self.fails(2, "synth", self.folder / "out", "--version", "n99"))
        self.fails(2, "synth", self.folder / "out", "--version", "n17", "--size", "huge")
        self.fails(2, "synth", self.folder / "out", "--version", "n17", "--profile", "rough")
        self.assertFalse((self.folder / "out").exists())

    def test_directory_with_files_is_refused(self):
        (self.folder / "keep").write_text("mine")
        self.fails(2, "synth", self.folder, "--version", "n17", "--size", "tiny")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["keep"])
