"""Tries a faster function that this torch may not have."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    try:
        gate = torch.nn.functional.fast_silu(x[..., :d])
    except AttributeError:
        gate = torch.nn.functional.silu(x[..., :d])
    out.copy_(gate * x[..., d:])
