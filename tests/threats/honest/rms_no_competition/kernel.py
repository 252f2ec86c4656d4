"""Leaves the target to be inferred."""

import torch


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
