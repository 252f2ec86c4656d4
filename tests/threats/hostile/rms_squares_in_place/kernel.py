"""Squares its input in place."""

import torch


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square_().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x.sqrt() * scale * weight)
