"""Prints a line in each call."""

import torch


def rmsnorm(x, weight, out, eps):
    print("rows:", x.shape[0])
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
