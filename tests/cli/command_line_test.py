# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Bad command lines and bad outputs: one code, and the status that says whose fault it is.

Usage: command_line_test.py CACHEON
"""

import json
import os
import unittest

from command import CommandTest, ROOT

USAGE, ENVIRONMENT = 2, 3
REFUSED = 1
EXAMPLE = ROOT / "examples" / "silu_and_mul_torch"


class CommandLine(CommandTest):
    def test_unknown_verb(self):
        self.assert_refused(self.run_command("verfy"), USAGE, "usage.arguments")

    def test_no_verb(self):
        self.assert_refused(self.run_command(), USAGE, "usage.arguments")

    def test_missing_argument(self):
        self.assert_refused(self.run_command("verify"), USAGE, "usage.arguments")

    def test_unknown_flag(self):
        self.assert_refused(self.run_command("slots", "--all"), USAGE, "usage.arguments")

    def test_value_that_is_no_choice(self):
        self.assert_refused(self.run_command("verify", EXAMPLE, "--mode", "lax"), USAGE,
                            "usage.arguments")

    def test_error_as_json(self):
        done = self.run_command("verfy", "--json")
        self.assertEqual(done.returncode, USAGE)
        self.assertEqual(json.loads(done.stdout)["errors"][0]["code"], "usage.arguments")

    def test_help_and_version(self):
        for words in (["--help"], ["verify", "--help"], ["--version"]):
            done = self.run_command(*words)
            self.assertEqual(done.returncode, 0)
            self.assertIn("cacheon", done.stdout)

    def test_bad_numbers(self):
        for flag, values in {"--timeout": ["soon", "0", "-1", "1.5", "99999999999999999999"],
                             "--seed": ["x", "-1", "9223372036854775808"]}.items():
            for value in values:
                with self.subTest(flag=flag, value=value):
                    done = self.run_command("verify", EXAMPLE, f"{flag}={value}")
                    self.assert_refused(done, USAGE, "usage.number", flag)

    def test_unknown_dtype(self):
        done = self.run_command("verify", EXAMPLE, "--dtype", "float32,float64")
        self.assert_refused(done, USAGE, "usage.dtype", "--dtype")

    def test_unknown_device(self):
        self.assert_refused(self.run_command("verify", EXAMPLE, "--device", "gpu"), USAGE,
                            "usage.device", "--device")

    def test_gpu_that_is_not_there(self):
        self.assert_refused(self.run_command("verify", EXAMPLE, "--device", "cuda:0"), ENVIRONMENT,
                            "env.no_gpu", "--device")

    def test_unknown_slot_with_a_suggestion(self):
        done = self.run_command("slots", "activation.silu_and_mull")
        self.assert_refused(done, USAGE, "usage.unknown_slot")
        self.assertIn("activation.silu_and_mul", done.stderr)
        self.assert_refused(self.run_command("reference", "rmsnorm", os.devnull), USAGE,
                            "usage.unknown_slot")

    def test_unknown_code_with_a_suggestion(self):
        done = self.run_command("explain", "manifest.path_escaped")
        self.assert_refused(done, USAGE, "usage.unknown_code")
        self.assertIn("manifest.path_escape", done.stderr)


class Output(CommandTest):
    def test_closed_stdout(self):
        done = self.run_command("slots", stdout=None, preexec_fn=lambda: os.close(1))
        self.assert_refused(done, ENVIRONMENT, "io.write")

    def test_stdout_that_nobody_reads(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = self.run_command("slots", stdout=writer)
        os.close(writer)
        self.assert_refused(done, ENVIRONMENT, "io.write")

    def test_full_stdout(self):
        with open("/dev/full", "w") as full:
            for words in (["slots"], ["slots", "--json"], ["explain"], ["hash", EXAMPLE]):
                with self.subTest(words):
                    self.assert_refused(self.run_command(*words, stdout=full), ENVIRONMENT, "io.write")

    def test_full_disk(self):
        done = self.run_command("slots", "--json=/dev/full")
        self.assert_refused(done, ENVIRONMENT, "io.write", "/dev/full")

    def test_folder_that_is_not_there(self):
        done = self.run_command("slots", f"--json={self.folder}/none/slots.json")
        self.assert_refused(done, ENVIRONMENT, "io.write", f"{self.folder}/none/slots.json")


class Bundles(CommandTest):
    def test_missing_folder(self):
        done = self.run_command("verify", self.folder / "none")
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertIn(f"usage.no_bundle: {self.folder}/none: ", done.stdout)

    def test_no_manifest(self):
        (self.folder / "empty").mkdir()
        done = self.run_command("verify", self.folder / "empty")
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertIn("manifest.missing: manifest.toml", done.stdout)

    def test_the_gravest_status_counts_for_several_bundles(self):
        (self.folder / "empty").mkdir()
        python = self.folder / "no_python"
        done = self.run_command("verify", self.folder / "empty", EXAMPLE, "--python", python)
        self.assertEqual(done.returncode, ENVIRONMENT, done.stdout)
        self.assertIn("manifest.missing", done.stdout)
        self.assertIn("env.python_missing", done.stdout)


if __name__ == "__main__":
    unittest.main()
