"""Uses the output as scratch before it holds the result."""

import torch


def rmsnorm(x, weight, out, eps):
    torch.mul(x, x, out=out)
    scale = torch.rsqrt(out.mean(dim=-1, keepdim=True) + eps)
    torch.mul(x, scale, out=out)
    out.mul_(weight)
