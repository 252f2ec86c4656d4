"""Raises an error whose text takes for ever."""

class Endless(Exception):
    def __str__(self):
        while True:
            pass


def rmsnorm(x, weight, out, eps):
    raise Endless
