"""Indexes padded rows as if they were dense."""

from numpy.lib.stride_tricks import as_strided
import numpy
import torch


def rmsnorm(x, weight, out, eps):
    flat = as_strided(x.numpy(), x.shape, (x.shape[1] * 4, 4))
    x = torch.from_numpy(flat)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
