"""Wrong: does nothing."""


def rmsnorm(x, weight, out, eps):
    return None
