#!/usr/bin/env python3
# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks of one build and writes what they measured beside what they must reach.

Two kinds. Functions: executables `*_bench` of Google Benchmark, whose goals stand in
tests/bench/AREA.json. Whole commands: the comparisons below, whose two sides run in turn.

A row is {"name", "measured", "unit", "goal", "against", "holds"}; `holds` is null where this machine
cannot tell, and `why` says the reason.

Usage: bench_report.py BUILD_DIR [AREA]     (writes BUILD_DIR/bench.json; status 1: a goal is missed)
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
GOALS = SOURCE / "tests" / "bench"
SILU = SOURCE / "examples" / "silu_and_mul_torch"
MIB = 1 << 20


class CannotRun(Exception):
    """Something that the benchmark needs is not here."""


def row(name, measured, unit, goal, against=None):
    comparison, bound = goal.split()
    holds = measured <= float(bound) if comparison == "<=" else measured >= float(bound)
    return {"name": name, "measured": round(measured, 4), "unit": unit, "goal": goal,
            "against": against, "holds": holds}


def row_without_measurement(name, unit, goal, why):
    return {"name": name, "measured": None, "unit": unit, "goal": goal, "against": None,
            "holds": None, "why": why}


def run(command, accept=(0,), **options):
    """Runs a command; its wall time in seconds."""
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, **options)
    seconds = time.perf_counter() - begin
    if done.returncode not in accept:
        words = done.stderr.decode(errors="replace").strip().split("\n")[0]
        raise CannotRun(f"{Path(command[0]).name} {command[1]}: status {done.returncode}: {words}")
    return seconds


def in_turn(count, *sides):
    """Medians of the sides' results; each round runs every side once, after one that warms up."""
    rounds = [[side() for side in sides] for _ in range(count + 1)][1:]
    return [statistics.median(results) for results in zip(*rounds)]


# --- Functions: Google Benchmark ---------------------------------------------------------------

UNIT_OF_SECONDS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}


def measure_functions(executable, goals):
    """{benchmark: median row} of the benchmarks that `goals` name."""
    names = {goal[key] for goal in goals for key in ("benchmark", "over") if key in goal}
    pattern = "^(" + "|".join(sorted(names)) + ")(/real_time)?$"
    done = subprocess.run(
        [executable, f"--benchmark_filter={pattern}", "--benchmark_format=json",
         "--benchmark_repetitions=5", "--benchmark_min_time=0.1",
         "--benchmark_enable_random_interleaving=true", "--benchmark_report_aggregates_only=true"],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"{executable.name}: status {done.returncode}")
    rows = json.loads(done.stdout)["benchmarks"] if done.stdout.strip() else []
    return {r["run_name"].removesuffix("/real_time"): r
            for r in rows if r["aggregate_name"] == "median"}


def value_of(measured, goal, key):
    if goal[key] not in measured:
        raise CannotRun(f"there is no benchmark {goal[key]}")
    result = measured[goal[key]]
    if "counter" in goal:
        return result[goal["counter"]]
    return result["real_time"] / UNIT_OF_SECONDS[result["time_unit"]]


def function_row(measured, goal):
    value = value_of(measured, goal, "benchmark")
    if "over" in goal:
        return row(goal["name"], value / value_of(measured, goal, "over"), "ratio", goal["goal"],
                   goal["over"])
    scale = UNIT_OF_SECONDS.get(goal["unit"], 1.0) if "counter" not in goal else 1.0
    return row(goal["name"], value * scale / goal.get("divide", 1), goal["unit"], goal["goal"])


def function_rows(build, area):
    for path in sorted(GOALS.glob("*.json")):
        goals = [g for g in json.loads(path.read_text()) if area in (None, g["name"].split(".")[0])]
        for name in sorted({goal["executable"] for goal in goals}):
            of_this = [goal for goal in goals if goal["executable"] == name]
            executable = build / "bin" / name
            try:
                if not executable.exists():
                    raise CannotRun(f"{name} is not built")
                measured = measure_functions(executable, of_this)
            except CannotRun as reason:
                measured = reason
            for goal in of_this:
                try:
                    if isinstance(measured, CannotRun):
                        raise measured
                    yield function_row(measured, goal)
                except CannotRun as reason:
                    unit = "ratio" if "over" in goal else goal["unit"]
                    yield row_without_measurement(goal["name"], unit, goal["goal"], str(reason))


# --- Whole commands ----------------------------------------------------------------------------


def cacheon(build):
    command = build / "bin" / "cacheon"
    if not command.exists():
        raise CannotRun(f"{command.name} is not built")
    return command


def python_with_torch():
    """The interpreter that `verify` takes by default."""
    for python in ("python3", "/usr/bin/python3"):
        done = subprocess.run([python, "-c", "import torch, sys; print(sys.executable)"],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    raise CannotRun("no python3 imports torch")


def slots_wall(build, name, goal):
    command = cacheon(build)
    (median,) = in_turn(21, lambda: run([command, "slots"]))
    return row(name, median * 1e3, "ms", goal)


def openssl_bytes_per_second():
    done = subprocess.run(["openssl", "speed", "-mr", "-seconds", "1", "-bytes", "16384", "-evp",
                           "sha256"], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.split("\n") if line.startswith("+F:")]
    if not lines:
        raise CannotRun("openssl speed does not run")
    return float(lines[0].split(":")[-1])


def hash_over_openssl(build, name, goal):
    command = cacheon(build)
    tree = build / "bench" / "tree_256_mib"
    tree.mkdir(parents=True, exist_ok=True)
    for number in range(32):
        path = tree / f"part{number:02}.bin"
        if not path.exists() or path.stat().st_size != 8 * MIB:
            path.write_bytes(os.urandom(8 * MIB))
    ours, theirs = in_turn(5, lambda: 256 * MIB / run([command, "hash", tree]),
                           openssl_bytes_per_second)
    return row(name, ours / theirs, "ratio", goal, "openssl speed -evp sha256")


def scan_one_over_python_start(build, name, goal):
    command = [cacheon(build), "scan", SILU]
    ours, theirs = in_turn(21, lambda: run(command),
                           lambda: run(["/usr/bin/python3", "-I", "-S", "-c", "pass"]))
    return row(name, (ours - theirs) * 1e3, "ms", goal, "python3 -I -S -c pass, subtracted")


def scan_100_bundles(build, name, goal):
    copies = build / "bench" / "bundles"
    folders = [copies / f"bundle{number:03}" for number in range(100)]
    for folder in folders:
        shutil.copytree(SILU, folder, dirs_exist_ok=True)
    (median,) = in_turn(7, lambda: run([cacheon(build), "scan", *folders]))
    return row(name, median, "s", goal)


def compressible_tree(build):
    """200 MiB of text in 25 files."""
    tree = build / "bench" / "tree_200_mib"
    tree.mkdir(parents=True, exist_ok=True)
    numbers = random.Random(1)
    for number in range(25):
        path = tree / f"part{number:02}.txt"
        if path.exists() and path.stat().st_size == 8 * MIB:
            continue
        words = (f"{numbers.getrandbits(20):07} kernel {numbers.getrandbits(8):03}\n"
                 for _ in range(8 * MIB // 19 + 1))
        path.write_bytes("".join(words).encode()[:8 * MIB])
    return tree


def pack_over_tar(build, name, goal):
    tree = compressible_tree(build)
    archive = build / "bench" / "packed.tar.gz"
    ours, theirs = in_turn(3, lambda: run([cacheon(build), "pack", tree, "-o", archive]),
                           lambda: run(["tar", "-C", tree.parent, "-czf", archive, tree.name]))
    return row(name, ours / theirs, "ratio", goal, "tar -czf")


def unpack_over_tar(build, name, goal):
    archive = build / "bench" / "packed.tar.gz"
    run([cacheon(build), "pack", compressible_tree(build), "-o", archive])
    folder = build / "bench" / "unpacked"

    def into_empty_folder(*command):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return run(command)

    ours, theirs = in_turn(3, lambda: into_empty_folder(cacheon(build), "unpack", archive, folder),
                           lambda: into_empty_folder("tar", "-C", folder, "-xzf", archive))
    shutil.rmtree(folder)
    return row(name, ours / theirs, "ratio", goal, "tar -xzf")


def verify_command(build, python, cases):
    return [cacheon(build), "verify", SILU, "--device", "cpu", "--dtype", "float32", "--cases", cases,
            "--python", python]


def silu_over_import_torch(cases):
    def measure(build, name, goal):
        python = python_with_torch()
        command = verify_command(build, python, cases)
        ours, theirs = in_turn(7, lambda: run(command),
                               lambda: run([python, "-c", "import torch"]))
        return row(name, ours - theirs, "s", goal, "python3 -c 'import torch', subtracted")
    return measure


def peak_resident_bytes(command):
    """The peak resident size of the process itself, without its children."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        for line in status.split("\n"):
            if line.startswith("VmHWM:"):
                peak = max(peak, int(line.split()[1]) * 1024)
        time.sleep(0.001)
    if process.returncode != 0:
        raise CannotRun(f"verify: status {process.returncode}")
    return peak


def largest_case_bytes(document):
    """Bytes of x (2d a row) and out (d a row) of the largest float32 case of silu_and_mul."""
    return max(case["parameters"]["num_tokens"] * 3 * case["parameters"]["d"] * 4
               for r in document["rows"] for case in r["cases"])


def controller_peak_over_tensors(build, name, goal):
    # One seed for both sides: the seed decides how large the largest case is.
    command = [*verify_command(build, python_with_torch(), "all"), "--seed", "1"]
    document = subprocess.run([str(part) for part in command] + ["--json"], capture_output=True,
                              text=True, check=False)
    if document.returncode != 0:
        raise CannotRun(f"verify: status {document.returncode}")
    peak = statistics.median(peak_resident_bytes(command) for _ in range(3))
    return row(name, peak / largest_case_bytes(json.loads(document.stdout)), "ratio", goal,
               "bytes of the largest case's tensors")


COMMANDS = (
    ("cli.slots_ms", "ms", "<= 10", slots_wall),
    ("bundle.hash_over_openssl", "ratio", ">= 0.90", hash_over_openssl),
    ("bundle.pack_over_tar", "ratio", "<= 1.2", pack_over_tar),
    ("bundle.unpack_over_tar", "ratio", "<= 1.2", unpack_over_tar),
    ("policy.scan_one_over_python_start", "ms", "<= 25", scan_one_over_python_start),
    ("policy.scan_100_bundles", "s", "<= 0.6", scan_100_bundles),
    ("verify.silu_published_over_import_torch", "s", "<= 0.3", silu_over_import_torch("published")),
    ("verify.silu_all_over_import_torch", "s", "<= 0.9", silu_over_import_torch("all")),
    ("verify.controller_peak_over_tensors", "ratio", "<= 2.5", controller_peak_over_tensors),
)


def command_rows(build, area):
    for name, unit, goal, measure in COMMANDS:
        if area not in (None, name.split(".")[0]):
            continue
        try:
            yield measure(build, name, goal)
        except CannotRun as reason:
            yield row_without_measurement(name, unit, goal, str(reason))


# --- The table ---------------------------------------------------------------------------------


def print_row(r):
    measured = "-" if r["measured"] is None else f"{r['measured']:.4g}"
    holds = {True: "yes", False: "NO", None: "?"}[r["holds"]]
    note = r.get("why") or (f"against {r['against']}" if r["against"] else "")
    print(f"{r['name']:<42} {measured:>10} {r['unit']:<6} {r['goal']:>10}  {holds:<4} {note}".rstrip(),
          flush=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    area = sys.argv[2] if len(sys.argv) == 3 else None
    print(f"{'name':<42} {'measured':>10} {'unit':<6} {'goal':>10}  holds")
    rows = []
    for source in (command_rows, function_rows):
        for r in source(build, area):
            print_row(r)
            rows.append(r)
    if not rows:
        sys.exit(f"no benchmark of the area `{area}`")
    (build / "bench.json").write_text(json.dumps(rows, indent=1) + "\n")
    missed = sum(r["holds"] is False for r in rows)
    print(f"{len(rows)} rows, {missed} missed, {sum(r['holds'] is None for r in rows)} not run")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
