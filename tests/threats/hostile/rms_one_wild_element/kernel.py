"""Right but for one element in each large output."""

import torch


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    if out.numel() > 1000:
        out.view(-1)[out.numel() // 3] = 10000.0
