"""Raises an error whose text cannot be encoded."""

def rmsnorm(x, weight, out, eps):
    raise ValueError("\ud800\x1b[2J\x00")
