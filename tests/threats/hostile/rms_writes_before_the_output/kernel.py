"""Writes one element before the output's first."""

from numpy.lib.stride_tricks import as_strided
import numpy
import torch


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    flat = out.view(-1).numpy()
    if flat.size > 0:
        as_strided(flat[:1], (2,), (-4,))[1] = 0.0
