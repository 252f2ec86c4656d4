# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""docs/cli.md names the verbs and flags that the command prints under --help, and no others.

Usage: cli_doc_test.py CACHEON
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

CACHEON = sys.argv.pop(1)
PAGE = (Path(__file__).resolve().parent.parent / "docs" / "cli.md").read_text()


def help_text(*verb):
    done = subprocess.run([CACHEON, *verb, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def verbs_of_help():
    return re.findall(r"^  ([a-z]+) ", help_text().split("Subcommands:")[1], re.M)


def sections():
    """{verb: text of its section}"""
    parts = re.split(r"^### ([a-z]+)[^\n]*$", PAGE.split("\n## Verbs\n")[1], flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


class CliPage(unittest.TestCase):
    def test_has_a_section_for_each_verb_and_no_other(self):
        self.assertEqual(sorted(sections()), sorted(verbs_of_help()))

    def test_names_each_flag_and_no_other(self):
        for verb in verbs_of_help():
            printed = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", help_text(verb))) - {"--help"}
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", sections().get(verb, "")))
            self.assertEqual(printed, named, verb)


if __name__ == "__main__":
    unittest.main()
