#!/usr/bin/env python3
# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of the tree that no compiler knows. Prints each breach; status 1 if there is one.

Usage: check_tree.py [ROOT]
"""

import os
import re
import sys
from pathlib import Path

LINES_OF_SOURCE = 700
LINES_OF_TESTS = 1000
VAGUE_WORDS = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
SKIPPED_FOLDERS = {".git", "build", ".cache", "__pycache__"}
# Whole projects or hostile input, not sources of ours.
DATA_FOLDERS = ("tests/data/", "tests/corpus/", "tests/threats/", "examples/")
CODE = r"[a-z0-9_]+(?:\.[a-z0-9_]+)+"
FILE_SUFFIX = re.compile(r"\.(?:c|cc|cpp|cu|cuh|cubin|h|html|json|md|ptx|py|sarif|so|tar|toml|txt|xml)$")


def list_files(root):
    files = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        files += [Path(folder, name).relative_to(root).as_posix() for name in sorted(names)]
    return files


def read(root, name):
    return Path(root, name).read_text(encoding="utf-8", errors="replace")


def is_source(name):
    return name.endswith((".cc", ".h")) and not name.startswith(DATA_FOLDERS)


def is_test(name):
    return name.endswith(("_test.cc", "_fuzz.cc", "_bench.cc", "_for_test.h", "_for_test.cc"))


def check_names(root, files):
    for name in files:
        if name.startswith(DATA_FOLDERS):
            continue
        for word in VAGUE_WORDS & set(re.split(r"[/_.\-]", name)):
            yield f"{name}: `{word}` does not say what the file is for"


def check_sizes(root, files):
    for name in filter(is_source, files):
        lines = read(root, name).count("\n")
        limit = LINES_OF_TESTS if is_test(name) or name.endswith("_table.cc") else LINES_OF_SOURCE
        if lines > limit:
            yield f"{name}: {lines} lines, at most {limit}"


def check_heads(root, files):
    for name in files:
        script = name.startswith(("scripts/", "tools/", ".ci/")) or name == "Makefile"
        built = name.endswith((".py", ".cmake", "CMakeLists.txt"))
        if name.startswith(DATA_FOLDERS) or not (is_source(name) or script or built):
            continue
        mark = "//" if is_source(name) else "#"
        lines = [line for line in read(root, name).split("\n")[:3] if not line.startswith("#!")]
        if lines[:2] != [f"{mark} SPDX-FileCopyrightText: The cacheon authors",
                         f"{mark} SPDX-License-Identifier: Apache-2.0"]:
            yield f"{name}: does not start with the two SPDX lines"
        if name.startswith("include/") and "#pragma once" not in read(root, name):
            yield f"{name}: has no #pragma once"


def check_open_ends(root, files):
    words = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
    for name in files:
        if name.startswith(("tests/corpus/", "tests/data/")):
            continue
        for number, line in enumerate(read(root, name).split("\n"), 1):
            if words.search(line):
                yield f"{name}:{number}: unfinished work is no part of the tree"


def declared_links(root, module):
    """The modules that src/MODULE links: for its headers, its sources and its tests."""
    text = re.sub(r"#.*", "", read(root, f"src/{module}/CMakeLists.txt"))
    links = {}
    calls = re.findall(rf"cacheon_module\(\s*{module}\b([^)]*)\)", text)
    if not calls:  # programs alone
        linked = set(re.findall(r"cacheon::(\w+)", text)) - {"build", module}
        return linked, linked, linked
    keywords = {"SOURCES", "DEPS", "PRIVATE_DEPS", "TESTS", "TEST_DEPS", "FUZZERS", "BENCHMARKS"}
    current = None
    for word in calls[0].split():
        current = word if word in keywords else current
        links.setdefault(current, set()).add(word)
    public = links.get("DEPS", set())
    private = public | links.get("PRIVATE_DEPS", set())
    return public, private, private | links.get("TEST_DEPS", set())


def check_includes(root, files):
    order = re.search(r"set\(CACHEON_MODULES ([^)]*)\)", read(root, "CMakeLists.txt")).group(1).split()
    modules = [m for m in order if f"src/{m}/CMakeLists.txt" in files]
    links = {m: declared_links(root, m) for m in modules}
    used = {m: set() for m in modules}
    for name in filter(is_source, files):
        owner = re.match(r"(?:include/cacheon|src)/(\w+)(?:/|\.h)", name)
        if not owner or owner.group(1) not in links:
            continue
        module = owner.group(1)
        kind = 0 if name.startswith("include/") else 2 if is_test(name) else 1
        for line in re.findall(r'#include "([^"]+)"', read(root, name)):
            other = re.match(r"(cacheon|src)/(\w+)(?:/|\.h)", line)
            if not other or other.group(2) == module or other.group(2) not in order:
                continue
            used[module].add(other.group(2))
            if other.group(1) == "src":
                yield f"{name}: {line} is private to {other.group(2)}"
            elif order.index(other.group(2)) > order.index(module):
                yield f"{name}: {module} comes before {other.group(2)}"
            elif other.group(2) not in links[module][kind]:
                yield f"{name}: includes {line}, but src/{module}/CMakeLists.txt does not link it there"
    for module in modules:
        for other in sorted((links[module][2] & set(order)) - used[module]):
            yield f"src/{module}/CMakeLists.txt: links {other}, which nothing includes"


def check_codes(root, files):
    """Every code in the source has a page, every page is raised, and named in a test."""
    pages, aliases = {}, set()
    for name in files:
        if re.match(r"docs/codes/\w+\.md$", name):
            text = read(root, name)
            pages.update({code: name for code in re.findall(rf"^## ({CODE})$", text, re.M)})
            for listed in re.findall(r"`(?:aliases|coarser): ([^`]*)`", text):
                aliases.update(word.strip() for word in listed.split(","))
    areas = {code.split(".")[0] for code in pages}
    raised_here = re.compile(rf'(?:Fail(?:Errno)?\(|\bCode[({{]|\.code = |\bCode \w+ = )\s*"({CODE})"')
    raised, tested = set(), set()
    for name in files:
        if name.startswith("tests/") or is_source(name) and is_test(name):
            if Path(root, name).stat().st_size < 4 << 20:
                tested.update(re.findall(CODE, read(root, name)))
        elif is_source(name) and name.startswith(("src/", "include/")):
            text = re.sub(r"^\s*(?://|#include).*$", "", read(root, name), flags=re.M)
            certain = set(raised_here.findall(text))
            likely = {code for code in re.findall(rf'"({CODE})[":]', text)
                      if code.split(".")[0] in areas and not FILE_SUFFIX.search(code)}
            raised |= certain | likely
            for code in sorted((certain | likely) - pages.keys() - aliases):
                yield f"{name}: `{code}` has no page in docs/codes/"
    for code, name in sorted(pages.items()):
        if code not in raised:
            yield f"{name}: nothing in src/ raises `{code}`"
        if code not in tested:
            yield f"{name}: no test names `{code}`"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    files = list_files(root)
    breaches = []
    for check in (check_names, check_sizes, check_heads, check_open_ends, check_includes, check_codes):
        breaches += check(root, files)
    for breach in breaches:
        print(breach)
    print(f"check_tree: {len(files)} files, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
