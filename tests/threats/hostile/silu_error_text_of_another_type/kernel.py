"""Raises an error whose text is a number."""

class Numeric(Exception):
    def __str__(self):
        return 7


def silu_and_mul(x, out):
    raise Numeric
