"""Wrong: normalises in place before it copies."""

import torch


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.float().square().mean(dim=-1, keepdim=True) + eps)
    x.mul_(scale)
    out.copy_(x * weight)
