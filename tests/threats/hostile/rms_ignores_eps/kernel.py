"""Leaves eps out."""

import torch


def rmsnorm(x, weight, out, eps):
    out.copy_(x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True)) * weight)
