# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""cacheon manifest, resolve and targets."""

import json
import os
import unittest

from verb_case import EXAMPLES, MANIFEST, VerbTest, check_document, codes


class Manifest(VerbTest):
    def test_prints_the_canonical_view(self):
        done = self.run_verb("manifest", EXAMPLES / "rmsnorm_torch")
        self.assertEqual((done.status, done.err), (0, ""))
        view = json.loads(done.out)
        self.assertEqual(view["bundle_id"], "rmsnorm-torch")
        self.assertEqual(view["ops"][0]["entry"], "rmsnorm")

    def test_writes_one_document(self):
        done = self.run_verb("manifest", EXAMPLES / "rmsnorm_torch", "--json")
        self.assertEqual(done.document["manifest"]["competition"]["target"], "norm.rmsnorm")
        self.assertEqual(done.status, 0)
        self.run_verb("manifest", EXAMPLES / "rmsnorm_torch", "--json=view.json")
        written = json.loads((self.folder / "view.json").read_text())
        self.assertEqual(written, done.document)

    def test_reports_every_independent_error_with_its_place(self):
        broken = MANIFEST.replace('"mine"', '"not an id"').replace('"rmsnorm"', '"1"')
        done = self.run_verb("manifest", self.write(manifest=broken))
        self.assert_error(done, "manifest.bundle_id_charset")
        self.assert_error(done, "manifest.op_entry_identifier")
        self.assertIn("manifest.toml:11:", done.err)
        self.assertEqual(done.out, "")
        document = self.run_verb("manifest", self.folder / "mine", "--json").document
        self.assertEqual(codes(document["errors"]),
                         ["manifest.bundle_id_charset", "manifest.op_entry_identifier"])
        self.assertIsNone(document["manifest"])

    def test_suggests_what_a_misspelt_key_may_mean_in_strict_mode_alone(self):
        weak = self.write(manifest="bundel_id = 1\n" + MANIFEST)
        strict = self.run_verb("manifest", weak)
        self.assertEqual(strict.status, 0)
        self.assertIn("warning: manifest.", strict.err)
        self.assertIn("bundle_id", strict.err)
        self.assertEqual(self.run_verb("manifest", weak, "--mode", "compat").err, "")

    def test_refuses_a_source_outside_the_bundle(self):
        outside = MANIFEST.replace('"kernel.py"', '"../secret.py"')
        (self.folder / "secret.py").write_text("")
        done = self.run_verb("manifest", self.write(manifest=outside))
        self.assert_error(done, "manifest.path_escape")

    def test_refuses_a_manifest_that_is_a_pipe_without_opening_it(self):
        root = self.write(manifest=None)
        os.mkfifo(root / "manifest.toml")
        self.assertNotEqual(self.run_verb("manifest", root).status, 0)

    def test_needs_one_folder(self):
        self.assert_usage("manifest")
        self.assert_usage("manifest", "a", "b")
        self.assert_usage("manifest", EXAMPLES / "rmsnorm_torch", "--mode", "loose")
        self.assert_error(self.run_verb("manifest", "missing"), "usage.no_bundle", 2)
        document = self.run_verb("manifest", "missing", "--json").document
        self.assertEqual(document["errors"][0]["where"]["file"], "missing")


class Resolve(VerbTest):
    def test_says_what_the_bundle_competes_for_and_serves(self):
        done = self.run_verb("resolve", EXAMPLES / "rmsnorm_torch")
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("target     norm.rmsnorm\n  admitted   yes", done.out)
        self.assertIn("one of 'bfloat16', 'float32'", done.out)
        document = self.run_verb("resolve", EXAMPLES / "rmsnorm_torch", "--json").document
        self.assertTrue(document["admitted"])
        self.assertEqual(document["resolution"]["target_id"], "norm.rmsnorm")
        self.assertIn("dtype", [one["field"] for one in document["rows"][0]["domain"]])
        self.assertIsNotNone(document["rows"][0]["example"])

    def test_warns_where_the_arena_of_a_model_cannot_measure_the_target(self):
        done = self.run_verb("resolve", EXAMPLES / "rmsnorm_torch", "--model", "MiniMax-M3")
        self.assertIn("warning: target.unavailable_in_arena: ", done.err)
        self.assertEqual(done.status, 0)

    def test_refuses_a_feature_that_the_target_does_not_admit(self):
        done = self.run_verb("resolve", self.write(manifest=MANIFEST + 'setup = "go"\n'))
        self.assert_error(done, "target.feature_setup")
        self.assertIn("admitted   no", done.out)

    def test_refuses_two_rows_that_could_serve_one_call_and_names_it(self):
        row = '\n[[ops]]\nslot = "norm.rmsnorm"\nsource = "kernel.py"\nentry = "rmsnorm"\nvariant = "{}"\n'
        head = MANIFEST.split("[[ops]]")[0]
        root = self.write(manifest=head + row.format("a") + row.format("b"))
        document = self.run_verb("resolve", root, "--json").document
        self.assertEqual(codes(document["errors"]), ["route.overlap"])

    def test_names_the_calls_between_two_rows(self):
        row = ('\n[[ops]]\nslot = "norm.rmsnorm"\nsource = "kernel.py"\nentry = "rmsnorm"\n'
               'variant = "{0}"\nmetadata = "metadata/{0}.json"\n')
        head = MANIFEST.split("[[ops]]")[0]
        root = self.write({"metadata/a.json": '{"max_num_tokens": 127, "graph_safe": true}',
                            "metadata/b.json": '{"min_num_tokens": 256, "graph_safe": true}'},
                           manifest=head + row.format("a") + row.format("b"))
        document = self.run_verb("resolve", root, "--json").document
        self.assertEqual([gap["example"]["num_tokens"] for gap in document["gaps"]], [128])
        self.assertIn("no row of norm.rmsnorm serves", self.run_verb("resolve", root).out)

    def test_needs_one_folder(self):
        self.assert_usage("resolve")
        self.assert_usage("resolve", EXAMPLES / "rmsnorm_torch", "--modle", "M")
        self.assert_error(self.run_verb("resolve", "missing"), "usage.no_bundle", 2)


class Targets(VerbTest):
    def test_lists_them_with_digests(self):
        done = self.run_verb("targets")
        self.assertEqual((done.status, done.err), (0, ""))
        document = self.run_verb("targets", "--json").document
        self.assertEqual(len(document["targets"]), 12)
        self.assertIn(document["digest"], done.out)
        for target in document["targets"]:
            self.assertIn(target["id"], done.out)

    def test_shows_one(self):
        done = self.run_verb("targets", "norm.rmsnorm")
        self.assertEqual(done.status, 0)
        self.assertIn("norm.rmsnorm (slot)\n", done.out)
        document = self.run_verb("targets", "norm.rmsnorm", "--json").document
        self.assertEqual([target["id"] for target in document["targets"]], ["norm.rmsnorm"])

    def test_refuses_a_name_that_is_none(self):
        done = self.run_verb("targets", "rmsnorm")
        self.assert_error(done, "usage.unknown_target", 2)
        self.assertIn("    norm.rmsnorm\n", done.err)
        self.assert_usage("targets", "a", "b")


class Hash(VerbTest):
    def test_writes_its_document(self):
        check_document(json.loads(self.run_verb("hash", self.write(), "--json").out))


if __name__ == "__main__":
    unittest.main()
