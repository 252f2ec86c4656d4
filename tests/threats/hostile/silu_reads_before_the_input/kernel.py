"""Reads some pages before the input's first element."""

from numpy.lib.stride_tricks import as_strided
import numpy
import torch


def silu_and_mul(x, out):
    before = as_strided(x[0].numpy()[:1], (2,), (-16384,))[1]
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
    out.add_(float(before) * 0.0)
