#!/usr/bin/env python3
# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/how-this-is-tested.md: what kinds of tests there are, and how many of each.

Usage: how_tested.py            writes the page
       how_tested.py --check    status 1 when the page is stale
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/how-this-is-tested.md"
UNIT_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(", re.M)
SCRIPT_TEST = re.compile(r"^    def test_", re.M)
FAMILIES = {
    "F1": "doing nothing",
    "F2": "doing part of the work",
    "F3": "stealing the answer",
    "F4": "forging the result",
    "F5": "patching the judge",
    "F6": "moving work out of sight",
    "F7": "replaying old results",
    "F8": "behaving when watched",
    "F9": "touching foreign memory",
    "F10": "cheaper arithmetic",
    "F11": "hard-coding",
    "F12": "not serving the calls",
    "F13": "faking speed",
    "F14": "leaving the lane",
    "F15": "exhaustion",
    "F16": "laundering a copy",
    "fault": "mistakes of honest kernels",
}

TEXT = """# How this is tested

`scripts/how_tested.py` counts and writes this page; a test fails when it is stale. `make test` runs
all of it, `ctest --preset dev -L LABEL` one kind.

## Units

{unit_total} tests stand beside the sources and are named after behaviours; tests with parameters count
once. {script_total} more, in `tests/`, drive the command and the scripts from outside.

{units}
## Recorded cases

{vector_total} cases in {vector_files} files of `tests/data/vectors` hold inputs and answers that are compared
value by value.

{vectors}
## Fuzzing

{fuzz_total} targets. Without libFuzzer each replays its corpus and mutations of it in every test run;
`make fuzz` searches.

{fuzzers}
## Hostile and honest bundles

`tests/threats/` holds {hostile_total} bundles that must be refused and {honest_total} that look odd and must be
accepted. Each is verified by the real command. Its line in `tests/threats/expected.txt` gives the exit
status, the verdict, the first code and the check that must fail; no process and no temporary file may
be left behind. {scan_total} are refused by the static scan, the others reach a later check. A new bundle is
a folder and a line.

{families}
The {example_total} bundles of `examples/` are checked in the same way.
"""


def table(head, rows):
    lines = [head, tuple("---" if i == 0 else "---:" for i in range(len(head))), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def read(path):
    return path.read_text(encoding="utf-8")


def module_of(path):
    return path.relative_to(ROOT / "src").parts[0]


def unit_tests():
    counts = Counter()
    for path in ROOT.glob("src/**/*_test.cc"):
        counts[module_of(path)] += len(UNIT_TEST.findall(read(path)))
    return counts


def recorded_cases():
    """Per folder: how many objects the lists at the top of its files hold."""
    counts, files = Counter(), 0
    for path in sorted(ROOT.glob("tests/data/vectors/*/*.json")):
        files += 1
        lists = [value for value in json.loads(read(path)).values() if isinstance(value, list)]
        counts[path.parent.name] += sum(isinstance(item, dict) for one in lists for item in one)
    return counts, files


def bundles(path):
    lines = [line.split() for line in read(ROOT / path).splitlines() if line and line[0] != "#"]
    return {words[0]: (words[1], words[5]) for words in lines}


def page():
    units, (vectors, vector_files) = unit_tests(), recorded_cases()
    fuzzers = Counter(module_of(path) for path in ROOT.glob("src/**/*_fuzz.cc"))
    threats = bundles("tests/threats/expected.txt")
    families = Counter(family for family, _ in threats.values())
    rows = [(f"{key}: {text}", families[key]) for key, text in FAMILIES.items() if families[key]]
    return TEXT.format(
        unit_total=sum(units.values()),
        script_total=sum(len(SCRIPT_TEST.findall(read(p))) for p in ROOT.glob("tests/**/*_test.py")),
        units=table(("module", "tests"), sorted(units.items())),
        vector_total=sum(vectors.values()),
        vector_files=vector_files,
        vectors=table(("area", "cases"), sorted(vectors.items())),
        fuzz_total=sum(fuzzers.values()),
        fuzzers=table(("module", "targets"), sorted(fuzzers.items())),
        hostile_total=sum(name.startswith("hostile/") for name in threats),
        honest_total=families["honest"],
        scan_total=sum(check == "scan" for _, check in threats.values()),
        families=table(("family", "bundles"), rows),
        example_total=len(bundles("tests/examples/expected.txt")),
    )


def main(arguments):
    text = page()
    if arguments == ["--check"]:
        if PAGE.exists() and read(PAGE) == text:
            return 0
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/how_tested.py")
        return 1
    if arguments:
        print(__doc__)
        return 2
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
