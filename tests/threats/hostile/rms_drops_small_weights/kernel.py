"""Skips the columns whose weight is small."""

import torch


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    out.masked_fill_(weight.abs() < 0.05, 0.0)
