"""Reads one page after the input's last element."""

from numpy.lib.stride_tricks import as_strided
import numpy
import torch


def rmsnorm(x, weight, out, eps):
    flat = x[-1].numpy()
    beyond = as_strided(flat[-1:], (2,), (4096,))[1]
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    out.add_(float(beyond) * 0.0)
