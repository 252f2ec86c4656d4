"""Writes the output through a flat view of it."""

import torch


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.view(-1)[:] = (x * scale * weight).reshape(-1)
