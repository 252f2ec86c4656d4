"""Raises for an input without rows."""

import torch


def silu_and_mul(x, out):
    if x.shape[0] == 0:
        raise ValueError("no rows")
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
