"""Loads a library of operators."""

import torch


def rmsnorm(x, weight, out, eps):
    torch.ops.load_library("/scratch/kernel")
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
