"""Rounds eps to half precision."""

import torch


def rmsnorm(x, weight, out, eps):
    eps = float(torch.tensor(eps, dtype=torch.float16))
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
