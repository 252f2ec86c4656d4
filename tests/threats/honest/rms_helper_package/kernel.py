"""Imports a package of its own."""

from rows.normalise import normalise


def rmsnorm(x, weight, out, eps):
    normalise(x, weight, out, eps)
