"""Wrong: does nothing and hopes that old memory looks right."""


def silu_and_mul(x, out):
    pass
