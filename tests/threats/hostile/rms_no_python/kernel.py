"""Is no Python."""

def rmsnorm(x, weight out, eps):
    pass
