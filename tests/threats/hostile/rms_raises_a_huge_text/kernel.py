"""Raises an error with ten megabytes of text."""

def rmsnorm(x, weight, out, eps):
    raise ValueError("\u00e9" * 5_000_000)
