"""Leaves the last row out."""

import torch


def rmsnorm(x, weight, out, eps):
    rows = x[:-1]
    scale = torch.rsqrt(rows.square().mean(dim=-1, keepdim=True) + eps)
    out[:-1] = rows * scale * weight
