# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""cacheon scan, and the scan that verify makes first."""

import json
import os
import unittest

from command import torch_python
from verb_case import EXAMPLES, KERNEL, MANIFEST, VerbTest, codes

TORCH = torch_python()

HOSTILE = "import torch\nimport subprocess\n\n\ndef rmsnorm(x, weight, out, eps):\n    out.copy_(x)\n"


class Scan(VerbTest):
    def scan(self, *arguments):
        """The bundles of the document."""
        return self.run_verb("scan", *arguments, "--json").document["bundles"]

    def test_accepts_a_clean_bundle(self):
        done = self.run_verb("scan", EXAMPLES / "rmsnorm_torch")
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertIn("rmsnorm_torch: accepted (errors 0, ", done.out)
        (one,) = self.scan(EXAMPLES / "rmsnorm_torch")
        self.assertEqual((one["status"], one["bundle_id"]), ("accepted", "rmsnorm-torch"))
        self.assertEqual(one["files"][0]["functions"], ["rmsnorm"])
        self.assertEqual(one["content_hash"],
                         self.run_verb("hash", EXAMPLES / "rmsnorm_torch").out.strip())

    def test_names_the_line_of_a_finding(self):
        root = self.write({"kernel.py": HOSTILE})
        done = self.run_verb("scan", root)
        self.assertEqual(done.status, 1)
        self.assertIn("py.import_denied: kernel.py:2:", done.out)
        (one,) = self.scan(root)
        (error,) = [e for e in one["errors"] if e["severity"] == "error"]
        self.assertEqual((error["where"]["line"], error["symbol"]), (2, "subprocess"))

    def test_refuses_several_if_one_is_refused(self):
        good, bad = EXAMPLES / "rmsnorm_torch", self.write({"kernel.py": HOSTILE})
        bundles = self.scan(good, bad)
        self.assertEqual([one["status"] for one in bundles], ["accepted", "refused"])
        self.assertEqual(self.run_verb("scan", good, bad).status, 1)

    def test_scans_the_sources_of_a_bundle_whose_manifest_is_refused(self):
        root = self.write({"kernel.py": HOSTILE}, manifest=MANIFEST.replace("mine", "not an id"))
        (one,) = self.scan(root)
        self.assertEqual(codes(one["errors"]), ["manifest.bundle_id_charset", "py.import_denied"])

    def test_takes_a_folder_without_a_manifest_as_loose_files(self):
        root = self.write({"notes.dat": "1"}, manifest=None)
        self.assertEqual(self.run_verb("scan", root).status, 0)

    def test_applies_what_only_packing_would_refuse(self):
        (one,) = self.scan(self.write({"x" * 200 + "/" + "y" * 200 + ".py": ""}))
        self.assertIn("tree.path", codes(one["errors"]))
        (one,) = self.scan(self.write({"wide.json": b" " * ((8 << 20) + 1)}, name="wide"))
        self.assertIn("archive.inspectable_file_too_large", codes(one["errors"]))

    def test_opens_no_link_pipe_or_device(self):
        root = self.write()
        os.symlink("/etc/passwd", root / "passwd.py")
        os.symlink("/", root / "everything")
        os.mkfifo(root / "pipe.py")
        (one,) = self.scan(root)
        self.assertEqual(sorted(set(codes(one["errors"]))), ["tree.nonregular", "tree.symlink"])
        self.assertEqual([f["path"] for f in one["files"]], ["kernel.py"])

    def test_bounds_what_it_reads(self):
        root = self.write()
        with open(root / "huge.py", "wb") as file:
            file.truncate(1 << 40)
        (one,) = self.scan(root)
        self.assertEqual(codes(one["errors"]), ["archive.file_too_large"])

    def test_survives_the_strangest_sources(self):
        for name, content in {"nul": b"a = 1\0", "bom": b"\xef\xbb\xbfa = 1\n", "latin": b"\xff\n",
                              "deep": b"(" * 5000 + b")" * 5000, "unary": b"-" * 90000 + b"1",
                              "chain": b"a" + b".b" * 50000, "syntax": b"def (:\n"}.items():
            with self.subTest(name):
                root = self.write({"kernel.py": content}, name=name)
                done = self.run_verb("scan", root)
                self.assertEqual(done.status, 1, done.err)
                self.assertIn("kernel.py", done.out)

    def test_compat_has_the_published_rules_alone(self):
        root = self.write({"kernel.py": "import threading\n" + KERNEL})
        self.assertEqual(self.run_verb("scan", root).status, 1)
        self.assertEqual(self.run_verb("scan", root, "--mode", "compat").status, 0)

    def test_writes_sarif(self):
        root = self.write({"kernel.py": HOSTILE})
        done = self.run_verb("scan", root, "--sarif", "log.sarif")
        self.assertIn("py.import_denied", done.out)
        log = json.loads((self.folder / "log.sarif").read_text())
        self.assertEqual(log["version"], "2.1.0")
        places = [r["locations"][0]["physicalLocation"] for r in log["runs"][0]["results"]]
        self.assertIn("mine/kernel.py", [p["artifactLocation"]["uri"] for p in places])
        self.assertEqual(json.loads(self.run_verb("scan", root, "--sarif", "-").out), log)

    def test_needs_folders(self):
        self.assert_usage("scan")
        self.assert_usage("scan", EXAMPLES / "rmsnorm_torch", "--sarif")
        self.assert_error(self.run_verb("scan", EXAMPLES / "rmsnorm_torch", "missing"),
                            "usage.no_bundle", 2)

    def test_says_that_the_machine_has_no_parser(self):
        done = self.run_verb("scan", self.write(), "--python", "/missing/python3")
        self.assert_error(done, "scan.parser_unavailable", 3)

    def test_writes_nowhere_but_where_it_was_asked_to(self):
        root = self.write({"kernel.py": HOSTILE})
        before = self.tree()
        self.run_verb("scan", root)
        self.assertEqual(self.tree(), before)


class VerifyGate(VerbTest):
    def verify(self, *arguments):
        return json.loads(self.run_verb("verify", *arguments, "--json").out)

    def test_loads_nothing_of_a_bundle_that_the_scan_refuses(self):
        root = self.write({"kernel.py": HOSTILE})
        verdict = self.verify(root)
        self.assertEqual((verdict["status"], verdict["rows"]), ("FAIL", []))
        self.assertEqual(codes(verdict["errors"]), ["py.import_denied"])
        (error,) = [e for e in verdict["errors"] if e["severity"] == "error"]
        self.assertEqual((error["where"]["file"], error["where"]["line"]), ("kernel.py", 2))
        self.assertEqual(verdict["bundle"]["content_hash"],
                         self.run_verb("hash", root).out.strip())

    def test_scans_files_that_no_row_names(self):
        verdict = self.verify(self.write({"lib/hidden.py": "import ctypes\n"}))
        self.assertEqual(codes(verdict["errors"]), ["py.import_denied"])

    def test_refuses_a_target_that_does_not_exist(self):
        wrong = MANIFEST.replace('target = "norm.rmsnorm"', 'target = "norm.layernorm"')
        verdict = self.verify(self.write(manifest=wrong))
        self.assertEqual((verdict["status"], codes(verdict["errors"])), ("FAIL", ["target.unknown"]))

    @unittest.skipUnless(TORCH, "no python3 with torch on this machine")
    def test_lists_warnings_and_goes_on(self):
        root = self.write({"kernel.py": "import sglang\n" + KERNEL})
        verdict = self.verify(root, "--cases", "published", "--python", TORCH)
        self.assertIn("py.import_not_allowed", codes(verdict["errors"], "warning"))
        self.assertEqual(len(verdict["rows"]), 1)


if __name__ == "__main__":
    unittest.main()
