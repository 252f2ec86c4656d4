"""Loops for ever."""

def silu_and_mul(x, out):
    while True:
        pass
