# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""cacheon new: every template scans clean, and passes verify where the CPU can tell."""

import json
import unittest

from command import torch_python
from verb_case import VerbTest, codes

TORCH = torch_python()


class New(VerbTest):
    def slots(self):
        document = json.loads(self.run_verb("slots", "--json").out)
        return {slot["slot"]: slot for slot in document["slots"]}

    def test_writes_a_bundle_for_each_slot_that_scans_clean(self):
        for slot, contract in self.slots().items():
            with self.subTest(slot):
                done = self.run_verb("new", slot, slot)
                self.assertEqual(done.status, 0, done.err)
                self.assertEqual(done.out, f"{slot}/manifest.toml\n{slot}/kernel.py\n")
                (scan,) = self.run_verb("scan", slot, "--json").document["bundles"]
                self.assertEqual(codes(scan["errors"]), [])
                # Plain torch launches no kernel of its own; nothing else is to be said.
                self.assertEqual(codes(scan["errors"], "warning"), ["triton.no_jit_reached"])
                source = (self.folder / slot / "kernel.py").read_text()
                names = " ".join(source.split(f"def {contract['entry']}(")[1].split("):")[0].split())
                self.assertEqual(names, ", ".join(a["name"] for a in contract["arguments"]))
                self.assertEqual("def prepare(" in source, bool(contract["prepare"]))
                self.assertEqual(self.run_verb("resolve", slot).status, 0)

    @unittest.skipUnless(TORCH, "no python3 with torch on this machine")
    def test_passes_verify_where_the_cpu_can_tell(self):
        for slot, contract in self.slots().items():
            if contract["kind"] == "collective":
                continue  # needs several ranks
            with self.subTest(slot):
                self.run_verb("new", slot, slot, "--lang", "python")
                done = self.run_verb("verify", slot, "--cases", "published", "--dtype", "float32",
                                        "--python", TORCH, "--json")
                self.assertEqual(done.status, 0, done.out)

    def test_takes_over_an_empty_folder(self):
        (self.folder / "mine").mkdir()
        self.assertEqual(self.run_verb("new", "norm.rmsnorm", "mine/").status, 0)
        self.assertEqual(self.tree(), ["mine", "mine/kernel.py", "mine/manifest.toml"])

    def test_overwrites_nothing(self):
        root = self.write({"kernel.py": "mine"})
        before = self.tree()
        self.assert_error(self.run_verb("new", "norm.rmsnorm", root), "usage.not_empty", 2)
        self.assert_error(self.run_verb("new", "norm.rmsnorm", root / "kernel.py"),
                            "usage.not_empty", 2)
        self.assertEqual(self.tree(), before)
        self.assertEqual((root / "kernel.py").read_text(), "mine")

    def test_leaves_nothing_where_it_cannot_write(self):
        done = self.run_verb("new", "norm.rmsnorm", "missing/mine")
        self.assert_error(done, "io.write", 3)
        self.assertEqual(self.tree(), [])

    def test_needs_a_slot_and_a_folder(self):
        self.assert_usage("new", "norm.rmsnorm")
        self.assert_usage("new", "norm.rmsnorm", "mine", "--lang", "fortran")
        self.assert_error(self.run_verb("new", "norm.layernorm", "mine"),
                            "usage.unknown_slot", 2)


if __name__ == "__main__":
    unittest.main()
