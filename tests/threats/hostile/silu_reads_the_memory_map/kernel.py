"""Reads the list of its own mappings."""

import numpy
import torch


def silu_and_mul(x, out):
    numpy.fromfile("/proc/self/maps", dtype=numpy.uint8)
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
