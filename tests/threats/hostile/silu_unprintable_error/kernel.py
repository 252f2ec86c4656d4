"""Raises an error whose text raises another."""

class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no text")


def silu_and_mul(x, out):
    raise Unprintable
