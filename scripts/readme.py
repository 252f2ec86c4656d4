#!/usr/bin/env python3
# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Fills the blocks of README.md that show real output and real files.

`<!-- demo:NAME -->` ... `<!-- /demo -->` holds a command after `$ ` and what it prints;
`<!-- source:PATH -->` ... `<!-- /source -->` holds a file without its licence lines.

Usage: readme.py BIN_DIR            rewrites the blocks, with the commands of BIN_DIR
       readme.py BIN_DIR --check    status 1 when a block differs by more than its numbers
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DEMO = re.compile(r"(<!-- demo:\w+ -->\n```\n\$ )([^\n]+)\n(.*?)(```\n<!-- /demo -->)", re.S)
FILE = re.compile(r"(<!-- source:([^\n]+) -->\n```\w+\n)(.*?)(```\n<!-- /source -->)", re.S)


def output_of(command, bin_dir):
    words = command.replace("build/release/bin", str(bin_dir)).split()
    environment = {name: value for name, value in os.environ.items() if name != "CACHEON_ISOLATION"}
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    return shortened(done.stdout)


def shortened(text):
    """The first five and the last four lines of a long text."""
    lines = text.splitlines(keepends=True)
    return text if len(lines) <= 12 else "".join(lines[:5] + ["  ...\n"] + lines[-4:])


def without_head(text):
    return re.sub(r"\A(?:# SPDX-[^\n]*\n)+\n*", "", text)


def fill(readme, bin_dir):
    readme = DEMO.sub(lambda m: f"{m[1]}{m[2]}\n{output_of(m[2], bin_dir)}{m[4]}", readme)
    return FILE.sub(lambda m: m[1] + without_head((ROOT / m[2]).read_text()) + m[4], readme)


def shape(text):
    """The text without what differs between runs and machines: numbers, digests, layers."""
    text = re.sub(r"^isolation: .*$", "isolation: #", text, flags=re.M)
    text = re.sub(r"\b[0-9a-f]{16,}\b", "#", text)
    text = re.sub(r"[-+]?\b\d[\d.]*(?:e[-+]?\d+)?", "#", text)
    return re.sub(r"[ ]+", " ", text)


def main():
    bin_dir = Path(sys.argv[1]).resolve()
    readme = README.read_text()
    filled = fill(readme, bin_dir)
    if "--check" not in sys.argv:
        README.write_text(filled)
        return 0
    if shape(filled) == shape(readme):
        return 0
    print("README.md shows other output than the commands print. scripts/readme.py mends it.")
    for shown, real in zip(shape(readme).split("\n"), shape(filled).split("\n")):
        if shown != real:
            print(f"- {shown}\n+ {real}")
            break
    return 1


if __name__ == "__main__":
    sys.exit(main())
