"""Recurses until the stack is gone."""

import sys


def rmsnorm(x, weight, out, eps):
    sys.setrecursionlimit(1 << 30)
    nested = []
    for _ in range(1 << 20):
        nested = [nested]
    repr(nested)
