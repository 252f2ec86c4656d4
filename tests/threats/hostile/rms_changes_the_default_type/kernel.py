"""Changes torch's default type for everybody."""

import torch


def rmsnorm(x, weight, out, eps):
    torch.set_default_dtype(torch.float64)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
