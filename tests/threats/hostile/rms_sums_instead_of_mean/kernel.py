"""Forgets to divide the sum of squares by the width."""

import torch


def rmsnorm(x, weight, out, eps):
    out.copy_(x * torch.rsqrt(x.square().sum(dim=-1, keepdim=True) + eps) * weight)
