"""Adds to an output that it takes for zero."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out += torch.nn.functional.silu(x[..., :d]) * x[..., d:]
