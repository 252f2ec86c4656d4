# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Verbs that look at bundles: what they print, and their documents checked against docs/schemas."""

import json

import jsonschema

from command import ROOT, CommandTest

EXAMPLES = ROOT / "examples"
SCHEMAS = ROOT / "docs" / "schemas"

MANIFEST = """bundle_id = "mine"
abi_version = "cacheon-op-abi-v0"

[competition]
target = "norm.rmsnorm"
mode = "slot"

[[ops]]
slot = "norm.rmsnorm"
source = "kernel.py"
entry = "rmsnorm"
"""
KERNEL = "import torch\n\n\ndef rmsnorm(x, weight, out, eps):\n    out.copy_(x)\n"


class Done:
    def __init__(self, completed):
        self.status = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr

    @property
    def document(self):
        """The document on stdout, checked against its schema."""
        document = json.loads(self.out)
        check_document(document)
        return document


def check_document(document):
    name = f"{document['schema']}.json"
    schema = json.loads((SCHEMAS / name).read_text())
    resolver = jsonschema.RefResolver(base_uri=f"{SCHEMAS.as_uri()}/{name}", referrer=schema)
    jsonschema.Draft202012Validator(schema, resolver=resolver).validate(document)


def codes(errors, severity="error"):
    return [error["code"] for error in errors if error["severity"] == severity]


class VerbTest(CommandTest):
    """Each test has a folder of its own, where the command runs."""

    def run_verb(self, *arguments):
        return Done(self.run_command(*arguments, cwd=self.folder))

    def write(self, files=None, name="mine", manifest=MANIFEST):
        """A bundle of these files; without any, a good one."""
        root = self.folder / name
        contents = {"kernel.py": KERNEL} | (files or {})
        if manifest is not None:
            contents["manifest.toml"] = manifest
        for path, content in contents.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else content.encode()
            (root / path).write_bytes(data)
        return root

    def assert_error(self, done, code, status=1):
        """The code stands first in a line of stderr, and the status is the one it must have."""
        starts = [line.split(": ")[0] for line in done.err.splitlines()]
        self.assertIn(code, starts, done.err)
        self.assertEqual(done.status, status, done.err)

    def assert_usage(self, *arguments):
        done = self.run_verb(*arguments)
        self.assert_error(done, "usage.arguments", 2)
        self.assertEqual(done.out, "")

    def tree(self):
        """Every path below the folder of the test, for what must not change."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                      if path != self.temporary)
