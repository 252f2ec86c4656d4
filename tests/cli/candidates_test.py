# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Candidates that fail, leave or die: the verdict says so and nothing of them is left.

Usage: candidates_test.py CACHEON
"""

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from command import CACHEON, CommandTest, children, error_places, torch_python

REFUSED, ENVIRONMENT = 1, 3
TORCH = torch_python()


def arguments_of(pid):
    """The words of a process's command line; none when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


@unittest.skipUnless(TORCH, "no python3 with torch on this machine")
class Candidates(CommandTest):
    def assert_verdict(self, source, code, *arguments, place=None, status=REFUSED, entry="entry"):
        # The scan of strict mode would refuse most of these before they run.
        returned, document = self.verdict(self.bundle(source, entry=entry), "--python", TORCH,
                                          "--mode", "compat", *arguments)
        found = error_places(document)
        self.assertEqual((returned, document["status"]),
                         (status, "ERROR" if status == ENVIRONMENT else "FAIL"), found)
        self.assertEqual(found[0], (code, place))
        return document

    def test_syntax_error(self):
        self.assert_verdict("def entry(x, out)\n    pass\n", "py.syntax", place="kernel.py")

    def test_exception_in_the_import(self):
        self.assert_verdict("import no_such_module\n", "cand.import", place="kernel.py")

    def test_entry_that_is_not_there(self):
        self.assert_verdict("def other(x, out):\n    pass\n", "cand.entry_missing", place="kernel.py")

    def test_exception_in_the_call(self):
        self.assert_verdict("def entry(x, out):\n    raise ValueError('no')\n", "cand.raised",
                            place="kernel.py")

    def test_infinite_loop(self):
        self.assert_verdict("def entry(x, out):\n    while True:\n        pass\n", "cand.timeout",
                            "--timeout", "1")

    def test_exit(self):
        self.assert_verdict("import os\ndef entry(x, out):\n    os._exit(0)\n", "cand.exit")

    def test_aborts(self):
        """As the first process of its namespace the worker crashes instead of getting the signal."""
        bundle = self.bundle("import os\ndef entry(x, out):\n    os.abort()\n")
        returned, document = self.verdict(bundle, "--python", TORCH, "--mode", "compat")
        self.assertEqual((returned, document["status"]), (REFUSED, "FAIL"))
        self.assertIn(error_places(document)[0][0], ("cand.crash", "cand.killed"))

    def test_killed_from_outside(self):
        """By an operator, or by the system when memory runs out: that is nobody's wrong kernel."""
        bundle = self.bundle("def entry(x, out):\n    while True:\n        pass\n")
        command = subprocess.Popen([CACHEON, "verify", str(bundle), "--python", TORCH, "--json"],
                                   stdout=subprocess.PIPE, text=True, env=self.environment)
        deadline = time.monotonic() + 60
        workers = []
        while not workers and time.monotonic() < deadline:
            time.sleep(0.05)
            workers = [pid for pid in children(command.pid) if b"-B" in arguments_of(pid)]
        os.kill(workers[0], signal.SIGKILL)
        document = json.loads(command.communicate()[0])
        self.assertEqual((command.returncode, document["status"]), (ENVIRONMENT, "ERROR"))
        self.assertIn(error_places(document)[0][0], ("worker.killed", "worker.start"))

    def test_dies_after_its_first_right_answer(self):
        source = ("import os, threading, torch\n"
                  "def entry(x, out):\n"
                  "    d = out.shape[-1]\n"
                  "    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])\n"
                  "    threading.Timer(1e-4, os._exit, (0,)).start()\n")
        returned, document = self.verdict(self.bundle(source), "--python", TORCH, "--mode", "compat")
        self.assertEqual(len(document["rows"]), 1)
        self.assertEqual((returned, document["status"]), (REFUSED, "FAIL"), error_places(document))

    def test_silent_no_op(self):
        self.assert_verdict("def entry(x, out):\n    pass\n", "out.unwritten", place="out")

    def test_a_returned_value_refuses_when_warnings_do(self):
        source = ("import torch\ndef entry(x, out):\n    d = out.shape[-1]\n"
                  "    return out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])\n")
        bundle = self.bundle(source)
        self.assertEqual(self.verdict(bundle, "--python", TORCH)[0], 0)
        returned, document = self.verdict(bundle, "--python", TORCH, "--strict")
        self.assertEqual((returned, document["status"]), (REFUSED, "FAIL"))
        self.assertIn("call.return_value", [error["code"] for row in document["rows"]
                                            for case in row["cases"] for error in case["errors"]])

    def test_nothing_of_a_killed_command_is_left(self):
        bundle = self.bundle("def entry(x, out):\n    while True:\n        pass\n")
        command = subprocess.Popen([CACHEON, "verify", str(bundle), "--python", TORCH],
                                   stdout=subprocess.DEVNULL, env=self.environment)
        deadline = time.monotonic() + 60
        while not list(self.temporary.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        command.send_signal(signal.SIGTERM)
        command.wait()
        self.await_no_children()
        self.assertEqual(children(), [])
        for folder in self.temporary.iterdir():  # nobody was left to remove it
            subprocess.run(["rm", "-rf", str(folder)], check=True)


class WithoutTorch(CommandTest):
    def test_no_torch(self):
        """An interpreter in a virtual environment that has none."""
        python = self.folder / "environment" / "bin" / "python3"
        done = subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip",
                               str(python.parent.parent)], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("cannot make a virtual environment: " + done.stderr)
        returned, document = self.verdict(self.bundle("def entry(x, out):\n    pass\n"),
                                          "--python", python)
        self.assertEqual((returned, document["status"]), (ENVIRONMENT, "ERROR"))
        self.assertEqual(error_places(document)[0][0], "env.torch_missing")

    def test_no_python(self):
        returned, document = self.verdict(self.bundle("def entry(x, out):\n    pass\n"),
                                          "--python", self.folder / "none")
        self.assertEqual((returned, document["status"]), (ENVIRONMENT, "ERROR"))
        self.assertEqual(error_places(document)[0][0], "env.python_missing")


class NotRun(CommandTest):
    def test_unknown_slot(self):
        returned, document = self.verdict(self.bundle("", slot="activation.silu"))
        self.assertEqual((returned, document["status"]), (REFUSED, "N/A"))
        self.assertEqual(error_places(document), [("slot.unknown", "ops[0].slot")])

    def test_row_that_is_not_there(self):
        returned, document = self.verdict(self.bundle(""), "--rows", "norm.rmsnorm")
        self.assertEqual(returned, 2)
        self.assertEqual(error_places(document), [("usage.unknown_row", "--rows")])

    def test_manifest_that_is_no_toml(self):
        bundle = self.bundle("")
        Path(bundle, "manifest.toml").write_text("bundle_id =\n")
        returned, document = self.verdict(bundle)
        self.assertEqual((returned, document["status"]), (REFUSED, "FAIL"))
        self.assertTrue(error_places(document)[0][0].startswith("manifest."))
        self.assertEqual(document["errors"][0]["where"]["line"], 1)


if __name__ == "__main__":
    unittest.main()
