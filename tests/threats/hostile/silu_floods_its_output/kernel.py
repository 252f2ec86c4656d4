"""Prints a hundred megabytes and computes nothing."""

LINE = "x" * 65535


def silu_and_mul(x, out):
    for _ in range(1600):
        print(LINE)
