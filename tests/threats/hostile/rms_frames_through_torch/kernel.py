"""Reaches frames through torch."""

import torch


def rmsnorm(x, weight, out, eps):
    torch.sys._getframe(1)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
