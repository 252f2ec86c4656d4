# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Verdict documents: their schema, views of them, runs that repeat them, and malformed ones.

Usage: verdicts_test.py CACHEON
"""

import hashlib
import json
import unittest
import xml.etree.ElementTree

from command import CommandTest, ROOT, error_places, torch_python

USAGE = 2
TORCH = torch_python()
SCHEMA = ROOT / "docs" / "schemas" / "cacheon.verdict.v1.json"
try:
    import jsonschema
except ImportError:
    jsonschema = None


def canonical(document):
    return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def signed(document):
    """The document with the digest that fits, as anybody can make one."""
    document = {key: value for key, value in document.items() if key != "digest"}
    return {**document, "digest": hashlib.sha256(canonical(document).encode()).hexdigest()}


class Documents(CommandTest):
    """Of a row whose slot nobody knows, which needs no interpreter."""

    def setUp(self):
        super().setUp()
        self.file = self.folder / "verdict.json"
        self.source = self.bundle("", slot="activation.silu")
        self.run_command("verify", self.source, f"--json={self.file}", "--seed", 7)
        self.document = json.loads(self.file.read_text())

    def replay(self, document):
        self.file.write_text(canonical(document))
        return self.run_command("verify", self.source, "--replay", self.file)

    def test_repeats_the_seed(self):
        done = self.run_command("verify", self.source, "--replay", self.file)
        self.assertIn("seed: 7\n", done.stdout)

    def test_refuses_a_changed_document(self):
        self.assert_refused(self.replay({**self.document, "seed": 8}), USAGE, "verdict.digest",
                            f"{self.file}: digest")

    def test_refuses_another_schema(self):
        for document in ({}, [], None, 7, {**self.document, "schema": "cacheon.hash.v1"}):
            with self.subTest(document):
                self.assert_refused(self.replay(document), USAGE, "verdict.schema",
                                    f"{self.file}: schema")

    def test_refuses_what_is_no_json(self):
        self.file.write_text('{"schema":')
        done = self.run_command("report", self.file)
        self.assert_refused(done, USAGE, "verdict.syntax", f"{self.file}:1:11")

    def test_refuses_malformed_members_by_name(self):
        options = self.document["options"]
        for key_path, change in (
                ("options", {"options": None}),
                ("seed", {"seed": "7"}),
                ("options.mode", {"options": {**options, "mode": 3}}),
                ("options.dtypes", {"options": {**options, "dtypes": "float32"}}),
                ("options.dtypes[0]", {"options": {**options, "dtypes": [None]}}),
                ("options.model", {"options": {**options, "model": []}})):
            with self.subTest(key_path):
                self.assert_refused(self.replay(signed({**self.document, **change})), USAGE,
                                    "verdict.form", f"{self.file}: {key_path}")

    def test_views_of_a_malformed_document_have_gaps(self):
        for change in ({"rows": 3}, {"rows": [None, 7, "x", {"cases": [1, {"errors": [2, {}]}]}]},
                       {"bundle": []}, {"environment": "x"}, {"errors": [None, [], {"where": 1}]}):
            self.file.write_text(canonical(signed({**self.document, **change})))
            for flags in ([], ["--junit=-"], ["--html=-"]):
                with self.subTest(change=change, flags=flags):
                    self.assertEqual(self.run_command("report", self.file, *flags).returncode, 0)
            self.assertEqual(self.run_command("compare", self.file, self.file).returncode, 0)

    def test_report_shows_what_verify_showed(self):
        shown = self.run_command("verify", self.source, "--seed", 7).stdout
        self.assertEqual(self.run_command("report", self.file).stdout, shown)

    def test_missing_file(self):
        done = self.run_command("report", self.folder / "none.json")
        self.assert_refused(done, USAGE, "io.open", f"{self.folder}/none.json")

    def test_compares_single_verdicts_alone(self):
        both = self.folder / "both.json"
        self.run_command("verify", self.source, self.source, f"--json={both}")
        self.assert_refused(self.run_command("compare", self.file, both), USAGE, "usage.one_verdict",
                            str(both))
        self.assert_refused(self.run_command("verify", self.source, "--replay", both), USAGE,
                            "usage.one_verdict", str(both))
        self.assertIn("verdict: N/A", self.run_command("compare", self.file, self.file).stdout)
        self.assertEqual(self.run_command("report", both).stdout.count("verdict: "), 2)

    def test_views_take_stdout_alone(self):
        done = self.run_command("verify", self.source, "--junit", "-")
        xml.etree.ElementTree.fromstring(done.stdout)
        done = self.run_command("verify", self.source, "--sarif", "-")
        self.assertEqual(json.loads(done.stdout)["version"], "2.1.0")


class Views(CommandTest):
    def views(self, bundle, *arguments):
        names = {name: self.folder / f"verdict.{name}" for name in ("json", "junit", "html", "sarif")}
        done = self.run_command("verify", bundle, *arguments, f"--json={names['json']}", "--junit",
                                names["junit"], "--html", names["html"], "--sarif", names["sarif"])
        self.assertTrue(done.stdout.endswith("\n"))
        return {name: path.read_text() for name, path in names.items()}

    @unittest.skipUnless(TORCH, "no python3 with torch on this machine")
    def test_agree_on_a_failed_bundle(self):
        views = self.views(ROOT / "examples" / "silu_and_mul_broken", "--python", TORCH)
        document = json.loads(views["json"])
        cases = [case for row in document["rows"] for case in row["cases"]]
        failed = sum(case["status"] == "FAIL" for case in cases)
        suite = xml.etree.ElementTree.fromstring(views["junit"]).find("testsuite")
        self.assertEqual(int(suite.get("tests")), len(cases))
        self.assertEqual(int(suite.get("failures")), failed)
        self.assertEqual(views["html"].count('class="status bad">FAIL'), failed + 2)
        rules = {result["ruleId"] for result in json.loads(views["sarif"])["runs"][0]["results"]}
        everything = error_places(document, ("error", "warning", "note"))
        self.assertEqual(rules, {code for code, _ in everything})

    @unittest.skipUnless(TORCH, "no python3 with torch on this machine")
    def test_a_replay_runs_the_same_cases(self):
        example = ROOT / "examples" / "silu_and_mul_torch"
        file = self.folder / "first.json"
        self.run_command("verify", example, "--python", TORCH, f"--json={file}", "--cases",
                         "published")
        first = json.loads(file.read_text())
        _, second = self.verdict(example, "--python", TORCH, "--replay", file)

        def identity(document):
            return [(case["parameters"], case["layout"], case["value_profile"], case["seed"],
                     case["status"]) for row in document["rows"] for case in row["cases"]]
        self.assertEqual(identity(first), identity(second))
        self.assertEqual(first["options"], second["options"])


@unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
class Schema(CommandTest):
    def setUp(self):
        super().setUp()
        self.validator = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text()))

    def assert_valid(self, document):
        self.assertEqual([f"{list(error.path)}: {error.message}"
                          for error in self.validator.iter_errors(document)], [])

    def test_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(json.loads(SCHEMA.read_text()))

    def test_admits_documents_of_bundles_that_cannot_run(self):
        self.assert_valid(self.verdict(self.folder / "none")[1])
        self.assert_valid(self.verdict(self.bundle("", slot="activation.silu"))[1])

    @unittest.skipUnless(TORCH, "no python3 with torch on this machine")
    def test_admits_documents_of_good_and_bad_kernels(self):
        for example in ("silu_and_mul_torch", "silu_and_mul_broken", "rmsnorm_assumes_dense"):
            with self.subTest(example):
                self.assert_valid(self.verdict(ROOT / "examples" / example, "--python", TORCH)[1])

    def test_refuses_members_that_nobody_knows(self):
        document = self.verdict(self.bundle("", slot="activation.silu"))[1]
        for change in ({"more": 1}, {"status": "MAYBE"}, {"seed": -1}, {"digest": "00"}):
            self.assertFalse(self.validator.is_valid({**document, **change}), change)
        del document["rows"]
        self.assertFalse(self.validator.is_valid(document))


if __name__ == "__main__":
    unittest.main()
