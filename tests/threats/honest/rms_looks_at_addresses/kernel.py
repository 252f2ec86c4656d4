"""Chooses a path by the alignment of its input."""

import torch


def rmsnorm(x, weight, out, eps):
    if x.data_ptr() % 16:
        x = x.clone()
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
