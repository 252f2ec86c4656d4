# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Each rule of scripts/check_tree.py finds a tree that breaks it, and a tree that does not is clean."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent.parent / "scripts" / "check_tree.py"
HEAD = ("{0} SPDX-FileCopyrightText: The cacheon authors\n"
        "{0} SPDX-License-Identifier: Apache-2.0\n")
CPP, HASH = HEAD.format("//"), HEAD.format("#")
CLEAN = {
    "CMakeLists.txt": HASH + "set(CACHEON_MODULES core tensor bundle)\n",
    "include/cacheon/core.h": CPP + "#pragma once\n",
    "include/cacheon/tensor.h": CPP + '#pragma once\n#include "cacheon/core.h"\n',
    "src/core/CMakeLists.txt": HASH + "cacheon_module(core SOURCES open.cc)\n",
    "src/core/open.cc": CPP + 'auto f() { return Fail("io.open", "cannot open"); }\n',
    "src/core/open_test.cc": CPP + 'EXPECT_EQ(error.code, Code("io.open"));\n',
    "src/tensor/CMakeLists.txt": HASH + "cacheon_module(tensor SOURCES a.cc DEPS core)\n",
    "src/tensor/a.cc": CPP + '#include "cacheon/tensor.h"\n',
    "docs/codes/core.md": "## io.open\n\n`fault: usage` `severity: error` `aliases: io.old`\n",
}


def check(changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (CLEAN | changes).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class CheckTree(unittest.TestCase):
    def assert_breach(self, expected, changes):
        status, text = check(changes)
        self.assertEqual(status, 1, text)
        self.assertIn(expected, text)
        self.assertTrue(text.endswith(", 1 breaches\n"), text)

    def test_a_clean_tree_has_no_breach(self):
        status, text = check({})
        self.assertEqual(status, 0, text)

    def test_a_code_without_a_page(self):
        source = CLEAN["src/core/open.cc"] + 'auto g() { return FailErrno("io.gone", "", 1); }\n'
        self.assert_breach("`io.gone` has no page", {"src/core/open.cc": source})

    def test_a_code_in_a_table_without_a_page(self):
        source = CLEAN["src/core/open.cc"] + 'constexpr Row kRow = {"io.gone", 1};\n'
        self.assert_breach("`io.gone` has no page", {"src/core/open.cc": source})

    def test_an_alias_is_no_unknown_code_and_a_file_name_is_no_code(self):
        source = CLEAN["src/core/open.cc"] + 'const char* a[] = {"io.old", "io.toml"};\n'
        self.assertEqual(check({"src/core/open.cc": source})[0], 0)

    def test_a_page_that_no_test_names(self):
        self.assert_breach("no test names `io.open`", {"src/core/open_test.cc": CPP})

    def test_a_page_that_nothing_raises(self):
        page = CLEAN["docs/codes/core.md"] + "\n## io.old_news\n"
        test = CLEAN["src/core/open_test.cc"] + '// "io.old_news"\n'
        self.assert_breach("nothing in src/ raises `io.old_news`",
                           {"docs/codes/core.md": page, "src/core/open_test.cc": test})

    def test_a_forward_include(self):
        self.assert_breach("core comes before tensor",
                           {"src/core/b.cc": CPP + '#include "cacheon/tensor.h"\n'})

    def test_an_include_that_is_not_linked(self):
        self.assert_breach("does not link it",
                           {"src/tensor/CMakeLists.txt": HASH + "cacheon_module(tensor SOURCES a.cc)\n"})

    def test_a_private_link_does_not_serve_a_public_header(self):
        text = HASH + "cacheon_module(tensor SOURCES a.cc PRIVATE_DEPS core)\n"
        self.assert_breach("include/cacheon/tensor.h: includes", {"src/tensor/CMakeLists.txt": text})

    def test_a_link_that_nothing_includes(self):
        self.assert_breach("links core, which nothing includes",
                           {"include/cacheon/tensor.h": CPP + "#pragma once\n"})

    def test_a_private_header_of_another_module(self):
        self.assert_breach("is private to core",
                           {"src/tensor/b.cc": CPP + '#include "src/core/open.h"\n'})

    def test_a_long_file(self):
        self.assert_breach("at most 700", {"src/core/b.cc": CPP + "\n" * 700})
        self.assertEqual(check({"src/core/b_test.cc": CPP + "\n" * 700})[0], 0)
        self.assert_breach("at most 1000", {"src/core/b_test.cc": CPP + "\n" * 1000})

    def test_a_file_without_a_head(self):
        self.assert_breach("SPDX", {"src/core/b.cc": "int x;\n"})
        self.assert_breach("SPDX", {"scripts/b": "#!/bin/sh\nls\n"})

    def test_a_header_that_may_be_included_twice(self):
        self.assert_breach("no #pragma once", {"include/cacheon/core/b.h": CPP})

    def test_unfinished_work(self):
        self.assert_breach("README.md:2:", {"README.md": "\nTO" "DO: write\n"})

    def test_a_vague_name(self):
        self.assert_breach("`utils`", {"src/core/string_utils.cc": CPP})


if __name__ == "__main__":
    unittest.main()
