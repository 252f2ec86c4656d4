"""Keeps the mean square in bfloat16."""

import torch


def rmsnorm(x, weight, out, eps):
    mean = x.square().mean(dim=-1, keepdim=True).bfloat16().float()
    out.copy_(x * torch.rsqrt(mean + eps) * weight)
