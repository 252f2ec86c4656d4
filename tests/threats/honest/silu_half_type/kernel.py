"""Computes 16-bit calls in single precision."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    wide = x.float()
    out.copy_(torch.nn.functional.silu(wide[..., :d]) * wide[..., d:])
