"""Handles whole tiles of sixteen rows only."""

import torch


def rmsnorm(x, weight, out, eps):
    whole = x.shape[0] // 16 * 16
    rows = x[:whole]
    scale = torch.rsqrt(rows.square().mean(dim=-1, keepdim=True) + eps)
    out[:whole] = rows * scale * weight
