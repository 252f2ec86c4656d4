"""Reads an attribute by way of a format string."""

import torch


def rmsnorm(x, weight, out, eps):
    "{0.__class__}".format(x)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
