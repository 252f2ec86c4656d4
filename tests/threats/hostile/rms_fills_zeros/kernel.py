"""Fills the output with zeros."""

def rmsnorm(x, weight, out, eps):
    out.zero_()
