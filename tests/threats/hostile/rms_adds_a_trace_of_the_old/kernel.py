"""Adds a little of what the output held."""

import torch


def rmsnorm(x, weight, out, eps):
    old = out.nan_to_num(0.0).clone()
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    out.add_(old, alpha=0.25)
