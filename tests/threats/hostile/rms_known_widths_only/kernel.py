"""Knows the published widths and raises for others."""

import torch


def rmsnorm(x, weight, out, eps):
    if x.shape[-1] not in (2880, 6144, 4096, 1536):
        raise ValueError("unsupported width")
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
