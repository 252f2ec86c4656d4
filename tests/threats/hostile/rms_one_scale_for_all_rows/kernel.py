"""Takes one mean square over the whole input."""

import torch


def rmsnorm(x, weight, out, eps):
    out.copy_(x * torch.rsqrt(x.square().mean() + eps) * weight)
