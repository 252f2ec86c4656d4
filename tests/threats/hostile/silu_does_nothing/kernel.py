"""Returns without touching the output."""

def silu_and_mul(x, out):
    return None
