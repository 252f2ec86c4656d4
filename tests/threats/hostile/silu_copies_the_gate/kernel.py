"""Copies the first half of the input."""

def silu_and_mul(x, out):
    out.copy_(x[..., : x.shape[-1] // 2])
