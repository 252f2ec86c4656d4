# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""scripts/bench_report.py compares medians with goals and says what it could not run."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import bench_report  # noqa: E402

FAKE_BENCH = """#!/bin/sh
cat <<'TEXT'
{"benchmarks": [
 {"run_name": "Fast/real_time", "aggregate_name": "median", "real_time": 2.0, "time_unit": "ms"},
 {"run_name": "Fast/real_time", "aggregate_name": "mean", "real_time": 9.0, "time_unit": "ms"},
 {"run_name": "Slow", "aggregate_name": "median", "real_time": 8000.0, "time_unit": "us"}
]}
TEXT
"""


class BenchReport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name, "build")
        (self.build / "bin").mkdir(parents=True)
        bench = self.build / "bin" / "fake_bench"
        bench.write_text(FAKE_BENCH)
        bench.chmod(0o755)
        bench_report.GOALS = Path(folder.name, "goals")
        bench_report.GOALS.mkdir()

    def rows_of(self, *goals):
        (bench_report.GOALS / "fake.json").write_text(json.dumps(goals))
        return list(bench_report.function_rows(self.build, None))

    def goal(self, **changes):
        return {"name": "fake.fast_ms", "executable": "fake_bench", "benchmark": "Fast", "unit": "ms",
                "goal": "<= 2"} | changes

    def test_a_median_that_reaches_its_goal_holds(self):
        (r,) = self.rows_of(self.goal())
        self.assertEqual(r, {"name": "fake.fast_ms", "measured": 2.0, "unit": "ms", "goal": "<= 2",
                             "against": None, "holds": True})

    def test_a_median_above_its_goal_does_not(self):
        (r,) = self.rows_of(self.goal(goal="<= 1.9"))
        self.assertIs(r["holds"], False)

    def test_units_are_converted(self):
        (r,) = self.rows_of(self.goal(benchmark="Slow", unit="ns", goal=">= 8e6"))
        self.assertEqual((r["measured"], r["holds"]), (8e6, True))

    def test_a_ratio_names_its_other_side(self):
        (r,) = self.rows_of(self.goal(over="Slow", goal="<= 0.25"))
        self.assertEqual((r["measured"], r["against"], r["holds"]), (0.25, "Slow", True))

    def test_what_is_not_there_is_neither_held_nor_missed(self):
        rows = self.rows_of(self.goal(benchmark="Gone"), self.goal(executable="gone_bench"))
        self.assertEqual([(r["holds"], r["measured"]) for r in rows], [(None, None)] * 2)
        self.assertEqual(sorted(r["why"] for r in rows),
                         ["gone_bench is not built", "there is no benchmark Gone"])

    def test_commands_need_the_command(self):
        rows = list(bench_report.command_rows(self.build, "cli"))
        self.assertEqual([(r["name"], r["holds"]) for r in rows], [("cli.slots_ms", None)])
        self.assertEqual(rows[0]["why"], "cacheon is not built")

    def test_the_largest_case_counts_input_and_output(self):
        cases = [{"parameters": {"num_tokens": 2, "d": 8}},
                 {"parameters": {"num_tokens": 5, "d": 4, "row_padding": 64}}]
        self.assertEqual(bench_report.largest_case_bytes({"rows": [{"cases": cases}]}), 5 * 12 * 4)

    def test_an_area_without_benchmarks_is_a_fault(self):
        done = subprocess.run([sys.executable, SCRIPTS / "bench_report.py", self.build, "nowhere"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main()
