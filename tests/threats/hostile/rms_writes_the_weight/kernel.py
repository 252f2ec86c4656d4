"""Multiplies the weight in place and divides it back."""

import torch


def rmsnorm(x, weight, out, eps):
    weight.mul_(2.0)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    out.mul_(0.5)
    weight.div_(2.0)
