# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command that a test is about, and finds what it leaves behind."""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CACHEON = sys.argv.pop(1) if len(sys.argv) > 1 else "cacheon"
ROOT = Path(__file__).resolve().parent.parent.parent

# Whatever outlives the command becomes a child of this process, where it can be counted.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def torch_python():
    """An interpreter that has torch, or None."""
    for python in ("python3", "/usr/bin/python3"):
        done = subprocess.run([python, "-c", "import torch"], capture_output=True)
        if done.returncode == 0:
            return python
    return None


def children(parent=None):
    """The processes whose parent is this one, or that one; zombies too."""
    parent = parent or os.getpid()
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def memory_files(pid):
    """The memory files that a process holds open or mapped."""
    found = []
    for link in [*Path(f"/proc/{pid}/fd").glob("*"), *Path(f"/proc/{pid}/map_files").glob("*")]:
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith("/memfd:"):
            found.append(target)
    return found


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.temporary))
        self.memory_files_before = memory_files("self")
        self.addCleanup(self.assert_nothing_left)

    @staticmethod
    def await_no_children():
        deadline = time.monotonic() + 20
        while children() and time.monotonic() < deadline:
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            time.sleep(0.02)

    def assert_nothing_left(self):
        self.await_no_children()
        self.assertEqual(children(), [], "processes")
        self.assertEqual(memory_files("self"), self.memory_files_before, "memory files")
        self.assertEqual(sorted(self.temporary.iterdir()), [], "temporary folders")

    def run_command(self, *arguments, stdout=subprocess.PIPE, **more):
        done = subprocess.run([CACHEON, *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE,
                              text=True, env=self.environment, timeout=240, **more)
        self.assertEqual(children(), [], "a process outlived the command")
        return done

    def assert_refused(self, done, status, code, place=None):
        """One code on stderr, and the status that says whose fault it is."""
        self.assertEqual(done.returncode, status, done.stderr)
        line = done.stderr.splitlines()[0] if done.stderr else ""
        self.assertTrue(line.startswith(code + ": "), done.stderr)
        if place is not None:
            self.assertIn(place + ": ", line)

    def bundle(self, source, name="bundle", slot="activation.silu_and_mul", entry="entry", rows=None):
        folder = self.folder / name
        folder.mkdir()
        (folder / "kernel.py").write_text(source)
        row = rows or (f'[[ops]]\nslot = "{slot}"\nsource = "kernel.py"\nentry = "{entry}"\n'
                       'dtypes = ["float32"]\n')
        (folder / "manifest.toml").write_text(
            'bundle_id = "b"\nabi_version = "cacheon-op-abi-v0"\n' + row)
        return folder

    def verdict(self, *arguments):
        done = self.run_command("verify", *arguments, "--json")
        try:
            return done.returncode, json.loads(done.stdout)
        except json.JSONDecodeError:
            self.fail(f"no document on stdout, status {done.returncode}: {done.stderr}")


def error_places(document, severities=("error",)):
    """[(code, key path or file)] of every error of a verdict, bundle first."""
    holders = [document]
    for row in document["rows"]:
        holders += [row, *row["cases"]]
    return [(error["code"], error["where"]["key_path"] or error["where"]["file"])
            for holder in holders for error in holder["errors"] if error["severity"] in severities]
