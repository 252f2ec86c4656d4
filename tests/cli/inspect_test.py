# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""`cacheon inspect`: text, documents and logs of CUBINs, and files that are none.

Usage: inspect_test.py CACHEON
"""

import json
import unittest

from command import CommandTest, ROOT

ACCEPTED, REFUSED, USAGE = 0, 1, 2
CUBINS = ROOT / "tests" / "data" / "cubin"
SCHEMA = ROOT / "docs" / "schemas" / "cacheon.inspect.v1.json"
try:
    import jsonschema
except ImportError:
    jsonschema = None


class Inspect(CommandTest):
    def document(self, file):
        return json.loads(self.run_command("inspect", file, "--json").stdout)

    def test_prints_what_a_kernel_takes(self):
        done = self.run_command("inspect", CUBINS / "launch_bounds.sm_90a.cubin")
        self.assertEqual(done.returncode, ACCEPTED, done.stderr)
        self.assertIn("sm_90a, 15176 bytes, 5 kernels", done.stdout)
        self.assertIn("parameters  128 at 112, 8 at 240 (bytes at offset)", done.stdout)
        self.assertIn("block <=    256 x 1 x 1", done.stdout)
        self.assertIn("cluster <=  4 blocks", done.stdout)

    def test_warns_of_memory_and_accepts(self):
        file = CUBINS / "stateful.sm_90a.cubin"
        done = self.run_command("inspect", file)
        self.assertEqual(done.returncode, ACCEPTED, done.stderr)
        self.assertIn(f"warning: cubin.writable_global: {file}: globals[0]: `counter`", done.stdout)

    def test_refuses_what_is_no_cubin(self):
        file = CUBINS / "stateful.cu"
        self.assert_refused(self.run_command("inspect", file), REFUSED, "cubin.not_elf", str(file))
        done = self.run_command("inspect", file, "--json")
        self.assertEqual(done.returncode, REFUSED)
        self.assertEqual(json.loads(done.stdout)["status"], "refused")

    def test_says_that_a_file_is_missing(self):
        self.assert_refused(self.run_command("inspect", self.folder / "none"), USAGE, "io.open")

    def test_writes_a_log_for_code_scanning(self):
        done = self.run_command("inspect", CUBINS / "stateful.sm_90a.cubin", "--sarif", "-")
        [run] = json.loads(done.stdout)["runs"]
        rules = {result["ruleId"] for result in run["results"]}
        self.assertEqual(rules, {"cubin.writable_global", "cubin.device_heap", "cubin.print",
                                 "cubin.assertion", "cubin.indirect_call", "cubin.embedded_ptx"})

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_documents_have_the_form_of_the_schema(self):
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        for file in sorted(CUBINS.iterdir()):
            with self.subTest(file.name):
                jsonschema.Draft7Validator(schema).validate(self.document(file))


if __name__ == "__main__":
    unittest.main()
