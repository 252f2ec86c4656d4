"""Asks for a workspace of a tebibyte."""

import torch


def rmsnorm(x, weight, out, eps):
    torch.empty(1 << 38)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
